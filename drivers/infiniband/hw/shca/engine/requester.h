/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * requester.h - the sending half of a QP.
 */
#ifndef ENG_REQUESTER_H
#define ENG_REQUESTER_H

#include "types.h"

/* Takes WQEs from the ring and emits what may go. */
ENG_PRIVATE void eng_requester_run(struct eng_qp *qp, struct eng_runq *rq);
/* Sends everything unfinished again, from the oldest on. */
ENG_PRIVATE void eng_requester_go_back(struct eng_qp *qp);
/* Is nothing on its way, and do posts ring the doorbell? */
static inline bool eng_requester_rests(const struct eng_qp *qp)
{
	return qp->sq.una == qp->sq.tail && !qp->sq.running;
}

/* Is there nothing to send, either? */
static inline bool eng_requester_idle(const struct eng_qp *qp)
{
	return eng_requester_rests(qp) && qp->shared &&
	       env_load_acquire(&qp->shared->sq_prod) == qp->sq.ring.cons;
}

/* From now on posts ring the doorbell; what is in the ring already must be looked at after this. */
ENG_PRIVATE void eng_requester_stop_running(struct eng_qp *qp);
/* Before the owner lets go.  True: there is more to do. */
ENG_PRIVATE bool eng_requester_rest(struct eng_qp *qp, struct eng_runq *rq);
/* Emits the oldest frame as a question for credit.  False: it is not home. */
ENG_PRIVATE bool eng_requester_probe(struct eng_qp *qp);
/* Published entries of the ring; a lie breaks the ring and moves the QP to ERR. */
ENG_PRIVATE u32 eng_requester_ready(struct eng_qp *qp);
/* Takes references for one emission of @slot; the status of what is wrong with it. */
ENG_PRIVATE u8 eng_requester_resolve(struct eng_qp *qp, struct eng_slot *slot);
/* Completes the oldest slot and frees it. */
ENG_PRIVATE void eng_requester_finish(struct eng_qp *qp, u8 status);
/* The same for a request that failed for good: the QP goes to its error state. */
ENG_PRIVATE void eng_requester_fail(struct eng_qp *qp, u8 status);

#endif
