/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * values.h - numbers that the engine shares with verbs.
 *
 * They have the values of enum ib_qp_type, ib_qp_state, ib_event_type, ib_access_flags and
 * ib_qp_attr_mask, which the glue pins at build time.
 */
#ifndef ENG_VALUES_H
#define ENG_VALUES_H

enum eng_qp_type { ENG_QPT_RC = 2, ENG_QPT_UC = 3, ENG_QPT_UD = 4 };

/* XRC QPs are RC QPs with half of them missing: who sends has no receives, and the other way. */
enum eng_xrc { ENG_XRC_NONE, ENG_XRC_INI, ENG_XRC_TGT };

enum eng_qp_state {
	ENG_QPS_RESET, ENG_QPS_INIT, ENG_QPS_RTR, ENG_QPS_RTS, ENG_QPS_SQD, ENG_QPS_SQE,
	ENG_QPS_ERR,
	ENG_QPS_COUNT,
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
	ENG_ACCESS_ZERO_BASED		= 1 << 5,	/* windows: addresses begin at 0 */
	ENG_ACCESS_LOCAL		= 1 << 30,	/* ours: is an lkey */
};

/* Mask bits of modify, and one of our own for the link. */
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
	ENG_QP_RATE_LIMIT		= 1 << 25,
	ENG_QP_PEER			= 1 << 30,
};

/* What a device counts; eng_dev_counter() sums over its QPs.  Names: eng_counter_name(). */
enum eng_counter {
	ENG_CNT_FRAMES, ENG_CNT_BYTES, ENG_CNT_RNR_NAKS, ENG_CNT_SEQ_NAKS, ENG_CNT_RETRIES,
	ENG_CNT_DROPS, ENG_CNT_ACCESS_NAKS, ENG_CNT_DEFERRALS,
	/* The wire. */
	ENG_CNT_TX_PACKETS, ENG_CNT_RX_PACKETS, ENG_CNT_TX_AGAIN, ENG_CNT_RX_DUPLICATES,
	ENG_CNT_RX_GAPS, ENG_CNT_RX_HELD, ENG_CNT_EARLY_RECOVERIES,
	ENG_CNT_OF_QPS,
	/* Packets dropped, or answered with a NAK, each for one reason. */
	ENG_CNT_RX_SHORT = ENG_CNT_OF_QPS,	/* no room for the headers of its opcode */
	ENG_CNT_RX_PAD,			/* more pad than payload, or no whole words */
	ENG_CNT_RX_VERSION,		/* transport version (IBTA vol. 1, 9.6.1.1.1) */
	ENG_CNT_RX_OPCODE,		/* reserved, of a service we do not have, or CNP */
	ENG_CNT_RX_PKEY,
	ENG_CNT_RX_QKEY,
	ENG_CNT_RX_NO_QP,
	ENG_CNT_RX_QP_TYPE,		/* opcode of another service than the QP's */
	ENG_CNT_RX_QP_STATE,		/* a QP that does not receive */
	ENG_CNT_RX_ADDRESS,		/* not from, or not to, the path of a connected QP */
	ENG_CNT_RX_PAYLOAD,		/* not what its opcode and the path MTU allow */
	ENG_CNT_RX_LENGTH,		/* the message against its RETH */
	ENG_CNT_RX_SEQUENCE,		/* opcode out of order within its message */
	ENG_CNT_RX_UNASKED,		/* response to nothing that is outstanding */
	ENG_CNT_RX_FUTURE,		/* acknowledge of what was never sent */
	ENG_CNT_RX_BAD_RESPONSE,	/* malformed response to an outstanding request */
	ENG_CNT_RX_OVERFLOW,		/* too many packets wait for the QP */
	ENG_CNT_RX_NO_RECEIVE,		/* a datagram without a receive that fits */
	ENG_CNT_COUNT,
};

/* Largest max_rd_atomic and max_dest_rd_atomic: results kept for repeated atomics. */
#define ENG_MAX_RD_ATOMIC	16

#endif
