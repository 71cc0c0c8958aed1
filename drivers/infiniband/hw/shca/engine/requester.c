// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * requester.c - from the send ring to frames on the link.
 *
 * Called by the step of an owned QP.  Slots between una and nxt were emitted, those between nxt and
 * tail are decoded and wait: for a frame to come home from an earlier emission, for the fence, for
 * max_rd_atomic, or for a timer (retry.c).  Keys are resolved at each emission, so that a waiting
 * message holds no region.
 */
#include "requester.h"
#include "ah.h"
#include "cq.h"
#include "key.h"
#include "link.h"
#include "pace.h"
#include "repair.h"
#include "ring.h"
#include "sender.h"
#include "sge.h"
#include "state.h"
#include "wqe.h"

u32 eng_requester_ready(struct eng_qp *qp)
{
	struct eng_ring *ring = &qp->sq.ring;
	u32 ready;

	if (!qp->shared || qp->sq.broken || !ring->count)
		return 0;
	ready = eng_ring_ready(env_load_acquire(&qp->shared->sq_prod), ring->cons);
	if (env_likely(ready <= ring->count))
		return ready;
	qp->sq.broken = true;
	eng_state_error_event(qp, ENG_EVENT_QP_FATAL);
	return 0;
}

static u32 window_room(const struct eng_qp *qp)
{
	return qp->window - (qp->sq.tail - qp->sq.una);
}

/*
 * The doorbell word, shca-abi.h: 1 promises that this engine looks at the ring again by itself,
 * which the return of frames makes it do.  It becomes 0 before the look that may be the last one.
 */
static ENG_INLINE void set_running(struct eng_qp *qp, bool running)
{
	qp->sq.running = running;
	env_write(qp->shared->running, (u32)running);
	if (!running)
		env_mb();
}

void eng_requester_stop_running(struct eng_qp *qp)
{
	if (qp->sq.running && qp->shared)
		set_running(qp, false);
}

static void fill(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_ring *ring = &qp->sq.ring;
	u32 n = window_room(qp);
	u32 ready;

	if (!n)
		return;
	if (n == qp->window)
		eng_requester_stop_running(qp);
	ready = eng_requester_ready(qp);
	if (!ready)
		return;
	if (n > ready)
		n = ready;
	if (n > rq->wqes_left)
		n = rq->wqes_left;
	if (!n)
		return;
	rq->wqes_left -= n;
	if (!qp->sq.running)
		set_running(qp, true);
	do {
		struct eng_slot *slot = eng_qp_slot(qp, qp->sq.tail);

		eng_wqe_decode(qp, slot, eng_ring_entry(ring->entries, ring->count, ring->stride,
							ring->cons));
		slot->wqe_count = ++ring->cons;
		qp->sq.tail++;
	} while (--n);
	env_store_release(&qp->shared->sq_cons, ring->cons);
}

static void complete_slot(struct eng_qp *qp, const struct eng_slot *slot, u8 status)
{
	struct eng_completion c = {
		.wr_id = slot->wr_id,
		.byte_len = slot->frame.length,
		.wqe_count = slot->wqe_count,
		.status = status,
		.opcode = slot->wc_opcode,
	};

	eng_cq_complete(qp, qp->send_cq, &c);
}

void eng_requester_finish(struct eng_qp *qp, u8 status)
{
	const struct eng_slot *slot = eng_qp_slot(qp, qp->sq.una);

	if (qp->sq.begun == qp->sq.una)
		qp->sq.begun++;
	if (qp->sq.nxt == qp->sq.una) {
		qp->sq.nxt++;
		qp->sq.nxt_done = 0;
	} else if (slot->flags & ENG_SLOT_FETCH && !eng_qp_on_wire(qp)) {
		qp->sq.fetching--;
	}
	qp->sq.una++;
	qp->sq.una_done = 0;
	/* G120: failed requests always complete. */
	if (slot->flags & ENG_SLOT_SIGNALED || status != ENG_WC_SUCCESS)
		complete_slot(qp, slot, status);
}

/* IBTA vol. 1, 9.9.2: what a requester's error does to its QP. */
void eng_requester_fail(struct eng_qp *qp, u8 status)
{
	qp->sq.failed = true;
	eng_requester_finish(qp, status);
	eng_state_send_error(qp);
}

static ENG_INLINE u8 resolve(struct eng_qp *qp, struct eng_slot *slot)
{
	u32 access = slot->flags & ENG_SLOT_FETCH ? ENG_ACCESS_LOCAL_WRITE : 0;
	struct eng_frame *frame = &slot->frame;

	if (qp->type == ENG_QPT_UD) {
		frame->ah = eng_ah_get(qp->dev, qp->pd, frame->rkey);
		if (!frame->ah)
			return ENG_WC_LOC_QP_OP_ERR;
	}
	if (slot->flags & ENG_SLOT_INLINE ||
	    eng_sge_resolve(qp, qp->pd, frame->payload, frame->length, access))
		return ENG_WC_SUCCESS;
	if (frame->ah) {
		eng_ah_put(frame->ah);
		frame->ah = NULL;
	}
	return ENG_WC_LOC_PROT_ERR;
}

u8 eng_requester_resolve(struct eng_qp *qp, struct eng_slot *slot)
{
	return resolve(qp, slot);
}

/* May this slot go out now?  IBTA vol. 1, 10.8.3.3 (fence) and 9.4.4 (outstanding READs). */
static bool may_emit(const struct eng_qp *qp, const struct eng_slot *slot)
{
	if (slot->flags & ENG_SLOT_AWAY)
		return false;
	if (slot->flags & ENG_SLOT_FENCE && qp->sq.fetching && !qp->sq.nxt_done)
		return false;
	/* What went before may have to be sent again, and then needs its keys. */
	if (slot->frame.op == ENG_OP_LOCAL_INV && qp->sq.una != qp->sq.nxt)
		return false;
	return !(slot->flags & ENG_SLOT_FETCH) || qp->sq.fetching < qp->attr.max_rd_atomic;
}

static void send_off(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot)
{
	struct eng_frame *frame = &slot->frame;

	slot->flags |= ENG_SLOT_AWAY;
	qp->sq.away++;
	qp->counters[ENG_CNT_FRAMES]++;
	frame->flags &= ~(ENG_FRAME_REPLY | ENG_FRAME_PROBE);
	env_trace_frame(qp->qpn, frame->dest_qpn, frame->op, frame->psn, frame->length);
	if (qp->type == ENG_QPT_UD)
		eng_link_datagram(qp, rq, frame);
	else
		eng_link_emit(qp, frame);
}

static void next_slot(struct eng_qp *qp)
{
	if (++qp->sq.nxt - qp->sq.begun - 1 < qp->window)
		qp->sq.begun = qp->sq.nxt;
	qp->sq.nxt_done = 0;
}

/* A request that stays here, at its turn.  False: it must wait, or has failed. */
static ENG_COLD bool execute_local(struct eng_qp *qp, struct eng_slot *slot)
{
	u32 result = 0;

	if (!(slot->flags & ENG_SLOT_DONE))
		result = eng_key_execute(qp, slot);
	if (result == ENG_KEY_WAIT)
		return false;
	slot->status = (u8)result;
	if (result)
		return false;
	slot->flags |= ENG_SLOT_DONE;
	slot->frame.reply = ENG_REPLY_ACK;
	next_slot(qp);
	/* Behind others it completes with them. */
	if (qp->sq.una + 1 == qp->sq.nxt)
		eng_requester_finish(qp, ENG_WC_SUCCESS);
	return true;
}

/* A datagram whose handle is resolved; to groups the direct link sends for both. */
static bool goes_in_packet(const struct eng_frame *frame)
{
	return frame->ah && frame->ah->wire && !frame->ah->multicast;
}

/* False: not all of it for now. */
static ENG_APART bool send_packets(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot)
{
	struct eng_frame *frame = &slot->frame;
	bool all;

	all = frame->ah ? eng_sender_datagram(qp, rq, slot) : eng_sender_emit(qp, rq, slot);
	if (!(slot->flags & ENG_SLOT_INLINE))
		eng_sge_release(frame->payload, frame->segs);
	if (frame->ah) {
		eng_ah_put(frame->ah);
		frame->ah = NULL;
	}
	if (!all)
		return false;
	next_slot(qp);
	if (qp->type == ENG_QPT_RC)
		return true;
	/* What nobody acknowledges is done when it is sent. */
	frame->reply = ENG_REPLY_ACK;
	if (qp->sq.una + 1 == qp->sq.nxt)
		eng_requester_finish(qp, ENG_WC_SUCCESS);
	return true;
}

/* A message is charged once, when it begins. */
static ENG_COLD bool paced(struct eng_qp *qp, const struct eng_slot *slot)
{
	if (qp->sq.nxt_done || slot->flags & ENG_SLOT_LOCAL)
		return true;
	return eng_pace_begin(qp, slot->frame.length);
}

/* In SQD only what was begun goes on (IBTA vol. 1, 10.3.1.5). */
static void emit(struct eng_qp *qp, struct eng_runq *rq, u32 end)
{
	bool wire = eng_qp_on_wire(qp);

	if (env_unlikely(wire) && eng_repair_due(&qp->wire.out) && !eng_repair_send(qp, rq))
		return;
	while (qp->sq.nxt != end) {
		struct eng_slot *slot = eng_qp_slot(qp, qp->sq.nxt);

		if (!slot->status) {
			if (!may_emit(qp, slot))
				return;
			if (env_unlikely(wire) && !(slot->flags & ENG_SLOT_LOCAL) &&
			    !eng_sender_may(qp, rq, slot))
				return;
			if (env_unlikely(qp->attr.rate_limit) && !paced(qp, slot))
				return;
			if (env_unlikely(slot->flags & ENG_SLOT_LOCAL)) {
				if (execute_local(qp, slot))
					continue;
				if (!slot->status)
					return;
			} else {
				slot->status = resolve(qp, slot);
			}
		}
		if (env_unlikely(slot->status)) {
			/* Its turn comes when all before it are done. */
			if (qp->sq.una == qp->sq.nxt)
				eng_requester_fail(qp, slot->status);
			return;
		}
		if (env_unlikely(wire || goes_in_packet(&slot->frame))) {
			if (!send_packets(qp, rq, slot))
				return;
			continue;
		}
		if (slot->flags & ENG_SLOT_FETCH)
			qp->sq.fetching++;
		next_slot(qp);
		send_off(qp, rq, slot);
	}
}

static void drain(struct eng_qp *qp, struct eng_runq *rq)
{
	if (!qp->retry.wait)
		emit(qp, rq, qp->sq.begun);
	if (qp->sq.una != qp->sq.begun || qp->drain_raised)
		return;
	qp->drain_raised = true;
	if (qp->attr.sqd_notify)
		qp->dev->ops->qp_event(qp, ENG_EVENT_SQ_DRAINED);
}

void eng_requester_run(struct eng_qp *qp, struct eng_runq *rq)
{
	if (env_likely(eng_state(qp) == ENG_QPS_RTS)) {
		if (qp->retry.wait)
			return;
		if (rq->bytes_left)
			fill(qp, rq);
		emit(qp, rq, qp->sq.tail);
	} else if (eng_state(qp) == ENG_QPS_SQD) {
		drain(qp, rq);
	}
}

void eng_requester_go_back(struct eng_qp *qp)
{
	qp->sq.nxt = qp->sq.una;
	qp->sq.nxt_done = qp->sq.una_done;
	qp->sq.fetching = 0;
	eng_repair_stop(&qp->wire.out);
}

bool eng_requester_probe(struct eng_qp *qp)
{
	struct eng_slot *slot = eng_qp_slot(qp, qp->sq.una);

	if (slot->flags & ENG_SLOT_AWAY)
		return false;
	slot->flags |= ENG_SLOT_AWAY;
	qp->sq.away++;
	slot->frame.flags &= ~ENG_FRAME_REPLY;
	slot->frame.flags |= ENG_FRAME_PROBE;
	eng_link_emit(qp, &slot->frame);
	return true;
}

/*
 * Answers may be far away, so posts ring the doorbell as long as there is a slot for them; without
 * one an answer, a timer or the host's room has us look at the ring again.
 */
static ENG_APART bool rest_on_wire(struct eng_qp *qp)
{
	if (eng_state(qp) != ENG_QPS_RTS || qp->retry.wait || qp->wire.blocked)
		return false;
	if (window_room(qp)) {
		eng_requester_stop_running(qp);
		if (eng_requester_ready(qp))
			return true;
	}
	return qp->wire.starved;
}

bool eng_requester_rest(struct eng_qp *qp, struct eng_runq *rq)
{
	enum eng_qp_state state = eng_state(qp);

	if (env_unlikely(eng_qp_on_wire(qp)))
		return rest_on_wire(qp);
	if (qp->sq.away) {
		if (env_unlikely(!qp->sq.emitted && rq->bytes_left))
			eng_link_nudge(qp, rq);
		return false;
	}
	if (state != ENG_QPS_RTS || qp->retry.wait)
		return false;
	/* Everything failed or came back within this step, or the budget ended before the ring. 
	 * What is decoded is always on its way here, so anything else could only spin. */
	if (qp->sq.una == qp->sq.tail && qp->sq.running)
		return true;
	return window_room(qp) && eng_requester_ready(qp);
}
