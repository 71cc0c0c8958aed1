// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_psn.c - arithmetic modulo 2^24, packets per message, and the table of opcodes.
 */
#include "host.h"
#include "opcode.h"
#include "psn.h"
#include "tap.h"

static void test_circle(void)
{
	static const u32 steps[] = { 0, 1, 2, 1000, 0x7fffff };
	u32 i, base;

	for (base = 0; base < 0x1000000; base += 0x1fffff)
		for (i = 0; i < 5; i++) {
			u32 ahead = eng_psn_add(base, steps[i]);

			CHECK(ahead <= 0xffffff);
			CHECK_EQ(eng_psn_diff(ahead, base), (s32)steps[i]);
			CHECK_EQ(eng_psn_diff(base, ahead), -(s32)steps[i]);
		}
	CHECK_EQ(eng_psn_add(0xffffff, 1), 0);
	CHECK(eng_psn_diff(0x800001, 0) < 0);
}

static void test_packets(void)
{
	u32 shift, n;

	for (shift = 8; shift <= 12; shift++) {
		u32 mtu = 1u << shift;

		CHECK_EQ(eng_psn_count(0, shift), 1);
		CHECK_EQ(eng_psn_count(1, shift), 1);
		CHECK_EQ(eng_psn_count(mtu, shift), 1);
		CHECK_EQ(eng_psn_count(mtu + 1, shift), 2);
		for (n = 1; n < 1000; n++)
			CHECK_EQ(eng_psn_count(n * mtu, shift), n);
		CHECK_EQ(eng_psn_count(1u << 31, shift), 1u << (31 - shift));
	}
}

/* C226 to C229: which service carries what. */
static void test_opcode_table(void)
{
	static const u8 carried[3][33] = {
		/* RC: all but TSO; 32 is REG_MR */
		{ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, [32] = 1 },
		/* UC */
		{ 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, [32] = 1 },
		/* UD */
		{ 0, 0, 1, 1 },
	};
	u32 type, op;

	for (type = 0; type < 3; type++)
		for (op = 0; op < 256; op++) {
			const struct eng_opcode *row = eng_opcode_row((u8)op, (u8)(type + 2));

			CHECK_EQ(row != NULL, op < 33 && carried[type][op]);
			if (row)
				CHECK_EQ(row->wc, eng_opcode_wc((u8)op));
		}
	CHECK_EQ(eng_opcode_wc(255), 0);
}

static const struct tap_test tests[] = {
	{ "sequence numbers on a circle", test_circle },
	{ "packets per message", test_packets },
	{ "opcodes and services", test_opcode_table },
};

TAP_MAIN(tests)
