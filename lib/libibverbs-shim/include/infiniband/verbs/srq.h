/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* srq.h - part of <infiniband/verbs.h>: shared receive queues. */
#ifndef INFINIBAND_VERBS_SRQ_H
#define INFINIBAND_VERBS_SRQ_H

#include <infiniband/verbs/base.h>

enum ibv_srq_attr_mask {
	IBV_SRQ_MAX_WR = 1 << 0,	/* resize */
	IBV_SRQ_LIMIT = 1 << 1,	/* arm the limit event */
};

struct ibv_srq_attr {
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t srq_limit;	/* one event when fewer are posted; 0: not armed */
};

struct ibv_srq_init_attr {
	void *srq_context;
	struct ibv_srq_attr attr;
};

enum ibv_srq_type {
	IBV_SRQT_BASIC,
	IBV_SRQT_XRC,
	IBV_SRQT_TM,
};

enum ibv_srq_init_attr_mask {
	IBV_SRQ_INIT_ATTR_TYPE = 1 << 0,
	IBV_SRQ_INIT_ATTR_PD = 1 << 1,
	IBV_SRQ_INIT_ATTR_XRCD = 1 << 2,
	IBV_SRQ_INIT_ATTR_CQ = 1 << 3,
	IBV_SRQ_INIT_ATTR_TM = 1 << 4,
	IBV_SRQ_INIT_ATTR_RESERVED = 1 << 5,
};

struct ibv_tm_cap {
	uint32_t max_num_tags;
	uint32_t max_ops;
};

struct ibv_srq_init_attr_ex {
	void *srq_context;
	struct ibv_srq_attr attr;
	uint32_t comp_mask;	/* enum ibv_srq_init_attr_mask */
	enum ibv_srq_type srq_type;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;
	struct ibv_cq *cq;
	struct ibv_tm_cap tm_cap;
};

struct ibv_srq {
	struct ibv_context *context;
	void *srq_context;
	struct ibv_pd *pd;
	uint32_t handle;
	pthread_mutex_t mutex;	/* guards the count below */
	pthread_cond_t cond;
	uint32_t events_completed;	/* acknowledged events */
};

/* pointer; attr.max_wr and attr.max_sge are raised to what was granted. */
struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr);

/* errno; nothing changes on failure. srq_attr_mask: enum ibv_srq_attr_mask */
int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask);

/* errno */
int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr);

/* errno: EBUSY while a QP uses it. */
int ibv_destroy_srq(struct ibv_srq *srq);

#endif
