// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * completer.c - answers to our requests become completions, in order.
 *
 * Called by the step of the QP that the frame came home to.  A slot can be emitted again only when
 * its frame is home, so there are no stale answers.
 */
#include "completer.h"
#include "ah.h"
#include "cq.h"
#include "requester.h"
#include "retry.h"
#include "sge.h"
#include "state.h"

void eng_completer_home(struct eng_qp *qp, struct eng_frame *frame)
{
	struct eng_slot *slot = eng_frame_slot(frame);

	slot->flags &= ~ENG_SLOT_AWAY;
	qp->sq.away--;
	/* A probe went out without references, so there is nothing to drop. */
	if (!(slot->flags & ENG_SLOT_INLINE))
		eng_sge_release(frame->payload, frame->segs);
	if (frame->ah) {
		eng_ah_put(frame->ah);
		frame->ah = NULL;
	}
}

/* Status that an answer means for its request; 0: it is no failure. */
static const u8 failures[ENG_REPLY_COUNT] = {
	[ENG_REPLY_NAK_INV]	= ENG_WC_REM_INV_REQ_ERR,
	[ENG_REPLY_NAK_ACCESS]	= ENG_WC_REM_ACCESS_ERR,
	[ENG_REPLY_NAK_OP]	= ENG_WC_REM_OP_ERR,
	[ENG_REPLY_SRC_GONE]	= ENG_WC_LOC_PROT_ERR,
};

/* The oldest request is home; its answer is no acknowledge. */
static ENG_COLD void refused(struct eng_qp *qp, const struct eng_frame *frame)
{
	if (eng_state(qp) == ENG_QPS_ERR)
		return;			/* the flush reports it */
	if (failures[frame->reply])
		eng_requester_fail(qp, failures[frame->reply]);
	else
		eng_retry_start(qp, frame);
}

/*
 * Answers take effect in the order of their requests, although they may come home in another one:
 * what was lost at once overtakes what is still being executed.  Requests from nxt on are to be
 * sent again, so what came back for their last emission does not matter.
 */
static void settle(struct eng_qp *qp)
{
	/* One error each (IBTA vol. 1, 10.3.1.6): what followed the failed request is flushed, also
	 * a local one that was executed before that was known. */
	if (env_unlikely(qp->sq.failed))
		return;
	while (qp->sq.una != qp->sq.nxt) {
		const struct eng_slot *slot = eng_qp_slot(qp, qp->sq.una);
		u8 reply = slot->frame.reply;

		if (slot->flags & ENG_SLOT_AWAY)
			return;
		/* Unreliable services have no answers: home means sent. */
		if (env_unlikely(reply != ENG_REPLY_ACK &&
				 (qp->type == ENG_QPT_RC || reply == ENG_REPLY_SRC_GONE))) {
			refused(qp, &slot->frame);
			return;
		}
		eng_retry_progress(qp);
		eng_requester_finish(qp, ENG_WC_SUCCESS);
	}
}

/*
 * Frames come home by the direct link while packets are the way.  All but refusals would come again
 * as packets; a refusal is said once (IBTA vol. 1, 9.9.3).  What was in front of it is done.
 */
static ENG_COLD void settle_refusal(struct eng_qp *qp)
{
	u8 status = 0;
	u32 i;

	if (qp->type != ENG_QPT_RC || eng_state(qp) == ENG_QPS_ERR)
		return;
	for (i = qp->sq.una; !status; i++) {
		const struct eng_slot *slot = eng_qp_slot(qp, i);

		if (i == qp->sq.begun || slot->flags & ENG_SLOT_AWAY)
			return;
		status = failures[slot->frame.reply];
	}
	while (qp->sq.una != i - 1)
		eng_requester_finish(qp, ENG_WC_SUCCESS);
	eng_requester_fail(qp, status);
}

void eng_completer_reply(struct eng_qp *qp, struct eng_frame *frame)
{
	u8 reply = frame->reply;

	eng_completer_home(qp, frame);
	if (env_unlikely(eng_state(qp) == ENG_QPS_RESET))
		return;
	if (env_unlikely(frame->flags & ENG_FRAME_PROBE)) {
		frame->flags &= ~ENG_FRAME_PROBE;
		eng_retry_credit(qp, reply == ENG_REPLY_CREDIT);
		return;
	}
	if (env_likely(!eng_qp_on_wire(qp)))
		settle(qp);
	else
		settle_refusal(qp);
}
