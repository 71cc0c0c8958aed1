// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * repair.c - sends again what is missing at the far end, and only that as far as it can.
 *
 * Called by answer.c, which hears of gaps, and by the requester, which sends.  A responder may drop
 * what is behind a gap or keep it (IBTA vol. 1, 9.7.4.1.2), and there is no word for which of them
 * it does.  But the answer to the missing packet, when it went again alone, tells: who kept the
 * rest acknowledges it too, or names the next packet that is missing; who dropped it acknowledges
 * that packet only.  Until that is known nothing new is sent; then new packets follow at once, or
 * everything goes again at each loss.
 *
 * Where packets that follow each other are lost, each repair is twice as long as the one before.
 */
#include "repair.h"
#include "hold.h"
#include "requester.h"
#include "sender.h"
#include "sge.h"
#include "timer.h"

void eng_repair_progress(struct eng_qp *qp)
{
	struct eng_sender *out = &qp->wire.out;
	u32 oldest = eng_sender_una(qp);

	out->asking = out->asking && eng_psn_diff(out->ask_end, oldest) > 0;
	if (!out->repairing)
		return;
	if (eng_psn_diff(oldest, out->repair_end) > 0)
		out->far = ENG_FAR_KEEPS;
	else if (eng_sender_in_flight(qp))
		return;
	out->repairing = false;
	out->probing = false;
}

void eng_repair_gap(struct eng_qp *qp, u32 oldest)
{
	struct eng_sender *out = &qp->wire.out;
	u32 most = (eng_sender_nxt(qp) - oldest) & ENG_PSN_MASK;

	if (out->far == ENG_FAR_DROPS) {
		eng_timer_recover(qp);
		return;
	}
	/* The far end has the first packet of a repair, and names the second one, which follows. */
	if (out->repairing && oldest != out->repair_from &&
	    eng_psn_diff(oldest, out->repair_nxt) < 0)
		return;
	if (!eng_timer_lost(qp, oldest))
		return;
	out->repair_run = out->repairing && oldest == out->repair_end ? 2 * out->repair_run : 1;
	if (out->repair_run > most)
		out->repair_run = most;
	out->repair_from = out->repair_nxt = oldest;
	out->repair_end = eng_psn_add(oldest, out->repair_run);
	out->repairing = most;
}

void eng_repair_ask(struct eng_qp *qp, u32 end)
{
	struct eng_sender *out = &qp->wire.out;

	if (!out->asking) {
		out->asking = true;
		out->asked_end = out->ask_end = eng_sender_una(qp);
	}
	if (eng_psn_diff(end, out->ask_end) <= 0)
		return;
	out->ask_end = end;
	(void)eng_timer_lost(qp, eng_sender_una(qp));
}

void eng_repair_answered(struct eng_qp *qp)
{
	struct eng_sender *out = &qp->wire.out;

	if (eng_sender_una(qp) != out->repair_end || eng_repair_open(out))
		return;
	if (eng_sender_in_flight(qp)) {
		out->far = ENG_FAR_DROPS;
		eng_timer_go_back(qp);
	}
	out->repairing = false;
}

void eng_repair_probed(struct eng_qp *qp, u32 psns)
{
	struct eng_sender *out = &qp->wire.out;

	out->repair_run = psns;
	out->repair_from = eng_sender_una(qp);
	out->repair_nxt = out->repair_end = eng_psn_add(out->repair_from, psns);
}

struct eng_slot *eng_repair_slot(const struct eng_qp *qp, u32 psn, u32 *done)
{
	u32 i;

	for (i = qp->sq.una; i != qp->sq.begun; i++) {
		struct eng_slot *slot = eng_qp_slot(qp, i);

		*done = (psn - slot->frame.psn) & ENG_PSN_MASK;
		if (*done < slot->frame.npsn)
			return slot;
	}
	return NULL;
}

/* One more packet; how many PSNs it takes.  0: no room, or the request cannot be sent again. */
static u32 send_missing(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot, u32 done)
{
	u8 status = eng_requester_resolve(qp, slot);
	u32 sent;

	if (status) {
		/* Its turn comes when all before it are done. */
		if (slot == eng_qp_slot(qp, qp->sq.una))
			eng_requester_fail(qp, status);
		eng_repair_stop(&qp->wire.out);
		return 0;
	}
	sent = eng_sender_again(qp, slot, done);
	if (!(slot->flags & ENG_SLOT_INLINE))
		eng_sge_release(slot->frame.payload, slot->frame.segs);
	eng_sender_charge(rq, 1u << qp->mtu_shift);
	return sent;
}

/* Asks for @psn, if that is a response and not here.  How many PSNs further the next one is. */
static u32 ask_for(struct eng_qp *qp, struct eng_runq *rq, u32 psn)
{
	const struct eng_packet *held = eng_hold_from(&qp->wire.out.early, psn);
	u32 done;
	struct eng_slot *slot = eng_repair_slot(qp, psn, &done);

	if (!slot)
		return (qp->wire.out.ask_end - psn) & ENG_PSN_MASK;
	if (!(slot->flags & ENG_SLOT_FETCH))
		return slot->frame.npsn - done;
	return held && held->psn == psn ? 1 : send_missing(qp, rq, slot, done);
}

/* Each response is asked for again once: if that is of no use the timer goes on with the oldest. */
static bool send_questions(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_sender *out = &qp->wire.out;
	u32 n;

	if (eng_psn_diff(eng_sender_una(qp), out->asked_end) > 0)
		out->asked_end = eng_sender_una(qp);
	while (eng_psn_diff(out->ask_end, out->asked_end) > 0) {
		n = ask_for(qp, rq, out->asked_end);
		if (!n)
			return false;
		out->asked_end = eng_psn_add(out->asked_end, n);
	}
	out->ask_end = out->asked_end;
	eng_timer_repaired(qp);
	return true;
}

bool eng_repair_send(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_sender *out = &qp->wire.out;
	struct eng_slot *slot;
	u32 done, sent;

	if (eng_repair_asks(out) && !send_questions(qp, rq))
		return false;
	if (!out->repairing)
		return true;
	if (eng_psn_diff(eng_sender_una(qp), out->repair_nxt) > 0)
		out->repair_nxt = eng_sender_una(qp);
	/* It was only late. */
	out->repairing = eng_psn_diff(out->repair_end, out->repair_nxt) > 0;
	while (eng_repair_open(out)) {
		if (!rq->bytes_left) {
			qp->wire.starved = true;
			return false;
		}
		slot = eng_repair_slot(qp, out->repair_nxt, &done);
		sent = slot ? send_missing(qp, rq, slot, done) : 0;
		if (!sent)
			return false;
		out->repair_nxt = eng_psn_add(out->repair_nxt, sent);
	}
	/* A READ is more than was missed. */
	if (out->repairing)
		out->repair_end = out->repair_nxt;
	eng_timer_repaired(qp);
	return true;
}
