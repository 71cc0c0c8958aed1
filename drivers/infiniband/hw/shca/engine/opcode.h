/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * opcode.h - what the opcode of a send work request means, and which QP types may carry it.
 *
 * Read by the WQE decoder and the flusher; knows no QP.
 */
#ifndef ENG_OPCODE_H
#define ENG_OPCODE_H

#include <shca_env.h>
#include "private.h"

/* What a frame asks of the responder. */
enum eng_op {
	ENG_OP_SEND,
	ENG_OP_WRITE,
	ENG_OP_READ,
	ENG_OP_CMP_SWAP,
	ENG_OP_FETCH_ADD,
	ENG_OP_COUNT,
	/* Never on a link: executed where it was posted. */
	ENG_OP_LOCAL_INV = ENG_OP_COUNT,
	ENG_OP_BIND,
	ENG_OP_REG,
};

enum eng_opcode_flags {
	ENG_OPCODE_IMM		= 1 << 0,	/* carries an immediate */
	ENG_OPCODE_FETCH	= 1 << 1,	/* READ or atomic: data comes back */
	ENG_OPCODE_ATOMIC	= 1 << 2,
	ENG_OPCODE_INLINE	= 1 << 3,	/* may carry its payload in the WQE */
	ENG_OPCODE_RECEIVE	= 1 << 4,	/* consumes a receive at the peer */
	ENG_OPCODE_INV		= 1 << 5,	/* carries a key to invalidate */
	ENG_OPCODE_LOCAL	= 1 << 6,
};

struct eng_opcode {
	u8 op;		/* enum eng_op */
	u8 wc;		/* opcode of its completion, enum ibv_wc_opcode */
	u8 flags;	/* ENG_OPCODE_* */
	u16 types;	/* bits 1 << enum eng_qp_type; 0: no such request */
};

/* Row of a work request opcode (enum ib_uverbs_wr_opcode), NULL when @type cannot carry it. */
ENG_PRIVATE const struct eng_opcode *eng_opcode_row(u8 wr_opcode, u8 type);
/* Opcode of the completion, also for requests that cannot be carried. */
ENG_PRIVATE u8 eng_opcode_wc(u8 wr_opcode);

#endif
