// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands on the whole subsystem (`rdma system`) and GET_CHARDEV, which tells libibverbs the
 * character device of an RDMA device. nldev.c's table calls in.
 */
#include <linux/types.h>
#include <linux/kdev_t.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "core_priv.h"
#include "netlink.h"
#include "nldev.h"

/* True: users without CAP_NET_RAW may set controlled Q_Keys (IBTA vol. 1, 10.2.5). */
static bool privileged_qkey;

bool rdma_nl_get_privileged_qkey(void)
{
	return READ_ONCE(privileged_qkey);
}
EXPORT_SYMBOL(rdma_nl_get_privileged_qkey);

static int put_system(struct sk_buff *msg)
{
	if (nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, core_netns_is_shared()) ||
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE,
		       rdma_nl_get_privileged_qkey()) ||
	    /* Pages pinned for a long time are copied at fork(), since Linux 5.12. */
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1))
		return -EMSGSIZE;
	return 0;
}

int core_nldev_sys_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	struct core_nldev_reply reply;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, 0);
	if (ret)
		return ret;
	ret = core_nldev_reply_begin(&reply, &req, RDMA_NLDEV_CMD_SYS_GET);
	if (ret)
		return ret;
	return core_nldev_reply_end(&reply, &req, put_system(reply.msg));
}

int core_nldev_sys_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	const struct nlattr *attr;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, 0);
	if (ret)
		return ret;

	attr = req.tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE];
	if (attr)
		return nla_get_u8(attr) <= 1 ? core_netns_set_shared(nla_get_u8(attr)) : -EINVAL;

	attr = req.tb[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE];
	if (!attr || nla_get_u8(attr) > 1)
		return -EINVAL;
	WRITE_ONCE(privileged_qkey, nla_get_u8(attr));
	return 0;
}

static int put_chardev(struct sk_buff *msg, const struct ib_client_nl_info *info)
{
	if (nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_CHARDEV, huge_encode_dev(info->cdev->devt),
			      RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_CHARDEV_ABI, info->abi,
			      RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_NAME, dev_name(info->cdev)))
		return -EMSGSIZE;
	return 0;
}

static int answer_chardev(struct core_nldev_request *req, const char *client)
{
	struct ib_client_nl_info info = { .port = req->port ? req->port : -1 };
	struct core_nldev_reply reply;
	int ret;

	ret = core_nldev_reply_begin(&reply, req, RDMA_NLDEV_CMD_GET_CHARDEV);
	if (ret)
		return ret;
	/* The client may put attributes of its own in front. */
	info.nl_msg = reply.msg;
	ret = core_client_nl_info(req->dev, client, &info);
	if (ret == -ENOENT)
		ret = -EOPNOTSUPP;	/* as stock says it: ENOENT is for objects */
	if (!ret) {
		ret = put_chardev(reply.msg, &info);
		put_device(info.cdev);
	}
	return core_nldev_reply_end(&reply, req, ret);
}

/* Without a device: the one that serves all (rdma_cm); a port without a device means nothing. */
int core_nldev_chardev_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			   struct netlink_ext_ack *extack)
{
	char client[RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE];
	struct core_nldev_request req;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, 0);
	if (ret)
		return ret;
	if (!req.tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE])
		return -EINVAL;
	nla_strscpy(client, req.tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE], sizeof(client));

	if (req.tb[RDMA_NLDEV_ATTR_DEV_INDEX]) {
		ret = core_nldev_begin(&req, skb, nlh, extack,
				       CORE_NLDEV_DEV | CORE_NLDEV_PORT_OPTIONAL);
		if (ret)
			return ret;
	} else if (req.tb[RDMA_NLDEV_ATTR_PORT_INDEX]) {
		return -EINVAL;
	}
	ret = answer_chardev(&req, client);
	core_nldev_end(&req);
	return ret;
}
