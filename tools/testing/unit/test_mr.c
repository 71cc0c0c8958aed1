// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_mr.c - keys: reuse, tags, retirement under references.
 */
#include "pair.h"
#include "tap.h"

/* F13: 70000 registrations through one index; live keys work, freed ones never. */
static void test_f13_key_reuse(void)
{
	struct host_wr wr;
	struct pair p;
	u32 i, old = 0;

	pair_init(&p);
	for (i = 0; i < TAP_MANY(70000); i++) {
		struct host_mr mr;
		u32 key;

		p.host.next_key = 1000;
		host_mr_init(&p.host, &mr, 4096, ALL_ACCESS);
		/* The tag differs from the one before, as the glue's allocator does it. */
		eng_mr_retire(&mr.eng);
		mr.idle = 0;
		mr.eng.key = key = 1000u << 8 | (i & 0xff);
		CHECK_EQ(eng_mr_publish(&mr.eng), 0);
		if (i % 1000 == 0) {
			wr = pair_wr(&p, WR_WRITE, i, 8);
			wr.raddr = host_mr_addr(&mr, 0);
			wr.rkey = key;
			host_send(&p.a, &wr);
			CHECK_EQ(pair_status(&p.acq, i), OK);
		}
		host_mr_fini(&mr);
		old = key;
	}
	wr = pair_wr(&p, WR_WRITE, 1, 8);
	wr.rkey = old;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), REM_ACCESS);
	pair_fini(&p);
}

static void test_index_in_use(void)
{
	struct host_mr other;
	struct pair p;

	pair_init(&p);
	memset(&other, 0, sizeof(other));
	other.eng = p.amr.eng;
	other.eng.key ^= 3;
	CHECK_EQ(eng_mr_publish(&other.eng), -ENV_EBUSY);
	pair_fini(&p);
}

/* F11: the region goes away in the middle of a copy: an error, never success with wrong bytes. */
static void retired_in_the_middle(u8 opcode, bool remote, u32 want, u32 receiver)
{
	struct eng_runq rq;
	struct shca_cqe wc;
	struct host_wr wr;
	struct host_mr *victim;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, opcode, 1, 200000);
	pair_recv(&p, 2, 0, 200000);
	victim = remote ? &p.bmr : &p.amr;
	host_put_send(&p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 100000;
	eng_kick(&rq, p.a.eng);
	eng_run(&rq);
	CHECK(!host_poll(&p.acq, &wc));
	eng_mr_retire(&victim->eng);
	CHECK_EQ(victim->idle, 0);	/* still held */
	host_work();
	CHECK_EQ(pair_status(&p.acq, 1), want);
	if (receiver != 255)
		CHECK_EQ(pair_status(&p.bcq, 2), receiver);
	CHECK_EQ(victim->idle, 1);
	pair_fini(&p);
}

static void test_f11_retire_in_the_middle(void)
{
	CHECK_SUB(retired_in_the_middle(WR_WRITE, true, REM_ACCESS, 255));
	CHECK_SUB(retired_in_the_middle(WR_READ, true, REM_ACCESS, 255));
	CHECK_SUB(retired_in_the_middle(WR_SEND, true, REM_OP, LOC_PROT));
	CHECK_SUB(retired_in_the_middle(WR_WRITE, false, LOC_PROT, 255));
	CHECK_SUB(retired_in_the_middle(WR_READ, false, LOC_PROT, 255));
	CHECK_SUB(retired_in_the_middle(WR_SEND, false, LOC_PROT, 255));
}

/* A QP that waits for a receive holds no region. */
static void test_waiting_holds_nothing(void)
{
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, WR_SEND, 1, 64);
	host_send(&p.a, &wr);
	eng_mr_retire(&p.amr.eng);
	CHECK_EQ(p.amr.idle, 1);
	pair_recv(&p, 2, 0, 64);
	while (host_tick(&p.a))
		;
	CHECK_EQ(pair_status(&p.acq, 1), LOC_PROT);
	pair_fini(&p);
}

/* Destroying or resetting either end in the middle of a copy lets everything go. */
static void cut_off(bool sender, bool destroy)
{
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 8, .rq = 8 };
	struct eng_runq rq;
	struct host_wr wr;
	struct host_qp *qp;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 200000);
	host_put_send(&p.a, &wr);
	host_put_send(&p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 100000;
	eng_kick(&rq, p.a.eng);
	eng_run(&rq);
	qp = sender ? &p.a : &p.b;
	if (destroy) {
		init.scq = qp->scq;
		init.rcq = qp->rcq;
		host_qp_fini(qp);
		host_qp_init(&p.host, qp, &init);
	} else {
		host_state(qp, ENG_QPS_RESET);
	}
	eng_mr_retire(&p.amr.eng);
	eng_mr_retire(&p.bmr.eng);
	host_work();
	CHECK_EQ(p.amr.idle, 1);
	CHECK_EQ(p.bmr.idle, 1);
	pair_fini(&p);
}

static void test_cut_off(void)
{
	int i;

	for (i = 0; i < 4; i++)
		CHECK_SUB(cut_off(i & 1, i & 2));
}

/* Removal of the device: rings out of bounds, everything let go, destroy still works. */
static void test_detach_rings(void)
{
	struct eng_runq rq;
	struct shca_cqe wc;
	struct host_wr wr;
	struct pair p;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 200000);
	pair_recv(&p, 2, 0, 64);
	host_put_send(&p.a, &wr);
	host_put_send(&p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 100000;
	eng_kick(&rq, p.a.eng);
	eng_run(&rq);
	eng_qp_detach_rings(p.b.eng);
	eng_qp_detach_rings(p.a.eng);
	memset(p.a.shared, 0xff, sizeof(*p.a.shared));
	memset(p.b.shared, 0xff, sizeof(*p.b.shared));
	host_doorbell(&p.a);
	host_doorbell(&p.b);
	host_work();
	CHECK(!host_poll(&p.acq, &wc) && !host_poll(&p.bcq, &wc));
	CHECK_EQ(p.a.shared->running, ~0u);
	CHECK_EQ(host_query(&p.a), ENG_QPS_ERR);
	pair_fini(&p);
}

/* The null region: any address of any QP, zeroes to read, writes that go nowhere. */
static void test_null_region(void)
{
	static u8 zeroes[4096], sink[4096];
	u8 *blocks[2] = { zeroes, sink };
	struct host_mr null = {
		.eng = {
			.identity = true, .null = true, .length = ~0ull, .blocks = blocks,
			.block_shift = 12, .access = ENG_ACCESS_LOCAL_WRITE,
		},
	};
	struct host_wr wr;
	struct pair p;
	u32 i;

	pair_init(&p);
	null.eng.dev = &p.host.dev;
	null.eng.key = p.host.next_key++ << 8 | 3;
	CHECK_EQ(eng_mr_publish(&null.eng), 0);
	host_mr_fill(&p.bmr, 0, 20000, 4);
	wr = pair_wr(&p, WR_READ, 1, 20000);
	wr.addr = (const void *)0x123456789abull;
	wr.lkey = null.eng.key;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 1), OK);
	wr.opcode = WR_WRITE;
	wr.wr_id = 2;
	wr.addr = (const void *)-30000l;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 2), OK);
	for (i = 0; i < 20000; i++)
		CHECK_EQ(*host_mr_at(&p.bmr, i), 0);
	for (i = 0; i < 4096; i++)
		CHECK_EQ(zeroes[i], 0);
	/* It is no rkey. */
	wr = pair_wr(&p, WR_WRITE, 3, 8);
	wr.rkey = null.eng.key;
	host_send(&p.a, &wr);
	CHECK_EQ(pair_status(&p.acq, 3), REM_ACCESS);
	eng_mr_retire(&null.eng);
	CHECK_EQ(null.idle, 1);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "F13: key reuse", test_f13_key_reuse },
	{ "index in use", test_index_in_use },
	{ "F11: retired in the middle", test_f11_retire_in_the_middle },
	{ "waiting holds no region", test_waiting_holds_nothing },
	{ "an end cut off in the middle", test_cut_off },
	{ "rings taken away", test_detach_rings },
	{ "the null region", test_null_region },
};

TAP_MAIN(tests)
