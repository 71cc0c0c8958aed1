// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * answer.c - what packets from the responder mean for the requests in the slots.
 *
 * Called by arrival.c with the QP owned.  An acknowledge is cumulative, but it cannot complete a
 * READ or an atomic whose response has not come: that response is lost then, and asked for again
 * (IBTA vol. 1, 9.7.5.1.5).  Requests complete in order, as everywhere.
 */
#include "answer.h"
#include "arrival.h"
#include "cq.h"
#include "psn.h"
#include "repair.h"
#include "requester.h"
#include "retry.h"
#include "sender.h"
#include "sge.h"
#include "state.h"
#include "timer.h"

/* 9.7.7.2.1, table of credit codes: receives that the responder has, 31: it does not count. */
static u32 credits_of(u32 code)
{
	if (code < 2)
		return code;
	/* 2, 3, 4, 6, 8, 12, ... : powers of two and the middles between them */
	return (code & 1 ? 3u : 2u) << (code / 2 - 1);
}

static void take_credits(struct eng_qp *qp, const struct eng_header *h)
{
	struct eng_sender *out = &qp->wire.out;
	u32 code = h->syndrome & ENG_SYN_VALUE;
	u32 limit;

	if ((h->syndrome & ENG_SYN_KIND) != ENG_SYN_ACK || out->uncounted)
		return;
	if (code == ENG_CREDITS_INVALID) {
		out->limited = false;
		return;
	}
	limit = eng_psn_add(h->msn, credits_of(code));
	if (!out->limited || eng_psn_diff(limit, out->limit) > 0)
		out->limit = limit;
	out->limited = true;
}

/* Is the place (una, una_done) among what is sent in this round? */
static bool sent_this_round(const struct eng_qp *qp)
{
	return qp->sq.nxt != qp->sq.una || qp->sq.nxt_done > qp->sq.una_done;
}

/* @n packets of the oldest request are done. */
static void step_on(struct eng_qp *qp, u32 n)
{
	qp->sq.una_done += n;
	if (qp->sq.nxt == qp->sq.una && qp->sq.nxt_done < qp->sq.una_done)
		qp->sq.nxt_done = qp->sq.una_done;
	if (qp->sq.una_done == eng_qp_slot(qp, qp->sq.una)->frame.npsn)
		eng_requester_finish(qp, ENG_WC_SUCCESS);
}

/* Completes what local requests stand at the head. */
static void finish_local(struct eng_qp *qp)
{
	while (qp->sq.una != qp->sq.tail &&
	       eng_qp_slot(qp, qp->sq.una)->flags & ENG_SLOT_DONE)
		eng_requester_finish(qp, ENG_WC_SUCCESS);
}

/* Everything before @psn is acknowledged; how many packets that are. */
static u32 acknowledge(struct eng_qp *qp, u32 psn)
{
	u32 total = 0;

	while (qp->sq.una != qp->sq.begun) {
		struct eng_slot *slot = eng_qp_slot(qp, qp->sq.una);
		u32 left = slot->frame.npsn - qp->sq.una_done;
		s32 n = eng_psn_diff(psn, eng_sender_una(qp));

		if (slot->flags & (ENG_SLOT_FETCH | ENG_SLOT_LOCAL | ENG_SLOT_AWAY) || n <= 0)
			break;
		if ((u32)n < left)
			left = (u32)n;
		step_on(qp, left);
		total += left;
		finish_local(qp);
	}
	return total;
}

/*
 * Status of a request that the responder refuses; 0: @h is no refusal.  That is said once: whoever
 * does it is in ERR and silent from then on (IBTA vol. 1, 9.9.3).
 */
static u8 refusal(const struct eng_header *h)
{
	static const u8 statuses[4] = {
		[1] = ENG_WC_REM_INV_REQ_ERR,
		[2] = ENG_WC_REM_ACCESS_ERR,
		[3] = ENG_WC_REM_OP_ERR,
	};
	u32 code = h->syndrome & ENG_SYN_VALUE;

	return (h->syndrome & ENG_SYN_KIND) == ENG_SYN_NAK && code < 4 ? statuses[code] : 0;
}

/* The oldest packet is what the responder refuses. */
static void turned_down(struct eng_qp *qp, const struct eng_header *h)
{
	u32 code = h->syndrome & ENG_SYN_VALUE;

	if ((h->syndrome & ENG_SYN_KIND) == ENG_SYN_RNR) {
		qp->wire.out.sample_at = 0;
		qp->wire.out.probing = false;
		eng_retry_rnr(qp, (u8)code);
	} else if (!code) {
		qp->counters[ENG_CNT_SEQ_NAKS]++;
		eng_repair_gap(qp, h->psn);
	} else if (refusal(h)) {
		eng_requester_fail(qp, refusal(h));
	} else {
		eng_arrival_count(qp->dev, ENG_CNT_RX_BAD_RESPONSE);
	}
}

/* All requests before @end are done; those behind one that waits for a response, later. */
static u32 done_before(struct eng_qp *qp, u32 end)
{
	struct eng_sender *out = &qp->wire.out;
	u32 n = acknowledge(qp, end);

	if (eng_psn_diff(end, out->acked) > 0)
		out->acked = end;
	if (n)
		eng_timer_progress(qp, eng_psn_add(end, ENG_PSN_MASK), n);
	return n;
}

/* Responses are missing that were sent before @h was. */
static ENG_COLD void overtaken(struct eng_qp *qp, const struct eng_header *h)
{
	u32 kind = h->syndrome & ENG_SYN_KIND;

	if (kind == ENG_SYN_ACK) {
		eng_repair_ask(qp, eng_psn_add(h->psn, 1));
	} else if (kind == ENG_SYN_NAK && !(h->syndrome & ENG_SYN_VALUE) &&
		   qp->wire.out.far == ENG_FAR_KEEPS) {
		qp->counters[ENG_CNT_SEQ_NAKS]++;
		eng_repair_ask(qp, h->psn);
		eng_repair_gap(qp, h->psn);
	} else {
		eng_timer_recover(qp);
	}
}

/* ACK and NAK: IBTA vol. 1, 9.7.5.1 and 9.7.5.2. */
static void on_ack(struct eng_qp *qp, const struct eng_header *h)
{
	bool nak = (h->syndrome & ENG_SYN_KIND) != ENG_SYN_ACK;
	u32 end = nak ? h->psn : eng_psn_add(h->psn, 1);

	/* 01 is reserved, and a NAK for what is acknowledged is old. */
	if ((h->syndrome & ENG_SYN_KIND) == 0x40 ||
	    eng_psn_diff(end, eng_sender_una(qp)) < 0)
		return;
	take_credits(qp, h);
	(void)done_before(qp, end);
	if (eng_psn_diff(end, eng_sender_una(qp)) > 0) {
		overtaken(qp, h);
	} else if (nak) {
		/* An RNR timer ends in sending again, but for what is refused. */
		if (!qp->retry.wait || refusal(h))
			turned_down(qp, h);
	} else if (qp->wire.out.repairing) {
		eng_repair_answered(qp);
	} else if (qp->wire.out.probing) {
		/* An answer to the probe, or a late one to what was sent before: time will tell. */
		qp->wire.out.probing = false;
		qp->wire.out.suspect = eng_sender_in_flight(qp);
	}
}

/*
 * The oldest request, if @h answers it; what of it was acknowledged silently is completed.
 * *@early: it answers a later one.
 */
static struct eng_slot *answered(struct eng_qp *qp, const struct eng_header *h, bool *early)
{
	struct eng_slot *slot;
	s32 ahead;

	(void)done_before(qp, h->psn);
	if (qp->sq.una == qp->sq.begun)
		return NULL;
	slot = eng_qp_slot(qp, qp->sq.una);
	ahead = eng_psn_diff(h->psn, eng_sender_una(qp));
	if (!(slot->flags & ENG_SLOT_FETCH))
		return NULL;
	*early = ahead > 0;
	qp->counters[ENG_CNT_RX_GAPS] += *early;
	return ahead ? NULL : slot;
}

/* Bytes to the memory of the request, at the place of its next response; false: it failed. */
static bool store(struct eng_qp *qp, struct eng_slot *slot, u32 offset, const struct eng_seg *segs,
		  u32 count, u32 length)
{
	struct eng_frame *frame = &slot->frame;
	struct eng_move move = { .left = length };
	enum eng_moved moved;
	u32 budget = length;

	if (!length)
		return true;
	move.src.seg = segs;
	move.src.segs = count;
	move.dst.seg = frame->payload;
	move.dst.segs = frame->segs;
	if (!eng_sge_resolve_range(qp, qp->pd, &move.dst, (struct eng_sge_range) {
				   offset, length, ENG_ACCESS_LOCAL_WRITE })) {
		eng_requester_fail(qp, ENG_WC_LOC_PROT_ERR);
		return false;
	}
	moved = eng_copy_run(&move, &budget);
	eng_sge_release(frame->payload, frame->segs);
	if (moved != ENG_MOVE_DONE)
		eng_requester_fail(qp, ENG_WC_LOC_PROT_ERR);
	return moved == ENG_MOVE_DONE;
}

static void fetched(struct eng_qp *qp, u32 psn, bool request_done)
{
	if (request_done && sent_this_round(qp))
		qp->sq.fetching--;
	step_on(qp, 1);
	finish_local(qp);
	eng_timer_progress(qp, psn, 1);
	/* What was acknowledged behind it had to wait. */
	(void)done_before(qp, eng_psn_diff(qp->wire.out.acked, psn) > 0 ? qp->wire.out.acked :
									   eng_psn_add(psn, 1));
}

/* 9.7.5.1.1: the length of each response and where it ends are known beforehand. */
static bool on_response(struct eng_qp *qp, const struct eng_header *h, const struct eng_seg *segs,
			u32 count, u32 length)
{
	bool last, more = h->row->flags & ENG_IS_MORE, early = false;
	struct eng_slot *slot = answered(qp, h, &early);
	u32 done = qp->sq.una_done, each, offset, expect;

	if (!slot || slot->frame.op != ENG_OP_READ) {
		if (slot)
			eng_arrival_count(qp->dev, ENG_CNT_RX_UNASKED);
		return early;
	}
	each = eng_sender_read_packets(qp);
	last = done + 1 == slot->frame.npsn || ((done + 1) & (each - 1)) == 0;
	offset = done << qp->mtu_shift;
	expect = slot->frame.length - offset;
	if (expect > 1u << qp->mtu_shift)
		expect = 1u << qp->mtu_shift;
	/* The answer to a question for less ends earlier. */
	if (length != expect || (last ? more : !more && !qp->wire.out.pieced)) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_BAD_RESPONSE);
		eng_requester_fail(qp, ENG_WC_BAD_RESP_ERR);
		return false;
	}
	if (h->row->flags & ENG_HAS_AETH)
		take_credits(qp, h);
	if (store(qp, slot, offset, segs, count, length))
		fetched(qp, h->psn, last);
	return false;
}

static bool on_value(struct eng_qp *qp, const struct eng_header *h)
{
	bool early = false;
	struct eng_slot *slot = answered(qp, h, &early);
	u64 value = h->compare_add;
	struct eng_seg seg = { .addr = (u64)(unsigned long)&value, .length = 8 };

	if (!slot || slot->frame.op < ENG_OP_CMP_SWAP) {
		if (slot)
			eng_arrival_count(qp->dev, ENG_CNT_RX_UNASKED);
		return early;
	}
	take_credits(qp, h);
	if (store(qp, slot, 0, &seg, 1, 8))
		fetched(qp, h->psn, true);
	return false;
}

static bool expects_answers(const struct eng_qp *qp)
{
	return eng_state(qp) == ENG_QPS_RTS || eng_state(qp) == ENG_QPS_SQD;
}

bool eng_answer_packet(struct eng_qp *qp, const struct eng_header *h, const struct eng_seg *segs,
		       u32 count, u32 length)
{
	if (!expects_answers(qp)) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_QP_STATE);
		return false;
	}
	if (eng_psn_diff(h->psn, qp->wire.out.max_psn) >= 0) {
		/* 9.7.5.1.2: ghosts are dropped. */
		eng_arrival_count(qp->dev, h->op == ENG_PKT_ACK ?
				  ENG_CNT_RX_FUTURE : ENG_CNT_RX_UNASKED);
		return false;
	}
	if (h->op == ENG_PKT_ACK) {
		on_ack(qp, h);
	} else if (eng_psn_diff(h->psn, eng_sender_una(qp)) < 0) {
		qp->counters[ENG_CNT_RX_DUPLICATES]++;
	} else {
		return h->op == ENG_PKT_ATOMIC_ACK ? on_value(qp, h) :
						     on_response(qp, h, segs, count, length);
	}
	return false;
}
