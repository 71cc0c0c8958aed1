// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_xrc.c - extended reliable connections: one target QP, receives of several SRQs.
 */
#include "pair.h"
#include "tap.h"

static int domain_a, domain_b;

#define DOMAIN(x)	((const struct eng_xrcd *)&(x))

struct scene {
	struct pair p;			/* a sends, b is the target */
	struct host_srq srq[3];		/* the last is of another domain */
	struct host_cq cq[3];
};

static void srq_publish(struct scene *s, u32 i, const struct eng_xrcd *xrcd)
{
	struct host_srq *srq = &s->srq[i];

	host_cq_init(&s->p.host, &s->cq[i], 64);
	host_srq_init(&s->p.host, srq, 16, 2);
	srq->eng.srqn = 100 + i;
	srq->eng.xrcd = xrcd;
	srq->eng.cq = &s->cq[i].eng;
	if (eng_srq_publish(&srq->eng))
		abort();
}

static void srq_retire(struct scene *s, u32 i)
{
	eng_srq_retire(&s->srq[i].eng);
	CHECK_EQ(s->srq[i].idle, 1);
	host_srq_fini(&s->srq[i]);
	host_cq_fini(&s->cq[i]);
}

static void scene_init(struct scene *s, enum eng_xrc sender)
{
	struct host_qp_init init = { .type = ENG_QPT_RC, .xrc = sender, .sq = 32, .send_sge = 4 };

	memset(s, 0, sizeof(*s));
	pair_init_as(&s->p, &init);
	host_qp_fini(&s->p.b);
	init = (struct host_qp_init) {
		.type = ENG_QPT_RC, .xrc = ENG_XRC_TGT, .xrcd = DOMAIN(domain_a),
		.scq = &s->p.bcq, .rcq = &s->p.bcq,
	};
	host_qp_init(&s->p.host, &s->p.b, &init);
	host_connect(&s->p.a, &s->p.b);
	srq_publish(s, 0, DOMAIN(domain_a));
	srq_publish(s, 1, DOMAIN(domain_a));
	srq_publish(s, 2, DOMAIN(domain_b));
}

static void scene_fini(struct scene *s)
{
	struct shca_cqe wc;

	CHECK(!host_poll(&s->p.bcq, &wc));
	srq_retire(s, 0);
	srq_retire(s, 1);
	srq_retire(s, 2);
	pair_fini(&s->p);
}

static void restart(struct pair *p)
{
	host_state(&p->a, ENG_QPS_RESET);
	host_state(&p->b, ENG_QPS_RESET);
	host_connect(&p->a, &p->b);
}

static void post(struct scene *s, u32 i, u64 wr_id)
{
	host_srq_recv(&s->srq[i], wr_id, host_mr_addr(&s->p.bmr, 4096 * i), 4096,
		      s->p.bmr.eng.key);
}

static u32 request(struct scene *s, u8 opcode, u32 srqn, u32 length)
{
	struct host_wr wr = pair_wr(&s->p, opcode, 5, length);

	wr.srqn = srqn;
	host_send(&s->p.a, &wr);
	return pair_status(&s->p.acq, 5);
}

static void test_two_queues(void)
{
	struct shca_cqe wc;
	struct scene s;
	u32 i;

	scene_init(&s, ENG_XRC_INI);
	for (i = 0; i < 8; i++) {
		post(&s, i & 1, 40 + i);
		host_mr_fill(&s.p.amr, 0, 1000, i);
		CHECK_EQ(request(&s, WR_SEND, 100 + (i & 1), 1000), OK);
		CHECK(host_poll(&s.cq[i & 1], &wc));
		CHECK_EQ(wc.wr_id, 40 + i);
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.qpn, s.p.b.qpn);
		CHECK_EQ(wc.srq, 1);
		CHECK_EQ(wc.byte_len, 1000);
		CHECK(host_mr_check(&s.p.bmr, 4096 * (i & 1), 1000, i));
		CHECK(!host_poll(&s.cq[!(i & 1)], &wc));
	}
	scene_fini(&s);
}

/* A14: memory is judged by the protection domain of the SRQ that is named. */
static void test_domain_of_srq(void)
{
	struct scene s;

	scene_init(&s, ENG_XRC_INI);
	CHECK_EQ(request(&s, WR_WRITE, 100, 5000), OK);
	CHECK_EQ(request(&s, WR_READ, 101, 5000), OK);
	s.srq[1].eng.pd = s.p.host.pd2;
	CHECK_EQ(request(&s, WR_WRITE, 101, 8), REM_ACCESS);
	scene_fini(&s);
}

static void test_no_such_queue(void)
{
	static const u32 bad[] = { 0, 99, 102, 103, 0xffffff };
	struct scene s;
	u32 i;

	scene_init(&s, ENG_XRC_INI);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQ(request(&s, i & 1 ? WR_SEND : WR_WRITE, bad[i], 8), REM_INV);
		CHECK_EQ(host_query(&s.p.b), ENG_QPS_ERR);
		restart(&s.p);
	}
	scene_fini(&s);
}

static void test_destroyed_in_between(void)
{
	struct scene s;

	scene_init(&s, ENG_XRC_INI);
	post(&s, 0, 1);
	CHECK_EQ(request(&s, WR_SEND, 100, 8), OK);
	CHECK_SUB(srq_retire(&s, 0));
	CHECK_EQ(request(&s, WR_SEND, 100, 8), REM_INV);
	srq_publish(&s, 0, DOMAIN(domain_a));
	s.srq[0].idle = 0;
	scene_fini(&s);
}

/* The queue goes away while a message for it moves: nobody waits, nothing completes there. */
static void test_destroyed_in_the_middle(void)
{
	struct eng_runq rq;
	struct host_wr wr;
	struct scene s;

	scene_init(&s, ENG_XRC_INI);
	host_srq_recv(&s.srq[0], 1, host_mr_addr(&s.p.bmr, 0), 200000, s.p.bmr.eng.key);
	wr = pair_wr(&s.p, WR_SEND, 5, 200000);
	wr.srqn = 100;
	host_put_send(&s.p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 100000;
	eng_kick(&rq, s.p.a.eng);
	eng_run(&rq);
	CHECK_SUB(srq_retire(&s, 0));
	host_work();
	CHECK_EQ(pair_status(&s.p.acq, 5), OK);
	srq_publish(&s, 0, DOMAIN(domain_a));
	s.srq[0].idle = 0;
	scene_fini(&s);
}

static void test_not_ready(void)
{
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s, ENG_XRC_INI);
	CHECK_EQ(request(&s, WR_SEND, 100, 8), 255);
	post(&s, 1, 2);
	post(&s, 0, 1);
	while (host_tick(&s.p.a))
		;
	CHECK_EQ(pair_status(&s.p.acq, 5), OK);
	CHECK(host_poll(&s.cq[0], &wc));
	CHECK_EQ(wc.wr_id, 1);
	CHECK(!host_poll(&s.cq[1], &wc));
	scene_fini(&s);
}

/* A receive that a cut-off message took comes back to its own queue. */
static void test_flush(void)
{
	struct eng_runq rq;
	struct shca_cqe wc;
	struct host_wr wr;
	struct scene s;

	scene_init(&s, ENG_XRC_INI);
	host_srq_recv(&s.srq[1], 7, host_mr_addr(&s.p.bmr, 0), 200000, s.p.bmr.eng.key);
	wr = pair_wr(&s.p, WR_SEND, 5, 200000);
	wr.srqn = 101;
	host_put_send(&s.p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 100000;
	eng_kick(&rq, s.p.a.eng);
	eng_run(&rq);
	host_state(&s.p.b, ENG_QPS_ERR);
	host_work();
	CHECK(host_poll(&s.cq[1], &wc));
	CHECK_EQ(wc.wr_id, 7);
	CHECK_EQ(wc.status, FLUSH);
	CHECK_EQ(wc.qpn, s.p.b.qpn);
	scene_fini(&s);
}

/* A plain RC QP is no partner of a target: as if nobody were there. */
static void test_wrong_partner(void)
{
	struct scene s;

	scene_init(&s, ENG_XRC_NONE);
	post(&s, 0, 1);
	CHECK_EQ(request(&s, WR_SEND, 100, 8), 255);
	while (host_tick(&s.p.a))
		;
	CHECK_EQ(pair_status(&s.p.acq, 5), RETRY_EXC);
	scene_fini(&s);
}

static const struct tap_test tests[] = {
	{ "each message names its queue", test_two_queues },
	{ "the queue's protection domain", test_domain_of_srq },
	{ "no such queue, or of another domain", test_no_such_queue },
	{ "destroyed in between", test_destroyed_in_between },
	{ "destroyed in the middle", test_destroyed_in_the_middle },
	{ "not ready", test_not_ready },
	{ "flush", test_flush },
	{ "wrong partner", test_wrong_partner },
};

TAP_MAIN(tests)
