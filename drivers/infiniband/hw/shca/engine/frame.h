/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * frame.h - what travels between QPs, and the send slot that each frame lives in.
 *
 * Part of types.h, apart for its length.
 */
#ifndef ENG_FRAME_H
#define ENG_FRAME_H

#include <rdma/shca-abi.h>
#include "copy.h"
#include "item.h"
#include "objects.h"

enum eng_frame_flags {
	ENG_FRAME_REPLY		= 1 << 0,	/* on its way home */
	ENG_FRAME_PROBE		= 1 << 1,	/* asks for credit only, executes nothing */
	ENG_FRAME_SOLICITED	= SHCA_SEND_SOLICITED,
	ENG_FRAME_IMM		= 1 << 3,
	ENG_FRAME_RECEIVE	= 1 << 4,	/* takes a receive */
	ENG_FRAME_INV		= 1 << 5,	/* imm is an rkey to invalidate (IETH) */
	/* Of frames that are packets; src is NULL then. */
	ENG_FRAME_CONT		= 1 << 6,	/* goes on with a message */
	ENG_FRAME_MORE		= 1 << 7,	/* more packets follow in its message */
	ENG_FRAME_WIRE		= 1 << 8,
	ENG_FRAME_ACK_REQ	= 1 << 9,
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
	struct eng_item item;		/* first */
	struct eng_qp *src;		/* its home; lives until the frame is back */
	u16 flags;			/* ENG_FRAME_* */
	u8 op;				/* BTH: enum eng_op */
	u8 reply;			/* AETH: enum eng_reply */
	u8 rnr_timer;			/* AETH of an RNR NAK: code */
	u32 psn, npsn;			/* BTH: first PSN, and how many the message takes */
	u32 length;			/* bytes of payload, either way */
	u64 va;				/* RETH, AtomicETH */
	u32 rkey;			/* the same; UD: number of the address handle */
	u32 dest_qpn;
	u32 srqn;			/* XRCETH */
	u32 imm;			/* ImmDt, bytes as in memory; IETH */
	u32 qkey;			/* DETH */
	u32 msn;			/* AETH; while it is in its slot: ours of the request */
	u32 segs;			/* elements of payload */
	/* source of SEND and WRITE, destination of READ and atomics */
	struct eng_seg *payload;
	struct eng_ah *ah;		/* UD: a reference while away */
	u64 compare_add, swap;		/* AtomicETH; compare_add brings back the old value */
};

static inline struct eng_frame *eng_item_frame(struct eng_item *item)
{
	return env_container(item, struct eng_frame, item);
}

enum eng_slot_flags {
	ENG_SLOT_FENCE		= SHCA_SEND_FENCE,
	ENG_SLOT_SIGNALED	= SHCA_SEND_SIGNALED,
	ENG_SLOT_FETCH		= 1 << 2,	/* counts against max_rd_atomic */
	ENG_SLOT_INLINE		= 1 << 3,	/* payload is the slot's own bytes */
	ENG_SLOT_AWAY		= 1 << 4,	/* the frame is not home */
	ENG_SLOT_LOCAL		= 1 << 5,	/* stays here: key.c executes it, no PSN */
	ENG_SLOT_DONE		= 1 << 6,	/* local, and executed */
	ENG_SLOT_BEGUN		= 1 << 7,	/* local, waits for users of the key */
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

static inline struct eng_slot *eng_frame_slot(struct eng_frame *frame)
{
	return env_container(frame, struct eng_slot, frame);
}

#endif
