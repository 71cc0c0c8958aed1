/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * runner.h - who executes the engine: callers for themselves, a worker for what is left over.
 */
#ifndef SHCA_RUNNER_H
#define SHCA_RUNNER_H

struct eng_qp;
struct llist_node;
struct work_struct;

int shca_runner_start(void);
void shca_runner_stop(void);

/* Runs @qp and whatever it wakes, in the caller, bounded by one budget.  May sleep. */
void shca_runner_run(struct eng_qp *qp);

/* Takes packets of these lanes to the engine and runs whom they wake.  May sleep. */
void shca_runner_drain(struct llist_node *lanes);

/* Work of other rooms that may not sleep where it arises; all of it is done after a flush. */
void shca_runner_queue(struct work_struct *work);
void shca_runner_queue_local(struct work_struct *work);
void shca_runner_flush(void);

#endif
