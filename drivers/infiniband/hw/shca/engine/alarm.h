/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * alarm.h - the one timer of the host that a QP has.
 */
#ifndef ENG_ALARM_H
#define ENG_ALARM_H

#include "types.h"

/* Wakes the QP at @at, and not before; in the place of what was set. */
ENG_PRIVATE void eng_alarm_set(struct eng_qp *qp, u64 at);
/* Wakes the QP between @at and @late nanoseconds later, or earlier if an earlier time is set. */
ENG_PRIVATE void eng_alarm_by(struct eng_qp *qp, u64 at, u64 late);
/* Nothing is waited for: the timer, which may be set, need wake nobody until something is. */
ENG_PRIVATE void eng_alarm_rest(struct eng_qp *qp);
/* The same, and the timer is taken back: it may expire once more at most. */
ENG_PRIVATE void eng_alarm_stop(struct eng_qp *qp);
/* What was set has passed, or is of no use any more. */
ENG_PRIVATE void eng_alarm_clear(struct eng_qp *qp);

#endif
