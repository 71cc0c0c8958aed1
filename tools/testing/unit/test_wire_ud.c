// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_ud.c - unreliable services as packets: datagrams with their GRH, groups, and what an
 * unreliable connection drops.
 */
#include "cable_raw.h"
#include "tap.h"

enum { QKEY = 0x11112222 };

struct ud_pair {
	struct wpair p;
	struct eng_ah ah;
};

static void ud_init(struct ud_pair *u)
{
	wpair_make(&u->p, ENG_QPT_UD);
	host_ud_ready(&u->p.a, QKEY);
	host_ud_ready(&u->p.b, QKEY);
	cable_ah(&u->p.ahost, &u->p.bhost, &u->ah, 1);
}

static void ud_fini(struct ud_pair *u)
{
	eng_ah_retire(&u->ah);
	wpair_fini(&u->p);
}

static struct host_wr ud_wr(struct ud_pair *u, u64 wr_id, u32 length)
{
	struct host_wr wr = wpair_wr(&u->p, WR_SEND_IMM, wr_id, length);

	wr.imm = 0x55;
	wr.qpn = u->p.b.qpn;
	wr.qkey = QKEY;
	wr.ahn = 1;
	return wr;
}

/* 9.3.2, 11.4.2.1: DETH, and the network header in the first 40 bytes. */
static void test_datagram(void)
{
	const struct cable_packet *k;
	struct shca_cqe wc;
	struct ud_pair u;
	struct host_wr wr;
	u8 grh[40], gid[16];
	u32 i;

	ud_init(&u);
	host_mr_fill(&u.p.amr, 0, 1001, 5);
	wpair_recv(&u.p, 9, 0, 2000);
	wr = ud_wr(&u, 1, 1001);
	host_send(&u.p.a, &wr);
	/* Sent is done: nobody acknowledges. */
	CHECK_EQ(pair_status(&u.p.acq, 1), OK);
	k = cable_peek(0);
	CHECK_EQ(k->bytes[0], ON_UD | SEND_ONLY_IMM);
	CHECK_EQ(k->length, 12 + 8 + 4 + 1004);
	CHECK_EQ(cable_be(k->bytes + 12, 4), QKEY);
	CHECK_EQ(cable_be(k->bytes + 17, 3), u.p.a.qpn);
	CHECK(!cable_ack_req(k));
	CHECK_EQ(cable_series(), 1);
	cable_deliver();
	EXPECT_NOTHING();
	CHECK(host_poll(&u.p.bcq, &wc));
	CHECK_EQ(wc.wr_id, 9);
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(wc.byte_len, 1041);
	CHECK_EQ(wc.src_qp, u.p.a.qpn);
	CHECK_EQ(wc.wc_flags, 3);
	CHECK_EQ(wc.ex, 0x55);
	for (i = 0; i < 40; i++)
		grh[i] = *host_mr_at(&u.p.bmr, i);
	CHECK_EQ(grh[0] >> 4, 6);
	cable_gid(&u.p.ahost, gid);
	CHECK_EQ(memcmp(grh + 8, gid, 16), 0);
	cable_gid(&u.p.bhost, gid);
	CHECK_EQ(memcmp(grh + 24, gid, 16), 0);
	CHECK(host_mr_check(&u.p.bmr, 40, 1001, 5));
	ud_fini(&u);
}

/* Over IPv4 the header is in the last 20 of the 40 bytes. */
static void test_ipv4(void)
{
	struct cable_packet k;
	struct shca_cqe wc;
	struct ud_pair u;
	u32 i;

	ud_init(&u);
	host_mr_fill(&u.p.bmr, 0, 100, 1);
	wpair_recv(&u.p, 9, 0, 100);
	raw_bth(&k, &u.p.a, &u.p.b, ON_UD | SEND_ONLY, 0);
	raw_put(&k, QKEY, 4);
	raw_put(&k, 0x321, 4);
	raw_payload(&k, 6, 0xaa);
	memset(k.dst, 0, 16);
	memset(k.src, 0, 16);
	k.dst[10] = k.dst[11] = k.src[10] = k.src[11] = 0xff;
	k.dst[12] = k.src[12] = 10;
	k.src[15] = 7;
	k.dst[15] = 2;
	cable_give(&u.p.bhost, &k);
	CHECK(host_poll(&u.p.bcq, &wc));
	CHECK_EQ(wc.byte_len, 46);
	CHECK_EQ(wc.src_qp, 0x321);
	for (i = 0; i < 20; i++)
		CHECK_EQ(*host_mr_at(&u.p.bmr, i), 0);
	CHECK_EQ(*host_mr_at(&u.p.bmr, 20), 0x45);
	CHECK_EQ(*host_mr_at(&u.p.bmr, 20 + 15), 7);
	CHECK_EQ(*host_mr_at(&u.p.bmr, 20 + 19), 2);
	CHECK_EQ(*host_mr_at(&u.p.bmr, 40), 0xaa);
	ud_fini(&u);
}

/* F16 on the wire: what does not fit is dropped, counted, and stops nobody. */
static void test_dropped(void)
{
	struct shca_cqe wc;
	struct ud_pair u;
	struct host_wr wr;

	ud_init(&u);
	wr = ud_wr(&u, 1, 100);
	host_send(&u.p.a, &wr);			/* no receive */
	cable_run();
	CHECK_EQ(cable_count(&u.p.bhost, ENG_CNT_RX_NO_RECEIVE), 1);
	wpair_recv(&u.p, 9, 0, 100);
	host_send(&u.p.a, &wr);			/* 40 bytes too short */
	cable_run();
	CHECK_EQ(cable_count(&u.p.bhost, ENG_CNT_RX_NO_RECEIVE), 2);
	wr.qkey++;
	wr.length = 60;
	host_send(&u.p.a, &wr);
	cable_run();
	CHECK_EQ(cable_count(&u.p.bhost, ENG_CNT_RX_QKEY), 1);
	CHECK(!host_poll(&u.p.bcq, &wc));
	wr.qkey--;
	host_send(&u.p.a, &wr);
	cable_run();
	CHECK(host_poll(&u.p.bcq, &wc));
	CHECK_EQ(wc.wr_id, 9);
	CHECK_EQ(wc.byte_len, 100);
	CHECK_EQ(host_query(&u.p.b), ENG_QPS_RTS);
	ud_fini(&u);
}

/* A group: one packet, every member of the other host's, and those of ours by the direct link. */
static void test_group(void)
{
	static const u8 mgid[16] = { 0xff, 0x0e, [15] = 9 };
	struct host_qp_init init = {
		.type = ENG_QPT_UD, .sq = 16, .rq = 16, .send_sge = 1, .recv_sge = 1,
	};
	struct host_qp more[3];
	struct shca_cqe wc;
	struct ud_pair u;
	struct host_wr wr;
	struct eng_ah group;
	u32 i;

	ud_init(&u);
	init.scq = init.rcq = &u.p.bcq;
	for (i = 0; i < 3; i++) {
		struct host *host = i < 2 ? &u.p.bhost : &u.p.ahost;
		struct host_mr *mr = i < 2 ? &u.p.bmr : &u.p.amr;

		init.scq = init.rcq = i < 2 ? &u.p.bcq : &u.p.acq;
		host_qp_init(host, &more[i], &init);
		host_ud_ready(&more[i], QKEY);
		host_recv(&more[i], 100 + i, host_mr_addr(mr, 1000 * i), 500, mr->eng.key);
		CHECK_EQ(eng_mcast_attach(more[i].eng, mgid), 0);
	}
	CHECK_EQ(eng_mcast_attach(u.p.b.eng, mgid), 0);
	wpair_recv(&u.p, 110, 5000, 500);
	cable_ah(&u.p.ahost, &u.p.bhost, &group, 2);
	group.multicast = true;
	group.peer = &u.p.ahost.dev;
	memcpy(group.mgid, mgid, 16);
	memcpy(group.grh + 24, mgid, 16);
	wr = ud_wr(&u, 1, 64);
	wr.ahn = 2;
	host_mr_fill(&u.p.amr, 0, 64, 8);
	host_send(&u.p.a, &wr);
	CHECK_EQ(cable_waiting(), 1);
	CHECK_EQ(cable_qpn(cable_peek(0)), 0xffffff);
	cable_run();
	/* Ours: the send and the member here, then three members there, once each. */
	for (i = 0; i < 2; i++) {
		CHECK(host_poll(&u.p.acq, &wc));
		CHECK(wc.wr_id == 1 || wc.wr_id == 102);
		CHECK_EQ(wc.status, OK);
	}
	CHECK(!host_poll(&u.p.acq, &wc));
	for (i = 0; i < 3; i++) {
		CHECK(host_poll(&u.p.bcq, &wc));
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.byte_len, 104);
	}
	CHECK(!host_poll(&u.p.bcq, &wc));
	CHECK(host_mr_check(&u.p.bmr, 40, 64, 8));
	CHECK(host_mr_check(&u.p.bmr, 1040, 64, 8));
	CHECK(host_mr_check(&u.p.bmr, 5040, 64, 8));
	eng_ah_retire(&group);
	for (i = 0; i < 3; i++)
		host_qp_fini(&more[i]);
	ud_fini(&u);
}

/* Without room datagrams wait in the queue, and complete when they left. */
static void test_room(void)
{
	struct ud_pair u;
	struct host_wr wr;
	u32 i, left;

	ud_init(&u);
	cable_limit(2);
	for (i = 0; i < 7; i++) {
		wr = ud_wr(&u, i, 8);
		host_send(&u.p.a, &wr);
	}
	for (left = 7; left; left -= left < 2 ? left : 2) {
		CHECK_EQ(cable_waiting(), left < 2 ? left : 2);
		while (cable_waiting())
			cable_drop();
		cable_make_room();
	}
	for (i = 0; i < 7; i++)
		CHECK_EQ(pair_status(&u.p.acq, i), OK);
	ud_fini(&u);
}

static void uc_init(struct wpair *p)
{
	wpair_make(p, ENG_QPT_UC);
	cable_connect(&p->a, &p->b);
}

/* 9.8.2: a message that lost a packet is gone, the receive it took serves the next one. */
static void test_uc_loss(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;
	u32 k, i;

	for (k = 0; k < 4; k++) {
		uc_init(&p);
		wpair_recv(&p, 50, 0, 5000);
		host_mr_fill(&p.amr, 0, 4096, 2);
		wr = wpair_wr(&p, WR_SEND, 1, 4096);
		host_send(&p.a, &wr);
		CHECK_EQ(pair_status(&p.acq, 1), OK);
		CHECK_EQ(cable_waiting(), 4);
		for (i = 0; i < 4; i++) {
			if (i == k)
				cable_drop();
			else
				cable_deliver();
		}
		CHECK(!host_poll(&p.bcq, &wc));
		host_send(&p.a, &wr);
		cable_run();
		CHECK(host_poll(&p.bcq, &wc));
		CHECK_EQ(wc.wr_id, 50);
		CHECK_EQ(wc.byte_len, 4096);
		CHECK(host_mr_check(&p.bmr, 0, 4096, 2));
		CHECK_EQ(host_query(&p.b), ENG_QPS_RTS);
		EXPECT_NOTHING();
		wpair_fini(&p);
	}
}

/* 9.8.3: a bad key or a missing receive costs the message, not the connection. */
static void test_uc_refused(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct wpair p;

	uc_init(&p);
	host_mr_fill(&p.bmr, 0, 8000, 1);
	wr = wpair_wr(&p, WR_WRITE, 1, 3000);
	wr.rkey++;
	host_send(&p.a, &wr);
	wr = wpair_wr(&p, WR_SEND, 2, 3000);
	host_send(&p.a, &wr);
	cable_run();
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	CHECK(!host_poll(&p.bcq, &wc));
	CHECK(host_mr_check(&p.bmr, 0, 8000, 1));
	CHECK_EQ(host_query(&p.b), ENG_QPS_RTS);
	host_mr_fill(&p.amr, 0, 3000, 5);
	wr = wpair_wr(&p, WR_WRITE, 3, 3000);
	host_send(&p.a, &wr);
	cable_run();
	CHECK(host_mr_check(&p.bmr, 0, 3000, 5));
	CHECK_EQ(cable_waiting(), 0);
	wpair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "a datagram and its GRH", test_datagram },
	{ "GRH over IPv4", test_ipv4 },
	{ "F16: what does not fit is dropped", test_dropped },
	{ "groups, here and there", test_group },
	{ "datagrams wait for room", test_room },
	{ "9.8.2: UC loses whole messages", test_uc_loss },
	{ "9.8.3: UC drops what it may not do", test_uc_refused },
};

TAP_MAIN(tests)
