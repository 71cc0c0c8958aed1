// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * timer.c - when a reliable sender stops waiting, and how many packets it has in flight.
 *
 * Called by the sender (packets leave), the answers (packets are acknowledged) and the step.
 *
 * Two deadlines.  The local ACK timeout is that of IBTA vol. 1, 9.7.6.1.3: 4.096 us * 2^code
 * without progress take one of retry_cnt, and none left is RETRY_EXC_ERR; nothing else takes
 * one, since whatever else happens shows that the peer is alive.  Long before that the probe looks
 * for a lost tail: the oldest packet goes again, alone.  When there is an answer, but none to the
 * rest for one more round, the rest goes again too.  So a peer that is only late costs one packet.
 * Probes follow the measured round trip time and back off exponentially.
 *
 * The host's timer is not moved at every packet: it is armed for the first deadline and, when it
 * comes, for what is the deadline by then.  Where acknowledges come in time it would still expire
 * once per round trip for nothing, and an interrupt costs more than a small message: each time that
 * it finds nothing missing it is armed for twice as much later, until something is.
 */
#include "timer.h"
#include "alarm.h"
#include "repair.h"
#include "requester.h"
#include "retry.h"
#include "sender.h"
#include "sge.h"
#include "state.h"

enum { BACKOFF_MAX = 12, QUIET_MAX = 12 };

u64 eng_timer_now(struct eng_qp *qp)
{
	if (!qp->wire.now)
		qp->wire.now = qp->dev->ops->now(qp->dev);
	return qp->wire.now;
}

static u64 probe_gap(const struct eng_qp *qp)
{
	const struct eng_sender *out = &qp->wire.out;
	u64 gap = out->rtt ? out->rtt + 4 * out->rtt_var : ENG_PROBE_UNKNOWN_NS;

	if (gap < ENG_PROBE_LEAST_NS)
		gap = ENG_PROBE_LEAST_NS;
	gap <<= out->backoff;
	return gap < ENG_RESEND_IDLE_NS ? gap : ENG_RESEND_IDLE_NS;
}

/* A fraction of the local ACK timeout at most: a probe comes before it. */
static u64 lateness(const struct eng_qp *qp)
{
	u64 gap = probe_gap(qp), late = (gap << qp->wire.out.quiet) - gap, most = ENG_PROBE_LATE_NS;

	if (qp->attr.timeout && most > 512ull << (qp->attr.timeout & 31))
		most = 512ull << (qp->attr.timeout & 31);
	return late < most ? late : most;
}

static void arm(struct eng_qp *qp)
{
	const struct eng_sender *out = &qp->wire.out;
	u64 late = lateness(qp) / 2, at = out->probe_at + late;

	if (at >= out->ack_end)
		eng_alarm_by(qp, out->ack_end, 0);
	else
		eng_alarm_by(qp, at, late < out->ack_end - at ? late : out->ack_end - at);
}

static void begin_waiting(struct eng_qp *qp)
{
	struct eng_sender *out = &qp->wire.out;

	out->ack_end = ENG_NO_DEADLINE;
	if (qp->attr.timeout)
		out->ack_end = eng_timer_now(qp) + (4096ull << (qp->attr.timeout & 31));
}

void eng_timer_sent(struct eng_qp *qp, u32 psn, bool sample)
{
	struct eng_sender *out = &qp->wire.out;

	if (!eng_sender_in_flight(qp))
		begin_waiting(qp);
	if (sample && !out->sample_at) {
		out->sample_at = eng_timer_now(qp);
		out->sample_psn = psn;
	}
	/* What follows a repair does not put off the look for its answer. */
	if (env_likely(!out->repairing))
		out->probe_at = eng_timer_now(qp) + probe_gap(qp);
	arm(qp);
}

/* RFC 6298's estimate, which serves here as well. */
static void take_sample(struct eng_qp *qp, u32 psn)
{
	struct eng_sender *out = &qp->wire.out;
	u64 took, off;

	if (!out->sample_at || eng_psn_diff(psn, out->sample_psn) < 0)
		return;
	took = eng_timer_now(qp) - out->sample_at;
	out->sample_at = 0;
	if (!out->rtt || took < out->rtt_least)
		out->rtt_least = took;
	if (!out->rtt) {
		out->rtt = took + 1;
		out->rtt_var = took / 2;
		return;
	}
	off = took > out->rtt ? took - out->rtt : out->rtt - took;
	out->rtt_var += off / 4;
	out->rtt_var -= out->rtt_var / 4;
	out->rtt += took / 8 + 1;
	out->rtt -= out->rtt / 8;
}

static void widen(struct eng_sender *out, u32 packets)
{
	if (out->window < ENG_SEND_WINDOW_MIN)
		out->window = ENG_SEND_WINDOW_MIN;
	out->grow += packets;
	if (out->lost) {
		if (out->grow < out->window)
			return;
		out->window++;
	} else {
		out->window += out->grow;
	}
	out->grow = 0;
	if (out->window > ENG_SEND_WINDOW_MAX)
		out->window = ENG_SEND_WINDOW_MAX;
}

void eng_timer_progress(struct eng_qp *qp, u32 psn, u32 packets)
{
	struct eng_sender *out = &qp->wire.out;

	eng_retry_progress(qp);
	if (env_unlikely(out->repairing || out->asking))
		eng_repair_progress(qp);
	take_sample(qp, psn);
	widen(out, packets);
	out->backoff = 0;
	begin_waiting(qp);
	out->probe_at = eng_timer_now(qp) + probe_gap(qp);
	/* While an RNR timer runs the host's timer is that one. */
	if (qp->retry.wait)
		return;
	if (eng_sender_in_flight(qp))
		arm(qp);
	else if (!qp->attr.rate_limit)
		eng_alarm_rest(qp);
}

void eng_timer_go_back(struct eng_qp *qp)
{
	qp->wire.out.sample_at = 0;
	qp->wire.out.probing = false;
	qp->wire.out.suspect = false;
	eng_requester_go_back(qp);
}

/*
 * Less in flight, unless a loss costs one packet only and there is no queue on the way that could
 * have been too long.
 */
static void narrow(struct eng_sender *out)
{
	out->lost = true;
	if (out->far == ENG_FAR_KEEPS && out->rtt < 2 * out->rtt_least)
		return;
	out->window -= out->window / 8;
	if (out->window < ENG_SEND_WINDOW_MIN)
		out->window = ENG_SEND_WINDOW_MIN;
}

bool eng_timer_lost(struct eng_qp *qp, u32 oldest)
{
	struct eng_sender *out = &qp->wire.out;
	u64 now = eng_timer_now(qp);

	/* What was just sent again cannot be missing yet: this is news of before. */
	if (out->recovered_at && out->recovered_psn == oldest &&
	    now - out->recovered_at < out->rtt / 2)
		return false;
	out->recovered_at = now;
	out->recovered_psn = oldest;
	qp->counters[ENG_CNT_EARLY_RECOVERIES]++;
	narrow(out);
	return true;
}

void eng_timer_recover(struct eng_qp *qp)
{
	if (eng_timer_lost(qp, eng_sender_una(qp)))
		eng_timer_go_back(qp);
}

void eng_timer_repaired(struct eng_qp *qp)
{
	struct eng_sender *out = &qp->wire.out;

	out->sample_at = 0;
	out->probing = false;
	out->suspect = false;
	out->quiet = 0;
	/* It may wait behind twice as much as usual: eng_sender_window(). */
	out->probe_at = eng_timer_now(qp) + 2 * probe_gap(qp);
	arm(qp);
}

/* One packet until somebody answers. */
static void time_out(struct eng_qp *qp)
{
	eng_timer_go_back(qp);
	if (!eng_retry_count(qp))
		return;
	qp->wire.out.lost = true;
	qp->wire.out.window = 1;
	qp->wire.out.backoff = 0;
}

static struct eng_slot *oldest(const struct eng_qp *qp, u32 *done)
{
	*done = qp->sq.una_done;
	return eng_qp_slot(qp, qp->sq.una);
}

/*
 * What is asked: the newest packet, where the far end keeps what is behind a gap.  If it was lost
 * that is mended, if others were the first of them is named, and if none was all is acknowledged.
 * But if that brings no answer, or packets are sent again already, and for others: the oldest.
 */
static struct eng_slot *choose_probe(const struct eng_qp *qp, u32 *done)
{
	const struct eng_sender *out = &qp->wire.out;
	struct eng_slot *slot;

	if (out->far == ENG_FAR_KEEPS && !out->repairing && !out->backoff) {
		slot = eng_repair_slot(qp, eng_psn_add(eng_sender_nxt(qp), ENG_PSN_MASK), done);
		if (slot && !(slot->flags & ENG_SLOT_FETCH))
			return slot;
	}
	return oldest(qp, done);
}

static void probe(struct eng_qp *qp)
{
	struct eng_sender *out = &qp->wire.out;
	u32 done, psns;
	struct eng_slot *slot = choose_probe(qp, &done);
	u8 status = eng_requester_resolve(qp, slot);

	if (status && slot != eng_qp_slot(qp, qp->sq.una)) {
		slot = oldest(qp, &done);
		status = eng_requester_resolve(qp, slot);
	}
	if (status) {
		eng_requester_fail(qp, status);
		return;
	}
	psns = eng_sender_again(qp, slot, done);
	if (out->repairing)
		eng_repair_probed(qp, psns);
	if (!(slot->flags & ENG_SLOT_INLINE))
		eng_sge_release(slot->frame.payload, slot->frame.segs);
	out->probing = true;
	out->sample_at = 0;
	if (out->backoff < BACKOFF_MAX)
		out->backoff++;
	out->probe_at = eng_timer_now(qp) + probe_gap(qp);
}

/* The timer expired: was there a reason? */
static void note_expiry(struct eng_qp *qp, u64 now)
{
	struct eng_sender *out = &qp->wire.out;

	if (eng_sender_in_flight(qp) && now >= out->probe_at)
		out->quiet = 0;
	else if (out->quiet < QUIET_MAX)
		out->quiet++;
}

void eng_timer_tick(struct eng_qp *qp)
{
	struct eng_sender *out = &qp->wire.out;
	u64 now = eng_timer_now(qp);

	if (now < qp->alarm.at)
		return;
	eng_alarm_clear(qp);
	note_expiry(qp, now);
	if (!eng_qp_on_wire(qp) || !eng_sender_in_flight(qp) ||
	    (eng_state(qp) != ENG_QPS_RTS && eng_state(qp) != ENG_QPS_SQD))
		return;
	if (now >= out->ack_end) {
		time_out(qp);
		return;
	}
	if (now >= out->probe_at) {
		bool lost = out->suspect;

		out->suspect = false;
		out->probe_at = now + probe_gap(qp);
		if (lost)
			eng_timer_recover(qp);
		else
			probe(qp);
	}
	if (eng_sender_in_flight(qp))
		arm(qp);
}

void eng_timer_rest(struct eng_qp *qp)
{
	if (qp->type != ENG_QPT_RC || !eng_qp_on_wire(qp) || qp->retry.wait ||
	    qp->alarm.at != ENG_NO_DEADLINE || !eng_sender_in_flight(qp) ||
	    (eng_state(qp) != ENG_QPS_RTS && eng_state(qp) != ENG_QPS_SQD))
		return;
	/* A fault of ours, which costs time instead of a connection that hangs. */
	ENV_ASSERT(false);
	qp->wire.out.probe_at = eng_timer_now(qp) + probe_gap(qp);
	arm(qp);
}
