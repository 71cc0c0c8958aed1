// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_run.c - who runs a QP: kicks from anywhere, workers, doorbells that overtake them.
 */
#include "pair.h"
#include "tap.h"

/* Without a run queue nothing runs in the caller; the worker's list has one entry. */
static void test_kick_defers(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	host_put_send(&p.a, &wr);
	eng_kick(NULL, p.a.eng);
	eng_kick(NULL, p.a.eng);
	CHECK(!host_poll(&p.acq, &wc));
	CHECK_EQ(p.a.in_list, 1);
	CHECK_EQ(host_work(), 1);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	pair_fini(&p);
}

/* A doorbell takes over; the worker's stale entry does nothing and can be made again. */
static void test_doorbell_overtakes(void)
{
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	for (i = 0; i < 5; i++) {
		wr = pair_wr(&p, WR_WRITE, i, 8);
		host_put_send(&p.a, &wr);
		eng_kick(NULL, p.a.eng);
		CHECK_EQ(p.a.in_list, 1);
		host_doorbell(&p.a);
		CHECK_EQ(pair_status(&p.acq, i), OK);
		CHECK_EQ(p.a.in_list, 1);
		if (i & 1)
			host_work();
	}
	pair_fini(&p);
}

/* The peer that waits for a worker with our frame in its hands is overtaken too. */
static void test_doorbell_helps_peer(void)
{
	struct eng_runq rq;
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 200000);
	host_put_send(&p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 1000;
	eng_kick(&rq, p.a.eng);
	eng_run(&rq);
	CHECK(!host_poll(&p.acq, &wc));
	CHECK_EQ(p.b.in_list, 1);
	CHECK_EQ(p.a.shared->running, 0);
	host_doorbell(&p.a);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	pair_fini(&p);
}

/* The doorbell word is 1 only while somebody will look again. */
static void test_running_word(void)
{
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	p.host.dev.port_up = 0;
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	host_send(&p.a, &wr);
	p.host.dev.port_up = 1;
	CHECK(host_tick(&p.a));
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(p.a.shared->running, 0);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(p.a.shared->running, 0);
	CHECK_EQ(p.b.shared->running, 0);
	pair_fini(&p);
}

/* Several QPs with several budgets of work: all of it gets done, whoever runs first. */
static void test_many(void)
{
	enum { N = 16, EACH = 30 };
	static struct host_qp qp[2 * N];
	static struct host_cq cq[2 * N];
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 32, .rq = 4 };
	struct pair p;
	u32 i, k, done = 0;

	pair_init(&p);
	for (i = 0; i < 2 * N; i++) {
		host_cq_init(&p.host, &cq[i], 64);
		init.scq = init.rcq = &cq[i];
		host_qp_init(&p.host, &qp[i], &init);
	}
	for (i = 0; i < N; i++)
		host_connect(&qp[2 * i], &qp[2 * i + 1]);
	for (k = 0; k < EACH; k++)
		for (i = 0; i < 2 * N; i++) {
			struct host_wr wr = pair_wr(&p, k & 1 ? WR_READ : WR_WRITE, k, 70000);

			host_put_send(&qp[i], &wr);
			if (k % 10 == 9)
				host_doorbell(&qp[i]);
		}
	host_work();
	for (i = 0; i < 2 * N; i++)
		for (k = 0; k < EACH; k++)
			done += pair_status(&cq[i], k) == OK;
	CHECK_EQ(done, 2 * N * EACH);
	for (i = 0; i < 2 * N; i++)
		CHECK_EQ(qp[i].shared->running, 0);
	for (i = 0; i < 2 * N; i++) {
		host_qp_fini(&qp[i]);
		host_cq_fini(&cq[i]);
	}
	pair_fini(&p);
}

/* Memory of an idle RC QP, rings aside: the issue allows 8 KiB in all. */
static void test_memory(void)
{
	static const struct { u32 sge, in; } shapes[] = {
		{ 1, 0 }, { 1, 220 }, { 4, 256 }, { 16, 512 }, { 32, 992 },
	};
	u32 i;

	for (i = 0; i < 5; i++) {
		struct eng_qp_config cfg = {
			.type = ENG_QPT_RC,
			.max_send_sge = shapes[i].sge,
			.max_recv_sge = shapes[i].sge,
			.max_inline = shapes[i].in,
		};

		CHECK(eng_qp_struct_bytes + eng_qp_private_bytes(&cfg) < 7 * 1024);
	}
}

static const struct tap_test tests[] = {
	{ "a kick without a run queue", test_kick_defers },
	{ "a doorbell overtakes the worker", test_doorbell_overtakes },
	{ "a doorbell helps the peer", test_doorbell_helps_peer },
	{ "the doorbell word", test_running_word },
	{ "many QPs", test_many },
	{ "memory of a QP", test_memory },
};

TAP_MAIN(tests)
