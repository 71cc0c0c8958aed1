// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_ud.c - datagrams: GRH, Q_Keys, what is dropped, multicast, address handles.
 */
#include "pair.h"
#include "tap.h"

enum { QKEY = 0x11111111 };

struct ud {
	struct pair p;
	struct eng_ah ah;
};

static void ud_init(struct ud *u)
{
	struct host_qp_init init = {
		.type = ENG_QPT_UD, .sq = 32, .rq = 32, .send_sge = 2, .recv_sge = 2,
		.max_inline = 64,
	};

	memset(u, 0, sizeof(*u));
	pair_init_as(&u->p, &init);
	u->ah.dev = u->ah.peer = &u->p.host.dev;
	u->ah.pd = u->p.host.pd;
	u->ah.ahn = 5;
	u->ah.sl = 3;
	u->ah.grh[0] = 0x60;
	u->ah.grh[6] = 0x1b;
	u->ah.grh[39] = 0x77;
	if (eng_ah_publish(&u->ah))
		abort();
	host_ud_ready(&u->p.a, QKEY);
	host_ud_ready(&u->p.b, QKEY);
}

static void ud_fini(struct ud *u)
{
	u32 idle = host_idle_ahs;

	eng_ah_retire(&u->ah);
	assert(host_idle_ahs == idle + 1);
	pair_fini(&u->p);
}

static struct host_wr ud_wr(struct ud *u, u64 wr_id, u32 length)
{
	struct host_wr wr = pair_wr(&u->p, WR_SEND, wr_id, length);

	wr.qpn = u->p.b.qpn;
	wr.qkey = QKEY;
	wr.ahn = u->ah.ahn;
	return wr;
}

static void test_datagram(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct ud u;

	ud_init(&u);
	host_mr_fill(&u.p.amr, 0, 100, 4);
	wr = ud_wr(&u, 1, 100);
	wr.opcode = WR_SEND_IMM;
	wr.imm = 0xa1b2c3d4;
	pair_recv(&u.p, 2, 0, 200);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 1), OK);
	CHECK(host_poll(&u.p.bcq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(wc.opcode, 128);
	CHECK_EQ(wc.byte_len, 140);
	CHECK_EQ(wc.src_qp, u.p.a.qpn);
	CHECK_EQ(wc.wc_flags, 3);
	CHECK_EQ(wc.ex, 0xa1b2c3d4);
	CHECK_EQ(wc.sl, 3);
	CHECK(host_mr_check(&u.p.bmr, 40, 100, 4));
	/* IPv6: the length of UDP, BTH, DETH, immediate, payload and ICRC. */
	CHECK_EQ(*host_mr_at(&u.p.bmr, 0), 0x60);
	CHECK_EQ(*host_mr_at(&u.p.bmr, 5), 8 + 12 + 8 + 4 + 100 + 4);
	CHECK_EQ(*host_mr_at(&u.p.bmr, 39), 0x77);
	ud_fini(&u);
}

/* IPv4: in the last 20 bytes, with a right length and checksum. */
static void test_ipv4_header(void)
{
	static const u8 ip[20] = { 0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0,
				   0, 2 };
	struct host_wr wr;
	struct ud u;
	u32 sum = 0, i;

	ud_init(&u);
	memset(u.ah.grh, 0, 40);
	memcpy(u.ah.grh + 20, ip, 20);
	pair_recv(&u.p, 2, 0, 200);
	wr = ud_wr(&u, 1, 7);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.bcq, 2), OK);
	CHECK_EQ(*host_mr_at(&u.p.bmr, 23), 20 + 8 + 12 + 8 + 8 + 4);
	for (i = 20; i < 40; i += 2)
		sum += (u32)*host_mr_at(&u.p.bmr, i) << 8 | *host_mr_at(&u.p.bmr, i + 1);
	sum = (sum & 0xffff) + (sum >> 16);
	CHECK_EQ(sum, 0xffff);
	ud_fini(&u);
}

/* F16: what does not fit is dropped, the listener stays, the next one arrives. */
static void test_f16_drops(void)
{
	struct shca_cqe wc;
	struct host_wr wr;
	struct ud u;

	ud_init(&u);
	wr = ud_wr(&u, 1, 64);
	host_send(&u.p.a, &wr);				/* no receive */
	CHECK_EQ(pair_status(&u.p.acq, 1), OK);
	host_mr_fill(&u.p.bmr, 0, 8192, 9);
	pair_recv(&u.p, 10, 0, 40 + 64);
	pair_recv(&u.p, 11, 4096, 40 + 4096);
	wr = ud_wr(&u, 2, 200);
	host_send(&u.p.a, &wr);				/* too long for the first */
	CHECK_EQ(pair_status(&u.p.acq, 2), OK);
	wr = ud_wr(&u, 3, 64);
	wr.qkey = QKEY + 1;
	host_send(&u.p.a, &wr);				/* bad Q_Key */
	CHECK_EQ(pair_status(&u.p.acq, 3), OK);
	CHECK(!host_poll(&u.p.bcq, &wc));
	CHECK(host_mr_check(&u.p.bmr, 0, 8192, 9));
	wr = ud_wr(&u, 4, 64);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 4), OK);
	CHECK(host_poll(&u.p.bcq, &wc));
	CHECK_EQ(wc.byte_len, 104);
	CHECK_EQ(wc.wr_id, 10);
	CHECK_EQ(wc.wc_flags, 1);
	CHECK_EQ(host_query(&u.p.b), ENG_QPS_RTS);
	ud_fini(&u);
}

/* The top bit of a request's Q_Key means the sender's own. */
static void test_own_qkey(void)
{
	struct host_wr wr;
	struct ud u;

	ud_init(&u);
	pair_recv(&u.p, 2, 0, 200);
	wr = ud_wr(&u, 1, 8);
	wr.qkey = 0x80000000;
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.bcq, 2), OK);
	ud_fini(&u);
}

/* Local errors: over the MTU, unknown or foreign handle; SQE, and RTS again. */
static void test_local_errors(void)
{
	struct host_wr wr;
	struct ud u;

	ud_init(&u);
	u.p.host.dev.port_mtu = 1024;
	wr = ud_wr(&u, 1, 1024);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 1), OK);
	wr = ud_wr(&u, 2, 1025);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 2), LOC_LEN);
	CHECK_EQ(host_query(&u.p.a), ENG_QPS_SQE);
	host_state(&u.p.a, ENG_QPS_RTS);
	wr = ud_wr(&u, 3, 8);
	wr.ahn = 77;
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 3), LOC_QP_OP);
	host_state(&u.p.a, ENG_QPS_RTS);
	u.ah.pd = u.p.host.pd2;
	wr = ud_wr(&u, 4, 8);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 4), LOC_QP_OP);
	u.ah.pd = u.p.host.pd;
	host_state(&u.p.a, ENG_QPS_RTS);
	wr = ud_wr(&u, 5, 8);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 5), OK);
	ud_fini(&u);
}

/* A receive whose key is bad is its owner's error. */
static void test_bad_receive(void)
{
	struct host_wr wr;
	struct ud u;

	ud_init(&u);
	host_recv(&u.p.b, 2, host_mr_addr(&u.p.bmr, 0), 200, 1);
	wr = ud_wr(&u, 1, 8);
	host_send(&u.p.a, &wr);
	CHECK_EQ(pair_status(&u.p.acq, 1), OK);
	CHECK_EQ(pair_status(&u.p.bcq, 2), LOC_PROT);
	CHECK_EQ(host_query(&u.p.b), ENG_QPS_ERR);
	ud_fini(&u);
}

/* Many datagrams to nowhere complete as well. */
static void test_nowhere(void)
{
	struct host_wr wr;
	struct ud u;
	u32 i;

	ud_init(&u);
	u.ah.peer = NULL;
	for (i = 0; i < 100; i++) {
		wr = ud_wr(&u, i, 8);
		host_send(&u.p.a, &wr);
		CHECK_EQ(pair_status(&u.p.acq, i), OK);
	}
	ud_fini(&u);
}

enum { MEMBERS = 5 };

static void test_multicast(void)
{
	struct host_qp_init init = { .type = ENG_QPT_UD, .sq = 16, .rq = 16 };
	static const u8 mgid[16] = { 0xff, 0x0e, 1 }, other[16] = { 0xff, 0x0e, 2 };
	struct host_qp member[MEMBERS];
	struct host_cq cq[MEMBERS];
	struct host_wr wr;
	struct shca_cqe wc;
	struct ud u;
	u32 i, round;

	ud_init(&u);
	u.ah.multicast = true;
	memcpy(u.ah.mgid, mgid, 16);
	for (i = 0; i < MEMBERS; i++) {
		host_cq_init(&u.p.host, &cq[i], 16);
		init.scq = init.rcq = &cq[i];
		host_qp_init(&u.p.host, &member[i], &init);
		host_ud_ready(&member[i], i == 3 ? QKEY + 1 : QKEY);
		CHECK_EQ(eng_mcast_attach(member[i].eng, i == 4 ? other : mgid), 0);
		CHECK_EQ(eng_mcast_attach(member[i].eng, i == 4 ? other : mgid), 0);
	}
	CHECK_EQ(eng_mcast_attach(u.p.a.eng, mgid), 0);	/* the sender too */
	for (round = 0; round < 3; round++) {
		for (i = 0; i < MEMBERS; i++)
			host_recv(&member[i], i, host_mr_addr(&u.p.bmr, i * 4096), 4096,
				  u.p.bmr.eng.key);
		host_recv(&u.p.a, 50, host_mr_addr(&u.p.bmr, 30000), 4096, u.p.bmr.eng.key);
		wr = ud_wr(&u, 1, 64);
		wr.qpn = 0xffffff;
		host_send(&u.p.a, &wr);
		CHECK_EQ(pair_status(&u.p.acq, 50), OK);
		CHECK_EQ(pair_status(&u.p.acq, 1), OK);
		for (i = 0; i < 3; i++)
			CHECK_EQ(pair_status(&cq[i], i), OK);
		CHECK(!host_poll(&cq[3], &wc) && !host_poll(&cq[4], &wc));
	}
	CHECK_EQ(eng_mcast_detach(member[0].eng, mgid), 0);
	CHECK_EQ(eng_mcast_detach(member[0].eng, mgid), -ENV_EINVAL);
	host_send(&u.p.a, &wr);
	CHECK(!host_poll(&cq[0], &wc));
	for (i = 0; i < MEMBERS; i++) {
		host_qp_fini(&member[i]);
		host_cq_fini(&cq[i]);
	}
	ud_fini(&u);
	CHECK_EQ(env_alloc_balance(), 0);
}

static const struct tap_test tests[] = {
	{ "a datagram and its GRH", test_datagram },
	{ "IPv4 header", test_ipv4_header },
	{ "F16: silent drops", test_f16_drops },
	{ "own Q_Key", test_own_qkey },
	{ "local errors", test_local_errors },
	{ "a bad receive", test_bad_receive },
	{ "to nowhere", test_nowhere },
	{ "multicast", test_multicast },
};

TAP_MAIN(tests)
