// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_turn.c - whose turn it is: a step that a packet brought about acknowledges, and leaves
 * what was posted to the thread that rings; what was rung goes out before the acknowledge.
 */
#include "cable_pair.h"
#include "tap.h"

static struct host_wr answer_of(struct wpair *p)
{
	return wr_between(&p->bmr, &p->amr, WR_WRITE, 2, 8);
}

static void send_to_b(struct wpair *p)
{
	struct host_wr wr = wpair_wr(p, WR_WRITE, 1, 8);

	host_send(&p->a, &wr);
	CHECK(next_is(WRITE_ONLY, first_psn(&p->a), 12 + 16 + 8));
}

/* While running is 0 whoever posts rings, so nobody else has to look. */
static void test_packet(void)
{
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	wr = answer_of(&p);
	host_put_send(&p.b, &wr);
	send_to_b(&p);
	cable_deliver();
	CHECK_EQ(cable_waiting(), 1);
	CHECK(next_acks(first_psn(&p.a), SYN_ACK));
	CHECK_EQ(p.b.shared->running, 0);
	cable_deliver();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	host_doorbell(&p.b);
	CHECK(next_is(WRITE_ONLY, first_psn(&p.b), 12 + 16 + 8));
	cable_run();
	CHECK_EQ(pair_status(&p.bcq, 2), OK);
	wpair_fini(&p);
}

/* The bell of a queue that somebody is about to run for a packet is not lost. */
static void test_bell(void)
{
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	wr = answer_of(&p);
	send_to_b(&p);
	cable_hold(true);
	cable_deliver();
	host_put_send(&p.b, &wr);
	host_doorbell(&p.b);
	cable_hold(false);
	CHECK_EQ(cable_waiting(), 2);
	CHECK(next_is(WRITE_ONLY, first_psn(&p.b), 12 + 16 + 8));
	cable_deliver();
	CHECK(next_acks(first_psn(&p.a), SYN_ACK));
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.bcq, 2), OK);
	wpair_fini(&p);
}

/* What was posted while the queue drained goes out when it sends again, without a bell. */
static void test_sqd(void)
{
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	wr = answer_of(&p);
	send_to_b(&p);
	host_state(&p.b, ENG_QPS_SQD);
	host_send(&p.b, &wr);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	host_state(&p.b, ENG_QPS_RTS);
	CHECK(next_is(WRITE_ONLY, first_psn(&p.b), 12 + 16 + 8));
	cable_run();
	CHECK_EQ(pair_status(&p.bcq, 2), OK);
	wpair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "a packet leaves the ring alone", test_packet },
	{ "a bell behind a packet is heard, and comes first", test_bell },
	{ "posts to a queue that drains", test_sqd },
};

TAP_MAIN(tests)
