/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * types.h - a queue pair from inside: frames, slots, and who may touch which part of it.
 *
 * Included by the rooms that work on QPs.  A QP is one allocation of the host's: struct eng_qp,
 * then the ring of slots, then the receive being filled, then the results of past atomics.
 */
#ifndef ENG_TYPES_H
#define ENG_TYPES_H

#include <rdma/shca-abi.h>
#include "copy.h"
#include "engine.h"
#include "limits.h"
#include "mr.h"
#include "opcode.h"
#include "private.h"

enum eng_frame_flags {
	ENG_FRAME_REPLY		= 1 << 0,	/* on its way home */
	ENG_FRAME_PROBE		= 1 << 1,	/* asks for credit only, executes nothing */
	ENG_FRAME_SOLICITED	= SHCA_SEND_SOLICITED,
	ENG_FRAME_IMM		= 1 << 3,
	ENG_FRAME_RECEIVE	= 1 << 4,	/* takes a receive */
};

/* What comes back.  ACK to NAK_OP are the syndromes of IBTA vol. 1, 9.7.5.2 (AETH). */
enum eng_reply {
	ENG_REPLY_ACK,
	ENG_REPLY_RNR,
	ENG_REPLY_NAK_SEQ,
	ENG_REPLY_NAK_INV,
	ENG_REPLY_NAK_ACCESS,
	ENG_REPLY_NAK_OP,
	ENG_REPLY_LOST,		/* nobody answered */
	ENG_REPLY_SRC_GONE,	/* the requester's own memory was deregistered meanwhile */
	ENG_REPLY_CREDIT,	/* to a probe: a receive is there */
	ENG_REPLY_NO_CREDIT,
	ENG_REPLY_COUNT,
};

/*
 * A request on its way and its answer on the way back: the transport headers of IBTA vol. 1,
 * chapter 9, decoded.  On the direct link the frame itself travels and refers to its payload.
 * Whoever has it in hand, by inbox or by ownership of the QP it is at, is the only one to touch it.
 */
struct eng_frame {
	struct eng_frame *next;		/* in an inbox, newest first; in a work list, oldest first */
	struct eng_qp *src;		/* its home; lives until the frame is back */
	u8 op;				/* BTH: enum eng_op */
	u8 flags;			/* ENG_FRAME_* */
	u8 reply;			/* AETH: enum eng_reply */
	u8 rnr_timer;			/* AETH of an RNR NAK: code */
	u32 psn, npsn;			/* BTH: first PSN, and how many the message takes */
	u32 length;			/* bytes of payload, either way */
	u64 va;				/* RETH, AtomicETH */
	u32 rkey;			/* the same; UD: number of the address handle */
	u32 dest_qpn;
	u32 imm;			/* ImmDt, bytes as in memory */
	u32 qkey;			/* DETH */
	u32 msn;			/* AETH */
	u32 segs;			/* elements of payload */
	struct eng_seg *payload;	/* source of SEND and WRITE, destination of READ and atomics */
	struct eng_ah *ah;		/* UD: a reference while away */
	u64 compare_add, swap;		/* AtomicETH; compare_add brings back the old value */
};

/* Frames that travel together, linked from the newest to the oldest. */
struct eng_chain {
	struct eng_frame *newest, *oldest;
};

enum eng_slot_flags {
	ENG_SLOT_FENCE		= SHCA_SEND_FENCE,
	ENG_SLOT_SIGNALED	= SHCA_SEND_SIGNALED,
	ENG_SLOT_FETCH		= 1 << 2,	/* counts against max_rd_atomic */
	ENG_SLOT_INLINE		= 1 << 3,	/* payload is the slot's own bytes */
	ENG_SLOT_AWAY		= 1 << 4,	/* the frame is not home */
	ENG_SLOT_ACKED		= 1 << 5,
};

/* A send WQE in flight.  Segments or inline bytes follow it. */
struct eng_slot {
	struct eng_frame frame;
	u64 wr_id;
	u32 wqe_count;
	u8 flags;			/* ENG_SLOT_* */
	u8 wc_opcode;
	u8 status;			/* found here, before or at emission; 0: none */
	u8 reserved;
	struct eng_seg inline_seg;	/* describes the inline bytes */
};

/* The receive that an incoming message fills.  Segments follow it. */
struct eng_recv {
	u64 wr_id;
	u64 total;			/* bytes of all segments */
	u32 wqe_count;
	u32 segs;
	bool held;			/* taken from the ring, not completed yet */
	bool bad;			/* more elements than the queue was made for */
};

/* An executed atomic, for the case that its request comes again (IBTA vol. 1, 9.4.5). */
struct eng_result {
	u64 value;
	u32 psn;
	u32 used;
};

struct eng_sendq {
	struct eng_ring ring;
	u32 una, nxt, tail;		/* slots: oldest unfinished, next to emit, next to decode */
	u32 begun;			/* end of those that were ever emitted */
	u32 away;			/* frames that are not home */
	u32 fetching;			/* READs and atomics between una and nxt */
	u32 psn;			/* of the next message */
	struct eng_chain out;		/* emitted, not pushed */
	bool broken;			/* the ring said something impossible */
	bool emitted;			/* in this step */
	bool running;			/* what shared->running was set to */
};

enum eng_wait { ENG_WAIT_NONE, ENG_WAIT_RNR, ENG_WAIT_ACK };

struct eng_retry {
	u64 armed;			/* what the host's timer is set to */
	u64 full;			/* end of the RNR or acknowledge time */
	u64 probe;			/* next look for a receive */
	u64 gap;			/* to the one after that */
	u8 wait;			/* enum eng_wait */
	u8 rnr_left, retry_left;
	bool early;			/* sent before the RNR timer ended, on a credit */
};

/* The connected peer as last looked up; valid as long as no QP of its device was destroyed since. */
struct eng_qp_cache {
	struct eng_qp *qp;
	struct eng_dev *dev;
	u64 generation;
	u32 qpn;
};

struct eng_responder {
	u32 epsn, msn;
	bool nak_sent;			/* one sequence NAK per gap (IBTA vol. 1, 9.7.5.2.2) */
	bool established;		/* COMM_EST was raised, or RTS came first */
	struct eng_frame *cur;		/* being executed, its move not finished */
	struct eng_move move;
	struct eng_seg remote;		/* what the frame's va and rkey name */
	struct eng_seg raw;		/* memory of our own: GRH, atomic result */
	struct eng_chain replies;	/* to one QP */
	u32 next_result;
	u8 grh[ENG_GRH_BYTES];
};

struct eng_qp {
	/* Written by everybody: see run.c and inbox.c. */
	u32 run;
	struct env_ref refs;
	struct eng_frame *inbox;

	/* Constant after init. */
	u32 qpn __attribute__((aligned(64)));
	u8 type;
	u8 slot_flags;			/* of every slot: ENG_SLOT_SIGNALED for sig_all */
	u8 slot_mask;			/* SHCA_SEND_* that a slot takes over */
	u32 max_send_sge, max_recv_sge, max_inline;
	u32 window, slot_bytes;
	struct eng_dev *dev;
	void *host;
	const struct eng_pd *pd;
	struct eng_cq *send_cq, *recv_cq;
	struct eng_srq *srq;
	u8 *slots;
	struct eng_recv *recv;
	struct eng_result *results;

	/* The owner's, from here on. */
	struct eng_qp *run_next;	/* also of whoever queued it */
	struct shca_qp_shared *shared;	/* NULL: rings are out of bounds */
	struct eng_frame *in, *in_last;	/* taken from the inbox, oldest first */
	struct eng_qp_attr attr;	/* attr.state is the state */
	struct eng_mr_cache local_mr, remote_mr;
	struct eng_qp_cache dest;
	u32 mtu_shift;
	bool srq_last_raised, drain_raised, recv_broken;
	struct eng_sendq sq;
	struct eng_ring rq;
	struct eng_retry retry;
	struct eng_responder resp;
	u64 counters[ENG_CNT_COUNT];
};

static inline struct eng_slot *eng_qp_slot(const struct eng_qp *qp, u32 index)
{
	return (struct eng_slot *)(qp->slots + (u64)(index & (qp->window - 1)) * qp->slot_bytes);
}

static inline struct eng_slot *eng_frame_slot(struct eng_frame *frame)
{
	return env_container(frame, struct eng_slot, frame);
}

#endif
