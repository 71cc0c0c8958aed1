// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * model.c - what was promised, and whether each completion keeps it: the sending side, events.
 *
 * Knows nothing of frames, packets or retries.  Each request has memory of its own on both sides,
 * so success is judged by the bytes, and failure by what may have led to it.
 */
#include "model.h"
#include <stdarg.h>

void sim_trace(struct world *w, const char *format, ...)
{
	va_list args;

	if (!w->trace)
		return;
	printf("# %12llu ", w->loop.now);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* What the engine counted, for whoever has to find the fault. */
static void print_counters(struct world *w)
{
	u32 i, k;

	for (i = 0; i < w->cfg.hosts; i++)
		for (k = 0; k < ENG_CNT_COUNT; k++)
			if (eng_dev_counter(&w->host[i].dev, (enum eng_counter)k))
				printf("# host %u: %s %llu\n", i, eng_counter_name(k),
				       eng_dev_counter(&w->host[i].dev, (enum eng_counter)k));
}

void sim_fail(struct world *w, const struct end *e, const char *why)
{
	static const char *const types[] = { [ENG_QPT_RC] = "RC", [ENG_QPT_UC] = "UC",
					     [ENG_QPT_UD] = "UD" };

	if (w->wrong)
		return;
	w->wrong = why;
	if (e)
		printf("# %s end %u (QP %#x, %s): %s\n", types[e->type], e->index,
		       e->qp ? e->qp->qpn : 0, e->wire ? "wire" : "direct", why);
	else
		printf("# %s\n", why);
	if (w->trace)
		print_counters(w);
}

void sim_model_excuse(struct end *e, u8 status)
{
	e->may_err = true;
	e->excuses |= 1u << status;
	if (e->type != ENG_QPT_RC)
		return;
	/* Whoever is in ERR does not answer. */
	e->peer->may_err = true;
	e->peer->excuses |= 1u << RETRY_EXC | 1u << FLUSH;
}

static bool answers_are_lost(const struct end *e)
{
	return sim_features_lose_answers(e->w->features);
}

void sim_model_excuse_refusal(struct end *e)
{
	sim_model_excuse(e, REM_ACCESS);
	/* 9.9.3: who refuses says so once, and is in ERR and silent from then on. */
	if (answers_are_lost(e))
		e->excuses |= 1u << RETRY_EXC;
}

/* The bytes that the network will move, before anything moves. */
static void promise(struct end *e, const struct request *r, u32 slot)
{
	struct sim_memory *far = &e->peer->mem;
	struct sim_slot bytes = { SIM_MAYBE, r->length, r->id };
	struct sim_slot any = { SIM_ANY, 8, 0 };

	/* What a READ that fails leaves in its own buffer is nobody's business: it may be asked for
	 * in parts, and the first ones may lie inside the region. */
	if (r->expect == REM_ACCESS && r->opcode == WR_READ)
		sim_memory_promise(&e->mem, SIM_OUT, slot,
				   (struct sim_slot){ SIM_ANY, r->length, 0 });
	if (r->expect != OK)
		return;
	if (r->opcode == WR_READ) {
		sim_memory_put(far, SIM_TARGET, slot, r->length, r->id);
		sim_memory_promise(&e->mem, SIM_OUT, slot, bytes);
	} else if (sim_wr_is(r->opcode, SIM_WR_ATOMIC)) {
		sim_memory_promise(&e->mem, SIM_OUT, slot, any);
		sim_memory_promise(far, SIM_WORD, 0, any);
	} else if (sim_wr_is(r->opcode, SIM_WR_WRITES)) {
		/* A lost message of an unreliable service may be half there, and come late. */
		if (e->type == ENG_QPT_UC)
			bytes = (struct sim_slot){ SIM_ANY, far->slice, 0 };
		sim_memory_promise(far, SIM_TARGET, slot, bytes);
	}
}

static void remember_message(struct end *e, struct request *r)
{
	struct world *w = e->w;

	r->message = e->told;
	e->messages[e->told++ % MESSAGES] = *r;
	if (e->type == ENG_QPT_RC)
		return;
	w->unreliable_sent++;
	w->tags[r->id % TAGS] = (struct tag){
		.id = r->id,
		.from = e,
		.to = e->type == ENG_QPT_UD ? r->to : e->peer,
		.length = r->length,
		.opcode = r->opcode,
		.qpn = e->qp->qpn,
	};
}

static bool refused_by_peer(u8 status)
{
	return status == REM_INV || status == REM_ACCESS || status == REM_OP;
}

void sim_model_posted(struct end *e, struct request *r)
{
	u32 slot = e->sent;

	if (!sim_wr_is(r->opcode, SIM_WR_FETCHES))
		sim_memory_put(&e->mem, SIM_OUT, slot, r->length, r->id);
	promise(e, r, slot);
	if (sim_wr_is(r->opcode, SIM_WR_RECEIVE) && r->expect == OK)
		remember_message(e, r);
	else
		r->message = ~0u;
	if (r->expect != OK && r->expect != FLUSH) {
		e->may_err = true;
		if (refused_by_peer(r->expect) && answers_are_lost(e))
			e->excuses |= 1u << RETRY_EXC;
		if (e->type == ENG_QPT_RC) {
			e->peer->excuses |= 1u << FLUSH | 1u << RETRY_EXC;
			e->peer->may_err = true;
		}
	}
	e->sends[slot % MAX_DEPTH] = *r;
	e->sent++;
	sim_trace(e->w, "end %u posts %llu: opcode %u, %u bytes, expect %u%s", e->index, r->id,
		  r->opcode, r->length, r->expect, r->signaled ? "" : ", silent");
}

void sim_model_event(struct end *e, enum eng_event event)
{
	struct world *w = e->w;

	sim_trace(w, "end %u: event %d", e->index, (int)event);
	switch (event) {
	case ENG_EVENT_QP_REQ_ERR:
	case ENG_EVENT_QP_ACCESS_ERR:
	case ENG_EVENT_QP_FATAL:
		if (!e->may_err && !w->hostile)
			sim_fail(w, e, "an error event without a reason");
		break;
	default:
		break;
	}
}

static void success(struct end *e, const struct request *r, u32 slot)
{
	u64 value;

	e->w->messages += !sim_wr_is(r->opcode, SIM_WR_LOCAL);
	if (r->expect != OK) {
		sim_fail(e->w, e, "success of what must fail");
	} else if (sim_wr_is(r->opcode, SIM_WR_WRITES) && e->type == ENG_QPT_RC) {
		if (sim_memory_seen(&e->peer->mem, SIM_TARGET, slot) > SIM_SEEN_EITHER ||
		    sim_memory_seen(&e->peer->mem, SIM_TARGET, slot) == SIM_SEEN_OLD)
			sim_fail(e->w, e, "WRITE succeeded without its bytes");
		sim_memory_adopt(&e->peer->mem, SIM_TARGET, slot);
	} else if (r->opcode == WR_READ) {
		if (!sim_memory_holds(&e->mem, SIM_OUT, slot, 0,
				      (struct sim_slot){ SIM_REST, r->length, r->id }))
			sim_fail(e->w, e, "READ succeeded without its bytes");
		sim_memory_adopt(&e->mem, SIM_OUT, slot);
	} else if (sim_wr_is(r->opcode, SIM_WR_ATOMIC)) {
		sim_memory_read(&e->mem, sim_memory_at(&e->mem, SIM_OUT, slot), &value, 8);
		if (value != r->before)
			sim_fail(e->w, e, "an atomic returned another value");
		sim_memory_adopt(&e->mem, SIM_OUT, slot);
	}
}

/* The peer has, or had, a receive that is made to fail when this message meets it. */
static bool meets_flaw(const struct end *e, u8 status)
{
	return e->peer->in->flawed && (status == REM_INV || status == REM_OP);
}

static void error(struct end *e, const struct request *r, u8 status)
{
	e->w->errors++;
	sim_trace(e->w, "end %u: %llu failed with %u", e->index, r->id, status);
	if (e->reported)
		sim_fail(e->w, e, "a second error, not flushed");
	else if (status != r->expect && !(e->excuses >> status & 1) && !meets_flaw(e, status)) {
		printf("# status %u, opcode %u, expected %u, excuses %#x\n", status, r->opcode,
		       r->expect, e->excuses);
		sim_fail(e->w, e, "an error without a reason");
	}
}

static void flushed(struct end *e, const struct request *r)
{
	e->w->flushed++;
	if (!e->reported && !(e->excuses >> FLUSH & 1) && r->expect != FLUSH)
		sim_fail(e->w, e, "flushed without an error");
}

static void finish(struct end *e, const struct request *r, u8 status)
{
	if (status == OK && e->reported)
		sim_fail(e->w, e, "success after an error");
	if (status == OK)
		success(e, r, e->send_done);
	else if (status == FLUSH)
		flushed(e, r);
	else
		error(e, r, status);
	sim_keys_finished(r, status);
	if (status != OK)
		e->failed = e->reported = true;
	else if (r->message != ~0u)
		e->acked = r->message + 1;
	e->send_done++;
	if (!e->failed)
		e->kept = e->send_done;
}

static void judge_send(struct end *e, const struct shca_cqe *wc)
{
	const struct request *r;

	/* Silent ones before it are done too: all that a library may conclude. */
	for (;;) {
		if (e->send_done == e->sent) {
			sim_fail(e->w, e, "a completion of nothing");
			return;
		}
		r = &e->sends[e->send_done % MAX_DEPTH];
		if (r->id == wc->wr_id)
			break;
		/* After an error every request completes, silent or not. */
		if (r->signaled || e->reported) {
			printf("# wr_id %llu instead of %llu\n", wc->wr_id, r->id);
			sim_fail(e->w, e, "completions out of order");
			return;
		}
		finish(e, r, OK);
	}
	finish(e, r, wc->status);
}

static void judge(struct end *e, const struct shca_cqe *wc)
{
	e->w->completions++;
	sim_trace(e->w, "end %u: completion of %llu, status %u, %u bytes", e->index, wc->wr_id,
		  wc->status, wc->byte_len);
	if (wc->wr_id >> 63)
		sim_model_judge_receive(e, wc);
	else
		judge_send(e, wc);
}

void sim_model_poll(struct end *e)
{
	struct shca_cqe wc;

	while (!e->w->wrong && sim_cq_poll(&e->cq, &wc)) {
		if (wc.qpn != e->qp->qpn)
			sim_fail(e->w, e, "a completion of another QP");
		else
			judge(e, &wc);
	}
}
