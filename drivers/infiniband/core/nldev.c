// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA_NL_NLDEV: the table of commands, the policy of all attributes, and what commands share
 * (parsing, looking up, answering). netlink.c calls the commands.
 */
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "nldev.h"
#include "core_priv.h"
#include "netlink.h"

/* What users send; attributes that only the kernel sends are here too, should they send them. */
static const struct nla_policy policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DEV_NAME] = { .type = NLA_NUL_STRING, .len = IB_DEVICE_NAME_MAX },
	[RDMA_NLDEV_ATTR_PORT_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_CAP_FLAGS] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_FW_VERSION] = { .type = NLA_NUL_STRING, .len = IB_FW_VERSION_NAME_MAX },
	[RDMA_NLDEV_ATTR_NODE_GUID] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_SYS_IMAGE_GUID] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_SUBNET_PREFIX] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_LID] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_SM_LID] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_LMC] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_PORT_STATE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_PORT_PHYS_STATE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_DEV_NODE_TYPE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_SUMMARY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME] = { .type = NLA_NUL_STRING,
						     .len = RDMA_NLDEV_ATTR_ENTRY_STRLEN },
	[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_RES_QP] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_QP_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_LQPN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_RQPN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_RQ_PSN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_SQ_PSN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_TYPE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_STATE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_PID] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_KERN_NAME] = { .type = NLA_NUL_STRING,
					    .len = RDMA_NLDEV_ATTR_EMPTY_STRING },
	[RDMA_NLDEV_ATTR_RES_CM_ID] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_PS] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_SRC_ADDR] = { .len = sizeof(struct __kernel_sockaddr_storage) },
	[RDMA_NLDEV_ATTR_RES_DST_ADDR] = { .len = sizeof(struct __kernel_sockaddr_storage) },
	[RDMA_NLDEV_ATTR_RES_CQ] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_CQ_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_CQE] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_USECNT] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_RES_POLL_CTX] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_MR] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_MR_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_RKEY] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_LKEY] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_IOVA] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_RES_MRLEN] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_RES_PD] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_PD_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_UNSAFE_GLOBAL_RKEY] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_NDEV_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_NDEV_NAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ },
	[RDMA_NLDEV_ATTR_DRIVER] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_DRIVER_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_DRIVER_STRING] = { .type = NLA_NUL_STRING,
					    .len = RDMA_NLDEV_ATTR_ENTRY_STRLEN },
	[RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_DRIVER_S32] = { .type = NLA_S32 },
	[RDMA_NLDEV_ATTR_DRIVER_U32] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DRIVER_S64] = { .type = NLA_S64 },
	[RDMA_NLDEV_ATTR_DRIVER_U64] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_RES_PDN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CQN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_MRN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CM_IDN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CTXN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_LINK_TYPE] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ },
	[RDMA_NLDEV_SYS_ATTR_NETNS_MODE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_DEV_PROTOCOL] = { .type = NLA_NUL_STRING,
					   .len = RDMA_NLDEV_ATTR_ENTRY_STRLEN },
	[RDMA_NLDEV_NET_NS_FD] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_CHARDEV_TYPE] = { .type = NLA_NUL_STRING,
					   .len = RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE },
	[RDMA_NLDEV_ATTR_CHARDEV_NAME] = { .type = NLA_NUL_STRING,
					   .len = RDMA_NLDEV_ATTR_ENTRY_STRLEN },
	[RDMA_NLDEV_ATTR_CHARDEV_ABI] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_CHARDEV] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_STAT_MODE] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_RES] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_COUNTER] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_STAT_COUNTER_ID] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME] = { .type = NLA_NUL_STRING },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_DEV_DIM] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_RAW] = { .type = NLA_BINARY },
	[RDMA_NLDEV_ATTR_RES_CTX] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_CTX_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_SRQ] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_SRQ_ENTRY] = { .type = NLA_NESTED },
	[RDMA_NLDEV_ATTR_RES_SRQN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_MIN_RANGE] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_MAX_RANGE] = { .type = NLA_U32 },
	[RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC] = { .type = NLA_U8 },
	[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_DRIVER_DETAILS] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_SUBTYPE] = { .type = NLA_NUL_STRING,
					  .len = RDMA_NLDEV_ATTR_ENTRY_STRLEN },
};

static int find_port(struct core_nldev_request *req, unsigned int needs)
{
	const struct nlattr *attr = req->tb[RDMA_NLDEV_ATTR_PORT_INDEX];

	if (!(needs & (CORE_NLDEV_PORT | CORE_NLDEV_PORT_OPTIONAL)))
		return 0;
	if (!attr)
		return needs & CORE_NLDEV_PORT ? -EINVAL : 0;

	req->port = nla_get_u32(attr);
	if (rdma_is_port_valid(req->dev, req->port))
		return 0;
	NL_SET_ERR_MSG_ATTR(req->extack, attr, "The device has no such port");
	return -EINVAL;
}

int core_nldev_begin(struct core_nldev_request *req, struct sk_buff *skb,
		     const struct nlmsghdr *nlh, struct netlink_ext_ack *extack,
		     unsigned int needs)
{
	const struct nlattr *attr;
	int ret;

	req->skb = skb;
	req->nlh = nlh;
	req->extack = extack;
	req->dev = NULL;
	req->port = 0;
	/* Lenient, like stock: programs of any age talk to us. */
	ret = nlmsg_parse_deprecated(nlh, 0, req->tb, RDMA_NLDEV_ATTR_MAX - 1, policy, extack);
	if (ret)
		return -EINVAL;
	if (!(needs & CORE_NLDEV_DEV))
		return 0;

	attr = req->tb[RDMA_NLDEV_ATTR_DEV_INDEX];
	if (!attr)
		return -EINVAL;
	req->dev = core_device_get_by_index(sock_net(skb->sk), nla_get_u32(attr));
	if (!req->dev) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "No such device");
		return -EINVAL;
	}
	ret = find_port(req, needs);
	if (ret)
		core_nldev_end(req);
	return ret;
}

void core_nldev_end(struct core_nldev_request *req)
{
	if (req->dev)
		ib_device_put(req->dev);
	req->dev = NULL;
}

int core_nldev_reply_begin(struct core_nldev_reply *reply, const struct core_nldev_request *req,
			   enum rdma_nldev_command cmd)
{
	reply->msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply->msg)
		return -ENOMEM;
	reply->nlh = nlmsg_put(reply->msg, NETLINK_CB(req->skb).portid, req->nlh->nlmsg_seq,
			       RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), 0, 0);
	if (!reply->nlh) {
		nlmsg_free(reply->msg);
		return -EMSGSIZE;
	}
	return 0;
}

int core_nldev_reply_end(struct core_nldev_reply *reply, const struct core_nldev_request *req,
			 int ret)
{
	if (ret) {
		nlmsg_free(reply->msg);
		return ret;
	}
	nlmsg_end(reply->msg, reply->nlh);
	return rdma_nl_unicast(sock_net(req->skb->sk), reply->msg, NETLINK_CB(req->skb).portid);
}

int core_nldev_put_handle(struct sk_buff *msg, const struct ib_device *dev)
{
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, dev->index))
		return -EMSGSIZE;
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, dev_name(&dev->dev)))
		return -EMSGSIZE;
	return 0;
}

static const struct rdma_nl_cbs commands[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_GET] = { core_nldev_dev_get, core_nldev_dev_dump },
	[RDMA_NLDEV_CMD_SET] = { core_nldev_dev_set, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_NEWLINK] = { core_nldev_link_new, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_DELLINK] = { core_nldev_link_del, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_PORT_GET] = { core_nldev_port_get, core_nldev_port_dump },
	[RDMA_NLDEV_CMD_SYS_GET] = { core_nldev_sys_get },
	[RDMA_NLDEV_CMD_SYS_SET] = { core_nldev_sys_set, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_RES_GET] = { core_nldev_res_summary_get, core_nldev_res_summary_dump },
	[RDMA_NLDEV_CMD_RES_QP_GET] = { core_nldev_res_get, core_nldev_res_dump },
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = { core_nldev_res_get, core_nldev_res_dump },
	[RDMA_NLDEV_CMD_RES_CQ_GET] = { core_nldev_res_get, core_nldev_res_dump },
	[RDMA_NLDEV_CMD_RES_MR_GET] = { core_nldev_res_get, core_nldev_res_dump },
	[RDMA_NLDEV_CMD_RES_PD_GET] = { core_nldev_res_get, core_nldev_res_dump },
	[RDMA_NLDEV_CMD_RES_CTX_GET] = { core_nldev_res_get, core_nldev_res_dump },
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = { core_nldev_res_get, core_nldev_res_dump },
	/* Raw driver contexts hold what only administrators may see. */
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = { core_nldev_res_get, core_nldev_res_dump,
					    RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = { core_nldev_res_get, core_nldev_res_dump,
					    RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = { core_nldev_res_get, core_nldev_res_dump,
					    RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_GET_CHARDEV] = { core_nldev_chardev_get },
	[RDMA_NLDEV_CMD_STAT_GET] = { core_nldev_stat_get, core_nldev_stat_dump },
	[RDMA_NLDEV_CMD_STAT_SET] = { core_nldev_stat_set, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_STAT_DEL] = { core_nldev_stat_del, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_STAT_GET_STATUS] = { core_nldev_stat_status },
};

void core_nldev_init(void)
{
	rdma_nl_register(RDMA_NL_NLDEV, commands);
}

void core_nldev_exit(void)
{
	rdma_nl_unregister(RDMA_NL_NLDEV);
}

MODULE_ALIAS_RDMA_NETLINK(RDMA_NL_NLDEV, 5);
