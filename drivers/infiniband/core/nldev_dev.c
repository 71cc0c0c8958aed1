// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands on devices and ports: GET and its dump, SET (name, network namespace, adaptive
 * moderation), PORT_GET and its dump. nldev.c's table calls in.
 */
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "core_priv.h"
#include "nldev.h"

/* Told of the first port, since no device with different ports was ever well served by it. */
static const char *protocol_name(struct ib_device *dev)
{
	u32 port = rdma_start_port(dev);

	if (rdma_cap_opa_mad(dev, port))
		return "opa";
	if (rdma_protocol_ib(dev, port))
		return "ib";
	if (rdma_protocol_iwarp(dev, port))
		return "iw";
	if (rdma_protocol_roce(dev, port))
		return "roce";
	if (rdma_protocol_usnic(dev, port))
		return "usnic";
	return NULL;
}

static int put_u64(struct sk_buff *msg, int type, u64 value)
{
	return nla_put_u64_64bit(msg, type, value, RDMA_NLDEV_ATTR_PAD);
}

static int put_dev_info(struct sk_buff *msg, struct ib_device *dev)
{
	char fw_version[IB_FW_VERSION_NAME_MAX] = "";
	const char *protocol = protocol_name(dev);

	if (core_nldev_put_handle(msg, dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, rdma_end_port(dev)) ||
	    put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS, dev->attrs.device_cap_flags))
		return -EMSGSIZE;

	/* Devices without firmware have no version rather than an empty one. */
	ib_get_device_fw_str(dev, fw_version);
	if (fw_version[0] && nla_put_string(msg, RDMA_NLDEV_ATTR_FW_VERSION, fw_version))
		return -EMSGSIZE;

	if (put_u64(msg, RDMA_NLDEV_ATTR_NODE_GUID, be64_to_cpu(dev->node_guid)) ||
	    put_u64(msg, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID,
		    be64_to_cpu(dev->attrs.sys_image_guid)) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, dev->node_type) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, dev->use_cq_dim))
		return -EMSGSIZE;
	if (protocol && nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_PROTOCOL, protocol))
		return -EMSGSIZE;
	return 0;
}

static int put_ib_port(struct sk_buff *msg, const struct ib_port_attr *attr)
{
	u64 caps = attr->port_cap_flags | (u64)attr->port_cap_flags2 << 32;

	if (put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS, caps) ||
	    put_u64(msg, RDMA_NLDEV_ATTR_SUBNET_PREFIX, attr->subnet_prefix) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_LID, attr->lid) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_SM_LID, attr->sm_lid) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_LMC, attr->lmc))
		return -EMSGSIZE;
	return 0;
}

/* The netdev shows only in its own network namespace. */
static int put_netdev(struct sk_buff *msg, struct ib_device *dev, u32 port, const struct net *net)
{
	struct net_device *ndev = core_netdev_get(dev, port);
	int ret = 0;

	if (ndev && net_eq(dev_net(ndev), net) &&
	    (nla_put_u32(msg, RDMA_NLDEV_ATTR_NDEV_INDEX, ndev->ifindex) ||
	     nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, ndev->name)))
		ret = -EMSGSIZE;
	dev_put(ndev);
	return ret;
}

static int put_port(struct sk_buff *msg, struct ib_device *dev, u32 port, const struct net *net)
{
	struct ib_port_attr attr;
	int ret;

	if (core_nldev_put_handle(msg, dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port))
		return -EMSGSIZE;
	ret = ib_query_port(dev, port, &attr);
	if (ret)
		return ret;
	if (rdma_protocol_ib(dev, port)) {
		ret = put_ib_port(msg, &attr);
		if (ret)
			return ret;
	}
	if (nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, attr.state) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, attr.phys_state))
		return -EMSGSIZE;
	return put_netdev(msg, dev, port, net);
}

int core_nldev_dev_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	struct core_nldev_reply reply;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV);
	if (ret)
		return ret;
	ret = core_nldev_reply_begin(&reply, &req, RDMA_NLDEV_CMD_GET);
	if (!ret)
		ret = core_nldev_reply_end(&reply, &req, put_dev_info(reply.msg, req.dev));
	core_nldev_end(&req);
	return ret;
}

static struct nlmsghdr *dump_message(struct sk_buff *skb, struct netlink_callback *cb,
				     enum rdma_nldev_command cmd)
{
	return nlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			 RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), 0, NLM_F_MULTI);
}

/* args[0]: the device to go on with. */
int core_nldev_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long next = cb->args[0];
	struct nlmsghdr *nlh;
	struct ib_device *dev;
	int ret = 0;

	while (!ret && (dev = core_device_next(sock_net(skb->sk), &next))) {
		nlh = dump_message(skb, cb, RDMA_NLDEV_CMD_GET);
		ret = nlh ? put_dev_info(skb, dev) : -EMSGSIZE;
		if (!ret) {
			nlmsg_end(skb, nlh);
			cb->args[0] = next;
		} else if (nlh) {
			nlmsg_cancel(skb, nlh);
		}
		ib_device_put(dev);
	}
	return skb->len;
}

int core_nldev_port_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	struct core_nldev_reply reply;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV | CORE_NLDEV_PORT);
	if (ret)
		return ret;
	/* Programs know this answer under the number of the device's command. */
	ret = core_nldev_reply_begin(&reply, &req, RDMA_NLDEV_CMD_GET);
	if (!ret) {
		ret = put_port(reply.msg, req.dev, req.port, sock_net(skb->sk));
		ret = core_nldev_reply_end(&reply, &req, ret);
	}
	core_nldev_end(&req);
	return ret;
}

/* args[0]: how many ports were dumped. */
int core_nldev_port_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct core_nldev_request req;
	struct nlmsghdr *nlh;
	u32 port, done = 0;
	int ret;

	ret = core_nldev_begin(&req, cb->skb, cb->nlh, cb->extack, CORE_NLDEV_DEV);
	if (ret)
		return ret;
	rdma_for_each_port(req.dev, port) {
		if (done++ < cb->args[0])
			continue;
		nlh = dump_message(skb, cb, RDMA_NLDEV_CMD_PORT_GET);
		if (!nlh)
			break;
		if (put_port(skb, req.dev, port, sock_net(skb->sk))) {
			nlmsg_cancel(skb, nlh);
			break;
		}
		nlmsg_end(skb, nlh);
		cb->args[0] = done;
	}
	core_nldev_end(&req);
	return skb->len;
}

static int rename_device(struct core_nldev_request *req)
{
	char name[IB_DEVICE_NAME_MAX] = {};

	nla_strscpy(name, req->tb[RDMA_NLDEV_ATTR_DEV_NAME], IB_DEVICE_NAME_MAX);
	if (!name[0])
		return -EINVAL;
	return core_device_rename(req->dev, name);
}

int core_nldev_dev_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV);
	if (ret)
		return ret;
	/* One thing at a time, and the first that is asked for. */
	if (req.tb[RDMA_NLDEV_ATTR_DEV_NAME])
		ret = rename_device(&req);
	else if (req.tb[RDMA_NLDEV_NET_NS_FD])
		ret = core_netns_move(sock_net(skb->sk), req.dev,
				      nla_get_u32(req.tb[RDMA_NLDEV_NET_NS_FD]));
	else if (req.tb[RDMA_NLDEV_ATTR_DEV_DIM])
		ret = core_device_set_dim(req.dev, nla_get_u8(req.tb[RDMA_NLDEV_ATTR_DEV_DIM]));
	core_nldev_end(&req);
	return ret;
}
