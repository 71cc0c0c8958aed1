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
/* A probe came back. */
ENG_PRIVATE void eng_retry_credit(struct eng_qp *qp, bool credit);
/* A step found a deadline set: is it over? */
ENG_PRIVATE void eng_retry_tick(struct eng_qp *qp);
/* Forgets waiting and deadline. */
ENG_PRIVATE void eng_retry_stop(struct eng_qp *qp);

#endif
