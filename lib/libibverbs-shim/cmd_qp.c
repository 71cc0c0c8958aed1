// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_qp.c - queue pairs: create, open, destroy; cmd_qp_attr.c modifies and queries them.
 *
 * Called by programs; the rings are the data half's (shca_qp.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

static int command_create(struct ibv_qp *qp, const struct ibv_qp_init_attr_ex *attr,
			  struct ibv_qp_cap *granted, const struct shim_udata *udata)
{
	bool receives = qp->recv_cq && !qp->srq;
	struct ib_uverbs_qp_cap cap = {
		.max_send_wr = attr->cap.max_send_wr,
		.max_recv_wr = receives ? attr->cap.max_recv_wr : 0,
		.max_send_sge = attr->cap.max_send_sge,
		.max_recv_sge = receives ? attr->cap.max_recv_sge : 0,
		.max_inline_data = attr->cap.max_inline_data,
	}, resp = { .max_send_wr = 0 };
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, qp->context, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	made = shim_ioctl_new(&cmd, UVERBS_ATTR_CREATE_QP_HANDLE);
	if (qp->pd)
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_PD_HANDLE, qp->pd->handle);
	else
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE,
				  shim_xrcd(attr->xrcd)->handle);
	if (qp->srq)
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, qp->srq->handle);
	if (qp->send_cq)
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
				  qp->send_cq->handle);
	if (qp->recv_cq)
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
				  qp->recv_cq->handle);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_CREATE_QP_USER_HANDLE, (uintptr_t)qp);
	shim_ioctl_in(&cmd, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_CREATE_QP_TYPE, attr->qp_type);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_CREATE_QP_FLAGS,
			  attr->sq_sig_all ? IB_UVERBS_QP_CREATE_SQ_SIG_ALL : 0);
	shim_ioctl_fd(&cmd, UVERBS_ATTR_CREATE_QP_EVENT_FD, qp->context->async_fd);
	shim_ioctl_out(&cmd, UVERBS_ATTR_CREATE_QP_RESP_CAP, &resp, sizeof(resp));
	shim_ioctl_out(&cmd, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qp->qp_num, sizeof(qp->qp_num));
	shim_ioctl_udata(&cmd, udata);
	err = shim_ioctl_run(&cmd);
	qp->handle = shim_ioctl_made(made);
	granted->max_send_wr = resp.max_send_wr;
	granted->max_recv_wr = resp.max_recv_wr;
	granted->max_send_sge = resp.max_send_sge;
	granted->max_recv_sge = resp.max_recv_sge;
	granted->max_inline_data = resp.max_inline_data;
	return err;
}

static int command_destroy(struct ibv_qp *qp, struct ib_uverbs_destroy_qp_resp *resp)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, UVERBS_ATTR_DESTROY_QP_HANDLE,
		UVERBS_ATTR_DESTROY_QP_RESP,
	};

	return shim_ioctl_destroy(qp->context, &what, qp->handle, resp, sizeof(*resp));
}

/* What the kernel would refuse as well, but only after following pointers that are not there. */
static int check_attr(struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD |
			       IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (attr->comp_mask & ~known)
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) && attr->create_flags)
		return EOPNOTSUPP;
	if (attr->qp_type == IBV_QPT_XRC_RECV)
		return (attr->comp_mask & IBV_QP_INIT_ATTR_XRCD) && attr->xrcd &&
		       attr->xrcd->context == context ? 0 : EINVAL;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd || !attr->send_cq ||
	    attr->pd->context != context || attr->send_cq->context != context)
		return EINVAL;
	if (attr->qp_type == IBV_QPT_XRC_SEND)
		return 0;
	if (!attr->recv_cq || attr->recv_cq->context != context ||
	    (attr->srq && attr->srq->context != context))
		return EINVAL;
	/* An SRQ serves RC and UD (C170, G027). */
	if (attr->srq && attr->qp_type == IBV_QPT_UC)
		return EINVAL;
	return 0;
}

/* Only what the type has: the others are ignored (C262), and may be anything. */
static void fill_qp(struct ibv_qp *qp, struct ibv_context *context,
		    const struct ibv_qp_init_attr_ex *attr)
{
	bool sends = attr->qp_type != IBV_QPT_XRC_RECV;
	bool receives = sends && attr->qp_type != IBV_QPT_XRC_SEND;

	qp->context = context;
	qp->qp_context = attr->qp_context;
	qp->pd = sends ? attr->pd : NULL;
	qp->send_cq = sends ? attr->send_cq : NULL;
	qp->recv_cq = receives ? attr->recv_cq : NULL;
	qp->srq = receives ? attr->srq : NULL;
	qp->qp_type = attr->qp_type;
	qp->state = IBV_QPS_RESET;
	shim_events_init(&qp->mutex, &qp->cond);
}

struct ibv_qp *shim_qp_create_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct ib_uverbs_destroy_qp_resp resp;
	struct shim_udata udata = { .in = NULL };
	struct ibv_qp_cap granted;
	struct ibv_qp *qp;
	int err;

	err = check_attr(context, attr);
	if (err) {
		errno = err;
		return NULL;
	}
	qp = shca_qp_alloc(shim_context(context), attr, &udata);
	if (!qp)
		return NULL;
	fill_qp(qp, context, attr);
	err = command_create(qp, attr, &granted, &udata);
	if (err)
		goto out_free;
	err = shca_qp_start(qp, &granted, attr->sq_sig_all);
	if (err)
		goto out_destroy;
	attr->cap = granted;
	return qp;

out_destroy:
	command_destroy(qp, &resp);
out_free:
	shca_qp_free(qp);
	errno = err;
	return NULL;
}

static int command_open(struct ibv_qp *qp, uint32_t xrcd_handle, uint32_t qpn)
{
	struct ib_uverbs_open_qp req = {
		.user_handle = (uintptr_t)qp,
		.pd_handle = xrcd_handle,
		.qpn = qpn,
		.qp_type = (uint8_t)qp->qp_type,
	};
	struct ib_uverbs_create_qp_resp resp = { .qp_handle = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_OPEN_QP,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	int err = shim_ioctl_write(qp->context, &cmd, NULL);

	qp->handle = resp.qp_handle;
	qp->qp_num = resp.qpn;
	return err;
}

/* One more reference to a receive QP of an XRC domain, wherever it was made (G138). */
struct ibv_qp *shim_qp_open(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	const uint32_t needed = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
				IBV_QP_OPEN_ATTR_TYPE;
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_RECV };
	struct shim_udata udata = { .in = NULL };
	struct ibv_qp *qp;
	int err = 0;

	if (attr->comp_mask & ~(needed | IBV_QP_OPEN_ATTR_CONTEXT))
		err = EOPNOTSUPP;
	else if ((attr->comp_mask & needed) != needed || attr->qp_type != IBV_QPT_XRC_RECV ||
		 !attr->xrcd || attr->xrcd->context != context)
		err = EINVAL;
	if (shim_error_set(err))
		return NULL;
	if (attr->comp_mask & IBV_QP_OPEN_ATTR_CONTEXT)
		init.qp_context = attr->qp_context;
	qp = shca_qp_alloc(shim_context(context), &init, &udata);
	if (!qp)
		return NULL;
	fill_qp(qp, context, &init);
	err = command_open(qp, shim_xrcd(attr->xrcd)->handle, attr->qp_num);
	if (shim_error_set(err)) {
		shca_qp_free(qp);
		return NULL;
	}
	return qp;
}

SHIM_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = { .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd };
	struct ibv_qp *qp;

	_Static_assert(offsetof(struct ibv_qp_init_attr_ex, sq_sig_all) ==
		       offsetof(struct ibv_qp_init_attr, sq_sig_all), "one begins with the other");
	memcpy(&ex, attr, offsetof(struct ibv_qp_init_attr, sq_sig_all) + sizeof(int));
	qp = shim_qp_create_ex(pd->context, &ex);
	if (qp)
		attr->cap = ex.cap;
	return qp;
}

/* EBUSY while a multicast group is attached; waits for acknowledgements (C161, C173). */
SHIM_EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct ib_uverbs_destroy_qp_resp resp;
	int err;

	shca_qp_stop_begin(qp);
	err = command_destroy(qp, &resp);
	shca_qp_stop_end(qp, !err);
	if (err)
		return shim_error_set(err);
	shim_events_wait(&qp->mutex, &qp->cond, &qp->events_completed, resp.events_reported);
	shca_qp_free(qp);
	return 0;
}

/* 0: nothing is promised beyond what the man page lets every program rely on (G106). */
SHIM_EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op,
					   uint32_t flags)
{
	(void)qp;
	(void)op;
	(void)flags;
	return 0;
}
