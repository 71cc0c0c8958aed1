// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_qp_attr.c - attributes of queue pairs: modify, query, rate limit.
 *
 * Called by programs; a move to RESET empties the data half's rings (shca_qp.c).
 */
#include <errno.h>
#include <string.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

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

/* The whole limit or none of it: bursts and packet sizes are not shaped (G150). */
int shim_qp_set_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *limit)
{
	struct ibv_qp_attr attr = { .rate_limit = limit->rate_limit };

	if (limit->comp_mask)
		return shim_error_set(EINVAL);
	if (limit->max_burst_sz || limit->typical_pkt_sz)
		return shim_error_set(EOPNOTSUPP);
	return shim_error_set(command_modify(qp, &attr, IBV_QP_RATE_LIMIT));
}
