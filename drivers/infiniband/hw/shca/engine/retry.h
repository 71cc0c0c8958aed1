/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * retry.h - what a requester does when it was not simply acknowledged.
 */
#ifndef ENG_RETRY_H
#define ENG_RETRY_H

#include "types.h"

/* An acknowledge: all counters start afresh. */
static inline void eng_retry_progress(struct eng_qp *qp)
{
	qp->retry.rnr_left = qp->attr.rnr_retry;
	qp->retry.retry_left = qp->attr.retry_cnt;
	qp->retry.early = false;
}

/* The oldest request came back with an RNR NAK, a sequence NAK, or lost. */
ENG_PRIVATE void eng_retry_start(struct eng_qp *qp, const struct eng_frame *frame);
/* The responder has no receive: go on in a while, @timer is the code of its RNR NAK. */
ENG_PRIVATE void eng_retry_rnr(struct eng_qp *qp, u8 timer);
/* One retry is used up.  False: none was left, and the QP has failed. */
ENG_PRIVATE bool eng_retry_count(struct eng_qp *qp);
/* A probe came back. */
ENG_PRIVATE void eng_retry_credit(struct eng_qp *qp, bool credit);
/* A step found a deadline set: is it over? */
ENG_PRIVATE void eng_retry_tick(struct eng_qp *qp);
/* Forgets waiting and deadline. */
ENG_PRIVATE void eng_retry_stop(struct eng_qp *qp);

#endif
