// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Two threads destroy one object at the same moment: one of them does it. Which error the other
 * sees is a matter of the moment; that it sees one of the two that there are is not.
 */
#include "doors.h"

#include <pthread.h>

#define ROUNDS 40

struct racer {
	pthread_barrier_t *start;
	int fd;
	uint16_t object, method;
	uint32_t handle;
	int error;
};

static void *race(void *arg)
{
	struct racer *r = arg;
	struct uverbs_raw raw;
	uint8_t answered[64];

	doors_start(&raw, r->object, r->method);
	uverbs_raw_add(&raw, 0, 0, r->handle);
	if (r->object == UVERBS_OBJECT_CQ || r->object == UVERBS_OBJECT_SRQ ||
	    r->object == UVERBS_OBJECT_QP)
		uverbs_raw_add(&raw, 1, 4 + 4 * (r->object == UVERBS_OBJECT_CQ),
			       (uintptr_t)answered);
	pthread_barrier_wait(r->start);
	r->error = uverbs_raw_go(r->fd, &raw);
	return NULL;
}

static void round_of(const char *name, uint16_t object, uint16_t method, size_t member)
{
	struct racer racers[2];
	pthread_barrier_t start;
	pthread_t threads[2];
	int i, done = 0, known = 0;
	struct world w;

	world_open(&w);
	pthread_barrier_init(&start, NULL, 2);
	for (i = 0; i < 2; i++) {
		racers[i] = (struct racer){ .start = &start, .fd = w.fd, .object = object,
					    .method = method };
		memcpy(&racers[i].handle, (uint8_t *)&w + member, sizeof(racers[i].handle));
		if (pthread_create(&threads[i], NULL, race, &racers[i]))
			tap_bail("thread");
	}
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		done += !racers[i].error;
		known += racers[i].error == EBUSY || racers[i].error == ENOENT;
	}
	answer_clear();
	report(&w, 0, NULL, "race %s: %d done, %d busy or gone", name, done, known);
	pthread_barrier_destroy(&start);
	world_close();
}

void try_races(void)
{
	int n;

	for (n = 0; n < ROUNDS; n++) {
		round_of("PD", UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
			 offsetof(struct world, spare_pd));
		round_of("CQ", UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY,
			 offsetof(struct world, spare_cq));
		round_of("SRQ", UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY,
			 offsetof(struct world, spare_srq));
		round_of("QP", UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY,
			 offsetof(struct world, qp));
		round_of("MR", UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY,
			 offsetof(struct world, mr));
		round_of("AH", UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
			 offsetof(struct world, ah));
	}
}
