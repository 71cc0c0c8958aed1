// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_rules.c - what a requester may send when, and how long it waits: limits, fences, every
 * code of the RNR timer.  Clauses: IBTA vol. 1.
 */
#include "cable_raw.h"
#include "tap.h"

static void post(struct wpair *p, u8 opcode, u64 wr_id, u8 flags)
{
	struct host_wr wr = wpair_wr(p, opcode, wr_id, 8);

	wr.flags |= flags;
	host_put_send(&p->a, &wr);
}

/* 9.4.4, 9.7.5.1.4: no more READs and atomics than max_rd_atomic are unanswered; who waits holds
 * back all that follows. */
static void test_outstanding_fetches(void)
{
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	wpair_modify(&p.a, (struct eng_qp_attr){ .max_rd_atomic = 2 }, ENG_QP_MAX_QP_RD_ATOMIC);
	post(&p, WR_READ, 0, 0);
	post(&p, WR_FAA, 1, 0);
	post(&p, WR_WRITE, 2, 0);
	post(&p, WR_CAS, 3, 0);
	post(&p, WR_WRITE, 4, 0);
	host_doorbell(&p.a);
	EXPECT(READ_REQ, psn, 28);
	EXPECT(FETCH_ADD, psn + 1, 40);
	EXPECT(WRITE_ONLY, psn + 2, 36);
	EXPECT(RESP_ONLY, psn, 24);
	/* One answer makes room for one. */
	CHECK_EQ(cable_waiting(), 4);
	EXPECT(ATOMIC_ACK, psn + 1, 24);
	EXPECT_ACK(psn + 2, SYN_ACK);
	EXPECT(CMP_SWAP, psn + 3, 40);
	EXPECT(WRITE_ONLY, psn + 4, 36);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 0), OK);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK_EQ(pair_status(&p.acq, 3), OK);
	CHECK_EQ(pair_status(&p.acq, 4), OK);
	wpair_fini(&p);
}

/* 10.8.3.3: a fence waits for READs and atomics before it, and for nothing else. */
static void test_fence(void)
{
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	post(&p, WR_WRITE, 0, 0);
	post(&p, WR_WRITE, 1, SHCA_SEND_FENCE);
	post(&p, WR_READ, 2, 0);
	post(&p, WR_FAA, 3, 0);
	post(&p, WR_WRITE, 4, SHCA_SEND_FENCE);
	host_doorbell(&p.a);
	EXPECT(WRITE_ONLY, psn, 36);
	EXPECT(WRITE_ONLY, psn + 1, 36);
	EXPECT(READ_REQ, psn + 2, 28);
	EXPECT(FETCH_ADD, psn + 3, 40);
	while (cable_waiting() && cable_peek(0)->bytes[0] == ACK)
		cable_deliver();
	EXPECT(RESP_ONLY, psn + 2, 24);
	CHECK(next_is(ATOMIC_ACK, psn + 3, 24));
	CHECK_EQ(cable_waiting(), 1);
	cable_deliver();
	EXPECT(WRITE_ONLY, psn + 4, 36);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 0), OK);
	wpair_fini(&p);
}

/* Table of RNR NAK timer codes (9.7.5.2.8) in steps of 10 us: 655.36 ms, then powers of two and the
 * middles between them. */
static u64 rnr_ns(u32 code)
{
	u64 steps = code < 2 ? 1 : code & 1 ? 3ull << (code - 3) / 2 : 1ull << code / 2;

	return (code ? steps : 65536) * 10000;
}

static void one_rnr(u32 code)
{
	struct wpair p;
	u64 start;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .retry_cnt = 0, .rnr_retry = 1 },
		     ENG_QP_RETRY_CNT | ENG_QP_RNR_RETRY);
	wpair_modify(&p.b, (struct eng_qp_attr){ .min_rnr_timer = (u8)code },
		     ENG_QP_MIN_RNR_TIMER);
	post(&p, WR_SEND, 1, 0);
	host_doorbell(&p.a);
	EXPECT(SEND_ONLY, first_psn(&p.a), 20);
	start = host_now;
	EXPECT_ACK(first_psn(&p.a), SYN_RNR | code);
	while (!cable_waiting())
		CHECK(cable_tick());
	CHECK_EQ(host_now - start, rnr_ns(code));
	EXPECT(SEND_ONLY, first_psn(&p.a), 20);
	EXPECT_ACK(first_psn(&p.a), SYN_RNR | code);
	CHECK_EQ(pair_status(&p.acq, 1), RNR_EXC);
	wpair_fini(&p);
}

static void test_rnr_codes(void)
{
	u32 code;

	for (code = 0; code < 32; code++)
		CHECK_SUB(one_rnr(code));
}

/* 9.7.5.2.8: what is acknowledged gives the RNR retries back, each message has all of them. */
static void test_rnr_retries_come_back(void)
{
	struct wpair p;
	u32 i, k;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .rnr_retry = 2 }, ENG_QP_RNR_RETRY);
	for (i = 0; i < 3; i++) {
		post(&p, WR_SEND, i, 0);
		host_doorbell(&p.a);
		for (k = 0; k < 2; k++) {
			cable_run();
			while (!cable_waiting())
				CHECK(cable_tick());
		}
		wpair_recv(&p, 100 + i, 0, 8);
		cable_run();
		CHECK_EQ(pair_status(&p.acq, i), OK);
	}
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RNR_NAKS), 6);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 0);
	wpair_fini(&p);
}

/* 9.7.6.1.3: so does the retry counter of the local ACK timeout. */
static void test_retries_come_back(void)
{
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .retry_cnt = 1, .timeout = 8 },
		     ENG_QP_RETRY_CNT | ENG_QP_TIMEOUT);
	for (i = 0; i < 4; i++) {
		post(&p, WR_WRITE, i, 0);
		host_doorbell(&p.a);
		while (cable_count(&p.ahost, ENG_CNT_RETRIES) == i) {
			while (cable_waiting())
				cable_drop();
			CHECK(cable_tick());
		}
		cable_run();
		CHECK_EQ(pair_status(&p.acq, i), OK);
	}
	wpair_fini(&p);
}

/*
 * 9.7.5.1.2, 9.7.5.2: a NAK acknowledges everything before its PSN; what it is about is neither
 * acknowledged nor lost.
 */
static void test_nak_acknowledges(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 i, psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	for (i = 0; i < 4; i++)
		post(&p, WR_WRITE, i, 0);
	host_doorbell(&p.a);
	while (cable_waiting())
		cable_drop();
	raw_bth(&k, &p.b, &p.a, ACK, psn + 2);
	raw_aeth(&k, SYN_NAK_SEQ, 2);
	cable_inject(&k);
	CHECK_EQ(pair_status(&p.acq, 0), OK);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(next_is(WRITE_ONLY, psn + 2, 36));
	CHECK_EQ(cable_waiting(), 1);
	while (cable_waiting())
		cable_drop();
	raw_bth(&k, &p.b, &p.a, ACK, psn + 3);
	raw_aeth(&k, SYN_NAK_ACCESS, 3);
	cable_inject(&k);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK_EQ(pair_status(&p.acq, 3), REM_ACCESS);
	wpair_fini(&p);
}

/* 9.6.1.4: the solicited event bit is on the last packet of what asks for it, and nowhere else. */
static void test_solicited(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wr = wpair_wr(&p, WR_SEND, 1, 3000);
	wr.flags |= SHCA_SEND_SOLICITED;
	host_put_send(&p.a, &wr);
	post(&p, WR_WRITE, 2, SHCA_SEND_SOLICITED);
	post(&p, WR_WRITE_IMM, 3, SHCA_SEND_SOLICITED);
	host_doorbell(&p.a);
	/* The second one that takes a receive waits for its credit. */
	for (i = 0; i < 4; i++)
		CHECK_EQ(cable_peek(i)->bytes[1] >> 7, i == 2);
	wpair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "9.4.4: max_rd_atomic", test_outstanding_fetches },
	{ "10.8.3.3: fence", test_fence },
	{ "9.7.5.2.8: every code of the RNR timer", test_rnr_codes },
	{ "9.7.5.2.8: RNR retries come back", test_rnr_retries_come_back },
	{ "9.7.6.1.3: retries come back", test_retries_come_back },
	{ "9.7.5.2: a NAK acknowledges what is before it", test_nak_acknowledges },
	{ "9.6.1.4: the solicited event bit", test_solicited },
};

TAP_MAIN(tests)
