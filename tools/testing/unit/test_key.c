// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_key.c - memory windows, invalidation, fast registration.
 *
 * B owns the memory and the keys; A is the peer that uses them.
 */
#include "pair.h"
#include "tap.h"

enum { RIGHTS = ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ | ENG_ACCESS_REMOTE_ATOMIC };

struct scene {
	struct pair p;
	struct host_mr bound;		/* may be bound to */
	struct host_mr win1, win2, fast;
};

/* A key without a meaning yet. */
static void key_init(struct host *host, struct host_mr *mr, enum eng_key_kind kind)
{
	memset(mr, 0, sizeof(*mr));
	mr->eng.dev = &host->dev;
	mr->eng.pd = host->pd;
	mr->eng.key = host->next_key++ << 8 | 0x11;
	mr->eng.kind = (u8)kind;
	if (eng_mr_publish(&mr->eng))
		abort();
}

static void key_fini(struct host_mr *mr)
{
	eng_mr_retire(&mr->eng);
	while (!env_load_acquire(&mr->idle))
		env_relax(0);
	env_rcu_wait();
}

static void scene_init(struct scene *s)
{
	pair_init(&s->p);
	host_mr_init(&s->p.host, &s->bound, PAIR_MR, ALL_ACCESS | ENG_ACCESS_MW_BIND);
	key_init(&s->p.host, &s->win1, ENG_KEY_WINDOW1);
	key_init(&s->p.host, &s->win2, ENG_KEY_WINDOW2);
	key_init(&s->p.host, &s->fast, ENG_KEY_FAST);
	s->fast.eng.plan = (struct eng_mr_plan) {
		.blocks = s->bound.eng.blocks, .block_shift = 12, .first_offset = 24,
		.length = 8192,
	};
}

static void scene_fini(struct scene *s)
{
	key_fini(&s->win1);
	key_fini(&s->win2);
	key_fini(&s->fast);
	CHECK_EQ(eng_mr_seal(&s->bound.eng), 0);
	host_mr_fini(&s->bound);
	pair_fini(&s->p);
}

static u32 new_tag(const struct host_mr *key)
{
	return (key->eng.key & ~0xffu) | ((key->eng.key + 1) & 0xff);
}

static struct shca_bind_ops whole(const struct scene *s)
{
	struct shca_bind_ops ops = {
		.addr = s->bound.eng.iova,
		.length = s->bound.eng.length,
		.lkey = s->bound.eng.key,
		.access = RIGHTS,
	};

	return ops;
}

/* Posts a BIND_MW or REG_MR on @qp; the status it completes with. */
static u32 change(struct host_qp *qp, u8 opcode, u32 key, u32 new_key,
		  const struct shca_bind_ops *ops)
{
	struct host_wr wr = {
		.wr_id = 77, .opcode = opcode, .flags = SHCA_SEND_SIGNALED,
		.rkey = key, .imm = new_key, .bind = ops,
	};

	host_send(qp, &wr);
	return pair_status(qp->scq, 77);
}

static u32 bind_to(struct scene *s, struct host_mr *window, const struct shca_bind_ops *ops)
{
	return change(&s->p.b, WR_BIND, window->eng.key, new_tag(window), ops);
}

static u32 invalidate(struct host_qp *qp, u32 key)
{
	struct host_wr wr = {
		.wr_id = 78, .opcode = WR_LOCAL_INV, .flags = SHCA_SEND_SIGNALED, .imm = key,
	};

	host_send(qp, &wr);
	return pair_status(qp->scq, 78);
}

/* A writes @length bytes to @addr with @rkey; the status. */
static u32 use(struct scene *s, u8 opcode, u64 addr, u32 length, u32 rkey)
{
	struct host_wr wr = pair_wr(&s->p, opcode, 5, length);

	wr.raddr = addr;
	wr.rkey = rkey;
	host_send(&s->p.a, &wr);
	return pair_status(&s->p.acq, 5);
}

static void restart(struct pair *p)
{
	struct shca_cqe wc;

	host_state(&p->a, ENG_QPS_RESET);
	host_state(&p->b, ENG_QPS_RESET);
	host_connect(&p->a, &p->b);
	while (host_poll(&p->acq, &wc) || host_poll(&p->bcq, &wc))
		;
}

static void test_window_rights(void)
{
	struct shca_bind_ops ops;
	struct shca_cqe wc;
	struct scene s;
	u64 addr;

	scene_init(&s);
	ops = whole(&s);
	ops.addr += 5000;
	ops.length = 6000;
	ops.access = ENG_ACCESS_REMOTE_WRITE;
	addr = ops.addr;
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	host_mr_fill(&s.p.amr, 0, 6000, 3);
	CHECK_EQ(use(&s, WR_WRITE, addr, 6000, s.win2.eng.key), OK);
	CHECK(host_mr_check(&s.bound, 5000, 6000, 3));
	/* Bounds, rights, and tags other than that of the bind. */
	CHECK_EQ(use(&s, WR_WRITE, addr, 6001, s.win2.eng.key), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(use(&s, WR_WRITE, addr - 1, 10, s.win2.eng.key), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(use(&s, WR_READ, addr, 8, s.win2.eng.key), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(use(&s, WR_WRITE, addr, 8, s.win2.eng.key ^ 1), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(use(&s, WR_WRITE, addr, 8, s.win2.eng.key), OK);
	CHECK(!host_poll(&s.p.bcq, &wc));
	scene_fini(&s);
}

static void test_zero_based(void)
{
	struct shca_bind_ops ops;
	struct scene s;

	scene_init(&s);
	ops = whole(&s);
	ops.addr += 4090;
	ops.length = 100;
	ops.access = RIGHTS | ENG_ACCESS_ZERO_BASED;
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	host_mr_fill(&s.p.amr, 0, 100, 9);
	CHECK_EQ(use(&s, WR_WRITE, 0, 100, s.win2.eng.key), OK);
	CHECK(host_mr_check(&s.bound, 4090, 100, 9));
	CHECK_EQ(use(&s, WR_WRITE, 1, 100, s.win2.eng.key), REM_ACCESS);
	scene_fini(&s);
}

/* A new bind of type 1 gives a new key and ends the old one; length 0 unbinds (C069, G058). */
static void test_window1(void)
{
	struct shca_bind_ops ops, none = { .length = 0 };
	struct scene s;
	u32 first;

	scene_init(&s);
	ops = whole(&s);
	CHECK_EQ(bind_to(&s, &s.win1, &ops), OK);
	first = s.win1.eng.key;
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, first), OK);
	CHECK_EQ(bind_to(&s, &s.win1, &ops), OK);
	CHECK_EQ(use(&s, WR_READ, ops.addr, 8, s.win1.eng.key), OK);
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, first), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(eng_mr_seal(&s.bound.eng), -ENV_EBUSY);
	first = s.win1.eng.key;
	CHECK_EQ(bind_to(&s, &s.win1, &none), OK);
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, first), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, s.win1.eng.key), REM_ACCESS);
	scene_fini(&s);
}

struct refusal {
	s64 addr, length;		/* added */
	u32 region;			/* 1: may not be bound to, 2: has no local write */
	u32 access;
	u32 window;			/* 1 or 2 */
	u32 flip;			/* of the new key */
};

static void refused(const struct refusal *r)
{
	struct host_mr readonly, *window;
	struct shca_bind_ops ops;
	struct scene s;

	scene_init(&s);
	host_mr_init(&s.p.host, &readonly, PAIR_MR, ENG_ACCESS_MW_BIND | ENG_ACCESS_REMOTE_READ);
	window = r->window == 1 ? &s.win1 : &s.win2;
	ops = whole(&s);
	if (r->region) {
		const struct host_mr *region = r->region == 1 ? &s.p.bmr : &readonly;

		ops.lkey = region->eng.key;
		ops.addr = region->eng.iova;
	}
	ops.addr += r->addr;
	ops.length += r->length;
	ops.access = r->access;
	CHECK_EQ(change(&s.p.b, WR_BIND, window->eng.key, new_tag(window) ^ r->flip, &ops),
		 BIND_ERR);
	CHECK_EQ(host_query(&s.p.b), ENG_QPS_ERR);
	CHECK_EQ(eng_mr_seal(&readonly.eng), 0);
	host_mr_fini(&readonly);
	scene_fini(&s);
}

static void test_bind_refused(void)
{
	static const struct refusal table[] = {
		{ .addr = -1, .access = RIGHTS, .window = 2 },
		{ .length = 1, .access = RIGHTS, .window = 2 },
		{ .addr = 1, .access = RIGHTS, .window = 1 },
		{ .length = -(s64)PAIR_MR, .access = RIGHTS, .window = 2 },
		{ .length = 1ll << 62, .access = RIGHTS, .window = 1 },
		{ .region = 1, .access = RIGHTS, .window = 1 },
		{ .region = 2, .access = ENG_ACCESS_REMOTE_WRITE, .window = 1 },
		{ .region = 2, .access = ENG_ACCESS_REMOTE_ATOMIC, .window = 2 },
		{ .access = RIGHTS | ENG_ACCESS_ZERO_BASED, .window = 1 },
		{ .access = RIGHTS | ENG_ACCESS_LOCAL_WRITE, .window = 2 },
		{ .access = RIGHTS, .window = 2, .flip = 1 << 8 },
	};
	u32 i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK_SUB(refused(&table[i]));
}

static void test_bind_twice(void)
{
	struct shca_bind_ops ops;
	struct scene s;
	u32 key;

	scene_init(&s);
	ops = whole(&s);
	/* A foreign domain's window, a region, a number without a key. */
	s.win2.eng.pd = s.p.host.pd2;
	CHECK_EQ(bind_to(&s, &s.win2, &ops), BIND_ERR);
	restart(&s.p);
	s.win2.eng.pd = s.p.host.pd;
	key = s.p.bmr.eng.key;
	CHECK_EQ(change(&s.p.b, WR_BIND, key, key ^ 1, &ops), BIND_ERR);
	restart(&s.p);
	CHECK_EQ(change(&s.p.b, WR_BIND, 0xfff00000, 0xfff00001, &ops), BIND_ERR);
	restart(&s.p);
	/* Type 2 must be invalidated before it is bound again (IBTA vol. 1, 10.6.7.2.4). */
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	CHECK_EQ(bind_to(&s, &s.win2, &ops), BIND_ERR);
	restart(&s.p);
	CHECK_EQ(invalidate(&s.p.b, s.win2.eng.key), OK);
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	scene_fini(&s);
}

static void test_local_invalidate(void)
{
	struct shca_bind_ops ops;
	struct scene s;

	scene_init(&s);
	ops = whole(&s);
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	CHECK_EQ(invalidate(&s.p.b, s.win2.eng.key), OK);
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, s.win2.eng.key), REM_ACCESS);
	restart(&s.p);
	/* Again, with a wrong tag, of a region, of a type 1 window, from another QP. */
	CHECK_EQ(invalidate(&s.p.b, s.win2.eng.key), BIND_ERR);
	restart(&s.p);
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	CHECK_EQ(invalidate(&s.p.b, s.win2.eng.key ^ 2), BIND_ERR);
	restart(&s.p);
	CHECK_EQ(invalidate(&s.p.b, s.bound.eng.key), BIND_ERR);
	restart(&s.p);
	CHECK_EQ(bind_to(&s, &s.win1, &ops), OK);
	CHECK_EQ(invalidate(&s.p.b, s.win1.eng.key), BIND_ERR);
	restart(&s.p);
	CHECK_EQ(invalidate(&s.p.a, s.win2.eng.key), BIND_ERR);
	restart(&s.p);
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, s.win2.eng.key), OK);
	scene_fini(&s);
}

/* Type 2B: only through the QP that bound it (IBTA vol. 1, 10.6.7.2.5). */
static void test_other_qp(void)
{
	struct shca_bind_ops ops;
	struct host_wr wr;
	struct scene s;

	scene_init(&s);
	ops = whole(&s);
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	/* The other way round: B writes to A's end, where the key is not at home. */
	wr = pair_wr(&s.p, WR_WRITE, 1, 8);
	wr.addr = (const void *)(unsigned long)host_mr_addr(&s.p.bmr, 0);
	wr.lkey = s.p.bmr.eng.key;
	wr.raddr = ops.addr;
	wr.rkey = s.win2.eng.key;
	host_send(&s.p.b, &wr);
	CHECK_EQ(pair_status(&s.p.bcq, 1), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(bind_to(&s, &s.win1, &ops), OK);
	wr.rkey = s.win1.eng.key;
	host_send(&s.p.b, &wr);
	CHECK_EQ(pair_status(&s.p.bcq, 1), OK);
	scene_fini(&s);
}

static void test_window_is_no_lkey(void)
{
	struct shca_bind_ops ops;
	struct host_wr wr;
	struct scene s;

	scene_init(&s);
	ops = whole(&s);
	CHECK_EQ(bind_to(&s, &s.win1, &ops), OK);
	wr = pair_wr(&s.p, WR_WRITE, 1, 8);
	wr.addr = (const void *)(unsigned long)ops.addr;
	wr.lkey = s.win1.eng.key;
	host_send(&s.p.a, &wr);
	CHECK_EQ(pair_status(&s.p.acq, 1), LOC_PROT);
	scene_fini(&s);
}

static void send_invalidate(struct scene *s, u32 key, u32 expect)
{
	struct host_wr wr = pair_wr(&s->p, WR_SEND_INV, 6, 100);
	struct shca_cqe wc;

	host_event_count = 0;
	wr.imm = key;
	pair_recv(&s->p, 16, 0, 200);
	host_send(&s->p.a, &wr);
	CHECK_EQ(pair_status(&s->p.acq, 6), expect);
	CHECK(host_poll(&s->p.bcq, &wc));
	CHECK_EQ(wc.wr_id, 16);
	CHECK_EQ(wc.status, expect ? FLUSH : OK);
	if (expect) {
		CHECK_EQ(host_event_find(s->p.b.eng, ENG_EVENT_QP_ACCESS_ERR), 1);
		restart(&s->p);
		return;
	}
	CHECK_EQ(wc.wc_flags, 8);
	CHECK_EQ(wc.ex, key);
	CHECK_EQ(wc.byte_len, 100);
}

static void test_send_with_invalidate(void)
{
	struct shca_bind_ops ops;
	struct scene s;

	scene_init(&s);
	ops = whole(&s);
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, s.win2.eng.key), OK);
	CHECK_SUB(send_invalidate(&s, s.win2.eng.key, OK));
	CHECK_EQ(eng_mr_seal(&s.bound.eng), 0);
	env_write(s.bound.eng.windows, 0);
	CHECK_EQ(use(&s, WR_WRITE, ops.addr, 8, s.win2.eng.key), REM_ACCESS);
	restart(&s.p);
	CHECK_SUB(send_invalidate(&s, s.win2.eng.key, REM_ACCESS));
	CHECK_SUB(send_invalidate(&s, s.p.bmr.eng.key, REM_ACCESS));
	CHECK_EQ(bind_to(&s, &s.win1, &ops), OK);
	CHECK_SUB(send_invalidate(&s, s.win1.eng.key, REM_ACCESS));
	scene_fini(&s);
}

static void test_fast_registration(void)
{
	struct shca_bind_ops ops = { .addr = 0x5000, .access = ALL_ACCESS };
	struct scene s;
	u32 round, key;

	scene_init(&s);
	CHECK_EQ(use(&s, WR_WRITE, 0x5000, 8, s.fast.eng.key), REM_ACCESS);
	restart(&s.p);
	for (round = 0; round < 300; round++) {
		key = new_tag(&s.fast);
		CHECK_EQ(change(&s.p.b, WR_REG, s.fast.eng.key, key, &ops), OK);
		CHECK_EQ(s.fast.eng.key, key);
		host_mr_fill(&s.p.amr, 0, 8192, round);
		CHECK_EQ(use(&s, WR_WRITE, 0x5000, 8192, key), OK);
		CHECK(host_mr_check(&s.bound, 0, 8192, round));
		if (round % 3) {
			CHECK_EQ(invalidate(&s.p.b, key), OK);
		} else {
			CHECK_SUB(send_invalidate(&s, key, OK));
		}
	}
	CHECK_EQ(use(&s, WR_WRITE, 0x5000, 8, key), REM_ACCESS);
	restart(&s.p);
	CHECK_EQ(change(&s.p.b, WR_REG, s.fast.eng.key, key, &ops), OK);
	CHECK_EQ(change(&s.p.b, WR_REG, s.fast.eng.key, new_tag(&s.fast), &ops), BIND_ERR);
	scene_fini(&s);
}

/* A copy under way through the window: the end of the window stops it and waits for it. */
static void test_retired_in_use(void)
{
	struct shca_bind_ops ops;
	struct eng_runq rq;
	struct host_wr wr;
	struct scene s;

	scene_init(&s);
	ops = whole(&s);
	CHECK_EQ(bind_to(&s, &s.win2, &ops), OK);
	wr = pair_wr(&s.p, WR_WRITE, 1, 200000);
	wr.raddr = ops.addr;
	wr.rkey = s.win2.eng.key;
	host_put_send(&s.p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 100000;
	eng_kick(&rq, s.p.a.eng);
	eng_run(&rq);
	eng_mr_retire(&s.win2.eng);
	CHECK_EQ(s.win2.idle, 0);
	CHECK_EQ(eng_mr_seal(&s.bound.eng), -ENV_EBUSY);
	host_work();
	CHECK_EQ(s.win2.idle, 1);
	CHECK_EQ(pair_status(&s.p.acq, 1), REM_ACCESS);
	CHECK_EQ(eng_mr_seal(&s.bound.eng), 0);
	env_write(s.bound.eng.windows, 0);
	key_init(&s.p.host, &s.win2, ENG_KEY_WINDOW2);
	scene_fini(&s);
}

/* The kick of the last user: another QP of the domain waits for a copy through B. */
static void test_kick_of_last_user(void)
{
	struct shca_bind_ops ops = { .addr = 0x5000, .access = ALL_ACCESS };
	struct host_qp_init init = { .type = ENG_QPT_RC, .sq = 8, .rq = 8 };
	struct host_qp c;
	struct eng_runq rq;
	struct host_wr wr;
	struct shca_cqe wc;
	struct scene s;

	scene_init(&s);
	s.fast.eng.plan.length = 200000;
	init.scq = init.rcq = &s.p.bcq;
	host_qp_init(&s.p.host, &c, &init);
	host_state(&s.p.a, ENG_QPS_RESET);
	host_connect(&c, &s.p.a);
	restart(&s.p);
	CHECK_EQ(change(&c, WR_REG, s.fast.eng.key, new_tag(&s.fast), &ops), OK);
	wr = pair_wr(&s.p, WR_WRITE, 1, 200000);
	wr.raddr = 0x5000;
	wr.rkey = s.fast.eng.key;
	host_put_send(&s.p.a, &wr);
	eng_runq_init(&rq);
	rq.bytes_left = 100000;
	eng_kick(&rq, s.p.a.eng);
	eng_run(&rq);
	wr = (struct host_wr) {
		.wr_id = 2, .opcode = WR_LOCAL_INV, .flags = SHCA_SEND_SIGNALED,
		.imm = s.fast.eng.key,
	};
	host_send(&c, &wr);
	wr = (struct host_wr) {
		.wr_id = 3, .opcode = WR_REG, .flags = SHCA_SEND_SIGNALED,
		.rkey = s.fast.eng.key, .imm = new_tag(&s.fast), .bind = &ops,
	};
	host_send(&c, &wr);
	CHECK(!host_poll(&s.p.bcq, &wc));
	host_work();
	CHECK_EQ(pair_status(&s.p.bcq, 2), OK);
	CHECK_EQ(pair_status(&s.p.bcq, 3), OK);
	CHECK_EQ(pair_status(&s.p.acq, 1), REM_ACCESS);
	host_qp_fini(&c);
	scene_fini(&s);
}

/* What was executed behind a request that has to be sent again is not executed again. */
static void test_once_in_spite_of_rnr(void)
{
	struct shca_bind_ops ops;
	struct host_wr send, bind, inv;
	struct shca_cqe wc;
	struct scene s;
	u32 key;

	scene_init(&s);
	ops = whole(&s);
	key = new_tag(&s.win2);
	send = pair_wr(&s.p, WR_SEND, 1, 64);
	send.addr = (const void *)(unsigned long)host_mr_addr(&s.p.bmr, 0);
	send.lkey = s.p.bmr.eng.key;
	bind = (struct host_wr) {
		.wr_id = 2, .opcode = WR_BIND, .flags = SHCA_SEND_SIGNALED,
		.rkey = s.win2.eng.key, .imm = key, .bind = &ops,
	};
	inv = (struct host_wr) {
		.wr_id = 3, .opcode = WR_LOCAL_INV, .flags = SHCA_SEND_SIGNALED, .imm = key,
	};
	host_put_send(&s.p.b, &send);
	host_put_send(&s.p.b, &bind);
	host_put_send(&s.p.b, &inv);
	host_doorbell(&s.p.b);
	CHECK(!host_poll(&s.p.bcq, &wc));
	host_recv(&s.p.a, 9, host_mr_addr(&s.p.amr, 0), 64, s.p.amr.eng.key);
	while (host_tick(&s.p.b))
		;
	CHECK_EQ(pair_status(&s.p.bcq, 1), OK);
	CHECK_EQ(pair_status(&s.p.bcq, 2), OK);
	CHECK_EQ(pair_status(&s.p.bcq, 3), OK);
	scene_fini(&s);
}

/* Simulator, seed 28 with windows: a bind is done at once, while the request before it fails. */
static void test_bind_behind_a_failure(void)
{
	struct shca_bind_ops ops;
	struct host_wr wr[3];
	struct scene s;
	u32 i;

	scene_init(&s);
	ops = whole(&s);
	wr[0] = wr[2] = wr_between(&s.p.bmr, &s.p.amr, WR_WRITE, 1, 8);
	wr[0].rkey ^= 1;
	wr[1] = (struct host_wr) {
		.wr_id = 2, .opcode = WR_BIND, .flags = SHCA_SEND_SIGNALED,
		.rkey = s.win2.eng.key, .imm = new_tag(&s.win2), .bind = &ops,
	};
	wr[2].wr_id = 3;
	for (i = 0; i < 3; i++)
		host_put_send(&s.p.b, &wr[i]);
	host_doorbell(&s.p.b);
	CHECK_EQ(pair_status(&s.p.bcq, 1), REM_ACCESS);
	CHECK_EQ(pair_status(&s.p.bcq, 2), FLUSH);
	CHECK_EQ(pair_status(&s.p.bcq, 3), FLUSH);
	scene_fini(&s);
}

static const struct tap_test tests[] = {
	{ "window: rights and bounds", test_window_rights },
	{ "window: zero based", test_zero_based },
	{ "C069: type 1 is bound again and unbound", test_window1 },
	{ "binds that are refused", test_bind_refused },
	{ "windows of others, type 2 twice", test_bind_twice },
	{ "local invalidate", test_local_invalidate },
	{ "type 2B is for one QP", test_other_qp },
	{ "a window is no lkey", test_window_is_no_lkey },
	{ "SEND with invalidate", test_send_with_invalidate },
	{ "fast registration", test_fast_registration },
	{ "retired while it is in use", test_retired_in_use },
	{ "the kick of the last user", test_kick_of_last_user },
	{ "executed once in spite of RNR", test_once_in_spite_of_rnr },
	{ "a bind whose predecessor fails is flushed (seed 28)", test_bind_behind_a_failure },
};

TAP_MAIN(tests)
