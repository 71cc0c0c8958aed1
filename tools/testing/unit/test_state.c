// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_state.c - which states receive, where errors lead, and who is told.
 */
#include "pair.h"
#include "state.h"
#include "tap.h"

static void test_receives(void)
{
	static const u8 receives[ENG_QPS_COUNT] = {
		[ENG_QPS_RTR] = 1, [ENG_QPS_RTS] = 1, [ENG_QPS_SQD] = 1, [ENG_QPS_SQE] = 1,
	};
	struct pair p;
	u32 s;

	pair_init(&p);
	for (s = 0; s < ENG_QPS_COUNT; s++) {
		eng_state_set(p.a.eng, (enum eng_qp_state)s);
		CHECK_EQ(eng_state(p.a.eng), s);
		CHECK_EQ(p.a.shared->state, s);
		CHECK_EQ(eng_state_receives(p.a.eng), receives[s]);
	}
	pair_fini(&p);
}

/* 10.3.1: an error of a QP that is in RESET or ERR changes nothing and is told nobody. */
static void test_errors(void)
{
	struct pair p;

	pair_init(&p);
	eng_state_error_event(p.a.eng, ENG_EVENT_QP_REQ_ERR);
	CHECK_EQ(eng_state(p.a.eng), ENG_QPS_ERR);
	CHECK_EQ(host_event_find(p.a.eng, ENG_EVENT_QP_REQ_ERR), 1);
	eng_state_error_event(p.a.eng, ENG_EVENT_QP_REQ_ERR);
	CHECK_EQ(host_event_find(p.a.eng, ENG_EVENT_QP_REQ_ERR), 1);
	eng_state_set(p.b.eng, ENG_QPS_RESET);
	eng_state_error(p.b.eng);
	eng_state_error_event(p.b.eng, ENG_EVENT_QP_FATAL);
	CHECK_EQ(eng_state(p.b.eng), ENG_QPS_RESET);
	CHECK_EQ(host_event_find(p.b.eng, ENG_EVENT_QP_FATAL), 0);
	pair_fini(&p);
}

/* A failed send: ERR for reliable connections, SQE for the others, from where they can send. */
static void send_error(enum eng_qp_type type, enum eng_qp_state from, enum eng_qp_state to)
{
	struct host_qp_init init = {
		.type = type, .sq = 4, .rq = 4, .send_sge = 1, .recv_sge = 1,
	};
	struct pair p;

	pair_init_as(&p, &init);
	eng_state_set(p.a.eng, from);
	eng_state_send_error(p.a.eng);
	CHECK_EQ(eng_state(p.a.eng), to);
	pair_fini(&p);
}

static void test_send_errors(void)
{
	CHECK_SUB(send_error(ENG_QPT_RC, ENG_QPS_RTS, ENG_QPS_ERR));
	CHECK_SUB(send_error(ENG_QPT_RC, ENG_QPS_SQD, ENG_QPS_ERR));
	CHECK_SUB(send_error(ENG_QPT_UC, ENG_QPS_RTS, ENG_QPS_SQE));
	CHECK_SUB(send_error(ENG_QPT_UD, ENG_QPS_RTS, ENG_QPS_SQE));
	CHECK_SUB(send_error(ENG_QPT_UD, ENG_QPS_SQD, ENG_QPS_SQE));
	CHECK_SUB(send_error(ENG_QPT_UD, ENG_QPS_ERR, ENG_QPS_ERR));
}

static const struct tap_test tests[] = {
	{ "states that receive", test_receives },
	{ "errors and events", test_errors },
	{ "failed sends", test_send_errors },
};

TAP_MAIN(tests)
