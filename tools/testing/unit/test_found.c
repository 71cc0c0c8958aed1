// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_found.c - faults that the simulator and the fuzzers found, each as short as it gets.
 */
#include "cable_pair.h"
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

static void to_direct_link(struct host_qp *qp, struct host *peer)
{
	struct eng_qp_attr attr = { .peer = &peer->dev };

	eng_dev_get(attr.peer);
	eng_qp_modify(qp->eng, &attr, ENG_QP_PEER);
}

static void to_wire(struct host_qp *qp, struct host_qp *peer)
{
	struct eng_qp_attr attr = { .wire = true };

	cable_gid(qp->host, attr.sgid);
	cable_gid(peer->host, attr.dgid);
	eng_qp_modify(qp->eng, &attr, ENG_QP_PEER);
}

/*
 * Simulator, seeds 6051 and 6513 with relink: responses to a READ wait for the host's room while
 * the connection moves to the direct link.  The responder, which has work of its own, spun over
 * the frames that came after; and who destroyed their sender waited for the room, too.
 */
static void test_frames_behind_a_read_without_room(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	host_mr_fill(&p.bmr, 0, 16384, 5);
	wr = wpair_wr(&p, WR_READ, 1, 16384);
	host_send(&p.a, &wr);
	CHECK_EQ(cable_waiting(), 1);
	host_send(&p.b, &(struct host_wr){ .wr_id = 2, .opcode = WR_WRITE });
	/* Half of the responses. */
	cable_limit(8);
	cable_deliver();
	to_direct_link(&p.a, &p.bhost);
	to_direct_link(&p.b, &p.ahost);
	host_work();
	while (host_now < 10000000000ull && cable_tick())
		;
	/* No room was made. */
	CHECK(host_poll(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK(host_mr_check(&p.amr, 0, 16384, 5));
	wpair_fini(&p);
}

/*
 * A refusal on the direct link comes home when the connection has moved to the wire.  It is said
 * once: who does not hear it asks a peer in ERR until no retry is left.
 */
static void test_refusal_from_another_link(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	to_direct_link(&p.a, &p.bhost);
	to_direct_link(&p.b, &p.ahost);
	for (i = 0; i < 4; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		wr.rkey ^= i == 2 ? 0x55 : 0;
		host_put_send(&p.a, &wr);
	}
	/* B waits for a worker. */
	ring_with(&p.a, ENG_BUDGET_BYTES, 4);
	CHECK(!host_poll(&p.acq, &wc));
	to_wire(&p.a, &p.b);
	host_work();
	CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
	for (i = 0; i < 4; i++) {
		CHECK(cable_wait(&p.acq, &wc));
		CHECK_EQ(wc.wr_id, i);
		CHECK_EQ(wc.status, i < 2 ? OK : i == 2 ? REM_ACCESS : FLUSH);
	}
	wpair_fini(&p);
}

/*
 * Simulator, seed 486683243057: a request of an unknown opcode waits behind a message whose
 * acknowledge was lost.  What its slot had as number in an earlier life decided whether anything
 * seemed to be in flight; if not, no timer was armed any more.
 */
static void test_bad_opcode_behind_a_lost_acknowledge(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wr = wpair_wr(&p, WR_WRITE, 1, 8);
	host_put_send(&p.a, &wr);
	wr.opcode = 200;
	host_put_send(&p.a, &wr);
	host_doorbell(&p.a);
	cable_drop();
	for (i = 0; i < 20 && cable_tick(); i++)
		cable_run();
	CHECK(host_poll(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK(host_poll(&p.acq, &wc));
	CHECK_EQ(wc.status, LOC_QP_OP);
	wpair_fini(&p);
}

/*
 * Simulator, seed 910009344: the NAK that refuses a request is lost.  It is sent once; from then on
 * the responder is in ERR and silent (9.9.3), so the requester runs out of retries.
 */
static void test_lost_refusal(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	wr = wpair_wr(&p, WR_WRITE, 1, 8);
	wr.rkey ^= 1;
	host_send(&p.a, &wr);
	cable_deliver();
	CHECK(next_acks(first_psn(&p.a), SYN_NAK_ACCESS));
	CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
	cable_drop();
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, RETRY_EXC);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 7);
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RX_PACKETS), 0);
	CHECK(cable_count(&p.bhost, ENG_CNT_RX_QP_STATE) > 7);
	wpair_fini(&p);
}

/*
 * Simulator, seed 61766421751: the NAK that refuses a request overtakes the response to a READ
 * before it.  That one is missing then and is asked for again, with all that follows (9.7.5.1.5);
 * the late response completes it, but the refusal is not said a second time.
 */
static void test_refusal_before_a_response(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	host_mr_fill(&p.bmr, 0, 8, 5);
	wr = wpair_wr(&p, WR_READ, 1, 8);
	host_put_send(&p.a, &wr);
	wr = wpair_wr(&p, WR_WRITE, 2, 8);
	wr.rkey ^= 1;
	host_put_send(&p.a, &wr);
	host_doorbell(&p.a);
	EXPECT(READ_REQ, first_psn(&p.a), 12 + 16);
	EXPECT(WRITE_ONLY, first_psn(&p.a) + 1, 12 + 16 + 8);
	CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
	cable_inject(cable_peek(1));
	CHECK(!host_poll(&p.acq, &wc));
	EXPECT(RESP_ONLY, first_psn(&p.a), 12 + 4 + 8);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK(host_mr_check(&p.amr, 0, 8, 5));
	CHECK(next_acks(first_psn(&p.a) + 1, SYN_NAK_ACCESS));
	cable_drop();
	EXPECT(READ_REQ, first_psn(&p.a), 12 + 16);
	EXPECT(WRITE_ONLY, first_psn(&p.a) + 1, 12 + 16 + 8);
	EXPECT_NOTHING();
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.wr_id, 2);
	CHECK_EQ(wc.status, RETRY_EXC);
	wpair_fini(&p);
}

/*
 * Simulator, seed 910000232 with dup and bad-op: a SEND that comes twice finds no receive, then
 * one, and the request behind it is refused.  Whoever sent them waits for the RNR timer when that
 * is said, and did not listen.
 */
static void test_refusal_during_an_rnr_wait(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u64 start;

	wpair_init(&p);
	start = host_now;
	wr = wpair_wr(&p, WR_SEND, 1, 8);
	host_put_send(&p.a, &wr);
	wr = wpair_wr(&p, WR_WRITE, 2, 8);
	wr.rkey ^= 1;
	host_put_send(&p.a, &wr);
	host_doorbell(&p.a);
	cable_inject(cable_peek(0));
	wpair_recv(&p, 5, 0, 8);
	EXPECT(SEND_ONLY, first_psn(&p.a), 12 + 8);
	EXPECT(WRITE_ONLY, first_psn(&p.a) + 1, 12 + 16 + 8);
	CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
	EXPECT_ACK(first_psn(&p.a), SYN_RNR | 12);
	CHECK(!host_poll(&p.acq, &wc));
	EXPECT_ACK(first_psn(&p.a) + 1, SYN_NAK_ACCESS);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.acq, 2), REM_ACCESS);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	CHECK_EQ(host_now, start);
	EXPECT_NOTHING();
	wpair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "one error of many in flight, the rest flushed (seed 1736)",
	  test_one_error_of_many_in_flight },
	{ "frames behind a READ that has no room do not wait for it (seeds 6051, 6513)",
	  test_frames_behind_a_read_without_room },
	{ "an unknown opcode behind a lost acknowledge (seed 486683243057)",
	  test_bad_opcode_behind_a_lost_acknowledge },
	{ "a refusal that comes home by the direct link, when packets are the way already",
	  test_refusal_from_another_link },
	{ "a refusal whose NAK is lost ends in exhausted retries (seed 910009344)",
	  test_lost_refusal },
	{ "a refusal that overtakes a response is not said twice (seed 61766421751)",
	  test_refusal_before_a_response },
	{ "a refusal is heard during an RNR wait (seed 910000232)",
	  test_refusal_during_an_rnr_wait },
};

TAP_MAIN(tests)
