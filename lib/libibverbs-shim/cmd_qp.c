// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_qp.c - queue pairs: create, modify, query, destroy.
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
	struct ib_uverbs_qp_cap cap = {
		.max_send_wr = attr->cap.max_send_wr,
		.max_recv_wr = attr->cap.max_recv_wr,
		.max_send_sge = attr->cap.max_send_sge,
		.max_recv_sge = attr->cap.max_recv_sge,
		.max_inline_data = attr->cap.max_inline_data,
	}, resp = { .max_send_wr = 0 };
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, qp->context, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	made = shim_ioctl_new(&cmd, UVERBS_ATTR_CREATE_QP_HANDLE);
	shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_PD_HANDLE, attr->pd->handle);
	if (attr->srq)
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, attr->srq->handle);
	shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, attr->send_cq->handle);
	shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, attr->recv_cq->handle);
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
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
			       IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (attr->comp_mask & ~known)
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) && attr->create_flags)
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd || !attr->send_cq ||
	    !attr->recv_cq)
		return EINVAL;
	if (attr->pd->context != context || attr->send_cq->context != context ||
	    attr->recv_cq->context != context || (attr->srq && attr->srq->context != context))
		return EINVAL;
	/* An SRQ serves RC and UD (C170, G027). */
	if (attr->srq && attr->qp_type == IBV_QPT_UC)
		return EINVAL;
	return 0;
}

static void fill_qp(struct ibv_qp *qp, struct ibv_context *context,
		    const struct ibv_qp_init_attr_ex *attr)
{
	qp->context = context;
	qp->qp_context = attr->qp_context;
	qp->pd = attr->pd;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
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
	if (shim_pd(attr->pd)->parent)
		__atomic_add_fetch(&shim_pd(attr->pd)->users, 1, __ATOMIC_RELAXED);
	attr->cap = granted;
	return qp;

out_destroy:
	command_destroy(qp, &resp);
out_free:
	shca_qp_free(qp);
	errno = err;
	return NULL;
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

static void fill_dest(struct ib_uverbs_qp_dest *d, const struct ibv_ah_attr *a)
{
	memcpy(d->dgid, a->grh.dgid.raw, sizeof(d->dgid));
	d->flow_label = a->grh.flow_label;
	d->dlid = a->dlid;
	d->sgid_index = a->grh.sgid_index;
	d->hop_limit = a->grh.hop_limit;
	d->traffic_class = a->grh.traffic_class;
	d->sl = a->sl;
	d->src_path_bits = a->src_path_bits;
	d->static_rate = a->static_rate;
	d->is_global = a->is_global;
	d->port_num = a->port_num;
}

static void fill_modify(struct ib_uverbs_modify_qp *m, const struct ibv_qp_attr *a, uint32_t mask)
{
	if (mask & IBV_QP_AV)
		fill_dest(&m->dest, &a->ah_attr);
	if (mask & IBV_QP_ALT_PATH)
		fill_dest(&m->alt_dest, &a->alt_ah_attr);
	m->attr_mask = mask;
	m->qkey = a->qkey;
	m->rq_psn = a->rq_psn;
	m->sq_psn = a->sq_psn;
	m->dest_qp_num = a->dest_qp_num;
	m->qp_access_flags = a->qp_access_flags;
	m->pkey_index = a->pkey_index;
	m->alt_pkey_index = a->alt_pkey_index;
	m->qp_state = (uint8_t)a->qp_state;
	m->cur_qp_state = (uint8_t)a->cur_qp_state;
	m->path_mtu = (uint8_t)a->path_mtu;
	m->path_mig_state = (uint8_t)a->path_mig_state;
	m->en_sqd_async_notify = a->en_sqd_async_notify;
	m->max_rd_atomic = a->max_rd_atomic;
	m->max_dest_rd_atomic = a->max_dest_rd_atomic;
	m->min_rnr_timer = a->min_rnr_timer;
	m->port_num = a->port_num;
	m->timeout = a->timeout;
	m->retry_cnt = a->retry_cnt;
	m->rnr_retry = a->rnr_retry;
	m->alt_port_num = a->alt_port_num;
	m->alt_timeout = a->alt_timeout;
}

/* The rate limit exists in the extended command only; else the older one says it all. */
static int command_modify(struct ibv_qp *qp, const struct ibv_qp_attr *attr, uint32_t mask)
{
	struct ib_uverbs_ex_modify_qp req;
	struct ib_uverbs_ex_modify_qp_resp resp = { .comp_mask = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_MODIFY_QP,
		.in = &req, .in_len = sizeof(req.base),
	};

	memset(&req, 0, sizeof(req));
	fill_modify(&req.base, attr, mask);
	req.base.qp_handle = qp->handle;
	if (mask & IBV_QP_RATE_LIMIT) {
		req.rate_limit = attr->rate_limit;
		cmd.command = IB_USER_VERBS_EX_CMD_MODIFY_QP | IB_USER_VERBS_CMD_FLAG_EXTENDED;
		cmd.in_len = sizeof(req);
		cmd.out = &resp;
		cmd.out_len = sizeof(resp);
	}
	return shim_ioctl_write(qp->context, &cmd, NULL);
}

/*
 * Values that the command has no room for (its fields are bytes) must not be cut down to other,
 * valid ones.
 */
static bool modify_fits(const struct ibv_qp_attr *a, int mask)
{
	return !((mask & IBV_QP_STATE) && (unsigned int)a->qp_state > IBV_QPS_ERR) &&
	       !((mask & IBV_QP_CUR_STATE) && (unsigned int)a->cur_qp_state > IBV_QPS_ERR) &&
	       !((mask & IBV_QP_PATH_MTU) && (unsigned int)a->path_mtu > IBV_MTU_4096) &&
	       !((mask & IBV_QP_PATH_MIG_STATE) &&
		 (unsigned int)a->path_mig_state > IBV_MIG_ARMED);
}

SHIM_EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	int err;

	if (!modify_fits(attr, attr_mask))
		return shim_error_set(EINVAL);
	err = command_modify(qp, attr, (uint32_t)attr_mask);
	if (err)
		return shim_error_set(err);
	if (attr_mask & IBV_QP_STATE) {
		qp->state = attr->qp_state;
		if (attr->qp_state == IBV_QPS_RESET)
			shca_qp_reset(qp);
	}
	return 0;
}

static void read_dest(struct ibv_ah_attr *a, const struct ib_uverbs_qp_dest *d)
{
	memcpy(a->grh.dgid.raw, d->dgid, sizeof(d->dgid));
	a->grh.flow_label = d->flow_label;
	a->dlid = d->dlid;
	a->grh.sgid_index = d->sgid_index;
	a->grh.hop_limit = d->hop_limit;
	a->grh.traffic_class = d->traffic_class;
	a->sl = d->sl;
	a->src_path_bits = d->src_path_bits;
	a->static_rate = d->static_rate;
	a->is_global = d->is_global;
	a->port_num = d->port_num;
}

static void read_query(struct ibv_qp_attr *a, const struct ib_uverbs_query_qp_resp *r)
{
	memset(a, 0, sizeof(*a));
	a->qp_state = r->qp_state;
	a->cur_qp_state = r->cur_qp_state;
	a->path_mtu = r->path_mtu;
	a->path_mig_state = r->path_mig_state;
	a->qkey = r->qkey;
	a->rq_psn = r->rq_psn;
	a->sq_psn = r->sq_psn;
	a->dest_qp_num = r->dest_qp_num;
	a->qp_access_flags = r->qp_access_flags;
	a->cap.max_send_wr = r->max_send_wr;
	a->cap.max_recv_wr = r->max_recv_wr;
	a->cap.max_send_sge = r->max_send_sge;
	a->cap.max_recv_sge = r->max_recv_sge;
	a->cap.max_inline_data = r->max_inline_data;
	read_dest(&a->ah_attr, &r->dest);
	read_dest(&a->alt_ah_attr, &r->alt_dest);
	a->pkey_index = r->pkey_index;
	a->alt_pkey_index = r->alt_pkey_index;
	a->sq_draining = r->sq_draining;
	a->max_rd_atomic = r->max_rd_atomic;
	a->max_dest_rd_atomic = r->max_dest_rd_atomic;
	a->min_rnr_timer = r->min_rnr_timer;
	a->port_num = r->port_num;
	a->timeout = r->timeout;
	a->retry_cnt = r->retry_cnt;
	a->rnr_retry = r->rnr_retry;
	a->alt_port_num = r->alt_port_num;
	a->alt_timeout = r->alt_timeout;
}

SHIM_EXPORT int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
			     struct ibv_qp_init_attr *init_attr)
{
	struct ib_uverbs_query_qp req = {
		.qp_handle = qp->handle,
		.attr_mask = (uint32_t)attr_mask,
	};
	struct ib_uverbs_query_qp_resp resp;
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_QP,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	int err;

	memset(&resp, 0, sizeof(resp));
	err = shim_ioctl_write(qp->context, &cmd, NULL);
	if (err)
		return shim_error_set(err);
	read_query(attr, &resp);
	memset(init_attr, 0, sizeof(*init_attr));
	init_attr->qp_context = qp->qp_context;
	init_attr->send_cq = qp->send_cq;
	init_attr->recv_cq = qp->recv_cq;
	init_attr->srq = qp->srq;
	init_attr->cap = attr->cap;
	init_attr->qp_type = qp->qp_type;
	init_attr->sq_sig_all = resp.sq_sig_all;
	if (attr_mask & IBV_QP_STATE)
		qp->state = attr->qp_state;
	return 0;
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
	if (shim_pd(qp->pd)->parent)
		__atomic_sub_fetch(&shim_pd(qp->pd)->users, 1, __ATOMIC_RELAXED);
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
