// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_timer.c - what time does: the local ACK timeout with its retries, and the probes that
 * find a loss long before it.
 */
#include "cable_raw.h"
#include "tap.h"

enum { US = 1000, MS = 1000 * 1000 };

/* Nobody answers: retry_cnt + 1 times the timeout, then the error, the rest flushed. */
static void silence(u8 timeout, u8 retries)
{
	struct host_wr wr;
	struct wpair p;
	u64 start;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .timeout = timeout, .retry_cnt = retries },
		     ENG_QP_TIMEOUT | ENG_QP_RETRY_CNT);
	start = host_now;
	for (i = 0; i < 3; i++) {
		wr = wpair_wr(&p, i == 1 ? WR_READ : WR_WRITE, i, 5000);
		host_send(&p.a, &wr);
	}
	while (host_query(&p.a) == ENG_QPS_RTS) {
		while (cable_waiting())
			cable_drop();
		CHECK(cable_tick());
	}
	CHECK_EQ(host_now - start, (retries + 1ull) * (4096ull << timeout));
	CHECK_EQ(pair_status(&p.acq, 0), RETRY_EXC);
	CHECK_EQ(pair_status(&p.acq, 1), FLUSH);
	CHECK_EQ(pair_status(&p.acq, 2), FLUSH);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), retries);
	wpair_fini(&p);
}

static void test_silence(void)
{
	u8 code;

	for (code = 1; code <= 20; code++)
		CHECK_SUB(silence(code, 0));
	CHECK_SUB(silence(14, 7));
	CHECK_SUB(silence(14, 0));
	CHECK_SUB(silence(1, 3));
	CHECK_SUB(silence(19, 1));
}

/* Few packets leave while nobody answers: the window after a timeout is one packet, and probes
 * back off. */
static void test_back_off(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 n = 0;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .timeout = 17, .retry_cnt = 3 },
		     ENG_QP_TIMEOUT | ENG_QP_RETRY_CNT);
	wr = wpair_wr(&p, WR_WRITE, 1, 200000);
	host_send(&p.a, &wr);
	while (host_query(&p.a) == ENG_QPS_RTS) {
		for (; cable_waiting(); n++)
			cable_drop();
		CHECK(cable_tick());
	}
	/* 64 at first, then in 2.1 s: 4 rounds of probes after 10, 20, 40, 80, 100, 100 ... ms */
	CHECK(n >= 64 + 3);
	CHECK(n <= 64 + 4 * 10);
	wpair_fini(&p);
}

/* Timeout code 0: never given up, and every 100 ms at the latest somebody looks. */
static void test_no_timeout(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i, n = 0;
	u64 start;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .timeout = 0, .retry_cnt = 0 },
		     ENG_QP_TIMEOUT | ENG_QP_RETRY_CNT);
	wr = wpair_wr(&p, WR_WRITE, 1, 3000);
	host_send(&p.a, &wr);
	start = host_now;
	for (i = 0; i < 100; i++) {
		for (; cable_waiting(); n++)
			cable_drop();
		CHECK(cable_tick());
	}
	CHECK(host_now - start < 100ull * 100 * MS + 1);
	CHECK_EQ(host_query(&p.a), ENG_QPS_RTS);
	CHECK_EQ(n, 3 + 99);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	wpair_fini(&p);
}

/* With a known round trip a lost tail is found after a few of them, and takes no retry. */
static void test_probe(void)
{
	struct host_wr wr;
	struct wpair p;
	u64 start;
	u32 psn, i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .retry_cnt = 0 }, ENG_QP_RETRY_CNT);
	/* Few enough for the timer to be on time. */
	for (i = 0; i < 8; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		host_send(&p.a, &wr);
		cable_deliver();
		host_now += 100 * US;
		cable_deliver();
		CHECK_EQ(pair_status(&p.acq, i), OK);
	}
	psn = first_psn(&p.a) + 8;
	wr = wpair_wr(&p, WR_WRITE, 8, 4096);
	host_send(&p.a, &wr);
	for (i = 0; i < 4; i++)
		cable_drop();
	start = host_now;
	/* An old deadline may be due first. */
	while (!cable_waiting())
		CHECK(cable_tick());
	CHECK(host_now - start < 1 * MS);
	/* The oldest packet alone; after one more round trip without an answer, the rest. */
	CHECK_EQ(cable_waiting(), 1);
	EXPECT(WRITE_FIRST, psn, 28 + 1024);
	EXPECT_ACK(psn, SYN_ACK);
	EXPECT_NOTHING();
	CHECK(cable_tick());
	EXPECT(WRITE_MIDDLE, psn + 1, 12 + 1024);
	EXPECT(WRITE_MIDDLE, psn + 2, 12 + 1024);
	EXPECT(WRITE_LAST, psn + 3, 12 + 1024);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 8), OK);
	CHECK(host_now - start < 1 * MS);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 0);
	wpair_fini(&p);
}

/* A lost acknowledge: the probe is a duplicate, and its answer completes everything at once. */
static void test_lost_ack(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 psn, i;

	wpair_init(&p);
	psn = first_psn(&p.a);
	for (i = 0; i < 5; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	for (i = 0; i < 5; i++)
		cable_deliver();
	while (cable_waiting())
		cable_drop();
	while (!cable_waiting())
		CHECK(cable_tick());
	EXPECT(WRITE_ONLY, psn, 28 + 8);
	EXPECT_ACK(psn + 4, SYN_ACK);
	EXPECT_NOTHING();
	for (i = 0; i < 5; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	wpair_fini(&p);
}

/* A peer that is late, not deaf: the probe is all that goes twice. */
static void test_late_peer(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	for (i = 0; i < 40; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		host_send(&p.a, &wr);
		cable_deliver();
		host_now += 100 * US;
		cable_deliver();
		CHECK_EQ(pair_status(&p.acq, i), OK);
	}
	wr = wpair_wr(&p, WR_WRITE, 40, 60000);
	host_send(&p.a, &wr);
	CHECK_EQ(cable_waiting(), 59);
	/* B is busy elsewhere for 5 ms. */
	while (host_now < 9 * MS) {
		CHECK(cable_tick());
		host_now += 100 * US;
	}
	CHECK(cable_waiting() > 59);
	while (cable_waiting()) {
		cable_deliver();
		host_now += 5 * US;
		if (env_read(p.a.deadline) <= host_now)
			host_tick(&p.a);
	}
	CHECK_EQ(pair_status(&p.acq, 40), OK);
	CHECK(cable_count(&p.ahost, ENG_CNT_TX_AGAIN) <= 8);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_EARLY_RECOVERIES), 0);
	wpair_fini(&p);
}

/* Traffic keeps the timer away: a deadline that finds progress is moved, nothing is repeated. */
static void test_progress_moves_deadline(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .timeout = 10, .retry_cnt = 0 },
		     ENG_QP_TIMEOUT | ENG_QP_RETRY_CNT);
	for (i = 0; i < 200; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		host_send(&p.a, &wr);
		host_now += 2 * MS;		/* of 4.2 */
		if (env_read(p.a.deadline) <= host_now)
			host_doorbell(&p.a);
		cable_run();
		CHECK(host_poll(&p.acq, &wc));
		CHECK_EQ(wc.status, OK);
	}
	wpair_fini(&p);
}

/* @n WRITEs answered at once, 20 us each: the timer expires at most @limit times meanwhile. */
static void write_steadily(struct wpair *p, u32 n, u32 limit)
{
	u32 expired = 0, i;
	struct host_wr wr;

	for (i = 0; i < n; i++) {
		wr = wpair_wr(p, WR_WRITE, i, 8);
		host_send(&p->a, &wr);
		cable_deliver();
		host_now += 20 * US;
		cable_deliver();
		CHECK_EQ(pair_status(&p->acq, i), OK);
		if (env_read(p->a.deadline) > host_now)
			continue;
		host_tick(&p->a);
		expired++;
	}
	CHECK(expired <= limit);
}

/* A WRITE whose packet is lost goes again in that time. */
static void lose_one(struct wpair *p, u64 limit_ns)
{
	struct host_wr wr = wpair_wr(p, WR_WRITE, 7, 8);
	u64 start = host_now;

	host_send(&p->a, &wr);
	cable_drop();
	while (!cable_waiting())
		CHECK(cable_tick());
	CHECK(host_now - start <= limit_ns);
	cable_run();
	CHECK_EQ(pair_status(&p->acq, 7), OK);
}

/* A timer that finds nothing missing looks ever less often, and at once when something was. */
static void test_quiet_timer(void)
{
	struct wpair p;

	wpair_init(&p);
	CHECK_SUB(write_steadily(&p, 500, 50));
	/* 40 ms; with a look per round trip they would be hundreds. */
	CHECK_SUB(write_steadily(&p, 2000, 25));
	CHECK_SUB(lose_one(&p, 3 * MS));
	CHECK_SUB(lose_one(&p, 1 * MS));
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 0);
	wpair_fini(&p);
}

static u32 expire(struct host_qp *qp)
{
	host_now = env_read(qp->deadline);
	qp->deadline = ENG_NO_DEADLINE;
	eng_expire(qp->eng);
	return host_work();
}

/* A timer that expires when all is acknowledged wakes nobody, and is set for what comes next. */
static void test_idle_expiry(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	for (i = 0; i < 3; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		host_send(&p.a, &wr);
		CHECK(env_read(p.a.deadline) != ENG_NO_DEADLINE);
		cable_run();
		CHECK_EQ(pair_status(&p.acq, i), OK);
		CHECK_EQ(expire(&p.a), 0);
	}
	wr = wpair_wr(&p, WR_WRITE, 3, 8);
	host_send(&p.a, &wr);
	cable_drop();
	CHECK_EQ(expire(&p.a), 1);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 3), OK);
	wpair_fini(&p);
}

/*
 * A WRITE that nobody hears of is not acknowledged by itself: the sixteenth packet asks, or what
 * has a completion, or a probe when nothing follows.
 */
static void test_nobody_waits(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i, asked = 0;

	wpair_init(&p);
	for (i = 0; i < 64; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		wr.flags = 0;
		host_send(&p.a, &wr);
		asked += cable_ack_req(cable_peek(0));
		cable_run();
	}
	CHECK_EQ(asked, 64 / 16);
	CHECK(!host_poll(&p.acq, &wc));
	/* Fewer than sixteen, and then silence. */
	for (i = 0; i < 3; i++) {
		host_send(&p.a, &wr);
		CHECK(!cable_ack_req(cable_peek(0)));
		cable_drop();
	}
	while (!cable_waiting())
		CHECK(cable_tick());
	CHECK(cable_ack_req(cable_peek(0)));
	cable_run();
	wr = wpair_wr(&p, WR_WRITE, 77, 8);
	host_send(&p.a, &wr);
	CHECK(cable_ack_req(cable_peek(0)));
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.wr_id, 77);
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 0);
	wpair_fini(&p);
}

/* F51 on the wire: the cable is out for less than the retries last. */
static void test_outage(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wpair_modify(&p.a, (struct eng_qp_attr){ .timeout = 14, .retry_cnt = 7 },
		     ENG_QP_TIMEOUT | ENG_QP_RETRY_CNT);
	p.ahost.dev.port_up = 0;
	for (i = 0; i < 20; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 100);
		host_send(&p.a, &wr);
	}
	EXPECT_NOTHING();
	while (host_now < 200 * MS)
		CHECK(cable_tick());
	p.ahost.dev.port_up = 1;
	for (i = 0; i < 20; i++) {
		CHECK(cable_wait(&p.acq, &wc));
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.wr_id, i);
	}
	wpair_fini(&p);
}

/* A region that goes while its message is on the way: it cannot be sent again (F13's kin). */
static void test_region_gone(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct host_mr mr;
	struct wpair p;

	wpair_init(&p);
	host_mr_init(&p.ahost, &mr, 10000, ALL_ACCESS);
	wr = wpair_wr(&p, WR_WRITE, 1, 5000);
	wr.addr = (void *)(unsigned long)host_mr_addr(&mr, 0);
	wr.lkey = mr.eng.key;
	host_send(&p.a, &wr);
	while (cable_waiting())
		cable_drop();
	/* Nobody waits for an acknowledge to deregister. */
	eng_mr_retire(&mr.eng);
	CHECK_EQ(mr.idle, 1);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, LOC_PROT);
	host_mr_fini(&mr);
	wpair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "nobody answers: retries and time", test_silence },
	{ "probes back off", test_back_off },
	{ "timeout code 0", test_no_timeout },
	{ "a probe finds a lost tail", test_probe },
	{ "a lost acknowledge", test_lost_ack },
	{ "a late peer", test_late_peer },
	{ "progress moves the deadline", test_progress_moves_deadline },
	{ "a timer that finds nothing looks less often", test_quiet_timer },
	{ "an expiry with nothing in flight", test_idle_expiry },
	{ "nobody waits for a WRITE without completion", test_nobody_waits },
	{ "F51: outage on the wire", test_outage },
	{ "a region goes while its message is on the way", test_region_gone },
};

TAP_MAIN(tests)
