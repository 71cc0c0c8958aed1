// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_nak.c - what a responder answers to requests that it does not simply execute, and what
 * a requester makes of that.  Clauses: IBTA vol. 1, chapter 9.
 */
#include "cable_raw.h"
#include "tap.h"

static void put_write(struct cable_packet *k, struct wpair *p, u32 psn, u32 length)
{
	raw_bth(k, &p->a, &p->b, WRITE_ONLY, psn);
	raw_reth(k, host_mr_addr(&p->bmr, 0), p->bmr.eng.key, length);
	raw_payload(k, length, 0x11);
}

/* 9.7.5.2.2: one NAK per gap with the PSN that is missing; then silence until that one comes.  What
 * is behind another gap by then has the next NAK at once. */
static void test_sequence_nak(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	for (i = 2; i < 6; i++) {
		put_write(&k, &p, psn + i, 8);
		cable_inject(&k);
	}
	CHECK(next_acks(psn, SYN_NAK_SEQ));
	cable_drop();
	EXPECT_NOTHING();
	put_write(&k, &p, psn, 8);
	cable_inject(&k);
	CHECK(next_acks(psn + 1, SYN_NAK_SEQ));
	cable_drop();
	EXPECT_NOTHING();
	put_write(&k, &p, psn + 1, 8);
	cable_inject(&k);
	CHECK(next_acks(psn + 5, SYN_ACK));
	cable_drop();
	/* A gap of later on has its own. */
	put_write(&k, &p, psn + 7, 8);
	cable_inject(&k);
	CHECK(next_acks(psn + 6, SYN_NAK_SEQ));
	cable_drop();
	EXPECT_NOTHING();
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_GAPS), 5);
	wpair_fini(&p);
}

/* A second round whose first packet is lost again: its second one goes back in sequence, and that
 * is a new gap. */
static void test_second_round(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn, round, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	for (round = 0; round < 3; round++) {
		for (i = 1; i < 5; i++) {
			put_write(&k, &p, psn + i, 8);
			cable_inject(&k);
		}
		CHECK(next_acks(psn, SYN_NAK_SEQ));
		cable_drop();
		EXPECT_NOTHING();
	}
	wpair_fini(&p);
}

/* 9.7.5.1.2: a duplicate SEND or WRITE is acknowledged with the newest PSN and not executed. */
static void test_duplicate_write(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	for (i = 0; i < 3; i++) {
		put_write(&k, &p, psn + i, 8);
		cable_inject(&k);
		CHECK(next_acks(psn + i, SYN_ACK));
		cable_drop();
	}
	host_mr_fill(&p.bmr, 0, 8, 9);
	put_write(&k, &p, psn, 8);
	cable_inject(&k);
	CHECK(next_acks(psn + 2, SYN_ACK));
	CHECK_EQ(cable_be(cable_peek(0)->bytes + 13, 3), 3);
	cable_drop();
	CHECK(host_mr_check(&p.bmr, 0, 8, 9));
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_DUPLICATES), 1);
	wpair_fini(&p);
}

/* 9.4.5: an atomic is executed once however often it is asked for; the answer is the same. */
static void test_duplicate_atomic(void)
{
	struct cable_packet k;
	struct wpair p;
	u64 *word;
	u32 i, psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	word = (u64 *)host_mr_at(&p.bmr, 0);
	*word = 50;
	for (i = 0; i < 20; i++) {
		raw_bth(&k, &p.a, &p.b, FETCH_ADD, psn + i);
		raw_atomic(&k, host_mr_addr(&p.bmr, 0), p.bmr.eng.key, 1, 0);
		cable_inject(&k);
		CHECK(next_is(ATOMIC_ACK, psn + i, 24));
		cable_drop();
	}
	CHECK_EQ(*word, 70);
	for (i = 4; i < 20; i++) {
		raw_bth(&k, &p.a, &p.b, FETCH_ADD, psn + i);
		raw_atomic(&k, host_mr_addr(&p.bmr, 0), p.bmr.eng.key, 1, 0);
		cable_inject(&k);
		CHECK(next_is(ATOMIC_ACK, psn + i, 24));
		CHECK_EQ(cable_be(cable_peek(0)->bytes + 20, 4), 50 + i);
		cable_drop();
	}
	CHECK_EQ(*word, 70);
	/* Older than 16 ago: forgotten, so nothing is answered and above all nothing is done. */
	raw_bth(&k, &p.a, &p.b, FETCH_ADD, psn + 3);
	raw_atomic(&k, host_mr_addr(&p.bmr, 0), p.bmr.eng.key, 1, 0);
	cable_inject(&k);
	EXPECT_NOTHING();
	CHECK_EQ(*word, 70);
	wpair_fini(&p);
}

/* 9.7.5.1.1: a duplicate READ is executed again, also from its middle. */
static void test_duplicate_read(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	raw_bth(&k, &p.a, &p.b, READ_REQ, psn);
	raw_reth(&k, host_mr_addr(&p.bmr, 0), p.bmr.eng.key, 3000);
	cable_inject(&k);
	CHECK_EQ(cable_waiting(), 3);
	CHECK_EQ(cable_be(cable_peek(2)->bytes + 13, 3), 1);
	cable_drop();
	cable_drop();
	cable_drop();
	raw_bth(&k, &p.a, &p.b, READ_REQ, psn + 1);
	raw_reth(&k, host_mr_addr(&p.bmr, 1024), p.bmr.eng.key, 1976);
	cable_inject(&k);
	CHECK(next_is(RESP_FIRST, psn + 1, 16 + 1024));
	cable_drop();
	CHECK(next_is(RESP_LAST, psn + 2, 16 + 952));
	CHECK_EQ(cable_be(cable_peek(0)->bytes + 13, 3), 1);
	cable_drop();
	put_write(&k, &p, psn + 3, 8);
	cable_inject(&k);
	CHECK(next_acks(psn + 3, SYN_ACK));
	wpair_fini(&p);
}

/* Asks for bytes of a region of the peer's that the caller ends. */
static void read_from(struct wpair *p, struct host_mr *key)
{
	struct host_wr wr = wpair_wr(p, WR_READ, 1, 8);

	host_mr_init(&p->bhost, key, 4096, ALL_ACCESS);
	wr.raddr = host_mr_addr(key, 0);
	wr.rkey = key->eng.key;
	host_send(&p->a, &wr);
}

/*
 * Simulator, seed 5033 with invalidation: a duplicate READ arrives late, when the key that it names
 * is gone.  That is no fault of the peer's: it is refused, which who still waits for it can use,
 * and the connection goes on.
 */
static void test_ghost_of_a_read(void)
{
	u32 events = host_event_count;
	struct cable_packet ghost;
	struct shca_cqe wc;
	struct host_mr key;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	read_from(&p, &key);
	ghost = *cable_peek(0);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	host_mr_fini(&key);
	cable_inject(&ghost);
	EXPECT_ACK(first_psn(&p.a), SYN_NAK_ACCESS);
	EXPECT_NOTHING();
	CHECK_EQ(host_query(&p.a), ENG_QPS_RTS);
	CHECK_EQ(host_query(&p.b), ENG_QPS_RTS);
	CHECK_EQ(host_event_count, events);
	wr = wpair_wr(&p, WR_WRITE, 2, 8);
	host_send(&p.a, &wr);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	wpair_fini(&p);
}

/* The answer to a READ was lost, and the region is gone when it is asked for again. */
static void test_repeated_read_of_nothing(void)
{
	struct shca_cqe wc;
	struct host_mr key;
	struct wpair p;

	wpair_init(&p);
	read_from(&p, &key);
	cable_deliver();
	cable_drop();
	host_mr_fini(&key);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, REM_ACCESS);
	CHECK_EQ(host_query(&p.b), ENG_QPS_RTS);
	wpair_fini(&p);
}

/* 9.7.5.2.8: RNR NAK with the timer code of the responder; the packet is taken when it comes
 * again, those behind it wait for it without a sequence NAK. */
static void test_rnr(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	wpair_modify(&p.b, (struct eng_qp_attr){ .min_rnr_timer = 17 }, ENG_QP_MIN_RNR_TIMER);
	raw_bth(&k, &p.a, &p.b, SEND_ONLY, psn);
	raw_payload(&k, 8, 1);
	cable_inject(&k);
	CHECK(next_acks(psn, SYN_RNR | 17));
	cable_drop();
	put_write(&k, &p, psn + 1, 8);
	cable_inject(&k);
	EXPECT_NOTHING();
	wpair_recv(&p, 1, 0, 8);
	raw_bth(&k, &p.a, &p.b, SEND_ONLY, psn);
	raw_payload(&k, 8, 1);
	cable_inject(&k);
	CHECK(next_acks(psn + 1, SYN_ACK));
	CHECK_EQ(pair_status(&p.bcq, 1), OK);
	wpair_fini(&p);
}

/* A message of several packets finds no receive for its immediate: the last packet waits, and what
 * is here stays (9.7.5.2.8 names the packet, not the message). */
static void test_rnr_at_last(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	host_mr_fill(&p.amr, 0, 2500, 4);
	wr = wpair_wr(&p, WR_WRITE_IMM, 1, 2500);
	host_send(&p.a, &wr);
	EXPECT(WRITE_FIRST, psn, 28 + 1024);
	EXPECT(WRITE_MIDDLE, psn + 1, 12 + 1024);
	EXPECT(WRITE_LAST_IMM, psn + 2, 12 + 4 + 452);
	EXPECT_ACK(psn + 2, SYN_RNR | 12);
	EXPECT_NOTHING();
	wpair_recv(&p, 5, 0, 0);
	CHECK(cable_tick());
	EXPECT(WRITE_LAST_IMM, psn + 2, 12 + 4 + 452);
	EXPECT_ACK(psn + 2, SYN_ACK);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_poll(&p.bcq, &wc));
	CHECK_EQ(wc.byte_len, 2500);
	CHECK(host_mr_check(&p.bmr, 0, 2500, 4));
	wpair_fini(&p);
}

/* F01 on the wire: rnr_retry tries, each its timer apart, then the error. */
static void test_rnr_retries(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u64 start;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .rnr_retry = 3 }, ENG_QP_RNR_RETRY);
	wpair_modify(&p.b, (struct eng_qp_attr){ .min_rnr_timer = 20 }, ENG_QP_MIN_RNR_TIMER);
	start = host_now;
	wr = wpair_wr(&p, WR_SEND, 1, 8);
	host_send(&p.a, &wr);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, RNR_EXC);
	CHECK_EQ(host_now - start, 3 * 10240 * 1000ull);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	wpair_fini(&p);
}

/* Old acknowledges during an RNR wait complete what they say and do not end the wait. */
static void test_rnr_and_late_ack(void)
{
	struct cable_packet k;
	struct host_wr wr;
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	for (i = 0; i < 3; i++) {
		wr = wpair_wr(&p, i == 2 ? WR_SEND : WR_WRITE, i, 8);
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	while (cable_waiting())
		cable_drop();
	raw_bth(&k, &p.b, &p.a, ACK, psn + 1);
	raw_aeth(&k, SYN_RNR | 20, 1);
	cable_inject(&k);		/* the first is done, the second waits 10.24 ms */
	CHECK_EQ(pair_status(&p.acq, 0), OK);
	host_now += 1000 * 1000;
	raw_bth(&k, &p.b, &p.a, ACK, psn + 1);
	raw_aeth(&k, 31, 2);
	cable_inject(&k);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	EXPECT_NOTHING();
	CHECK(cable_tick());
	CHECK_EQ(host_now, 1 + 10240 * 1000);
	CHECK(next_is(SEND_ONLY, psn + 2, 20));
	wpair_fini(&p);
}

struct refusal {
	u8 wr_opcode;
	u32 length;
	u32 rkey_add;
	u64 raddr_add;
	u32 access;			/* taken from B's QP */
	u32 recv_bytes;			/* of B's receive, ~0: none */
	u32 status;			/* of A's request */
	u32 recv_status;		/* of B's receive, 255: none completes with an error */
	u8 syndrome;
	enum eng_event event;		/* of B's QP, 0: none */
};

/* 9.9.3: classes of responder errors; both sides are in ERR afterwards. */
static void one_refusal(const struct refusal *r)
{
	const u32 all = ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ | ENG_ACCESS_REMOTE_ATOMIC;
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	bool seen = false;

	wpair_init(&p);
	wpair_modify(&p.b, (struct eng_qp_attr){ .access = all & ~r->access },
		     ENG_QP_ACCESS_FLAGS);
	if (r->recv_bytes != ~0u)
		wpair_recv(&p, 9, 0, r->recv_bytes);
	wr = wpair_wr(&p, r->wr_opcode, 1, r->length);
	wr.rkey += r->rkey_add;
	wr.raddr += r->raddr_add;
	host_send(&p.a, &wr);
	wr = wpair_wr(&p, WR_WRITE, 2, 8);
	host_send(&p.a, &wr);
	while (cable_waiting()) {
		const struct cable_packet *k = cable_peek(0);

		seen = seen || (k->bytes[0] == ACK && k->bytes[12] == r->syndrome);
		cable_deliver();
	}
	CHECK(seen);
	CHECK(host_poll(&p.acq, &wc));
	CHECK_EQ(wc.status, r->status);
	CHECK_EQ(pair_status(&p.acq, 2), FLUSH);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
	if (r->recv_bytes != ~0u)
		CHECK_EQ(pair_status(&p.bcq, 9), r->recv_status == 255 ? FLUSH : r->recv_status);
	if (r->event)
		CHECK_EQ(host_event_find(p.b.eng, r->event), 1);
	wpair_fini(&p);
}

static void test_refusals(void)
{
	static const struct refusal refusals[] = {
		/* a key that is none, a range that ends beyond, an address before */
		{ WR_WRITE, 8, 1, 0, 0, ~0u, REM_ACCESS, 255, SYN_NAK_ACCESS,
		  ENG_EVENT_QP_ACCESS_ERR },
		{ WR_WRITE, 8, 0, PAIR_MR - 7, 0, ~0u, REM_ACCESS, 255, SYN_NAK_ACCESS,
		  ENG_EVENT_QP_ACCESS_ERR },
		{ WR_WRITE, 5000, 0, PAIR_MR - 4999, 0, ~0u, REM_ACCESS, 255, SYN_NAK_ACCESS,
		  ENG_EVENT_QP_ACCESS_ERR },
		{ WR_READ, 5000, 0, -1ull, 0, ~0u, REM_ACCESS, 255, SYN_NAK_ACCESS,
		  ENG_EVENT_QP_ACCESS_ERR },
		{ WR_FAA, 8, 1, 0, 0, ~0u, REM_ACCESS, 255, SYN_NAK_ACCESS,
		  ENG_EVENT_QP_ACCESS_ERR },
		/* what the QP was not made for */
		{ WR_WRITE, 8, 0, 0, ENG_ACCESS_REMOTE_WRITE, ~0u, REM_INV, 255, SYN_NAK_INV,
		  ENG_EVENT_QP_REQ_ERR },
		{ WR_READ, 8, 0, 0, ENG_ACCESS_REMOTE_READ, ~0u, REM_INV, 255, SYN_NAK_INV,
		  ENG_EVENT_QP_REQ_ERR },
		{ WR_CAS, 8, 0, 0, ENG_ACCESS_REMOTE_ATOMIC, ~0u, REM_INV, 255, SYN_NAK_INV,
		  ENG_EVENT_QP_REQ_ERR },
		/* an atomic beside its alignment (9.7.4.1.7) */
		{ WR_CAS, 8, 0, 4, 0, ~0u, REM_INV, 255, SYN_NAK_INV, ENG_EVENT_QP_REQ_ERR },
		/* F36: a receive too short, at the first packet and in the middle */
		{ WR_SEND, 100, 0, 0, 0, 99, REM_INV, LOC_LEN, SYN_NAK_INV, 0 },
		{ WR_SEND, 5000, 0, 0, 0, 3000, REM_INV, LOC_LEN, SYN_NAK_INV, 0 },
		/* a receive outside of its region */
		{ WR_SEND, 100, 0, 0, 0, PAIR_MR + 1, REM_OP, LOC_PROT, SYN_NAK_OP, 0 },
	};
	u32 i;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		one_refusal(&refusals[i]);
		if (tap_failed)
			printf("# refusal %u\n", i);
		CHECK(!tap_failed);
	}
}

/* 9.7.5.1.5: an acknowledge beyond a READ without its responses: they are asked for again. */
static void test_implied_nak(void)
{
	struct cable_packet k;
	struct host_wr wr;
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	host_mr_fill(&p.bmr, 0, 3000, 6);
	wr = wpair_wr(&p, WR_READ, 1, 3000);
	host_put_send(&p.a, &wr);
	wr = wpair_wr(&p, WR_WRITE, 2, 8);
	wr.raddr += 10000;
	host_put_send(&p.a, &wr);
	host_doorbell(&p.a);
	CHECK(next_is(READ_REQ, psn, 28));
	cable_drop();
	CHECK(next_is(WRITE_ONLY, psn + 3, 28 + 8));
	cable_drop();
	raw_bth(&k, &p.b, &p.a, ACK, psn + 3);
	raw_aeth(&k, 31, 2);
	cable_inject(&k);
	CHECK_EQ(pair_status(&p.acq, 1), 255);
	/* The WRITE is done, although it cannot complete yet: it does not go again. */
	EXPECT(READ_REQ, psn, 28);
	for (i = 0; i < 3; i++)
		cable_deliver();
	EXPECT_NOTHING();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK(host_mr_check(&p.amr, 0, 3000, 6));
	wpair_fini(&p);
}

/* 9.7.5.1.1: the responses that are missing are asked for, and those that came are not. */
static void test_read_gaps(void)
{
	static const bool lost[10] = { [1] = true, [4] = true, [5] = true, [8] = true };
	struct host_wr wr;
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	host_mr_fill(&p.bmr, 0, 10000, 6);
	wr = wpair_wr(&p, WR_READ, 1, 10000);
	host_send(&p.a, &wr);
	EXPECT(READ_REQ, psn, 28);
	for (i = 0; i < 10; i++) {
		CHECK_EQ(cable_psn(cable_peek(0)), (psn + i) & 0xffffff);
		if (lost[i])
			cable_drop();
		else
			cable_deliver();
	}
	CHECK_EQ(cable_be(cable_peek(0)->bytes + 24, 4), 1024);
	EXPECT(READ_REQ, psn + 1, 28);
	CHECK_EQ(cable_be(cable_peek(0)->bytes + 24, 4), 2048);
	EXPECT(READ_REQ, psn + 4, 28);
	EXPECT(READ_REQ, psn + 8, 28);
	EXPECT(RESP_ONLY, psn + 1, 16 + 1024);
	EXPECT(RESP_FIRST, psn + 4, 16 + 1024);
	EXPECT(RESP_LAST, psn + 5, 16 + 1024);
	EXPECT(RESP_ONLY, psn + 8, 16 + 1024);
	EXPECT_NOTHING();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_mr_check(&p.amr, 0, 10000, 6));
	wpair_fini(&p);
}

/* Where there is no room to keep what came, the READ goes on from the first one that is missing. */
static void test_read_resumes(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	cable_keep(false);
	psn = first_psn(&p.a);
	host_mr_fill(&p.bmr, 0, 3000, 6);
	wr = wpair_wr(&p, WR_READ, 1, 3000);
	host_send(&p.a, &wr);
	EXPECT(READ_REQ, psn, 28);
	EXPECT(RESP_FIRST, psn, 16 + 1024);
	cable_drop();
	EXPECT(RESP_LAST, psn + 2, 16 + 952);
	CHECK_EQ(cable_be(cable_peek(0)->bytes + 24, 4), 3000 - 1024);
	EXPECT(READ_REQ, psn + 1, 28);
	EXPECT(RESP_FIRST, psn + 1, 16 + 1024);
	EXPECT(RESP_LAST, psn + 2, 16 + 952);
	EXPECT_NOTHING();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_mr_check(&p.amr, 0, 3000, 6));
	wpair_fini(&p);
}

/* 9.7.7.2: a SEND without a credit waits while something is in flight; RNR is thus rare. */
static void test_credits(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	wpair_recv(&p, 100, 0, 8);
	wr = wpair_wr(&p, WR_WRITE, 0, 8);
	host_send(&p.a, &wr);
	cable_run();			/* A knows: one receive */
	CHECK_EQ(pair_status(&p.acq, 0), OK);
	for (i = 1; i < 4; i++) {
		wr = wpair_wr(&p, WR_SEND, i, 8);
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	CHECK_EQ(cable_waiting(), 1);
	EXPECT(SEND_ONLY, psn + 1, 20);
	wpair_recv(&p, 101, 0, 8);
	wpair_recv(&p, 102, 0, 8);
	EXPECT_ACK(psn + 1, SYN_ACK);
	cable_run();
	for (i = 1; i < 4; i++) {
		CHECK_EQ(pair_status(&p.acq, i), OK);
		CHECK_EQ(pair_status(&p.bcq, 99 + i), OK);
	}
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RNR_NAKS), 0);
	wpair_fini(&p);
}

/* 9.7.4.1.1: communication is established by the first request in RTR. */
static void test_established(void)
{
	struct cable_packet k;
	struct wpair p;
	struct eng_qp_attr attr;

	wpair_make(&p, ENG_QPT_RC);
	cable_connect(&p.a, &p.b);
	host_state(&p.b, ENG_QPS_RESET);
	host_state(&p.b, ENG_QPS_INIT);
	host_qp_attr(&p.b, &p.a, &attr);
	attr.peer = NULL;
	attr.wire = true;
	cable_gid(&p.bhost, attr.sgid);
	cable_gid(&p.ahost, attr.dgid);
	attr.state = ENG_QPS_RTR;
	eng_qp_modify(p.b.eng, &attr, ENG_QP_STATE | HOST_ALL_ATTRS);
	put_write(&k, &p, first_psn(&p.a), 8);
	cable_inject(&k);
	CHECK_EQ(host_event_find(p.b.eng, ENG_EVENT_COMM_EST), 1);
	CHECK(next_acks(first_psn(&p.a), SYN_ACK));
	wpair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "9.7.5.2.2: one sequence NAK per gap", test_sequence_nak },
	{ "a gap at the start of the second round", test_second_round },
	{ "9.7.5.1.2: duplicate WRITE", test_duplicate_write },
	{ "9.4.5: duplicate atomic", test_duplicate_atomic },
	{ "9.7.5.1.1: duplicate READ", test_duplicate_read },
	{ "a late duplicate of a READ whose key is gone (seed 5033)", test_ghost_of_a_read },
	{ "a READ asked for again when its region is gone", test_repeated_read_of_nothing },
	{ "9.7.5.2.8: RNR NAK", test_rnr },
	{ "RNR NAK at the last packet", test_rnr_at_last },
	{ "F01: rnr_retry on the wire", test_rnr_retries },
	{ "a late acknowledge during an RNR wait", test_rnr_and_late_ack },
	{ "9.9.3: refusals", test_refusals },
	{ "9.7.5.1.5: implied NAK of a READ", test_implied_nak },
	{ "9.7.5.1.1: a READ asks for what is missing", test_read_gaps },
	{ "9.7.5.1.1: a READ goes on where a response is missing", test_read_resumes },
	{ "9.7.7.2: end-to-end credits", test_credits },
	{ "communication established", test_established },
};

TAP_MAIN(tests)
