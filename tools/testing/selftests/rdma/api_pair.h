/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two connected QPs, a and b, each with its own CQ, for tests of what requests do. Options that
 * stay zero mean what most tests want.
 */
#ifndef SELFTEST_API_PAIR_H
#define SELFTEST_API_PAIR_H

#include "fixture.h"

#define PAIR_DEPTH	16

struct pair_options {
	enum ibv_qp_type type;	/* 0: RC */
	struct ibv_qp_cap cap;	/* zero members: 16 requests of 4 elements */
	int sig_all;
	struct ibv_srq *srq;	/* b's */
	int min_rnr_timer;
	int rnr_retry;		/* -1: none; 0: seven, without end */
	int max_rd_atomic;	/* -1: none; 0: four */
	int max_dest_rd_atomic;	/* likewise */
	int access;		/* for the peer; -1: none; 0: everything */
	enum ibv_mtu mtu;	/* 0: 1024 */
	int cqe;		/* 0: 64 */
};

struct pair {
	struct fixture *f;
	struct pair_options o;
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2];
};

#define A 0
#define B 1

FIXTURE static int pair_value(int option, int usual)
{
	return option < 0 ? 0 : option ? option : usual;
}

FIXTURE static struct ibv_qp *pair_create_qp(struct pair *p, int side)
{
	struct ibv_qp_init_attr init = {
		.send_cq = p->cq[side], .recv_cq = p->cq[side],
		.srq = side == B ? p->o.srq : NULL,
		.qp_type = p->o.type ? p->o.type : IBV_QPT_RC, .cap = p->o.cap,
		.sq_sig_all = p->o.sig_all,
	};

	if (!init.cap.max_send_wr)
		init.cap.max_send_wr = PAIR_DEPTH;
	if (!init.cap.max_recv_wr)
		init.cap.max_recv_wr = PAIR_DEPTH;
	if (!init.cap.max_send_sge)
		init.cap.max_send_sge = 4;
	if (!init.cap.max_recv_sge)
		init.cap.max_recv_sge = 4;
	return ibv_create_qp(p->f->pd, &init);
}

FIXTURE static int pair_to_init(struct pair *p, int side)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = FIXTURE_PORT, .qkey = FIXTURE_QKEY,
		.qp_access_flags = pair_value(p->o.access, FIXTURE_ALL_ACCESS),
	};

	return ibv_modify_qp(p->qp[side], &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (p->o.type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

FIXTURE static int pair_to_rtr(struct pair *p, int side)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = p->o.mtu ? p->o.mtu : IBV_MTU_1024,
		.dest_qp_num = p->qp[!side]->qp_num, .rq_psn = side ? 0xfffff0 : 100,
		.max_dest_rd_atomic = pair_value(p->o.max_dest_rd_atomic, 4),
		.min_rnr_timer = p->o.min_rnr_timer ? p->o.min_rnr_timer : 1,
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			     .grh = { .dgid = p->f->gid, .sgid_index = p->f->gid_index,
				      .hop_limit = 64 } },
	};

	if (p->o.type == IBV_QPT_UD)
		return ibv_modify_qp(p->qp[side], &attr, IBV_QP_STATE);
	return ibv_modify_qp(p->qp[side], &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			     IBV_QP_RQ_PSN |
			     (p->o.type == IBV_QPT_UC ? 0 :
			      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
}

FIXTURE static int pair_to_rts(struct pair *p, int side)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .sq_psn = side ? 100 : 0xfffff0, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = pair_value(p->o.rnr_retry, 7),
		.max_rd_atomic = pair_value(p->o.max_rd_atomic, 4),
	};

	return ibv_modify_qp(p->qp[side], &attr,
			     IBV_QP_STATE | IBV_QP_SQ_PSN |
			     (p->o.type == IBV_QPT_UC || p->o.type == IBV_QPT_UD ? 0 :
			      IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_MAX_QP_RD_ATOMIC));
}

FIXTURE static void pair_connect(struct pair *p)
{
	int side;

	for (side = A; side <= B; side++)
		if (pair_to_init(p, side) || pair_to_rtr(p, side) || pair_to_rts(p, side))
			tap_bail("connect QP");
}

FIXTURE static void pair_open(struct pair *p, struct fixture *f, const struct pair_options *o)
{
	int side;

	memset(p, 0, sizeof(*p));
	p->f = f;
	if (o)
		p->o = *o;
	for (side = A; side <= B; side++) {
		p->cq[side] = ibv_create_cq(f->ctx, p->o.cqe ? p->o.cqe : 64, NULL, NULL, 0);
		if (!p->cq[side])
			tap_bail("create CQ");
		p->qp[side] = pair_create_qp(p, side);
		if (!p->qp[side])
			tap_bail("create QP");
	}
	pair_connect(p);
}

FIXTURE static void pair_close(struct pair *p)
{
	int side;

	for (side = A; side <= B; side++)
		if (ibv_destroy_qp(p->qp[side]) || ibv_destroy_cq(p->cq[side]))
			tap_ok(false, "the pair can be destroyed");
}

#endif
