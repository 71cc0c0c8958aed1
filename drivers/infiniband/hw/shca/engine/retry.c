// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * retry.c - RNR timers, local ACK time-outs and their counters.
 *
 * Called by the completer (answers) and by the step (deadlines).  While qp->retry.wait is set the
 * requester emits nothing.
 *
 * RNR on the direct link: a receive is posted without a system call, so nobody tells us.  While the
 * full timer runs we ask for credit at growing gaps and go on early when there is a receive; such
 * an early emission takes no retry, and if the receive was gone again the same timer goes on.  So
 * the count of retries and the time until RNR_RETRY_EXC_ERR are those of IBTA vol. 1, 9.7.5.2.8.
 */
#include "retry.h"
#include "alarm.h"
#include "cq.h"
#include "requester.h"
#include "state.h"
#include "timer.h"

/* IBTA vol. 1, 9.7.5.2.8, table of RNR NAK timer codes, in units of 10 microseconds. */
static const u32 rnr_times[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
	49152,
};

static u64 rnr_ns(u8 code)
{
	return rnr_times[code & 31] * 10000ull;
}

static u64 time_now(struct eng_qp *qp)
{
	return qp->dev->ops->now(qp->dev);
}

static void arm_retry(struct eng_qp *qp)
{
	struct eng_retry *retry = &qp->retry;
	u64 at = retry->full;

	if (retry->wait == ENG_WAIT_RNR && retry->probe < at)
		at = retry->probe;
	eng_alarm_set(qp, at);
}

void eng_retry_rnr(struct eng_qp *qp, u8 timer)
{
	struct eng_retry *retry = &qp->retry;
	u64 now = time_now(qp);

	qp->counters[ENG_CNT_RNR_NAKS]++;
	if (!retry->early || now >= retry->full) {
		if (qp->attr.rnr_retry != ENG_RNR_ENDLESS) {
			if (!retry->rnr_left) {
				eng_requester_fail(qp, ENG_WC_RNR_RETRY_EXC_ERR);
				return;
			}
			retry->rnr_left--;
		}
		retry->full = now + rnr_ns(timer);
		retry->gap = ENG_PROBE_FIRST_NS;
	}
	retry->early = false;
	retry->wait = ENG_WAIT_RNR;
	/* On the wire nobody is asked meanwhile. */
	retry->probe = eng_qp_on_wire(qp) ? ENG_NO_DEADLINE : now + retry->gap;
	eng_requester_go_back(qp);
	arm_retry(qp);
}

bool eng_retry_count(struct eng_qp *qp)
{
	if (!qp->retry.retry_left) {
		eng_requester_go_back(qp);
		eng_requester_fail(qp, ENG_WC_RETRY_EXC_ERR);
		return false;
	}
	qp->retry.retry_left--;
	qp->counters[ENG_CNT_RETRIES]++;
	return true;
}

/* Local ACK timeout: 4.096 us * 2^code (IBTA vol. 1, 9.7.6.1.3). */
static void wait_ack(struct eng_qp *qp)
{
	u64 ns = ENG_RESEND_IDLE_NS;

	if (qp->attr.timeout)
		ns = 4096ull << (qp->attr.timeout & 31);
	qp->retry.wait = ENG_WAIT_ACK;
	qp->retry.full = time_now(qp) + ns;
	eng_requester_go_back(qp);
	arm_retry(qp);
}

void eng_retry_start(struct eng_qp *qp, const struct eng_frame *frame)
{
	if (frame->reply == ENG_REPLY_RNR) {
		eng_retry_rnr(qp, frame->rnr_timer);
	} else if (frame->reply == ENG_REPLY_NAK_SEQ) {
		qp->counters[ENG_CNT_SEQ_NAKS]++;
		if (eng_retry_count(qp))
			eng_requester_go_back(qp);
	} else {
		wait_ack(qp);
	}
}

static void go_on(struct eng_qp *qp)
{
	qp->retry.wait = ENG_WAIT_NONE;
	eng_alarm_clear(qp);
}

void eng_retry_credit(struct eng_qp *qp, bool credit)
{
	struct eng_retry *retry = &qp->retry;

	if (retry->wait != ENG_WAIT_RNR)
		return;
	if (credit) {
		go_on(qp);
		retry->early = true;
		return;
	}
	retry->gap *= 2;
	retry->probe = time_now(qp) + retry->gap;
	arm_retry(qp);
}

static void ack_time_is_over(struct eng_qp *qp)
{
	go_on(qp);
	if (qp->attr.timeout)
		eng_retry_count(qp);
}

void eng_retry_tick(struct eng_qp *qp)
{
	struct eng_retry *retry = &qp->retry;
	u64 now;

	if (!retry->wait) {
		/* timer.c looks when the packets that arrived have been. */
		if (!qp->wired)
			eng_alarm_clear(qp);
		return;
	}
	now = time_now(qp);
	if (now < qp->alarm.at)
		return;
	if (now >= retry->full) {
		if (retry->wait == ENG_WAIT_ACK)
			ack_time_is_over(qp);
		else
			go_on(qp);
		return;
	}
	if (eng_qp_on_wire(qp)) {
		retry->probe = ENG_NO_DEADLINE;
		arm_retry(qp);
		return;
	}
	/* Only the RNR wait has two deadlines.  The answer sets the next one. */
	retry->probe = ENG_NO_DEADLINE;
	if (!eng_requester_probe(qp))
		retry->probe = now + retry->gap;
	arm_retry(qp);
}

void eng_retry_stop(struct eng_qp *qp)
{
	qp->retry.wait = ENG_WAIT_NONE;
	eng_alarm_stop(qp);
	qp->retry.early = false;
}
