/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_objects.h - the RDMA objects of a ping-pong program: made, connected, destroyed. */
#ifndef PP_OBJECTS_H
#define PP_OBJECTS_H

#include "pp_memory.h"
#include "pp_sock.h"

#define PP_QKEY		0x11111111

struct pp {
	const struct pp_kind *kind;
	struct pp_options o;
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct pp_memory memory;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;	/* the same, with timestamps */
	struct ibv_srq *srq;
	struct ibv_ah *ah;
	struct ibv_qp *qp[PP_MAX_QPS];
	struct pp_dest mine[PP_MAX_QPS], theirs[PP_MAX_QPS];
};

static inline int pp_modify(struct ibv_qp *qp, struct ibv_qp_attr attr, int mask)
{
	return ibv_modify_qp(qp, &attr, mask | IBV_QP_STATE);
}

static inline struct ibv_qp *pp_create_qp(struct pp *p)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = p->cq, .recv_cq = p->cq, .srq = p->srq, .qp_type = p->kind->type,
		.cap = { .max_send_wr = 1, .max_recv_wr = p->srq ? 0 : p->o.rx_depth,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.pd = p->pd, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	if (p->o.new_send)
		return ibv_create_qp_ex(p->context, &init);
	/* The extended struct begins with the plain one. */
	return ibv_create_qp(p->pd, (struct ibv_qp_init_attr *)&init);
}

static inline bool pp_make_qp(struct pp *p, unsigned int i)
{
	bool ud = p->kind->type == IBV_QPT_UD;

	p->qp[i] = pp_create_qp(p);
	if (!p->qp[i])
		return pp_fail("create QP");
	errno = pp_modify(p->qp[i], (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT,
			  .port_num = (uint8_t)p->o.ib_port, .qkey = PP_QKEY },
			  IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
	return errno ? pp_fail("QP to INIT") : true;
}

static inline bool pp_make_cq(struct pp *p)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = p->o.rx_depth + p->o.qps, .channel = p->channel,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_QP_NUM,
	};
	struct ibv_device_attr_ex attr;

	if (!p->o.timestamps) {
		p->cq = ibv_create_cq(p->context, (int)init.cqe, NULL, p->channel, 0);
		return p->cq ? true : pp_fail("create CQ");
	}
	errno = ibv_query_device_ex(p->context, NULL, &attr);
	if (errno)
		return pp_fail("query device");
	if (!attr.completion_timestamp_mask)
		return pp_no("timestamps of completions");
	p->cq_ex = ibv_create_cq_ex(p->context, &init);
	if (!p->cq_ex)
		return pp_fail("create CQ with timestamps");
	p->cq = ibv_cq_ex_to_cq(p->cq_ex);
	return true;
}

static inline bool pp_make(struct pp *p)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = p->o.rx_depth, .max_sge = 1 } };
	unsigned int i;

	p->context = find_device_open(p->o.device);
	if (!p->context)
		return false;
	if (p->o.events && !(p->channel = ibv_create_comp_channel(p->context)))
		return pp_fail("create channel");
	if (!(p->pd = ibv_alloc_pd(p->context)))
		return pp_fail("allocate PD");
	if (!pp_memory_make(&p->memory, p->context, p->pd, &p->o, p->kind->type == IBV_QPT_UD) ||
	    !pp_make_cq(p))
		return false;
	if (p->kind->srq && !(p->srq = ibv_create_srq(p->pd, &srq)))
		return pp_fail("create SRQ");
	for (i = 0; i < p->o.qps; i++)
		if (!pp_make_qp(p, i))
			return false;
	return true;
}

static inline struct ibv_ah_attr pp_address(const struct pp_options *o, const struct pp_dest *to)
{
	struct ibv_ah_attr attr = {
		.dlid = (uint16_t)to->lid, .sl = (uint8_t)o->sl,
		.port_num = (uint8_t)o->ib_port, .is_global = o->gid_index >= 0,
	};

	if (attr.is_global) {
		attr.grh.dgid = to->gid;
		attr.grh.sgid_index = (uint8_t)o->gid_index;
		attr.grh.hop_limit = 64;
	}
	return attr;
}

static inline bool pp_connect_qp(struct pp *p, unsigned int i)
{
	bool ud = p->kind->type == IBV_QPT_UD, rc = p->kind->type == IBV_QPT_RC;
	struct ibv_ah_attr address = pp_address(&p->o, &p->theirs[i]);
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = p->o.mtu, .dest_qp_num = p->theirs[i].qpn,
		.rq_psn = p->theirs[i].psn, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = address,
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .sq_psn = p->mine[i].psn, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1,
	};

	errno = pp_modify(p->qp[i], rtr, ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN |
			  (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0));
	if (errno)
		return pp_fail("QP to RTR");
	errno = pp_modify(p->qp[i], rts, IBV_QP_SQ_PSN | (rc ? IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0));
	if (errno)
		return pp_fail("QP to RTS");
	if (ud && !(p->ah = ibv_create_ah(p->pd, &address)))
		return pp_fail("create AH");
	return true;
}

static inline bool pp_unmake(struct pp *p)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < p->o.qps; i++)
		ok &= !p->qp[i] || !ibv_destroy_qp(p->qp[i]);
	ok &= !p->srq || !ibv_destroy_srq(p->srq);
	ok &= !p->cq || !ibv_destroy_cq(p->cq);
	ok &= !p->ah || !ibv_destroy_ah(p->ah);
	ok &= pp_memory_unmake(&p->memory);
	ok &= !p->pd || !ibv_dealloc_pd(p->pd);
	ok &= !p->channel || !ibv_destroy_comp_channel(p->channel);
	ok &= !p->context || !ibv_close_device(p->context);
	return ok;
}

#endif
