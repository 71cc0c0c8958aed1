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
/* Sends the acknowledge that is owed. */
ENG_PRIVATE void eng_reply_flush(struct eng_qp *qp);

#endif
