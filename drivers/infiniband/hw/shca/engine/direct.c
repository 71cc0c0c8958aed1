// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * direct.c - the link between QPs of one host: the frame itself goes to the peer's inbox.
 *
 * Called with the sending QP owned.  Destinations are looked up under RCU for each chain, never
 * kept: a destroyed QP is simply not found, or its inbox is closed.  The source of an answered
 * frame needs no lookup, since it cannot go before its frames are home; RCU keeps its memory for
 * the kick that follows the push.
 */
#include "ah.h"
#include "inbox.h"
#include "link.h"
#include "mcast.h"
#include "run.h"

static void lose(struct eng_qp *qp, struct eng_frame *frame)
{
	qp->counters[ENG_CNT_DROPS]++;
	frame->reply = ENG_REPLY_LOST;
	frame->flags |= ENG_FRAME_REPLY;
	eng_inbox_append(qp, frame);
}

void eng_link_emit(struct eng_qp *qp, struct eng_frame *frame)
{
	frame->next = qp->sq.out;
	if (!qp->sq.out)
		qp->sq.out_last = frame;
	qp->sq.out = frame;
}

static bool ways_open(const struct eng_dev *from, const struct eng_dev *to)
{
	return to && env_read(from->port_up) && env_read(to->port_up);
}

static bool deliver(struct eng_dev *to, struct eng_runq *rq, u32 qpn, struct eng_frame *newest,
		    struct eng_frame *oldest)
{
	struct eng_qp *dest;
	bool done = false;

	env_rcu_lock();
	dest = env_table_find(&to->qps, qpn);
	if (dest && eng_inbox_push(dest, newest, oldest)) {
		eng_kick(rq, dest);
		done = true;
	}
	env_rcu_unlock();
	return done;
}

static void flush_requests(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_frame *newest = qp->sq.out, *oldest_first = NULL, *next;

	if (!newest)
		return;
	qp->sq.out = NULL;
	qp->sq.emitted = true;
	if (env_likely(ways_open(qp->dev, qp->attr.peer) &&
		       deliver(qp->attr.peer, rq, qp->attr.dest_qpn, newest, qp->sq.out_last)))
		return;
	for (; newest; newest = next) {
		next = newest->next;
		newest->next = oldest_first;
		oldest_first = newest;
	}
	for (; oldest_first; oldest_first = next) {
		next = oldest_first->next;
		lose(qp, oldest_first);
	}
}

static void flush_replies(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_frame *newest = qp->resp.replies;
	struct eng_qp *home;

	if (!newest)
		return;
	qp->resp.replies = NULL;
	home = newest->src;
	env_rcu_lock();
	/* Cannot be closed: its frames are here. */
	if (eng_inbox_push(home, newest, qp->resp.replies_last))
		eng_kick(rq, home);
	else
		ENV_ASSERT(false);
	env_rcu_unlock();
}

void eng_link_reply(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame, u8 reply)
{
	struct eng_responder *resp = &qp->resp;

	if (resp->replies && resp->replies->src != frame->src)
		flush_replies(qp, rq);
	frame->reply = reply;
	frame->msn = resp->msn;
	frame->flags |= ENG_FRAME_REPLY;
	frame->next = resp->replies;
	if (!resp->replies)
		resp->replies_last = frame;
	resp->replies = frame;
}

void eng_link_flush(struct eng_qp *qp, struct eng_runq *rq)
{
	flush_replies(qp, rq);
	flush_requests(qp, rq);
}

/* The member after @after gets the frame next. */
static bool to_member(struct eng_frame *frame, struct eng_runq *rq, u32 after)
{
	struct eng_dev *dev = frame->ah->peer;

	while ((after = eng_mcast_next(dev, frame->ah->mgid, after))) {
		frame->dest_qpn = after;
		if (deliver(dev, rq, after, frame, frame))
			return true;
	}
	return false;
}

void eng_link_datagram(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	struct eng_ah *ah = frame->ah;
	bool sent = false;

	qp->sq.emitted = true;
	if (ways_open(qp->dev, ah->peer))
		sent = ah->multicast ? to_member(frame, rq, 0) :
				       deliver(ah->peer, rq, frame->dest_qpn, frame, frame);
	if (!sent)
		lose(qp, frame);
}

void eng_link_forward(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	if (!frame->ah->multicast || !to_member(frame, rq, frame->dest_qpn))
		eng_link_reply(qp, rq, frame, ENG_REPLY_ACK);
}

void eng_link_nudge(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_qp *dest;

	if (!qp->attr.peer)
		return;
	env_rcu_lock();
	dest = env_table_find(&qp->attr.peer->qps, qp->attr.dest_qpn);
	if (dest)
		eng_run_overtake(rq, dest);
	env_rcu_unlock();
}
