/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * packet.h - the transport headers of a packet, decoded.
 *
 * packet.c turns bytes into this and back.  Knows no QP and keeps no state.
 */
#ifndef ENG_PACKET_H
#define ENG_PACKET_H

#include <shca_env.h>
#include "private.h"

/* Upper three bits of the opcode (IBTA vol. 1, 9.2, table of BTH opcodes). */
enum eng_service {
	ENG_SERVICE_RC	= 0,
	ENG_SERVICE_UC	= 1,
	ENG_SERVICE_UD	= 3,
	ENG_SERVICE_CNP	= 4,	/* congestion notification, annex A17.9 */
	ENG_SERVICE_XRC	= 5,
};

/* Lower five bits: the same meaning in each service that has them. */
enum eng_packet_op {
	ENG_PKT_SEND_FIRST	= 0x00,
	ENG_PKT_SEND_MIDDLE	= 0x01,
	ENG_PKT_SEND_LAST	= 0x02,
	ENG_PKT_SEND_LAST_IMM	= 0x03,
	ENG_PKT_SEND_ONLY	= 0x04,
	ENG_PKT_SEND_ONLY_IMM	= 0x05,
	ENG_PKT_WRITE_FIRST	= 0x06,
	ENG_PKT_WRITE_MIDDLE	= 0x07,
	ENG_PKT_WRITE_LAST	= 0x08,
	ENG_PKT_WRITE_LAST_IMM	= 0x09,
	ENG_PKT_WRITE_ONLY	= 0x0a,
	ENG_PKT_WRITE_ONLY_IMM	= 0x0b,
	ENG_PKT_READ		= 0x0c,
	ENG_PKT_RESPONSE_FIRST	= 0x0d,
	ENG_PKT_RESPONSE_MIDDLE	= 0x0e,
	ENG_PKT_RESPONSE_LAST	= 0x0f,
	ENG_PKT_RESPONSE_ONLY	= 0x10,
	ENG_PKT_ACK		= 0x11,
	ENG_PKT_ATOMIC_ACK	= 0x12,
	ENG_PKT_CMP_SWAP	= 0x13,
	ENG_PKT_FETCH_ADD	= 0x14,
	ENG_PKT_SEND_LAST_INV	= 0x16,
	ENG_PKT_SEND_ONLY_INV	= 0x17,
	ENG_PKT_OPS		= 0x18,
};

enum eng_packet_flags {
	/* Extended headers, in the order of the wire. */
	ENG_HAS_XRCETH		= 1 << 0,
	ENG_HAS_DETH		= 1 << 1,
	ENG_HAS_RETH		= 1 << 2,
	ENG_HAS_ATOMIC		= 1 << 3,
	ENG_HAS_AETH		= 1 << 4,
	ENG_HAS_VALUE		= 1 << 5,	/* AtomicAckETH */
	ENG_HAS_IMM		= 1 << 6,
	ENG_HAS_INV		= 1 << 7,	/* IETH */
	/* Place in the message. */
	ENG_IS_CONT		= 1 << 8,	/* middle or last */
	ENG_IS_MORE		= 1 << 9,	/* first or middle */
	ENG_IS_ANSWER		= 1 << 10,	/* response or acknowledge */
	ENG_HAS_PAYLOAD		= 1 << 11,	/* may have */
};

struct eng_packet_row {
	u16 flags;		/* enum eng_packet_flags */
	u8 op;			/* enum eng_op of a request */
	u8 services;		/* bits 1 << enum eng_service; 0: reserved */
};

/* Syndrome of the AETH (IBTA vol. 1, 9.7.5.2.1): two bits of kind, five of value. */
enum eng_syndrome {
	ENG_SYN_ACK		= 0x00,		/* value: credits */
	ENG_SYN_RNR		= 0x20,		/* value: timer */
	ENG_SYN_NAK		= 0x60,		/* value: 0 sequence, 1 invalid, 2 access, 3 op. */
	ENG_SYN_KIND		= 0x60,
	ENG_SYN_VALUE		= 0x1f,
	ENG_CREDITS_INVALID	= 31,
};

struct eng_header {
	const struct eng_packet_row *row;
	u8 service, op;		/* enum eng_service, enum eng_packet_op */
	u8 syndrome;
	u8 pad;
	bool ack_req, solicited;
	u32 head_bytes;		/* all headers */
	u32 dest_qpn, psn;
	u32 imm;		/* ImmDt: bytes as in memory; IETH: the key */
	u32 rkey;
	u32 dma_length;
	u32 qkey, src_qpn;	/* DETH */
	u32 srqn;		/* XRCETH */
	u32 msn;
	u64 va;
	u64 swap, compare_add;	/* AtomicETH; the value of an AtomicAckETH is in compare_add */
};

#define ENG_PKEY_DEFAULT	0xffffu

/* The row of an opcode byte, NULL: reserved, or of a service that there is not. */
ENG_PRIVATE const struct eng_packet_row *eng_packet_row(u8 opcode);
/* Bytes of BTH and extended headers. */
ENG_PRIVATE u32 eng_packet_head_bytes(u8 opcode);
/* Of a packet that has at least its head_bytes. */
ENG_PRIVATE void eng_packet_decode(struct eng_header *h, const u8 *bytes);
/* Writes the headers of h->service and h->op; their number of bytes. */
ENG_PRIVATE u32 eng_packet_encode(const struct eng_header *h, u8 *bytes);

#endif
