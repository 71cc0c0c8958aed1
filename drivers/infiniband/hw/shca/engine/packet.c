// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * packet.c - one table of packet opcodes, and headers by it.
 *
 * Called by whoever sends or receives packets.  Formats: IBTA vol. 1, 9.2 (BTH) and 9.3 (extended
 * headers).  Everything on the wire is big-endian and handled by bytes, so no alignment is assumed.
 */
#include "packet.h"
#include "headers.h"
#include "limits.h"
#include "opcode.h"

enum {
	BY_RC = 1 << ENG_SERVICE_RC,
	BY_UD = 1 << ENG_SERVICE_UD,
	RELIABLE = BY_RC | 1 << ENG_SERVICE_XRC,
	CONNECTED = RELIABLE | 1 << ENG_SERVICE_UC,

	FIRST = ENG_HAS_PAYLOAD | ENG_IS_MORE,
	MIDDLE = ENG_HAS_PAYLOAD | ENG_IS_CONT | ENG_IS_MORE,
	LAST = ENG_HAS_PAYLOAD | ENG_IS_CONT,
	ONLY = ENG_HAS_PAYLOAD,
	ANSWER = ENG_IS_ANSWER,
	RETH = ENG_HAS_RETH,
	AETH = ENG_HAS_AETH,
};

static const struct eng_packet_row packet_rows[ENG_PKT_OPS] = {
	[ENG_PKT_SEND_FIRST]	= { FIRST, ENG_OP_SEND, CONNECTED },
	[ENG_PKT_SEND_MIDDLE]	= { MIDDLE, ENG_OP_SEND, CONNECTED },
	[ENG_PKT_SEND_LAST]	= { LAST, ENG_OP_SEND, CONNECTED },
	[ENG_PKT_SEND_LAST_IMM]	= { LAST | ENG_HAS_IMM, ENG_OP_SEND, CONNECTED },
	[ENG_PKT_SEND_ONLY]	= { ONLY, ENG_OP_SEND, CONNECTED | BY_UD },
	[ENG_PKT_SEND_ONLY_IMM]	= { ONLY | ENG_HAS_IMM, ENG_OP_SEND, CONNECTED | BY_UD },
	[ENG_PKT_WRITE_FIRST]	= { FIRST | RETH, ENG_OP_WRITE, CONNECTED },
	[ENG_PKT_WRITE_MIDDLE]	= { MIDDLE, ENG_OP_WRITE, CONNECTED },
	[ENG_PKT_WRITE_LAST]	= { LAST, ENG_OP_WRITE, CONNECTED },
	[ENG_PKT_WRITE_LAST_IMM] = { LAST | ENG_HAS_IMM, ENG_OP_WRITE, CONNECTED },
	[ENG_PKT_WRITE_ONLY]	= { ONLY | RETH, ENG_OP_WRITE, CONNECTED },
	[ENG_PKT_WRITE_ONLY_IMM] = { ONLY | RETH | ENG_HAS_IMM, ENG_OP_WRITE, CONNECTED },
	[ENG_PKT_READ]		= { RETH, ENG_OP_READ, RELIABLE },
	[ENG_PKT_RESPONSE_FIRST] = { ANSWER | FIRST | AETH, ENG_OP_READ, RELIABLE },
	[ENG_PKT_RESPONSE_MIDDLE] = { ANSWER | MIDDLE, ENG_OP_READ, RELIABLE },
	[ENG_PKT_RESPONSE_LAST]	= { ANSWER | LAST | AETH, ENG_OP_READ, RELIABLE },
	[ENG_PKT_RESPONSE_ONLY]	= { ANSWER | ONLY | AETH, ENG_OP_READ, RELIABLE },
	[ENG_PKT_ACK]		= { ANSWER | AETH, 0, RELIABLE },
	[ENG_PKT_ATOMIC_ACK]	= { ANSWER | AETH | ENG_HAS_VALUE, 0, RELIABLE },
	[ENG_PKT_CMP_SWAP]	= { ENG_HAS_ATOMIC, ENG_OP_CMP_SWAP, RELIABLE },
	[ENG_PKT_FETCH_ADD]	= { ENG_HAS_ATOMIC, ENG_OP_FETCH_ADD, RELIABLE },
	/* By UC, too, as the verb is; IBTA 9.2.1 has no numbers for that: others drop them. */
	[ENG_PKT_SEND_LAST_INV]	= { LAST | ENG_HAS_INV, ENG_OP_SEND, CONNECTED },
	[ENG_PKT_SEND_ONLY_INV]	= { ONLY | ENG_HAS_INV, ENG_OP_SEND, CONNECTED },
};

const struct eng_packet_row *eng_packet_row(u8 opcode)
{
	u8 op = opcode & 0x1f;

	if (op >= ENG_PKT_OPS || !(packet_rows[op].services >> (opcode >> 5) & 1))
		return NULL;
	return &packet_rows[op];
}

/* What the service adds to a row: datagrams name their source, XRC requests their SRQ. */
static u32 flags_of(u8 opcode)
{
	u32 flags = packet_rows[opcode & 0x1f].flags;

	if (opcode >> 5 == ENG_SERVICE_UD)
		flags |= ENG_HAS_DETH;
	else if (opcode >> 5 == ENG_SERVICE_XRC && !(flags & ENG_IS_ANSWER))
		flags |= ENG_HAS_XRCETH;
	return flags;
}

u32 eng_packet_head_bytes(u8 opcode)
{
	u32 flags = flags_of(opcode);

	return ENG_BTH_BYTES + (flags & ENG_HAS_XRCETH ? ENG_XRCETH_BYTES : 0) +
	       (flags & ENG_HAS_DETH ? ENG_DETH_BYTES : 0) +
	       (flags & ENG_HAS_RETH ? ENG_RETH_BYTES : 0) +
	       (flags & ENG_HAS_ATOMIC ? ENG_ATOMIC_ETH_BYTES : 0) +
	       (flags & ENG_HAS_AETH ? ENG_AETH_BYTES : 0) +
	       (flags & ENG_HAS_VALUE ? ENG_ATOMIC_ACK_BYTES : 0) +
	       (flags & (ENG_HAS_IMM | ENG_HAS_INV) ? ENG_IMM_BYTES : 0);
}

static const u8 *decode_addresses(struct eng_header *h, const u8 *at, u32 flags)
{
	if (flags & ENG_HAS_XRCETH) {
		h->srqn = eng_get_be32(at) & 0xffffff;
		at += ENG_XRCETH_BYTES;
	}
	if (flags & ENG_HAS_DETH) {
		h->qkey = eng_get_be32(at);
		h->src_qpn = eng_get_be32(at + 4) & 0xffffff;
		at += ENG_DETH_BYTES;
	}
	if (flags & (ENG_HAS_RETH | ENG_HAS_ATOMIC)) {
		h->va = eng_get_be64(at);
		h->rkey = eng_get_be32(at + 8);
		at += 12;
	}
	return at;
}

void eng_packet_decode(struct eng_header *h, const u8 *bytes)
{
	const u8 *at = bytes + ENG_BTH_BYTES;
	u32 flags = flags_of(bytes[0]);

	h->row = &packet_rows[bytes[0] & 0x1f];
	h->service = bytes[0] >> 5;
	h->op = bytes[0] & 0x1f;
	h->solicited = bytes[1] >> 7;
	h->pad = bytes[1] >> 4 & 3;
	h->dest_qpn = eng_get_be32(bytes + 4) & 0xffffff;
	h->ack_req = bytes[8] >> 7;
	h->psn = eng_get_be32(bytes + 8) & ENG_PSN_MASK;
	at = decode_addresses(h, at, flags);
	if (flags & ENG_HAS_RETH) {
		h->dma_length = eng_get_be32(at);
		at += 4;
	}
	if (flags & ENG_HAS_ATOMIC) {
		h->swap = eng_get_be64(at);
		h->compare_add = eng_get_be64(at + 8);
		/* A FetchAdd has its operand where a CmpSwap has what it swaps in. */
		if (h->op == ENG_PKT_FETCH_ADD)
			h->compare_add = h->swap;
		at += 16;
	}
	if (flags & ENG_HAS_AETH) {
		h->syndrome = at[0];
		h->msn = eng_get_be32(at) & 0xffffff;
		at += ENG_AETH_BYTES;
	}
	if (flags & ENG_HAS_VALUE) {
		h->compare_add = eng_get_be64(at);
		at += ENG_ATOMIC_ACK_BYTES;
	}
	if (flags & ENG_HAS_IMM)
		__builtin_memcpy(&h->imm, at, ENG_IMM_BYTES);
	else if (flags & ENG_HAS_INV)
		h->imm = eng_get_be32(at);
	h->head_bytes = (u32)(at - bytes) + (flags & (ENG_HAS_IMM | ENG_HAS_INV) ? 4 : 0);
}

static u8 *encode_addresses(const struct eng_header *h, u8 *at, u32 flags)
{
	if (flags & ENG_HAS_XRCETH) {
		eng_put_be32(at, h->srqn);
		at += ENG_XRCETH_BYTES;
	}
	if (flags & ENG_HAS_DETH) {
		eng_put_be32(at, h->qkey);
		eng_put_be32(at + 4, h->src_qpn);
		at += ENG_DETH_BYTES;
	}
	if (flags & (ENG_HAS_RETH | ENG_HAS_ATOMIC)) {
		eng_put_be64(at, h->va);
		eng_put_be32(at + 8, h->rkey);
		at += 12;
	}
	return at;
}

u32 eng_packet_encode(const struct eng_header *h, u8 *bytes)
{
	u8 opcode = (u8)(h->service << 5 | h->op);
	u8 *at = bytes + ENG_BTH_BYTES;
	u32 flags = flags_of(opcode);

	bytes[0] = opcode;
	/* Migration state is "migrated": RoCE has no other path. */
	bytes[1] = (u8)(h->solicited << 7 | 1 << 6 | h->pad << 4);
	eng_put_be16(bytes + 2, ENG_PKEY_DEFAULT);
	eng_put_be32(bytes + 4, h->dest_qpn);
	eng_put_be32(bytes + 8, (u32)h->ack_req << 31 | h->psn);
	at = encode_addresses(h, at, flags);
	if (flags & ENG_HAS_RETH) {
		eng_put_be32(at, h->dma_length);
		at += 4;
	}
	if (flags & ENG_HAS_ATOMIC) {
		bool add = h->op == ENG_PKT_FETCH_ADD;

		eng_put_be64(at, add ? h->compare_add : h->swap);
		eng_put_be64(at + 8, add ? 0 : h->compare_add);
		at += 16;
	}
	if (flags & ENG_HAS_AETH) {
		eng_put_be32(at, (u32)h->syndrome << 24 | h->msn);
		at += ENG_AETH_BYTES;
	}
	if (flags & ENG_HAS_VALUE) {
		eng_put_be64(at, h->compare_add);
		at += ENG_ATOMIC_ACK_BYTES;
	}
	if (flags & ENG_HAS_IMM) {
		__builtin_memcpy(at, &h->imm, ENG_IMM_BYTES);
		at += ENG_IMM_BYTES;
	} else if (flags & ENG_HAS_INV) {
		eng_put_be32(at, h->imm);
		at += ENG_IETH_BYTES;
	}
	return (u32)(at - bytes);
}
