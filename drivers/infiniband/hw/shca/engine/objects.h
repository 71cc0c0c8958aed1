/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * objects.h - the engine's objects that a host embeds in its own: device, MR, CQ, SRQ, AH.
 *
 * Part of engine.h, apart only for its length.  Memory of MRs, AHs and QPs is looked up under RCU:
 * after the *_idle callback the host frees it with a grace period (kfree_rcu or the like).
 */
#ifndef ENG_OBJECTS_H
#define ENG_OBJECTS_H

#include <shca_env.h>
#include "values.h"

struct eng_dev;
struct eng_qp;
struct eng_cq;
struct eng_srq;
struct eng_mr;
struct eng_ah;
struct eng_pd;			/* never dereferenced: identity only */
struct eng_xrcd;		/* likewise */
struct eng_packet;
struct eng_runq;
struct eng_tx;
struct shca_qp_shared;
struct shca_cq_shared;
struct shca_srq_shared;

/*
 * What the host does for the engine.  All are called from eng_run() or a control operation, in
 * task context, while the engine owns a QP: none may wait for a QP or call a control operation
 * (modify, query, destroy).  defer is also called from eng_kick(), hence in any context.
 */
struct eng_ops {
	/* Run @qp soon in a worker, through eng_runq_adopt().  Called again only after that. */
	void (*defer)(struct eng_qp *qp);
	/* Nanoseconds of a monotonic clock; called only when a deadline is armed or judged. */
	u64 (*now)(struct eng_dev *dev);
	/* Call eng_expire() at @deadline_ns, or up to @late_ns later where that saves an interrupt;
	 * a later call replaces an earlier one; ENG_NO_DEADLINE disarms without waiting.  A late
	 * expiry of a living QP does no harm. */
	void (*arm)(struct eng_qp *qp, u64 deadline_ns, u64 late_ns);
	/* An armed CQ got a matching entry.  No engine lock held. */
	void (*cq_notify)(struct eng_cq *cq);
	void (*cq_event)(struct eng_cq *cq, enum eng_event event);
	/* Call eng_cq_expired() in @us microseconds, in task context. */
	void (*cq_timer)(struct eng_cq *cq, u32 us);
	void (*qp_event)(struct eng_qp *qp, enum eng_event event);
	void (*srq_event)(struct eng_srq *srq, enum eng_event event);
	/*
	 * The wire, see wire.h; hosts that have none leave these NULL and say so in no QP and AH.
	 * transmit: takes what it needs of @tx before it returns; true also for what is lost.
	 * False: no room now, nothing was taken, and the host kicks @tx->qp when there is some (if
	 * need be at once).  A control packet is never asked for twice: false means lost.
	 * transmit_end: the last packet of a series of @qp was handed over, still owned.  What came
	 * back meanwhile may be given to eng_wire_receive() with @rq.
	 */
	bool (*transmit)(struct eng_tx *tx);
	void (*transmit_end)(struct eng_qp *qp, struct eng_runq *rq);
	/* Both at once, for a control packet of a QP that is counted but not owned. */
	void (*transmit_alone)(struct eng_tx *tx, struct eng_runq *rq);
	/* Contiguous bytes of @packet from @offset (of BTH) on; beyond head_bytes only. */
	u32 (*packet_span)(struct eng_packet *packet, u32 offset, const u8 **at);
	/* The engine will not be done with it soon.  False: it is dropped, and comes again. */
	bool (*packet_keep)(struct eng_packet *packet);
	/* The engine is done with it. */
	void (*packet_done)(struct eng_packet *packet);
	/* The last reference is gone.  Under RCU at times: must not sleep. */
	void (*mr_idle)(struct eng_mr *mr);
	void (*srq_idle)(struct eng_srq *srq);
	void (*qp_idle)(struct eng_qp *qp);
	void (*ah_idle)(struct eng_ah *ah);
	void (*dev_idle)(struct eng_dev *dev);
};

#define ENG_NO_DEADLINE	(~0ULL)

/* One HCA.  The tables map numbers to objects. */
struct eng_dev {
	const struct eng_ops *ops;
	struct env_ref refs;
	struct env_table qps;		/* by QP number */
	struct env_table mrs;		/* by key >> 8 */
	struct env_table ahs;		/* by AH number */
	struct env_table srqs;		/* XRC SRQs, by number */
	u64 mr_generation;		/* moves when an MR is retired: see mr.h */
	u64 qp_generation;		/* moves when a QP is destroyed: see direct.c */
	u32 port_up;			/* bool, the host's; read once per emission */
	u32 port_mtu;			/* bytes, the host's; bounds UD messages */
	struct env_lock mcast_lock;	/* guards the members of all groups */
	struct eng_mcast_member *mcast_members;
	struct env_lock counter_lock;	/* guards retired */
	u64 retired[ENG_CNT_OF_QPS];	/* of QPs that are gone */
	u64 drops[ENG_CNT_COUNT - ENG_CNT_OF_QPS];	/* atomic; packets that no QP answers for */
};

/* What a key stands for. */
enum eng_key_kind {
	ENG_KEY_REGION,		/* memory that the host registered */
	ENG_KEY_WINDOW1,	/* a memory window of type 1 */
	ENG_KEY_WINDOW2,	/* of type 2B: only the QP that bound it may be named with it */
	ENG_KEY_FAST,		/* a region that work requests fill (fast registration) */
	ENG_KEY_KINDS,
};

#define ENG_MR_SEALED	(~0u)

/* What the next fast registration will make of a key; written by the host while it is not in use */
struct eng_mr_plan {
	u8 *const *blocks;
	u64 length, first_offset;
	u32 block_shift;
};

/*
 * A registered region: an array of blocks of 1 << block_shift bytes, the first byte at
 * first_offset in block 0.  With @identity, addresses are pointers (kernel's DMA key) and there are
 * no blocks.  The host fills everything but refs and dead before eng_mr_publish(); of the other
 * kinds only dev, pd, key and kind: see key.c.
 */
struct eng_mr {
	struct eng_dev *dev;
	const struct eng_pd *pd;	/* re-registration replaces pd, access, range as a new MR */
	u32 key;			/* lkey and rkey: index << 8 | tag */
	u32 access;			/* ENG_ACCESS_* */
	u64 iova;			/* address of the first byte as WRs name it */
	u64 length;			/* bytes */
	u8 *const *blocks;
	u32 block_shift;
	u64 first_offset;
	bool identity;
	/* Of any domain; reads as blocks[0], takes what is written to blocks[1]; with identity. */
	bool null;
	u8 kind;			/* enum eng_key_kind */
	u32 dead;			/* set by retire: copies stop at the next chunk */
	struct env_ref refs;
	u32 windows;			/* bound to it; ENG_MR_SEALED: there can be no more */
	/* Windows and fast registration, key.c. */
	u32 state, retired;
	u32 qpn;			/* the only QP that may be named with it; 0: any */
	struct eng_mr *parent;		/* of a bound window */
	struct eng_qp *waiter;		/* counted; kicked when the last user lets go */
	struct eng_mr_plan plan;
};

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
	/* Moderation: an event for so many entries or after so long; both 0: for each. */
	u16 mod_count, mod_us;
	bool timing;		/* the host calls eng_cq_expired() */
	u32 held, held_match;	/* entries since the last event, and what they would match */
};

struct eng_srq {
	struct eng_dev *dev;
	struct env_lock lock;	/* guards all below */
	struct shca_srq_shared *shared;
	struct eng_ring ring;
	const struct eng_pd *pd;
	u32 max_sge;
	u32 limit;		/* 0: not armed */
	bool broken;		/* the ring said something impossible */
	/* XRC: constant after eng_srq_publish(). */
	u32 srqn;
	const struct eng_xrcd *xrcd;
	struct eng_cq *cq;
	struct env_ref refs;
};

/* Address handle of a UD destination.  Neither @peer nor @wire: datagrams are lost. */
struct eng_ah {
	struct eng_dev *dev;		/* whose AH it is */
	struct eng_dev *peer;		/* direct link, the host's device reference; NULL: none */
	bool wire;			/* packets; of a group @peer may be set as well */
	const struct eng_pd *pd;
	u32 ahn;
	bool multicast;			/* to the members of mgid on @peer */
	u8 mgid[16];
	u8 grh[40];			/* what the receiver finds before the payload, lengths 0 */
	u8 sl;
	struct env_ref refs;
};

#endif
