// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * loop.c - the queue of events: a binary heap by time, then by chance.
 *
 * Filled by hosts (workers, timers), the network (packets) and the traffic; emptied by run.c.
 */
#include "loop.h"

void sim_loop_init(struct sim_loop *loop, u64 seed)
{
	memset(loop, 0, sizeof(*loop));
	loop->now = 1000;
	sim_rng_seed(&loop->rng, seed, 2);
}

void sim_loop_fini(struct sim_loop *loop)
{
	free(loop->heap);
}

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at < b->at || (a->at == b->at && a->tie < b->tie);
}

static void swap(struct sim_event *a, struct sim_event *b)
{
	struct sim_event c = *a;

	*a = *b;
	*b = c;
}

void sim_loop_add(struct sim_loop *loop, struct sim_event event)
{
	u32 i = loop->count++;

	if (loop->count > loop->room) {
		loop->room = loop->room ? 2 * loop->room : 256;
		loop->heap = realloc(loop->heap, loop->room * sizeof(*loop->heap));
		if (!loop->heap)
			abort();
	}
	event.tie = sim_rng_next(&loop->rng);
	loop->heap[i] = event;
	for (; i && before(&loop->heap[i], &loop->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&loop->heap[i], &loop->heap[(i - 1) / 2]);
}

bool sim_loop_next(struct sim_loop *loop, struct sim_event *event)
{
	u32 i = 0, child;

	if (!loop->count)
		return false;
	*event = loop->heap[0];
	loop->heap[0] = loop->heap[--loop->count];
	for (; (child = 2 * i + 1) < loop->count; i = child) {
		if (child + 1 < loop->count && before(&loop->heap[child + 1], &loop->heap[child]))
			child++;
		if (!before(&loop->heap[child], &loop->heap[i]))
			break;
		swap(&loop->heap[i], &loop->heap[child]);
	}
	if (event->at > loop->now)
		loop->now = event->at;
	loop->handled++;
	return true;
}
