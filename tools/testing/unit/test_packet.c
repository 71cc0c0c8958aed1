// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_packet.c - the table of opcodes against IBTA vol. 1, 9.2, and headers there and back.
 */
#include "engine.h"
#include "packet.h"
#include "tap.h"

/* Bytes of headers by opcode as the table of the specification adds up; 0: reserved. */
static const u8 rc_bytes[32] = {
	12, 12, 12, 16, 12, 16,			/* SEND */
	28, 12, 12, 16, 28, 32,			/* WRITE */
	28, 16, 12, 16, 16, 16, 24,		/* READ, responses, acknowledges */
	40, 40,					/* CmpSwap, FetchAdd */
	0, 16, 16,				/* SEND with invalidate */
};

static u32 expected(u32 service, u32 op)
{
	u32 bytes = rc_bytes[op];

	switch (service) {
	case ENG_SERVICE_RC:
		return bytes;
	case ENG_SERVICE_UC:
		/* SEND with invalidate is our addition. */
		return op <= 0x0b || op == 0x16 || op == 0x17 ? bytes : 0;
	case ENG_SERVICE_UD:
		return op == 4 || op == 5 ? bytes + 8 : 0;
	case ENG_SERVICE_XRC:
		return bytes && (op < 0x0d || op > 0x12) ? bytes + 4 : bytes;
	default:
		return 0;
	}
}

static void test_table(void)
{
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		u32 bytes = expected(opcode >> 5, opcode & 31);

		CHECK_EQ(eng_packet_row((u8)opcode) != NULL, bytes != 0);
		if (bytes)
			CHECK_EQ(eng_packet_head_bytes((u8)opcode), bytes);
		CHECK(bytes <= ENG_WIRE_HEAD_MAX);
	}
}

/* Every field that an opcode has survives encoding and decoding. */
static void there_and_back(u8 opcode)
{
	struct eng_header in = {
		.service = opcode >> 5, .op = opcode & 31, .syndrome = 0x65, .pad = 2,
		.ack_req = true, .solicited = true, .dest_qpn = 0xabcdef, .psn = 0x123456,
		.imm = 0x99887766, .rkey = 0x10203040, .dma_length = 0x7fffffff,
		.qkey = 0x80010000, .src_qpn = 0x654321, .srqn = 0xfedcba, .msn = 0x777777,
		.va = 0x0123456789abcdef, .swap = 0x1111222233334444,
		.compare_add = 0x5555666677778888,
	};
	u32 flags = eng_packet_row(opcode)->flags;
	struct eng_header out = { .op = 0 };
	u8 bytes[ENG_WIRE_HEAD_MAX];

	CHECK_EQ(eng_packet_encode(&in, bytes), eng_packet_head_bytes(opcode));
	eng_packet_decode(&out, bytes);
	CHECK_EQ(out.head_bytes, eng_packet_head_bytes(opcode));
	CHECK_EQ(out.service << 5 | out.op, opcode);
	CHECK_EQ(out.pad, 2);
	CHECK(out.ack_req && out.solicited);
	CHECK_EQ(out.dest_qpn, in.dest_qpn);
	CHECK_EQ(out.psn, in.psn);
	if (flags & (ENG_HAS_RETH | ENG_HAS_ATOMIC)) {
		CHECK_EQ(out.va, in.va);
		CHECK_EQ(out.rkey, in.rkey);
	}
	if (flags & ENG_HAS_RETH)
		CHECK_EQ(out.dma_length, in.dma_length);
	if (flags & (ENG_HAS_ATOMIC | ENG_HAS_VALUE))
		CHECK_EQ(out.compare_add, in.compare_add);
	if (in.op == ENG_PKT_CMP_SWAP)
		CHECK_EQ(out.swap, in.swap);
	if (flags & ENG_HAS_AETH) {
		CHECK_EQ(out.syndrome, in.syndrome);
		CHECK_EQ(out.msn, in.msn);
	}
	if (flags & (ENG_HAS_IMM | ENG_HAS_INV))
		CHECK_EQ(out.imm, in.imm);
	if (in.service == ENG_SERVICE_UD) {
		CHECK_EQ(out.qkey, in.qkey);
		CHECK_EQ(out.src_qpn, in.src_qpn);
	}
	if (in.service == ENG_SERVICE_XRC && !(flags & ENG_IS_ANSWER))
		CHECK_EQ(out.srqn, in.srqn);
}

static void test_there_and_back(void)
{
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++)
		if (eng_packet_row((u8)opcode))
			CHECK_SUB(there_and_back((u8)opcode));
}

static const struct tap_test tests[] = {
	{ "opcodes and their headers", test_table },
	{ "every field there and back", test_there_and_back },
};

TAP_MAIN(tests)
