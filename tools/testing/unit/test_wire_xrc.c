// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_xrc.c - extended reliable connections and changed keys over packets.
 */
#include "cable_pair.h"
#include "tap.h"

enum { ON_XRC = 0xa0, SRQN = 0x101 };

static int domain;

struct scene {
	struct wpair p;			/* a sends, b is the target */
	struct host_srq srq[2];
	struct host_cq cq[2];
};

static void scene_init(struct scene *s)
{
	struct host_qp_init init = { .type = ENG_QPT_RC, .xrc = ENG_XRC_INI, .sq = 64 };
	const struct eng_xrcd *xrcd = (const struct eng_xrcd *)&domain;
	u32 i;

	memset(s, 0, sizeof(*s));
	wpair_make(&s->p, ENG_QPT_RC);
	host_qp_fini(&s->p.a);
	host_qp_fini(&s->p.b);
	init.scq = init.rcq = &s->p.acq;
	host_qp_init(&s->p.ahost, &s->p.a, &init);
	init = (struct host_qp_init) {
		.type = ENG_QPT_RC, .xrc = ENG_XRC_TGT, .xrcd = xrcd,
		.scq = &s->p.bcq, .rcq = &s->p.bcq,
	};
	host_qp_init(&s->p.bhost, &s->p.b, &init);
	cable_connect(&s->p.a, &s->p.b);
	for (i = 0; i < 2; i++) {
		host_cq_init(&s->p.bhost, &s->cq[i], 64);
		host_srq_init(&s->p.bhost, &s->srq[i], 16, 2);
		s->srq[i].eng.srqn = SRQN + i;
		s->srq[i].eng.xrcd = xrcd;
		s->srq[i].eng.cq = &s->cq[i].eng;
		if (eng_srq_publish(&s->srq[i].eng))
			abort();
	}
}

static void scene_fini(struct scene *s)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		eng_srq_retire(&s->srq[i].eng);
		CHECK_EQ(s->srq[i].idle, 1);
		host_srq_fini(&s->srq[i]);
		host_cq_fini(&s->cq[i]);
	}
	wpair_fini(&s->p);
}

static void post(struct scene *s, u32 i, u64 wr_id)
{
	host_srq_recv(&s->srq[i], wr_id, host_mr_addr(&s->p.bmr, 0), 100000, s->p.bmr.eng.key);
}

static struct host_wr request(struct scene *s, u8 opcode, u32 i, u32 length)
{
	struct host_wr wr = wpair_wr(&s->p, opcode, 5, length);

	wr.srqn = SRQN + i;
	return wr;
}

static void test_headers(void)
{
	const struct cable_packet *k;
	struct host_wr wr;
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s);
	post(&s, 1, 9);
	wr = request(&s, WR_SEND, 1, 16);
	host_send(&s.p.a, &wr);
	k = cable_peek(0);
	CHECK(next_is(ON_XRC | SEND_ONLY, first_psn(&s.p.a), 12 + 4 + 16));
	CHECK_EQ(cable_be(k->bytes + 12, 4), SRQN + 1);
	cable_deliver();
	CHECK(next_is(ON_XRC | ACK, first_psn(&s.p.a), 16));
	CHECK_EQ(cable_peek(0)->bytes[12], 31);		/* no credits: the queue is shared */
	cable_deliver();
	EXPECT_NOTHING();
	CHECK_EQ(pair_status(&s.p.acq, 5), OK);
	CHECK(host_poll(&s.cq[1], &wc));
	CHECK_EQ(wc.wr_id, 9);
	CHECK_EQ(wc.srq, 1);
	CHECK_EQ(wc.qpn, s.p.b.qpn);
	scene_fini(&s);
}

/* Every kind of request, over several packets, each packet once lost, doubled and late. */
static void every_request(u8 opcode, struct cable_script script)
{
	bool receives = opcode == WR_SEND || opcode == WR_SEND_IMM || opcode == WR_WRITE_IMM;
	u32 length = opcode == WR_CAS || opcode == WR_FAA ? 8 : 5000;
	struct host_wr wr;
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s);
	if (receives)
		post(&s, 0, 9);
	wr = request(&s, opcode, 0, length);
	wr.raddr = (wr.raddr + 7) & ~7ull;
	cable_set_script(script);
	host_send(&s.p.a, &wr);
	CHECK(cable_wait(&s.p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(host_poll(&s.cq[0], &wc), receives);
	if (receives)
		CHECK_EQ(wc.byte_len, length);
	CHECK(!host_poll(&s.cq[0], &wc));
	scene_fini(&s);
}

static void test_every_request(void)
{
	u32 number, fate, op;

	for (op = WR_WRITE; op <= WR_FAA; op++)
		for (number = 0; number < 8; number++)
			for (fate = CABLE_GOOD; fate <= CABLE_LATE; fate++)
				CHECK_SUB(every_request((u8)op, (struct cable_script) {
						number, (enum cable_fate)fate }));
}

/* A repeated READ through one queue in the middle of a SEND to another disturbs nothing. */
static void test_repeated_read_between(void)
{
	struct cable_packet read;
	struct host_wr wr;
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s);
	wr = request(&s, WR_READ, 1, 8);
	host_send(&s.p.a, &wr);
	read = *cable_peek(0);
	cable_run();
	CHECK_EQ(pair_status(&s.p.acq, 5), OK);
	post(&s, 0, 9);
	wr = request(&s, WR_SEND, 0, 3000);
	host_send(&s.p.a, &wr);
	cable_deliver();
	cable_inject(&read);
	cable_run();
	CHECK_EQ(pair_status(&s.p.acq, 5), OK);
	CHECK(host_poll(&s.cq[0], &wc));
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(wc.byte_len, 3000);
	CHECK(!host_poll(&s.cq[1], &wc));
	scene_fini(&s);
}

/* A message that changes its mind about the queue is refused; its receive goes back. */
static void test_other_queue_in_the_middle(void)
{
	struct cable_packet second;
	struct host_wr wr;
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s);
	post(&s, 0, 9);
	post(&s, 1, 10);
	wr = request(&s, WR_SEND, 0, 3000);
	host_send(&s.p.a, &wr);
	cable_deliver();
	second = *cable_peek(0);
	CHECK_EQ(second.bytes[0], ON_XRC | SEND_MIDDLE);
	second.bytes[15] = (u8)(SRQN + 1);
	cable_drop();
	cable_inject(&second);
	CHECK_EQ(host_query(&s.p.b), ENG_QPS_ERR);
	CHECK(host_poll(&s.cq[0], &wc));
	CHECK_EQ(wc.wr_id, 9);
	CHECK_EQ(wc.status, FLUSH);
	CHECK(!host_poll(&s.cq[1], &wc));
	scene_fini(&s);
}

/* Requests to who only sends, answers to who only receives, plain RC packets to either. */
static void test_wrong_direction(void)
{
	struct cable_packet request_packet, answer;
	struct host_wr wr;
	struct scene s;
	u64 before;

	scene_init(&s);
	wr = request(&s, WR_WRITE, 0, 16);
	host_send(&s.p.a, &wr);
	request_packet = *cable_peek(0);
	cable_deliver();
	answer = *cable_peek(0);
	cable_deliver();
	CHECK_EQ(pair_status(&s.p.acq, 5), OK);
	before = cable_count(&s.p.bhost, ENG_CNT_RX_QP_TYPE);
	answer.bytes[7] = (u8)s.p.b.qpn;
	answer.bytes[6] = (u8)(s.p.b.qpn >> 8);
	memcpy(answer.src, request_packet.src, 16);
	memcpy(answer.dst, request_packet.dst, 16);
	cable_inject(&answer);
	CHECK_EQ(cable_count(&s.p.bhost, ENG_CNT_RX_QP_TYPE), before + 1);
	request_packet.bytes[0] &= 0x1f;
	cable_inject(&request_packet);
	CHECK_EQ(cable_count(&s.p.bhost, ENG_CNT_RX_QP_TYPE), before + 2);
	CHECK_EQ(host_query(&s.p.b), ENG_QPS_RTS);
	EXPECT_NOTHING();
	scene_fini(&s);
}

/* A fast registration is used and taken away over packets; the key dies with the message. */
static void key_of_the_peer(struct cable_script script)
{
	struct shca_bind_ops ops = { .addr = 0x5000, .access = ALL_ACCESS };
	struct host_mr fast;
	struct host_wr wr;
	struct shca_cqe wc;
	struct wpair p;
	u32 key;

	wpair_init(&p);
	memset(&fast, 0, sizeof(fast));
	fast.eng.dev = &p.bhost.dev;
	fast.eng.pd = p.bhost.pd;
	fast.eng.key = p.bhost.next_key++ << 8 | 0x11;
	fast.eng.kind = ENG_KEY_FAST;
	fast.eng.plan = (struct eng_mr_plan) {
		.blocks = p.bmr.eng.blocks, .block_shift = 12, .length = 8192,
	};
	CHECK_EQ(eng_mr_publish(&fast.eng), 0);
	key = fast.eng.key + 1;
	cable_set_script(script);
	wr = (struct host_wr) {
		.wr_id = 1, .opcode = WR_REG, .flags = SHCA_SEND_SIGNALED,
		.rkey = fast.eng.key, .imm = key, .bind = &ops,
	};
	host_send(&p.b, &wr);
	CHECK_EQ(pair_status(&p.bcq, 1), OK);
	wr = wpair_wr(&p, WR_WRITE, 2, 5000);
	wr.raddr = 0x5000;
	wr.rkey = key;
	host_send(&p.a, &wr);
	wpair_recv(&p, 9, 10000, 4000);
	wr = wpair_wr(&p, WR_SEND_INV, 3, 3000);
	wr.imm = key;
	host_send(&p.a, &wr);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK(cable_wait(&p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK(host_poll(&p.bcq, &wc));
	CHECK_EQ(wc.wc_flags, 8);
	CHECK_EQ(wc.ex, key);
	CHECK_EQ(wc.byte_len, 3000);
	wr = wpair_wr(&p, WR_WRITE, 4, 8);
	wr.raddr = 0x5000;
	wr.rkey = key;
	host_send(&p.a, &wr);
	CHECK(cable_wait(&p.acq, &wc));
	/* A NAK that is lost is not said again: its sender is in ERR. */
	CHECK(wc.status == REM_ACCESS || (script.fate != CABLE_GOOD && wc.status == RETRY_EXC));
	eng_mr_retire(&fast.eng);
	CHECK_EQ(fast.idle, 1);
	wpair_fini(&p);
}

static void test_key_of_the_peer(void)
{
	u32 number, fate;

	for (number = 0; number < 14; number++)
		for (fate = CABLE_GOOD; fate <= CABLE_LATE; fate++)
			CHECK_SUB(key_of_the_peer((struct cable_script) {
					number, (enum cable_fate)fate }));
}

/* Local requests between packets: in order, once, whatever is lost before and behind them. */
static void local_between(struct cable_script script)
{
	struct shca_bind_ops ops = { .addr = 0x5000, .access = ALL_ACCESS };
	struct host_mr fast;
	struct host_wr wr;
	struct shca_cqe wc;
	struct wpair p;
	u32 i, key;

	wpair_init(&p);
	memset(&fast, 0, sizeof(fast));
	fast.eng.dev = &p.ahost.dev;
	fast.eng.pd = p.ahost.pd;
	fast.eng.key = p.ahost.next_key++ << 8 | 0x11;
	fast.eng.kind = ENG_KEY_FAST;
	fast.eng.plan = (struct eng_mr_plan) {
		.blocks = p.amr.eng.blocks, .block_shift = 12, .length = 8192,
	};
	CHECK_EQ(eng_mr_publish(&fast.eng), 0);
	key = fast.eng.key + 1;
	cable_set_script(script);
	for (i = 0; i < 6; i++) {
		wr = wpair_wr(&p, WR_WRITE, i, 2000);
		if (i == 1 || i == 4)
			wr = (struct host_wr) {
				.wr_id = i, .opcode = WR_REG, .flags = SHCA_SEND_SIGNALED,
				.rkey = fast.eng.key, .imm = key, .bind = &ops,
			};
		if (i == 3)
			wr = (struct host_wr) {
				.wr_id = i, .opcode = WR_LOCAL_INV, .flags = SHCA_SEND_SIGNALED,
				.imm = key,
			};
		/* What it names is gone by the time that it might have to be sent again. */
		if (i == 2) {
			wr.addr = (const void *)0x5000;
			wr.lkey = key;
		}
		host_put_send(&p.a, &wr);
	}
	host_doorbell(&p.a);
	for (i = 0; i < 6; i++) {
		CHECK(cable_wait(&p.acq, &wc));
		CHECK_EQ(wc.wr_id, i);
		CHECK_EQ(wc.status, OK);
	}
	eng_mr_retire(&fast.eng);
	CHECK_EQ(fast.idle, 1);
	wpair_fini(&p);
}

static void test_local_between(void)
{
	u32 number, fate;

	for (number = 0; number < 14; number++)
		for (fate = CABLE_GOOD; fate <= CABLE_LATE; fate++)
			CHECK_SUB(local_between((struct cable_script) {
					number, (enum cable_fate)fate }));
}

static const struct tap_test tests[] = {
	{ "XRC: headers of request and answer", test_headers },
	{ "XRC: every request, packet k lost, doubled, late", test_every_request },
	{ "XRC: a repeated READ between packets of a SEND", test_repeated_read_between },
	{ "XRC: another queue in the middle of a message", test_other_queue_in_the_middle },
	{ "XRC: wrong direction, wrong service", test_wrong_direction },
	{ "SEND with invalidate, packet k lost, doubled, late", test_key_of_the_peer },
	{ "local requests between packets, packet k lost, doubled, late", test_local_between },
};

TAP_MAIN(tests)
