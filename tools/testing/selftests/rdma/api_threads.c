// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that threads may share a QP and a CQ (C008..C010): every request completes for exactly
 * one poller; also while a third thread resizes the CQ (F14c), and with QPs coming and going.
 */
#include <pthread.h>
#include <unistd.h>

#include "api_pair_io.h"

#define POSTERS		2
#define POLLERS		2
#define PER_POSTER	1000
#define TOTAL		(POSTERS * PER_POSTER)
#define POST_MS		8000	/* posters stop then: a busy host is no fault */
#define LOST_MS		30000	/* without any completion: the missing ones will never come */
#define PAUSE_US	100	/* between two resizes, so that pollers get their turn */

static struct fixture f;
static struct pair p;
static uint8_t seen[TOTAL];
static unsigned int posted, posters, polled, failures;
static bool stop;

static void *post(void *arg)
{
	uint64_t base = (uintptr_t)arg * PER_POSTER, i = 0;
	struct ibv_sge sge = { (uintptr_t)f.buf, 8, f.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)f.buf + 4096, f.mr->rkey },
	}, *bad;
	double end = pair_now_ms() + POST_MS;

	while (i < PER_POSTER && pair_now_ms() < end) {
		int err;

		wr.wr_id = base + i;
		err = ibv_post_send(p.qp[A], &wr, &bad);
		if (!err)
			i++;
		else if (err != ENOMEM)
			__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
		if (err)
			sched_yield();
	}
	__atomic_add_fetch(&posted, (unsigned int)i, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&posters, 1, __ATOMIC_RELEASE);
	return NULL;
}

static bool all_taken(void)
{
	return !__atomic_load_n(&posters, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&polled, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&posted, __ATOMIC_RELAXED);
}

static void *take(void *arg)
{
	double last = pair_now_ms();
	struct ibv_wc wc[4];
	int i, n;

	(void)arg;
	while (!all_taken() && pair_now_ms() - last < LOST_MS) {
		n = ibv_poll_cq(p.cq[A], 4, wc);
		for (i = 0; i < n; i++) {
			if (wc[i].status || wc[i].wr_id >= TOTAL)
				__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
			else
				__atomic_add_fetch(&seen[wc[i].wr_id], 1, __ATOMIC_RELAXED);
		}
		if (n > 0) {
			__atomic_add_fetch(&polled, (unsigned int)n, __ATOMIC_RELAXED);
			last = pair_now_ms();
		} else {
			sched_yield();
		}
	}
	return NULL;
}

static void *resize(void *arg)
{
	int big = 0;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		big = !big;
		if (ibv_resize_cq(p.cq[A], big ? 300 : 40)) {
			__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
			break;
		}
		usleep(PAUSE_US);
	}
	return NULL;
}

/* Other QPs on the same CQ, so that the table of QPs changes under the pollers. */
static void *come_and_go(void *arg)
{
	struct ibv_qp_init_attr init = {
		.send_cq = p.cq[A], .recv_cq = p.cq[A], .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct ibv_qp *qp = ibv_create_qp(f.pd, &init);

		if (!qp || ibv_destroy_qp(qp)) {
			__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
			break;
		}
		sched_yield();
	}
	return NULL;
}

static void run(void *(*third)(void *), const char *what)
{
	struct pair_options o = { .cqe = 64 };
	pthread_t threads[POSTERS + POLLERS], other;
	unsigned int i, n = 0, wrong = 0, once = 0;

	memset(seen, 0, sizeof(seen));
	posted = polled = failures = 0;
	posters = POSTERS;
	stop = false;
	pair_open(&p, &f, &o);
	for (i = 0; i < POSTERS; i++)
		pthread_create(&threads[n++], NULL, post, (void *)(uintptr_t)i);
	for (i = 0; i < POLLERS; i++)
		pthread_create(&threads[n++], NULL, take, NULL);
	if (third)
		pthread_create(&other, NULL, third, NULL);
	while (n)
		pthread_join(threads[--n], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	if (third)
		pthread_join(other, NULL);
	for (i = 0; i < TOTAL; i++) {
		once += seen[i] == 1;
		wrong += seen[i] > 1;
	}
	tap_ok(once == posted && !wrong && posted > POSTERS,
	       "%s: each of %u completions once", what, posted);
	if (once != posted || wrong)
		tap_note("%u came once, %u more than once", once, wrong);
	tap_is(failures, 0, "%s: no call failed", what);
	pair_close(&p);
}

int main(void)
{
	struct ibv_cq *cq;

	fixture_open(&f);
	run(NULL, "two post, two poll");
	run(come_and_go, "with QPs coming and going");
	cq = ibv_create_cq(f.ctx, 10, NULL, NULL, 0);
	if (ibv_resize_cq(cq, 20) == EOPNOTSUPP)
		tap_skip("the device does not resize");
	else
		run(resize, "with a resize going on");
	ibv_destroy_cq(cq);
	fixture_close(&f);
	return tap_end();
}
