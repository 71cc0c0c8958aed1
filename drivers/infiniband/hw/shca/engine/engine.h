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
 * Locks.  Only what QPs share has a lock: inbox_lock of each QP (leaf), cq->lock, srq->lock (both
 * leaves; never nested in each other), mcast lock of the device (leaf).  None is held over a copy
 * or over a host callback, except where a callback says so.
 */
#ifndef ENG_ENGINE_H
#define ENG_ENGINE_H

#include <shca_env.h>

struct eng_dev;
struct eng_qp;
struct eng_cq;
struct eng_srq;
struct eng_mr;
struct eng_ah;
struct eng_pd;			/* never dereferenced: identity only */
struct shca_qp_shared;
struct shca_cq_shared;
struct shca_srq_shared;

/* Values as enum ib_qp_type, ib_qp_state, ib_event_type, ib_access_flags: pinned by the glue. */
enum eng_qp_type { ENG_QPT_RC = 2, ENG_QPT_UC = 3, ENG_QPT_UD = 4 };

enum eng_qp_state {
	ENG_QPS_RESET, ENG_QPS_INIT, ENG_QPS_RTR, ENG_QPS_RTS, ENG_QPS_SQD, ENG_QPS_SQE,
	ENG_QPS_ERR,
};

enum eng_event {
	ENG_EVENT_CQ_ERR		= 0,
	ENG_EVENT_QP_FATAL		= 1,
	ENG_EVENT_QP_REQ_ERR		= 2,
	ENG_EVENT_QP_ACCESS_ERR		= 3,
	ENG_EVENT_COMM_EST		= 4,
	ENG_EVENT_SQ_DRAINED		= 5,
	ENG_EVENT_SRQ_ERR		= 14,
	ENG_EVENT_SRQ_LIMIT_REACHED	= 15,
	ENG_EVENT_QP_LAST_WQE_REACHED	= 16,
};

enum eng_access {
	ENG_ACCESS_LOCAL_WRITE		= 1 << 0,
	ENG_ACCESS_REMOTE_WRITE		= 1 << 1,
	ENG_ACCESS_REMOTE_READ		= 1 << 2,
	ENG_ACCESS_REMOTE_ATOMIC	= 1 << 3,
	ENG_ACCESS_MW_BIND		= 1 << 4,
};

/* What the host does for the engine.  All may be called in any context eng_run() runs in. */
struct eng_ops {
	/* Run @qp soon in a worker: kicked without a run queue, or the budget is used up.  The
	 * reference that the run queue held moves to the worker. */
	void (*defer)(struct eng_qp *qp);
	/* Nanoseconds of a monotonic clock; called only when a deadline is armed or judged. */
	u64 (*now)(struct eng_dev *dev);
	/* Kick @qp at @deadline_ns; a later call replaces an earlier one; ENG_NO_DEADLINE disarms. */
	void (*arm)(struct eng_qp *qp, u64 deadline_ns);
	/* An armed CQ got a matching entry.  No engine lock held. */
	void (*cq_notify)(struct eng_cq *cq);
	void (*cq_event)(struct eng_cq *cq, enum eng_event event);
	void (*qp_event)(struct eng_qp *qp, enum eng_event event);
	void (*srq_event)(struct eng_srq *srq, enum eng_event event);
	/* The last reference is gone.  May be called under no lock but in atomic context. */
	void (*mr_idle)(struct eng_mr *mr);
	void (*qp_idle)(struct eng_qp *qp);
	void (*ah_idle)(struct eng_ah *ah);
	void (*dev_idle)(struct eng_dev *dev);
};

#define ENG_NO_DEADLINE	(~0ULL)

/* One HCA.  The tables map numbers to objects; lookups are RCU style (env_table). */
struct eng_dev {
	const struct eng_ops *ops;
	struct env_ref refs;
	struct env_table qps;		/* by QP number */
	struct env_table mrs;		/* by key >> 8 */
	struct env_table ahs;		/* by AH number */
	struct env_lock mcast_lock;	/* guards mcast_groups and the member lists below it */
	struct eng_mcast_group *mcast_groups;
	u32 port_up;			/* bool; read once per emission */
	u32 max_rd_atomic;
	u64 counters[16];		/* enum eng_counter, racy adds are fine */
};

enum eng_counter {
	ENG_CNT_FRAMES, ENG_CNT_BYTES, ENG_CNT_RNR_NAKS, ENG_CNT_SEQ_NAKS, ENG_CNT_RETRIES,
	ENG_CNT_DROPS, ENG_CNT_ACCESS_NAKS, ENG_CNT_DEFERRALS,
};

void eng_dev_init(struct eng_dev *dev, const struct eng_ops *ops);
void eng_dev_put(struct eng_dev *dev);

/*
 * A registered region: an array of blocks of 1 << block_shift bytes, the first byte at
 * first_offset in block 0.  With @identity, addresses are pointers (kernel's DMA key) and there are
 * no blocks.  The host fills everything but refs and dead before eng_mr_publish().
 */
struct eng_mr {
	struct eng_dev *dev;
	const struct eng_pd *pd;	/* re-registration replaces pd, access and the range as a new MR */
	u32 key;			/* lkey and rkey: index << 8 | tag */
	u32 access;			/* ENG_ACCESS_* */
	u64 iova;			/* address of the first byte as WRs name it */
	u64 length;			/* bytes */
	u8 *const *blocks;
	u32 block_shift;
	u32 first_offset;
	bool identity;
	u32 dead;			/* set by retire: copies stop at the next chunk */
	struct env_ref refs;
};

int eng_mr_publish(struct eng_mr *mr);		/* 0 or -ENV_ENOMEM/-ENV_EBUSY (index in use) */
/* Takes the key out of use and drops the creator's reference; ops->mr_idle follows, bounded by the
 * longest chunk copy plus the drain of frames that hold references. */
void eng_mr_retire(struct eng_mr *mr);

/* Shared ring memory as the kernel sees it; counts and strides are private copies. */
struct eng_ring {
	u8 *entries;
	u32 count;		/* power of two, 0: none */
	u32 stride;		/* bytes */
	u32 cons;		/* private free running index */
};

struct eng_cq {
	struct eng_dev *dev;
	struct env_lock lock;	/* guards all below */
	struct shca_cq_shared *shared;
	u8 *entries;
	u32 count;		/* power of two */
	u32 log2_count;
	u32 prod;
	bool dead;		/* overran */
};

void eng_cq_init(struct eng_cq *cq, struct eng_dev *dev);
void eng_cq_set_ring(struct eng_cq *cq, struct shca_cq_shared *shared, u8 *entries, u32 count);
/* Moves unpolled entries to the new ring; -ENV_EINVAL when they do not fit (nothing changed). */
int eng_cq_resize(struct eng_cq *cq, struct shca_cq_shared *shared, u8 *entries, u32 count);

struct eng_srq {
	struct eng_dev *dev;
	struct env_lock lock;	/* guards all below */
	struct shca_srq_shared *shared;
	struct eng_ring ring;
	const struct eng_pd *pd;
	u32 max_sge;
	u32 limit;		/* 0: not armed */
	bool broken;		/* the ring said something impossible */
};

void eng_srq_init(struct eng_srq *srq, struct eng_dev *dev);
/* Arms (or, 0, disarms) the limit event. */
void eng_srq_set_limit(struct eng_srq *srq, u32 limit);
u32 eng_srq_limit(struct eng_srq *srq);
/* Moves posted entries to the new ring; -ENV_EINVAL when they do not fit (nothing changed). */
int eng_srq_resize(struct eng_srq *srq, struct shca_srq_shared *shared, struct eng_ring ring);

/* Address handle of a UD destination.  @peer NULL: no way there, datagrams are lost. */
struct eng_ah {
	struct eng_dev *dev;		/* whose AH it is */
	struct eng_dev *peer;		/* direct link, holds a device reference; NULL: none */
	const struct eng_pd *pd;
	u32 ahn;
	bool multicast;
	u8 mgid[16];
	u8 grh[40];			/* what the receiver finds in front of the payload, lengths 0 */
	u8 sl;
	struct env_ref refs;
};

int eng_ah_publish(struct eng_ah *ah);
void eng_ah_retire(struct eng_ah *ah);		/* ops->ah_idle follows */

int eng_mcast_attach(struct eng_qp *qp, const u8 mgid[16]);	/* 0 (again: 0), -ENV_ENOMEM */
int eng_mcast_detach(struct eng_qp *qp, const u8 mgid[16]);	/* 0, -ENV_EINVAL not attached */

/* What a QP is made of; constant afterwards. */
struct eng_qp_config {
	enum eng_qp_type type;
	u32 qpn;
	const struct eng_pd *pd;
	struct eng_cq *send_cq, *recv_cq;
	struct eng_srq *srq;		/* or NULL */
	struct shca_qp_shared *shared;
	struct eng_ring sq, rq;
	u32 max_send_sge, max_recv_sge, max_inline;
	bool sig_all;
};

/* Attributes that modify may set; the masks are ib_qp_attr_mask bits, checked by the host before. */
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
	struct eng_dev *peer;		/* with ENG_QP_PEER: the direct link, reference moves to the QP */
};

/* Mask bits: values of enum ib_qp_attr_mask, and one of our own for the link. */
enum eng_qp_mask {
	ENG_QP_STATE			= 1 << 0,
	ENG_QP_EN_SQD_ASYNC_NOTIFY	= 1 << 2,
	ENG_QP_ACCESS_FLAGS		= 1 << 3,
	ENG_QP_QKEY			= 1 << 6,
	ENG_QP_PATH_MTU			= 1 << 8,
	ENG_QP_TIMEOUT			= 1 << 9,
	ENG_QP_RETRY_CNT		= 1 << 10,
	ENG_QP_RNR_RETRY		= 1 << 11,
	ENG_QP_RQ_PSN			= 1 << 12,
	ENG_QP_MAX_QP_RD_ATOMIC		= 1 << 13,
	ENG_QP_MIN_RNR_TIMER		= 1 << 15,
	ENG_QP_SQ_PSN			= 1 << 16,
	ENG_QP_MAX_DEST_RD_ATOMIC	= 1 << 17,
	ENG_QP_DEST_QPN			= 1 << 20,
	ENG_QP_PEER			= 1 << 30,
};

/* Bytes of private memory (slots of WQEs in flight, receive scratch) that a QP needs. */
u32 eng_qp_private_bytes(const struct eng_qp_config *cfg);
/* Size of struct eng_qp for hosts that embed it behind a pointer. */
extern const u32 eng_qp_struct_bytes;

/* @mem: eng_qp_struct_bytes + eng_qp_private_bytes(), zeroed, 64-byte aligned; returns the QP in it. */
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

/* Control operations own the QP like a runner does; they may sleep (env_relax) until it is idle,
 * which is bounded by one budget.  Process context only. */
void eng_qp_modify(struct eng_qp *qp, const struct eng_qp_attr *attr, u32 mask);
enum eng_qp_state eng_qp_query(struct eng_qp *qp, struct eng_qp_attr *attr, bool *sq_draining);
/* Unpublishes, throws queued work away without completions, waits for frames in flight, drops the
 * creator's reference; ops->qp_idle follows. */
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
/* @rq may be NULL: then ops->defer runs it.  Any context. */
void eng_kick(struct eng_runq *rq, struct eng_qp *qp);
/* Worker side of ops->defer: puts a deferred QP (with its reference) on @rq. */
void eng_runq_adopt(struct eng_runq *rq, struct eng_qp *qp);
void eng_run(struct eng_runq *rq);

#endif
