/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * loop.h - virtual time: what happens next.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include "rng.h"

enum sim_event_kind {
	SIM_EVENT_STEP,		/* an application does something */
	SIM_EVENT_WORKER,	/* of a host */
	SIM_EVENT_TIMER,	/* of a QP */
	SIM_EVENT_PACKET,	/* arrives */
	SIM_EVENT_ROOM,		/* a host's netdev takes packets again */
	SIM_EVENT_HEAL,		/* a partition ends */
};

struct sim_event {
	u64 at;
	u64 tie;		/* those of one moment come in random order */
	enum sim_event_kind kind;
	u32 number;
	void *object;
};

struct sim_loop {
	u64 now;		/* ns */
	u64 handled;
	struct sim_rng rng;
	struct sim_event *heap;
	u32 count, room;
};

void sim_loop_init(struct sim_loop *loop, u64 seed);
void sim_loop_fini(struct sim_loop *loop);
void sim_loop_add(struct sim_loop *loop, struct sim_event event);
/* Takes the next event and moves time there; false: nothing will ever happen. */
bool sim_loop_next(struct sim_loop *loop, struct sim_event *event);

#endif
