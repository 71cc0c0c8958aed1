// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_requester.c - order, window, fence, limits, local errors, SQD, budget.
 */
#include "pair.h"
#include "tap.h"

/* F42: 15 unsignalled and one signalled, over and over; then all in sig_all mode. */
static void test_f42_unsignalled(void)
{
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 16, .rq = 16 };
	struct shca_cqe wc;
	struct pair p;
	u32 i, round;

	pair_init_as(&p, &init);
	host_connect(&p.a, &p.b);
	for (round = 0; round < 2000; round++) {
		for (i = 0; i < 16; i++) {
			struct host_wr wr = pair_wr(&p, WR_WRITE, i, 8);

			wr.flags = i == 15 ? SHCA_SEND_SIGNALED : 0;
			host_send(&p.a, &wr);
		}
		CHECK(host_poll(&p.acq, &wc));
		CHECK_EQ(wc.wr_id, 15);
		CHECK_EQ(wc.wqe_count, (round + 1) * 16);
		CHECK(!host_poll(&p.acq, &wc));
		CHECK_EQ(p.a.shared->sq_cons, p.a.sq_prod);
	}
	pair_fini(&p);
	init.sig_all = true;
	pair_init_as(&p, &init);
	host_connect(&p.a, &p.b);
	for (i = 0; i < 10; i++) {
		struct host_wr wr = pair_wr(&p, WR_WRITE, i, 8);

		wr.flags = 0;
		host_send(&p.a, &wr);
		CHECK_EQ(pair_status(&p.acq, i), OK);
	}
	pair_fini(&p);
}

/* Many more WQEs than slots, all opcodes mixed: completions in order. */
static void test_order(void)
{
	struct pair p;
	u32 i, n = 0;

	pair_init(&p);
	for (i = 0; i < 60; i++) {
		static const u8 ops[] = { WR_WRITE, WR_READ, WR_SEND, WR_FAA, WR_WRITE_IMM };
		struct host_wr wr = pair_wr(&p, ops[i % 5], i, 8);

		if (i % 5 == 2 || i % 5 == 4)
			pair_recv(&p, 1000 + n++, 64, 64);
		if (i % 7 == 0)
			wr.flags |= SHCA_SEND_FENCE;
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	for (i = 0; i < 60; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	for (i = 0; i < n; i++)
		CHECK_EQ(pair_status(&p.bcq, 1000 + i), OK);
	pair_fini(&p);
}

/* F04: local keys of READ and atomics; memory stays as it was. */
static void local_key(u8 opcode, u32 kind)
{
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, opcode, 2, 8);
	wr.raddr = host_mr_addr(&p.bmr, 0);
	host_mr_fill(&p.amr, 0, 64, 5);
	if (kind == 0)
		wr.lkey++;
	else if (kind == 1)
		p.amr.eng.access &= ~ENG_ACCESS_LOCAL_WRITE;
	else if (kind == 2)
		p.amr.eng.pd = p.host.pd2;
	else
		wr.addr = (void *)(unsigned long)host_mr_addr(&p.amr, PAIR_MR - 7);
	host_put_send(&p.a, &wr);
	wr.wr_id = 3;
	host_put_send(&p.a, &wr);
	host_doorbell(&p.a);
	CHECK_EQ(pair_status(&p.acq, 2), LOC_PROT);
	CHECK_EQ(pair_status(&p.acq, 3), FLUSH);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	CHECK(host_mr_check(&p.amr, 0, 64, 5));
	pair_fini(&p);
}

static void test_f04_local_keys(void)
{
	static const u8 ops[] = { WR_READ, WR_FAA, WR_CAS };
	u32 i, kind;

	for (i = 0; i < 3; i++)
		for (kind = 0; kind < 4; kind++)
			CHECK_SUB(local_key(ops[i], kind));
	for (kind = 0; kind < 4; kind++)
		if (kind != 1)
			CHECK_SUB(local_key(WR_WRITE, kind));
}

/* A local error waits for its turn: what was before it completes first. */
static void test_local_error_in_order(void)
{
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	for (i = 0; i < 12; i++) {
		wr = pair_wr(&p, i == 7 ? 99 : WR_WRITE, i, 8);
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	for (i = 0; i < 12; i++)
		CHECK_EQ(pair_status(&p.acq, i), i < 7 ? OK : i == 7 ? LOC_QP_OP : FLUSH);
	pair_fini(&p);
}

/* F41: inline data, exact maximum and one more; keys do not matter, READ cannot be inline. */
static void test_f41_inline(void)
{
	u8 buf[257];
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	memset(buf, 0xab, sizeof(buf));
	wr = pair_wr(&p, WR_WRITE, 1, 256);
	wr.flags |= SHCA_SEND_INLINE;
	wr.addr = buf;
	wr.lkey = 0xdeadbeef;
	host_put_send(&p.a, &wr);
	memset(buf, 0, sizeof(buf));
	host_doorbell(&p.a);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(*host_mr_at(&p.bmr, 0), 0xab);
	CHECK_EQ(*host_mr_at(&p.bmr, 255), 0xab);
	CHECK_EQ(*host_mr_at(&p.bmr, 256), 0);
	wr.length = 0;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	wr.length = 257;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), LOC_QP_OP);
	pair_fini(&p);
	pair_init(&p);
	wr = pair_wr(&p, WR_READ, 1, 8);
	wr.flags |= SHCA_SEND_INLINE;
	wr.addr = buf;
	host_send(&p.a, &wr);
	CHECK(host_poll(&p.acq, &wc));
	CHECK_EQ(wc.status, LOC_QP_OP);
	pair_fini(&p);
}

/* C257: pairs of type and opcode outside the table are not carried out. */
static void test_uc_refuses_read(void)
{
	struct host_qp_init init = { .type = ENG_QPT_UC, .sq = 16, .rq = 16 };
	static const u8 ops[] = { WR_READ, WR_CAS, WR_FAA, 10, 11, 255 };
	u32 i;

	for (i = 0; i < sizeof(ops); i++) {
		struct host_wr wr;
		struct pair p;

		pair_init_as(&p, &init);
		host_connect(&p.a, &p.b);
		wr = pair_wr(&p, ops[i], 1, 8);
		host_send(&p.a, &wr);
		CHECK_EQ(pair_status(&p.acq, 1), LOC_QP_OP);
		/* G099: SQE, and receives go on. */
		CHECK_EQ(host_query(&p.a), ENG_QPS_SQE);
		host_state(&p.a, ENG_QPS_RTS);
		wr = pair_wr(&p, WR_WRITE, 2, 8);
		host_send(&p.a, &wr);
		CHECK_EQ(pair_status(&p.acq, 2), OK);
		pair_fini(&p);
	}
}

/* UC: data arrives, nothing is ever reported back. */
static void test_uc(void)
{
	struct host_qp_init init = { .type = ENG_QPT_UC, .sq = 16, .rq = 16 };
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;

	pair_init_as(&p, &init);
	host_connect(&p.a, &p.b);
	host_mr_fill(&p.amr, 0, 5000, 1);
	wr = pair_wr(&p, WR_WRITE, 1, 5000);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_mr_check(&p.bmr, 0, 5000, 1));
	wr = pair_wr(&p, WR_SEND_IMM, 2, 100);
	host_send(&p.a, &wr);			/* no receive: dropped */
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	pair_recv(&p, 3, 0, 100);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK_EQ(pair_status(&p.bcq, 3), OK);
	wr = pair_wr(&p, WR_WRITE, 4, 8);
	wr.rkey++;
	host_send(&p.a, &wr);			/* bad key: dropped */
	CHECK_EQ(pair_status(&p.acq, 4), OK);
	CHECK_EQ(host_query(&p.b), ENG_QPS_RTS);
	CHECK(!host_poll(&p.bcq, &wc));
	pair_fini(&p);
}

/* SQD: what was begun ends, the rest waits, the event comes once; RTS goes on. */
static void test_sqd(void)
{
	struct eng_qp_attr attr = { .state = ENG_QPS_SQD, .sqd_notify = true };
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;
	bool draining;
	u32 i;

	pair_init(&p);
	wr = pair_wr(&p, WR_SEND, 0, 8);
	host_send(&p.a, &wr);			/* waits for a receive */
	eng_qp_modify(p.a.eng, &attr, ENG_QP_STATE | ENG_QP_EN_SQD_ASYNC_NOTIFY);
	for (i = 1; i < 4; i++) {
		wr = pair_wr(&p, WR_WRITE, i, 8);
		host_send(&p.a, &wr);
	}
	CHECK_EQ(eng_qp_query(p.a.eng, NULL, &draining), ENG_QPS_SQD);
	CHECK(draining);
	CHECK_EQ(host_event_find(p.a.eng, ENG_EVENT_SQ_DRAINED), 0);
	pair_recv(&p, 9, 0, 8);
	while (!host_poll(&p.acq, &wc))
		CHECK(host_tick(&p.a));
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(host_event_find(p.a.eng, ENG_EVENT_SQ_DRAINED), 1);
	eng_qp_query(p.a.eng, NULL, &draining);
	CHECK(!draining);
	CHECK(!host_poll(&p.acq, &wc));
	host_state(&p.a, ENG_QPS_RTS);
	for (i = 1; i < 4; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	pair_fini(&p);
}

/* More bytes than a budget: the worker goes on, and so may the next doorbell. */
static void test_budget(void)
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct pair p;
	u32 i, n = 0;

	pair_init(&p);
	for (i = 0; i < 20; i++) {
		wr = pair_wr(&p, WR_WRITE, i, 200000);
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	while (host_poll(&p.acq, &wc))
		CHECK_EQ(wc.wr_id, n++);
	CHECK(n >= 5 && n < 7);
	CHECK_EQ(p.a.shared->running, 0);
	host_doorbell(&p.a);
	while (host_poll(&p.acq, &wc))
		CHECK_EQ(wc.wr_id, n++);
	CHECK(n >= 10 && n < 13);
	host_work();
	for (; n < 20; n++)
		CHECK_EQ(pair_status(&p.acq, n), OK);
	CHECK_EQ(p.a.shared->running, 0);
	pair_fini(&p);
}

/* COMM_EST when the first message meets RTR, once. */
static void test_comm_est(void)
{
	struct eng_qp_attr attr;
	struct host_wr wr;
	struct pair p;
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 16, .rq = 16 };

	pair_init_as(&p, &init);
	host_connect(&p.a, &p.b);
	host_state(&p.b, ENG_QPS_RESET);
	host_state(&p.b, ENG_QPS_INIT);
	host_qp_attr(&p.b, &p.a, &attr);
	attr.state = ENG_QPS_RTR;
	eng_dev_get(&p.host.dev);
	eng_qp_modify(p.b.eng, &attr, ENG_QP_STATE | ENG_QP_ACCESS_FLAGS | ENG_QP_PATH_MTU |
		      ENG_QP_DEST_QPN | ENG_QP_RQ_PSN | ENG_QP_PEER);
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	host_send(&p.a, &wr);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(host_event_find(p.b.eng, ENG_EVENT_COMM_EST), 1);
	pair_fini(&p);
}

/* The table of G088, from the engine's side: an error may come between judging and doing. */
static void test_transitions(void)
{
	static const u8 legal[ENG_QPS_COUNT][ENG_QPS_COUNT] = {
		/* to RESET INIT RTR RTS SQD SQE ERR */
		{ 1, 1, 0, 0, 0, 0, 0 },
		{ 1, 1, 1, 0, 0, 0, 1 },
		{ 1, 0, 0, 1, 0, 0, 1 },
		{ 1, 0, 0, 1, 1, 0, 1 },
		{ 1, 0, 0, 1, 1, 0, 1 },
		{ 1, 0, 0, 1, 0, 0, 1 },
		{ 1, 0, 0, 0, 0, 0, 1 },
	};
	static const enum eng_qp_state way[] = {
		ENG_QPS_INIT, ENG_QPS_RTR, ENG_QPS_RTS, ENG_QPS_SQD,
	};
	struct host_qp_init init = { .type = ENG_QPT_UD, .sq = 8, .rq = 8 };
	u32 from, to, i;

	for (from = 0; from < ENG_QPS_COUNT; from++)
		for (to = 0; to < ENG_QPS_COUNT; to++) {
			struct eng_qp_attr attr = { .state = to, .qkey = 5 };
			struct eng_qp_attr after;
			struct host_wr wr;
			struct pair p;
			int err;

			pair_init_as(&p, &init);
			if (from == ENG_QPS_ERR || from == ENG_QPS_SQE)
				host_ud_ready(&p.a, 1);
			for (i = 0; from <= ENG_QPS_SQD && i < from; i++)
				host_state(&p.a, way[i]);
			if (from == ENG_QPS_ERR)
				host_state(&p.a, ENG_QPS_ERR);
			if (from == ENG_QPS_SQE) {
				wr = pair_wr(&p, WR_READ, 1, 8);
				host_send(&p.a, &wr);
			}
			CHECK_EQ(host_query(&p.a), from);
			err = eng_qp_modify(p.a.eng, &attr, ENG_QP_STATE | ENG_QP_QKEY);
			CHECK_EQ(err, legal[from][to] ? 0 : -ENV_EINVAL);
			CHECK_EQ(eng_qp_query(p.a.eng, &after, NULL), err ? from : to);
			CHECK_EQ(after.qkey == 5, !err);
			pair_fini(&p);
		}
}

static const struct tap_test tests[] = {
	{ "F42: unsignalled work", test_f42_unsignalled },
	{ "order of mixed work", test_order },
	{ "F04: local keys", test_f04_local_keys },
	{ "a local error waits for its turn", test_local_error_in_order },
	{ "F41: inline", test_f41_inline },
	{ "UC refuses what it cannot carry", test_uc_refuses_read },
	{ "UC", test_uc },
	{ "SQD drains", test_sqd },
	{ "budget", test_budget },
	{ "COMM_EST", test_comm_est },
	{ "transitions of states", test_transitions },
};

TAP_MAIN(tests)
