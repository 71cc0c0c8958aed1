// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_states.c - control operations while packets are on the way: drain, error, reset,
 * destroy, and a connection whose link becomes another one.
 */
#include "cable_raw.h"
#include "tap.h"

/* A post finds nobody at work while answers are awaited, so it rings and goes out at once. */
static void test_posts_ring(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	for (i = 0; i < 5; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 8);
		CHECK_EQ(p.a.shared->running, 0);
		host_send(&p.a, &wr);
		CHECK_EQ(cable_waiting(), i + 1);
	}
	cable_run();
	for (i = 0; i < 5; i++)
		CHECK_EQ(pair_status(&p.acq, i), OK);
	wpair_fini(&p);
}

/* More requests than slots: nobody needs to ring, acknowledges go on with the ring. */
static void test_full_window(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	for (i = 0; i < 64; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 2048);
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	CHECK_EQ(cable_waiting(), 64);
	for (i = 0; i < 64; i++) {
		CHECK(cable_wait(&p.acq, &wc));
		CHECK_EQ(wc.wr_id, i);
		CHECK_EQ(wc.status, OK);
	}
	wpair_fini(&p);
}

/* 10.3.1.5: SQD finishes what was begun, tells, and begins nothing. */
static void test_drain(void)
{
	struct eng_qp_attr attr = { .state = ENG_QPS_SQD, .sqd_notify = true };
	struct host_wr wr;
	struct wpair p;
	bool draining;

	wpair_init(&p);
	wr = wpair_wr(&p, WR_WRITE, 1, 200000);
	host_send(&p.a, &wr);
	CHECK_EQ(cable_waiting(), 64);
	eng_qp_modify(p.a.eng, &attr, ENG_QP_STATE | ENG_QP_EN_SQD_ASYNC_NOTIFY);
	wr = wpair_wr(&p, WR_WRITE, 2, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(eng_qp_query(p.a.eng, &attr, &draining), ENG_QPS_SQD);
	CHECK(draining);
	CHECK_EQ(host_event_find(p.a.eng, ENG_EVENT_SQ_DRAINED), 0);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(host_event_find(p.a.eng, ENG_EVENT_SQ_DRAINED), 1);
	CHECK_EQ(pair_status(&p.acq, 2), 255);
	host_state(&p.a, ENG_QPS_RTS);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	wpair_fini(&p);
}

/* Losses while the queue drains are repaired as ever. */
static void test_drain_with_loss(void)
{
	struct host_wr wr;
	struct shca_cqe wc;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	wr = wpair_wr(&p, WR_READ, 1, 60000);
	host_send(&p.a, &wr);
	host_state(&p.a, ENG_QPS_SQD);
	cable_deliver();
	for (i = 0; cable_waiting(); i++) {
		if (i % 7 == 3)
			cable_drop();
		else
			cable_deliver();
	}
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	wpair_fini(&p);
}

/* ERR: everything is flushed at once; what arrives later finds nothing. */
static void test_error(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	for (i = 0; i < 3; i++) {
		wr = wpair_wr(&p, i == 1 ? WR_READ : WR_WRITE, i, 3000);
		host_send(&p.a, &wr);
	}
	host_state(&p.a, ENG_QPS_ERR);
	for (i = 0; i < 3; i++)
		CHECK_EQ(pair_status(&p.acq, i), FLUSH);
	cable_run();
	CHECK(cable_count(&p.ahost, ENG_CNT_RX_QP_STATE) > 0);
	CHECK_EQ(pair_status(&p.acq, 0), 255);
	wpair_fini(&p);
}

/* RESET and destroy with packets waiting in the QP: all of them go back to the host. */
static void test_waiting_packets(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	for (i = 0; i < 2; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 20000);
		host_send(&p.a, &wr);
		cable_hold(true);
		while (cable_waiting())
			cable_deliver();
		if (!i)
			host_state(&p.b, ENG_QPS_RESET);
	}
	cable_hold(false);
	EXPECT_NOTHING();
	/* ASan would tell of packets that nobody freed. */
	wpair_fini(&p);
}

/* Packets of the life before do no harm to the one after. */
static void test_old_life(void)
{
	struct cable_packet old[8];
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 i, n;

	wpair_init(&p);
	wr = wpair_wr(&p, WR_READ, 1, 3000);
	host_send(&p.a, &wr);
	cable_deliver();
	for (n = 0; cable_waiting() && n < 8; n++) {
		old[n] = *cable_peek(0);
		cable_drop();
	}
	CHECK_EQ(n, 3);
	host_state(&p.a, ENG_QPS_RESET);
	host_state(&p.b, ENG_QPS_RESET);
	cable_connect(&p.a, &p.b);
	wpair_modify(&p.a, (struct eng_qp_attr){ .sq_psn = 0x100 }, ENG_QP_SQ_PSN);
	wpair_modify(&p.b, (struct eng_qp_attr){ .rq_psn = 0x100 }, ENG_QP_RQ_PSN);
	host_mr_fill(&p.amr, 0, 3000, 4);
	wr = wpair_wr(&p, WR_WRITE, 2, 3000);
	host_send(&p.a, &wr);
	for (i = 0; i < n; i++)
		cable_inject(&old[i]);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.wr_id, 2);
	CHECK_EQ(wc.status, OK);
	CHECK(host_mr_check(&p.amr, 0, 3000, 4));
	CHECK(host_mr_check(&p.bmr, 0, 3000, 4));
	wpair_fini(&p);
}

static void set_link(struct host_qp *qp, struct host_qp *peer, bool wire)
{
	struct eng_qp_attr attr;

	host_qp_attr(qp, peer, &attr);
	cable_gid(qp->host, attr.sgid);
	cable_gid(peer->host, attr.dgid);
	attr.wire = wire;
	if (wire)
		attr.peer = NULL;
	else
		eng_dev_get(attr.peer);
	eng_qp_modify(qp->eng, &attr, ENG_QP_PEER);
}

static void post_some(struct wpair *p, u32 first)
{
	static const u8 ops[] = { WR_WRITE, WR_SEND_IMM, WR_READ, WR_FAA };
	u32 i;

	for (i = 0; i < 4; i++) {
		struct host_wr wr = wpair_wr(p, ops[i], first + i, i == 3 ? 8 : 5000);

		if (ops[i] == WR_SEND_IMM)
			wpair_recv(p, 100 + first + i, 20000, 5000);
		wr.addr = (void *)(unsigned long)host_mr_addr(&p->amr, 8000 * (first + i));
		wr.raddr = host_mr_addr(&p->bmr, ops[i] == WR_FAA ? 200000 : 30000);
		wr.compare_add = 1;
		host_put_send(&p->a, &wr);
	}
	host_doorbell(&p->a);
}

/*
 * The route changes @after packets into the traffic: what was sent the old way goes the new one,
 * once for atomics and receives, and the next messages follow.
 */
static void change_link(u32 after, bool to_wire)
{
	struct shca_cqe wc;
	struct wpair p;
	u32 i, recvs = 0;
	u64 word;

	wpair_init(&p);
	if (to_wire) {
		set_link(&p.a, &p.b, false);
		set_link(&p.b, &p.a, false);
	}
	for (i = 0; i < 8; i++)
		*host_mr_at(&p.bmr, 200000 + i) = 0;
	post_some(&p, 0);
	for (i = 0; i < after && cable_waiting(); i++)
		cable_deliver();
	while (cable_waiting())
		cable_drop();
	set_link(&p.b, &p.a, to_wire);
	set_link(&p.a, &p.b, to_wire);
	post_some(&p, 4);
	for (i = 0; i < 8; i++) {
		CHECK(cable_wait(&p.acq, &wc));
		CHECK_EQ(wc.wr_id, i);
		CHECK_EQ(wc.status, OK);
	}
	while (host_poll(&p.bcq, &wc)) {
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.byte_len, 5000);
		recvs++;
	}
	CHECK_EQ(recvs, 2);
	for (i = 0, word = 0; i < 8; i++)
		word |= (u64)*host_mr_at(&p.bmr, 200000 + i) << 8 * i;
	CHECK_EQ(word, 2);
	wpair_fini(&p);
}

static void test_change_link(void)
{
	u32 after;

	for (after = 0; after < 30; after++) {
		change_link(after, false);
		if (tap_failed)
			printf("# after %u packets\n", after);
		CHECK(!tap_failed);
	}
	CHECK_SUB(change_link(0, true));
}

/* Found by the simulator: an RNR wait that began on the direct link, where receives are looked for
 * meanwhile, had a deadline in the past for ever when the link became the wire. */
static void test_rnr_changes_link(void)
{
	struct host_wr wr;
	struct wpair p;
	u32 n;

	wpair_init(&p);
	set_link(&p.a, &p.b, false);
	set_link(&p.b, &p.a, false);
	wr = wpair_wr(&p, WR_SEND, 1, 8);
	host_send(&p.a, &wr);
	set_link(&p.b, &p.a, true);
	set_link(&p.a, &p.b, true);
	for (n = 0; !cable_waiting() && n < 10; n++)
		CHECK(cable_tick());
	CHECK(n <= 3);
	CHECK(next_is(SEND_ONLY, first_psn(&p.a), 20));
	wpair_fini(&p);
}

/* Found by the simulator: frames behind a READ whose responses have no room made their QP spin. */
static void test_frames_behind_read(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	host_mr_fill(&p.bmr, 0, 3000, 2);
	wr = wpair_wr(&p, WR_READ, 1, 3000);
	host_send(&p.a, &wr);
	cable_limit(0);
	cable_deliver();
	EXPECT_NOTHING();
	/* A's request comes again, as a frame; B has no turn for it before there is room. */
	set_link(&p.a, &p.b, false);
	CHECK(!host_poll(&p.acq, &wc));
	set_link(&p.b, &p.a, false);
	cable_limit(~0u);
	cable_make_room();
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK(host_mr_check(&p.amr, 0, 3000, 2));
	wpair_fini(&p);
}

/* The engine keeps no wide slots for a QP that is not connected over the wire. */
static void test_wide_slots(void)
{
	long before;
	struct wpair p;

	wpair_make(&p, ENG_QPT_RC);
	before = env_alloc_balance();
	cable_connect(&p.a, &p.b);
	CHECK_EQ(env_alloc_balance(), before + 2);
	host_state(&p.a, ENG_QPS_RESET);
	CHECK_EQ(env_alloc_balance(), before + 1);
	wpair_fini(&p);
	CHECK_EQ(env_alloc_balance(), before);
}

static const struct tap_test tests[] = {
	{ "posts ring while answers are awaited", test_posts_ring },
	{ "more requests than slots", test_full_window },
	{ "10.3.1.5: SQD", test_drain },
	{ "SQD with losses", test_drain_with_loss },
	{ "ERR with packets on the way", test_error },
	{ "RESET and destroy with packets waiting", test_waiting_packets },
	{ "packets of an old life", test_old_life },
	{ "the link changes in the middle", test_change_link },
	{ "an RNR wait while the link changes", test_rnr_changes_link },
	{ "frames behind a READ without room", test_frames_behind_read },
	{ "slots come and go with the wire", test_wide_slots },
};

TAP_MAIN(tests)
