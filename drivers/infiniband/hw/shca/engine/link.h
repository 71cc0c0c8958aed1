/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * link.h - how frames leave a QP: the only thing that requester and responder know of the way.
 *
 * direct.c implements it for peers on this host.
 */
#ifndef ENG_LINK_H
#define ENG_LINK_H

#include "types.h"

/* Queues a request to the connected peer; leaves with the flush. */
ENG_PRIVATE void eng_link_emit(struct eng_qp *qp, struct eng_frame *frame);
/* Sends a datagram to where its address handle points.  It may come back at once, lost. */
ENG_PRIVATE void eng_link_datagram(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame);
/* A multicast datagram goes on to the next member, or home. */
ENG_PRIVATE void eng_link_forward(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame);
/* eng_link_reply() for packets, and for frames of another QP than those that wait. */
ENG_PRIVATE void eng_link_reply_apart(struct eng_qp *qp, struct eng_runq *rq,
				      struct eng_frame *frame, u8 reply);
ENG_PRIVATE void eng_link_flush_replies(struct eng_qp *qp, struct eng_runq *rq);
ENG_PRIVATE void eng_link_flush_requests(struct eng_qp *qp, struct eng_runq *rq);
/* Makes somebody work on the frames that are away: the peer may wait for a worker. */
ENG_PRIVATE void eng_link_nudge(struct eng_qp *qp, struct eng_runq *rq);

static ENG_INLINE void eng_chain_add(struct eng_chain *chain, struct eng_frame *frame)
{
	frame->item.next = chain->newest;
	if (!chain->newest)
		chain->oldest = &frame->item;
	chain->newest = &frame->item;
}

/* Answers @frame; several answers to one QP travel together, at the latest with the flush. */
static ENG_INLINE void eng_link_reply(struct eng_qp *qp, struct eng_runq *rq,
				      struct eng_frame *frame, u8 reply)
{
	struct eng_responder *resp = &qp->resp;

	if (env_unlikely(frame->flags & ENG_FRAME_WIRE ||
			 (resp->replies.newest &&
			  eng_item_frame(resp->replies.newest)->src != frame->src))) {
		eng_link_reply_apart(qp, rq, frame, reply);
		return;
	}
	frame->reply = reply;
	frame->msn = resp->msn;
	frame->flags |= ENG_FRAME_REPLY;
	eng_chain_add(&resp->replies, frame);
}

#endif
