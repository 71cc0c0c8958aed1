// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * model_close.c - the end of a connection: what nobody reported must still make sense.
 *
 * Requests of a reliable connection take effect in order.  So of those that failed, or were never
 * reported, some first ones may have happened, one may have got half way, and the rest must not
 * have left a trace.
 */
#include "model.h"

enum happened { HAPPENED_NOT, HAPPENED_HALF, HAPPENED, UNKNOWN };

/* The word says how many atomics were done: where its value is in their sequence. */
static enum happened atomic_happened(const struct end *e, u32 index, u64 word)
{
	u32 first = ~0u, last = 0, i;

	for (i = e->kept; i != e->sent; i++) {
		const struct request *r = &e->sends[i % MAX_DEPTH];

		if (!sim_wr_is(r->opcode, SIM_WR_ATOMIC) || r->expect != OK || r->after != word)
			continue;
		if (first == ~0u)
			first = i - e->kept;
		last = i - e->kept;
	}
	index -= e->kept;
	if (first == ~0u)
		return HAPPENED_NOT;
	/* Of several that leave this value, one at least was done; up to the first all were. */
	return index <= first ? UNKNOWN : index > last ? HAPPENED_NOT : UNKNOWN;
}

static bool word_is_possible(const struct end *e, u64 word)
{
	const struct request *first = NULL;
	u32 i;

	for (i = e->kept; i != e->sent; i++) {
		const struct request *r = &e->sends[i % MAX_DEPTH];

		if (!sim_wr_is(r->opcode, SIM_WR_ATOMIC) || r->expect != OK)
			continue;
		if (!first)
			first = r;
		if (r->after == word)
			return true;
	}
	return word == (first ? first->before : e->word);
}

static enum happened request_happened(struct end *e, u32 index, u64 word)
{
	const struct request *r = &e->sends[index % MAX_DEPTH];
	bool heard = r->message != ~0u && r->message < e->peer->heard;
	enum sim_seen seen;

	if (r->expect != OK)
		return UNKNOWN;
	if (sim_wr_is(r->opcode, SIM_WR_ATOMIC))
		return atomic_happened(e, index, word);
	if (sim_wr_is(r->opcode, SIM_WR_FETCHES | SIM_WR_LOCAL))
		return UNKNOWN;
	if (!sim_wr_is(r->opcode, SIM_WR_WRITES))
		return heard ? HAPPENED : HAPPENED_NOT;
	seen = sim_memory_seen(&e->peer->mem, SIM_TARGET, index);
	if (seen == SIM_SEEN_ALIEN)
		sim_fail(e->w, e, "WRITE left other bytes than its own");
	if (seen == SIM_SEEN_EITHER)
		return UNKNOWN;
	if (r->opcode == WR_WRITE_IMM && !heard)
		return seen == SIM_SEEN_OLD ? HAPPENED_NOT : HAPPENED_HALF;
	return seen == SIM_SEEN_NEW ? HAPPENED : seen == SIM_SEEN_OLD ? HAPPENED_NOT :
									 HAPPENED_HALF;
}

static u64 word_of(struct end *e)
{
	u64 word;

	sim_memory_read(&e->peer->mem, sim_memory_at(&e->peer->mem, SIM_WORD, 0), &word, 8);
	return word;
}

static void close_reliable(struct end *e)
{
	u64 word = word_of(e);
	bool over = false;
	u32 i;

	if (e->acked > e->peer->heard)
		sim_fail(e->w, e, "a message was acknowledged, and did not arrive");
	if (!word_is_possible(e, word))
		sim_fail(e->w, e, "atomics were done twice, or not in order");
	for (i = e->kept; i != e->sent; i++) {
		enum happened h = request_happened(e, i, word);

		if (over && (h == HAPPENED || h == HAPPENED_HALF)) {
			printf("# request %llu\n", e->sends[i % MAX_DEPTH].id);
			sim_fail(e->w, e, "a later request took effect, an earlier one did not");
		}
		over |= h == HAPPENED_NOT || h == HAPPENED_HALF;
	}
}

static void adopt_slots(struct end *e)
{
	u32 i;

	for (i = 0; i < e->mem.depth; i++) {
		sim_memory_adopt(&e->mem, SIM_OUT, i);
		sim_memory_adopt(&e->mem, SIM_TARGET, i);
	}
	sim_memory_adopt(&e->mem, SIM_WORD, 0);
	if (e->in != &e->own)
		return;
	for (i = 0; i < e->mem.depth; i++)
		sim_memory_adopt(&e->mem, SIM_IN, i);
}

void sim_model_close(struct end *e)
{
	u32 i;

	if (e->type == ENG_QPT_RC) {
		close_reliable(e);
		close_reliable(e->peer);
	}
	adopt_slots(e);
	if (e->type != ENG_QPT_UD)
		adopt_slots(e->peer);
	for (i = 0; i < 1u + (e->type != ENG_QPT_UD); i++, e = e->peer)
		sim_model_forget(e);
}

void sim_model_forget(struct end *e)
{
	e->sent = e->send_done = e->kept = 0;
	e->told = e->heard = e->acked = 0;
	e->last_tag = 0;
	e->failed = e->reported = e->may_err = false;
	e->excuses = 0;
	if (e->in == &e->own) {
		memset(e->own.r, 0, sizeof(e->own.r));
		e->own.posted = e->own.done = 0;
		e->own.flawed = e->own.deregistered = false;
	}
}

void sim_model_check_memory(struct world *w)
{
	u32 i, at;

	for (i = 0; i < w->ends && !w->wrong; i++)
		if (!sim_memory_check(&w->end[i].mem, &at)) {
			printf("# at offset %u\n", at);
			sim_fail(w, &w->end[i], "memory was written that nobody allowed");
		}
	for (i = 0; i < w->cfg.hosts && sim_has(&w->cfg, SIM_SRQ) && !w->wrong; i++)
		if (!sim_memory_check(&w->srq_mem[i], &at))
			sim_fail(w, NULL, "memory of an SRQ was written that nobody allowed");
}
