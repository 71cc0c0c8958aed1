// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * traffic.c - what applications do when all is well, and requests that must fail.
 *
 * Called by run.c, a step at a time.
 */
#include "traffic.h"

enum { BAD_ODDS = 60 };		/* of requests, where a kind of flaw is on */

static u32 below(struct world *w, u32 n)
{
	return sim_rng_below(&w->rng, n);
}

bool sim_wr_is(u8 opcode, u32 traits)
{
	static const u8 rows[] = {
		[WR_WRITE]	= SIM_WR_WRITES,
		[WR_WRITE_IMM]	= SIM_WR_WRITES | SIM_WR_RECEIVE | SIM_WR_IMM,
		[WR_SEND]	= SIM_WR_RECEIVE,
		[WR_SEND_IMM]	= SIM_WR_RECEIVE | SIM_WR_IMM,
		[WR_READ]	= SIM_WR_FETCHES,
		[WR_CAS]	= SIM_WR_FETCHES | SIM_WR_ATOMIC,
		[WR_FAA]	= SIM_WR_FETCHES | SIM_WR_ATOMIC,
		[WR_LOCAL_INV]	= SIM_WR_LOCAL,
		[WR_BIND]	= SIM_WR_LOCAL,
		[WR_SEND_INV]	= SIM_WR_RECEIVE,
		[WR_REG]	= SIM_WR_LOCAL,
	};

	return rows[opcode] & traits;
}

#define ARRAY(rows)	(sizeof(rows) / sizeof((rows)[0]))

bool sim_traffic_sends(const struct end *e)
{
	return e->xrc != ENG_XRC_TGT;
}

u32 sim_traffic_queue(const struct end *e, u32 index)
{
	return index / (e->w->cfg.depth / XRC_QUEUES);
}

static u8 any_opcode(struct end *e)
{
	static const struct {
		u8 opcode, feature, types;
	} rows[] = {
		/* Unreliable messages need an immediate, by which they are known. */
		{ WR_SEND, SIM_SEND, 1 << ENG_QPT_RC },
		{ WR_SEND_IMM, SIM_SEND, 1 << ENG_QPT_RC | 1 << ENG_QPT_UC },
		{ WR_WRITE, SIM_WRITE, 1 << ENG_QPT_RC | 1 << ENG_QPT_UC },
		{ WR_WRITE_IMM, SIM_WRITE, 1 << ENG_QPT_RC | 1 << ENG_QPT_UC },
		{ WR_READ, SIM_READ, 1 << ENG_QPT_RC },
		{ WR_FAA, SIM_ATOMIC, 1 << ENG_QPT_RC },
		{ WR_CAS, SIM_ATOMIC, 1 << ENG_QPT_RC },
		{ WR_BIND, SIM_WINDOWS, 1 << ENG_QPT_RC },
		{ WR_REG, SIM_FASTREG, 1 << ENG_QPT_RC },
		{ WR_LOCAL_INV, SIM_INV, 1 << ENG_QPT_RC },
		{ WR_SEND_INV, SIM_INV, 1 << ENG_QPT_RC },
	};
	u32 i, n = 0;
	u8 fit[ARRAY(rows)];

	for (i = 0; i < ARRAY(rows); i++)
		if (sim_has(&e->w->cfg, rows[i].feature) && rows[i].types >> e->type & 1)
			fit[n++] = rows[i].opcode;
	return n ? fit[below(e->w, n)] : WR_SEND_IMM;
}

static u32 any_length(struct end *e)
{
	struct world *w = e->w;
	u32 mtu = e->type == ENG_QPT_UD ? 4096 : w->cfg.path_mtu;
	u32 max = e->type == ENG_QPT_UD && w->cfg.slice > mtu ? mtu : w->cfg.slice;
	u32 length;

	if (w->cfg.small && below(w, 8))
		return below(w, 65);
	switch (below(w, 4)) {
	case 0:
		return below(w, 65);
	case 1:		/* around the edges of packets */
		length = mtu * sim_rng_range(&w->rng, 0, max / mtu + 1) + below(w, 5) - 2;
		return length > max ? max : length;
	default:
		return below(w, max + 1);
	}
}

/* Cuts [addr, addr + length) into elements, empty ones among them. */
static u32 cut(struct end *e, u64 addr, u32 length, u32 key, struct shca_sge *sge)
{
	u32 n = 0, part;

	while (n + 1 < e->sges && below(e->w, 2)) {
		part = below(e->w, 4) ? below(e->w, length + 1) : 0;
		sge[n++] = (struct shca_sge){ addr, part, key };
		addr += part;
		length -= part;
	}
	sge[n++] = (struct shca_sge){ addr, length, key };
	return n;
}

static void flaw_remote(struct end *e, struct draft *d)
{
	struct end *peer = e->peer;

	d->r.expect = REM_ACCESS;
	if (below(e->w, 2) && sim_keys_misuse(e, d))
		return;
	switch (below(e->w, 4)) {
	case 0:
		d->wr.rkey ^= WRONG_TAG;
		break;
	case 1:		/* across the end of the region */
		d->wr.raddr = peer->remote->eng.iova + peer->remote->eng.length -
			      (d->r.length > 8 ? d->r.length / 2 & ~7u : 0);
		break;
	case 2:		/* before its beginning */
		d->wr.raddr = peer->remote->eng.iova - 8;
		break;
	default:	/* a region without this right */
		d->wr.rkey = d->r.opcode == WR_READ ? peer->local->eng.key :
						      peer->readonly->eng.key;
	}
}

static void flaw_operation(struct end *e, struct draft *d)
{
	bool atomic = sim_wr_is(d->r.opcode, SIM_WR_ATOMIC);

	if (e->xrc && below(e->w, 2)) {		/* no such queue */
		d->r.expect = REM_INV;
		d->wr.srqn = e->w->next_srqn;
	} else if (atomic && below(e->w, 2)) {
		d->r.expect = REM_INV;
		d->wr.raddr += 4;
	} else if (atomic) {
		d->r.expect = LOC_LEN;
		d->r.length = sim_rng_range(&e->w->rng, 0, 7);
	} else {
		d->r.expect = LOC_QP_OP;
		d->wr.opcode = 200;
	}
}

static bool unlucky(struct end *e, enum sim_feature kind)
{
	return sim_has(&e->w->cfg, kind) && !below(e->w, BAD_ODDS);
}

/* At most one thing is wrong with a request. */
static void flaw(struct end *e, struct draft *d)
{
	bool atomic = sim_wr_is(d->r.opcode, SIM_WR_ATOMIC);
	bool remote = atomic || sim_wr_is(d->r.opcode, SIM_WR_FETCHES | SIM_WR_WRITES);

	if (sim_wr_is(d->r.opcode, SIM_WR_LOCAL)) {
		if (unlucky(e, SIM_BAD_OP))
			sim_keys_flaw_change(e, d);
	} else if (e->type == ENG_QPT_RC && atomic &&
		   !(e->peer->access & ENG_ACCESS_REMOTE_ATOMIC)) {
		d->r.expect = REM_INV;
	} else if (e->type == ENG_QPT_RC && remote && d->r.length && unlucky(e, SIM_BAD_RKEY)) {
		flaw_remote(e, d);
	} else if (d->r.opcode == WR_SEND_INV && unlucky(e, SIM_BAD_RKEY)) {
		d->r.expect = REM_ACCESS;
		d->wr.imm ^= WRONG_TAG;
	} else if (d->r.length && unlucky(e, SIM_BAD_LKEY)) {
		d->r.expect = LOC_PROT;
		d->lkey = sim_wr_is(d->r.opcode, SIM_WR_FETCHES) && below(e->w, 2) ?
			  e->readonly->eng.key : d->lkey ^ WRONG_TAG;
	} else if (unlucky(e, SIM_BAD_OP)) {
		flaw_operation(e, d);
	}
}

static void make_atomic(struct end *e, struct draft *d)
{
	u64 other = sim_rng_next(&e->w->rng);

	d->r.before = e->word;
	d->wr.compare_add = d->r.opcode == WR_FAA || !below(e->w, 3) ? other : e->word;
	d->wr.swap = sim_rng_next(&e->w->rng);
	if (d->r.opcode == WR_FAA)
		d->r.after = e->word + other;
	else
		d->r.after = d->wr.compare_add == e->word ? d->wr.swap : e->word;
}

static void make_address(struct end *e, struct draft *d)
{
	struct end *peer = e->peer;
	u32 slot = e->sent;

	if (e->type == ENG_QPT_UD) {
		struct world *w = e->w;
		u32 first = 2 * w->cfg.pairs;

		d->r.to = sim_has(&w->cfg, SIM_MCAST) && !below(w, 3) ? NULL :
			  &w->end[first + below(w, w->cfg.datagrams)];
		d->wr.ahn = sim_world_ahn(e, d->r.to);
		d->wr.qpn = d->r.to ? d->r.to->qp->qpn : 0xffffff;
		d->wr.qkey = QKEY;
		return;
	}
	if (e->xrc) {
		d->r.queue = below(e->w, XRC_QUEUES);
		d->wr.srqn = peer->xsrq[d->r.queue].eng.srqn;
	}
	d->target = sim_wr_is(d->r.opcode, SIM_WR_ATOMIC) ?
		    sim_memory_at(&peer->mem, SIM_WORD, 0) :
		    sim_memory_at(&peer->mem, SIM_TARGET, slot);
	if (!sim_wr_is(d->r.opcode, SIM_WR_FETCHES | SIM_WR_WRITES) ||
	    (below(e->w, 2) && sim_keys_use(e, d)))
		return;
	d->wr.rkey = peer->remote->eng.key;
	d->wr.raddr = peer->mem.base + d->target;
}

static void make_flags(struct end *e, struct draft *d)
{
	const struct sim_config *cfg = &e->w->cfg;
	u32 waiting = e->sent - e->send_done;

	/* The last free entries are signalled, so that a full queue is never a silent one. */
	d->r.signaled = !sim_has(cfg, SIM_SILENT) || below(e->w, 2) || waiting + 2 >= cfg->depth;
	d->wr.flags |= d->r.signaled ? SHCA_SEND_SIGNALED : 0;
	if (sim_has(cfg, SIM_FENCE) && !below(e->w, 6))
		d->wr.flags |= SHCA_SEND_FENCE;
	if (!below(e->w, 3))
		d->wr.flags |= SHCA_SEND_SOLICITED;
	if (!sim_wr_is(d->r.opcode, SIM_WR_FETCHES | SIM_WR_LOCAL) &&
	    d->r.length <= e->max_inline && d->r.expect == OK && below(e->w, 2))
		d->wr.flags |= SHCA_SEND_INLINE;
}

static void post(struct end *e, struct draft *d)
{
	if (sim_wr_is(d->r.opcode, SIM_WR_ATOMIC) && d->r.expect == OK)
		e->word = d->r.after;
	sim_model_posted(e, &d->r);
	sim_keys_posted(e, d);
	if (sim_wr_is(d->r.opcode, SIM_WR_LOCAL)) {
		d->wr.num_sge = 0;
	} else if (d->wr.flags & SHCA_SEND_INLINE) {
		sim_memory_pattern(d->bytes, d->r.length, d->r.id);
		d->wr.inline_data = d->bytes;
		d->wr.inline_length = d->r.length;
	} else {
		d->wr.num_sge = cut(e, d->addr, d->r.length, d->lkey, d->sge);
		d->wr.sge = d->sge;
	}
	sim_qp_send(e->qp, &d->wr);
}

static bool room(const struct end *e)
{
	u32 unheard = e->type == ENG_QPT_RC ? e->told - e->peer->heard : 0;

	return e->sent - e->kept < e->w->cfg.depth && unheard < MESSAGES - MAX_DEPTH;
}

static u32 length_for(struct end *e, u8 opcode)
{
	if (sim_wr_is(opcode, SIM_WR_LOCAL))
		return 0;
	return sim_wr_is(opcode, SIM_WR_ATOMIC) ? 8 : any_length(e);
}

void sim_traffic_send(struct end *e)
{
	struct draft d = { .r.id = e->w->next_id++, .r.opcode = any_opcode(e) };

	if (!sim_traffic_sends(e) || !room(e))
		return;
	if ((sim_wr_is(d.r.opcode, SIM_WR_LOCAL) || d.r.opcode == WR_SEND_INV) &&
	    !sim_keys_draft(e, &d))
		return;
	d.r.length = length_for(e, d.r.opcode);
	d.addr = e->mem.base + sim_memory_at(&e->mem, SIM_OUT, e->sent);
	d.lkey = e->local->eng.key;
	d.wr.wr_id = d.r.id;
	d.wr.opcode = d.r.opcode;
	if (!d.r.key)
		d.wr.imm = (u32)d.r.id;
	make_address(e, &d);
	make_atomic(e, &d);
	sim_keys_use_own(e, &d);
	flaw(e, &d);
	if (e->failed)
		d.r.expect = FLUSH;
	make_flags(e, &d);
	post(e, &d);
}

void sim_traffic_mark(struct end *e)
{
	struct draft d = {
		.r = { .id = e->w->next_id++, .opcode = WR_WRITE, .signaled = true },
		.wr = { .flags = SHCA_SEND_SIGNALED, .opcode = WR_WRITE },
	};

	if (!room(e))
		return;
	if (e->type == ENG_QPT_UD)
		d.r.opcode = d.wr.opcode = WR_SEND_IMM;
	d.wr.wr_id = d.r.id;
	d.wr.imm = (u32)d.r.id;
	make_address(e, &d);
	if (e->failed)
		d.r.expect = FLUSH;
	post(e, &d);
}

static void flaw_receive(struct end *e, struct receive *r, u32 *key)
{
	if (below(e->w, 2)) {
		r->expect = LOC_PROT;
		*key += 1;
	} else {
		r->expect = LOC_LEN;
		r->length = below(e->w, 32);
	}
}

static void post_receive(struct end *e, u32 index, u64 id, const struct shca_sge *sge)
{
	if (e->xrc)
		sim_srq_recv(&e->xsrq[sim_traffic_queue(e, index)], id, sge, 1);
	else if (e->srq)
		sim_srq_recv(e->srq, id, sge, 1);
	else
		sim_qp_recv(e->qp, id, sge, 1);
}

void sim_traffic_receive(struct end *e, u32 count)
{
	struct world *w = e->w;
	struct inbox *in = e->in;
	struct shca_sge sge;

	if (e->xrc == ENG_XRC_INI)
		return;
	for (; count && in->posted - in->done < w->cfg.depth; count--) {
		u32 index = in->posted % w->cfg.depth, key = in->mr->eng.key;
		struct receive r = { .length = w->cfg.slice + GRH_BYTES };

		while (e->srq && in->r[index].posted)
			index = (index + 1) % w->cfg.depth;
		r.id = 1ull << 63 | w->next_receive++ << 8 | index;
		if (sim_has(&w->cfg, SIM_BAD_RECV) && !w->settling && !below(w, BAD_ODDS))
			flaw_receive(e, &r, &key);
		sim_model_received(e, index, &r);
		sge = (struct shca_sge){ in->mem->base + sim_memory_at(in->mem, SIM_IN, index),
					 r.length, key };
		post_receive(e, index, r.id, &sge);
	}
}

void sim_traffic_ring(struct end *e)
{
	struct world *w = e->w;

	if (e->qp->shared->running)
		return;		/* as the library: somebody will look */
	if (!sim_has(&w->cfg, SIM_BUDGET) || below(w, 4) || w->settling)
		sim_qp_ring(e->qp, ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
	else if (below(w, 2))
		sim_qp_ring(e->qp, 0, 0);
	else
		sim_qp_ring(e->qp, sim_rng_range(&w->rng, 1, 3000), sim_rng_range(&w->rng, 1, 4));
}
