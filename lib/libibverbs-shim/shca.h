/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shca.h - the data half: queues of the shca driver in user memory.
 *
 * Members are grouped by who writes them; groups that different threads write stand on different
 * cache lines.  The kernel trusts nothing in the rings, and we trust what it writes there: a
 * process that scribbles over its rings only confuses itself.
 */
#ifndef SHCA_H
#define SHCA_H

#include <rdma/shca-abi.h>
#include "shca_map.h"
#include "shca_ring.h"
#include "shim.h"

#define SHCA_ALIGNED __attribute__((aligned(SHCA_CACHE_LINE)))

/* QP numbers have 24 bits: a table of tables, the lower ones made on demand. */
#define SHCA_QPN_LEAF_BITS 12
#define SHCA_QPN_LEAF_SIZE (1U << SHCA_QPN_LEAF_BITS)
#define SHCA_QPN_LEAVES	   (1U << (24 - SHCA_QPN_LEAF_BITS))

struct shca_qp;

struct shca_leaf {
	struct shca_qp *qp[SHCA_QPN_LEAF_SIZE];
};

struct shca_context {
	int cmd_fd;		/* borrowed from the ibv_context */
	int doorbell_fd;	/* -1: none yet */
	struct shca_map doorbell_page;
	struct shca_alloc_ucontext_resp resp;
	/*
	 * Written under qp_mutex; pollers read it under the lock of a CQ that the QP completes
	 * on, and a QP leaves it under the locks of both its CQs.
	 */
	pthread_mutex_t qp_mutex;
	struct shca_leaf *leaves[SHCA_QPN_LEAVES];
};

/* A send or receive queue. */
struct shca_queue {
	uint8_t *ring;		/* entry 0 */
	uint32_t mask;		/* entries - 1 */
	uint32_t stride;	/* bytes */
	uint32_t max_wr;	/* granted: so many may be outstanding */
	uint32_t max_sge;	/* granted, per work request */
	struct shca_lock lock;	/* protects head, tail_seen and the ring's free entries */
	uint32_t head;		/* published work requests */
	uint32_t tail_seen;	/* some earlier value of tail */
	/* Completed work requests; written by who polls the CQ, under its lock. */
	uint32_t tail SHCA_ALIGNED;
};

/* The request that the ibv_wr_* functions are building. */
struct shca_builder {
	struct shca_send_wqe *wqe;	/* NULL: none open */
	uint32_t head;			/* where wr_start found it; wr_abort goes back there */
	uint32_t next;			/* count after the open request */
	int err;			/* the first error since wr_start */
};

/* What a send request says of its target beyond address and key. */
enum shca_target {
	SHCA_TARGET_PEER,	/* nothing: the QP is connected */
	SHCA_TARGET_UD,
	SHCA_TARGET_XRC,
};

struct shca_qp {
	union {
		struct ibv_qp ibv;
		struct ibv_qp_ex ex;
	};
	struct shca_context *hw;
	struct shca_qp_shared *shared;
	int doorbell_fd;
	uint32_t opcodes;	/* bit per enum ibv_wr_opcode that the type can do */
	uint32_t max_inline;	/* bytes */
	uint8_t send_flags;	/* of every request: SIGNALED with sq_sig_all */
	uint8_t target;		/* enum shca_target */
	bool placed;		/* the program's allocator gave this memory */
	struct shca_map map;
	struct shca_builder build;	/* under sq.lock, from wr_start to wr_complete */
	struct shca_create_qp_resp resp;
	struct shca_queue sq SHCA_ALIGNED;
	struct shca_queue rq SHCA_ALIGNED;
};

struct shca_srq {
	struct ibv_srq ibv;
	struct shca_srq_shared *shared;
	struct shca_map map;
	struct shca_create_srq_resp resp;
	struct shca_modify_srq_req modify;
	bool placed;		/* the program's allocator gave this memory */
	pthread_mutex_t gate;	/* of rq.lock, for resizes */
	struct shca_queue rq SHCA_ALIGNED;	/* tail is unused: shared->cons frees entries */
};

struct shca_cq {
	union {
		struct ibv_cq ibv;
		struct ibv_cq_ex ex;
	};
	struct shca_context *hw;
	struct shca_map map;
	struct shca_create_cq_resp resp;
	struct ibv_pd *pd;	/* the parent domain, NULL: none */
	bool placed;		/* its allocator gave this memory */
	pthread_mutex_t gate;	/* of lock, for resizes */
	/* Everything below is protected by lock. */
	struct shca_lock lock SHCA_ALIGNED;
	struct shca_cq_shared *shared;
	uint8_t *ring;
	uint32_t mask;
	uint32_t order;		/* log2 of entries */
	uint32_t cons;		/* CQEs taken */
	uint32_t run;		/* CQEs taken since the CQ was last seen empty */
	uint32_t idle;		/* polls that found it empty, for the slow look at overrun */
	uint32_t last_qpn;	/* of last_qp, NULL: none */
	struct shca_qp *last_qp;
	const struct shca_cqe *current;	/* of the extended interface */
};

struct shca_ah {
	struct ibv_ah ibv;
	struct shca_create_ah_resp resp;
};

static inline struct shca_qp *shca_qp(struct ibv_qp *qp)
{
	return shim_container_of(qp, struct shca_qp, ibv);
}

static inline struct shca_cq *shca_cq(struct ibv_cq *cq)
{
	return shim_container_of(cq, struct shca_cq, ibv);
}

static inline struct shca_srq *shca_srq(struct ibv_srq *srq)
{
	return shim_container_of(srq, struct shca_srq, ibv);
}

static inline void *shca_queue_entry(const struct shca_queue *q, uint32_t count)
{
	return q->ring + (size_t)(count & q->mask) * q->stride;
}

/* shca_gate.c */
void shca_gate_close(pthread_mutex_t *gate, struct shca_lock *lock);
/* Called with the lock held, after the ring was exchanged; releases it. */
void shca_gate_reopen(pthread_mutex_t *gate, struct shca_lock *lock);
void shca_gate_wait(pthread_mutex_t *gate, struct shca_lock *lock);

/* Takes the lock of an object whose ring may move, and sleeps through a move. */
static inline void shca_gate_lock(pthread_mutex_t *gate, struct shca_lock *lock)
{
	shca_lock(lock);
	if (SHIM_UNLIKELY(lock->closed))
		shca_gate_wait(gate, lock);
}

/* shca_post.c */
int shca_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int shca_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int shca_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/* Rings if the engine is not looking; 0 or an errno value. */
int shca_post_kick(struct shca_qp *qp);
int shca_post_bind(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
/* Fills a BIND_MW request from what the caller wants; 0 or an errno value. */
int shca_post_fill_bind(struct shca_send_wqe *wqe, const struct ibv_mw *mw, uint32_t rkey,
			const struct ibv_mw_bind_info *info);
bool shca_post_has_room(struct shca_queue *sq, uint32_t head);

/* shca_wr.c */
void shca_wr_fill(struct shca_qp *qp);

/* shca_poll.c */
int shca_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int shca_poll_req_notify(struct ibv_cq *cq, int solicited_only);
const struct shca_cqe *shca_poll_next(struct shca_cq *cq);
/* 0: just empty; else the CQ overran and is dead. */
int shca_poll_empty(struct shca_cq *cq);
uint32_t shca_poll_status(const struct shca_cqe *cqe);

/* shca_cq_ex.c */
void shca_cq_ex_fill(struct shca_cq *cq, uint64_t wc_flags);

/* shca_cq.c: drops what a QP left in a CQ. */
void shca_cq_forget(struct shca_cq *cq, uint32_t qpn);

#endif
