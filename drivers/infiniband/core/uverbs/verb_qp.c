// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs: create, open somebody else's (XRC), query, destroy. Modify is in verb_qp_modify.c,
 * posting through the kernel in verb_post.c, multicast in verb_mcast.c.
 *
 * dispatch.c calls in; ib_core and the async events go out.
 */
#include <linux/capability.h>
#include <linux/slab.h>

#include "call.h"
#include "defs.h"
#include "objects.h"

/* What an application may ask for; the other bits belong to kernel consumers and drivers. */
#define QP_USER_CREATE_FLAGS						\
	(IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | IB_QP_CREATE_CROSS_CHANNEL |	\
	 IB_QP_CREATE_MANAGED_SEND | IB_QP_CREATE_MANAGED_RECV |		\
	 IB_QP_CREATE_SCATTER_FCS | IB_QP_CREATE_CVLAN_STRIPPING |		\
	 IB_QP_CREATE_SOURCE_QPN | IB_QP_CREATE_PCI_WRITE_END_PADDING)

/* A QP to be made, whichever door asked for it. attr.cap comes back with the real sizes. */
struct qp_create_args {
	struct ib_uqp_object *obj;
	struct ib_uverbs_async_event_file *async;	/* NULL: nobody is told */
	struct ib_uobject *xrcd;			/* XRC receive QPs only, instead of a PD */
	struct ib_pd *pd;
	u64 user_handle;
	struct ib_qp_init_attr attr;
};

static void qp_event(struct ib_event *event, void *context)
{
	/* The driver's own half of an XRC receive QP has no uobject; each opener's handle has. */
	if (event->element.qp->uobject)
		uverbs_events_async_raise(&event->element.qp->uobject->uevent, event->event);
}

static int qp_check_type(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
	case IB_QPT_DRIVER:
		return 0;
	case IB_QPT_RAW_PACKET:
		return capable(CAP_NET_RAW) ? 0 : -EPERM;
	default:
		return -EINVAL;
	}
}

/* Which rights and flags go with the request. */
static int qp_check_request(const struct ib_qp_init_attr *attr)
{
	int ret = qp_check_type(attr->qp_type);

	if (ret)
		return ret;
	if (attr->create_flags & ~QP_USER_CREATE_FLAGS)
		return -EINVAL;
	/* Claiming a number is pretending to be someone else on the wire. */
	if (attr->create_flags & IB_QP_CREATE_SOURCE_QPN && !capable(CAP_NET_RAW))
		return -EPERM;
	return 0;
}

/* Which other objects go with which type. */
static int qp_check_parts(const struct qp_create_args *args)
{
	const struct ib_qp_init_attr *attr = &args->attr;

	if (attr->qp_type == IB_QPT_XRC_TGT)
		return args->xrcd && args->xrcd->object ? 0 : -EINVAL;
	if (!args->pd)
		return -EINVAL;
	/* A receive side made of work queues has its own CQs and no queue here. */
	if (attr->rwq_ind_tbl)
		return attr->cap.max_recv_wr || attr->cap.max_recv_sge || attr->srq ||
		       (attr->cap.max_send_wr && !attr->send_cq) ? -EINVAL : 0;
	if (!attr->send_cq || (attr->qp_type != IB_QPT_XRC_INI && !attr->recv_cq))
		return -EINVAL;
	if (!attr->srq)
		return 0;
	/* IBTA vol. 1, 10.2.9: SRQs serve RC and UD; XRC ones are named by each message. */
	return attr->srq->srq_type == IB_SRQT_XRC || attr->qp_type == IB_QPT_UC ||
	       attr->qp_type == IB_QPT_XRC_INI ? -EINVAL : 0;
}

/* The body of all three ways to make a QP. */
static struct ib_qp *qp_create(struct uverbs_attr_bundle *attrs, struct qp_create_args *args)
{
	struct ib_uqp_object *obj = args->obj;
	struct ib_qp *qp;
	int ret;

	ret = qp_check_parts(args);
	if (ret)
		return ERR_PTR(ret);
	if (args->attr.qp_type == IB_QPT_XRC_TGT) {
		args->attr.xrcd = args->xrcd->object;
		obj->uxrcd = uverbs_objects_xrcd_use(args->xrcd);
	}
	obj->uevent.uobject.user_handle = args->user_handle;
	uverbs_mcast_init(obj);
	uverbs_events_async_attach(&obj->uevent, args->async);
	args->attr.event_handler = qp_event;
	qp = ib_create_qp_user(uverbs_call_device(attrs), args->pd, &args->attr,
			       &attrs->driver_udata, obj, KBUILD_MODNAME);
	if (IS_ERR(qp)) {
		uverbs_events_async_detach(&obj->uevent);
		uverbs_objects_xrcd_unuse(obj->uxrcd);
		return qp;
	}
	/* ib_destroy_qp_user() drops what this takes. */
	ib_qp_usecnt_inc(qp);
	qp->uobject = obj;
	obj->uevent.uobject.object = qp;
	uverbs_call_created(attrs, &obj->uevent.uobject);
	return qp;
}

static int qp_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_uqp_object *obj = uverbs_objects_qp(uobj);
	struct ib_qp *qp = uobj->object;
	int ret;

	ret = uverbs_mcast_leave(qp, obj, why);
	if (ret)
		return ret;
	ret = ib_destroy_qp_user(qp, &attrs->driver_udata);
	if (ret)
		return ret;
	uverbs_objects_xrcd_unuse(obj->uxrcd);
	uverbs_events_async_detach(&obj->uevent);
	return 0;
}

static int qp_find_recv_side(struct uverbs_attr_bundle *attrs, struct ib_qp_init_attr *attr,
			     const struct ib_uverbs_ex_create_qp *cmd)
{
	if (cmd->comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE) {
		attr->rwq_ind_tbl = uverbs_call_object(
			uverbs_call_get(attrs, UVERBS_OBJECT_RWQ_IND_TBL,
					cmd->rwq_ind_tbl_handle, UVERBS_ACCESS_READ));
		return PTR_ERR_OR_ZERO(attr->rwq_ind_tbl);
	}
	if (attr->qp_type == IB_QPT_XRC_INI) {
		attr->cap.max_recv_wr = 0;
		attr->cap.max_recv_sge = 0;
		return 0;
	}
	if (cmd->is_srq) {
		attr->srq = uverbs_call_srq(attrs, cmd->srq_handle);
		if (IS_ERR(attr->srq))
			return PTR_ERR(attr->srq);
	}
	attr->recv_cq = uverbs_call_cq(attrs, cmd->recv_cq_handle);
	return PTR_ERR_OR_ZERO(attr->recv_cq);
}

static int qp_find_parts(struct uverbs_attr_bundle *attrs, struct qp_create_args *args,
			 const struct ib_uverbs_ex_create_qp *cmd)
{
	struct ib_qp_init_attr *attr = &args->attr;
	int ret;

	if (attr->qp_type == IB_QPT_XRC_TGT) {
		args->xrcd = uverbs_call_get(attrs, UVERBS_OBJECT_XRCD, cmd->pd_handle,
					     UVERBS_ACCESS_READ);
		return PTR_ERR_OR_ZERO(args->xrcd);
	}
	ret = qp_find_recv_side(attrs, attr, cmd);
	if (ret)
		return ret;
	if (!attr->rwq_ind_tbl || attr->cap.max_send_wr) {
		attr->send_cq = uverbs_call_cq(attrs, cmd->send_cq_handle);
		if (IS_ERR(attr->send_cq))
			return PTR_ERR(attr->send_cq);
	}
	args->pd = uverbs_call_pd(attrs, cmd->pd_handle);
	return PTR_ERR_OR_ZERO(args->pd);
}

/* The write door: the struct of the extended command says everything the legacy one does. */
static int qp_create_write(struct uverbs_attr_bundle *attrs,
			   const struct ib_uverbs_ex_create_qp *cmd,
			   struct ib_uverbs_create_qp_resp *resp)
{
	struct qp_create_args args = {
		.user_handle = cmd->user_handle,
		.attr = {
			.qp_type = cmd->qp_type,
			.sq_sig_type = cmd->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
			.create_flags = cmd->create_flags,
			.source_qpn = cmd->source_qpn,
			.cap.max_send_wr = cmd->max_send_wr,
			.cap.max_recv_wr = cmd->max_recv_wr,
			.cap.max_send_sge = cmd->max_send_sge,
			.cap.max_recv_sge = cmd->max_recv_sge,
			.cap.max_inline_data = cmd->max_inline_data,
		},
	};
	struct ib_uobject *uobj;
	struct ib_qp *qp;
	int ret;

	ret = qp_check_request(&args.attr);
	if (ret)
		return ret;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_QP);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	args.obj = uverbs_objects_qp(uobj);
	args.obj->uxrcd = NULL;
	args.async = uverbs_events_async_default(attrs);
	ret = qp_find_parts(attrs, &args, cmd);
	if (ret)
		return ret;
	qp = qp_create(attrs, &args);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	resp->qp_handle = uobj->id;
	resp->qpn = qp->qp_num;
	resp->max_send_wr = args.attr.cap.max_send_wr;
	resp->max_recv_wr = args.attr.cap.max_recv_wr;
	resp->max_send_sge = args.attr.cap.max_send_sge;
	resp->max_recv_sge = args.attr.cap.max_recv_sge;
	resp->max_inline_data = args.attr.cap.max_inline_data;
	return 0;
}

/* A caller of the legacy command that has room for it is given the whole answer, too. */
static int qp_create_answer(struct uverbs_attr_bundle *attrs,
			    const struct ib_uverbs_ex_create_qp *cmd)
{
	struct ib_uverbs_ex_create_qp_resp resp = {};
	int ret = qp_create_write(attrs, cmd, &resp.base);

	if (ret)
		return ret;
	resp.response_length = uverbs_call_response_length(attrs, sizeof(resp));
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int qp_create_legacy(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_qp ex = {};
	struct ib_uverbs_create_qp cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ex.user_handle = cmd.user_handle;
	ex.pd_handle = cmd.pd_handle;
	ex.send_cq_handle = cmd.send_cq_handle;
	ex.recv_cq_handle = cmd.recv_cq_handle;
	ex.srq_handle = cmd.srq_handle;
	ex.max_send_wr = cmd.max_send_wr;
	ex.max_recv_wr = cmd.max_recv_wr;
	ex.max_send_sge = cmd.max_send_sge;
	ex.max_recv_sge = cmd.max_recv_sge;
	ex.max_inline_data = cmd.max_inline_data;
	ex.sq_sig_all = cmd.sq_sig_all;
	ex.qp_type = cmd.qp_type;
	ex.is_srq = cmd.is_srq;
	return qp_create_answer(attrs, &ex);
}

static int qp_create_ex(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_qp cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask & ~IB_UVERBS_CREATE_QP_SUP_COMP_MASK || cmd.reserved)
		return -EINVAL;
	return qp_create_answer(attrs, &cmd);
}

/* Which of the method's flags go with a type; the drivers say which of those they can do. */
static bool qp_flags_fit(enum ib_qp_type type, u32 flags)
{
	if (type == IB_QPT_RAW_PACKET || type == IB_QPT_DRIVER)
		return true;
	if (type == IB_QPT_UD)
		return !(flags & (IB_QP_CREATE_SCATTER_FCS | IB_QP_CREATE_CVLAN_STRIPPING));
	return !flags;
}

static void *qp_optional_obj(const struct uverbs_attr_bundle *attrs, u16 attr_id)
{
	void *object = uverbs_attr_get_obj(attrs, attr_id);

	return IS_ERR(object) ? NULL : object;
}

static int qp_read_flags(const struct uverbs_attr_bundle *attrs, struct ib_qp_init_attr *attr)
{
	u32 flags;
	int ret;

	ret = uverbs_get_flags32(&flags, attrs, UVERBS_ATTR_CREATE_QP_FLAGS,
				 IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK |
				 IB_UVERBS_QP_CREATE_SCATTER_FCS |
				 IB_UVERBS_QP_CREATE_CVLAN_STRIPPING |
				 IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING |
				 IB_UVERBS_QP_CREATE_SQ_SIG_ALL);
	if (ret)
		return ret;
	attr->sq_sig_type = flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL ? IB_SIGNAL_ALL_WR :
								     IB_SIGNAL_REQ_WR;
	attr->create_flags = flags & ~(u32)IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	if (!qp_flags_fit(attr->qp_type, attr->create_flags))
		return -EINVAL;
	if (!uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		return 0;
	attr->create_flags |= IB_QP_CREATE_SOURCE_QPN;
	return uverbs_copy_from(&attr->source_qpn, attrs, UVERBS_ATTR_CREATE_QP_SOURCE_QPN);
}

static int qp_read_request(struct uverbs_attr_bundle *attrs, struct qp_create_args *args)
{
	struct ib_qp_init_attr *attr = &args->attr;
	struct ib_uverbs_qp_cap cap;
	int ret;

	ret = uverbs_copy_from_or_zero(&cap, attrs, UVERBS_ATTR_CREATE_QP_CAP);
	if (!ret)
		ret = uverbs_copy_from(&args->user_handle, attrs,
				       UVERBS_ATTR_CREATE_QP_USER_HANDLE);
	if (!ret)
		ret = uverbs_get_const(&attr->qp_type, attrs, UVERBS_ATTR_CREATE_QP_TYPE);
	if (!ret)
		ret = qp_read_flags(attrs, attr);
	if (ret)
		return ret;
	attr->cap.max_send_wr = cap.max_send_wr;
	attr->cap.max_recv_wr = cap.max_recv_wr;
	attr->cap.max_send_sge = cap.max_send_sge;
	attr->cap.max_recv_sge = cap.max_recv_sge;
	attr->cap.max_inline_data = cap.max_inline_data;
	return qp_check_request(attr);
}

/* EINVAL: an object that has no place in a QP of this type. ENOENT: a missing one. */
static int qp_check_read_parts(const struct qp_create_args *args)
{
	const struct ib_qp_init_attr *attr = &args->attr;

	if (attr->qp_type == IB_QPT_XRC_TGT) {
		if (args->pd || attr->send_cq || attr->recv_cq || attr->rwq_ind_tbl)
			return -EINVAL;
		if (!args->xrcd)
			return -ENOENT;
		return attr->srq ? -EINVAL : 0;
	}
	if (args->xrcd || (attr->rwq_ind_tbl && attr->recv_cq) ||
	    (attr->qp_type == IB_QPT_XRC_INI && attr->srq))
		return -EINVAL;
	if (!args->pd || (!attr->rwq_ind_tbl && !attr->send_cq))
		return -ENOENT;
	if (!attr->rwq_ind_tbl && !attr->recv_cq && attr->qp_type != IB_QPT_XRC_INI)
		return -ENOENT;
	return 0;
}

static int qp_read_parts(struct uverbs_attr_bundle *attrs, struct qp_create_args *args)
{
	struct ib_uobject *xrcd = uverbs_attr_get_uobject(attrs,
							  UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	struct ib_qp_init_attr *attr = &args->attr;
	int ret;

	args->xrcd = IS_ERR(xrcd) ? NULL : xrcd;
	args->pd = qp_optional_obj(attrs, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	attr->srq = qp_optional_obj(attrs, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	attr->send_cq = qp_optional_obj(attrs, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	attr->recv_cq = qp_optional_obj(attrs, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	attr->rwq_ind_tbl = qp_optional_obj(attrs, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
	ret = qp_check_read_parts(args);
	/* It receives nothing, whatever was asked for. */
	if (!ret && attr->qp_type == IB_QPT_XRC_INI) {
		attr->recv_cq = NULL;
		attr->cap.max_recv_wr = 0;
		attr->cap.max_recv_sge = 0;
	}
	return ret;
}

static int UVERBS_HANDLER(UVERBS_METHOD_QP_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_QP_HANDLE);
	struct qp_create_args args = {
		.obj = uverbs_objects_qp(uobj),
		.async = uverbs_events_async_chosen(attrs, UVERBS_ATTR_CREATE_QP_EVENT_FD),
	};
	struct ib_uverbs_qp_cap cap = {};
	struct ib_qp *qp;
	int ret;

	args.obj->uxrcd = NULL;
	ret = qp_read_request(attrs, &args);
	if (!ret)
		ret = qp_read_parts(attrs, &args);
	if (ret)
		return ret;
	qp = qp_create(attrs, &args);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	cap.max_send_wr = args.attr.cap.max_send_wr;
	cap.max_recv_wr = args.attr.cap.max_recv_wr;
	cap.max_send_sge = args.attr.cap.max_send_sge;
	cap.max_recv_sge = args.attr.cap.max_recv_sge;
	cap.max_inline_data = args.attr.cap.max_inline_data;
	ret = uverbs_copy_to_struct_or_zero(attrs, UVERBS_ATTR_CREATE_QP_RESP_CAP, &cap,
					    sizeof(cap));
	return ret ? ret : uverbs_copy_to(attrs, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qp->qp_num,
					  sizeof(qp->qp_num));
}

/* A second handle on an XRC receive QP of the domain, found by its number. */
static int qp_open(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp_open_attr attr = { .event_handler = qp_event };
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uverbs_open_qp cmd;
	struct ib_uobject *uobj, *xrcd;
	struct ib_uqp_object *obj;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_QP);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	xrcd = uverbs_call_get(attrs, UVERBS_OBJECT_XRCD, cmd.pd_handle, UVERBS_ACCESS_READ);
	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);
	if (!xrcd->object)
		return -EINVAL;
	obj = uverbs_objects_qp(uobj);
	obj->uxrcd = uverbs_objects_xrcd_use(xrcd);
	uobj->user_handle = cmd.user_handle;
	uverbs_mcast_init(obj);
	uverbs_events_async_attach(&obj->uevent, uverbs_events_async_default(attrs));
	attr.qp_num = cmd.qpn;
	attr.qp_type = cmd.qp_type;
	qp = ib_open_qp(xrcd->object, &attr);
	if (IS_ERR(qp)) {
		uverbs_events_async_detach(&obj->uevent);
		uverbs_objects_xrcd_unuse(obj->uxrcd);
		return PTR_ERR(qp);
	}
	qp->uobject = obj;
	uobj->object = qp;
	uverbs_call_created(attrs, uobj);
	resp.qp_handle = uobj->id;
	resp.qpn = qp->qp_num;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static void qp_describe_dest(const struct rdma_ah_attr *from, struct ib_uverbs_qp_dest *to)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(from);

	to->dlid = rdma_ah_get_dlid(from);
	to->sl = rdma_ah_get_sl(from);
	to->src_path_bits = rdma_ah_get_path_bits(from);
	to->static_rate = rdma_ah_get_static_rate(from);
	to->port_num = rdma_ah_get_port_num(from);
	to->is_global = !!(rdma_ah_get_ah_flags(from) & IB_AH_GRH);
	if (!to->is_global)
		return;
	memcpy(to->dgid, grh->dgid.raw, sizeof(to->dgid));
	to->flow_label = grh->flow_label;
	to->sgid_index = grh->sgid_index;
	to->hop_limit = grh->hop_limit;
	to->traffic_class = grh->traffic_class;
}

static void qp_describe(const struct ib_qp_attr *attr, const struct ib_qp_init_attr *init,
			struct ib_uverbs_query_qp_resp *resp)
{
	qp_describe_dest(&attr->ah_attr, &resp->dest);
	qp_describe_dest(&attr->alt_ah_attr, &resp->alt_dest);
	resp->max_send_wr = init->cap.max_send_wr;
	resp->max_recv_wr = init->cap.max_recv_wr;
	resp->max_send_sge = init->cap.max_send_sge;
	resp->max_recv_sge = init->cap.max_recv_sge;
	resp->max_inline_data = init->cap.max_inline_data;
	resp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	resp->qkey = attr->qkey;
	resp->rq_psn = attr->rq_psn;
	resp->sq_psn = attr->sq_psn;
	resp->dest_qp_num = attr->dest_qp_num;
	resp->qp_access_flags = attr->qp_access_flags;
	resp->pkey_index = attr->pkey_index;
	resp->alt_pkey_index = attr->alt_pkey_index;
	resp->qp_state = attr->qp_state;
	resp->cur_qp_state = attr->cur_qp_state;
	resp->path_mtu = attr->path_mtu;
	resp->path_mig_state = attr->path_mig_state;
	resp->sq_draining = attr->sq_draining;
	resp->max_rd_atomic = attr->max_rd_atomic;
	resp->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	resp->min_rnr_timer = attr->min_rnr_timer;
	resp->port_num = attr->port_num;
	resp->timeout = attr->timeout;
	resp->retry_cnt = attr->retry_cnt;
	resp->rnr_retry = attr->rnr_retry;
	resp->alt_port_num = attr->alt_port_num;
	resp->alt_timeout = attr->alt_timeout;
}

static int qp_query(struct uverbs_attr_bundle *attrs)
{
	struct {
		struct ib_qp_attr attr;
		struct ib_qp_init_attr init;
	} *found;
	struct ib_uverbs_query_qp_resp resp = {};
	struct ib_uverbs_query_qp cmd;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uverbs_call_qp(attrs, cmd.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	/* Too large for the stack. */
	found = kzalloc(sizeof(*found), GFP_KERNEL);
	if (!found)
		return -ENOMEM;
	ret = ib_query_qp(qp, &found->attr, cmd.attr_mask, &found->init);
	if (!ret)
		qp_describe(&found->attr, &found->init, &resp);
	kfree(found);
	return ret ? ret : uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int qp_destroy_write(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_qp_resp resp = {};
	struct ib_uverbs_destroy_qp cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_destroy(attrs, UVERBS_OBJECT_QP, cmd.qp_handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.events_reported = uverbs_objects_qp(uobj)->uevent.events_reported;
	return uverbs_call_done(uverbs_call_respond(attrs, &resp, sizeof(resp)));
}

static int UVERBS_HANDLER(UVERBS_METHOD_QP_DESTROY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_DESTROY_QP_HANDLE);
	struct ib_uverbs_destroy_qp_resp resp = {
		.events_reported = uverbs_objects_qp(uobj)->uevent.events_reported,
	};

	return uverbs_copy_to(attrs, UVERBS_ATTR_DESTROY_QP_RESP, &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QP_CREATE,
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_QP_HANDLE, UVERBS_OBJECT_QP, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, UVERBS_OBJECT_XRCD, UVERBS_ACCESS_READ,
			UA_OPTIONAL),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_OBJECT_PD, UVERBS_ACCESS_READ,
			UA_OPTIONAL),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UVERBS_OBJECT_SRQ, UVERBS_ACCESS_READ,
			UA_OPTIONAL),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UVERBS_OBJECT_CQ,
			UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, UVERBS_OBJECT_CQ,
			UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, UVERBS_OBJECT_RWQ_IND_TBL,
			UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE, UVERBS_ATTR_TYPE(u64),
			   UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_QP_CAP,
			   UVERBS_ATTR_STRUCT(struct ib_uverbs_qp_cap, max_inline_data),
			   UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_CREATE_QP_TYPE, enum ib_uverbs_qp_type, UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_CREATE_QP_FLAGS, enum ib_uverbs_qp_create_flags,
			     UA_OPTIONAL),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_QP_SOURCE_QPN, UVERBS_ATTR_TYPE(u32), UA_OPTIONAL),
	UVERBS_ATTR_FD(UVERBS_ATTR_CREATE_QP_EVENT_FD, UVERBS_OBJECT_ASYNC_EVENT,
		       UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP,
			    UVERBS_ATTR_STRUCT(struct ib_uverbs_qp_cap, max_inline_data),
			    UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QP_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_OBJECT_QP, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_DESTROY_QP_RESP,
			    UVERBS_ATTR_TYPE(struct ib_uverbs_destroy_qp_resp), UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(
	UVERBS_OBJECT_QP,
	UVERBS_TYPE_ALLOC_IDR_SZ(sizeof(struct ib_uqp_object), qp_destroy),
	&UVERBS_METHOD(UVERBS_METHOD_QP_CREATE), &UVERBS_METHOD(UVERBS_METHOD_QP_DESTROY));

const struct uapi_definition uverbs_qp_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_QP,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_CREATE_QP, qp_create_legacy,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_create_qp,
							  struct ib_uverbs_create_qp_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(create_qp)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_OPEN_QP, qp_open,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_open_qp,
							  struct ib_uverbs_create_qp_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(create_qp),
				     UAPI_DEF_METHOD_NEEDS_FN(alloc_xrcd)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_QUERY_QP, qp_query,
				     UVERBS_IO_RESP(struct ib_uverbs_query_qp,
						    struct ib_uverbs_query_qp_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(query_qp)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DESTROY_QP, qp_destroy_write,
				     UVERBS_IO_RESP(struct ib_uverbs_destroy_qp,
						    struct ib_uverbs_destroy_qp_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(destroy_qp)),
		DECLARE_UVERBS_WRITE_EX(IB_USER_VERBS_EX_CMD_CREATE_QP, qp_create_ex,
					UVERBS_IO_EX_RESP_UDATA(struct ib_uverbs_ex_create_qp,
								comp_mask,
								struct ib_uverbs_ex_create_qp_resp,
								response_length),
					UAPI_DEF_METHOD_NEEDS_FN(create_qp))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_QP, UAPI_DEF_OBJ_NEEDS_FN(destroy_qp)),
	UAPI_DEF_CHAIN(uverbs_qp_modify_defs),
	UAPI_DEF_CHAIN(uverbs_post_defs),
	{}
};
