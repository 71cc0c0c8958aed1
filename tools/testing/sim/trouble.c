// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * trouble.c - what goes wrong around the traffic: errors, resets, destroyed queues, vanished keys,
 * ports and wires that die; and how ends begin again after a failure.
 *
 * Called by run.c.
 */
#include "traffic.h"

enum { OUTAGE_NS = 3000000, MANY_ROUNDS = 1000 };

static u32 below(struct world *w, u32 n)
{
	return sim_rng_below(&w->rng, n);
}

static void relax(struct world *w)
{
	u32 i, round;

	for (round = 0; round < MANY_ROUNDS; round++) {
		bool busy = false;

		for (i = 0; i < w->cfg.hosts; i++)
			busy |= w->host[i].deferred != NULL;
		if (!busy)
			return;
		sim_host_relax(0);
	}
	sim_fail(w, NULL, "workers never come to an end");
}

/* To ERR: everything that was posted comes back. */
static void flush(struct end *e)
{
	struct end *both[2] = { e, e->peer };
	u32 i, n = e->peer == e ? 1 : 2;

	for (i = 0; i < n; i++) {
		sim_model_excuse(both[i], FLUSH);
		if (sim_qp_state(both[i]->qp, ENG_QPS_ERR))
			sim_fail(e->w, both[i], "ERR was refused");
	}
	relax(e->w);
	for (i = 0; i < n; i++)
		sim_model_poll(both[i]);
	for (i = 0; i < n && !e->w->wrong; i++) {
		bool silent = !both[i]->reported;
		u32 k;

		for (k = both[i]->send_done; k != both[i]->sent; k++)
			silent &= !both[i]->sends[k % MAX_DEPTH].signaled;
		if (both[i]->sent != both[i]->send_done && !silent)
			sim_fail(e->w, both[i], "not every request was flushed");
		if (!both[i]->srq && both[i]->own.posted != both[i]->own.done)
			sim_fail(e->w, both[i], "not every receive was flushed");
	}
}

/* What was posted is thrown away without completions, or was flushed before. */
static void begin_again(struct end *e, bool destroy)
{
	struct end *both[2] = { e, e->peer };
	u32 i, n = e->peer == e ? 1 : 2;

	for (i = 0; i < n; i++) {
		u32 qpn = both[i]->qp->qpn;

		if (destroy) {
			/* Its last completions are polled as long as they can be named. */
			sim_qp_state(both[i]->qp, ENG_QPS_RESET);
			sim_model_poll(both[i]);
			sim_qp_free(both[i]->qp);
			sim_world_make_qp(both[i]);
		} else if (sim_qp_state(both[i]->qp, ENG_QPS_RESET)) {
			sim_fail(e->w, both[i], "RESET was refused");
		}
		sim_net_purge(e->w, qpn);
	}
	relax(e->w);
	for (i = 0; i < n; i++)
		sim_model_poll(both[i]);
	sim_model_close(e);
	sim_world_connect(e);
}

static bool shares(const struct end *e)
{
	return e->srq || e->peer->srq;
}

/* Completions of UD and UC send errors leave the receive side running (SQE). */
static bool recover(struct end *e)
{
	if (e->type != ENG_QPT_UD || below(e->w, 2) || !e->reported || e->sent != e->send_done ||
	    e->qp->shared->state != ENG_QPS_SQE)
		return false;
	if (sim_qp_state(e->qp, ENG_QPS_RTS))
		sim_fail(e->w, e, "SQE to RTS was refused");
	e->failed = e->reported = false;
	e->kept = e->send_done;
	return true;
}

void sim_trouble_renew(struct end *e)
{
	if (!e->failed && !e->peer->failed)
		return;
	if (recover(e))
		return;
	sim_trace(e->w, "end %u begins again", e->index);
	flush(e);
	if (!e->w->wrong)
		begin_again(e, sim_has(&e->w->cfg, SIM_DESTROY) && below(e->w, 2));
}

static void make_error(struct end *e)
{
	sim_trace(e->w, "end %u to ERR", e->index);
	sim_model_excuse(e, FLUSH);
	e->failed = true;
	sim_qp_state(e->qp, ENG_QPS_ERR);
}

/* Without ERR before: what is outstanding vanishes. */
static void make_reset(struct end *e, bool destroy)
{
	sim_trace(e->w, "end %u is %s", e->index, destroy ? "destroyed" : "reset");
	if (shares(e))
		flush(e);
	if (!e->w->wrong)
		begin_again(e, destroy);
}

static void drop_keys(struct end *e)
{
	struct world *w = e->w;
	struct sim_mr *local = e->local, *remote = e->remote, *readonly = e->readonly;

	sim_trace(w, "end %u: its keys vanish", e->index);
	sim_model_excuse(e, LOC_PROT);
	sim_model_excuse(e, FLUSH);
	e->own.deregistered = true;
	if (e->in == &e->own)
		sim_model_flaw(e);
	sim_model_excuse_refusal(e->peer);
	sim_model_excuse(e->peer, REM_OP);
	sim_keys_release_region(e);
	sim_mr_free(local);
	sim_mr_free(remote);
	sim_mr_free(readonly);
	sim_world_make_keys(e);
}

static void drain(struct end *e)
{
	if (e->failed || e->type != ENG_QPT_RC || !sim_traffic_sends(e) ||
	    sim_qp_state(e->qp, ENG_QPS_SQD))
		return;
	sim_trace(e->w, "end %u to SQD", e->index);
	relax(e->w);
	sim_qp_state(e->qp, ENG_QPS_RTS);
}

/* As when routes or addresses change under a connection.  What is on its way may be lost. */
static void relink(struct end *e)
{
	struct end *both[2] = { e, e->peer };
	u32 i;

	if (e->type != ENG_QPT_RC || e->failed || e->peer->failed)
		return;
	sim_trace(e->w, "end %u: over the %s now", e->index, e->wire ? "direct link" : "wire");
	for (i = 0; i < 2; i++) {
		both[i]->wire = !both[i]->wire;
		sim_world_link(both[i]);
		if (both[i]->wire && e->w->lossy)
			sim_model_excuse(both[i], RETRY_EXC);
	}
}

static void port_down(struct world *w)
{
	u32 host = below(w, w->cfg.hosts), i;

	sim_trace(w, "port of host %u down", host);
	w->host[host].dev.port_up = 0;
	for (i = 0; i < w->ends; i++)
		if (w->end[i].host->index == host && w->end[i].type == ENG_QPT_RC) {
			sim_model_excuse(&w->end[i], RETRY_EXC);
			sim_model_excuse(w->end[i].peer, RETRY_EXC);
		}
	sim_loop_add(&w->loop, (struct sim_event){
		.at = w->loop.now + below(w, OUTAGE_NS),
		.kind = SIM_EVENT_HEAL,
		.number = 256 + host,
	});
}

static void cut_wire(struct world *w)
{
	u32 from = below(w, w->cfg.hosts), to = below(w, w->cfg.hosts);

	sim_trace(w, "nothing goes from host %u to host %u", from, to);
	sim_net_cut(w, from, to, true);
	sim_loop_add(&w->loop, (struct sim_event){
		.at = w->loop.now + below(w, OUTAGE_NS),
		.kind = SIM_EVENT_HEAL,
		.number = from * 16 + to,
	});
}

static void resize(struct world *w, struct end *e)
{
	sim_cq_resize(&e->cq, 4 * w->cfg.depth << below(w, 3));
	if (e->srq)
		sim_srq_resize(e->srq, w->cfg.depth << below(w, 2));
}

void sim_trouble_make(struct world *w)
{
	struct end *e = &w->end[below(w, w->ends)];
	u32 first = SIM_PARTITION, last = SIM_RELINK;
	u32 kind = sim_rng_range(&w->rng, first, last);

	if (!sim_has(&w->cfg, (enum sim_feature)kind))
		return;
	switch (kind) {
	case SIM_PARTITION:
		cut_wire(w);
		break;
	case SIM_PORT:
		port_down(w);
		break;
	case SIM_ERR:
		make_error(e);
		break;
	case SIM_RESET:
	case SIM_DESTROY:
		make_reset(e, kind == SIM_DESTROY);
		break;
	case SIM_DEREG:
		drop_keys(e);
		break;
	case SIM_SQD:
		drain(e);
		break;
	case SIM_RESIZE:
		resize(w, e);
		break;
	case SIM_RELINK:
		relink(e);
		break;
	default:
		break;
	}
}
