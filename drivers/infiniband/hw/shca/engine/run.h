/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * run.h - owning a QP.
 */
#ifndef ENG_RUN_H
#define ENG_RUN_H

#include "types.h"

/* Waits until the QP is nobody's and takes it, for a control operation. */
ENG_PRIVATE void eng_run_own(struct eng_qp *qp);
/* Gives it back and lets it run: what the operation changed takes effect before this returns. */
ENG_PRIVATE void eng_run_disown(struct eng_qp *qp);
/* eng_kick() for those who have put a full barrier behind the work they published. */
ENG_PRIVATE void eng_run_kick(struct eng_runq *rq, struct eng_qp *qp);
/* Takes over a QP that waits for a worker; else does nothing. */
ENG_PRIVATE void eng_run_overtake(struct eng_runq *rq, struct eng_qp *qp);
/* An owned QP will never run again; no kick and no worker refers to it after this. */
ENG_PRIVATE void eng_run_kill(struct eng_qp *qp);

#endif
