// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_direct.c - frames between QPs of one host: who is found, and what is lost.
 */
#include "pair.h"
#include "tap.h"

/* A peer that goes, and another one that comes with its number: the remembered one is not used. */
static void test_peer_replaced(void)
{
	struct host_qp_init init = {
		.type = ENG_QPT_RC, .sq = 16, .rq = 16, .send_sge = 1, .recv_sge = 1,
	};
	struct eng_qp_attr attr;
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;
	u32 qpn;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	qpn = p.b.qpn;
	host_qp_fini(&p.b);
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), 255);
	init.scq = init.rcq = &p.bcq;
	p.host.next_qpn = qpn;
	host_qp_init(&p.host, &p.b, &init);
	CHECK_EQ(p.b.qpn, qpn);
	/* It expects what A sends next. */
	host_state(&p.b, ENG_QPS_INIT);
	host_qp_attr(&p.b, &p.a, &attr);
	attr.rq_psn++;
	attr.state = ENG_QPS_RTR;
	eng_dev_get(attr.peer);
	CHECK_EQ(eng_qp_modify(p.b.eng, &attr, ENG_QP_STATE | HOST_ALL_ATTRS), 0);
	while (!host_poll(&p.acq, &wc))
		CHECK(host_tick(&p.a));
	CHECK_EQ(wc.status, OK);
	pair_fini(&p);
}

/* Either port down loses what is sent; the ports are looked at for each emission. */
static void test_ports(void)
{
	struct shca_cqe wc;
	struct host other;
	struct host_wr wr;
	struct pair p;
	u64 drops;

	pair_init(&p);
	host_init(&other);
	drops = eng_dev_counter(&p.host.dev, ENG_CNT_DROPS);
	p.host.dev.port_up = 0;
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	host_send(&p.a, &wr);
	CHECK_EQ(eng_dev_counter(&p.host.dev, ENG_CNT_DROPS), drops + 1);
	CHECK(!host_poll(&p.acq, &wc));
	p.host.dev.port_up = 1;
	while (!host_poll(&p.acq, &wc))
		CHECK(host_tick(&p.a));
	CHECK_EQ(wc.status, OK);
	/* Another device as peer, whose port is down. */
	other.dev.port_up = 0;
	eng_dev_get(&other.dev);
	eng_qp_modify(p.a.eng, &(struct eng_qp_attr){ .peer = &other.dev }, ENG_QP_PEER);
	host_send(&p.a, &wr);
	CHECK_EQ(eng_dev_counter(&p.host.dev, ENG_CNT_DROPS), drops + 2);
	pair_fini(&p);
	CHECK(!other.gone);
	host_fini(&other);
}

/* Answers to several senders in one step: each gets its own, none waits for another's. */
static void test_replies_to_many(void)
{
	static const u8 mgid[16] = { 0xff };
	struct host_qp_init init = {
		.type = ENG_QPT_UD, .sq = 16, .rq = 16, .send_sge = 1, .recv_sge = 1,
	};
	struct host_qp from[3], to;
	struct eng_ah ah;
	struct pair p;
	u32 i;

	pair_init(&p);
	init.scq = init.rcq = &p.acq;
	for (i = 0; i < 3; i++) {
		host_qp_init(&p.host, &from[i], &init);
		host_ud_ready(&from[i], 5);
	}
	init.scq = init.rcq = &p.bcq;
	host_qp_init(&p.host, &to, &init);
	host_ud_ready(&to, 5);
	memset(&ah, 0, sizeof(ah));
	ah.dev = ah.peer = &p.host.dev;
	ah.pd = p.host.pd;
	ah.ahn = 1;
	memcpy(ah.mgid, mgid, 16);
	CHECK_EQ(eng_ah_publish(&ah), 0);
	for (i = 0; i < 6; i++) {
		struct host_wr wr = pair_wr(&p, WR_SEND, i, 8);
		struct eng_runq rq;

		wr.qpn = to.qpn;
		wr.qkey = 5;
		wr.ahn = 1;
		host_recv(&to, 100 + i, host_mr_addr(&p.bmr, 0), 100, p.bmr.eng.key);
		host_put_send(&from[i % 3], &wr);
		/* The receiver has no turn before all have sent. */
		eng_runq_init(&rq);
		rq.wqes_left = 1;
		eng_kick(&rq, from[i % 3].eng);
		eng_run(&rq);
	}
	host_work();
	for (i = 0; i < 6; i++) {
		struct shca_cqe wc;

		CHECK(host_poll(&p.acq, &wc));
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(pair_status(&p.bcq, 100 + i), OK);
	}
	for (i = 0; i < 3; i++)
		host_qp_fini(&from[i]);
	host_qp_fini(&to);
	eng_ah_retire(&ah);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "a peer is replaced", test_peer_replaced },
	{ "ports", test_ports },
	{ "answers to several senders", test_replies_to_many },
};

TAP_MAIN(tests)
