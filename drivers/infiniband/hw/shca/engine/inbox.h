/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * inbox.h - frames on their way into a QP.
 */
#ifndef ENG_INBOX_H
#define ENG_INBOX_H

#include "types.h"

/* False: the QP is gone and nothing was taken. */
ENG_PRIVATE bool eng_inbox_push(struct eng_qp *qp, struct eng_chain chain);
/* Moves all that arrived behind the QP's own work list.  Owner only. */
ENG_PRIVATE void eng_inbox_take(struct eng_qp *qp);
/* Takes the rest and closes the inbox for good.  Owner only. */
ENG_PRIVATE void eng_inbox_close(struct eng_qp *qp);
/* The owner's own list, oldest first. */
ENG_PRIVATE void eng_inbox_append(struct eng_qp *qp, struct eng_frame *frame);
ENG_PRIVATE struct eng_frame *eng_inbox_pop(struct eng_qp *qp);

#endif
