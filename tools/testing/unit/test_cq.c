// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_cq.c - overrun, resize, arming.
 */
#include "pair.h"
#include "tap.h"

static void small_cq(struct pair *p, struct host_cq *cq, u32 count)
{
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 128, .rq = 16 };

	pair_init_as(p, &init);
	host_cq_init(&p->host, cq, count);
	host_qp_fini(&p->a);
	init.scq = init.rcq = cq;
	host_qp_init(&p->host, &p->a, &init);
	host_connect(&p->a, &p->b);
}

static void send_n(struct pair *p, u32 from, u32 n)
{
	u32 i;

	for (i = from; i < from + n; i++) {
		struct host_wr wr = pair_wr(p, WR_WRITE, i, 8);

		host_send(&p->a, &wr);
	}
}

/* F14a: one event, the CQ is dead, the old entries can be read, the QP goes to ERR. */
static void test_f14a_overrun(void)
{
	struct host_cq cq;
	struct shca_cqe wc;
	struct pair p;
	u32 i;

	small_cq(&p, &cq, 8);
	send_n(&p, 0, 64);
	CHECK_EQ(host_event_find(&cq.eng, ENG_EVENT_CQ_ERR), 1);
	CHECK_EQ(cq.shared->overrun, 1);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	for (i = 0; i < 8; i++) {
		CHECK(host_poll(&cq, &wc));
		CHECK_EQ(wc.wr_id, i);
		CHECK_EQ(wc.status, OK);
	}
	CHECK(!host_poll(&cq, &wc));
	send_n(&p, 100, 5);
	CHECK(!host_poll(&cq, &wc));
	CHECK_EQ(host_event_find(&cq.eng, ENG_EVENT_CQ_ERR), 1);
	pair_fini(&p);
	host_cq_fini(&cq);
}

/* Exactly full is not overrun. */
static void test_exactly_full(void)
{
	struct host_cq cq;
	struct pair p;
	u32 i, round;

	small_cq(&p, &cq, 8);
	for (round = 0; round < 50; round++) {
		send_n(&p, round * 8, 8);
		for (i = 0; i < 8; i++)
			CHECK_EQ(pair_status(&cq, round * 8 + i), OK);
	}
	CHECK_EQ(cq.shared->overrun, 0);
	pair_fini(&p);
	host_cq_fini(&cq);
}

/* F14b: entries survive, in order; too small is refused and changes nothing. */
static void test_f14b_resize(void)
{
	struct host_cq cq;
	struct shca_cqe wc;
	struct pair p;
	u32 i;

	small_cq(&p, &cq, 128);
	send_n(&p, 0, 100);
	for (i = 0; i < 50; i++)
		CHECK_EQ(pair_status(&cq, i), OK);
	cq.shared->arm = SHCA_CQ_ARM_ANY;
	host_cq_resize(&cq, 256, 0);
	CHECK_EQ(cq.shared->arm, SHCA_CQ_ARM_ANY);
	host_cq_resize(&cq, 64, 0);
	host_cq_resize(&cq, 32, -ENV_EINVAL);
	send_n(&p, 100, 14);
	for (i = 50; i < 114; i++)
		CHECK_EQ(pair_status(&cq, i), OK);
	CHECK(!host_poll(&cq, &wc));
	CHECK_EQ(cq.notified, 1);
	pair_fini(&p);
	host_cq_fini(&cq);
}

/* C132 to C139: which entries wake whom, once per request. */
static void test_arming(void)
{
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, WR_SEND, 1, 8);
	pair_recv(&p, 1, 0, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(p.acq.notified, 0);
	CHECK_EQ(p.bcq.notified, 0);
	p.bcq.shared->arm = SHCA_CQ_ARM_ANY;
	pair_recv(&p, 1, 0, 8);
	pair_recv(&p, 1, 0, 8);
	host_send(&p.a, &wr);
	host_send(&p.a, &wr);
	CHECK_EQ(p.bcq.notified, 1);
	CHECK_EQ(p.bcq.shared->arm, 0);
	p.acq.shared->arm = SHCA_CQ_ARM_SOLICITED;
	p.bcq.shared->arm = SHCA_CQ_ARM_SOLICITED;
	pair_recv(&p, 1, 0, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(p.bcq.notified, 1);
	CHECK_EQ(p.acq.notified, 0);
	wr.flags |= SHCA_SEND_SOLICITED;
	pair_recv(&p, 1, 0, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(p.bcq.notified, 2);
	CHECK_EQ(p.acq.notified, 0);
	/* An unsuccessful entry is solicited: C136. */
	host_state(&p.a, ENG_QPS_ERR);
	host_send(&p.a, &wr);
	CHECK_EQ(p.acq.notified, 1);
	/* G074: both bits set, any entry does. */
	p.bcq.shared->arm = SHCA_CQ_ARM_SOLICITED | SHCA_CQ_ARM_ANY;
	host_state(&p.b, ENG_QPS_ERR);
	host_recv(&p.b, 1, 0, 0, 0);
	CHECK_EQ(p.bcq.notified, 3);
	pair_fini(&p);
}

/* A consumer index that lies is its owner's loss only. */
static void test_lying_consumer(void)
{
	static const u32 lies[] = { 5, 0x80000000, 0xffffffff, 0x7fffffff };
	u32 i;

	for (i = 0; i < 4; i++) {
		struct host_cq cq;
		struct pair p;

		small_cq(&p, &cq, 8);
		cq.shared->cons = lies[i];
		send_n(&p, 0, 20);
		CHECK_EQ(host_event_find(&cq.eng, ENG_EVENT_CQ_ERR), 1);
		cq.shared->cons = lies[(i + 1) % 4];
		host_cq_resize(&cq, 16, 0);
		pair_fini(&p);
		host_cq_fini(&cq);
	}
}

/* C118: an event for so many entries, counted from when it was asked for. */
static void test_moderation_count(void)
{
	struct pair p;

	pair_init(&p);
	eng_cq_moderate(&p.acq.eng, 4, 0);
	send_n(&p, 0, 3);
	p.acq.shared->arm = SHCA_CQ_ARM_ANY;
	send_n(&p, 3, 3);
	CHECK_EQ(p.acq.notified, 0);
	send_n(&p, 6, 1);
	CHECK_EQ(p.acq.notified, 1);
	CHECK_EQ(p.acq.shared->arm, 0);
	send_n(&p, 7, 10);
	CHECK_EQ(p.acq.notified, 1);
	CHECK_EQ(p.acq.timer_us, 0);
	/* What was held back is told when moderation ends. */
	p.acq.shared->arm = SHCA_CQ_ARM_ANY;
	send_n(&p, 17, 2);
	CHECK_EQ(p.acq.notified, 1);
	eng_cq_moderate(&p.acq.eng, 0, 0);
	CHECK_EQ(p.acq.notified, 2);
	p.acq.shared->arm = SHCA_CQ_ARM_ANY;
	send_n(&p, 19, 1);
	CHECK_EQ(p.acq.notified, 3);
	pair_fini(&p);
}

static void test_moderation_period(void)
{
	struct pair p;

	pair_init(&p);
	eng_cq_moderate(&p.acq.eng, 100, 50);
	p.acq.shared->arm = SHCA_CQ_ARM_ANY;
	send_n(&p, 0, 1);
	CHECK_EQ(p.acq.notified, 0);
	CHECK_EQ(p.acq.timer_us, 50);
	p.acq.timer_us = 0;
	send_n(&p, 1, 5);
	CHECK_EQ(p.acq.timer_us, 0);	/* one timer for all of them */
	eng_cq_expired(&p.acq.eng);
	CHECK_EQ(p.acq.notified, 1);
	CHECK_EQ(p.acq.shared->arm, 0);
	eng_cq_expired(&p.acq.eng);
	CHECK_EQ(p.acq.notified, 1);
	/* Only what was asked for: a plain entry is not solicited. */
	p.acq.shared->arm = SHCA_CQ_ARM_SOLICITED;
	send_n(&p, 6, 1);
	CHECK_EQ(p.acq.timer_us, 50);
	eng_cq_expired(&p.acq.eng);
	CHECK_EQ(p.acq.notified, 1);
	pair_fini(&p);
}

/* Errors and solicited receives do not wait. */
static void test_moderation_urgent(void)
{
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	eng_cq_moderate(&p.bcq.eng, 100, 1000);
	p.bcq.shared->arm = SHCA_CQ_ARM_SOLICITED;
	pair_recv(&p, 1, 0, 64);
	wr = pair_wr(&p, WR_SEND, 1, 8);
	wr.flags |= SHCA_SEND_SOLICITED;
	host_send(&p.a, &wr);
	CHECK_EQ(p.bcq.notified, 1);
	eng_cq_moderate(&p.acq.eng, 100, 1000);
	p.acq.shared->arm = SHCA_CQ_ARM_ANY;
	wr.rkey ^= 1;
	wr.opcode = WR_WRITE;
	host_send(&p.a, &wr);
	CHECK_EQ(p.acq.notified, 1);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "F14a: overrun", test_f14a_overrun },
	{ "a full CQ is no overrun", test_exactly_full },
	{ "F14b: resize", test_f14b_resize },
	{ "arming", test_arming },
	{ "a consumer index that lies", test_lying_consumer },
	{ "C118: moderation by count", test_moderation_count },
	{ "C118: moderation by period", test_moderation_period },
	{ "moderation lets errors and solicited entries pass", test_moderation_urgent },
};

TAP_MAIN(tests)
