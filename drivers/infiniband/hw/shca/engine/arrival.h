/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * arrival.h - packets on their way into a QP.
 */
#ifndef ENG_ARRIVAL_H
#define ENG_ARRIVAL_H

#include "types.h"

/* One more packet was dropped, or answered with a NAK, for this reason: ENG_CNT_RX_*. */
ENG_PRIVATE void eng_arrival_count(struct eng_dev *dev, enum eng_counter reason);
/* Moves all that arrived behind the QP's own list.  Owner only, as all below. */
ENG_PRIVATE void eng_arrival_take(struct eng_qp *qp);
/* Works on that list.  True: something is left that can be worked on. */
ENG_PRIVATE bool eng_arrival_work(struct eng_qp *qp, struct eng_runq *rq);
/* Drops everything that waits. */
ENG_PRIVATE void eng_arrival_drop(struct eng_qp *qp);
/* Drops what is held behind a gap. */
ENG_PRIVATE void eng_arrival_forget(struct eng_qp *qp);
/* Everything, and nothing arrives any more. */
ENG_PRIVATE void eng_arrival_close(struct eng_qp *qp);

#endif
