// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * traffic.c - what applications do when all is well, and requests that must fail.
 *
 * Called by run.c, a step at a time.
 */
#include "sim.h"

enum { BAD_ODDS = 60 };		/* of requests, where a kind of flaw is on */

static u32 below(struct world *w, u32 n)
{
	return sim_rng_below(&w->rng, n);
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
	};
	u32 i, n = 0;
	u8 fit[7];

	for (i = 0; i < 7; i++)
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

struct draft {
	struct request r;
	struct sim_wr wr;
	struct shca_sge sge[8];
	u64 addr;
	u32 lkey;
	u8 bytes[256];
};

static void flaw_remote(struct end *e, struct draft *d)
{
	struct end *peer = e->peer;

	d->r.expect = REM_ACCESS;
	switch (below(e->w, 4)) {
	case 0:
		d->wr.rkey++;
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
	bool atomic = d->r.opcode >= WR_CAS;

	if (atomic && below(e->w, 2)) {
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

/* At most one thing is wrong with a request. */
static void flaw(struct end *e, struct draft *d)
{
	const struct sim_config *cfg = &e->w->cfg;
	bool one_sided = d->r.opcode != WR_SEND && d->r.opcode != WR_SEND_IMM;

	if (e->type == ENG_QPT_RC && d->r.opcode >= WR_CAS &&
	    !(e->peer->access & ENG_ACCESS_REMOTE_ATOMIC)) {
		d->r.expect = REM_INV;
	} else if (sim_has(cfg, SIM_BAD_RKEY) && !below(e->w, BAD_ODDS) && one_sided &&
		   d->r.length && e->type == ENG_QPT_RC) {
		flaw_remote(e, d);
	} else if (sim_has(cfg, SIM_BAD_LKEY) && !below(e->w, BAD_ODDS) && d->r.length) {
		d->r.expect = LOC_PROT;
		d->lkey = d->r.opcode >= WR_READ && below(e->w, 2) ? e->readonly->eng.key :
								      d->lkey + 1;
	} else if (sim_has(cfg, SIM_BAD_OP) && !below(e->w, BAD_ODDS)) {
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
	d->wr.rkey = peer->remote->eng.key;
	d->wr.raddr = peer->mem.base + (d->r.opcode >= WR_CAS ?
		sim_memory_at(&peer->mem, SIM_WORD, 0) :
		sim_memory_at(&peer->mem, SIM_TARGET, slot));
}

static void make_flags(struct end *e, struct draft *d)
{
	const struct sim_config *cfg = &e->w->cfg;
	u32 waiting = e->sent - e->send_done;

	/* The last free entries are signalled, so that a full queue is never a silent one. */
	d->r.signaled = !sim_has(cfg, SIM_SILENT) || below(e->w, 2) || waiting + 2 >= cfg->depth;
	d->wr.flags = d->r.signaled ? SHCA_SEND_SIGNALED : 0;
	if (sim_has(cfg, SIM_FENCE) && !below(e->w, 6))
		d->wr.flags |= SHCA_SEND_FENCE;
	if (!below(e->w, 3))
		d->wr.flags |= SHCA_SEND_SOLICITED;
	if (d->r.opcode < WR_READ && d->r.length <= e->max_inline && d->r.expect == OK &&
	    below(e->w, 2))
		d->wr.flags |= SHCA_SEND_INLINE;
}

static void post(struct end *e, struct draft *d)
{
	if (d->r.opcode >= WR_CAS && d->r.expect == OK)
		e->word = d->r.after;
	sim_model_posted(e, &d->r);
	if (d->wr.flags & SHCA_SEND_INLINE) {
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

void sim_traffic_send(struct end *e)
{
	struct draft d = { .r.id = e->w->next_id++, .r.opcode = any_opcode(e) };

	if (!room(e))
		return;
	d.r.length = d.r.opcode >= WR_CAS ? 8 : any_length(e);
	d.addr = e->mem.base + sim_memory_at(&e->mem, SIM_OUT, e->sent);
	d.lkey = e->local->eng.key;
	d.wr.wr_id = d.r.id;
	d.wr.opcode = d.r.opcode;
	d.wr.imm = (u32)d.r.id;
	make_address(e, &d);
	make_atomic(e, &d);
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

void sim_traffic_receive(struct end *e, u32 count)
{
	struct world *w = e->w;
	struct inbox *in = e->in;
	struct shca_sge sge;

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
		if (e->srq)
			sim_srq_recv(e->srq, r.id, &sge, 1);
		else
			sim_qp_recv(e->qp, r.id, &sge, 1);
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
