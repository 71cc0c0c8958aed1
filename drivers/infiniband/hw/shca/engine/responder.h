/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * responder.h - the receiving half of a QP.
 */
#ifndef ENG_RESPONDER_H
#define ENG_RESPONDER_H

#include "types.h"

/* Executes a request, or begins to: qp->resp.cur is set while its bytes are moving. */
ENG_PRIVATE void eng_responder_request(struct eng_qp *qp, struct eng_runq *rq,
				       struct eng_frame *frame);
/* The same for one that came as a packet. */
ENG_PRIVATE void eng_responder_packet(struct eng_qp *qp, struct eng_runq *rq,
				      struct eng_frame *frame);
/* Moves on.  True: the budget ended first. */
ENG_PRIVATE bool eng_responder_resume(struct eng_qp *qp, struct eng_runq *rq);
/* Gives up the request at hand, as if it had been lost. */
ENG_PRIVATE void eng_responder_abort(struct eng_qp *qp, struct eng_runq *rq);

/* execute.c: begins the effect of a request.  An enum eng_reply, or ENG_BEGUN_MOVE. */
#define ENG_BEGUN_MOVE	0x100u
ENG_PRIVATE u32 eng_execute_begin(struct eng_qp *qp, struct eng_frame *frame);
/* The same for the part of a request that a packet brings. */
ENG_PRIVATE u32 eng_execute_packet(struct eng_qp *qp, struct eng_frame *frame);
/* The bytes have moved: completions and references. */
ENG_PRIVATE void eng_execute_finish(struct eng_qp *qp, struct eng_frame *frame);
/* They did not, for @moved; what to answer. */
ENG_PRIVATE u8 eng_execute_fail(struct eng_qp *qp, struct eng_frame *frame, enum eng_moved moved);
/* Drops the references of the request at hand. */
ENG_PRIVATE void eng_execute_drop(struct eng_qp *qp);
/* Answers a repeated atomic from memory; what to answer, or ENG_BEGUN_MOVE. */
ENG_PRIVATE u32 eng_execute_repeat_atomic(struct eng_qp *qp, struct eng_frame *frame);

/* ud.c: a datagram, executed or dropped, then sent on. */
ENG_PRIVATE void eng_ud_receive(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame);

#endif
