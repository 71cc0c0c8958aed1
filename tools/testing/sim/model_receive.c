// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * model_receive.c - the receiving side of the model: the next message, and nothing else, arrives.
 *
 * A reliable connection's receive k gets its message k.  Unreliable messages carry their number as
 * immediate; they may be missing, and come late or twice only where the network does such things.
 */
#include "model.h"

enum { WC_RECV_WRITE_IMM = 129, WC_WITH_IMM = 2, WC_GRH = 1, WC_WITH_INV = 8 };

/* Whoever takes from this queue may meet a receive that fails. */
void sim_model_flaw(struct end *e)
{
	struct world *w = e->w;
	u32 i;

	e->in->flawed = true;
	for (i = 0; i < w->ends; i++)
		if (w->end[i].in == e->in)
			sim_model_excuse(&w->end[i], FLUSH);
}

void sim_model_received(struct end *e, u32 index, const struct receive *r)
{
	struct inbox *in = e->in;

	in->r[index] = *r;
	in->r[index].posted = true;
	in->posted++;
	if (r->expect != OK)
		sim_model_flaw(e);
	sim_memory_promise(in->mem, SIM_IN, index,
			   (struct sim_slot){ SIM_ANY, r->length, 0 });
	sim_trace(e->w, "end %u receive %llu: %u bytes", e->index, r->id & ~(1ull << 63),
		  r->length);
}

static bool arrived(struct end *e, u32 index, u32 skip, u32 length, u64 id)
{
	struct sim_memory *m = e->in->mem;
	/* What was there before stays beyond the message, unless fragments of lost ones came. */
	bool kept = e->type == ENG_QPT_UC || sim_memory_rest_kept(m, SIM_IN, index, skip + length);

	return sim_memory_holds(m, SIM_IN, index, skip,
				(struct sim_slot){ SIM_REST, length, id }) && kept;
}

static void judge_reliable(struct end *e, const struct shca_cqe *wc, u32 index)
{
	struct end *from = e->peer;
	const struct request *r = &from->messages[e->heard % MESSAGES];
	bool with_imm = sim_wr_is(r->opcode, SIM_WR_IMM), with_inv = r->opcode == WR_SEND_INV;

	if (e->heard++ == from->told) {
		sim_fail(e->w, e, "a message that nobody sent");
		return;
	}
	if (with_inv != !!(wc->wc_flags & WC_WITH_INV) ||
	    (with_inv && (wc->ex != r->rkey || !sim_keys_invalidated(e, wc->ex))))
		sim_fail(e->w, e, "a key was invalidated that should not be, or the other way");
	if (e->xrc && sim_traffic_queue(e, index) != r->queue)
		sim_fail(e->w, e, "a receive of another queue than the message names");
	if (wc->byte_len != r->length ||
	    (wc->opcode == WC_RECV_WRITE_IMM) != (r->opcode == WR_WRITE_IMM) ||
	    !(wc->wc_flags & WC_WITH_IMM) != !with_imm || (with_imm && wc->ex != (u32)r->id)) {
		printf("# %llu expected: %u bytes, opcode %u; got %u bytes, %#x\n", r->id,
		       r->length, r->opcode, wc->byte_len, wc->ex);
		sim_fail(e->w, e, "another message than the next one");
	} else if (r->opcode == WR_WRITE_IMM) {
		if (!arrived(e, index, 0, 0, 0))
			sim_fail(e->w, e, "WRITE with immediate wrote to a receive");
	} else if (!arrived(e, index, 0, r->length, r->id)) {
		sim_fail(e->w, e, "a message without its bytes");
	}
}

/* The header that brought it, or that a wire would have brought; IPv4 in the last 20 bytes. */
static bool grh_holds(struct end *e, const struct tag *tag, u32 index)
{
	enum { TRANSPORT = 8 + 12 + 8 + 4 + 4, CHECKSUM = 10 };	/* UDP to immediate, ICRC */
	u32 bytes = TRANSPORT + ((tag->length + 3) & ~3u), at;
	u8 want[GRH_BYTES] = { 0 }, is[GRH_BYTES], ip[GRH_BYTES];

	bytes = sim_net_header(e->w, tag->from->host->index,
			       tag->to ? e->host->index : SIM_NET_GROUP, bytes, ip);
	at = GRH_BYTES - bytes;
	memcpy(want + at, ip, bytes);
	sim_memory_read(e->in->mem, sim_memory_at(e->in->mem, SIM_IN, index), is, GRH_BYTES);
	if (at)
		memset(is + at + CHECKSUM, 0, 2);
	return !memcmp(is, want, GRH_BYTES);
}

static struct tag *tag_of(struct world *w, u32 imm)
{
	struct tag *tag = &w->tags[imm % TAGS];

	return (u32)tag->id == imm && tag->from ? tag : NULL;
}

/* Twice, or after a later one: only where packets are. */
static bool repeats(const struct end *e, const struct tag *tag)
{
	bool doubled = tag->from->wire && e->w->features >> SIM_DUP & 1;

	return tag->seen >> e->index & 1 && !doubled;
}

static bool overtaken(struct end *e, const struct tag *tag)
{
	const u64 set = 1ull << SIM_REORDER | 1ull << SIM_DELAY | 1ull << SIM_DUP;
	bool late = tag->id < e->last_tag;

	if (!late)
		e->last_tag = tag->id;
	return late && e->type == ENG_QPT_UC && !(e->wire && e->w->features & set);
}

static void judge_unreliable(struct end *e, const struct shca_cqe *wc, u32 index)
{
	u32 head = e->type == ENG_QPT_UD ? GRH_BYTES : 0;
	struct tag *tag = tag_of(e->w, wc->ex);

	e->w->unreliable_heard++;
	if (!(wc->wc_flags & WC_WITH_IMM) || !tag || tag->from->type != e->type ||
	    (tag->to && tag->to != e)) {
		sim_fail(e->w, e, "a datagram that nobody sent us");
	} else if (wc->byte_len != tag->length + head ||
		   (wc->opcode == WC_RECV_WRITE_IMM) != (tag->opcode == WR_WRITE_IMM) ||
		   (head && (wc->src_qp != tag->qpn || !(wc->wc_flags & WC_GRH)))) {
		sim_fail(e->w, e, "another datagram than its number says");
	} else if (repeats(e, tag) || overtaken(e, tag)) {
		sim_fail(e->w, e, "a datagram came twice, or after a later one");
	} else if (tag->opcode != WR_WRITE_IMM &&
		   !arrived(e, index, head, tag->length, tag->id)) {
		sim_fail(e->w, e, "a datagram without its bytes");
	} else if (head && !grh_holds(e, tag, index)) {
		sim_fail(e->w, e, "a datagram with another GRH");
	}
	if (tag)
		tag->seen |= 1u << e->index;
}

/* Receives of one queue come back in order; those of a shared one go to whoever asks first. */
static bool find_receive(struct end *e, u64 id, u32 *index)
{
	struct inbox *in = e->in;

	*index = (u32)(id & 0xff);
	if (*index >= e->w->cfg.depth || !in->r[*index].posted || in->r[*index].id != id)
		return false;
	if (!e->srq && *index != in->done % e->w->cfg.depth)
		return false;
	in->r[*index].posted = false;
	in->done++;
	return true;
}

static bool may_fail(const struct end *e, u32 index, u8 status)
{
	return e->in->r[index].expect == status ||
	       (e->in->deregistered && status == LOC_PROT);
}

void sim_model_judge_receive(struct end *e, const struct shca_cqe *wc)
{
	u32 index;

	if (!find_receive(e, wc->wr_id, &index)) {
		sim_fail(e->w, e, "receives out of order, or twice");
		return;
	}
	if (wc->status == OK) {
		if (wc->opcode != WC_RECV_WRITE_IMM && wc->byte_len > e->in->r[index].length)
			sim_fail(e->w, e, "more bytes than the receive has");
		if (e->type == ENG_QPT_RC)
			judge_reliable(e, wc, index);
		else
			judge_unreliable(e, wc, index);
	} else if (wc->status == FLUSH) {
		e->w->flushed++;
		if (!e->may_err)
			sim_fail(e->w, e, "a receive was flushed without an error");
		e->failed = true;
	} else {
		e->w->errors++;
		if (!may_fail(e, index, wc->status))
			sim_fail(e->w, e, "a receive failed without a reason");
		e->failed = true;
	}
	sim_memory_adopt(e->in->mem, SIM_IN, index);
}
