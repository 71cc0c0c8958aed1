// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * model.c - what was promised, and whether each completion keeps it.
 *
 * Knows nothing of frames, slots or retries.  Each request has memory of its own on both sides,
 * filled with a pattern of its number before it is posted, so success can be judged by the bytes.
 */
#include "sim.h"

u64 sim_model_source(const struct end *e, u32 slot)
{
	return host_mr_addr(&e->mr, slot % DEPTH * SLICE);
}

u64 sim_model_sink(const struct end *e, u32 slot)
{
	return host_mr_addr(&e->mr, (DEPTH + slot % DEPTH) * SLICE);
}

u64 sim_model_target(const struct end *e, u32 slot)
{
	return host_mr_addr(&e->mr, (2 * DEPTH + slot % DEPTH) * SLICE);
}

u64 sim_model_word(const struct end *e)
{
	return (host_mr_addr(&e->mr, 3 * DEPTH * SLICE) + 7) & ~7ull;
}

static bool holds(struct end *e, u64 addr, u32 length, u64 id)
{
	return host_mr_check(&e->mr, (u32)(addr - e->mr.eng.iova), length, (u32)id);
}

static void fill(struct end *e, u64 addr, u32 length, u64 id)
{
	host_mr_fill(&e->mr, (u32)(addr - e->mr.eng.iova), length, (u32)id);
}

static bool takes_receive(u8 opcode)
{
	return opcode == WR_SEND || opcode == WR_SEND_IMM || opcode == WR_WRITE_IMM;
}

/* Called before the doorbell: memory gets its pattern, or something else where data will arrive. */
void sim_model_posted(struct end *e, const struct request *r)
{
	u32 slot = e->sent;

	e->sends[slot % DEPTH] = *r;
	e->sent++;
	if (r->opcode == WR_READ)
		fill(e->peer, sim_model_target(e->peer, slot), r->length, r->id);
	fill(e, sim_model_source(e, slot), r->length, r->opcode == WR_READ ? ~r->id : r->id);
	if (r->opcode == WR_WRITE || r->opcode == WR_WRITE_IMM)
		fill(e->peer, sim_model_target(e->peer, slot), r->length, ~r->id);
	if (takes_receive(r->opcode))
		e->messages[e->told++ % MESSAGES] = *r;
}

void sim_model_reset(struct end *e)
{
	struct shca_cqe wc;

	/* Entries of before stay pollable; they are not ours any more. */
	while (host_poll(&e->cq, &wc))
		;
	e->sent = e->send_done = e->received = e->recv_done = 0;
	e->told = e->heard = 0;
	e->counter = 0;
	e->failed = e->reported = false;
	e->excuses = 0;
}

static void judge_success(struct world *w, struct end *e, const struct request *r, u32 slot)
{
	u64 old;

	if (r->bad_key && e->type == ENG_QPT_RC)
		sim_fail(w, e, "a bad key was let through");
	switch (r->opcode) {
	case WR_WRITE:
	case WR_WRITE_IMM:
		/* UC drops silently what it cannot deliver. */
		if (e->type == ENG_QPT_RC &&
		    !holds(e->peer, sim_model_target(e->peer, slot), r->length, r->id))
			sim_fail(w, e, "WRITE succeeded without its bytes");
		break;
	case WR_READ:
		if (!holds(e, sim_model_source(e, slot), r->length, r->id))
			sim_fail(w, e, "READ succeeded without its bytes");
		break;
	case WR_FAA:
		memcpy(&old, host_mr_at(&e->mr, slot % DEPTH * SLICE), 4);
		memcpy((u8 *)&old + 4, host_mr_at(&e->mr, slot % DEPTH * SLICE + 4), 4);
		if (old != e->peer->counter)
			sim_fail(w, e, "an atomic returned another value");
		e->peer->counter += r->add;
		break;
	}
}

static void judge_error(struct world *w, struct end *e, const struct request *r, u32 status)
{
	w->errors++;
	if (e->reported) {
		printf("# status %u, opcode %u\n", status, r->opcode);
		sim_fail(w, e, "a second error, not flushed");
	}
	if (status == REM_ACCESS && r->bad_key)
		return;
	/* A peer in ERR answers nothing. */
	if (status == RETRY_EXC && e->peer->qp.shared->state == ENG_QPS_ERR)
		return;
	if (!(e->excuses >> status & 1)) {
		printf("# status %u, opcode %u, excuses %#x\n", status, r->opcode, e->excuses);
		sim_fail(w, e, "an error without a reason");
	}
}

static void judge_send(struct world *w, struct end *e, const struct shca_cqe *wc)
{
	const struct request *r;

	/* Unsignalled ones before it are done too: all that the library may conclude. */
	for (;; e->send_done++) {
		if (e->send_done == e->sent) {
			sim_fail(w, e, "a completion of nothing");
			return;
		}
		r = &e->sends[e->send_done % DEPTH];
		if (r->id == wc->wr_id)
			break;
		/* After an error every request completes, signalled or not. */
		if (r->signaled || e->reported) {
			sim_fail(w, e, "completions out of order");
			return;
		}
		judge_success(w, e, r, e->send_done);
	}
	if (wc->status == OK)
		judge_success(w, e, r, e->send_done);
	else if (wc->status == FLUSH)
		w->flushed++;
	else
		judge_error(w, e, r, wc->status);
	if (wc->status == OK && e->reported)
		sim_fail(w, e, "success after an error");
	if (wc->status != OK)
		e->failed = e->reported = true;
	e->send_done++;
}

/* The message that this receive must hold; unreliable services may have lost some before it. */
static const struct request *next_message(struct end *from, u32 tag)
{
	while (from->heard != from->told) {
		const struct request *r = &from->messages[from->heard++ % MESSAGES];

		if (from->type == ENG_QPT_RC || (u32)r->id == tag)
			return r;
	}
	return NULL;
}

static void judge_message(struct world *w, struct end *e, const struct shca_cqe *wc, u32 slot)
{
	u32 head = e->type == ENG_QPT_UD ? 40 : 0;
	struct end *from = e->peer;
	const struct request *r;
	u32 i;

	for (i = 0; i < DATAGRAM_ENDS && e->type == ENG_QPT_UD; i++)
		if (w->ud[i].qp.qpn == wc->src_qp && w->ud[i].peer == e)
			from = &w->ud[i];
	r = next_message(from, wc->ex);
	if (!r) {
		sim_fail(w, e, "a message that nobody sent");
		return;
	}
	if (wc->byte_len != r->length + head ||
	    (wc->opcode == 129) != (r->opcode == WR_WRITE_IMM) ||
	    (wc->wc_flags & 2 && wc->ex != (u32)r->id))
		sim_fail(w, e, "another message than the next one");
	else if (r->opcode != WR_WRITE_IMM &&
		 !holds(e, sim_model_sink(e, slot) + head, r->length, r->id))
		sim_fail(w, e, "a message without its bytes");
}

static void judge_recv(struct world *w, struct end *e, const struct shca_cqe *wc)
{
	u32 slot = e->recv_done;

	if (e->recv_done == e->received || e->recvs[slot % DEPTH] != wc->wr_id) {
		sim_fail(w, e, "receives out of order");
		return;
	}
	e->recv_done++;
	if (wc->status == OK)
		judge_message(w, e, wc, slot);
	else if (wc->status == FLUSH)
		w->flushed++;
	else
		sim_fail(w, e, "a receive failed");
}

void sim_model_poll(struct world *w, struct end *e)
{
	struct shca_cqe wc;

	while (!w->wrong && host_poll(&e->cq, &wc)) {
		w->completions++;
		if (wc.qpn != e->qp.qpn)
			sim_fail(w, e, "a completion of another QP");
		if (wc.wr_id >> 63)
			judge_recv(w, e, &wc);
		else
			judge_send(w, e, &wc);
	}
}

bool sim_model_idle(const struct end *e)
{
	return e->sent == e->send_done ||
	       (!e->failed && e->qp.shared->sq_cons == e->qp.sq_prod && !e->qp.shared->running);
}
