// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * run.c - turns the wheel: first with faults, then without them until everything has come to rest.
 *
 * Called by main.c.  Safety is judged all the time, by the model; liveness at the end: when faults
 * have stopped, every request must come back within a bound of virtual time.
 */
#include "traffic.h"

enum {
	CHECK_STEPS = 400,	/* steps between two looks at all memory */
	SETTLE_FIRST_NS = 50 * 1000,
	SETTLE_NS_MAX = 50 * 1000 * 1000,
};

#define SETTLE_BOUND_NS	(300ull * 1000000000)	/* more than all retries of all timers */
#define SILENCE_NS	(20ull * 1000000000)	/* more than finite retries take */
#define EVENTS_BOUND	5000000ull

static u32 below(struct world *w, u32 n)
{
	return sim_rng_below(&w->rng, n);
}

static void application(struct world *w)
{
	struct end *e = &w->end[below(w, w->ends)];
	bool late = sim_has(&w->cfg, SIM_RNR);
	u32 n;

	if (!late)
		sim_traffic_receive(e, w->cfg.depth);
	switch (below(w, 8)) {
	case 0: case 1: case 2: case 3:
		for (n = below(w, 8); n; n--)
			sim_traffic_send(e);
		if (below(w, 8))
			sim_traffic_ring(e);
		break;
	case 4:
		if (late)
			sim_traffic_receive(e, below(w, 6));
		sim_traffic_ring(e);
		break;
	default:
		sim_model_poll(e);
		sim_trouble_renew(e);
		break;
	}
	if (sim_rng_ppm(&w->rng, w->cfg.trouble_ppm * 10))
		sim_trouble_make(w);
}

static void schedule_step(struct world *w, u64 pause)
{
	sim_loop_add(&w->loop, (struct sim_event){
		.at = w->loop.now + pause,
		.kind = SIM_EVENT_STEP,
	});
}

static void work(struct world *w, struct sim_host *host)
{
	host->worker_due = false;
	if (sim_has(&w->cfg, SIM_BUDGET) && !w->settling && below(w, 2))
		sim_host_work(host, sim_rng_range(&w->rng, 1, 5000),
			      sim_rng_range(&w->rng, 1, 8));
	else
		sim_host_work(host, ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
}

static void heal(struct world *w, u32 number)
{
	if (number >= 256)
		w->host[number - 256].dev.port_up = 1;
	else
		sim_net_cut(w, number / 16, number % 16, false);
}

static void timer(const struct sim_host *host, struct world *w, const struct sim_event *event)
{
	u32 i;

	for (i = 0; i < w->ends; i++)
		if (w->end[i].host == host && w->end[i].qp->qpn == event->number)
			sim_qp_timer(w->end[i].qp, event->at);
}

bool sim_run_event(struct world *w, const struct sim_event *event)
{
	switch (event->kind) {
	case SIM_EVENT_STEP:
		return false;
	case SIM_EVENT_WORKER:
		work(w, event->object);
		break;
	case SIM_EVENT_TIMER:
		timer(event->object, w, event);
		break;
	case SIM_EVENT_PACKET:
		sim_net_arrive(w, event->object);
		break;
	case SIM_EVENT_ROOM:
		sim_net_room(w, event->object);
		break;
	case SIM_EVENT_HEAL:
		heal(w, event->number);
		break;
	}
	return true;
}

/* Until the next step; false: something is wrong. */
static bool wait_for_step(struct world *w)
{
	struct sim_event event;

	while (!w->wrong) {
		sim_host_reap();
		if (!sim_loop_next(&w->loop, &event)) {
			sim_fail(w, NULL, "nothing will ever happen again");
			break;
		}
		if (!sim_run_event(w, &event))
			return true;
		if (w->loop.handled > EVENTS_BOUND)
			sim_fail(w, NULL, "events without end");
	}
	return false;
}

static void stop_faults(struct world *w)
{
	u64 faults = (2ull << SIM_PORT) - 1;
	u32 i, k;

	w->cfg.features &= ~faults;
	for (i = 0; i < w->cfg.hosts; i++) {
		w->host[i].dev.port_up = 1;
		for (k = 0; k < w->cfg.hosts; k++)
			sim_net_cut(w, i, k, false);
	}
}

/* May @e wait for ever while nobody posts receives? */
static bool waits_for_receives(const struct end *e)
{
	return e->type == ENG_QPT_RC && e->rnr_retry == 7;
}

/* One end goes on; true: it has nothing outstanding. */
static bool settle(struct end *e)
{
	sim_model_poll(e);
	sim_trouble_renew(e);
	if (!e->w->silent)
		sim_traffic_receive(e, e->w->cfg.depth);
	if (e->sent != e->send_done && !e->sends[(e->sent - 1) % MAX_DEPTH].signaled)
		sim_traffic_mark(e);
	sim_traffic_ring(e);
	sim_model_poll(e);
	if (e->w->silent && waits_for_receives(e))
		return true;
	return e->sent == e->send_done && !e->failed && !e->peer->failed;
}

/* Until all are done; false: @bound_ns was not enough, for the end at @who. */
static bool settle_all(struct world *w, u64 bound_ns, u32 *who)
{
	u64 end = w->loop.now + bound_ns;
	u64 pause = SETTLE_FIRST_NS;
	bool done = false;
	u32 i;

	while (!done && !w->wrong) {
		done = true;
		for (i = 0; i < w->ends && !w->wrong; i++) {
			if (settle(&w->end[i]))
				continue;
			done = false;
			*who = i;
		}
		if (w->loop.now > end)
			return done;
		schedule_step(w, pause);
		pause = pause < SETTLE_NS_MAX ? pause * 2 : pause;
		if (!wait_for_step(w))
			break;
	}
	return true;
}

/*
 * Nobody posts receives any more, and one wire stays cut: requests with finite retries come back
 * all the same.
 */
static void settle_in_silence(struct world *w)
{
	u32 i, who = 0, cut = below(w, w->cfg.hosts);

	w->silent = true;
	for (i = 0; i < w->cfg.hosts && sim_has(&w->cfg, SIM_PARTITION); i++)
		sim_net_cut(w, cut, i, true);
	if (!settle_all(w, SILENCE_NS, &who) && !w->wrong)
		sim_fail(w, &w->end[who], "finite retries do not end");
	w->silent = false;
}

bool sim_run(struct world *w)
{
	u32 i;

	schedule_step(w, 0);
	for (i = 0; i < w->cfg.steps; i++) {
		if (!wait_for_step(w))
			return false;
		application(w);
		if (!(i % CHECK_STEPS))
			sim_model_check_memory(w);
		schedule_step(w, below(w, w->cfg.think_ns));
	}
	if (!wait_for_step(w))
		return false;
	w->settling = true;
	if (sim_has(&w->cfg, SIM_RNR))
		settle_in_silence(w);
	stop_faults(w);
	if (!settle_all(w, SETTLE_BOUND_NS, &i) && !w->wrong)
		sim_fail(w, &w->end[i], "does not come to rest");
	for (i = 0; i < w->ends && !w->wrong; i++)
		sim_model_poll(&w->end[i]);
	for (i = 0; i < w->ends && !w->wrong; i++)
		if (w->end[i].peer >= &w->end[i])
			sim_model_close(&w->end[i]);
	sim_model_check_memory(w);
	sim_world_fini(w);
	return !w->wrong;
}
