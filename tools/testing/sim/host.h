/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * host.h - what shca.ko and the library are in the kernel and in programs, reduced to one thread:
 * rings, doorbells, workers, timers, memory registration.
 */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include <rdma/shca-abi.h>
#include "engine.h"
#include "memory.h"
#include "post.h"

struct world;

struct sim_host {
	struct eng_dev dev;
	struct world *world;
	u32 index;
	struct eng_pd *pd, *other_pd;	/* identities */
	const struct eng_xrcd *xrcd;
	u32 next_key;
	struct sim_qp *deferred;	/* list for the worker */
	bool worker_due;
	bool gone;
};

struct sim_cq {
	struct eng_cq eng;
	struct shca_cq_shared *shared;
	struct shca_cqe *entries;
	u32 count, cons;
};

struct sim_srq {
	struct eng_srq eng;
	struct shca_srq_shared *shared;
	u8 *entries;
	u32 count, stride, prod;
};

struct sim_mr {
	struct eng_mr eng;
	bool idle;
};

struct sim_qp {
	struct eng_qp *eng;
	struct sim_host *host;
	void *owner;			/* struct end */
	struct shca_qp_shared *shared;
	u8 *sq, *rq;
	u32 sq_count, sq_stride, rq_count, rq_stride;
	u32 sq_prod, rq_prod;
	u32 qpn;
	u64 deadline;			/* what the timer is armed for */
	bool listed, idle, destroyed;
	struct sim_qp *list_next;
};

struct sim_qp_init {
	enum eng_qp_type type;
	enum eng_xrc xrc;		/* a target has no queues of its own */
	struct sim_cq *cq;		/* of both queues */
	struct sim_srq *srq;
	u32 depth, sges, max_inline;
};

void sim_host_init(struct sim_host *host, struct world *w, u32 index);
/* False: something still holds the device. */
bool sim_host_fini(struct sim_host *host);

void sim_cq_init(struct sim_host *host, struct sim_cq *cq, u32 count);
void sim_cq_fini(struct sim_cq *cq);
void sim_cq_resize(struct sim_cq *cq, u32 count);
bool sim_cq_poll(struct sim_cq *cq, struct shca_cqe *wc);
void sim_srq_init(struct sim_host *host, struct sim_srq *srq, u32 count, u32 sges);
void sim_srq_fini(struct sim_srq *srq);
/* Gives it a number, by which XRC messages name it. */
void sim_srq_publish(struct sim_host *host, struct sim_srq *srq, struct sim_cq *cq, u32 srqn);
void sim_srq_resize(struct sim_srq *srq, u32 count);
void sim_srq_recv(struct sim_srq *srq, u64 wr_id, const struct shca_sge *sge, u32 count);

/* Registers bytes [at, at + length) of an arena. */
struct sim_mr *sim_mr_new(struct sim_host *host, struct sim_memory *m, u32 at, u32 length);
void sim_mr_publish(struct sim_mr *mr, u32 access);
void sim_mr_free(struct sim_mr *mr);
/* A key without a meaning, of enum eng_key_kind. */
struct sim_mr *sim_key_new(struct sim_host *host, u8 kind);

struct sim_qp *sim_qp_new(struct sim_host *host, u32 qpn, const struct sim_qp_init *init);
/* Memory goes when the loop is between two events. */
void sim_qp_free(struct sim_qp *qp);
int sim_qp_state(struct sim_qp *qp, enum eng_qp_state state);
void sim_qp_send(struct sim_qp *qp, const struct post_wr *wr);
void sim_qp_recv(struct sim_qp *qp, u64 wr_id, const struct shca_sge *sge, u32 count);
/* The doorbell, with a budget; 0 bytes: left to the worker. */
void sim_qp_ring(struct sim_qp *qp, u32 bytes, u32 wqes);
void sim_qp_timer(struct sim_qp *qp, u64 deadline);

/* The worker runs what is deferred, once; @bytes of budget. */
void sim_host_work(struct sim_host *host, u32 bytes, u32 wqes);
/* Frees what was in use up to the last event. */
void sim_host_reap(void);
/* Objects and memory that are not back. */
long sim_host_balance(void);

#endif
