// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_found.c - faults that the simulator and the fuzzers found, each as short as it gets.
 */
#include "pair.h"
#include "tap.h"

static void ring_with(struct host_qp *qp, u32 bytes, u32 wqes)
{
	struct eng_runq rq;

	eng_runq_init(&rq);
	rq.bytes_left = bytes;
	rq.wqes_left = wqes;
	eng_kick(&rq, qp->eng);
	eng_run(&rq);
}

/*
 * Simulator, seed 1736: messages of an unreliable connection wait for a worker while their region
 * goes away.  The first one fails; the rest is flushed and does not fail once more, each by itself.
 */
static void test_one_error_of_many_in_flight(void)
{
	struct host_qp_init init = {
		.type = ENG_QPT_UC, .sq = 16, .rq = 16, .send_sge = 1, .recv_sge = 1,
	};
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init_as(&p, &init);
	host_connect(&p.a, &p.b);
	for (i = 0; i < 4; i++)
		pair_recv(&p, 100 + i, 0, 4096);
	for (i = 0; i < 4; i++) {
		wr = pair_wr(&p, WR_SEND, i, 4096);
		host_put_send(&p.a, &wr);
	}
	ring_with(&p.a, 64, 4);
	eng_mr_retire(&p.amr.eng);
	host_work();
	CHECK_EQ(pair_status(&p.acq, 0), LOC_PROT);
	for (i = 1; i < 4; i++)
		CHECK_EQ(pair_status(&p.acq, i), FLUSH);
	CHECK_EQ(host_query(&p.a), ENG_QPS_SQE);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "one error of many in flight, the rest flushed (seed 1736)",
	  test_one_error_of_many_in_flight },
};

TAP_MAIN(tests)
