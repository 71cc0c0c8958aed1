// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * alarm.c - when a QP is woken because nothing happened.
 *
 * Called with the QP owned by whoever waits for something: acknowledges, an RNR timer, a rate; and
 * by the host, in any context, when its timer expires.
 *
 * A timer is not taken back when what it was for has come: to take it back and to set it again with
 * the next message would cost more than to let it expire.  But then it must not wake a thread for
 * nothing, so the host's side looks whether anybody waits, and otherwise only notes that the timer
 * is gone.  Barrier pair: the owner says that it waits, full barrier, looks for that note; the host
 * leaves the note, full barrier, looks whether somebody waits.  So either the owner knows that
 * it has no timer, or it is woken.
 */
#include "alarm.h"
#include "run.h"

static void set_timer(struct eng_qp *qp, u64 at, u64 late)
{
	qp->alarm.at = at;
	qp->dev->ops->arm(qp, at, late);
}

void eng_alarm_clear(struct eng_qp *qp)
{
	qp->alarm.at = ENG_NO_DEADLINE;
}

void eng_alarm_set(struct eng_qp *qp, u64 at)
{
	env_write(qp->alarm.wanted, 1);
	set_timer(qp, at, 0);
}

void eng_alarm_by(struct eng_qp *qp, u64 at, u64 late)
{
	struct eng_alarm *alarm = &qp->alarm;

	if (!alarm->wanted) {
		env_write(alarm->wanted, 1);
		env_mb();
	}
	if (env_read(alarm->gone)) {
		env_write(alarm->gone, 0);
		eng_alarm_clear(qp);
	}
	if (at < alarm->at)
		set_timer(qp, at, late);
}

void eng_alarm_rest(struct eng_qp *qp)
{
	env_write(qp->alarm.wanted, 0);
}

void eng_alarm_stop(struct eng_qp *qp)
{
	if (qp->alarm.at != ENG_NO_DEADLINE)
		set_timer(qp, ENG_NO_DEADLINE, 0);
	eng_alarm_rest(qp);
}

void eng_expire(struct eng_qp *qp)
{
	env_write(qp->alarm.gone, 1);
	env_mb();
	if (env_read(qp->alarm.wanted))
		eng_run_kick(NULL, qp);
}
