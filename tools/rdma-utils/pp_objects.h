/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_objects.h - the RDMA objects of a ping-pong program: made, connected, destroyed. */
#ifndef PP_OBJECTS_H
#define PP_OBJECTS_H

#include "find_device.h"
#include "pp_sock.h"

#define PP_QKEY		0x11111111
#define PP_GRH_BYTES	40

struct pp {
	const struct pp_kind *kind;
	struct pp_options o;
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_ah *ah;
	struct ibv_qp *qp[PP_MAX_QPS];
	struct pp_dest mine[PP_MAX_QPS], theirs[PP_MAX_QPS];
	char *buf;		/* what arrives, after it what is sent */
	size_t recv_bytes;
};

static inline bool pp_fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return false;
}

static inline int pp_modify(struct ibv_qp *qp, struct ibv_qp_attr attr, int mask)
{
	return ibv_modify_qp(qp, &attr, mask | IBV_QP_STATE);
}

static inline bool pp_make_qp(struct pp *p, unsigned int i)
{
	struct ibv_qp_init_attr init = {
		.send_cq = p->cq, .recv_cq = p->cq, .srq = p->srq, .qp_type = p->kind->type,
		.cap = { .max_send_wr = 1, .max_recv_wr = p->o.rx_depth, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	bool ud = p->kind->type == IBV_QPT_UD;

	p->qp[i] = ibv_create_qp(p->pd, &init);
	if (!p->qp[i])
		return pp_fail("create QP");
	errno = pp_modify(p->qp[i], (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT,
			  .port_num = (uint8_t)p->o.ib_port, .qkey = PP_QKEY },
			  IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
	return errno ? pp_fail("QP to INIT") : true;
}

static inline bool pp_make(struct pp *p)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = p->o.rx_depth, .max_sge = 1 } };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes;
	unsigned int i;

	p->recv_bytes = p->o.size + (p->kind->type == IBV_QPT_UD ? PP_GRH_BYTES : 0);
	p->recv_bytes = (p->recv_bytes + 63) & ~(size_t)63;
	bytes = (p->recv_bytes + p->o.size + page - 1) & ~(page - 1);
	p->buf = aligned_alloc(page, bytes);
	p->context = find_device_open(p->o.device);
	if (!p->buf || !p->context)
		return false;
	memset(p->buf, 0x7b, bytes);
	if (p->o.events && !(p->channel = ibv_create_comp_channel(p->context)))
		return pp_fail("create channel");
	if (!(p->pd = ibv_alloc_pd(p->context)))
		return pp_fail("allocate PD");
	if (!(p->mr = ibv_reg_mr(p->pd, p->buf, bytes, IBV_ACCESS_LOCAL_WRITE)))
		return pp_fail("register memory");
	if (!(p->cq = ibv_create_cq(p->context, (int)(p->o.rx_depth + p->o.qps), NULL,
				    p->channel, 0)))
		return pp_fail("create CQ");
	if (p->kind->srq && !(p->srq = ibv_create_srq(p->pd, &srq)))
		return pp_fail("create SRQ");
	for (i = 0; i < p->o.qps; i++)
		if (!pp_make_qp(p, i))
			return false;
	return true;
}

static inline struct ibv_ah_attr pp_address(const struct pp *p, const struct pp_dest *to)
{
	struct ibv_ah_attr attr = {
		.dlid = (uint16_t)to->lid, .sl = (uint8_t)p->o.sl,
		.port_num = (uint8_t)p->o.ib_port, .is_global = p->o.gid_index >= 0,
	};

	if (attr.is_global) {
		attr.grh.dgid = to->gid;
		attr.grh.sgid_index = (uint8_t)p->o.gid_index;
		attr.grh.hop_limit = 64;
	}
	return attr;
}

static inline bool pp_connect_qp(struct pp *p, unsigned int i)
{
	bool ud = p->kind->type == IBV_QPT_UD, rc = p->kind->type == IBV_QPT_RC;
	struct ibv_ah_attr address = pp_address(p, &p->theirs[i]);
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
	ok &= !p->mr || !ibv_dereg_mr(p->mr);
	ok &= !p->pd || !ibv_dealloc_pd(p->pd);
	ok &= !p->channel || !ibv_destroy_comp_channel(p->channel);
	ok &= !p->context || !ibv_close_device(p->context);
	free(p->buf);
	return ok;
}

#endif
