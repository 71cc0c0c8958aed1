// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_pace.c - the rate limit of a QP's sends.
 */
#include "pair.h"
#include "tap.h"

static void limit(struct host_qp *qp, u32 kbps)
{
	struct eng_qp_attr attr = { .rate_limit = kbps };

	eng_qp_modify(qp->eng, &attr, ENG_QP_RATE_LIMIT);
}

static void start(struct pair *p, enum eng_qp_type type)
{
	struct host_qp_init init = { .type = type, .sq = 64, .rq = 64, .max_inline = 64 };

	host_now = 1000;
	pair_init_as(p, &init);
	host_connect(&p->a, &p->b);
}

/* C293: 1000 bytes at 8 kbit/s take a second, whatever the kind of QP. */
static void one_type(enum eng_qp_type type)
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct pair p;
	u64 begin;
	u32 i;

	start(&p, type);
	begin = host_now;
	limit(&p.a, 8);
	wr = pair_wr(&p, WR_WRITE, 0, 1000);
	for (i = 0; i < 5; i++) {
		wr.wr_id = i;
		host_send(&p.a, &wr);
	}
	for (i = 0; i < 5; i++) {
		CHECK_EQ(pair_status(&p.acq, i), OK);
		CHECK(!host_poll(&p.acq, &wc));
		CHECK_EQ(host_now, begin + i * 1000000000ull);
		CHECK_EQ(host_tick(&p.a), i < 4);
	}
	/* Time that was not used is lost. */
	host_now += 60000000000ull;
	host_send(&p.a, &wr);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 4), OK);
	CHECK(!host_poll(&p.acq, &wc));
	pair_fini(&p);
}

static void test_rate(void)
{
	CHECK_SUB(one_type(ENG_QPT_RC));
	CHECK_SUB(one_type(ENG_QPT_UC));
}

/* 0 lifts the limit, also for what waits. */
static void test_lifted(void)
{
	struct host_wr wr;
	struct pair p;
	u32 i;

	start(&p, ENG_QPT_RC);
	limit(&p.a, 1);
	wr = pair_wr(&p, WR_READ, 0, 4000);
	for (i = 0; i < 20; i++) {
		wr.wr_id = i;
		host_send(&p.a, &wr);
	}
	CHECK_EQ(pair_status(&p.acq, 0), OK);
	CHECK_EQ(pair_status(&p.acq, 1), 255);
	limit(&p.a, 0);
	for (i = 1; i < 20; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	pair_fini(&p);
}

/* Waiting for its time, a QP can be destroyed, reset and flushed. */
static void test_ends(void)
{
	struct host_wr wr;
	struct pair p;

	start(&p, ENG_QPT_RC);
	limit(&p.a, 1);
	wr = pair_wr(&p, WR_WRITE, 1, 4000);
	host_send(&p.a, &wr);
	wr.wr_id = 2;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	host_state(&p.a, ENG_QPS_ERR);
	CHECK_EQ(pair_status(&p.acq, 2), FLUSH);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "C293: messages have their time", test_rate },
	{ "the limit is lifted", test_lifted },
	{ "ends while it waits", test_ends },
};

TAP_MAIN(tests)
