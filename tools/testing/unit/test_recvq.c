// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_recvq.c - receives are taken in order, once, and only believed when they make sense.
 */
#include "cq.h"
#include "pair.h"
#include "recvq.h"
#include "tap.h"

/* Taken in order; held until it completes; its slot in the ring is free at once. */
static void test_order(void)
{
	struct eng_completion c = { .status = ENG_WC_SUCCESS, .opcode = ENG_WC_RECV };
	struct eng_qp *qp;
	struct shca_cqe wc;
	struct pair p;
	u32 i;

	pair_init(&p);
	qp = p.b.eng;
	CHECK_EQ(eng_recvq_take(qp, 0), ENG_RECV_EMPTY);
	CHECK(!eng_recvq_ready(qp));
	for (i = 0; i < 3; i++)
		pair_recv(&p, 10 + i, 0, 100 + i);
	CHECK(eng_recvq_ready(qp));
	for (i = 0; i < 3; i++) {
		CHECK_EQ(eng_recvq_take(qp, 0), ENG_RECV_TAKEN);
		CHECK_EQ(qp->recv->wr_id, 10 + i);
		CHECK_EQ(qp->recv->total, 100 + i);
		CHECK_EQ(p.b.shared->rq_cons, i + 1);
		/* Asked again, it is the same one. */
		CHECK_EQ(eng_recvq_take(qp, 0), ENG_RECV_TAKEN);
		CHECK_EQ(qp->recv->wr_id, 10 + i);
		CHECK_EQ(p.b.shared->rq_cons, i + 1);
		eng_recvq_complete(qp, &c);
		CHECK(host_poll(&p.bcq, &wc));
		CHECK_EQ(wc.wr_id, 10 + i);
		CHECK_EQ(wc.wqe_count, i + 1);
	}
	CHECK_EQ(eng_recvq_take(qp, 0), ENG_RECV_EMPTY);
	pair_fini(&p);
}

/* One that is too short stays, for a message that fits. */
static void test_short(void)
{
	struct pair p;

	pair_init(&p);
	pair_recv(&p, 1, 0, 100);
	CHECK_EQ(eng_recvq_take(p.b.eng, 101), ENG_RECV_SHORT);
	CHECK_EQ(p.b.shared->rq_cons, 0);
	CHECK_EQ(eng_recvq_take(p.b.eng, 100), ENG_RECV_TAKEN);
	CHECK_EQ(eng_recvq_take(p.b.eng, 101), ENG_RECV_SHORT);
	pair_fini(&p);
}

/* A producer index that cannot be: the queue is broken, once and for all, and said so. */
static void test_lie(void)
{
	struct pair p;

	pair_init(&p);
	env_write(p.b.shared->rq_prod, 65);		/* of 64 */
	CHECK_EQ(eng_recvq_take(p.b.eng, 0), ENG_RECV_BROKEN);
	CHECK_EQ(host_event_find(p.b.eng, ENG_EVENT_QP_FATAL), 1);
	env_write(p.b.shared->rq_prod, 1);
	CHECK_EQ(eng_recvq_take(p.b.eng, 0), ENG_RECV_EMPTY);
	CHECK(!eng_recvq_ready(p.b.eng));
	pair_fini(&p);
}

/* More elements than the queue was made for: none is looked at. */
static void test_elements(void)
{
	struct pair p;
	struct shca_recv_wqe head = { .wr_id = 5, .count = 0xffffffff };

	pair_init(&p);
	memcpy(p.b.rq, &head, sizeof(head));
	env_write(p.b.shared->rq_prod, 1);
	p.b.rq_prod = 1;
	CHECK_EQ(eng_recvq_take(p.b.eng, 0), ENG_RECV_TAKEN);
	CHECK(p.b.eng->recv->bad);
	CHECK_EQ(p.b.eng->recv->segs, 0);
	CHECK_EQ(p.b.eng->recv->wr_id, 5);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "in order, once", test_order },
	{ "too short", test_short },
	{ "an index that lies", test_lie },
	{ "too many elements", test_elements },
};

TAP_MAIN(tests)
