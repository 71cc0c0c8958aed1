// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * sender.c - cuts requests into packets and hands them to the host.
 *
 * Called by the requester, which decides the order, and by timers.  Payload is never kept: a packet
 * that must go again is read again from the memory that its work request names.  What bounds a
 * QP's packets in flight is its window (timer.c moves it), the peer's credits, and the host's room.
 *
 * A READ goes out as requests for a few packets each, aligned to that number from the start of the
 * message, so that responses of a request that was repeated end where they did before, and so that
 * no peer is asked for more than the receiving host can hold.
 */
#include "sender.h"
#include "headers.h"
#include "hold.h"
#include "packet.h"
#include "state.h"
#include "timer.h"

bool eng_sender_cable(struct eng_qp *qp)
{
	if (env_likely(env_read(qp->dev->port_up)))
		return true;
	qp->counters[ENG_CNT_DROPS]++;
	return false;
}

bool eng_sender_transmit(struct eng_qp *qp, struct eng_tx *tx)
{
	qp->wired = true;
	if (env_unlikely(!eng_sender_cable(qp)))
		return true;
	if (env_unlikely(!qp->dev->ops->transmit(tx))) {
		if (!tx->control)
			qp->wire.blocked = true;
		return false;
	}
	qp->wire.sent = true;
	qp->counters[ENG_CNT_TX_PACKETS]++;
	return true;
}

void eng_sender_start(struct eng_qp *qp)
{
	struct eng_sender *out = &qp->wire.out;

	env_memset(out, 0, sizeof(*out));
	out->max_psn = eng_sender_nxt(qp);
	out->acked = eng_sender_una(qp);
	out->window = ENG_SEND_WINDOW_FIRST;
	/* Requests that went another way before were not numbered. */
	out->uncounted = qp->sq.tail != 0;
}

void eng_sender_number(struct eng_qp *qp, struct eng_slot *slot)
{
	u32 each = eng_sender_read_packets(qp);

	/* Each piece of a READ is a request of its own. */
	if (slot->frame.op == ENG_OP_READ)
		qp->sq.ssn += (slot->frame.npsn + each - 1) / each;
	else
		qp->sq.ssn += slot->frame.npsn != 0;
	slot->frame.msn = qp->sq.ssn & ENG_PSN_MASK;
}

static bool has_credit(const struct eng_qp *qp, const struct eng_slot *slot)
{
	const struct eng_sender *out = &qp->wire.out;

	return !out->limited || !(slot->frame.flags & ENG_FRAME_RECEIVE) ||
	       eng_psn_diff(slot->frame.msn, out->limit) <= 0;
}

bool eng_sender_may(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot)
{
	if (qp->wire.blocked)
		return false;
	if (env_unlikely(!rq->bytes_left)) {
		qp->wire.starved = true;
		return false;
	}
	if (qp->type != ENG_QPT_RC)
		return true;
	if (eng_sender_in_flight(qp) >= eng_sender_window(qp))
		return false;
	/* 9.7.7.2.5: without a credit a message waits until nothing is in flight. */
	return qp->sq.nxt_done || qp->sq.una == qp->sq.nxt || has_credit(qp, slot);
}

/* Is the next request one that may follow at once? */
static bool another_follows(const struct eng_qp *qp)
{
	const struct eng_slot *next;

	if (qp->sq.nxt + 1 == qp->sq.tail)
		return false;
	next = eng_qp_slot(qp, qp->sq.nxt + 1);
	return !next->status && has_credit(qp, next) &&
	       !(next->flags & (ENG_SLOT_FENCE | ENG_SLOT_FETCH | ENG_SLOT_LOCAL | ENG_SLOT_AWAY));
}

/*
 * Nobody waits for a WRITE that has no completion: it is acknowledged with what comes later, or by
 * a probe.  Not so where slots get scarce, or the queue is to be drained.
 */
static bool can_wait(const struct eng_qp *qp)
{
	const struct eng_slot *slot = eng_qp_slot(qp, qp->sq.nxt);

	return !(slot->flags & ENG_SLOT_SIGNALED) && slot->frame.op == ENG_OP_WRITE &&
	       !(slot->frame.flags & ENG_FRAME_RECEIVE) && eng_state(qp) == ENG_QPS_RTS &&
	       qp->sq.nxt - qp->sq.una < qp->window / 2;
}

/* Asked where nothing follows that would be asked for, and now and then. */
static bool wants_ack(const struct eng_qp *qp, const struct eng_runq *rq, u32 psn, bool last)
{
	if (qp->type != ENG_QPT_RC)
		return false;
	return (psn & (ENG_ACK_EVERY - 1)) == ENG_ACK_EVERY - 1 ||
	       (last && !another_follows(qp) && !can_wait(qp)) ||
	       rq->bytes_left <= 1u << qp->mtu_shift ||
	       eng_sender_in_flight(qp) + 1 >= eng_sender_window(qp);
}

static u8 send_op(const struct eng_frame *frame, bool first, bool last)
{
	bool imm = frame->flags & ENG_FRAME_IMM, inv = frame->flags & ENG_FRAME_INV;

	if (!last)
		return first ? ENG_PKT_SEND_FIRST : ENG_PKT_SEND_MIDDLE;
	if (inv)
		return first ? ENG_PKT_SEND_ONLY_INV : ENG_PKT_SEND_LAST_INV;
	if (imm)
		return first ? ENG_PKT_SEND_ONLY_IMM : ENG_PKT_SEND_LAST_IMM;
	return first ? ENG_PKT_SEND_ONLY : ENG_PKT_SEND_LAST;
}

static u8 write_op(const struct eng_frame *frame, bool first, bool last)
{
	bool imm = frame->flags & ENG_FRAME_IMM;

	if (!last)
		return first ? ENG_PKT_WRITE_FIRST : ENG_PKT_WRITE_MIDDLE;
	if (imm)
		return first ? ENG_PKT_WRITE_ONLY_IMM : ENG_PKT_WRITE_LAST_IMM;
	return first ? ENG_PKT_WRITE_ONLY : ENG_PKT_WRITE_LAST;
}

/* Packet @index of a SEND or WRITE; the payload begins at @at. */
static void build_data(struct eng_qp *qp, const struct eng_slot *slot, u32 index,
		       const struct eng_cursor *at, struct eng_tx *tx, struct eng_header *h)
{
	const struct eng_frame *frame = &slot->frame;
	bool first = !index, last = index + 1 == frame->npsn;
	u32 mtu = 1u << qp->mtu_shift;
	u32 n = last ? frame->length - (index << qp->mtu_shift) : mtu;

	h->op = frame->op == ENG_OP_SEND ? send_op(frame, first, last) :
					   write_op(frame, first, last);
	h->va = frame->va;
	h->rkey = frame->rkey;
	h->dma_length = frame->length;
	h->imm = frame->imm;
	h->srqn = frame->srqn;
	h->solicited = last && frame->flags & ENG_FRAME_SOLICITED;
	h->pad = (u8)(-n & 3);
	tx->payload = *at;
	tx->payload_bytes = n;
	tx->pad = h->pad;
	tx->pinned = !(slot->flags & ENG_SLOT_INLINE);
	tx->control = false;
}

static void skip(struct eng_cursor *at, u32 bytes)
{
	while (bytes) {
		u32 room = at->seg->length - at->offset;

		if (bytes < room) {
			at->offset += bytes;
			return;
		}
		bytes -= room;
		/* The end of the list stays a place: nothing is read from there. */
		if (at->segs == 1) {
			at->offset = at->seg->length;
			return;
		}
		at->seg++;
		at->segs--;
		at->offset = 0;
	}
}

static void payload_at(const struct eng_frame *frame, u32 offset, struct eng_cursor *at)
{
	at->seg = frame->payload;
	at->segs = frame->segs;
	at->offset = 0;
	skip(at, offset);
}

/* A packet with @psns sequence numbers from @psn on is on its way. */
static void account(struct eng_qp *qp, struct eng_runq *rq, const struct eng_header *h, u32 psns,
		    u32 payload_bytes)
{
	struct eng_sender *out = &qp->wire.out;
	u32 end = eng_psn_add(h->psn, psns);
	bool again = eng_psn_diff(end, out->max_psn) <= 0;

	eng_sender_charge(rq, payload_bytes);
	if (env_unlikely(again))
		qp->counters[ENG_CNT_TX_AGAIN]++;
	else
		out->max_psn = end;
	if (qp->type == ENG_QPT_RC)
		eng_timer_sent(qp, h->psn, h->ack_req && !again);
}

static void set_begun(struct eng_qp *qp)
{
	if (qp->sq.begun == qp->sq.nxt)
		qp->sq.begun++;
}

static bool emit_data(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot)
{
	struct eng_frame *frame = &slot->frame;
	struct eng_header h = { .service = eng_sender_service(qp), .dest_qpn = qp->attr.dest_qpn };
	struct eng_tx tx = { .qp = qp };
	struct eng_cursor at;

	payload_at(frame, qp->sq.nxt_done << qp->mtu_shift, &at);
	while (eng_sender_may(qp, rq, slot)) {
		build_data(qp, slot, qp->sq.nxt_done, &at, &tx, &h);
		h.psn = eng_psn_add(frame->psn, qp->sq.nxt_done);
		h.ack_req = wants_ack(qp, rq, h.psn, qp->sq.nxt_done + 1 == frame->npsn);
		tx.head_bytes = eng_packet_encode(&h, tx.head);
		if (!eng_sender_transmit(qp, &tx))
			return false;
		skip(&at, tx.payload_bytes);
		set_begun(qp);
		account(qp, rq, &h, 1, tx.payload_bytes);
		if (++qp->sq.nxt_done == frame->npsn)
			return true;
	}
	return false;
}

/* The request for what is missing of the piece of a READ that packet @done lies in. */
static u32 build_read(const struct eng_qp *qp, const struct eng_frame *frame, u32 done,
		      struct eng_header *h)
{
	u32 each = eng_sender_read_packets(qp);
	u32 n = each - (done & (each - 1));
	u32 offset = done << qp->mtu_shift;

	if (n > frame->npsn - done)
		n = frame->npsn - done;
	h->op = ENG_PKT_READ;
	h->va = frame->va + offset;
	h->dma_length = frame->length - offset;
	if (h->dma_length > n << qp->mtu_shift)
		h->dma_length = n << qp->mtu_shift;
	return n;
}

/* A READ or atomic request from packet @done on; how many PSNs it takes. */
static u32 build_fetch(const struct eng_qp *qp, const struct eng_frame *frame, u32 done,
		       struct eng_header *h)
{
	h->service = eng_sender_service(qp);
	h->dest_qpn = qp->attr.dest_qpn;
	h->psn = eng_psn_add(frame->psn, done);
	h->ack_req = true;
	h->rkey = frame->rkey;
	h->srqn = frame->srqn;
	if (frame->op == ENG_OP_READ)
		return build_read(qp, frame, done, h);
	h->op = frame->op == ENG_OP_CMP_SWAP ? ENG_PKT_CMP_SWAP : ENG_PKT_FETCH_ADD;
	h->va = frame->va;
	h->swap = frame->swap;
	h->compare_add = frame->compare_add;
	return 1;
}

static bool emit_fetch(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot)
{
	struct eng_tx tx = { .qp = qp };
	u32 n, flying;

	while (eng_sender_may(qp, rq, slot) && qp->sq.fetching < qp->attr.max_rd_atomic) {
		struct eng_header h = { .op = 0 };

		n = build_fetch(qp, &slot->frame, qp->sq.nxt_done, &h);
		flying = eng_sender_in_flight(qp);
		if (flying && flying + n > eng_sender_window(qp))
			return false;
		tx.head_bytes = eng_packet_encode(&h, tx.head);
		if (!eng_sender_transmit(qp, &tx))
			return false;
		set_begun(qp);
		qp->sq.fetching++;
		account(qp, rq, &h, n, 0);
		qp->sq.nxt_done += n;
		if (qp->sq.nxt_done == slot->frame.npsn)
			return true;
	}
	return false;
}

bool eng_sender_emit(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot)
{
	if (!qp->sq.nxt_done) {
		qp->counters[ENG_CNT_FRAMES]++;
		/* What was said of an earlier request in this slot. */
		slot->frame.reply = ENG_REPLY_ACK;
	}
	return slot->flags & ENG_SLOT_FETCH ? emit_fetch(qp, rq, slot) : emit_data(qp, rq, slot);
}

/* Of a READ only the responses that are not here. */
static u32 ask_for_gap(struct eng_qp *qp, struct eng_header *h, u32 psns)
{
	const struct eng_packet *next = eng_hold_from(&qp->wire.out.early, h->psn);
	u32 gap = next ? (next->psn - h->psn) & ENG_PSN_MASK : psns;

	if (gap >= psns || h->op != ENG_PKT_READ)
		return psns;
	h->dma_length = gap << qp->mtu_shift;
	qp->wire.out.pieced = true;
	return gap;
}

u32 eng_sender_again(struct eng_qp *qp, struct eng_slot *slot, u32 done)
{
	struct eng_header h = { .service = eng_sender_service(qp), .dest_qpn = qp->attr.dest_qpn };
	struct eng_tx tx = { .qp = qp };
	struct eng_cursor at;
	u32 psns = 1;

	if (slot->flags & ENG_SLOT_FETCH) {
		psns = ask_for_gap(qp, &h, build_fetch(qp, &slot->frame, done, &h));
	} else {
		payload_at(&slot->frame, done << qp->mtu_shift, &at);
		build_data(qp, slot, done, &at, &tx, &h);
		h.psn = eng_psn_add(slot->frame.psn, done);
		h.ack_req = true;
	}
	tx.head_bytes = eng_packet_encode(&h, tx.head);
	if (!eng_sender_transmit(qp, &tx))
		return 0;
	qp->counters[ENG_CNT_TX_AGAIN]++;
	return psns;
}

bool eng_sender_datagram(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot)
{
	struct eng_frame *frame = &slot->frame;
	struct eng_header h = {
		.service = eng_sender_service(qp),
		.op = send_op(frame, true, true),
		.dest_qpn = frame->ah->multicast ? 0xffffff : frame->dest_qpn,
		.psn = frame->psn,
		.solicited = frame->flags & ENG_FRAME_SOLICITED,
		.pad = (u8)(-frame->length & 3),
		.qkey = frame->qkey,
		.src_qpn = qp->qpn,
		.imm = frame->imm,
	};
	struct eng_tx tx = {
		.qp = qp,
		.ah = frame->ah,
		.payload_bytes = frame->length,
		.pad = h.pad,
		.pinned = !(slot->flags & ENG_SLOT_INLINE),
	};

	payload_at(frame, 0, &tx.payload);
	tx.head_bytes = eng_packet_encode(&h, tx.head);
	if (!eng_sender_transmit(qp, &tx))
		return false;
	eng_sender_charge(rq, frame->length);
	return true;
}
