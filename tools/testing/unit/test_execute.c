// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_execute.c - what SEND, WRITE, READ and atomics do between two connected QPs.
 */
#include "pair.h"
#include "tap.h"

static void lengths_of(u8 opcode, bool recv)
{
	static const u32 lengths[] = {
		0, 1, 7, 8, 9, 63, 64, 100, 1023, 1024, 1025, 4095, 4096, 4097, 12345, 65536,
		65537, 200000,
	};
	struct pair p;
	u32 i;

	pair_init(&p);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct host_wr wr = pair_wr(&p, opcode, 100 + i, lengths[i]);
		struct host_mr *from = opcode == WR_READ ? &p.bmr : &p.amr;
		struct host_mr *to = opcode == WR_READ ? &p.amr : &p.bmr;
		struct shca_cqe wc;

		host_mr_fill(from, 0, PAIR_MR, i);
		host_mr_fill(to, 0, PAIR_MR, 99);
		wr.imm = 0x01020304;
		if (recv)
			pair_recv(&p, 500 + i, 0, PAIR_MR);
		host_send(&p.a, &wr);
		CHECK(host_poll(&p.acq, &wc));
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.wr_id, 100 + i);
		CHECK_EQ(wc.byte_len, lengths[i]);
		CHECK_EQ(wc.qpn, p.a.qpn);
		CHECK_EQ(wc.wqe_count, i + 1);
		CHECK(host_mr_check(to, 0, lengths[i], i));
		*host_mr_at(to, lengths[i]) ^= 0;
		host_mr_fill(from, 0, PAIR_MR, 99);
		CHECK_EQ(*host_mr_at(to, lengths[i]), *host_mr_at(from, lengths[i]));
		if (recv) {
			CHECK(host_poll(&p.bcq, &wc));
			CHECK_EQ(wc.status, OK);
			CHECK_EQ(wc.wr_id, 500 + i);
			CHECK_EQ(wc.byte_len, lengths[i]);
			CHECK_EQ(wc.opcode, opcode == WR_WRITE_IMM ? 129 : 128);
			CHECK_EQ(wc.wc_flags, opcode == WR_SEND ? 0 : 2);
			CHECK_EQ(wc.ex, opcode == WR_SEND ? 0 : 0x01020304);
		}
		CHECK(!host_poll(&p.acq, &wc) && !host_poll(&p.bcq, &wc));
		CHECK_EQ(p.a.shared->running, 0);
	}
	pair_fini(&p);
}

static void test_write(void) { lengths_of(WR_WRITE, false); }
static void test_write_imm(void) { lengths_of(WR_WRITE_IMM, true); }
static void test_send(void) { lengths_of(WR_SEND, true); }
static void test_send_imm(void) { lengths_of(WR_SEND_IMM, true); }
static void test_read(void) { lengths_of(WR_READ, false); }

static void test_completion_opcodes(void)
{
	static const u8 want[] = { 1, 1, 0, 0, 2, 3, 4 };
	struct pair p;
	u8 op;

	pair_init(&p);
	for (op = WR_WRITE; op <= WR_FAA; op++) {
		struct host_wr wr = pair_wr(&p, op, op, 8);
		struct shca_cqe wc;

		wr.raddr = (wr.raddr + 7) & ~7ull;
		pair_recv(&p, op, 0, 64);
		host_send(&p.a, &wr);
		CHECK(host_poll(&p.acq, &wc));
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.opcode, want[op]);
	}
	pair_fini(&p);
}

static void test_atomics(void)
{
	struct pair p;
	struct host_wr wr;
	u64 *word, *result;

	pair_init(&p);
	wr = pair_wr(&p, WR_FAA, 1, 8);
	word = (u64 *)host_mr_at(&p.bmr, 0);
	result = (u64 *)host_mr_at(&p.amr, 0);
	*word = 40;
	wr.compare_add = 2;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(*word, 42);
	CHECK_EQ(*result, 40);
	wr.opcode = WR_CAS;
	wr.compare_add = 41;
	wr.swap = 7;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(*word, 42);
	CHECK_EQ(*result, 42);
	wr.compare_add = 42;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(*word, 7);
	CHECK_EQ(*result, 42);
	/* G113: misaligned is an invalid request. */
	wr.raddr += 4;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), REM_INV);
	CHECK_EQ(*word, 7);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
	CHECK_EQ(host_event_find(p.b.eng, ENG_EVENT_QP_REQ_ERR), 1);
	pair_fini(&p);
}

/* F36: the pairs of statuses, each on a fresh pair of QPs. */
static void one_error(u32 kind, u32 sender, u32 receiver)
{
	struct pair p;
	struct host_wr wr;
	u32 seen = 255;

	pair_init(&p);
	wr = pair_wr(&p, WR_SEND, 1, 64);
	switch (kind) {
	case 0:				/* receive too small */
		pair_recv(&p, 9, 0, 63);
		break;
	case 1:				/* receive with a bad key */
		host_recv(&p.b, 9, host_mr_addr(&p.bmr, 0), 64, p.bmr.eng.key + 1);
		break;
	case 2:				/* receive without local write */
		p.bmr.eng.access = ENG_ACCESS_REMOTE_READ;
		pair_recv(&p, 9, 0, 64);
		break;
	case 3:				/* remote key */
		wr.opcode = WR_WRITE;
		wr.rkey ^= 1;
		break;
	case 4:				/* remote bounds, by one byte */
		wr.opcode = WR_WRITE;
		wr.raddr = host_mr_addr(&p.bmr, PAIR_MR - 63);
		break;
	case 5:				/* remote range that wraps */
		wr.opcode = WR_READ;
		wr.raddr = ~0ull - 8;
		break;
	case 6:				/* region without the right */
		p.bmr.eng.access &= ~ENG_ACCESS_REMOTE_READ;
		wr.opcode = WR_READ;
		break;
	case 7:				/* region of another PD */
		p.bmr.eng.pd = p.host.pd2;
		wr.opcode = WR_WRITE;
		break;
	case 8:				/* receive with too many elements */
		host_recv(&p.b, 9, host_mr_addr(&p.bmr, 0), 64, p.bmr.eng.key);
		((struct shca_recv_wqe *)p.b.rq)->count = 5;
		break;
	case 9:				/* remote range just before the region */
		wr.opcode = WR_WRITE;
		wr.raddr -= 1;
		break;
	}
	host_send(&p.a, &wr);
	seen = pair_status(&p.acq, 1);
	CHECK_EQ(seen, sender);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
	if (receiver != 255)
		CHECK_EQ(pair_status(&p.bcq, 9), receiver);
	else
		CHECK_EQ(host_event_find(p.b.eng, ENG_EVENT_QP_ACCESS_ERR), 1);
	pair_fini(&p);
}

static void test_f36_error_pairs(void)
{
	static const struct { u32 sender, receiver; } pairs[] = {
		{ REM_INV, LOC_LEN }, { REM_OP, LOC_PROT }, { REM_OP, LOC_PROT },
		{ REM_ACCESS, 255 }, { REM_ACCESS, 255 }, { REM_ACCESS, 255 },
		{ REM_ACCESS, 255 }, { REM_ACCESS, 255 }, { REM_OP, LOC_QP_OP },
		{ REM_ACCESS, 255 },
	};
	u32 i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		CHECK_SUB(one_error(i, pairs[i].sender, pairs[i].receiver));
}

/* Operations that the QP's own access flags forbid are invalid requests. */
static void test_qp_access_flags(void)
{
	static const u8 ops[] = { WR_WRITE, WR_READ, WR_FAA };
	u32 i;

	for (i = 0; i < 3; i++) {
		struct eng_qp_attr attr = { .access = 0 };
		struct host_wr wr;
		struct pair p;

		pair_init(&p);
		eng_qp_modify(p.b.eng, &attr, ENG_QP_ACCESS_FLAGS);
		wr = pair_wr(&p, ops[i], 1, 8);
		host_send(&p.a, &wr);
		CHECK_EQ(pair_status(&p.acq, 1), REM_INV);
		pair_fini(&p);
	}
}

/* F24: a responder without resources for READs refuses them; a requester without sends none. */
static void test_f24_no_read_resources(void)
{
	struct eng_qp_attr attr = { .max_dest_rd_atomic = 0 };
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	eng_qp_modify(p.b.eng, &attr, ENG_QP_MAX_DEST_RD_ATOMIC);
	wr = pair_wr(&p, WR_READ, 1, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), REM_INV);
	pair_fini(&p);
	pair_init(&p);
	eng_qp_modify(p.a.eng, &attr, ENG_QP_MAX_QP_RD_ATOMIC);
	wr = pair_wr(&p, WR_READ, 1, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), LOC_QP_OP);
	CHECK_EQ(host_query(&p.b), ENG_QPS_RTS);
	pair_fini(&p);
}

/* Zero bytes need no key at all. */
static void test_zero_length_needs_no_key(void)
{
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 0);
	wr.rkey = 0;
	wr.lkey = 0;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	wr.opcode = WR_READ;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	wr.addr = NULL;		/* num_sge 0 */
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	pair_fini(&p);
}

/* Scatter and gather over lists that do not match. */
static void test_scatter_gather(void)
{
	struct shca_sge from[4], to[4];
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	host_mr_fill(&p.amr, 0, PAIR_MR, 3);
	from[0] = (struct shca_sge){ host_mr_addr(&p.amr, 0), 10, p.amr.eng.key };
	from[1] = (struct shca_sge){ host_mr_addr(&p.amr, 10), 0, 0xdead };
	from[2] = (struct shca_sge){ host_mr_addr(&p.amr, 10), 9000, p.amr.eng.key };
	from[3] = (struct shca_sge){ host_mr_addr(&p.amr, 9010), 990, p.amr.eng.key };
	to[0] = (struct shca_sge){ host_mr_addr(&p.bmr, 0), 5000, p.bmr.eng.key };
	to[1] = (struct shca_sge){ host_mr_addr(&p.bmr, 5000), 1, p.bmr.eng.key };
	to[2] = (struct shca_sge){ host_mr_addr(&p.bmr, 5001), 4999, p.bmr.eng.key };
	to[3] = (struct shca_sge){ 0, 100, 0xbad };	/* not reached, so not looked at */
	wr = pair_wr(&p, WR_SEND, 1, 0);
	wr.sge = from;
	wr.num_sge = 4;
	host_recv_sges(&p.b, 2, to, 4);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.bcq, 2), OK);
	CHECK(host_mr_check(&p.bmr, 0, 10000, 3));
	pair_fini(&p);
}

/* A QP may be connected to itself. */
static void test_self_connected(void)
{
	struct host_wr wr;
	struct pair p;
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 16, .rq = 16 };

	pair_init_as(&p, &init);
	host_connect(&p.a, &p.a);
	host_state(&p.a, ENG_QPS_RESET);
	host_connect(&p.a, &p.a);
	host_mr_fill(&p.amr, 0, 5000, 8);
	host_recv(&p.a, 2, host_mr_addr(&p.bmr, 0), 5000, p.bmr.eng.key);
	wr = pair_wr(&p, WR_SEND, 1, 5000);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_mr_check(&p.bmr, 0, 5000, 8));
	pair_fini(&p);
}

/* F49: unequal path MTUs are an error, never wrong data; what fits both is fine. */
static void test_f49_unequal_mtu(void)
{
	struct eng_qp_attr attr = { .path_mtu = 256 };
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	eng_qp_modify(p.b.eng, &attr, ENG_QP_PATH_MTU);
	wr = pair_wr(&p, WR_WRITE, 1, 256);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	wr = pair_wr(&p, WR_WRITE, 2, 257);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), REM_INV);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "WRITE of every length", test_write },
	{ "WRITE with immediate", test_write_imm },
	{ "SEND", test_send },
	{ "SEND with immediate", test_send_imm },
	{ "READ", test_read },
	{ "opcodes of completions", test_completion_opcodes },
	{ "atomics", test_atomics },
	{ "F36: pairs of error statuses", test_f36_error_pairs },
	{ "operations that the QP forbids", test_qp_access_flags },
	{ "F24: zero READ resources", test_f24_no_read_resources },
	{ "zero length needs no key", test_zero_length_needs_no_key },
	{ "scatter and gather", test_scatter_gather },
	{ "a QP connected to itself", test_self_connected },
	{ "F49: unequal path MTU", test_f49_unequal_mtu },
};

TAP_MAIN(tests)
