/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * reply.h - what a responder sends back.
 */
#ifndef ENG_REPLY_H
#define ENG_REPLY_H

#include "types.h"

/* Answers the request in @frame, at once or with the next flush: an enum eng_reply. */
ENG_PRIVATE void eng_reply_frame(struct eng_qp *qp, struct eng_frame *frame, u8 reply);
/*
 * Sends responses to the READ at hand, which is checked.  True: not all of them yet.  *@refused
 * says what to answer instead of the rest, else it is ENG_REPLY_ACK.
 */
ENG_PRIVATE bool eng_reply_read(struct eng_qp *qp, struct eng_runq *rq, u8 *refused);
/* Sends the acknowledge that is owed, at once. */
ENG_PRIVATE void eng_reply_acknowledge(struct eng_qp *qp);
/*
 * Packets are held: is there a gap in front of them that was not named?  9.7.5.2.2: one NAK for
 * each; it says also that what was in front of it is here.
 */
ENG_PRIVATE void eng_reply_gap(struct eng_qp *qp);
/*
 * What a step ends with: the acknowledge that is owed, in @tx.  False: none is, or it is lost.  It
 * is sent by eng_reply_pay() when the QP is owned no more, so that it does not hold up what the
 * taker of a message sends at once.  A newer one may overtake it, as on any wire.
 */
ENG_PRIVATE bool eng_reply_settle(struct eng_qp *qp, struct eng_tx *tx);
ENG_PRIVATE void eng_reply_pay(struct eng_tx *tx, struct eng_runq *rq);

#endif
