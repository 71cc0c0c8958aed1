// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_hold.c - what is missing goes again alone where the far end keeps the rest, and with
 * all the rest where it does not; and what is kept has no effect before its turn, and an end.
 *
 * IBTA vol. 1, 9.7.4.1.2 lets a responder do either.
 */
#include "cable_raw.h"
#include "tap.h"

enum { US = 1000, MS = 1000 * 1000 };

static void write_at(struct wpair *p, u32 i, u32 length)
{
	struct host_wr wr = wpair_wr(p, WR_WRITE, i, length);

	wr.addr = (const void *)(unsigned long)host_mr_addr(&p->amr, 4096 * i);
	wr.raddr = host_mr_addr(&p->bmr, 4096 * i);
	host_put_send(&p->a, &wr);
}

/* WRITEs with these numbers, by one doorbell. */
static void write_many(struct wpair *p, u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to; i++)
		write_at(p, i, 8);
	host_doorbell(&p->a);
}

static void completed(struct wpair *p, u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to; i++)
		CHECK_EQ(pair_status(&p->acq, i), OK);
}

/* The oldest packet of @n on the wire is lost, the rest arrives. */
static void lose_first_of(u32 n)
{
	cable_drop();
	while (--n)
		cable_deliver();
}

/* A knows by one loss what B does, and its timer is on time. */
static void learn(struct wpair *p, u32 from)
{
	write_many(p, from, from + 4);
	lose_first_of(4);
	cable_run();
	CHECK_SUB(completed(p, from, from + 4));
}

/* The first loss: the missing packet alone, and nothing new until its answer; that covers all. */
static void test_kept(void)
{
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	write_many(&p, 0, 4);
	lose_first_of(4);
	EXPECT_ACK(psn, SYN_NAK_SEQ);
	write_many(&p, 4, 8);
	CHECK_EQ(cable_waiting(), 1);
	CHECK(cable_ack_req(cable_peek(0)));
	EXPECT(WRITE_ONLY, psn, 28 + 8);
	EXPECT_ACK(psn + 3, SYN_ACK);
	CHECK_SUB(completed(&p, 0, 4));
	CHECK_EQ(cable_waiting(), 4);
	/* From now on new packets follow at once. */
	lose_first_of(4);
	EXPECT_ACK(psn + 4, SYN_NAK_SEQ);
	write_many(&p, 8, 12);
	EXPECT(WRITE_ONLY, psn + 4, 28 + 8);
	CHECK_EQ(cable_waiting(), 5);
	cable_run();
	CHECK_SUB(completed(&p, 4, 12));
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_TX_AGAIN), 2);
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_HELD), 6);
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_DUPLICATES), 0);
	wpair_fini(&p);
}

/* Who drops what is behind a gap shows it once; then everything goes again at each loss. */
static void test_dropped(void)
{
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	cable_keep(false);
	psn = first_psn(&p.a);
	write_many(&p, 0, 4);
	lose_first_of(4);
	EXPECT_ACK(psn, SYN_NAK_SEQ);
	EXPECT(WRITE_ONLY, psn, 28 + 8);
	EXPECT_ACK(psn, SYN_ACK);
	CHECK_EQ(cable_waiting(), 3);
	cable_run();
	CHECK_SUB(completed(&p, 0, 4));
	write_many(&p, 4, 8);
	lose_first_of(4);
	EXPECT_ACK(psn + 4, SYN_NAK_SEQ);
	CHECK_EQ(cable_waiting(), 4);
	cable_run();
	CHECK_SUB(completed(&p, 4, 8));
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_TX_AGAIN), 8);
	wpair_fini(&p);
}

/* Each gap is named as soon as the one before it is closed. */
static void test_many_gaps(void)
{
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	CHECK_SUB(learn(&p, 0));
	psn = first_psn(&p.a) + 4;
	write_many(&p, 4, 16);
	for (i = 0; i < 12; i++) {
		if (i % 3)
			cable_deliver();
		else
			cable_drop();
	}
	for (i = 0; i < 12; i += 3) {
		EXPECT_ACK(psn + i, SYN_NAK_SEQ);
		EXPECT(WRITE_ONLY, psn + i, 28 + 8);
	}
	EXPECT_ACK(psn + 11, SYN_ACK);
	EXPECT_NOTHING();
	CHECK_SUB(completed(&p, 4, 16));
	wpair_fini(&p);
}

/* Neighbours that are lost together are not sent again one per round trip. */
static void test_burst(void)
{
	struct wpair p;
	u32 psn, i, n, rounds = 0;

	wpair_init(&p);
	CHECK_SUB(learn(&p, 0));
	psn = first_psn(&p.a) + 4;
	write_many(&p, 4, 34);
	for (i = 0; i < 29; i++)
		cable_drop();
	cable_deliver();
	for (n = 0; n < 29; n += i, rounds++) {
		EXPECT_ACK(psn + n, SYN_NAK_SEQ);
		for (i = 0; cable_peek(0) && cable_peek(0)->bytes[0] == WRITE_ONLY; i++)
			cable_deliver();
		/* Each of them is acknowledged; the last one names what is next. */
		while (cable_waiting() > 1)
			cable_deliver();
	}
	CHECK_EQ(rounds, 5);
	cable_run();
	CHECK_SUB(completed(&p, 4, 34));
	wpair_fini(&p);
}

/* Round trips of 100 us, until the timer knows them. */
static void warm_up(struct wpair *p, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		write_many(p, i, i + 1);
		cable_deliver();
		host_now += 100 * US;
		cable_deliver();
		CHECK_SUB(completed(p, i, i + 1));
	}
}

/*
 * The repeated packet is lost as well: nobody says so, and new packets that follow put the look for
 * it off by nothing.
 */
static void test_lost_again(void)
{
	struct wpair p;
	u64 start;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .retry_cnt = 0 }, ENG_QP_RETRY_CNT);
	CHECK_SUB(warm_up(&p, 20));
	CHECK_SUB(learn(&p, 20));
	write_many(&p, 24, 26);
	lose_first_of(2);
	EXPECT_ACK(first_psn(&p.a) + 24, SYN_NAK_SEQ);
	CHECK_EQ(cable_waiting(), 1);
	cable_drop();
	start = host_now;
	for (i = 26; host_now < start + 1 * MS; i++) {
		write_many(&p, i, i + 1);
		cable_run();
		host_now += 20 * US;
		if (env_read(p.a.deadline) <= host_now)
			host_tick(&p.a);
		if (pair_status(&p.acq, 24) == OK)
			break;
	}
	/* 100 us of a round trip and its deviations */
	CHECK(host_now - start < 400 * US);
	cable_run();
	CHECK_SUB(completed(&p, 25, i + 1));
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 0);
	wpair_fini(&p);
}

/* Nothing is written and nobody hears of a message before those in front of it. */
static void test_order(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	for (i = 0; i < 3; i++) {
		wpair_recv(&p, 100 + i, 4096 * i, 1000);
		host_mr_fill(&p.amr, 4096 * i, 1000, i);
		wr = wpair_wr(&p, WR_SEND, i, 1000);
		wr.addr = (const void *)(unsigned long)host_mr_addr(&p.amr, 4096 * i);
		host_put_send(&p.a, &wr);
	}
	memset(host_mr_at(&p.bmr, 0), 0xee, 4096 * 3);
	host_doorbell(&p.a);
	CHECK_EQ(cable_waiting(), 3);
	lose_first_of(3);
	CHECK(!host_poll(&p.bcq, &wc));
	CHECK_EQ(*(u8 *)host_mr_at(&p.bmr, 4096), 0xee);
	CHECK_EQ(*(u8 *)host_mr_at(&p.bmr, 0), 0xee);
	cable_run();
	for (i = 0; i < 3; i++) {
		CHECK_EQ(pair_status(&p.bcq, 100 + i), OK);
		CHECK(host_mr_check(&p.bmr, 4096 * i, 1000, i));
	}
	wpair_fini(&p);
}

/* 9.4.5: an atomic that waited, and then comes again, is executed once. */
static void test_atomic(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	CHECK_SUB(learn(&p, 0));
	*(u64 *)host_mr_at(&p.bmr, 0) = 10;
	for (i = 0; i < 3; i++) {
		wr = wpair_wr(&p, WR_FAA, 4 + i, 8);
		wr.compare_add = 1;
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	CHECK_EQ(cable_waiting(), 3);
	cable_drop();
	cable_inject(cable_peek(0));
	cable_inject(cable_peek(0));
	CHECK_EQ(*(u64 *)host_mr_at(&p.bmr, 0), 10);
	cable_run();
	CHECK_SUB(completed(&p, 4, 7));
	CHECK_EQ(*(u64 *)host_mr_at(&p.bmr, 0), 13);
	wpair_fini(&p);
}

static void put_write(struct cable_packet *k, struct wpair *p, u32 psn)
{
	raw_bth(k, &p->a, &p->b, WRITE_ONLY, psn);
	raw_reth(k, host_mr_addr(&p->bmr, 0), p->bmr.eng.key, 8);
	raw_payload(k, 8, 0x11);
}

/* No more than a window is kept, each number once, whatever the order. */
static void test_bound(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn, i, round;

	wpair_init(&p);
	psn = first_psn(&p.a);
	for (round = 0; round < 2; round++)
		for (i = 1000; i > 1; i--) {
			put_write(&k, &p, psn + i);
			cable_inject(&k);
		}
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_HELD), 254);
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_OVERFLOW), 0);
	while (cable_waiting())
		cable_drop();
	put_write(&k, &p, psn);
	cable_inject(&k);
	CHECK(next_acks(psn + 1, SYN_NAK_SEQ));
	cable_drop();
	put_write(&k, &p, psn + 1);
	cable_inject(&k);
	/* Acknowledged now and then on the way. */
	while (cable_waiting() > 1)
		cable_drop();
	CHECK(next_acks(psn + 255, SYN_ACK));
	cable_drop();
	EXPECT_NOTHING();
	wpair_fini(&p);
}

/* A packet that waited finds no receive: it comes again, what waits behind it waits on. */
static void test_no_receive(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	put_write(&k, &p, psn + 2);
	cable_inject(&k);
	raw_bth(&k, &p.a, &p.b, SEND_ONLY, psn + 1);
	raw_payload(&k, 8, 1);
	cable_inject(&k);
	while (cable_waiting())
		cable_drop();
	put_write(&k, &p, psn);
	cable_inject(&k);
	CHECK(next_acks(psn + 1, SYN_RNR | 12));
	cable_drop();
	EXPECT_NOTHING();
	wpair_recv(&p, 100, 20000, 8);
	raw_bth(&k, &p.a, &p.b, SEND_ONLY, psn + 1);
	raw_payload(&k, 8, 1);
	cable_inject(&k);
	CHECK(next_acks(psn + 2, SYN_ACK));
	CHECK_EQ(pair_status(&p.bcq, 100), OK);
	wpair_fini(&p);
}

/* What waits is given back with the QP, whatever way that goes; ASan would see what is not. */
static void test_let_go(void)
{
	static const enum eng_qp_state ends[] = { ENG_QPS_RESET, ENG_QPS_ERR, ENG_QPS_RTS };
	struct cable_packet k;
	struct wpair p;
	u32 i;

	for (i = 0; i < 3; i++) {
		wpair_init(&p);
		put_write(&k, &p, first_psn(&p.a) + 2);
		cable_inject(&k);
		CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_HELD), 1);
		host_state(&p.b, ends[i]);
		CHECK_EQ(cable_alive(), ends[i] == ENG_QPS_RTS);
		wpair_fini(&p);
		CHECK_EQ(cable_alive(), 0);
	}
}

/* A refusal ends the connection, and what waits behind it has no effect any more. */
static void test_refused(void)
{
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	memset(host_mr_at(&p.bmr, 0), 0xee, 8192);
	wr = wpair_wr(&p, WR_WRITE, 0, 8);
	wr.rkey ^= 0x55;
	host_put_send(&p.a, &wr);
	write_at(&p, 1, 8);
	host_doorbell(&p.a);
	lose_first_of(2);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 0), REM_ACCESS);
	CHECK_EQ(pair_status(&p.acq, 1), FLUSH);
	CHECK_EQ(*(u8 *)host_mr_at(&p.bmr, 4096), 0xee);
	CHECK_EQ(cable_alive(), 0);
	wpair_fini(&p);
}

/* Completions until this one. */
static bool heard(struct wpair *p, u64 wr_id)
{
	struct shca_cqe wc;

	while (host_poll(&p->acq, &wc)) {
		if (wc.wr_id == wr_id)
			return true;
	}
	return false;
}

/* @lost of eight packets that nothing follows are lost: they are here in a few round trips. */
static void lose_tail(u32 lost, u64 limit_ns)
{
	struct wpair p;
	u64 start;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .retry_cnt = 0 }, ENG_QP_RETRY_CNT);
	CHECK_SUB(warm_up(&p, 8));
	CHECK_SUB(learn(&p, 8));
	write_many(&p, 12, 20);
	for (i = 0; i < 8; i++) {
		if (i < 8 - lost)
			cable_deliver();
		else
			cable_drop();
	}
	for (start = host_now; !heard(&p, 19) && host_now < start + 10 * MS;) {
		if (!cable_waiting())
			CHECK(cable_tick());
		host_now += 50 * US;
		for (i = cable_waiting(); i; i--)
			cable_deliver();
	}
	if (host_now - start > limit_ns)
		printf("# %u lost: %u us\n", lost, (u32)(host_now - start) / US);
	CHECK(host_now - start <= limit_ns);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 0);
	wpair_fini(&p);
}

/* A round trip of 100 us and four deviations until it is missed, and two round trips to mend it. */
static void test_tail(void)
{
	CHECK_SUB(lose_tail(1, 600 * US));
	CHECK_SUB(lose_tail(2, 600 * US));
	CHECK_SUB(lose_tail(7, 600 * US));
	CHECK_SUB(lose_tail(8, 600 * US));
}

static const struct tap_test tests[] = {
	{ "what is behind a gap is kept", test_kept },
	{ "what is behind a gap is dropped", test_dropped },
	{ "many gaps", test_many_gaps },
	{ "neighbours lost together", test_burst },
	{ "what is sent again is lost again", test_lost_again },
	{ "nothing has an effect before its turn", test_order },
	{ "9.4.5: an atomic that waited", test_atomic },
	{ "no more than a window is kept", test_bound },
	{ "a packet that waited finds no receive", test_no_receive },
	{ "what waits is given back", test_let_go },
	{ "what waits behind a refusal", test_refused },
	{ "a lost tail", test_tail },
};

TAP_MAIN(tests)
