// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * execute.c - what SEND, WRITE, READ and atomics do to memory and receive queue.
 *
 * Called by the responder with requests in sequence.  Begin checks everything (rights, bounds, a
 * receive) and sets the move up; the responder runs it, perhaps over several steps; finish
 * completes.
 *
 * An operation that the QP does not allow is an invalid request, while a key that does not allow it
 * is a remote access error: ibv_poll_cq's IBV_WC_REM_INV_REQ_ERR names operations that the queue
 * was not configured for, and hardware answers so.
 */
#include "cq.h"
#include "key.h"
#include "mr.h"
#include "recvq.h"
#include "responder.h"
#include "sge.h"
#include "state.h"
#include "xrc.h"

static void aim(struct eng_cursor *cursor, const struct eng_seg *segs, u32 count)
{
	cursor->seg = segs;
	cursor->segs = count;
	cursor->offset = 0;
}

/* A receive that failed here: it completes with @status and takes the QP to ERR. */
static void fail_receive(struct eng_qp *qp, u8 status)
{
	struct eng_completion c = { .status = status, .opcode = ENG_WC_RECV };

	eng_recvq_complete(qp, &c);
	eng_state_error(qp);
}

/* 0, or the reply that says why there is no receive. */
static u32 take_receive(struct eng_qp *qp)
{
	enum eng_taken taken;

	if (env_unlikely(eng_xrc_target(qp))) {
		eng_xrc_tidy(qp);
		if (!qp->srq)
			return ENG_REPLY_NAK_INV;
	}
	taken = eng_recvq_take(qp, 0);
	if (env_unlikely(eng_xrc_target(qp)) && taken == ENG_RECV_TAKEN)
		eng_xrc_taken(qp);
	if (taken == ENG_RECV_EMPTY)
		return ENG_REPLY_RNR;
	if (taken != ENG_RECV_TAKEN)
		return ENG_REPLY_NAK_OP;
	if (env_unlikely(qp->recv->bad)) {
		fail_receive(qp, ENG_WC_LOC_QP_OP_ERR);
		return ENG_REPLY_NAK_OP;
	}
	return 0;
}

/* 9.7.4.1.4 and after: a SEND's packet fills its part of the receive. */
static u32 begin_send_packet(struct eng_qp *qp, struct eng_frame *frame)
{
	const struct eng_pd *pd = qp->srq ? qp->srq->pd : qp->pd;
	u32 offset = qp->wire.arriving.offset, refused;

	if (!(frame->flags & ENG_FRAME_CONT)) {
		refused = take_receive(qp);
		if (env_unlikely(refused))
			return refused;
	}
	if (env_unlikely((u64)offset + frame->length > qp->recv->total)) {
		fail_receive(qp, ENG_WC_LOC_LEN_ERR);
		return ENG_REPLY_NAK_INV;
	}
	aim(&qp->resp.move.dst, eng_recvq_segs(qp), qp->recv->segs);
	if (env_unlikely(!eng_sge_resolve_range(qp, pd, &qp->resp.move.dst, (struct eng_sge_range) {
				offset, frame->length, ENG_ACCESS_LOCAL_WRITE }))) {
		fail_receive(qp, ENG_WC_LOC_PROT_ERR);
		return ENG_REPLY_NAK_OP;
	}
	if (env_unlikely(frame->flags & ENG_FRAME_INV && !eng_key_revocable(qp, frame->imm))) {
		eng_execute_drop(qp);
		return ENG_REPLY_NAK_ACCESS;
	}
	aim(&qp->resp.move.src, frame->payload, frame->segs);
	return ENG_BEGUN_MOVE;
}

static u32 begin_send(struct eng_qp *qp, struct eng_frame *frame)
{
	const struct eng_pd *pd = qp->srq ? qp->srq->pd : qp->pd;
	u32 refused = take_receive(qp);

	if (env_unlikely(refused))
		return refused;
	/* 9.7.5.2.7 / F36: too long is our length error and the sender's invalid request. */
	if (env_unlikely(frame->length > qp->recv->total)) {
		fail_receive(qp, ENG_WC_LOC_LEN_ERR);
		return ENG_REPLY_NAK_INV;
	}
	if (env_unlikely(!eng_sge_resolve(qp, pd, eng_recvq_segs(qp), frame->length,
					  ENG_ACCESS_LOCAL_WRITE))) {
		fail_receive(qp, ENG_WC_LOC_PROT_ERR);
		return ENG_REPLY_NAK_OP;
	}
	if (env_unlikely(frame->flags & ENG_FRAME_INV && !eng_key_revocable(qp, frame->imm))) {
		eng_execute_drop(qp);
		return ENG_REPLY_NAK_ACCESS;
	}
	aim(&qp->resp.move.dst, eng_recvq_segs(qp), qp->recv->segs);
	aim(&qp->resp.move.src, frame->payload, frame->segs);
	return ENG_BEGUN_MOVE;
}

/* What va and rkey name, with our rights checked.  Zero bytes need no key (9.7.4.1.5). */
static bool take_remote(struct eng_qp *qp, const struct eng_frame *frame, u32 access, u32 length)
{
	struct eng_seg *remote = &qp->resp.remote;
	struct eng_mr_want want = {
		.addr = frame->va,
		.length = length,
		.key = frame->rkey,
		.access = access,
		.qpn = qp->qpn,
	};

	remote->addr = frame->va;
	remote->length = length;
	remote->mr = NULL;
	if (!length)
		return true;
	remote->mr = eng_mr_get(qp->dev, &qp->remote_mr, qp->pd, want);
	return remote->mr != NULL;
}

/* The right to write, and the receive that an immediate takes.  0, or the refusal. */
static u32 may_write(struct eng_qp *qp, const struct eng_frame *frame)
{
	if (!(qp->attr.access & ENG_ACCESS_REMOTE_WRITE))
		return ENG_REPLY_NAK_INV;
	return frame->flags & ENG_FRAME_RECEIVE ? take_receive(qp) : 0;
}

static u32 aim_write(struct eng_qp *qp, struct eng_frame *frame)
{
	if (!take_remote(qp, frame, ENG_ACCESS_REMOTE_WRITE, frame->length))
		return ENG_REPLY_NAK_ACCESS;
	aim(&qp->resp.move.dst, &qp->resp.remote, 1);
	aim(&qp->resp.move.src, frame->payload, frame->segs);
	return ENG_BEGUN_MOVE;
}

static u32 begin_write(struct eng_qp *qp, struct eng_frame *frame)
{
	u32 refused = may_write(qp, frame);

	return refused ? refused : aim_write(qp, frame);
}

/* The rights of a whole WRITE are looked at with its first packet, its own with each. */
static u32 begin_write_packet(struct eng_qp *qp, struct eng_frame *frame)
{
	u32 refused = may_write(qp, frame);

	if (refused)
		return refused;
	if (frame->flags & ENG_FRAME_MORE && !(frame->flags & ENG_FRAME_CONT)) {
		if (!take_remote(qp, frame, ENG_ACCESS_REMOTE_WRITE, qp->wire.arriving.dma_length))
			return ENG_REPLY_NAK_ACCESS;
		eng_execute_drop(qp);
	}
	return aim_write(qp, frame);
}

static u32 begin_read(struct eng_qp *qp, struct eng_frame *frame)
{
	/* 9.7.4.1.2 and F24: no resources for READs means an invalid request. */
	if (!(qp->attr.access & ENG_ACCESS_REMOTE_READ) || !qp->attr.max_dest_rd_atomic)
		return ENG_REPLY_NAK_INV;
	if (!take_remote(qp, frame, ENG_ACCESS_REMOTE_READ, frame->length))
		return ENG_REPLY_NAK_ACCESS;
	aim(&qp->resp.move.dst, frame->payload, frame->segs);
	aim(&qp->resp.move.src, &qp->resp.remote, 1);
	return ENG_BEGUN_MOVE;
}

/* The old value travels back as eight bytes of payload. */
static u32 return_value(struct eng_qp *qp, struct eng_frame *frame, u64 value)
{
	struct eng_seg *raw = &qp->resp.raw;

	frame->compare_add = value;
	raw->addr = (u64)(unsigned long)&frame->compare_add;
	raw->length = 8;
	raw->mr = NULL;
	aim(&qp->resp.move.src, raw, 1);
	aim(&qp->resp.move.dst, frame->payload, frame->segs);
	return ENG_BEGUN_MOVE;
}

static u64 apply(const struct eng_frame *frame, u64 *word)
{
	if (frame->op == ENG_OP_FETCH_ADD)
		return env_fetch_add(word, frame->compare_add);
	return env_cmpxchg(word, frame->compare_add, frame->swap);
}

static u32 begin_atomic(struct eng_qp *qp, struct eng_frame *frame)
{
	struct eng_responder *resp = &qp->resp;
	struct eng_result *result;
	u64 *word;
	u64 value;

	if (!(qp->attr.access & ENG_ACCESS_REMOTE_ATOMIC) || !qp->attr.max_dest_rd_atomic ||
	    frame->va & 7)
		return ENG_REPLY_NAK_INV;
	if (!take_remote(qp, frame, ENG_ACCESS_REMOTE_ATOMIC, 8))
		return ENG_REPLY_NAK_ACCESS;
	word = (u64 *)eng_copy_pointer(&resp->remote, 8);
	/* A region may begin anywhere, so an aligned address need not mean aligned memory. */
	if (!word || (unsigned long)word & 7) {
		eng_execute_drop(qp);
		return ENG_REPLY_NAK_INV;
	}
	value = apply(frame, word);
	eng_execute_drop(qp);
	result = &qp->results[resp->next_result++ & (ENG_MAX_RD_ATOMIC - 1)];
	result->value = value;
	result->psn = frame->psn;
	result->used = 1;
	return return_value(qp, frame, value);
}

u32 eng_execute_repeat_atomic(struct eng_qp *qp, struct eng_frame *frame)
{
	u32 i;

	for (i = 0; i < ENG_MAX_RD_ATOMIC; i++) {
		const struct eng_result *result = &qp->results[i];

		if (result->used && result->psn == frame->psn)
			return return_value(qp, frame, result->value);
	}
	return ENG_REPLY_LOST;
}

static u32 (*const begins[ENG_OP_COUNT])(struct eng_qp *qp, struct eng_frame *frame) = {
	[ENG_OP_SEND]		= begin_send,
	[ENG_OP_WRITE]		= begin_write,
	[ENG_OP_READ]		= begin_read,
	[ENG_OP_CMP_SWAP]	= begin_atomic,
	[ENG_OP_FETCH_ADD]	= begin_atomic,
};

u32 eng_execute_packet(struct eng_qp *qp, struct eng_frame *frame)
{
	if (env_unlikely(eng_xrc_target(qp) && !eng_xrc_fits(qp, frame)))
		return ENG_REPLY_NAK_INV;
	if (frame->op == ENG_OP_WRITE)
		return begin_write_packet(qp, frame);
	if (frame->op == ENG_OP_SEND)
		return begin_send_packet(qp, frame);
	return begins[frame->op](qp, frame);
}

u32 eng_execute_begin(struct eng_qp *qp, struct eng_frame *frame)
{
	/* A14: no such SRQ in the domain, or not the one that the message began with. */
	if (env_unlikely(eng_xrc_target(qp) && !eng_xrc_fits(qp, frame)))
		return ENG_REPLY_NAK_INV;
	/* The two of the hot path are called directly. */
	if (frame->op == ENG_OP_WRITE)
		return begin_write(qp, frame);
	if (frame->op == ENG_OP_SEND)
		return begin_send(qp, frame);
	return begins[frame->op](qp, frame);
}

void eng_execute_drop(struct eng_qp *qp)
{
	eng_sge_release(&qp->resp.remote, 1);
	if (qp->recv->held)
		eng_sge_release(eng_recvq_segs(qp), qp->recv->segs);
}

static void complete_receive(struct eng_qp *qp, const struct eng_frame *frame)
{
	struct eng_completion c = {
		.byte_len = frame->length,
		.status = ENG_WC_SUCCESS,
		.opcode = frame->op == ENG_OP_WRITE ? ENG_WC_RECV_RDMA_WITH_IMM : ENG_WC_RECV,
		.solicited = frame->flags & ENG_FRAME_SOLICITED,
	};

	if (env_unlikely(frame->flags & ENG_FRAME_CONT))
		c.byte_len = qp->wire.arriving.offset;
	if (frame->flags & ENG_FRAME_IMM) {
		c.wc_flags = ENG_WC_WITH_IMM;
		c.ex = frame->imm;
	}
	if (env_unlikely(frame->flags & ENG_FRAME_INV)) {
		eng_key_revoke(qp, frame->imm);
		c.wc_flags = ENG_WC_WITH_INV;
		c.ex = frame->imm;
	}
	eng_recvq_complete(qp, &c);
}

void eng_execute_finish(struct eng_qp *qp, struct eng_frame *frame)
{
	struct eng_arriving *arriving = &qp->wire.arriving;

	eng_execute_drop(qp);
	if (env_unlikely(frame->flags & (ENG_FRAME_CONT | ENG_FRAME_MORE))) {
		arriving->offset += frame->length;
		arriving->open = frame->flags & ENG_FRAME_MORE;
	}
	if (frame->flags & ENG_FRAME_RECEIVE)
		complete_receive(qp, frame);
}

u8 eng_execute_fail(struct eng_qp *qp, struct eng_frame *frame, enum eng_moved moved)
{
	bool ours = (moved == ENG_MOVE_DST_GONE) == (frame->op <= ENG_OP_WRITE);

	eng_execute_drop(qp);
	if (!ours)
		return ENG_REPLY_SRC_GONE;
	if (frame->op != ENG_OP_SEND)
		return ENG_REPLY_NAK_ACCESS;
	fail_receive(qp, ENG_WC_LOC_PROT_ERR);
	return ENG_REPLY_NAK_OP;
}
