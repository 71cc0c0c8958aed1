// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_stress.c - threads that post, a network that delivers and loses, timers, a worker, and
 * regions that come and go, all at once.  Also run under TSan.
 *
 * Both ends of each connection send.  Packets arrive as from a soft interrupt: they are pushed to
 * the QP, and whoever can own it takes them from there.
 */
#include "cable_pair.h"
#include "tap.h"

enum { CONNECTIONS = 3, ENDS = 2 * CONNECTIONS, DEPTH = 32, LOSS = 50 };

#ifdef __SANITIZE_THREAD__
enum { MESSAGES = 400 };
#else
enum { MESSAGES = 2000 };
#endif

struct end {
	struct host_qp qp;
	struct host_cq cq;
	struct end *peer;
	u32 host;
	u32 seed;
};

static struct host hosts[2];
static struct host_mr mrs[2];
static struct end ends[ENDS];
static u32 stop, wrong, finished;

static u32 below(u32 *seed, u32 n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

static void post_one(struct end *e, u32 id)
{
	static const u8 ops[] = { WR_WRITE, WR_READ, WR_SEND, WR_FAA, WR_WRITE };
	u8 op = ops[below(&e->seed, 5)];
	struct host_wr wr = {
		.wr_id = id,
		.opcode = op,
		.flags = SHCA_SEND_SIGNALED,
		.length = op == WR_FAA ? 8 : below(&e->seed, 4) ? 64 : below(&e->seed, 6000),
		.lkey = mrs[e->host].eng.key,
		.rkey = mrs[!e->host].eng.key,
		.compare_add = 1,
	};
	u32 slot = (u32)(e - ends) * 8192;

	wr.addr = (void *)(unsigned long)host_mr_addr(&mrs[e->host], slot);
	wr.raddr = host_mr_addr(&mrs[!e->host], slot);
	host_send(&e->qp, &wr);
}

/* Everything that an end posts completes once, in order, with success. */
static void *poster(void *arg)
{
	struct end *e = arg;
	u32 posted = 0, done = 0;
	struct shca_cqe wc;

	while (done < MESSAGES && !env_read(wrong)) {
		while (posted < MESSAGES && posted - done < DEPTH)
			post_one(e, posted++);
		if (!host_poll(&e->cq, &wc)) {
			sched_yield();
			continue;
		}
		if (wc.opcode & 128) {
			host_recv(&e->qp, 1, host_mr_addr(&mrs[e->host], 65536), 6000,
				  mrs[e->host].eng.key);
			if (wc.status != OK)
				env_write(wrong, 1);
			continue;
		}
		if (wc.status != OK || wc.wr_id != done)
			env_write(wrong, 2 + wc.status);
		done++;
	}
	__atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
	/* The peer may still need receives. */
	while (!env_read(stop)) {
		if (host_poll(&e->cq, &wc))
			host_recv(&e->qp, 1, host_mr_addr(&mrs[e->host], 65536), 6000,
				  mrs[e->host].eng.key);
		else
			sched_yield();
	}
	return NULL;
}

static void tick(struct host_qp *qp, u64 now)
{
	u64 deadline = env_read(qp->deadline);

	if (deadline <= now && env_cmpxchg(&qp->deadline, deadline, ENG_NO_DEADLINE) == deadline)
		eng_expire(qp->eng);
}

static void *network(void *arg)
{
	u32 seed = 1, i;
	u64 now;

	(void)arg;
	while (!env_read(stop)) {
		while (cable_waiting()) {
			if (below(&seed, LOSS))
				cable_deliver();
			else
				cable_drop();
		}
		now = __atomic_add_fetch(&host_now, 20000, __ATOMIC_RELAXED);
		for (i = 0; i < ENDS; i++)
			tick(&ends[i].qp, now);
		sched_yield();
	}
	return NULL;
}

static void *worker(void *arg)
{
	(void)arg;
	while (!env_read(stop)) {
		host_work();
		sched_yield();
	}
	return NULL;
}

/* Regions of nobody's, whose end moves the generation that lookups are cached by. */
static void *registrar(void *arg)
{
	struct host_mr mr;

	(void)arg;
	while (!env_read(stop)) {
		host_mr_init(&hosts[0], &mr, 4096, ALL_ACCESS);
		sched_yield();
		host_mr_fini(&mr);
	}
	return NULL;
}

static void end_init(struct end *e, u32 index)
{
	struct host_qp_init init = {
		.type = ENG_QPT_RC, .sq = 64, .rq = 64, .send_sge = 1, .recv_sge = 1,
		.scq = &e->cq, .rcq = &e->cq,
	};
	u32 i;

	e->host = index & 1;
	e->seed = index + 1;
	e->peer = &ends[index ^ 1];
	host_cq_init(&hosts[e->host], &e->cq, 256);
	host_qp_init(&hosts[e->host], &e->qp, &init);
	for (i = 0; i < DEPTH; i++)
		host_recv(&e->qp, 1, host_mr_addr(&mrs[e->host], 65536), 6000,
			  mrs[e->host].eng.key);
}

static void set_up(void)
{
	u32 i;

	cable_init();
	host_now = 1;
	for (i = 0; i < 2; i++) {
		host_init(&hosts[i]);
		hosts[i].next_qpn = 0x100 * (i + 1);
		cable_host(&hosts[i], (u8)(i + 1), false);
		host_mr_init(&hosts[i], &mrs[i], 80000, ALL_ACCESS);
	}
	for (i = 0; i < ENDS; i++)
		end_init(&ends[i], i);
	for (i = 0; i < ENDS; i += 2)
		cable_connect(&ends[i].qp, &ends[i + 1].qp);
	cable_hold(true);
}

static void tear_down(void)
{
	u32 i;

	for (i = 0; i < ENDS; i++)
		host_qp_fini(&ends[i].qp);
	cable_hold(false);
	cable_init();
	for (i = 0; i < ENDS; i++)
		host_cq_fini(&ends[i].cq);
	for (i = 0; i < 2; i++) {
		host_mr_fini(&mrs[i]);
		host_fini(&hosts[i]);
	}
}

static void test_threads(void)
{
	void *(*const others[])(void *arg) = { network, worker, registrar };
	pthread_t posters[ENDS], helpers[3];
	u32 i;

	set_up();
	for (i = 0; i < 3; i++)
		CHECK(!pthread_create(&helpers[i], NULL, others[i], NULL));
	for (i = 0; i < ENDS; i++)
		CHECK(!pthread_create(&posters[i], NULL, poster, &ends[i]));
	while (env_read(finished) != ENDS)
		usleep(1000);
	env_write(stop, 1);
	for (i = 0; i < ENDS; i++)
		pthread_join(posters[i], NULL);
	for (i = 0; i < 3; i++)
		pthread_join(helpers[i], NULL);
	CHECK_EQ(wrong, 0);
	tear_down();
}

static const struct tap_test tests[] = {
	{ "threads, a network that loses, regions that come and go", test_threads },
};

TAP_MAIN(tests)
