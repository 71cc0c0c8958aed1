// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * keys.c - windows and fast registrations of the applications, and the model of them.
 *
 * traffic.c has drafts completed here; the model tells what was posted and what became of it.  What
 * is known of a key is what its owner was told: it is offered to the peer when the completion of
 * the BIND or REG was polled, and it is not used any more when an invalidation was posted.  An
 * owner waits for the last user before it invalidates, but for runs in which keys vanish anyway.
 */
#include "keys.h"
#include "traffic.h"

enum {
	RIGHTS = ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ | ENG_ACCESS_REMOTE_ATOMIC,
	RUDE_ODDS = 4,
	PAGE = 4096,
};

static u32 below(const struct end *e, u32 n)
{
	return sim_rng_below(&e->w->rng, n);
}

static const struct {
	u8 kind;
	enum sim_feature feature;
} kinds[SIM_KEYS] = {
	[SIM_KEY_WINDOW1] = { ENG_KEY_WINDOW1, SIM_WINDOWS },
	[SIM_KEY_WINDOW2] = { ENG_KEY_WINDOW2, SIM_WINDOWS },
	[SIM_KEY_FAST] = { ENG_KEY_FAST, SIM_FASTREG },
};

void sim_keys_free(struct end *e)
{
	u32 i;

	for (i = 0; i < SIM_KEYS; i++)
		if (e->keys[i].mr)
			sim_mr_free(e->keys[i].mr);
	memset(e->keys, 0, sizeof(e->keys));
}

void sim_keys_renew(struct end *e)
{
	u32 i;

	sim_keys_free(e);
	if (e->type != ENG_QPT_RC || e->xrc)
		return;
	for (i = 0; i < SIM_KEYS; i++) {
		struct sim_key *key = &e->keys[i];

		if (!sim_has(&e->w->cfg, kinds[i].feature))
			continue;
		key->mr = sim_key_new(e->host, kinds[i].kind);
		key->number = key->mr->eng.key;
	}
}

void sim_keys_release_region(struct end *e)
{
	const struct sim_key *one = &e->keys[SIM_KEY_WINDOW1], *two = &e->keys[SIM_KEY_WINDOW2];
	bool bound = one->state == SIM_KEY_VALID || two->state == SIM_KEY_VALID;
	bool may_be = one->state != SIM_KEY_NONE || two->state != SIM_KEY_NONE;
	bool sealed = !eng_mr_seal(&e->remote->eng);

	if (sealed && bound)
		sim_fail(e->w, e, "a region with a window bound to it may be deregistered");
	if (!sealed && !may_be)
		sim_fail(e->w, e, "a region without windows cannot be deregistered");
	/* What is posted for them fails. */
	if (may_be)
		sim_model_excuse(e, BIND_ERR);
	if (sealed)
		return;
	sim_keys_renew(e);
	sim_host_relax(0);
	if (eng_mr_seal(&e->remote->eng))
		sim_fail(e->w, e, "windows that are gone hold their region");
}

/* May the owner, or a peer with READs on their way, do without waiting? */
static bool rude(struct end *user)
{
	if (!sim_has(&user->w->cfg, SIM_DEREG) || below(user, RUDE_ODDS))
		return false;
	sim_model_excuse_refusal(user);
	return true;
}

static u32 next_tag(u32 number)
{
	return (number & ~0xffu) | ((number + 1) & 0xff);
}

/* Whole slots of @area and behind it, up to some target or the word. */
static void draw_range(struct end *e, struct sim_key *key, enum sim_area area)
{
	u32 depth = e->mem.depth, first = below(e, depth);
	u32 last = first + below(e, depth - first + 1);
	u32 end = last < depth ? sim_memory_at(&e->mem, SIM_TARGET, last) + e->mem.slice :
				 sim_memory_at(&e->mem, SIM_WORD, 0) + 8;

	key->at = sim_memory_at(&e->mem, area, first);
	key->length = end - key->at;
	key->access = RIGHTS;
	if (!below(e, 4))
		key->access &= ~(1u << sim_rng_range(&e->w->rng, 1, 3));
}

static bool draft_bind(struct end *e, struct draft *d, struct sim_key *key)
{
	bool again = key == &e->keys[SIM_KEY_WINDOW1] && key->state == SIM_KEY_VALID;
	bool zero = key == &e->keys[SIM_KEY_WINDOW2] && !below(e, 3);

	if (key->state != SIM_KEY_NONE && !again)
		return false;
	if (again && key->users && !rude(e->peer))
		return false;
	draw_range(e, &d->next, SIM_TARGET);
	d->next.iova = zero ? 0 : e->mem.base + d->next.at;
	d->bind = (struct shca_bind_ops) {
		.addr = e->mem.base + d->next.at,
		.length = d->next.length,
		.lkey = e->remote->eng.key,
		.access = d->next.access | (zero ? ENG_ACCESS_ZERO_BASED : 0),
	};
	if (again && !below(e, 4)) {	/* unbinds */
		d->bind = (struct shca_bind_ops) { .length = 0 };
		d->next.length = 0;
	}
	return true;
}

static bool draft_register(struct end *e, struct draft *d, struct sim_key *key)
{
	if (key->state != SIM_KEY_NONE)
		return false;
	draw_range(e, &d->next, below(e, 2) ? SIM_OUT : SIM_TARGET);
	d->next.iova = sim_rng_next(&e->w->rng) & ~7ull;
	if (d->next.iova > 0ull - d->next.length)
		d->next.iova = 0;
	key->mr->eng.plan = (struct eng_mr_plan) {
		.blocks = e->mem.blocks + d->next.at / PAGE,
		.block_shift = 12,
		.first_offset = d->next.at % PAGE,
		.length = d->next.length,
	};
	d->bind = (struct shca_bind_ops) {
		.addr = d->next.iova,
		.access = d->next.access | ENG_ACCESS_LOCAL_WRITE,
	};
	return true;
}

static bool draft_change(struct end *e, struct draft *d)
{
	struct sim_key *key = d->r.opcode == WR_REG ? &e->keys[SIM_KEY_FAST] :
			      &e->keys[below(e, 2) ? SIM_KEY_WINDOW1 : SIM_KEY_WINDOW2];
	bool good;

	d->next = *key;
	good = key->mr && (d->r.opcode == WR_REG ? draft_register(e, d, key) :
						    draft_bind(e, d, key));
	if (!good)
		return false;
	d->next.number = next_tag(key->number);
	d->next.old = 0;
	d->next.users = d->next.readers = d->next.locals = 0;
	d->next.state = SIM_KEY_POSTED;
	d->wr.rkey = key->number;
	d->wr.imm = d->r.rkey = d->next.number;
	d->wr.bind = &d->bind;
	d->r.key = key;
	return true;
}

static bool draft_invalidate(struct end *e, struct draft *d)
{
	bool local = d->r.opcode == WR_LOCAL_INV;
	struct end *owner = local ? e : e->peer, *user = local ? e->peer : e;
	struct sim_key *key = &owner->keys[below(e, 2) ? SIM_KEY_WINDOW2 : SIM_KEY_FAST];
	u32 waits = local ? key->users : key->readers;

	if (!key->mr || key->state != SIM_KEY_VALID || (!local && key->locals))
		return false;
	/* Behind a fence no READ can come too late. */
	if (waits && !rude(user)) {
		if (local)
			return false;
		d->wr.flags |= SHCA_SEND_FENCE;
	}
	d->next = *key;
	d->next.state = SIM_KEY_ENDING;
	d->wr.imm = d->r.rkey = key->number;
	d->r.key = key;
	return true;
}

bool sim_keys_draft(struct end *e, struct draft *d)
{
	if (d->r.opcode == WR_BIND || d->r.opcode == WR_REG)
		return draft_change(e, d);
	return draft_invalidate(e, d);
}

bool sim_keys_flaw_change(struct end *e, struct draft *d)
{
	if (d->r.opcode == WR_LOCAL_INV) {
		d->wr.imm ^= WRONG_TAG;
	} else if (d->r.key->state != SIM_KEY_NONE) {
		return false;		/* its meaning would end all the same */
	} else if (d->r.opcode == WR_REG || !below(e, 3)) {
		d->wr.imm ^= 0x100;
	} else if (below(e, 2)) {
		d->bind.lkey++;
	} else {
		d->bind.length = e->remote->eng.length + 1;
	}
	d->r.expect = BIND_ERR;
	return true;
}

static u32 right_for(u8 opcode)
{
	return opcode == WR_READ ? ENG_ACCESS_REMOTE_READ :
	       sim_wr_is(opcode, SIM_WR_ATOMIC) ? ENG_ACCESS_REMOTE_ATOMIC :
						  ENG_ACCESS_REMOTE_WRITE;
}

static bool covers(const struct sim_key *key, const struct draft *d)
{
	return d->target >= key->at && d->target + d->r.length <= key->at + key->length;
}

static void name(struct draft *d, struct sim_key *key, u32 number)
{
	d->wr.rkey = number;
	d->wr.raddr = key->iova + (u64)(d->target - key->at);
}

bool sim_keys_use(struct end *e, struct draft *d)
{
	struct sim_key *key = &e->peer->keys[below(e, SIM_KEYS)];
	u32 right = right_for(d->r.opcode);

	if (!key->mr || key->state != SIM_KEY_VALID || !covers(key, d) || !(key->access & right) ||
	    !d->r.length)
		return false;
	name(d, key, key->number);
	d->next = *key;
	d->next.users++;
	d->next.readers += d->r.opcode == WR_READ;
	d->r.key = key;
	d->r.rkey = key->number;
	return true;
}

void sim_keys_use_own(struct end *e, struct draft *d)
{
	struct sim_key *key = &e->keys[SIM_KEY_FAST];
	u32 at = (u32)(d->addr - e->mem.base);

	if (!key->mr || key->state != SIM_KEY_VALID || at < key->at || !d->r.length ||
	    at + d->r.length > key->at + key->length || below(e, 2))
		return;
	d->addr = key->iova + (at - key->at);
	d->lkey = d->r.lkey = key->number;
	d->r.own = key;
}

/* Type 2 windows are for the QP that bound them. */
static bool misuse_stranger(struct end *e, struct draft *d)
{
	struct end *other = &e->w->end[below(e, e->w->ends)];
	struct sim_key *key = &other->keys[SIM_KEY_WINDOW2];

	if (other == e->peer || other->host != e->peer->host || key->state != SIM_KEY_VALID ||
	    d->r.length > key->length)
		return false;
	d->wr.rkey = key->number;
	d->wr.raddr = key->iova;
	return true;
}

bool sim_keys_misuse(struct end *e, struct draft *d)
{
	struct sim_key *key = &e->peer->keys[below(e, SIM_KEYS)];
	u64 end = key->iova + key->length;

	if (below(e, 3) == 0)
		return misuse_stranger(e, d);
	if (key->state == SIM_KEY_NONE && key->old) {
		name(d, key, key->old);
		return true;
	}
	if (!key->mr || key->state != SIM_KEY_VALID)
		return false;
	name(d, key, key->number);
	if (!(key->access & right_for(d->r.opcode)))
		return true;
	if (below(e, 2))
		d->wr.raddr = key->iova - 8;
	else if (sim_wr_is(d->r.opcode, SIM_WR_ATOMIC))
		d->wr.raddr = (end + 7) & ~7ull;
	else
		d->wr.raddr = end - d->r.length / 2;
	return true;
}

void sim_keys_posted(struct end *e, const struct draft *d)
{
	/* A request that the peer refuses has read its memory before. */
	if (d->r.own && d->r.expect != FLUSH)
		d->r.own->locals++;
	if (!d->r.key || d->r.expect != OK)
		return;
	*d->r.key = d->next;
	sim_trace(e->w, "end %u: %llu is about key %#x", e->index, d->r.id, d->r.rkey);
}

static void end_meaning(struct sim_key *key)
{
	key->state = SIM_KEY_NONE;
	key->old = key->number;
}

void sim_keys_finished(const struct request *r, u8 status)
{
	struct sim_key *key = r->key;

	if (r->own && r->own->number == r->lkey && r->expect != FLUSH)
		r->own->locals--;
	if (!key || r->expect != OK)
		return;
	if (!sim_wr_is(r->opcode, SIM_WR_LOCAL)) {
		if (key->number != r->rkey || r->opcode == WR_SEND_INV)
			return;		/* it has another meaning by now */
		key->users--;
		key->readers -= r->opcode == WR_READ;
	} else if (status != OK || key->number != r->rkey) {
		return;
	} else if (r->opcode == WR_LOCAL_INV || !key->length) {
		end_meaning(key);
	} else {
		key->state = SIM_KEY_VALID;
	}
}

bool sim_keys_invalidated(struct end *e, u32 number)
{
	u32 i;

	for (i = 0; i < SIM_KEYS; i++) {
		struct sim_key *key = &e->keys[i];

		if (!key->mr || (key->number ^ number) >> 8)
			continue;
		if (key->state != SIM_KEY_ENDING || key->number != number)
			return false;
		end_meaning(key);
		return true;
	}
	return true;		/* it was taken away altogether meanwhile */
}
