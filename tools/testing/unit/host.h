/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * host.h - a small host for the engine: devices, memory, rings, and what a library does with them.
 *
 * Each test program makes what it needs, posts, runs, polls.  Time stands still unless a test moves
 * it.  By default everything runs in the caller; a deferred QP waits in the host's list until
 * host_work() or a kick takes it.
 */
#ifndef UNIT_HOST_H
#define UNIT_HOST_H

#include <stdio.h>
#include <shca_env.h>
#include <rdma/shca-abi.h>
#include "engine.h"
#include "post.h"

struct host_qp;

struct host_event {
	const void *object;
	enum eng_event event;
};

enum { HOST_EVENTS = 256 };

struct host {
	struct eng_dev dev;
	struct eng_pd *pd, *pd2;	/* identities */
	u32 next_qpn, next_key;
	bool gone;
};

struct host_cq {
	struct eng_cq eng;
	struct shca_cq_shared *shared;
	struct shca_cqe *entries;
	u32 count, cons;
	u32 notified;
	u32 timer_us;			/* asked for, 0: not */
};

struct host_srq {
	struct eng_srq eng;
	struct shca_srq_shared *shared;
	u8 *entries;
	u32 count, stride, prod;
	u32 idle;
};

struct host_mr {
	struct eng_mr eng;
	u8 *mem;
	u32 idle;
};

struct host_qp {
	struct eng_qp *eng;
	struct host *host;
	struct host_cq *scq, *rcq;
	struct shca_qp_shared *shared;
	u8 *sq, *rq;
	u32 sq_count, sq_stride, rq_count, rq_stride;
	u32 sq_prod, rq_prod;
	u32 qpn;
	u64 deadline;
	u32 in_list;
	struct host_qp *list_next;
	u32 idle;
};

/* A send in short form; sge NULL means one SGE (addr, length, lkey). */
struct host_wr {
	u64 wr_id;
	u8 opcode;
	u8 flags;
	const void *addr;
	u32 length, lkey;
	const struct shca_sge *sge;
	u32 num_sge;
	u64 raddr;
	u32 rkey;
	u32 imm;
	u64 compare_add, swap;
	u32 qpn, qkey, ahn, srqn;
	const struct shca_bind_ops *bind;
};

extern u64 host_now;			/* ns */
extern struct host_event host_events[HOST_EVENTS];
extern u32 host_event_count;
extern u32 host_idle_devs, host_idle_ahs;

void host_init(struct host *host);
void host_fini(struct host *host);
void host_cq_init(struct host *host, struct host_cq *cq, u32 count);
void host_cq_resize(struct host_cq *cq, u32 count, int expect);
void host_cq_fini(struct host_cq *cq);
void host_srq_init(struct host *host, struct host_srq *srq, u32 count, u32 sges);
void host_srq_fini(struct host_srq *srq);
/* Registers fresh memory in blocks of 4 KiB that are not in order; 0 blocks: contiguous. */
void host_mr_init(struct host *host, struct host_mr *mr, u32 bytes, u32 access);
void host_mr_fini(struct host_mr *mr);
/* Address as a work request names it. */
u64 host_mr_addr(const struct host_mr *mr, u32 offset);
/* For tests of scattered memory: reads and writes through the blocks. */
void host_mr_fill(struct host_mr *mr, u32 offset, u32 bytes, u32 seed);
bool host_mr_check(struct host_mr *mr, u32 offset, u32 bytes, u32 seed);
u8 *host_mr_at(struct host_mr *mr, u32 offset);

/* Template for host_qp_init(): fill what differs from zero. */
struct host_qp_init {
	enum eng_qp_type type;
	enum eng_xrc xrc;
	const struct eng_xrcd *xrcd;
	struct host_cq *scq, *rcq;	/* an XRC target uses them for polling only */
	struct host_srq *srq;
	u32 sq, rq;			/* entries, powers of two */
	u32 send_sge, recv_sge, max_inline;
	bool sig_all;
};

void host_qp_init(struct host *host, struct host_qp *qp, const struct host_qp_init *init);
void host_qp_fini(struct host_qp *qp);
/* RESET to INIT to RTR to RTS with usual attributes, both ways. */
void host_connect(struct host_qp *a, struct host_qp *b);
void host_qp_attr(struct host_qp *qp, const struct host_qp *peer, struct eng_qp_attr *attr);
/* What host_qp_attr() sets. */
#define HOST_ALL_ATTRS (ENG_QP_ACCESS_FLAGS | ENG_QP_PATH_MTU | ENG_QP_DEST_QPN | ENG_QP_RQ_PSN | \
	ENG_QP_MAX_QP_RD_ATOMIC | ENG_QP_MAX_DEST_RD_ATOMIC | ENG_QP_MIN_RNR_TIMER | \
	ENG_QP_TIMEOUT | ENG_QP_RETRY_CNT | ENG_QP_RNR_RETRY | ENG_QP_SQ_PSN | ENG_QP_PEER)
void host_ud_ready(struct host_qp *qp, u32 qkey);
void host_state(struct host_qp *qp, enum eng_qp_state state);
enum eng_qp_state host_query(struct host_qp *qp);

/* Writes a WQE and publishes it, without a doorbell. */
void host_put_send(struct host_qp *qp, const struct host_wr *wr);
/* The same and the doorbell, as the library does: only when running is 0. */
void host_send(struct host_qp *qp, const struct host_wr *wr);
void host_doorbell(struct host_qp *qp);
void host_recv(struct host_qp *qp, u64 wr_id, u64 addr, u32 length, u32 lkey);
void host_recv_sges(struct host_qp *qp, u64 wr_id, const struct shca_sge *sge, u32 count);
void host_srq_recv(struct host_srq *srq, u64 wr_id, u64 addr, u32 length, u32 lkey);
/* False: empty. */
bool host_poll(struct host_cq *cq, struct shca_cqe *wc);
/* Runs deferred QPs until none is left; how many runs it took. */
u32 host_work(void);
/* Moves time to the next deadline of @qp and lets it run; false: it has none. */
bool host_tick(struct host_qp *qp);
u32 host_event_find(const void *object, enum eng_event event);

#endif
