// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_stress.c - threads that post, poll, modify, destroy and deregister at random, all at once.
 *
 * Links are pairs of QPs that send to each other.  A link's mutex stands for the library's locks:
 * posting to one QP, polling one CQ.  The engine below runs in whichever thread rings a doorbell,
 * in a worker and after a timer thread's kicks.  Every request completes once, in order; at the end
 * nothing is left.  Also run under TSan.
 */
#include <stdio.h>
#include <time.h>
#include "host.h"
#include "pair.h"
#include "tap.h"

enum { THREADS = 4, LINKS = 6, DEPTH = 32, MR_BYTES = 128 * 1024 };

#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 1500 };
#else
enum { ROUNDS = 4000 };
#endif

struct side {
	struct host_qp qp;
	struct host_cq cq;
	u32 sent, send_done;		/* sequence numbers */
	u32 received, recv_done;
	bool error;
};

struct link {
	pthread_mutex_t mutex;
	struct side side[2];
	u32 generation;
};

static struct host host;
static struct link links[LINKS];
static struct host_mr mr;
static struct host_mr *fleeting;	/* comes and goes */
static pthread_rwlock_t fleeting_lock = PTHREAD_RWLOCK_INITIALIZER;
static u32 stop, wrong, errors, completions;

static u32 rnd(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*state >> 33);
}

static void side_init(struct side *s)
{
	struct host_qp_init init = {
		.type = ENG_QPT_RC, .sq = DEPTH, .rq = DEPTH, .send_sge = 2, .max_inline = 64,
		.scq = &s->cq, .rcq = &s->cq,
	};

	host_cq_init(&host, &s->cq, 4 * DEPTH);
	host_qp_init(&host, &s->qp, &init);
	s->sent = s->send_done = s->received = s->recv_done = 0;
	s->error = false;
}

static void link_init(struct link *l)
{
	side_init(&l->side[0]);
	side_init(&l->side[1]);
	host_connect(&l->side[0].qp, &l->side[1].qp);
	l->generation++;
}

static void link_fini(struct link *l)
{
	int i;

	for (i = 0; i < 2; i++)
		host_qp_fini(&l->side[i].qp);
	for (i = 0; i < 2; i++)
		host_cq_fini(&l->side[i].cq);
}

static void poll_side(struct side *s)
{
	struct shca_cqe wc;

	while (host_poll(&s->cq, &wc)) {
		u32 *done = wc.opcode & 128 || wc.wr_id >> 32 ? &s->recv_done : &s->send_done;

		if ((u32)wc.wr_id != *done || wc.qpn != s->qp.qpn)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		++*done;
		if (wc.status)
			s->error = true;
		__atomic_fetch_add(wc.status ? &errors : &completions, 1, __ATOMIC_RELAXED);
	}
}

static void post_recv(struct side *s)
{
	if (s->received - s->recv_done == DEPTH)
		return;
	host_recv(&s->qp, 1ull << 32 | s->received, host_mr_addr(&mr, 0), 4096, mr.eng.key);
	s->received++;
}

static void post_send(struct side *s, u64 *seed)
{
	static const u8 ops[] = { WR_WRITE, WR_WRITE, WR_SEND, WR_READ, WR_FAA, WR_WRITE_IMM };
	struct host_wr wr = {
		.wr_id = s->sent,
		.opcode = ops[rnd(seed) % 6],
		.flags = SHCA_SEND_SIGNALED,
		.addr = (void *)(unsigned long)host_mr_addr(&mr, 0),
		.lkey = mr.eng.key,
		.raddr = (host_mr_addr(&mr, 64 * 1024) + 7) & ~7ull,
		.rkey = mr.eng.key,
	};

	if (s->sent - s->send_done == DEPTH)
		return;
	wr.length = wr.opcode == WR_FAA ? 8 : rnd(seed) % 4096;
	if (wr.opcode != WR_SEND && wr.opcode != WR_FAA && rnd(seed) % 16 == 0)
		wr.length = 60 * 1024;
	pthread_rwlock_rdlock(&fleeting_lock);
	if (wr.opcode == WR_WRITE && rnd(seed) % 64 == 0 && fleeting) {
		wr.rkey = fleeting->eng.key;
		wr.raddr = host_mr_addr(fleeting, 0);
		wr.length = 60 * 1024;
	}
	pthread_rwlock_unlock(&fleeting_lock);
	s->sent++;
	host_send(&s->qp, &wr);
}

/* All that was posted comes back after an error; then the link begins anew. */
static void renew(struct link *l)
{
	u32 i, spins;

	for (i = 0; i < 2; i++)
		host_state(&l->side[i].qp, ENG_QPS_ERR);
	for (spins = 0; spins < 1000000; spins++) {
		bool done = true;

		for (i = 0; i < 2; i++) {
			poll_side(&l->side[i]);
			done &= l->side[i].sent == l->side[i].send_done &&
				l->side[i].received == l->side[i].recv_done;
		}
		if (done)
			break;
		sched_yield();
	}
	if (spins == 1000000)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	link_fini(l);
	link_init(l);
}

static void *user(void *arg)
{
	u64 seed = (u64)(unsigned long)arg * 77777 + 1;
	u32 round, i;

	for (round = 0; round < ROUNDS; round++) {
		struct link *l = &links[rnd(&seed) % LINKS];
		struct side *s = &l->side[rnd(&seed) & 1];

		pthread_mutex_lock(&l->mutex);
		for (i = rnd(&seed) % 8; i; i--)
			post_recv(s);
		for (i = rnd(&seed) % 8; i; i--)
			post_send(s, &seed);
		poll_side(s);
		if (s->error || rnd(&seed) % 512 == 0) {
			renew(l);
		} else if (rnd(&seed) % 256 == 0) {
			/* Destroyed in the middle of everything. */
			link_fini(l);
			link_init(l);
		}
		pthread_mutex_unlock(&l->mutex);
	}
	return NULL;
}

static void *worker(void *arg)
{
	while (!env_read(stop)) {
		host_work();
		usleep(100);
	}
	return arg;
}

/* Time passes; deadlines become kicks, as a timer interrupt would do it. */
static void *timer(void *arg)
{
	u32 i, k;

	while (!env_read(stop)) {
		__atomic_fetch_add(&host_now, 200 * 1000, __ATOMIC_RELAXED);
		for (i = 0; i < LINKS; i++) {
			if (pthread_mutex_trylock(&links[i].mutex))
				continue;
			for (k = 0; k < 2; k++) {
				struct host_qp *qp = &links[i].side[k].qp;

				if (env_read(qp->deadline) <= env_read(host_now)) {
					env_write(qp->deadline, ENG_NO_DEADLINE);
					eng_expire(qp->eng);
				}
			}
			pthread_mutex_unlock(&links[i].mutex);
		}
		usleep(50);
	}
	return arg;
}

static void *registrar(void *arg)
{
	while (!env_read(stop)) {
		struct host_mr *fresh = calloc(1, sizeof(*fresh));

		host_mr_init(&host, fresh, 64 * 1024, ALL_ACCESS);
		pthread_rwlock_wrlock(&fleeting_lock);
		fleeting = fresh;
		pthread_rwlock_unlock(&fleeting_lock);
		usleep(300);
		pthread_rwlock_wrlock(&fleeting_lock);
		fleeting = NULL;
		pthread_rwlock_unlock(&fleeting_lock);
		host_mr_fini(fresh);	/* while frames may still name it */
		free(fresh);
	}
	return arg;
}

static void test_stress(void)
{
	pthread_t users[THREADS], others[3];
	long i;

	host_init(&host);
	host_mr_init(&host, &mr, MR_BYTES, ALL_ACCESS);
	for (i = 0; i < LINKS; i++) {
		pthread_mutex_init(&links[i].mutex, NULL);
		link_init(&links[i]);
	}
	pthread_create(&others[0], NULL, worker, NULL);
	pthread_create(&others[1], NULL, timer, NULL);
	pthread_create(&others[2], NULL, registrar, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&users[i], NULL, user, (void *)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(users[i], NULL);
	for (i = 0; i < LINKS; i++) {
		pthread_mutex_lock(&links[i].mutex);
		renew(&links[i]);
		pthread_mutex_unlock(&links[i].mutex);
	}
	env_write(stop, 1);
	for (i = 0; i < 3; i++)
		pthread_join(others[i], NULL);
	for (i = 0; i < LINKS; i++)
		link_fini(&links[i]);
	host_mr_fini(&mr);
	printf("# %u completions, %u with errors or flushed\n", completions, errors);
	CHECK_EQ(wrong, 0);
	CHECK(completions > ROUNDS);
	CHECK_EQ(eng_dev_counter(&host.dev, ENG_CNT_FRAMES) > 0, 1);
	host_fini(&host);
	CHECK_EQ(env_alloc_balance(), 0);
}

static const struct tap_test tests[] = {
	{ "everything at once", test_stress },
};

TAP_MAIN(tests)
