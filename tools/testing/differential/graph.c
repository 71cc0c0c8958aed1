// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Object graphs in random order: commands drawn by lot, on objects drawn by lot from those that
 * live, those that were destroyed and numbers that never were any. One seed per episode; within an
 * episode the first difference may entail others.
 */
#include "doors.h"
#include "kinds.h"

#define EPISODES	60
#define CALLS		80
#define REMEMBERED	24

struct pool {
	uint32_t handles[REMEMBERED];
	unsigned int count;
};

static uint32_t pick(const struct pool *pools, int kind)
{
	const struct pool *p = &pools[kind];

	switch (random_next(16)) {
	case 0:
		return random_next(64);
	case 1:
		p = &pools[1 + random_next(KINDS - 1)];
		break;
	}
	return p->count ? p->handles[random_next(p->count)] : 0;
}

/* A world of objects drawn by lot: the spare ones come from the same pools. */
static void draw(struct world *w, const struct pool *pools)
{
	w->pd = pick(pools, KIND_PD);
	w->cq = pick(pools, KIND_CQ);
	w->qp = pick(pools, KIND_QP);
	w->srq = pick(pools, KIND_SRQ);
	w->ah = pick(pools, KIND_AH);
	w->mr = pick(pools, KIND_MR);
	w->mw = pick(pools, KIND_MW);
	w->spare_pd = pick(pools, KIND_PD);
	w->spare_cq = pick(pools, KIND_CQ);
	w->spare_srq = pick(pools, KIND_SRQ);
}

static void remember(struct pool *p, uint32_t handle)
{
	p->handles[p->count < REMEMBERED ? p->count++ : random_next(REMEMBERED)] = handle;
}

static void episode(unsigned int number)
{
	struct pool pools[KINDS] = { 0 };
	const struct command *command;
	struct world w, drawn;
	uint32_t handle, n;
	struct call c;
	int error;

	random_seed(number);
	world_open(&w);
	for (n = 0; n < CALLS; n++) {
		drawn = w;
		draw(&drawn, pools);
		command = &commands[random_next(command_count)];
		if (command->context)
			continue;
		call_prepare(&c, command, &drawn, random_next(2));
		error = call_go(w.fd, &c);
		report(&w, error, call_masks(&c), "graph %u.%u %s", number, n, command->name);
		if (error || !command->handle)
			continue;
		memcpy(&handle, answer + command->handle - 1, sizeof(handle));
		remember(&pools[command->kind], handle);
	}
	world_close();
}

void try_graphs(void)
{
	unsigned int n;

	for (n = 1; n <= EPISODES; n++)
		episode(n);
}
