/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * cq.h - putting completions into completion queues.
 */
#ifndef ENG_CQ_H
#define ENG_CQ_H

#include "types.h"

/* Values of enum ibv_wc_status that the engine uses. */
enum eng_status {
	ENG_WC_SUCCESS			= 0,
	ENG_WC_LOC_LEN_ERR		= 1,
	ENG_WC_LOC_QP_OP_ERR		= 2,
	ENG_WC_LOC_PROT_ERR		= 4,
	ENG_WC_WR_FLUSH_ERR		= 5,
	ENG_WC_MW_BIND_ERR		= 6,
	ENG_WC_BAD_RESP_ERR		= 7,
	ENG_WC_REM_INV_REQ_ERR		= 9,
	ENG_WC_REM_ACCESS_ERR		= 10,
	ENG_WC_REM_OP_ERR		= 11,
	ENG_WC_RETRY_EXC_ERR		= 12,
	ENG_WC_RNR_RETRY_EXC_ERR	= 13,
};

enum eng_wc_opcode {
	ENG_WC_RECV			= 128,
	ENG_WC_RECV_RDMA_WITH_IMM	= 129,
};

enum eng_wc_flags {
	ENG_WC_GRH			= 1 << 0,
	ENG_WC_WITH_IMM			= 1 << 1,
	ENG_WC_WITH_INV			= 1 << 3,
};

struct eng_completion {
	u64 wr_id;
	u32 byte_len;
	u32 ex;
	u32 src_qp;
	u32 wc_flags;
	u32 wqe_count;
	u8 status;
	u8 opcode;
	u8 sl;
	bool solicited;
	bool srq;		/* the receive came from one */
};

/* @cq is one of the QP's two.  An overrun moves the QP to ERR. */
ENG_PRIVATE void eng_cq_complete(struct eng_qp *qp, struct eng_cq *cq,
				 const struct eng_completion *c);

#endif
