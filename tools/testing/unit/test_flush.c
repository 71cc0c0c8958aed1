// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_flush.c - what an error leaves behind comes back, once and in order.
 */
#include "pair.h"
#include "tap.h"

/* F02: both queues, posts after the error included, unsignalled ones too. */
static void test_f02_both_queues(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	for (i = 0; i < 8; i++)
		host_recv(&p.a, i, 0, 0, 0);
	host_state(&p.a, ENG_QPS_ERR);
	host_recv(&p.a, 8, 0, 0, 0);
	host_recv(&p.a, 9, 0, 0, 0);
	wr = pair_wr(&p, WR_SEND, 20, 8);
	wr.flags = 0;
	host_send(&p.a, &wr);
	wr.wr_id = 21;
	host_send(&p.a, &wr);
	for (i = 0; i < 10; i++)
		CHECK_EQ(pair_status(&p.acq, i), FLUSH);
	CHECK_EQ(pair_status(&p.acq, 20), FLUSH);
	CHECK_EQ(pair_status(&p.acq, 21), FLUSH);
	CHECK(!host_poll(&p.acq, &wc));
	CHECK_EQ(p.a.shared->state, ENG_QPS_ERR);
	pair_fini(&p);
}

/* F02, variant: the first failed send has its own status, all later ones are flushed. */
static void test_f02_after_failure(void)
{
	struct shca_cqe wc;
	struct eng_qp_attr attr = { .rnr_retry = 0 };
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	eng_qp_modify(p.a.eng, &attr, ENG_QP_RNR_RETRY);
	host_recv(&p.a, 100, 0, 0, 0);
	wr = pair_wr(&p, WR_SEND, 0, 8);
	for (i = 0; i < 40; i++) {
		wr.wr_id = i;
		wr.flags = 0;
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	CHECK_EQ(pair_status(&p.acq, 0), RNR_EXC);
	for (i = 1; i < 40; i++)
		CHECK_EQ(pair_status(&p.acq, i), FLUSH);
	CHECK_EQ(pair_status(&p.acq, 100), FLUSH);
	CHECK(!host_poll(&p.acq, &wc));
	pair_fini(&p);
}

/* RESET forgets without completions, and the QP can be used again. */
static void test_reset_forgets(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	for (i = 0; i < 5; i++)
		host_recv(&p.a, i, 0, 0, 0);
	wr = pair_wr(&p, WR_SEND, 1, 8);
	host_send(&p.a, &wr);		/* waits for a receive of B's */
	host_state(&p.a, ENG_QPS_RESET);
	CHECK(!host_poll(&p.acq, &wc));
	CHECK_EQ(p.a.shared->sq_prod, 0);
	CHECK_EQ(p.a.shared->rq_prod, 0);
	host_state(&p.b, ENG_QPS_RESET);
	host_connect(&p.a, &p.b);
	pair_recv(&p, 7, 0, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.bcq, 7), OK);
	pair_fini(&p);
}

/* A flush of more than one budget goes on in the worker. */
static void test_long_flush(void)
{
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 4096, .rq = 4096 };
	struct host_cq big;
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init_as(&p, &init);
	host_cq_init(&p.host, &big, 8192);
	host_qp_fini(&p.a);
	init.scq = init.rcq = &big;
	host_qp_init(&p.host, &p.a, &init);
	host_connect(&p.a, &p.b);
	wr = pair_wr(&p, WR_SEND, 0, 8);
	for (i = 0; i < 4000; i++) {
		wr.wr_id = i;
		host_put_send(&p.a, &wr);
		host_recv(&p.a, i, 0, 0, 0);
	}
	host_state(&p.a, ENG_QPS_ERR);
	CHECK(host_work() > 0);
	for (i = 0; i < 8000; i++) {
		CHECK(host_poll(&big, &wc));
		CHECK_EQ(wc.status, FLUSH);
	}
	CHECK(!host_poll(&big, &wc));
	pair_fini(&p);
	host_cq_fini(&big);
}

static const struct tap_test tests[] = {
	{ "F02: both queues are flushed", test_f02_both_queues },
	{ "F02: flush behind a failed request", test_f02_after_failure },
	{ "RESET forgets", test_reset_forgets },
	{ "a flush longer than a budget", test_long_flush },
};

TAP_MAIN(tests)
