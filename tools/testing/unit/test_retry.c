// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_retry.c - RNR timers, lost frames, sequence errors, and what their counters allow.
 */
#include "pair.h"
#include "tap.h"

enum { MS = 1000 * 1000 };

static void set(struct host_qp *qp, struct eng_qp_attr attr, u32 mask)
{
	eng_qp_modify(qp->eng, &attr, mask);
}

static void rnr_pair(struct pair *p, u8 rnr_retry, u8 timer)
{
	pair_init(p);
	set(&p->a, (struct eng_qp_attr){ .rnr_retry = rnr_retry }, ENG_QP_RNR_RETRY);
	set(&p->b, (struct eng_qp_attr){ .min_rnr_timer = timer }, ENG_QP_MIN_RNR_TIMER);
}

/* F01a: three retries of 10.24 ms each, then the error, not earlier. */
static void test_f01a_rnr_exhausted(void)
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct pair p;
	u64 start = host_now;

	rnr_pair(&p, 3, 20);
	wr = pair_wr(&p, WR_SEND, 1, 8);
	host_send(&p.a, &wr);
	while (!host_poll(&p.acq, &wc))
		CHECK(host_tick(&p.a));
	CHECK_EQ(wc.status, RNR_EXC);
	CHECK(host_now - start >= 3 * 10240 * 1000ull);
	CHECK(host_now - start < 4 * 10240 * 1000ull);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	CHECK_EQ(host_query(&p.b), ENG_QPS_RTS);
	pair_fini(&p);
}

/* F01b: 7 is endless, and a receive two seconds later still gets the message. */
static void test_f01b_rnr_endless(void)
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct pair p;
	u64 start = host_now;

	rnr_pair(&p, 7, 20);
	wr = pair_wr(&p, WR_SEND, 1, 8);
	host_send(&p.a, &wr);
	while (host_now - start < 2000ull * MS) {
		CHECK(!host_poll(&p.acq, &wc));
		CHECK(host_tick(&p.a));
	}
	pair_recv(&p, 2, 0, 8);
	while (!host_poll(&p.acq, &wc))
		CHECK(host_tick(&p.a));
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(pair_status(&p.bcq, 2), OK);
	pair_fini(&p);
}

/* F01c: one retry, a timer of 82 ms, the receive after 50 ms: never an error. */
static void test_f01c_rnr_in_time(void)
{
	u32 i;

	for (i = 0; i < 200; i++) {
		struct host_wr wr;
		struct shca_cqe wc;
		struct pair p;
		u64 start = host_now;

		rnr_pair(&p, 1, 26);
		wr = pair_wr(&p, WR_SEND, 1, 8);
		host_send(&p.a, &wr);
		while (p.a.deadline < start + 50 * MS)
			CHECK(host_tick(&p.a));
		host_now = start + 50 * MS;
		pair_recv(&p, 2, 0, 8);
		while (!host_poll(&p.acq, &wc))
			CHECK(host_tick(&p.a));
		CHECK_EQ(wc.status, OK);
		pair_fini(&p);
	}
}

/* A receive posted without a system call is noticed long before the timer. */
static void test_rnr_early_credit(void)
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct pair p;
	u64 start = host_now;
	u32 i;

	rnr_pair(&p, 0, 0);	/* no retry at all is refused at once ... */
	wr = pair_wr(&p, WR_SEND, 1, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), RNR_EXC);
	pair_fini(&p);
	rnr_pair(&p, 1, 0);	/* ... one retry of 655 ms goes on after microseconds */
	for (i = 0; i < 5; i++) {
		wr = pair_wr(&p, WR_SEND, i, 8);
		host_send(&p.a, &wr);
	}
	for (i = 0; i < 5; i++)
		pair_recv(&p, 100 + i, 0, 8);
	for (i = 0; i < 5; i++) {
		while (!host_poll(&p.acq, &wc))
			CHECK(host_tick(&p.a));
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.wr_id, i);
		CHECK_EQ(pair_status(&p.bcq, 100 + i), OK);
	}
	CHECK(host_now - start < 1 * MS);
	pair_fini(&p);
}

/* F63: immediate data needs a receive, plain WRITE does not; no buffer is needed. */
static void test_f63_write_imm(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;

	rnr_pair(&p, 0, 1);
	wr = pair_wr(&p, WR_WRITE, 1, 4096);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	wr = pair_wr(&p, WR_WRITE_IMM, 2, 4096);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), RNR_EXC);
	pair_fini(&p);
	rnr_pair(&p, 0, 1);
	host_recv_sges(&p.b, 3, NULL, 0);
	wr = pair_wr(&p, WR_WRITE_IMM, 2, 4096);
	wr.imm = 0x04030201;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK(host_poll(&p.bcq, &wc));
	CHECK_EQ(wc.opcode, 129);
	CHECK_EQ(wc.byte_len, 4096);
	CHECK_EQ(wc.ex, 0x04030201);
	CHECK_EQ(wc.wc_flags, 2);
	CHECK_EQ(wc.wr_id, 3);
	pair_fini(&p);
}

/* Nobody there: retry_cnt + 1 emissions, a local ACK timeout apart. */
static void lost(void (*break_it)(struct pair *p))
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct pair p;
	u64 start = host_now;

	pair_init(&p);
	set(&p.a, (struct eng_qp_attr){ .retry_cnt = 2, .timeout = 10 },
	    ENG_QP_RETRY_CNT | ENG_QP_TIMEOUT);
	break_it(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	host_send(&p.a, &wr);
	host_send(&p.a, &wr);
	while (!host_poll(&p.acq, &wc))
		CHECK(host_tick(&p.a));
	CHECK_EQ(wc.status, RETRY_EXC);
	CHECK_EQ(host_now - start, 3 * (4096ull << 10));
	CHECK_EQ(pair_status(&p.acq, 1), FLUSH);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	pair_fini(&p);
}

static void peer_in_error(struct pair *p) { host_state(&p->b, ENG_QPS_ERR); }
static void peer_in_reset(struct pair *p) { host_state(&p->b, ENG_QPS_RESET); }
static void port_down(struct pair *p) { p->host.dev.port_up = 0; }

static void no_such_qp(struct pair *p)
{
	set(&p->a, (struct eng_qp_attr){ .dest_qpn = 0xabcdef }, ENG_QP_DEST_QPN);
}

static void not_its_peer(struct pair *p)
{
	set(&p->b, (struct eng_qp_attr){ .dest_qpn = 0xabcdef }, ENG_QP_DEST_QPN);
}

static void no_link(struct pair *p)
{
	set(&p->a, (struct eng_qp_attr){ .peer = NULL }, ENG_QP_PEER);
}

static void test_lost(void)
{
	CHECK_SUB(lost(peer_in_error));
	CHECK_SUB(lost(peer_in_reset));
	CHECK_SUB(lost(port_down));
	CHECK_SUB(lost(no_such_qp));
	CHECK_SUB(lost(not_its_peer));
	CHECK_SUB(lost(no_link));
}

/* F51: an outage within the retry budget heals. */
static void test_outage_heals(void)
{
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	p.host.dev.port_up = 0;
	for (i = 0; i < 20; i++) {
		wr = pair_wr(&p, WR_WRITE, i, 100);
		host_send(&p.a, &wr);
	}
	CHECK(host_tick(&p.a));
	CHECK(host_tick(&p.a));
	p.host.dev.port_up = 1;
	CHECK(host_tick(&p.a));
	for (i = 0; i < 20; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	pair_fini(&p);
}

/* Different ideas of the first PSN: ahead is NAKed and given up, F49's kind of error. */
static void test_psn_ahead(void)
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct pair p;

	pair_init(&p);
	set(&p.b, (struct eng_qp_attr){ .rq_psn = p.a.qpn * 7919 - 5 }, ENG_QP_RQ_PSN);
	host_mr_fill(&p.amr, 0, 64, 1);
	host_mr_fill(&p.bmr, 0, 64, 2);
	wr = pair_wr(&p, WR_WRITE, 1, 64);
	host_send(&p.a, &wr);
	while (!host_poll(&p.acq, &wc))
		CHECK(host_tick(&p.a));
	CHECK_EQ(wc.status, RETRY_EXC);
	CHECK(host_mr_check(&p.bmr, 0, 64, 2));
	pair_fini(&p);
}

/* A repeated atomic is answered from memory and not executed again; a repeated READ is. */
static void test_duplicates(void)
{
	u32 psn;
	struct host_wr wr;
	struct pair p;
	u64 *word, *result;

	pair_init(&p);
	psn = p.a.qpn * 7919;
	word = (u64 *)host_mr_at(&p.bmr, 0);
	result = (u64 *)host_mr_at(&p.amr, 0);
	*word = 10;
	wr = pair_wr(&p, WR_FAA, 1, 8);
	wr.compare_add = 1;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(*word, 11);
	*result = 99;
	set(&p.a, (struct eng_qp_attr){ .sq_psn = psn }, ENG_QP_SQ_PSN);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(*word, 11);
	CHECK_EQ(*result, 10);
	set(&p.a, (struct eng_qp_attr){ .sq_psn = psn }, ENG_QP_SQ_PSN);
	wr = pair_wr(&p, WR_READ, 2, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK_EQ(*result, 11);
	/* The stream goes on where it was. */
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	pair_fini(&p);
}

/* A lost frame with timeout code 0 is never given up. */
static void test_timeout_zero(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	set(&p.a, (struct eng_qp_attr){ .retry_cnt = 0, .timeout = 0 },
	    ENG_QP_RETRY_CNT | ENG_QP_TIMEOUT);
	p.host.dev.port_up = 0;
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	host_send(&p.a, &wr);
	for (i = 0; i < 50; i++) {
		CHECK(host_tick(&p.a));
		CHECK(!host_poll(&p.acq, &wc));
	}
	p.host.dev.port_up = 1;
	CHECK(host_tick(&p.a));
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	pair_fini(&p);
}

/* Found by the simulator: what is lost at once comes home before the answer of an earlier request
 * that is still being executed, and was then never sent again. */
static void test_lost_overtakes(void)
{
	struct eng_runq rq;
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 0, 200000);
	host_put_send(&p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 1000;
	eng_kick(&rq, p.a.eng);
	eng_run(&rq);			/* B is in the middle of it */
	p.host.dev.port_up = 0;
	for (i = 1; i < 4; i++) {
		wr = pair_wr(&p, WR_WRITE, i, 8);
		host_put_send(&p.a, &wr);
	}
	eng_runq_init(&rq);
	rq.bytes_left = 1;
	eng_kick(&rq, p.a.eng);
	eng_run(&rq);
	p.host.dev.port_up = 1;
	host_work();
	CHECK_EQ(pair_status(&p.acq, 0), OK);
	CHECK(host_tick(&p.a));
	for (i = 1; i < 4; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "F01a: RNR retries exhausted, in time", test_f01a_rnr_exhausted },
	{ "F01b: RNR for ever", test_f01b_rnr_endless },
	{ "F01c: receive before the timer", test_f01c_rnr_in_time },
	{ "early credit", test_rnr_early_credit },
	{ "F63: WRITE with immediate and receives", test_f63_write_imm },
	{ "nobody answers", test_lost },
	{ "F51: outage within the retries", test_outage_heals },
	{ "first PSN ahead", test_psn_ahead },
	{ "duplicates", test_duplicates },
	{ "timeout code 0", test_timeout_zero },
	{ "what is lost at once overtakes", test_lost_overtakes },
};

TAP_MAIN(tests)
