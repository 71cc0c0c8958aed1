// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_srq.c - shared receive queues: order of use, limit, last WQE, resize, lies.
 */
#include "pair.h"
#include "tap.h"

struct scene {
	struct pair p;
	struct host_srq srq;
};

static void scene_init(struct scene *s, enum eng_qp_type type)
{
	struct host_qp_init init = { .type = type, .sq = 32, .rq = 0 };

	pair_init_as(&s->p, &init);
	host_srq_init(&s->p.host, &s->srq, 16, 2);
	host_qp_fini(&s->p.b);
	init.srq = &s->srq;
	init.scq = init.rcq = &s->p.bcq;
	host_qp_init(&s->p.host, &s->p.b, &init);
	host_connect(&s->p.a, &s->p.b);
}

static void scene_fini(struct scene *s)
{
	pair_fini(&s->p);
	host_srq_fini(&s->srq);
}

static void post(struct scene *s, u64 wr_id)
{
	host_srq_recv(&s->srq, wr_id, host_mr_addr(&s->p.bmr, 0), 4096, s->p.bmr.eng.key);
}

static void send_one(struct scene *s, u64 wr_id)
{
	struct host_wr wr = pair_wr(&s->p, WR_SEND, wr_id, 100);

	host_send(&s->p.a, &wr);
}

/* F15b, C210 to C214: one event, below and not at the limit, then disarmed. */
static void test_f15b_limit(void)
{
	struct scene s;
	u32 i;

	scene_init(&s, ENG_QPT_RC);
	for (i = 0; i < 10; i++)
		post(&s, i);
	eng_srq_set_limit(&s.srq.eng, 5);
	for (i = 0; i < 5; i++)
		send_one(&s, i);
	CHECK_EQ(host_event_find(&s.srq.eng, ENG_EVENT_SRQ_LIMIT_REACHED), 0);
	CHECK_EQ(eng_srq_limit(&s.srq.eng), 5);
	send_one(&s, 5);
	CHECK_EQ(host_event_find(&s.srq.eng, ENG_EVENT_SRQ_LIMIT_REACHED), 1);
	CHECK_EQ(eng_srq_limit(&s.srq.eng), 0);
	send_one(&s, 6);
	CHECK_EQ(host_event_find(&s.srq.eng, ENG_EVENT_SRQ_LIMIT_REACHED), 1);
	for (i = 0; i < 7; i++) {
		CHECK_EQ(pair_status(&s.p.acq, i), OK);
		CHECK_EQ(pair_status(&s.p.bcq, i), OK);
	}
	CHECK_EQ(s.srq.shared->cons, 7);
	scene_fini(&s);
}

/* F15a: ERR raises LAST_WQE_REACHED once and leaves the SRQ's receives alone. */
static void test_f15a_last_wqe(void)
{
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s, ENG_QPT_RC);
	post(&s, 1);
	post(&s, 2);
	host_state(&s.p.b, ENG_QPS_ERR);
	host_doorbell(&s.p.b);
	CHECK_EQ(host_event_find(s.p.b.eng, ENG_EVENT_QP_LAST_WQE_REACHED), 1);
	CHECK(!host_poll(&s.p.bcq, &wc));
	host_state(&s.p.a, ENG_QPS_RESET);
	host_state(&s.p.b, ENG_QPS_RESET);
	host_connect(&s.p.a, &s.p.b);
	send_one(&s, 9);
	CHECK_EQ(pair_status(&s.p.bcq, 1), OK);
	scene_fini(&s);
}

/* G127: empty means RNR, and a receive posted later is found. */
static void test_empty_is_rnr(void)
{
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s, ENG_QPT_RC);
	send_one(&s, 1);
	CHECK(!host_poll(&s.p.acq, &wc));
	post(&s, 2);
	while (!host_poll(&s.p.acq, &wc))
		CHECK(host_tick(&s.p.a));
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(pair_status(&s.p.bcq, 2), OK);
	scene_fini(&s);
}

/* F15c, d, G130: posted entries move along; too small is refused and nothing is lost. */
static void test_f15_resize(void)
{
	struct shca_srq_shared *shared = calloc(1, sizeof(*shared));
	struct eng_ring ring = { calloc(64, 64), 64, 64, 0 };
	struct scene s;
	u32 i;

	scene_init(&s, ENG_QPT_RC);
	for (i = 0; i < 20; i++) {
		if (i < 10)
			send_one(&s, i);
		post(&s, i);
		if (i < 10) {
			struct shca_cqe wc;

			while (!host_poll(&s.p.acq, &wc))
				CHECK(host_tick(&s.p.a));
			CHECK_EQ(pair_status(&s.p.bcq, i), OK);
		}
	}
	ring.count = 8;
	env_lock(&s.srq.eng.lock);
	CHECK_EQ(eng_srq_resize(&s.srq.eng, shared, ring), -ENV_EINVAL);
	ring.count = 64;
	CHECK_EQ(eng_srq_resize(&s.srq.eng, shared, ring), 0);
	env_unlock(&s.srq.eng.lock);
	host_srq_fini(&s.srq);
	s.srq.shared = shared;
	s.srq.entries = ring.entries;
	s.srq.count = 64;
	CHECK_EQ(shared->prod, 20);
	post(&s, 20);
	for (i = 10; i < 21; i++) {
		send_one(&s, i);
		CHECK_EQ(pair_status(&s.p.bcq, i), OK);
	}
	scene_fini(&s);
}

/* An index that lies: one event, the QP that met it is in ERR, nobody reads on. */
static void test_lying_producer(void)
{
	struct scene s;

	scene_init(&s, ENG_QPT_RC);
	s.srq.shared->prod = 12345;
	send_one(&s, 1);
	CHECK_EQ(pair_status(&s.p.acq, 1), REM_OP);
	CHECK_EQ(host_event_find(&s.srq.eng, ENG_EVENT_SRQ_ERR), 1);
	CHECK_EQ(host_query(&s.p.b), ENG_QPS_ERR);
	scene_fini(&s);
}

static const struct tap_test tests[] = {
	{ "F15b: limit", test_f15b_limit },
	{ "F15a: last WQE", test_f15a_last_wqe },
	{ "an empty SRQ", test_empty_is_rnr },
	{ "F15c, d: resize", test_f15_resize },
	{ "a producer index that lies", test_lying_producer },
};

TAP_MAIN(tests)
