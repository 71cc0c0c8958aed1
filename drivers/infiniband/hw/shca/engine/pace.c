// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * pace.c - the rate limit of a QP's sends: a message begins when those before it have had their
 * time.
 *
 * Called by the requester before the first emission of a message.  There are no bursts: time that
 * was not used is lost.  A clock is read only for QPs that have a limit.
 */
#include "pace.h"
#include "alarm.h"

bool eng_pace_begin(struct eng_qp *qp, u32 bytes)
{
	u64 now = qp->dev->ops->now(qp->dev);

	if (now < qp->pace_next) {
		/* Who sets another time in the meantime comes back here in that step. */
		eng_alarm_by(qp, qp->pace_next, 0);
		return false;
	}
	/* kbit/s are bits in a millisecond. */
	qp->pace_next = now + 8 * 1000000ull * bytes / qp->attr.rate_limit;
	return true;
}
