/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * recvq.h - taking receives for incoming messages and completing them.
 */
#ifndef ENG_RECVQ_H
#define ENG_RECVQ_H

#include "cq.h"
#include "types.h"

enum eng_taken {
	ENG_RECV_TAKEN,		/* qp->recv is held */
	ENG_RECV_EMPTY,
	ENG_RECV_SHORT,		/* the next one has less than the bytes asked for; left there */
	ENG_RECV_BROKEN,	/* the ring lies: the QP is in ERR */
};

/* Makes qp->recv the next receive, unless one is held already. */
ENG_PRIVATE enum eng_taken eng_recvq_take(struct eng_qp *qp, u64 min_bytes);
/* Is there a receive for the next message? */
ENG_PRIVATE bool eng_recvq_ready(struct eng_qp *qp);
ENG_PRIVATE struct eng_seg *eng_recvq_segs(struct eng_qp *qp);
/* Completes the held receive: fills in what it knows (wr_id and count). */
ENG_PRIVATE void eng_recvq_complete(struct eng_qp *qp, struct eng_completion *c);

/* srq.c: as eng_recvq_take() and _ready(), for a QP with an SRQ. */
ENG_PRIVATE enum eng_taken eng_srq_take(struct eng_qp *qp, u64 min_bytes);
ENG_PRIVATE bool eng_srq_ready(struct eng_srq *srq);
/* Copies entry @cons of a ring into @recv. */
ENG_PRIVATE void eng_recvq_load(struct eng_recv *recv, const struct eng_ring *ring, u32 max_sge);

#endif
