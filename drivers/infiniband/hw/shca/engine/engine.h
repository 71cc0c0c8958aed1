/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * engine.h - the transport engine as its host sees it.
 *
 * The engine is portable: no kernel type, no libc, no clock, no allocation in the data path.  The
 * host (shca.ko, a unit test, a simulator) gives it memory, a few callbacks and the time, and
 * calls eng_run().  Types and primitives come from <shca_env.h>, chosen by include path.
 *
 * Ownership.  A QP is executed by one thread at a time.  eng_kick() says "there is work": an idle
 * QP is queued on the caller's run queue (or handed to ops->defer), a busy one is marked so that
 * its owner looks again.  No thread ever waits for a QP while it executes another one.
 *
 * A queued QP needs no reference: destroy waits until it is in nobody's hands.
 *
 * Locks.  Only what QPs share has a lock: cq->lock, srq->lock, the device's mcast and counter
 * locks; all are leaves, and none is held over a copy or a host callback.  Inboxes have none: they
 * are pushed to by compare-and-swap and taken as a whole by their owner.
 */
#ifndef ENG_ENGINE_H
#define ENG_ENGINE_H

#include <shca_env.h>
#include "objects.h"
#include "values.h"
#include "wire.h"

void eng_dev_init(struct eng_dev *dev, const struct eng_ops *ops);
void eng_dev_get(struct eng_dev *dev);
void eng_dev_put(struct eng_dev *dev);			/* last one: ops->dev_idle */
/* Sum over living and past QPs; process context. */
u64 eng_dev_counter(struct eng_dev *dev, enum eng_counter which);

int eng_mr_publish(struct eng_mr *mr);		/* 0 or -ENV_ENOMEM/-ENV_EBUSY (index in use) */
/* No window will be bound to it any more; -ENV_EBUSY: there is one. Before retire and replace. */
int eng_mr_seal(struct eng_mr *mr);
/* Takes the key out of use and drops the creator's reference; ops->mr_idle follows, bounded by the
 * longest chunk copy plus the drain of frames that hold references. */
void eng_mr_retire(struct eng_mr *mr);
/* Retires @old, which is published, and puts @mr with the same key in its place; cannot fail. */
void eng_mr_replace(struct eng_mr *old, struct eng_mr *mr);

void eng_cq_init(struct eng_cq *cq, struct eng_dev *dev);
/* One event for @count entries, or @us after the first of fewer; 0: not so.  At once for errors and
 * what is solicited. */
void eng_cq_moderate(struct eng_cq *cq, u16 count, u16 us);
void eng_cq_expired(struct eng_cq *cq);
void eng_cq_set_ring(struct eng_cq *cq, struct shca_cq_shared *shared, u8 *entries, u32 count);
/*
 * Under the lock of the CQ, in which a lock of the host's consumers goes, who may be in interrupts:
 * moves unpolled entries to the new ring; -ENV_EINVAL when they do not fit (nothing changed).
 * Free running indices stay what they were: cons, prod and arm are carried over, and entry i is
 * found at i & (count - 1) with the lap of the new size.
 */
int eng_cq_resize(struct eng_cq *cq, struct shca_cq_shared *shared, u8 *entries, u32 count);

void eng_srq_init(struct eng_srq *srq, struct eng_dev *dev);
/* Arms (or, 0, disarms) the limit event. */
void eng_srq_set_limit(struct eng_srq *srq, u32 limit);
u32 eng_srq_limit(struct eng_srq *srq);
/* Under the SRQ's lock, likewise: moves posted entries to the new ring, indices stay; -ENV_EINVAL
 * when they do not fit (nothing changed).  The strides must be equal. */
int eng_srq_resize(struct eng_srq *srq, struct shca_srq_shared *shared, struct eng_ring ring);

/*
 * An XRC SRQ, with srqn, xrcd and cq filled in: from now on messages can name it.  0, or
 * -ENV_ENOMEM, -ENV_EBUSY.  After retire ops->srq_idle follows, bounded by one step of a QP, and
 * then a grace period before its memory goes.
 */
int eng_srq_publish(struct eng_srq *srq);
void eng_srq_retire(struct eng_srq *srq);

int eng_ah_publish(struct eng_ah *ah);		/* does not sleep */
void eng_ah_retire(struct eng_ah *ah);		/* ops->ah_idle follows */

int eng_mcast_attach(struct eng_qp *qp, const u8 mgid[16]);	/* 0 (again: 0), -ENV_ENOMEM */
int eng_mcast_detach(struct eng_qp *qp, const u8 mgid[16]);	/* 0, -ENV_EINVAL not attached */

/* What a QP is made of; constant afterwards. */
struct eng_qp_config {
	enum eng_qp_type type;		/* XRC: RC */
	enum eng_xrc xrc;		/* target: no pd, no CQs */
	const struct eng_xrcd *xrcd;	/* of a target */
	u32 qpn;
	const struct eng_pd *pd;
	struct eng_cq *send_cq, *recv_cq;
	struct eng_srq *srq;		/* or NULL */
	struct shca_qp_shared *shared;
	struct eng_ring sq, rq;
	u32 max_send_sge, max_recv_sge, max_inline;
	bool sig_all;
};

/*
 * Attributes that modify may set; the masks are ib_qp_attr_mask bits, checked by the host before.
 */
struct eng_qp_attr {
	enum eng_qp_state state;
	u32 access;			/* ENG_ACCESS_* granted to the peer */
	u32 qkey;
	u32 path_mtu;			/* bytes */
	u32 dest_qpn;
	u32 rq_psn, sq_psn;		/* 24 bits */
	u8 max_rd_atomic, max_dest_rd_atomic;
	u8 min_rnr_timer;		/* code 0..31 */
	u8 timeout;			/* code 0..31, 0: none */
	u8 retry_cnt, rnr_retry;	/* 0..7 */
	bool sqd_notify;
	u32 rate_limit;			/* kbit/s of what is sent, 0: none */
	/*
	 * With ENG_QP_PEER the link: direct when peer is set (the reference moves to the QP), else
	 * the wire when wire is set, else none and everything is lost.  On the wire packets must
	 * come from dgid and go to sgid (IPv4 in its mapped form).
	 */
	struct eng_dev *peer;
	bool wire;
	u8 sgid[16], dgid[16];
};

/* Bytes of private memory (slots of WQEs in flight, receive scratch) that a QP needs. */
u32 eng_qp_private_bytes(const struct eng_qp_config *cfg);
/* Size of struct eng_qp for hosts that embed it behind a pointer. */
extern const u32 eng_qp_struct_bytes;

/*
 * @mem: eng_qp_struct_bytes + eng_qp_private_bytes(), zeroed, 64-byte aligned; returns the QP in
 * it.
 */
struct eng_qp *eng_qp_init(void *mem, struct eng_dev *dev, const struct eng_qp_config *cfg);
void eng_qp_set_host(struct eng_qp *qp, void *host);	/* back pointer for the host's callbacks */
void *eng_qp_host(const struct eng_qp *qp);
struct eng_dev *eng_qp_dev(const struct eng_qp *qp);
u32 eng_qp_qpn(const struct eng_qp *qp);

int eng_qp_publish(struct eng_qp *qp);			/* visible to peers and doorbells */
/* Doorbell and packet lookup; takes a reference.  NULL: none. */
struct eng_qp *eng_qp_find(struct eng_dev *dev, u32 qpn);
void eng_qp_get(struct eng_qp *qp);
void eng_qp_put(struct eng_qp *qp);			/* last one: ops->qp_idle */

/*
 * Control operations own the QP like a runner does; they may sleep (env_relax) until it is idle,
 * which is bounded by one budget.  Process context only, and one at a time per QP (the host's
 * mutex).  A move to RESET zeroes all words of the shared head: the library starts again at 0.
 */
/* -ENV_EINVAL: the QP is in a state, by now, from which it cannot go there.  Nothing was changed
 * and the reference on attr->peer is still the caller's. */
int eng_qp_modify(struct eng_qp *qp, const struct eng_qp_attr *attr, u32 mask);
/* @attr and @sq_draining may be NULL. */
enum eng_qp_state eng_qp_query(struct eng_qp *qp, struct eng_qp_attr *attr, bool *sq_draining);
/* Unpublishes, throws queued work away without completions, waits for frames in flight and for a
 * worker that has it in its list, drops the creator's reference; ops->qp_idle follows.  Kicks of a
 * destroyed QP whose memory is still there do nothing. */
void eng_qp_destroy(struct eng_qp *qp);
/* Stop looking at user rings: the device goes away.  The QP goes to ERR without touching rings. */
void eng_qp_detach_rings(struct eng_qp *qp);

/*
 * A run queue lives on its runner's stack.  The budget bounds one eng_run(); what is left over is
 * handed to ops->defer.
 */
struct eng_runq {
	struct eng_qp *head, *tail;
	u32 bytes_left;
	u32 wqes_left;
};

#define ENG_BUDGET_BYTES	(1u << 20)
#define ENG_BUDGET_WQES		512u
#define ENG_COPY_CHUNK		(64u << 10)	/* bytes copied between two looks at mr->dead */

void eng_runq_init(struct eng_runq *rq);
/*
 * @rq may be NULL: then ops->defer runs it, in any context.  A deferred QP that no worker has
 * begun is taken over by the caller's @rq: that is how a doorbell overtakes a starved worker.
 */
void eng_kick(struct eng_runq *rq, struct eng_qp *qp);
/* Host side of ops->arm: the timer of @qp has expired.  Any context. */
void eng_expire(struct eng_qp *qp);
/* Worker side of ops->defer: puts a deferred QP on @rq, unless a doorbell took it over. */
void eng_runq_adopt(struct eng_runq *rq, struct eng_qp *qp);
/* Task context, preemptible.  Returns with @rq empty. */
void eng_run(struct eng_runq *rq);

#endif
