// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_threads.c - verbs are thread-safe (C008..C010): threads post to one QP and poll one CQ
 * while an engine of a few lines completes; each request completes for exactly one poller, also
 * while other threads resize the CQ (F14c), ask for events, and make and destroy QPs on it.
 */
#include <errno.h>
#include <string.h>
#include "fake.h"
#include "tap.h"

#define POSTERS		2
#define POLLERS		2
#define PER_POSTER	20000
#define TOTAL		(POSTERS * PER_POSTER)
#define DEPTH		32
#define RESIZES		300	/* at most; fewer when the posters are done before */
#define QPS		500	/* made and destroyed, likewise */

static struct fake_context *fc;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static uint8_t seen[TOTAL];
static uint32_t polled;
static bool broken;

static void *post(void *arg)
{
	uint32_t base = (uint32_t)(uintptr_t)arg * PER_POSTER;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;
	uint32_t i = 0;

	while (i < PER_POSTER) {
		int err;

		wr.wr_id = base + i;
		err = ibv_post_send(qp, &wr, &bad);
		if (!err)
			i++;
		else if (err == ENOMEM)
			sched_yield();
		else
			__atomic_store_n(&broken, true, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *poll(void *arg)
{
	struct ibv_wc wc[8];
	int i, n;

	(void)arg;
	while (__atomic_load_n(&polled, __ATOMIC_RELAXED) < TOTAL) {
		n = ibv_poll_cq(cq, 8, wc);
		if (n < 0)
			__atomic_store_n(&broken, true, __ATOMIC_RELAXED);
		if (n <= 0) {
			sched_yield();
			continue;
		}
		for (i = 0; i < n; i++)
			__atomic_add_fetch(&seen[wc[i].wr_id], 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&polled, (uint32_t)n, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Takes what is published, in order, and never more than the CQ has room for. */
static void *engine(void *arg)
{
	struct shca_qp *q = shca_qp(qp);
	uint32_t done = 0;

	(void)arg;
	while (done < TOTAL) {
		uint32_t prod = shca_observe(&q->shared->sq_prod);

		if (prod == done)
			sched_yield();
		for (; done != prod; done++) {
			struct shca_send_wqe *wqe = shca_queue_entry(&q->sq, done);

			while (!fake_ring_complete(qp->qp_num, wqe->wr_id, done + 1))
				sched_yield();
		}
	}
	return NULL;
}

/* Both sizes have room for all that can be outstanding. */
static void *resize(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < RESIZES; i++) {
		if (i >= 2 && __atomic_load_n(&polled, __ATOMIC_RELAXED) >= TOTAL)
			break;
		if (ibv_resize_cq(cq, i % 2 ? 2 * DEPTH : DEPTH))
			__atomic_store_n(&broken, true, __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

/* The table of QPs changes under the pollers, who look for their own QP in it. */
static void *come_and_go(void *arg)
{
	struct ibv_qp_cap cap = { .max_send_wr = 4, .max_send_sge = 1 };
	unsigned int i;

	(void)arg;
	for (i = 0; i < QPS && __atomic_load_n(&polled, __ATOMIC_RELAXED) < TOTAL; i++) {
		struct ibv_qp *other = fake_qp(fc, IBV_QPT_RC, cq, &cap, 0);

		if (!other || ibv_destroy_qp(other))
			__atomic_store_n(&broken, true, __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

static void *ask_for_events(void *arg)
{
	unsigned int i = 0;

	(void)arg;
	while (__atomic_load_n(&polled, __ATOMIC_RELAXED) < TOTAL) {
		if (ibv_req_notify_cq(cq, (int)(i++ & 1)))
			__atomic_store_n(&broken, true, __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

static void run(bool resizing)
{
	struct ibv_qp_cap cap = { .max_send_wr = DEPTH, .max_send_sge = 1 };
	static struct ibv_comp_channel channel;
	pthread_t threads[POSTERS + POLLERS + 4];
	unsigned int i, n = 0;

	memset(seen, 0, sizeof(seen));
	polled = 0;
	fc = fake_open();
	cq = fake_cq(fc, 2 * DEPTH);
	fake_ring_watch(cq);
	cq->channel = &channel;
	qp = fake_qp(fc, IBV_QPT_RC, cq, &cap, 0);
	for (i = 0; i < POSTERS; i++)
		pthread_create(&threads[n++], NULL, post, (void *)(uintptr_t)i);
	for (i = 0; i < POLLERS; i++)
		pthread_create(&threads[n++], NULL, poll, NULL);
	pthread_create(&threads[n++], NULL, engine, NULL);
	if (resizing) {
		pthread_create(&threads[n++], NULL, resize, NULL);
		pthread_create(&threads[n++], NULL, come_and_go, NULL);
		pthread_create(&threads[n++], NULL, ask_for_events, NULL);
	}
	while (n)
		pthread_join(threads[--n], NULL);
	for (i = 0; i < TOTAL; i++)
		CHECK_EQ(seen[i], 1);
	CHECK(!broken);
	CHECK_EQ(shca_qp(qp)->shared->sq_prod, TOTAL);
	CHECK(!resizing || fake.resizes > 1);
	ibv_destroy_qp(qp);
	cq->channel = NULL;
	ibv_destroy_cq(cq);
	fake_ring.shared = NULL;
	fake_close(fc);
}

static void test_shared(void)
{
	run(false);
}

static void test_resize(void)
{
	run(true);
}

static const struct tap_test tests[] = {
	{ "every completion goes to exactly one poller", test_shared },
	{ "also while the CQ is resized, armed, and QPs come and go", test_resize },
};

TAP_MAIN(tests)
