// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * responder.c - judges requests of connected peers: state, source, sequence; answers them.
 *
 * Called by the step of the QP that the request arrived at.  What a request does stands in
 * execute.c; here is when it may, what it moves in the sequence, and which answer it gets.
 */
#include "responder.h"
#include "cq.h"
#include "link.h"
#include "psn.h"
#include "recvq.h"
#include "reply.h"
#include "sge.h"
#include "state.h"
#include "xrc.h"

/* Events of refusals without a completion of ours (IBTA vol. 1, 9.9.3 and 11.6.3.2). */
static ENG_COLD void refuse(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame,
			    u32 reply)
{
	if (qp->type == ENG_QPT_UC) {
		/* 9.8.3: a bad request of an unreliable connection is dropped silently. */
		qp->wire.arriving.open = false;
		qp->counters[ENG_CNT_DROPS]++;
		eng_link_reply(qp, rq, frame,
			       reply == ENG_REPLY_SRC_GONE ? ENG_REPLY_SRC_GONE : ENG_REPLY_ACK);
		return;
	}
	if (reply == ENG_REPLY_RNR) {
		frame->rnr_timer = qp->attr.min_rnr_timer;
		/* What follows in flight is out of sequence now and needs no NAK. */
		qp->resp.nak_sent = true;
	} else if (eng_psn_diff(frame->psn, qp->resp.epsn) < 0) {
		/* A READ that comes again when its region is gone may be a ghost of one that was
		 * answered: who still waits for it is told, and nothing happens here. */
		qp->counters[ENG_CNT_ACCESS_NAKS] += reply == ENG_REPLY_NAK_ACCESS;
	} else if (reply == ENG_REPLY_NAK_ACCESS) {
		qp->counters[ENG_CNT_ACCESS_NAKS]++;
		eng_state_error_event(qp, ENG_EVENT_QP_ACCESS_ERR);
	} else if (reply == ENG_REPLY_NAK_INV) {
		eng_state_error_event(qp, ENG_EVENT_QP_REQ_ERR);
	}
	eng_link_reply(qp, rq, frame, (u8)reply);
}

static void advance(struct eng_qp *qp, const struct eng_frame *frame)
{
	struct eng_responder *resp = &qp->resp;

	if (frame->psn != resp->epsn)
		return;		/* a repetition */
	resp->epsn = eng_psn_add(frame->psn, frame->npsn);
	if (env_unlikely(frame->flags & ENG_FRAME_MORE))
		return;
	resp->msn = (resp->msn + 1) & ENG_PSN_MASK;
	if (env_unlikely(!resp->established)) {
		resp->established = true;
		if (eng_state(qp) == ENG_QPS_RTR)
			qp->dev->ops->qp_event(qp, ENG_EVENT_COMM_EST);
	}
}

static void done(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	qp->counters[ENG_CNT_BYTES] += frame->length;
	advance(qp, frame);
	eng_execute_finish(qp, frame);
	eng_link_reply(qp, rq, frame, ENG_REPLY_ACK);
}

/* A READ that came as a packet goes on. */
static ENG_APART bool resume_read(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_frame *frame = qp->resp.cur;
	u8 refused;

	if (eng_reply_read(qp, rq, &refused))
		return true;
	qp->resp.cur = NULL;
	if (refused == ENG_REPLY_ACK)
		done(qp, rq, frame);
	else
		refuse(qp, rq, frame, refused);
	return false;
}

static bool resume(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_frame *frame = qp->resp.cur;
	enum eng_moved moved;

	if (env_unlikely(frame->flags & ENG_FRAME_WIRE))
		return resume_read(qp, rq);
	moved = eng_copy_run(&qp->resp.move, &rq->bytes_left);
	if (moved == ENG_MOVE_MORE)
		return true;
	qp->resp.cur = NULL;
	if (env_likely(moved == ENG_MOVE_DONE))
		done(qp, rq, frame);
	else
		refuse(qp, rq, frame, eng_execute_fail(qp, frame, moved));
	return false;
}

bool eng_responder_resume(struct eng_qp *qp, struct eng_runq *rq)
{
	bool more;

	if (env_likely(!eng_xrc_target(qp)))
		return resume(qp, rq);
	eng_xrc_enter(qp, qp->resp.cur->srqn);
	more = resume(qp, rq);
	eng_xrc_leave(qp);
	return more;
}

static ENG_INLINE bool move_at_once(struct eng_responder *resp, struct eng_runq *rq, u32 length)
{
	if (!length)
		return true;
	if (length > rq->bytes_left ||
	    !eng_copy_quick(resp->move.dst.seg, resp->move.src.seg, length))
		return false;
	rq->bytes_left -= length;
	return true;
}

/* The bytes of a packet do not outlast this call, so they move whatever the budget says. */
static ENG_APART void act_on_packet(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	u32 budget = frame->length;
	enum eng_moved moved;

	if (frame->op == ENG_OP_READ) {
		/* Only the rights were asked for: the region is taken again for each portion. */
		eng_execute_drop(qp);
		qp->resp.cur = frame;
		resume_read(qp, rq);
		return;
	}
	qp->resp.move.left = frame->length;
	moved = eng_copy_run(&qp->resp.move, &budget);
	if (env_likely(moved == ENG_MOVE_DONE))
		done(qp, rq, frame);
	else
		refuse(qp, rq, frame, eng_execute_fail(qp, frame, moved));
}

/* Here and below, which link a frame came by is known where it is compiled for: @wire. */
static ENG_INLINE void act(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame,
			   u32 verdict, bool wire)
{
	if (env_unlikely(verdict != ENG_BEGUN_MOVE)) {
		refuse(qp, rq, frame, verdict);
		return;
	}
	if (wire) {
		act_on_packet(qp, rq, frame);
		return;
	}
	if (env_likely(move_at_once(&qp->resp, rq, frame->length))) {
		done(qp, rq, frame);
		return;
	}
	qp->resp.cur = frame;
	qp->resp.move.left = frame->length;
	resume(qp, rq);
}

/* Behind the expected PSN: IBTA vol. 1, 9.7.5.1.2, responses to duplicate requests. */
static ENG_COLD void repeat(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	bool wire = frame->flags & ENG_FRAME_WIRE;

	if (frame->op == ENG_OP_READ)
		act(qp, rq, frame, eng_execute_begin(qp, frame), wire);
	else if (frame->op == ENG_OP_CMP_SWAP || frame->op == ENG_OP_FETCH_ADD)
		act(qp, rq, frame, eng_execute_repeat_atomic(qp, frame), wire);
	else
		eng_link_reply(qp, rq, frame, ENG_REPLY_ACK);
}

/*
 * A whole message that we have seen a part of: it came in packets until its sender's link became
 * the direct one.  It begins anew, and a receive that is held is still there for it.
 */
static ENG_COLD bool began_elsewhere(const struct eng_frame *frame, s32 ahead)
{
	return !(frame->flags & ENG_FRAME_WIRE) && ahead + (s32)frame->npsn > 0;
}

static ENG_INLINE u32 begin(struct eng_qp *qp, struct eng_frame *frame, bool wire)
{
	return wire ? eng_execute_packet(qp, frame) : eng_execute_begin(qp, frame);
}

static ENG_INLINE void request_rc(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame,
				  bool wire)
{
	s32 ahead = eng_psn_diff(frame->psn, qp->resp.epsn);

	if (!wire && env_unlikely(frame->flags & ENG_FRAME_PROBE)) {
		eng_link_reply(qp, rq, frame, eng_recvq_ready(qp) ? ENG_REPLY_CREDIT :
								    ENG_REPLY_NO_CREDIT);
		return;
	}
	if (env_unlikely(ahead > 0)) {
		/* 9.7.5.2.2: one NAK per gap, the rest is dropped. */
		eng_link_reply(qp, rq, frame, qp->resp.nak_sent ? ENG_REPLY_LOST :
								  ENG_REPLY_NAK_SEQ);
		qp->resp.nak_sent = true;
		return;
	}
	if (env_unlikely(ahead < 0)) {
		if (!began_elsewhere(frame, ahead)) {
			repeat(qp, rq, frame);
			return;
		}
		qp->resp.epsn = frame->psn;
		qp->wire.arriving.open = false;
	}
	qp->resp.nak_sent = false;
	/* 9.7.4.1.6: packets that do not fill our path MTU, or exceed it, are invalid requests. */
	if (env_unlikely(frame->npsn != eng_psn_count(frame->length, qp->mtu_shift))) {
		refuse(qp, rq, frame, ENG_REPLY_NAK_INV);
		return;
	}
	act(qp, rq, frame, begin(qp, frame, wire), wire);
}

static void request_uc(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame, bool wire)
{
	/* 9.8.2.2.1: the first packet of a message is accepted at any PSN. */
	qp->resp.epsn = frame->psn;
	if (frame->npsn != eng_psn_count(frame->length, qp->mtu_shift))
		refuse(qp, rq, frame, ENG_REPLY_NAK_INV);
	else
		act(qp, rq, frame, begin(qp, frame, wire), wire);
}

/* 9.6.1: the service must fit, and a connected QP listens to its peer only. */
static bool from_peer(const struct eng_qp *qp, const struct eng_frame *frame)
{
	/* An XRC target sends nothing, an initiator receives nothing. */
	static const u8 partner[] = {
		[ENG_XRC_NONE] = ENG_XRC_NONE, [ENG_XRC_INI] = ENG_XRC_TGT, [ENG_XRC_TGT] = 255,
	};
	const struct eng_qp *src = frame->src;

	return src->type == qp->type && partner[src->xrc] == qp->xrc &&
	       src->qpn == qp->attr.dest_qpn && src->dev == qp->attr.peer;
}

static ENG_INLINE void judge_request(struct eng_qp *qp, struct eng_runq *rq,
				     struct eng_frame *frame, bool wire)
{
	if (qp->type == ENG_QPT_UD) {
		eng_ud_receive(qp, rq, frame);
		return;
	}
	/* Of packets arrival.c has compared the addresses. */
	if (env_unlikely(!eng_state_receives(qp) || !(wire || from_peer(qp, frame)))) {
		qp->counters[ENG_CNT_DROPS]++;
		if (frame->ah)
			eng_link_forward(qp, rq, frame);
		else
			eng_link_reply(qp, rq, frame, ENG_REPLY_LOST);
		return;
	}
	/* The peer left the wire, where a READ of its waits for room, and asks again here. */
	if (!wire && env_unlikely(qp->resp.cur)) {
		eng_responder_abort(qp, rq);
		qp->wire.blocked = false;
	}
	if (qp->type == ENG_QPT_RC)
		request_rc(qp, rq, frame, wire);
	else
		request_uc(qp, rq, frame, wire);
}

/* Two entries, so that each is in line where it is called from. */
static ENG_INLINE void take_request(struct eng_qp *qp, struct eng_runq *rq,
				    struct eng_frame *frame, bool wire)
{
	bool target = eng_xrc_target(qp);

	if (env_unlikely(target))
		eng_xrc_enter(qp, frame->srqn);
	judge_request(qp, rq, frame, wire);
	if (env_unlikely(target))
		eng_xrc_leave(qp);
}

void eng_responder_request(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	take_request(qp, rq, frame, false);
}

void eng_responder_packet(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	take_request(qp, rq, frame, true);
}

void eng_responder_abort(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_frame *frame = qp->resp.cur;

	if (!frame)
		return;
	qp->resp.cur = NULL;
	eng_execute_drop(qp);
	eng_link_reply(qp, rq, frame, ENG_REPLY_LOST);
}
