// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * opcode.c - the table of send work requests.
 *
 * Called by wqe.c and flush.c with bytes that a user wrote; answers with a row or nothing.
 * TSO is not offered, so it has no QP types.
 */
#include "opcode.h"
#include "values.h"

enum {
	RC = 1 << ENG_QPT_RC,
	UC = 1 << ENG_QPT_UC,
	UD = 1 << ENG_QPT_UD,
};

/* Rows are in the order of enum ib_uverbs_wr_opcode; pairs of type and opcode: C226 to C228. */
static const struct eng_opcode rows[] = {
	/* RDMA_WRITE */
	[0] = { ENG_OP_WRITE, 1, ENG_OPCODE_INLINE, RC | UC },
	/* RDMA_WRITE_WITH_IMM */
	[1] = { ENG_OP_WRITE, 1, ENG_OPCODE_INLINE | ENG_OPCODE_IMM | ENG_OPCODE_RECEIVE,
		RC | UC },
	/* SEND */
	[2] = { ENG_OP_SEND, 0, ENG_OPCODE_INLINE | ENG_OPCODE_RECEIVE, RC | UC | UD },
	/* SEND_WITH_IMM */
	[3] = { ENG_OP_SEND, 0, ENG_OPCODE_INLINE | ENG_OPCODE_IMM | ENG_OPCODE_RECEIVE,
		RC | UC | UD },
	/* RDMA_READ */
	[4] = { ENG_OP_READ, 2, ENG_OPCODE_FETCH, RC },
	/* ATOMIC_CMP_AND_SWP */
	[5] = { ENG_OP_CMP_SWAP, 3, ENG_OPCODE_FETCH | ENG_OPCODE_ATOMIC, RC },
	/* ATOMIC_FETCH_AND_ADD */
	[6] = { ENG_OP_FETCH_ADD, 4, ENG_OPCODE_FETCH | ENG_OPCODE_ATOMIC, RC },
	/* LOCAL_INV */
	[7] = { ENG_OP_LOCAL_INV, 6, ENG_OPCODE_LOCAL, RC | UC },
	/* BIND_MW */
	[8] = { ENG_OP_BIND, 5, ENG_OPCODE_LOCAL, RC | UC },
	/* SEND_WITH_INV */
	[9] = { ENG_OP_SEND, 0, ENG_OPCODE_INLINE | ENG_OPCODE_RECEIVE | ENG_OPCODE_INV,
		RC | UC },
	/* TSO */
	[10] = { ENG_OP_SEND, 7, 0, 0 },
	/* REG_MR, of kernel consumers: keys of that kind belong to no process. */
	[0x20] = { ENG_OP_REG, 8, ENG_OPCODE_LOCAL, RC | UC },
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

const struct eng_opcode *eng_opcode_row(u8 wr_opcode, u8 type)
{
	if (wr_opcode >= ROWS || !(rows[wr_opcode].types & (1u << type)))
		return NULL;
	return &rows[wr_opcode];
}

u8 eng_opcode_wc(u8 wr_opcode)
{
	return wr_opcode < ROWS ? rows[wr_opcode].wc : 0;
}
