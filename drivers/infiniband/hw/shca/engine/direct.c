// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * direct.c - the link between QPs of one host: the frame itself goes to the peer's inbox.
 *
 * Called with the sending QP owned.  Destinations are looked up under RCU for each chain (the last
 * one is remembered, never counted): a destroyed QP is not found, or its inbox is closed.  The
 * source of an answered frame needs no lookup, since it cannot go before its frames are home; RCU
 * keeps its memory for the kick that follows the push.
 */
#include "ah.h"
#include "inbox.h"
#include "link.h"
#include "mcast.h"
#include "reply.h"
#include "run.h"
#include "sender.h"

static ENG_COLD void come_home(struct eng_qp *qp, struct eng_frame *frame, u8 reply)
{
	frame->reply = reply;
	frame->flags |= ENG_FRAME_REPLY;
	eng_list_add(&qp->in, &frame->item);
}

static ENG_COLD void lose(struct eng_qp *qp, struct eng_frame *frame)
{
	qp->counters[ENG_CNT_DROPS]++;
	come_home(qp, frame, ENG_REPLY_LOST);
}

static bool ways_open(const struct eng_dev *from, const struct eng_dev *to)
{
	return to && env_read(from->port_up) && env_read(to->port_up);
}

/* Under RCU.  A destroyed QP's memory lives for a grace period after the generation moved. */
static ENG_INLINE struct eng_qp *find_peer(struct eng_qp_cache *cache, struct eng_dev *dev, u32 qpn)
{
	u64 generation = env_load_acquire(&dev->qp_generation);
	struct eng_qp *qp;

	if (env_likely(cache->generation == generation && cache->qpn == qpn && cache->dev == dev))
		return cache->qp;
	qp = env_table_find(&dev->qps, qpn);
	if (qp) {
		cache->qp = qp;
		cache->dev = dev;
		cache->qpn = qpn;
		cache->generation = generation;
	}
	return qp;
}

static bool deliver(struct eng_qp *qp, struct eng_runq *rq, struct eng_dev *to, u32 qpn,
		    struct eng_chain chain)
{
	struct eng_qp *dest;
	bool done = false;

	env_rcu_lock();
	dest = find_peer(&qp->dest, to, qpn);
	if (env_likely(dest && eng_inbox_push(&dest->inbox, chain))) {
		eng_run_kick(rq, dest);
		done = true;
	}
	env_rcu_unlock();
	return done;
}

static ENG_COLD void lose_chain(struct eng_qp *qp, struct eng_item *newest)
{
	struct eng_list lost = { NULL, NULL };
	struct eng_item *item;

	eng_list_add_chain(&lost, newest);
	while ((item = eng_list_pop(&lost)))
		lose(qp, eng_item_frame(item));
}

void eng_link_flush_requests(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_chain chain = qp->sq.out;

	if (!chain.newest)
		return;
	qp->sq.out.newest = NULL;
	qp->sq.emitted = true;
	if (env_unlikely(!ways_open(qp->dev, qp->attr.peer) ||
			 !deliver(qp, rq, qp->attr.peer, qp->attr.dest_qpn, chain)))
		lose_chain(qp, chain.newest);
}

void eng_link_flush_replies(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_chain chain = qp->resp.replies;
	struct eng_qp *home;

	if (!chain.newest)
		return;
	qp->resp.replies.newest = NULL;
	home = eng_item_frame(chain.newest)->src;
	env_rcu_lock();
	/* Cannot be closed: its frames are here. */
	if (env_likely(eng_inbox_push(&home->inbox, chain)))
		eng_run_kick(rq, home);
	else
		ENV_ASSERT(false);
	env_rcu_unlock();
}

void eng_link_emit(struct eng_qp *qp, struct eng_frame *frame)
{
	eng_chain_add(&qp->sq.out, frame);
}

void eng_link_reply_apart(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame,
			  u8 reply)
{
	if (frame->flags & ENG_FRAME_WIRE) {
		eng_reply_frame(qp, frame, reply);
		return;
	}
	eng_link_flush_replies(qp, rq);
	eng_link_reply(qp, rq, frame, reply);
}

/* The member after @after gets the frame next. */
static bool to_member(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame, u32 after)
{
	struct eng_chain chain = { &frame->item, &frame->item };
	struct eng_dev *dev = frame->ah->peer;

	while ((after = eng_mcast_next(dev, frame->ah->mgid, after))) {
		frame->dest_qpn = after;
		if (deliver(qp, rq, dev, after, chain))
			return true;
	}
	return false;
}

void eng_link_datagram(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	struct eng_chain chain = { &frame->item, &frame->item };
	struct eng_ah *ah = frame->ah;
	bool sent = false, outside = false;

	qp->sq.emitted = true;
	/* To a group both ways may lead: members on this host, and those behind the wire. */
	if (ah->wire)
		outside = eng_sender_datagram(qp, rq, eng_frame_slot(frame));
	if (ways_open(qp->dev, ah->peer))
		sent = ah->multicast ? to_member(qp, rq, frame, 0) :
				       deliver(qp, rq, ah->peer, frame->dest_qpn, chain);
	if (sent)
		return;
	if (outside)
		come_home(qp, frame, ENG_REPLY_ACK);
	else
		lose(qp, frame);
}

void eng_link_forward(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	/* A packet goes on by itself: arrival.c. */
	if (frame->flags & ENG_FRAME_WIRE)
		return;
	if (!frame->ah->multicast || !to_member(qp, rq, frame, frame->dest_qpn))
		eng_link_reply(qp, rq, frame, ENG_REPLY_ACK);
}

void eng_link_nudge(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_qp *dest;

	if (!qp->attr.peer)
		return;
	env_rcu_lock();
	dest = find_peer(&qp->dest, qp->attr.peer, qp->attr.dest_qpn);
	if (dest)
		eng_run_overtake(rq, dest);
	env_rcu_unlock();
}
