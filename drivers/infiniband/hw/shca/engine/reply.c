// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * reply.c - acknowledges, NAKs and READ responses as packets.
 *
 * Called by the responder.  One acknowledge answers all that a step took in (IBTA vol. 1,
 * 9.7.5.1.2: they may be coalesced); a READ response or a NAK acknowledges what was before it, so
 * what was owed is paid with it.  Small packets are lost when the host has no room: the requester
 * asks again.  READ responses wait for room, and what arrives behind such a READ waits with them:
 * answers leave in the order of their requests.
 */
#include "reply.h"
#include "hold.h"
#include "mr.h"
#include "packet.h"
#include "responder.h"
#include "sender.h"
#include "sge.h"
#include "state.h"

/* 9.7.7.2.1: the largest code that promises no more receives than there are. */
static u32 credit_code(u32 receives)
{
	u32 code = 0, shift;

	if (receives < 2)
		return receives;
	for (shift = 0; receives >> (shift + 2); shift++)
		code += 2;
	code += receives >> shift & 1 ? 3 : 2;
	return code < ENG_CREDITS_INVALID ? code : ENG_CREDITS_INVALID - 1;
}

/* A shared queue promises nothing to anybody. */
static u8 ack_syndrome(const struct eng_qp *qp)
{
	u32 ready;

	if (qp->srq || !qp->shared || !qp->rq.count)
		return ENG_SYN_ACK | ENG_CREDITS_INVALID;
	ready = env_read(qp->shared->rq_prod) - qp->rq.cons;
	if (ready > qp->rq.count)
		ready = 0;
	return (u8)(ENG_SYN_ACK | credit_code(ready));
}

static void fill_short(struct eng_qp *qp, struct eng_header *h, struct eng_tx *tx)
{
	h->service = eng_sender_service(qp);
	h->dest_qpn = qp->attr.dest_qpn;
	h->msn = qp->resp.msn;
	*tx = (struct eng_tx) { .qp = qp, .control = true };
	tx->head_bytes = eng_packet_encode(h, tx->head);
	qp->wire.arriving.ack_owed = false;
}

static void send_short(struct eng_qp *qp, struct eng_header *h)
{
	struct eng_tx tx;

	fill_short(qp, h, &tx);
	eng_sender_transmit(qp, &tx);
}

static void send_syndrome(struct eng_qp *qp, u32 psn, u32 syndrome)
{
	struct eng_header h = { .op = ENG_PKT_ACK, .psn = psn, .syndrome = (u8)syndrome };

	send_short(qp, &h);
}

void eng_reply_acknowledge(struct eng_qp *qp)
{
	if (qp->wire.arriving.ack_owed && !qp->resp.cur)
		send_syndrome(qp, eng_psn_add(qp->resp.epsn, ENG_PSN_MASK), ack_syndrome(qp));
}

void eng_reply_gap(struct eng_qp *qp)
{
	if (qp->resp.nak_sent || qp->resp.cur || eng_hold_ready(&qp->wire.early, qp->resp.epsn) ||
	    !eng_state_receives(qp))
		return;
	send_syndrome(qp, qp->resp.epsn, ENG_SYN_NAK);
	qp->resp.nak_sent = true;
}

bool eng_reply_settle(struct eng_qp *qp, struct eng_tx *tx)
{
	struct eng_header h = { .op = ENG_PKT_ACK };

	/* What is held is taken in first. */
	if (!qp->wire.arriving.ack_owed || qp->resp.cur ||
	    eng_hold_ready(&qp->wire.early, qp->resp.epsn))
		return false;
	h.psn = eng_psn_add(qp->resp.epsn, ENG_PSN_MASK);
	h.syndrome = ack_syndrome(qp);
	fill_short(qp, &h, tx);
	if (!eng_sender_cable(qp))
		return false;
	qp->counters[ENG_CNT_TX_PACKETS]++;
	eng_qp_get(qp);
	return true;
}

void eng_reply_pay(struct eng_tx *tx, struct eng_runq *rq)
{
	struct eng_qp *qp = tx->qp;

	qp->dev->ops->transmit_alone(tx, rq);
	eng_qp_put(qp);
}

static void acknowledge_frame(struct eng_qp *qp, struct eng_frame *frame)
{
	struct eng_header h = {
		.op = ENG_PKT_ATOMIC_ACK,
		.psn = frame->psn,
		.syndrome = ack_syndrome(qp),
		.compare_add = frame->compare_add,
	};
	bool newest = eng_psn_add(frame->psn, 1) == qp->resp.epsn;

	if (frame->op == ENG_OP_READ)
		return;			/* answered by its responses */
	if (frame->op == ENG_OP_CMP_SWAP || frame->op == ENG_OP_FETCH_ADD)
		send_short(qp, &h);
	else if (frame->flags & ENG_FRAME_ACK_REQ || !newest)
		qp->wire.arriving.ack_owed = true;
}

void eng_reply_frame(struct eng_qp *qp, struct eng_frame *frame, u8 reply)
{
	static const u8 naks[ENG_REPLY_COUNT] = {
		[ENG_REPLY_NAK_SEQ]	= ENG_SYN_NAK,
		[ENG_REPLY_NAK_INV]	= ENG_SYN_NAK | 1,
		[ENG_REPLY_NAK_ACCESS]	= ENG_SYN_NAK | 2,
		[ENG_REPLY_NAK_OP]	= ENG_SYN_NAK | 3,
	};

	if (qp->type != ENG_QPT_RC)
		return;
	if (reply == ENG_REPLY_ACK)
		acknowledge_frame(qp, frame);
	else if (reply == ENG_REPLY_RNR)
		send_syndrome(qp, frame->psn, ENG_SYN_RNR | (frame->rnr_timer & ENG_SYN_VALUE));
	else if (reply == ENG_REPLY_NAK_SEQ)
		send_syndrome(qp, qp->resp.epsn, ENG_SYN_NAK);
	else if (naks[reply])
		send_syndrome(qp, frame->psn, naks[reply]);
}

static u8 response_op(u32 index, u32 count)
{
	if (index + 1 == count)
		return index ? ENG_PKT_RESPONSE_LAST : ENG_PKT_RESPONSE_ONLY;
	return index ? ENG_PKT_RESPONSE_MIDDLE : ENG_PKT_RESPONSE_FIRST;
}

/* The response that is next, from memory that is referenced.  False: no room. */
static bool send_response(struct eng_qp *qp, const struct eng_frame *frame,
			  const struct eng_seg *seg)
{
	struct eng_arriving *arriving = &qp->wire.arriving;
	u32 offset = arriving->sent << qp->mtu_shift;
	u32 n = frame->length - offset;
	struct eng_tx tx = { .qp = qp, .pinned = true, .payload = { seg, 1, 0 } };
	struct eng_header h = {
		.service = eng_sender_service(qp),
		.op = response_op(arriving->sent, frame->npsn),
		.dest_qpn = qp->attr.dest_qpn,
		.psn = eng_psn_add(frame->psn, arriving->sent),
		.syndrome = ack_syndrome(qp),
		/* It counts itself, unless it did before. */
		.msn = eng_psn_add(qp->resp.msn, frame->psn == qp->resp.epsn),
	};

	if (n > 1u << qp->mtu_shift)
		n = 1u << qp->mtu_shift;
	h.pad = (u8)(-n & 3);
	tx.payload.offset = offset;
	tx.payload_bytes = n;
	tx.pad = h.pad;
	tx.head_bytes = eng_packet_encode(&h, tx.head);
	if (!eng_sender_transmit(qp, &tx))
		return false;
	arriving->sent++;
	return true;
}

/*
 * The region is looked up for each portion, so that nobody who deregisters it waits for a peer that
 * does not take its responses.
 */
static struct eng_mr *take_region(struct eng_qp *qp, const struct eng_frame *frame)
{
	struct eng_mr_want want = {
		.addr = frame->va,
		.length = frame->length,
		.key = frame->rkey,
		.access = ENG_ACCESS_REMOTE_READ,
		.qpn = qp->qpn,
	};

	return eng_mr_get(qp->dev, &qp->remote_mr, qp->pd, want);
}

bool eng_reply_read(struct eng_qp *qp, struct eng_runq *rq, u8 *refused)
{
	struct eng_frame *frame = qp->resp.cur;
	struct eng_arriving *arriving = &qp->wire.arriving;
	struct eng_seg seg = { .addr = frame->va, .length = frame->length };
	bool more = true;

	*refused = ENG_REPLY_ACK;
	if (frame->length) {
		seg.mr = take_region(qp, frame);
		if (!seg.mr) {
			frame->psn = eng_psn_add(frame->psn, arriving->sent);
			*refused = ENG_REPLY_NAK_ACCESS;
			return false;
		}
	}
	/* What was owed is acknowledged by the first response. */
	arriving->ack_owed = false;
	while (rq->bytes_left && send_response(qp, frame, &seg)) {
		eng_sender_charge(rq, 1u << qp->mtu_shift);
		more = arriving->sent != frame->npsn;
		if (!more)
			break;
	}
	if (seg.mr)
		eng_mr_put(seg.mr);
	return more;
}
