// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * run.c - who runs a QP, and what one step of it does.
 *
 * Called by doorbells, workers, timers (kick) and control operations (own).  The run word:
 *
 *	IDLE		nobody's
 *	QUEUED		on the run queue of one thread, which may do anything with it
 *	RUNNING		in a step, or owned by a control operation
 *	AGAIN		as RUNNING, and somebody kicked: step once more
 *	DEFERRED	waits for a worker; a doorbell or a control operation may take it from there
 *	DEAD		destroyed
 *	+ LISTED	a worker's list has an entry for it, perhaps a stale one
 *
 * Barrier pairs.  A kicker publishes its work (a frame, a producer index), full barrier, looks at
 * the word.  A runner makes it RUNNING by compare-and-swap (full barrier), then looks for work.  So
 * either the kicker sees RUNNING and sets AGAIN, or the runner sees the work.
 *
 * No thread waits for a QP while it is in a step; control operations wait before they own one.
 */
#include "run.h"
#include "arrival.h"
#include "completer.h"
#include "flush.h"
#include "inbox.h"
#include "link.h"
#include "reply.h"
#include "requester.h"
#include "responder.h"
#include "retry.h"
#include "state.h"
#include "timer.h"

enum run_word { IDLE, QUEUED, RUNNING, AGAIN, DEFERRED, DEAD, STATES = 7, LISTED = 8 };

/* From @from to @to if that is the state; the old word comes back. */
static u32 change(struct eng_qp *qp, u32 from, u32 to)
{
	u32 old = env_read(qp->run);

	while ((old & STATES) == from) {
		u32 seen = env_cmpxchg(&qp->run, old, to | (old & LISTED));

		if (seen == old)
			break;
		old = seen;
	}
	return old;
}

/* An owned QP, kicked meanwhile or not, goes on a run queue. */
static void own_to_queued(struct eng_qp *qp)
{
	if ((change(qp, RUNNING, QUEUED) & STATES) != RUNNING)
		change(qp, AGAIN, QUEUED);
}

static void put_last(struct eng_runq *rq, struct eng_qp *qp)
{
	qp->run_next = NULL;
	if (rq->head)
		rq->tail->run_next = qp;
	else
		rq->head = qp;
	rq->tail = qp;
}

void eng_runq_init(struct eng_runq *rq)
{
	rq->head = NULL;
	rq->tail = NULL;
	rq->bytes_left = ENG_BUDGET_BYTES;
	rq->wqes_left = ENG_BUDGET_WQES;
}

/* The new word of a kick, or @old when there is nothing to change. */
static u32 kicked(u32 old, bool queue)
{
	switch (old & STATES) {
	case IDLE:
		return queue ? QUEUED | (old & LISTED) : DEFERRED | LISTED;
	case DEFERRED:
		return queue ? QUEUED | (old & LISTED) : old;
	case RUNNING:
		return AGAIN | (old & LISTED);
	default:
		return old;
	}
}

void eng_run_kick(struct eng_runq *rq, struct eng_qp *qp)
{
	u32 old = env_read(qp->run);
	u32 new, seen;

	if (env_likely(rq && old == IDLE && env_cmpxchg(&qp->run, IDLE, QUEUED) == IDLE)) {
		put_last(rq, qp);
		return;
	}
	for (;;) {
		new = kicked(old, rq != NULL);
		if (new == old)
			return;
		seen = env_cmpxchg(&qp->run, old, new);
		if (seen == old)
			break;
		old = seen;
	}
	if ((new & STATES) == QUEUED)
		put_last(rq, qp);
	else if ((new & STATES) == DEFERRED && !(old & LISTED))
		qp->dev->ops->defer(qp);
}

void eng_kick(struct eng_runq *rq, struct eng_qp *qp)
{
	env_write(qp->rung, 1);
	env_mb();
	eng_run_kick(rq, qp);
}

void eng_run_overtake(struct eng_runq *rq, struct eng_qp *qp)
{
	if ((change(qp, DEFERRED, QUEUED) & STATES) == DEFERRED)
		put_last(rq, qp);
}

void eng_runq_adopt(struct eng_runq *rq, struct eng_qp *qp)
{
	u32 old = env_read(qp->run), new, seen;

	for (;;) {
		new = old & STATES;
		if (new == DEFERRED)
			new = QUEUED;
		seen = env_cmpxchg(&qp->run, old, new);
		if (seen == old)
			break;
		old = seen;
	}
	/* Without LISTED a QP that is not ours may be gone by now. */
	if ((old & STATES) == DEFERRED)
		put_last(rq, qp);
}

static bool exhausted(const struct eng_runq *rq)
{
	return !rq->bytes_left || !rq->wqes_left;
}

/* A poster whose message waits for a worker may ring the doorbell and do the work itself. */
static void invite_doorbell(const struct eng_qp *qp)
{
	struct shca_qp_shared *shared = qp ? env_read(qp->shared) : NULL;

	if (shared)
		env_write(shared->running, 0);
}

/* The QP is on no run queue, and ours. */
static void defer(struct eng_qp *qp)
{
	u32 old = env_read(qp->run), seen;

	qp->counters[ENG_CNT_DEFERRALS]++;
	invite_doorbell(qp);
	/* Sources of frames in our hands cannot go away, nor can their rings. */
	if (qp->resp.cur)
		invite_doorbell(qp->resp.cur->src);
	else if (qp->in.first)
		invite_doorbell(eng_item_frame(qp->in.first)->src);
	for (;;) {
		seen = env_cmpxchg(&qp->run, old, DEFERRED | LISTED);
		if (seen == old)
			break;
		old = seen;
	}
	if (!(old & LISTED))
		qp->dev->ops->defer(qp);
}

/* Works on what arrived.  True: something is left. */
static bool work_inbox(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_frame *frame;
	u32 n;

	if (qp->resp.cur) {
		if (!eng_state_receives(qp))
			eng_responder_abort(qp, rq);
		else if (!rq->bytes_left || (eng_responder_resume(qp, rq) && !qp->wire.blocked))
			return true;
	}
	for (n = 0; qp->in.first && n < ENG_STEP_FRAMES; n++) {
		frame = eng_item_frame(qp->in.first);
		if (frame->flags & ENG_FRAME_REPLY) {
			qp->in.first = frame->item.next;
			eng_completer_reply(qp, frame);
			continue;
		}
		if (env_unlikely(exhausted(rq)))
			return true;
		qp->in.first = frame->item.next;
		rq->wqes_left--;
		eng_responder_request(qp, rq, frame);
		if (qp->resp.cur && !qp->wire.blocked)
			return true;
	}
	return qp->in.first != NULL;
}

/* The sending half of a step.  True: there is more to do. */
static bool work_sends(struct eng_qp *qp, struct eng_runq *rq)
{
	enum eng_qp_state state;
	bool more = false;

	eng_requester_run(qp, rq);
	state = eng_state(qp);
	if (env_unlikely(state == ENG_QPS_ERR || state == ENG_QPS_SQE))
		more = eng_flush_run(qp, rq);
	eng_link_flush_requests(qp, rq);
	/* Frames that came back at once, and errors met after the flush, want another step. */
	if (more || qp->in.first || eng_state(qp) != state)
		return true;
	more = eng_requester_rest(qp, rq);
	return more || eng_state(qp) != state;
}

/* What arrived in packets, and what their absence means.  True: something is left. */
static ENG_APART bool work_packets(struct eng_qp *qp, struct eng_runq *rq)
{
	bool more;

	eng_arrival_take(qp);
	more = eng_arrival_work(qp, rq);
	if (env_unlikely(qp->wire.early.first))
		eng_reply_gap(qp);
	if (qp->alarm.at != ENG_NO_DEADLINE && !qp->retry.wait)
		eng_timer_tick(qp);
	return more;
}

static void begin_packets(struct eng_qp *qp)
{
	qp->wire.now = 0;
	qp->wire.blocked = false;
	qp->wire.starved = false;
}

/* The host may hold packets back until it has heard that no more follow. */
static ENG_APART void end_packets(struct eng_qp *qp, struct eng_runq *rq)
{
	eng_timer_rest(qp);
	if (!qp->wire.sent)
		return;
	qp->wire.sent = false;
	qp->dev->ops->transmit_end(qp, rq);
}

/*
 * Whoever posts to a queue that rests rings the doorbell.  So a step that a packet brought about
 * leaves the ring alone: the taker of a message sends its answer in its own thread, while this
 * one acknowledges.
 */
static bool was_rung(struct eng_qp *qp)
{
	return env_read(qp->rung) && env_xchg(&qp->rung, 0);
}

static ENG_INLINE bool has_sends(const struct eng_qp *qp, bool rung)
{
	if (eng_state(qp) != ENG_QPS_RTS)
		return true;
	return rung ? !eng_requester_idle(qp) : !eng_requester_rests(qp);
}

/* One step of an owned QP.  True: there is more to do. */
static bool step(struct eng_qp *qp, struct eng_runq *rq)
{
	bool wired = qp->wired || env_read(qp->packet_inbox);
	bool more, rung = true;

	if (env_unlikely(wired)) {
		begin_packets(qp);
		rung = was_rung(qp);
	}
	qp->sq.emitted = false;
	eng_inbox_take(&qp->inbox, &qp->in);
	if (env_unlikely(qp->alarm.at != ENG_NO_DEADLINE))
		eng_retry_tick(qp);
	more = work_inbox(qp, rq);
	eng_link_flush_replies(qp, rq);
	if (env_unlikely(wired) && work_packets(qp, rq))
		more = true;
	if (has_sends(qp, rung) && work_sends(qp, rq))
		more = true;
	/* Looked at again: a datagram may have been the first to go out as a packet. */
	if (env_unlikely(qp->wired))
		end_packets(qp, rq);
	return more;
}

/* Gives up an owned QP; false: somebody kicked it meanwhile. */
static ENG_INLINE bool release(struct eng_qp *qp)
{
	return env_cmpxchg(&qp->run, RUNNING, IDLE) == RUNNING ||
	       (change(qp, RUNNING, IDLE) & STATES) == RUNNING;
}

/* Gives up a QP after a step: to nobody, to a worker, or to the end of the queue. */
static ENG_INLINE void pass_on(struct eng_qp *qp, struct eng_runq *rq, bool more)
{
	if (more && exhausted(rq)) {
		defer(qp);
	} else if (more || !release(qp)) {
		own_to_queued(qp);
		put_last(rq, qp);
	}
}

/* As pass_on(), and pays what is owed afterwards. */
static ENG_APART void pass_on_wired(struct eng_qp *qp, struct eng_runq *rq, bool more)
{
	struct eng_tx ack;
	bool owed = eng_reply_settle(qp, &ack);

	pass_on(qp, rq, more);
	if (owed)
		eng_reply_pay(&ack, rq);
}

void eng_run(struct eng_runq *rq)
{
	struct eng_qp *qp;
	bool more;

	while ((qp = rq->head)) {
		rq->head = qp->run_next;
		if (env_cmpxchg(&qp->run, QUEUED, RUNNING) != QUEUED)
			change(qp, QUEUED, RUNNING);
		more = step(qp, rq);
		if (env_unlikely(qp->wired))
			pass_on_wired(qp, rq, more);
		else
			pass_on(qp, rq, more);
	}
}

void eng_run_own(struct eng_qp *qp)
{
	u32 round = 0;

	while ((change(qp, IDLE, RUNNING) & STATES) != IDLE &&
	       (change(qp, DEFERRED, RUNNING) & STATES) != DEFERRED)
		env_relax(round++);
}

void eng_run_disown(struct eng_qp *qp)
{
	struct eng_runq rq;

	eng_runq_init(&rq);
	env_write(qp->rung, 1);
	own_to_queued(qp);
	put_last(&rq, qp);
	eng_run(&rq);
}

void eng_run_kill(struct eng_qp *qp)
{
	u32 round = 0;

	for (;;) {
		u32 old = env_read(qp->run);

		if (old & LISTED)
			env_relax(round++);
		else if (env_cmpxchg(&qp->run, old, DEAD) == old)
			return;
	}
}
