/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * types.h - a queue pair from inside, and who may touch which part of it.
 *
 * Included by the rooms that work on QPs.  A QP is one allocation of the host's: struct eng_qp,
 * then the ring of slots, then the receive being filled, then the results of past atomics.
 */
#ifndef ENG_TYPES_H
#define ENG_TYPES_H

#include <rdma/shca-abi.h>
#include "copy.h"
#include "engine.h"
#include "frame.h"
#include "limits.h"
#include "mr.h"
#include "opcode.h"
#include "private.h"
#include "stream.h"

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
	/* Packets: of slot una that are acknowledged or answered, of slot nxt that are sent. */
	u32 una_done, nxt_done;
	u32 away;			/* frames that are not home */
	u32 fetching;			/* READs and atomics between una and nxt */
	u32 psn;			/* of the next message */
	u32 ssn;			/* requests for the wire so far: eng_sender_number() */
	struct eng_chain out;		/* emitted, not pushed */
	bool broken;			/* the ring said something impossible */
	bool failed;			/* a request did: what is behind it is flushed */
	bool emitted;			/* in this step */
	bool running;			/* what shared->running was set to */
};

enum eng_wait { ENG_WAIT_NONE, ENG_WAIT_RNR, ENG_WAIT_ACK };

/* Written by the owner, but for what the host leaves: see alarm.c. */
struct eng_alarm {
	u64 at;				/* when the host's timer expires at the earliest */
	u32 wanted;			/* somebody waits for it */
	u32 gone;			/* it expired: the host's note */
};

struct eng_retry {
	u64 full;			/* end of the RNR or acknowledge time */
	u64 probe;			/* next look for a receive */
	u64 gap;			/* to the one after that */
	u8 wait;			/* enum eng_wait */
	u8 rnr_left, retry_left;
	bool early;			/* sent before the RNR timer ended, on a credit */
};

/*
 * The connected peer as last looked up; valid as long as no QP of its device was destroyed since.
 */
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
	/* Written by everybody: see run.c, inbox.c and arrival.c. */
	u32 run;
	u32 rung;			/* bool: somebody posted, or changed what may be sent */
	struct env_ref refs;
	struct eng_item *inbox;
	struct eng_item *packet_inbox;
	u64 packets_waiting;		/* there and in wire.in, atomic */

	/* Constant after init. */
	u32 qpn __attribute__((aligned(64)));
	u8 type;
	u8 xrc;				/* enum eng_xrc */
	u8 slot_flags;			/* of every slot: ENG_SLOT_SIGNALED for sig_all */
	u8 slot_mask;			/* SHCA_SEND_* that a slot takes over */
	u32 max_send_sge, max_recv_sge, max_inline;
	u32 slot_bytes;
	struct eng_dev *dev;
	void *host;
	const struct eng_xrcd *xrcd;
	struct eng_cq *send_cq;
	/* Of an XRC target the owner's, see xrc.h; else constant. */
	const struct eng_pd *pd;
	struct eng_cq *recv_cq;
	struct eng_srq *srq;
	u32 xrc_srqn;			/* XRC target: where the held receive came from */
	u8 *slots;			/* changes with the link: eng_qp_widen() */
	u32 window;			/* slots, a power of two */
	struct eng_recv *recv;
	struct eng_result *results;

	/* The owner's, from here on. */
	struct eng_qp *run_next;	/* also of whoever queued it */
	struct shca_qp_shared *shared;	/* NULL: rings are out of bounds */
	struct eng_list in;		/* frames taken from the inbox */
	struct eng_qp_attr attr;	/* attr.state is the state */
	struct eng_mr_cache local_mr, remote_mr;
	struct eng_qp_cache dest;
	u32 mtu_shift;
	bool srq_last_raised, drain_raised, recv_broken;
	bool wired;			/* has sent or received packets since it was reset */
	struct eng_sendq sq;
	struct eng_ring rq;
	struct eng_alarm alarm;
	struct eng_retry retry;
	u64 pace_next;			/* when the next message may begin: see pace.c */
	struct eng_responder resp;
	struct eng_stream wire;
	u64 counters[ENG_CNT_OF_QPS];
};

/* Do the packets of a connected QP go over the wire? */
static inline bool eng_qp_on_wire(const struct eng_qp *qp)
{
	return qp->attr.wire;
}

/*
 * More slots for a QP that has nothing in its send queue, if there is memory; and back to those
 * that it was made with.
 */
ENG_PRIVATE void eng_qp_widen(struct eng_qp *qp);
ENG_PRIVATE void eng_qp_narrow(struct eng_qp *qp);

static inline struct eng_slot *eng_qp_slot(const struct eng_qp *qp, u32 index)
{
	return (struct eng_slot *)(qp->slots + (u64)(index & (qp->window - 1)) * qp->slot_bytes);
}

#endif
