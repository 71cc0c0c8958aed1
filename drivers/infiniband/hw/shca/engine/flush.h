/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * flush.h - returning unfinished work of a QP in an error state.
 */
#ifndef ENG_FLUSH_H
#define ENG_FLUSH_H

#include "types.h"

/* True: the budget ended before the queues did. */
ENG_PRIVATE bool eng_flush_run(struct eng_qp *qp, struct eng_runq *rq);

#endif
