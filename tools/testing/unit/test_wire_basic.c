// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_basic.c - each request as packets: which ones, with what in them, and nothing more.
 */
#include "cable_pair.h"
#include "tap.h"

/* IBTA vol. 1, 9.2 and 9.3: every field of a packet that has most of them. */
static void test_headers(void)
{
	const struct cable_packet *k;
	struct host_wr wr;
	struct shca_cqe wc;
	struct wpair p;

	wpair_init(&p);
	wpair_recv(&p, 9, 0, 100);
	host_mr_fill(&p.amr, 0, 13, 5);
	wr = wpair_wr(&p, WR_WRITE_IMM, 1, 13);
	wr.flags |= SHCA_SEND_SOLICITED;
	wr.imm = 0x04030201;
	host_send(&p.a, &wr);
	k = cable_peek(0);
	CHECK(next_is(WRITE_ONLY_IMM, first_psn(&p.a), 12 + 16 + 4 + 16));
	CHECK_EQ(k->bytes[1], 0x80 | 0x40 | 3 << 4);		/* SE, M, pad 3, version 0 */
	CHECK_EQ(cable_be(k->bytes + 2, 2), 0xffff);
	CHECK_EQ(k->bytes[4], 0);
	CHECK_EQ(cable_qpn(k), p.b.qpn);
	CHECK(cable_ack_req(k));
	CHECK_EQ(cable_be(k->bytes + 12, 4), wr.raddr >> 32);
	CHECK_EQ(cable_be(k->bytes + 16, 4), wr.raddr & 0xffffffff);
	CHECK_EQ(cable_be(k->bytes + 20, 4), wr.rkey);
	CHECK_EQ(cable_be(k->bytes + 24, 4), 13);
	CHECK_EQ(memcmp(k->bytes + 28, &wr.imm, 4), 0);
	CHECK_EQ(cable_be(k->bytes + 32 + 13, 3), 0);		/* the pad is zeros */
	cable_deliver();
	k = cable_peek(0);
	CHECK(next_is(ACK, first_psn(&p.a), 16));
	CHECK_EQ(cable_qpn(k), p.a.qpn);
	CHECK_EQ(cable_be(k->bytes + 13, 3), 1);		/* MSN */
	CHECK_EQ(k->bytes[12], 0);				/* no receive is left */
	cable_deliver();
	EXPECT_NOTHING();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_poll(&p.bcq, &wc));
	CHECK_EQ(wc.wr_id, 9);
	CHECK_EQ(wc.opcode, 129);
	CHECK_EQ(wc.byte_len, 13);
	CHECK_EQ(wc.ex, wr.imm);
	CHECK(host_mr_check(&p.bmr, 0, 13, 5));
	CHECK_EQ(cable_sent(), 2);
	wpair_fini(&p);
}

/* Opcodes of the packets of @length bytes, and that all of it arrives. */
static void one_length(u8 wr_opcode, u32 mtu, u32 length)
{
	bool send = wr_opcode == WR_SEND || wr_opcode == WR_SEND_IMM;
	bool imm = wr_opcode == WR_SEND_IMM || wr_opcode == WR_WRITE_IMM;
	u8 base = send ? SEND_FIRST : WRITE_FIRST;
	u32 count = length ? (length + mtu - 1) / mtu : 1, i;
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .path_mtu = mtu }, ENG_QP_PATH_MTU);
	wpair_modify(&p.b, (struct eng_qp_attr){ .path_mtu = mtu }, ENG_QP_PATH_MTU);
	host_mr_fill(&p.amr, 0, length, 3);
	wpair_recv(&p, 2, 0, 100000);
	wr = wpair_wr(&p, wr_opcode, 1, length);
	host_send(&p.a, &wr);
	/* What the first window holds. */
	for (i = 0; i < count && i < 64; i++) {
		const struct cable_packet *k = cable_peek(i);
		u8 op = count == 1 ? base + 4 + imm : i == 0 ? base :
			i + 1 < count ? base + 1 : base + 2 + imm;

		CHECK(k);
		CHECK_EQ(k->bytes[0], op);
		CHECK_EQ(cable_psn(k), (first_psn(&p.a) + i) & 0xffffff);
		if (i + 1 == count)
			CHECK(cable_ack_req(k));
	}
	CHECK(!cable_peek(i));
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK(host_mr_check(&p.bmr, 0, length, 3));
	CHECK_EQ(host_poll(&p.bcq, &wc), send || imm);
	if (send || imm)
		CHECK_EQ(wc.byte_len, length);
	EXPECT_NOTHING();
	wpair_fini(&p);
}

static void test_lengths(void)
{
	static const u32 lengths[] = { 0, 1, 2, 3, 4, 255, 256, 257, 511, 512, 513, 1023, 1024,
				       1025, 4095, 4096, 4097, 8192, 12289, 65536 };
	static const u8 ops[] = { WR_SEND, WR_SEND_IMM, WR_WRITE, WR_WRITE_IMM };
	u32 i, k, mtu;

	for (mtu = 256; mtu <= 4096; mtu *= 2)
		for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
			for (k = 0; k < 4; k++)
				CHECK_SUB(one_length(ops[k], mtu, lengths[i]));
}

/* 9.4.4: one request, responses FIRST, MIDDLE, LAST; the next message continues behind them. */
static void test_read(void)
{
	u32 psn;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	psn = first_psn(&p.a);
	host_mr_fill(&p.bmr, 0, 2500, 7);
	wr = wpair_wr(&p, WR_READ, 1, 2500);
	host_send(&p.a, &wr);
	wr = wpair_wr(&p, WR_READ, 2, 4);
	wr.addr = (void *)(unsigned long)host_mr_addr(&p.amr, 4000);
	host_send(&p.a, &wr);
	EXPECT(READ_REQ, psn, 28);
	EXPECT(READ_REQ, psn + 3, 28);
	EXPECT(RESP_FIRST, psn, 12 + 4 + 1024);
	EXPECT(RESP_MIDDLE, psn + 1, 12 + 1024);
	CHECK_EQ(pair_status(&p.acq, 1), 255);
	EXPECT(RESP_LAST, psn + 2, 12 + 4 + 452);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	EXPECT(RESP_ONLY, psn + 3, 20);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	EXPECT_NOTHING();
	CHECK(host_mr_check(&p.amr, 0, 2500, 7));
	CHECK(host_mr_check(&p.amr, 4000, 4, 7));
	wpair_fini(&p);
}

/* 9.4.5 */
static void test_atomics(void)
{
	const struct cable_packet *k;
	u64 *word, result;
	struct host_wr wr;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	word = (u64 *)host_mr_at(&p.bmr, 0);
	*word = 0x1122334455667788;
	wr = wpair_wr(&p, WR_CAS, 1, 8);
	wr.compare_add = *word;
	wr.swap = 10;
	host_send(&p.a, &wr);
	k = cable_peek(0);
	CHECK(next_is(CMP_SWAP, psn, 12 + 28));
	CHECK_EQ(cable_be(k->bytes + 28, 4), 10);		/* swap before compare */
	CHECK_EQ(cable_be(k->bytes + 32, 4), 0x11223344);
	cable_deliver();
	k = cable_peek(0);
	CHECK(next_is(ATOMIC_ACK, psn, 24));
	CHECK_EQ(cable_be(k->bytes + 16, 4), 0x11223344);
	cable_deliver();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(*word, 10);
	memcpy(&result, host_mr_at(&p.amr, 0), 8);
	CHECK_EQ(result, 0x1122334455667788);
	wr = wpair_wr(&p, WR_FAA, 2, 8);
	wr.compare_add = 5;
	host_send(&p.a, &wr);
	EXPECT(FETCH_ADD, psn + 1, 40);
	EXPECT(ATOMIC_ACK, psn + 1, 24);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK_EQ(*word, 15);
	EXPECT_NOTHING();
	wpair_fini(&p);
}

/* PSNs go round at 24 bits, in the middle of a message and of a READ. */
static void test_psn_wrap(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .sq_psn = 0xfffffe }, ENG_QP_SQ_PSN);
	wpair_modify(&p.b, (struct eng_qp_attr){ .rq_psn = 0xfffffe }, ENG_QP_RQ_PSN);
	host_mr_fill(&p.amr, 0, 4096, 1);
	wr = wpair_wr(&p, WR_WRITE, 1, 4096);
	host_send(&p.a, &wr);
	EXPECT(WRITE_FIRST, 0xfffffe, 12 + 16 + 1024);
	EXPECT(WRITE_MIDDLE, 0xffffff, 12 + 1024);
	EXPECT(WRITE_MIDDLE, 0, 12 + 1024);
	EXPECT(WRITE_LAST, 1, 12 + 1024);
	EXPECT_ACK(0xffffff, SYN_ACK);		/* every 16th packet asks */
	EXPECT_ACK(1, SYN_ACK);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_mr_check(&p.bmr, 0, 4096, 1));
	wpair_modify(&p.a, (struct eng_qp_attr){ .sq_psn = 0xfffffd }, ENG_QP_SQ_PSN);
	wpair_modify(&p.b, (struct eng_qp_attr){ .rq_psn = 0xfffffd }, ENG_QP_RQ_PSN);
	wr = wpair_wr(&p, WR_READ, 2, 5000);
	host_send(&p.a, &wr);
	EXPECT(READ_REQ, 0xfffffd, 28);
	for (i = 0; i < 5; i++)
		cable_deliver();
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	EXPECT_NOTHING();
	wpair_fini(&p);
}

/* A long READ is asked for in pieces, of which no more are under way than max_rd_atomic. */
static void test_read_split(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .max_rd_atomic = 2 }, ENG_QP_MAX_QP_RD_ATOMIC);
	host_mr_fill(&p.bmr, 0, 200000, 2);
	wr = wpair_wr(&p, WR_READ, 1, 200000);
	host_send(&p.a, &wr);
	/* 196 packets: pieces of 64, the first window holds one of them. */
	CHECK_EQ(cable_waiting(), 1);
	EXPECT(READ_REQ, first_psn(&p.a), 28);
	CHECK_EQ(cable_waiting(), 64);
	CHECK_EQ(cable_peek(63)->bytes[0], RESP_LAST);
	for (i = 0; i < 64; i++)
		cable_deliver();
	CHECK_EQ(cable_peek(0)->bytes[0], READ_REQ);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK(host_mr_check(&p.amr, 0, 200000, 2));
	wpair_fini(&p);
}

/* One acknowledge for what one step took in, and acknowledges asked for where nothing follows. */
static void test_coalescing(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i, asked = 0;

	wpair_init(&p);
	for (i = 0; i < 8; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	CHECK_EQ(cable_waiting(), 8);
	for (i = 0; i < 8; i++)
		asked += cable_ack_req(cable_peek(i));
	CHECK(asked <= 2);
	CHECK(cable_ack_req(cable_peek(7)));
	CHECK_EQ(cable_series(), 1);
	for (i = 0; i < 8; i++)
		cable_deliver();
	CHECK_EQ(cable_waiting(), asked);
	cable_run();
	for (i = 0; i < 8; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	wpair_fini(&p);
}

/* Several elements, inline data, both families of addresses. */
static void test_payloads(void)
{
	struct shca_sge sge[4];
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	host_mr_fill(&p.amr, 0, 6000, 9);
	for (i = 0; i < 4; i++)
		sge[i] = (struct shca_sge){ host_mr_addr(&p.amr, i * 1500), 1500, p.amr.eng.key };
	host_recv_sges(&p.b, 7, (struct shca_sge[]) {
		{ host_mr_addr(&p.bmr, 0), 10, p.bmr.eng.key },
		{ host_mr_addr(&p.bmr, 10), 0, p.bmr.eng.key },
		{ host_mr_addr(&p.bmr, 10), 3000, p.bmr.eng.key },
		{ host_mr_addr(&p.bmr, 3010), 3000, p.bmr.eng.key } }, 4);
	wr = wpair_wr(&p, WR_SEND, 1, 0);
	wr.sge = sge;
	wr.num_sge = 4;
	host_send(&p.a, &wr);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.bcq, 7), OK);
	CHECK(host_mr_check(&p.bmr, 0, 6000, 9));
	wr = wpair_wr(&p, WR_WRITE, 2, 200);
	wr.flags |= SHCA_SEND_INLINE;
	wr.addr = "inline data travels too";
	wr.length = 24;
	host_send(&p.a, &wr);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK_EQ(strcmp((char *)host_mr_at(&p.bmr, 0), "inline data travels too"), 0);
	wpair_fini(&p);
}

/* The host has room for a few packets at a time: everything waits, nothing is lost. */
static void test_back_pressure(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	host_mr_fill(&p.amr, 0, 100000, 1);
	host_mr_fill(&p.bmr, 100000, 100000, 2);
	cable_limit(3);
	wr = wpair_wr(&p, WR_WRITE, 1, 100000);
	host_send(&p.a, &wr);
	wr = wpair_wr(&p, WR_READ, 2, 100000);
	wr.addr = (void *)(unsigned long)host_mr_addr(&p.amr, 100000);
	wr.raddr = host_mr_addr(&p.bmr, 100000);
	host_send(&p.a, &wr);
	CHECK_EQ(cable_waiting(), 3);
	for (i = 0; i < 1000; i++) {
		cable_run();
		cable_make_room();
		if (!cable_waiting())
			break;
	}
	cable_limit(~0u);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.wr_id, 1);
	CHECK_EQ(wc.status, OK);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.wr_id, 2);
	CHECK_EQ(wc.status, OK);
	CHECK(host_mr_check(&p.bmr, 0, 100000, 1));
	CHECK(host_mr_check(&p.amr, 100000, 100000, 2));
	wpair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "headers byte by byte", test_headers },
	{ "SEND and WRITE of all lengths", test_lengths },
	{ "READ", test_read },
	{ "atomics", test_atomics },
	{ "PSNs go round", test_psn_wrap },
	{ "a long READ in pieces", test_read_split },
	{ "acknowledges are coalesced", test_coalescing },
	{ "elements and inline data", test_payloads },
	{ "a host without room", test_back_pressure },
};

TAP_MAIN(tests)
