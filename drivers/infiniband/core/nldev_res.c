// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which objects exist (`rdma resource`): the summary, one object by its number, all objects of a
 * kind. One table says what differs between the kinds; nldev_res_put.c describes an object;
 * restrack.c keeps the entries. nldev.c's table calls in.
 */
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "nldev_res.h"
#include "core_priv.h"
#include "nldev.h"

struct res_kind {
	enum rdma_restrack_type type;
	u16 attr_table;
	u16 attr_entry;
	u16 attr_id;
	bool of_port;		/* belongs to a port, not to the device as a whole */
	core_nldev_put_fn put;
};

#define KIND_QP RDMA_RESTRACK_QP, RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY, \
	RDMA_NLDEV_ATTR_RES_LQPN, true
#define KIND_CM_ID RDMA_RESTRACK_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID, \
	RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, RDMA_NLDEV_ATTR_RES_CM_IDN, true
#define KIND_CQ RDMA_RESTRACK_CQ, RDMA_NLDEV_ATTR_RES_CQ, RDMA_NLDEV_ATTR_RES_CQ_ENTRY, \
	RDMA_NLDEV_ATTR_RES_CQN, false
#define KIND_MR RDMA_RESTRACK_MR, RDMA_NLDEV_ATTR_RES_MR, RDMA_NLDEV_ATTR_RES_MR_ENTRY, \
	RDMA_NLDEV_ATTR_RES_MRN, false
#define KIND_PD RDMA_RESTRACK_PD, RDMA_NLDEV_ATTR_RES_PD, RDMA_NLDEV_ATTR_RES_PD_ENTRY, \
	RDMA_NLDEV_ATTR_RES_PDN, false
#define KIND_CTX RDMA_RESTRACK_CTX, RDMA_NLDEV_ATTR_RES_CTX, RDMA_NLDEV_ATTR_RES_CTX_ENTRY, \
	RDMA_NLDEV_ATTR_RES_CTXN, false
#define KIND_SRQ RDMA_RESTRACK_SRQ, RDMA_NLDEV_ATTR_RES_SRQ, RDMA_NLDEV_ATTR_RES_SRQ_ENTRY, \
	RDMA_NLDEV_ATTR_RES_SRQN, false

static const struct res_kind kinds[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_RES_QP_GET] = { KIND_QP, core_nldev_put_qp },
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = { KIND_CM_ID, core_nldev_put_cm_id },
	[RDMA_NLDEV_CMD_RES_CQ_GET] = { KIND_CQ, core_nldev_put_cq },
	[RDMA_NLDEV_CMD_RES_MR_GET] = { KIND_MR, core_nldev_put_mr },
	[RDMA_NLDEV_CMD_RES_PD_GET] = { KIND_PD, core_nldev_put_pd },
	[RDMA_NLDEV_CMD_RES_CTX_GET] = { KIND_CTX, core_nldev_put_ctx },
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = { KIND_SRQ, core_nldev_put_srq },
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = { KIND_QP, core_nldev_put_qp_raw },
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = { KIND_CQ, core_nldev_put_cq_raw },
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = { KIND_MR, core_nldev_put_mr_raw },
	/* nldev_stat.c sends only the MR flavour of the command here. */
	[RDMA_NLDEV_CMD_STAT_GET] = { KIND_MR, core_nldev_put_mr_stat },
};

/* In the order of enum rdma_restrack_type, which is that of the answer. */
static const char * const summary_names[RDMA_RESTRACK_MAX] = {
	[RDMA_RESTRACK_PD] = "pd",
	[RDMA_RESTRACK_CQ] = "cq",
	[RDMA_RESTRACK_QP] = "qp",
	[RDMA_RESTRACK_CM_ID] = "cm_id",
	[RDMA_RESTRACK_MR] = "mr",
	[RDMA_RESTRACK_CTX] = "ctx",
	[RDMA_RESTRACK_SRQ] = "srq",
};

/* Objects that drivers made for themselves show only on demand. */
static bool wants_details(const struct core_nldev_request *req)
{
	const struct nlattr *attr = req->tb[RDMA_NLDEV_ATTR_DRIVER_DETAILS];

	return attr && nla_get_u8(attr);
}

static int put_count(struct sk_buff *msg, const char *name, u64 count)
{
	struct nlattr *entry;

	entry = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
	if (!entry)
		return -EMSGSIZE;
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, name) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count,
			      RDMA_NLDEV_ATTR_PAD)) {
		nla_nest_cancel(msg, entry);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, entry);
	return 0;
}

static int put_summary(struct sk_buff *msg, struct ib_device *dev, bool details)
{
	struct nlattr *table;
	unsigned int type;
	int ret = 0;

	if (core_nldev_put_handle(msg, dev))
		return -EMSGSIZE;
	table = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!table)
		return -EMSGSIZE;
	for (type = 0; type < RDMA_RESTRACK_MAX && !ret; type++)
		if (summary_names[type])
			ret = put_count(msg, summary_names[type],
					rdma_restrack_count(dev, type, details));
	if (ret)
		nla_nest_cancel(msg, table);
	else
		nla_nest_end(msg, table);
	return ret;
}

int core_nldev_res_summary_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			       struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	struct core_nldev_reply reply;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV);
	if (ret)
		return ret;
	ret = core_nldev_reply_begin(&reply, &req, RDMA_NLDEV_CMD_RES_GET);
	if (!ret) {
		ret = put_summary(reply.msg, req.dev, wants_details(&req));
		ret = core_nldev_reply_end(&reply, &req, ret);
	}
	core_nldev_end(&req);
	return ret;
}

static struct nlmsghdr *dump_message(struct sk_buff *skb, struct netlink_callback *cb)
{
	u16 cmd = RDMA_NL_GET_OP(cb->nlh->nlmsg_type);

	return nlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			 RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), 0, NLM_F_MULTI);
}

/* args[0]: the device to go on with. */
int core_nldev_res_summary_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long next = cb->args[0];
	struct ib_device *dev;
	struct nlmsghdr *nlh;
	int ret = 0;

	while (!ret && (dev = core_device_next(sock_net(skb->sk), &next))) {
		nlh = dump_message(skb, cb);
		ret = nlh ? put_summary(skb, dev, false) : -EMSGSIZE;
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

static int answer_object(struct core_nldev_request *req, const struct res_kind *kind)
{
	bool admin = netlink_capable(req->skb, CAP_NET_ADMIN);
	struct rdma_restrack_entry *res;
	struct core_nldev_reply reply;
	int ret;

	/* The number alone names an object of a device; one of a port needs the port too. */
	if (!req->tb[kind->attr_id] || !req->port != !kind->of_port)
		return -EINVAL;
	res = rdma_restrack_get_byid(req->dev, kind->type, nla_get_u32(req->tb[kind->attr_id]));
	if (IS_ERR(res))
		return PTR_ERR(res);

	ret = core_nldev_reply_begin(&reply, req, RDMA_NL_GET_OP(req->nlh->nlmsg_type));
	if (!ret) {
		ret = core_nldev_put_handle(reply.msg, req->dev);
		if (!ret)
			ret = kind->put(reply.msg, admin, res, req->port);
		ret = core_nldev_reply_end(&reply, req, ret);
	}
	rdma_restrack_put(res);
	return ret;
}

int core_nldev_res_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct res_kind *kind = &kinds[RDMA_NL_GET_OP(nlh->nlmsg_type)];
	struct core_nldev_request req;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV | CORE_NLDEV_PORT_OPTIONAL);
	if (ret)
		return ret;
	ret = answer_object(&req, kind);
	core_nldev_end(&req);
	return ret;
}

/* The next tracked entry at or behind *id, held; moves *id behind it. NULL at the end. */
static struct rdma_restrack_entry *next_entry(struct ib_device *dev, enum rdma_restrack_type type,
					      unsigned long *id, bool details)
{
	struct xarray *xa = &dev->res[type].xa;
	struct rdma_restrack_entry *res;
	unsigned long at = *id;

	xa_lock(xa);
	for (res = xa_find(xa, &at, ULONG_MAX, XA_PRESENT); res;
	     res = xa_find_after(xa, &at, ULONG_MAX, XA_PRESENT)) {
		if (xa_get_mark(xa, at, RESTRACK_DD) && !details)
			continue;
		if (rdma_restrack_get(res))
			break;
	}
	xa_unlock(xa);
	*id = at + 1;
	return res;
}

static int dump_entry(struct sk_buff *skb, const struct res_kind *kind, bool admin,
		      struct rdma_restrack_entry *res, u32 port)
{
	struct nlattr *entry = nla_nest_start_noflag(skb, kind->attr_entry);
	int ret;

	if (!entry)
		return -EMSGSIZE;
	ret = kind->put(skb, admin, res, port);
	if (ret)
		nla_nest_cancel(skb, entry);
	else
		nla_nest_end(skb, entry);
	return ret;
}

/*
 * Fills one message with as many entries as fit. args[0] is the number to go on with, so a dump
 * costs the same per object however many there are.
 */
static int dump_message_of(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct res_kind *kind, struct core_nldev_request *req)
{
	bool admin = netlink_capable(cb->skb, CAP_NET_ADMIN);
	bool details = wants_details(req);
	unsigned long id = cb->args[0];
	struct rdma_restrack_entry *res;
	unsigned int filled = 0;
	struct nlmsghdr *nlh;
	struct nlattr *table;
	int ret;

	nlh = dump_message(skb, cb);
	if (!nlh || core_nldev_put_handle(skb, req->dev))
		return -EMSGSIZE;
	table = nla_nest_start_noflag(skb, kind->attr_table);
	if (!table)
		return -EMSGSIZE;

	while ((res = next_entry(req->dev, kind->type, &id, details))) {
		ret = dump_entry(skb, kind, admin, res, req->port);
		rdma_restrack_put(res);
		if (ret == -EMSGSIZE && filled)
			break;
		if (ret && ret != -EAGAIN) {
			nlmsg_cancel(skb, nlh);
			return ret;
		}
		filled += !ret;
		cb->args[0] = id;
	}
	nla_nest_end(skb, table);
	if (!filled) {
		nlmsg_cancel(skb, nlh);
		return 0;
	}
	nlmsg_end(skb, nlh);
	return skb->len;
}

int core_nldev_res_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct res_kind *kind = &kinds[RDMA_NL_GET_OP(cb->nlh->nlmsg_type)];
	struct core_nldev_request req;
	int ret;

	ret = core_nldev_begin(&req, cb->skb, cb->nlh, cb->extack,
			       CORE_NLDEV_DEV | CORE_NLDEV_PORT_OPTIONAL);
	if (ret)
		return ret;
	ret = dump_message_of(skb, cb, kind, &req);
	core_nldev_end(&req);
	return ret;
}
