// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_hostile.c - a process scribbles over everything that it may map; the others go on.
 *
 * Hostile QPs of all types get random words in rings, heads and CQ memory, between steps and, in
 * the second test, from another thread while the engine runs.  ASan watches all memory; an innocent
 * pair on the same device must not lose or change a byte.  HOSTILE_SEED replays a run.
 */
#include "pair.h"
#include "tap.h"

enum { HOSTILE = 6, ROUNDS = 6000, INNOCENT_EVERY = 8 };

struct hostile {
	struct host_qp qp;
	struct host_cq cq;
};

struct scene {
	struct pair p;			/* the innocent */
	struct hostile h[HOSTILE];
	struct host_mr mr;		/* of the hostile, another PD's key is the innocent's */
	struct host_srq srq;
	struct eng_ah ah;
	u64 seed;
	u32 stop;
};

static u32 rnd(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*state >> 33);
}

static void scene_init(struct scene *s)
{
	static const enum eng_qp_type types[HOSTILE] = {
		ENG_QPT_RC, ENG_QPT_RC, ENG_QPT_UC, ENG_QPT_UC, ENG_QPT_UD, ENG_QPT_UD,
	};
	u32 i;

	pair_init(&s->p);
	host_mr_init(&s->p.host, &s->mr, PAIR_MR, ALL_ACCESS);
	s->mr.eng.pd = s->p.host.pd2;
	host_srq_init(&s->p.host, &s->srq, 16, 2);
	s->ah.dev = s->ah.peer = &s->p.host.dev;
	s->ah.pd = s->p.host.pd2;
	s->ah.ahn = 1;
	s->ah.grh[0] = 0x60;
	if (eng_ah_publish(&s->ah))
		abort();
	s->p.host.pd = s->p.host.pd2;
	for (i = 0; i < HOSTILE; i++) {
		struct host_qp_init init = {
			.type = types[i], .sq = 16, .rq = 16, .send_sge = 3, .recv_sge = 3,
			.max_inline = 100, .scq = &s->h[i].cq, .rcq = &s->h[i].cq,
			.srq = i & 1 ? &s->srq : NULL,
		};

		host_cq_init(&s->p.host, &s->h[i].cq, 64);
		host_qp_init(&s->p.host, &s->h[i].qp, &init);
	}
}

static void scene_fini(struct scene *s)
{
	u32 i;

	for (i = 0; i < HOSTILE; i++)
		host_qp_fini(&s->h[i].qp);
	for (i = 0; i < HOSTILE; i++)
		host_cq_fini(&s->h[i].cq);
	eng_ah_retire(&s->ah);
	host_srq_fini(&s->srq);
	host_mr_fini(&s->mr);
	pair_fini(&s->p);
}

/* Mostly values that mean something here and there; sometimes anything. */
static u32 word(struct scene *s, u64 *seed)
{
	u64 addr = host_mr_addr(rnd(seed) & 1 ? &s->mr : &s->p.bmr, rnd(seed) % PAIR_MR);

	switch (rnd(seed) % 10) {
	case 0: return rnd(seed);
	case 1: return 0xffffffff;
	case 2: return s->mr.eng.key;
	case 3: return s->p.bmr.eng.key;
	case 4: return (u32)addr;
	case 5: return (u32)(addr >> 32);
	case 6: return rnd(seed) % 8 | (rnd(seed) % 16) << 8 | (rnd(seed) % 5) << 16;
	case 7: return s->h[rnd(seed) % HOSTILE].qp.qpn;
	default: return rnd(seed) % 70;
	}
}

static void scribble(struct scene *s, u64 *seed)
{
	struct hostile *h = &s->h[rnd(seed) % HOSTILE];
	u32 *mem[] = {
		(u32 *)h->qp.shared, (u32 *)h->qp.sq, (u32 *)h->qp.rq, (u32 *)h->cq.shared,
		(u32 *)h->cq.entries, (u32 *)s->srq.shared, (u32 *)s->srq.entries,
	};
	u32 words[] = {
		sizeof(*h->qp.shared) / 4, 16 * h->qp.sq_stride / 4, 16 * h->qp.rq_stride / 4,
		sizeof(*h->cq.shared) / 4, 64 * 16, sizeof(*s->srq.shared) / 4,
		16 * s->srq.stride / 4,
	};
	u32 which = rnd(seed) % 7;

	env_write(mem[which][rnd(seed) % words[which]], word(s, seed));
}

/* A request that would nearly work, and receives for the others; scribbling does the rest. */
static void post(struct scene *s, u64 *seed)
{
	struct hostile *h = &s->h[rnd(seed) % HOSTILE];
	u32 local = rnd(seed) % 8 ? s->mr.eng.key : s->p.bmr.eng.key;
	struct host_wr wr = {
		.opcode = rnd(seed) % 8,
		.flags = SHCA_SEND_SIGNALED | (rnd(seed) % 4 ? 0 : SHCA_SEND_FENCE),
		.addr = (void *)(unsigned long)host_mr_addr(&s->mr, rnd(seed) % 4096),
		.length = rnd(seed) % 8 ? rnd(seed) % 2000 : rnd(seed) % (2 * PAIR_MR),
		.lkey = local,
		.raddr = (host_mr_addr(&s->mr, rnd(seed) % PAIR_MR) + 7) & ~7ull,
		.rkey = rnd(seed) % 8 ? s->mr.eng.key : s->p.bmr.eng.key,
	};
	u32 i;

	if (h->qp.eng && (h - s->h) >= 4) {
		wr.ahn = 1;
		wr.qpn = s->h[4 + (rnd(seed) & 1)].qp.qpn;
		wr.qkey = 5;
	}
	h->qp.sq_prod = env_read(h->qp.shared->sq_cons);
	for (i = rnd(seed) % 16; i; i--)
		host_put_send(&h->qp, &wr);
	h = &s->h[rnd(seed) % HOSTILE];
	h->qp.rq_prod = env_read(h->qp.shared->rq_cons);
	s->srq.prod = env_read(s->srq.shared->cons);
	for (i = rnd(seed) % 16; i; i--) {
		host_recv(&h->qp, i, host_mr_addr(&s->mr, 8192), 5000, s->mr.eng.key);
		host_srq_recv(&s->srq, i, host_mr_addr(&s->mr, 8192), 5000, s->mr.eng.key);
	}
}

/* Producer indices move on, so that scribbled entries are looked at. */
static void publish(struct scene *s, u64 *seed)
{
	struct hostile *h = &s->h[rnd(seed) % HOSTILE];

	switch (rnd(seed) % 3) {
	case 0:
		env_write(h->qp.shared->sq_prod, env_read(h->qp.shared->sq_cons) + rnd(seed) % 17);
		break;
	case 1:
		env_write(h->qp.shared->rq_prod, env_read(h->qp.shared->rq_cons) + rnd(seed) % 17);
		break;
	default:
		env_write(h->cq.shared->cons, env_read(h->cq.shared->prod));
		env_write(s->srq.shared->prod, env_read(s->srq.shared->cons) + rnd(seed) % 17);
	}
}

static void revive(struct scene *s, u32 i)
{
	struct host_qp *qp = &s->h[i].qp, *peer = &s->h[i ^ 1].qp;
	struct eng_qp_attr attr;

	host_state(qp, ENG_QPS_RESET);
	host_qp_attr(qp, peer, &attr);
	eng_qp_modify(qp->eng, &(struct eng_qp_attr){ .qkey = 5 }, ENG_QP_QKEY);
	host_state(qp, ENG_QPS_INIT);
	attr.state = ENG_QPS_RTR;
	attr.rnr_retry = 1;
	attr.retry_cnt = 1;
	eng_dev_get(attr.peer);
	eng_qp_modify(qp->eng, &attr, ENG_QP_STATE | ENG_QP_ACCESS_FLAGS | ENG_QP_PATH_MTU |
		      ENG_QP_DEST_QPN | ENG_QP_RQ_PSN | ENG_QP_SQ_PSN | ENG_QP_PEER |
		      ENG_QP_RETRY_CNT | ENG_QP_RNR_RETRY | ENG_QP_TIMEOUT |
		      ENG_QP_MAX_QP_RD_ATOMIC | ENG_QP_MAX_DEST_RD_ATOMIC);
	host_state(qp, ENG_QPS_RTS);
	/* A CQ that overran is used up; a process would make a new one. */
	env_write(s->h[i].cq.eng.dead, false);
	env_write(s->srq.eng.broken, false);
}

static void innocent(struct scene *s, u32 round)
{
	struct host_wr wr = pair_wr(&s->p, round & 8 ? WR_SEND : WR_WRITE, round, 3000);
	struct shca_cqe wc;

	host_mr_fill(&s->p.amr, 0, 3000, round);
	if (wr.opcode == WR_SEND)
		pair_recv(&s->p, round, 0, 4096);
	host_send(&s->p.a, &wr);
	host_work();
	CHECK(host_poll(&s->p.acq, &wc));
	CHECK_EQ(wc.status, OK);
	CHECK_EQ(wc.wr_id, round);
	CHECK(host_mr_check(&s->p.bmr, 0, 3000, round));
	if (wr.opcode == WR_SEND) {
		CHECK_EQ(pair_status(&s->p.bcq, round), OK);
	}
}

static u64 seed_of_run(void)
{
	const char *given = getenv("HOSTILE_SEED");
	u64 seed = given ? strtoull(given, NULL, 0) : (u64)getpid() * 1000003;

	printf("# HOSTILE_SEED=%llu\n", seed);
	return seed;
}

static void play(struct scene *s, u64 seed, u32 rounds, bool inline_scribbles)
{
	u32 round, i;

	for (i = 0; i < HOSTILE; i++)
		revive(s, i);
	for (round = 0; round < rounds; round++) {
		u32 who = rnd(&seed) % HOSTILE;

		for (i = inline_scribbles ? rnd(&seed) % 8 : 0; i; i--)
			scribble(s, &seed);
		post(s, &seed);
		if (rnd(&seed) % 3 == 0)
			publish(s, &seed);
		host_doorbell(&s->h[who].qp);
		if (rnd(&seed) % 4 == 0)
			host_tick(&s->h[who].qp);
		if (rnd(&seed) % 3 == 0) {
			revive(s, who);
			revive(s, who ^ 1);
		}
		if (rnd(&seed) % 64 == 0)
			host_state(&s->h[who].qp, ENG_QPS_ERR);
		host_work();
		if (round % INNOCENT_EVERY == 0)
			CHECK_SUB(innocent(s, round));
	}
	printf("# %llu frames, %llu bytes, %llu drops, %llu access NAKs\n",
	       eng_dev_counter(&s->p.host.dev, ENG_CNT_FRAMES),
	       eng_dev_counter(&s->p.host.dev, ENG_CNT_BYTES),
	       eng_dev_counter(&s->p.host.dev, ENG_CNT_DROPS),
	       eng_dev_counter(&s->p.host.dev, ENG_CNT_ACCESS_NAKS));
	CHECK_EQ(host_query(&s->p.a), ENG_QPS_RTS);
	CHECK_EQ(host_query(&s->p.b), ENG_QPS_RTS);
}

static void test_between_steps(void)
{
	static struct scene s;
	u64 seed = seed_of_run();

	memset(&s, 0, sizeof(s));
	scene_init(&s);
	CHECK_SUB(play(&s, seed, ROUNDS, true));
	scene_fini(&s);
}

static void *scribbler(void *arg)
{
	struct scene *s = arg;
	u64 seed = s->seed;

	while (!env_read(s->stop)) {
		scribble(s, &seed);
		if (rnd(&seed) % 8 == 0)
			publish(s, &seed);
	}
	return NULL;
}

static void test_while_running(void)
{
	static struct scene s;
	pthread_t thread;

	memset(&s, 0, sizeof(s));
	s.seed = seed_of_run() + 1;
	scene_init(&s);
	pthread_create(&thread, NULL, scribbler, &s);
	play(&s, s.seed + 1, ROUNDS, false);
	env_write(s.stop, 1);
	pthread_join(thread, NULL);
	if (!tap_failed)
		scene_fini(&s);
}

static const struct tap_test tests[] = {
	{ "rings scribbled over between steps", test_between_steps },
	{ "rings scribbled over while the engine runs", test_while_running },
};

TAP_MAIN(tests)
