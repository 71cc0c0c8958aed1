// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * arrival.c - from the network to a QP, and from there to its responder or its requests.
 *
 * The host calls eng_wire_receive(): what can be judged without owning a QP is judged there, then
 * the packet waits in the QP's inbox (inbox.c), which is bounded, since it is filled by
 * strangers.  The owner takes it from there.  Nothing that a packet says is believed before it is
 * compared with what this side knows; whatever does not fit is dropped and counted by reason, or
 * answered as IBTA vol. 1, 9.7 and 9.8 have it.
 */
#include "arrival.h"
#include "answer.h"
#include "headers.h"
#include "hold.h"
#include "inbox.h"
#include "mcast.h"
#include "packet.h"
#include "psn.h"
#include "repair.h"
#include "reply.h"
#include "responder.h"
#include "run.h"
#include "sender.h"
#include "state.h"
#include "timer.h"

enum {
	MULTICAST_QPN = 0xffffff,
	/* Pieces that one packet's payload may lie in: pages of a socket buffer, and its head. */
	PACKET_SEGS = 20,
};

void eng_arrival_count(struct eng_dev *dev, enum eng_counter reason)
{
	(void)env_fetch_add(&dev->drops[reason - ENG_CNT_OF_QPS], 1);
}

/* 9.6.1.1: checks of the BTH.  0, or what is wrong. */
static u32 judge(const struct eng_packet *packet)
{
	const u8 *bth = packet->head;
	const struct eng_packet_row *row;
	u32 need, pad;

	if (packet->length < ENG_BTH_BYTES)
		return ENG_CNT_RX_SHORT;
	if (bth[1] & 0x0f)
		return ENG_CNT_RX_VERSION;
	row = eng_packet_row(bth[0]);
	if (!row)
		return ENG_CNT_RX_OPCODE;
	need = eng_packet_head_bytes(bth[0]);
	pad = bth[1] >> 4 & 3;
	if (packet->length < need)
		return ENG_CNT_RX_SHORT;
	if (packet->length & 3 || packet->length < need + pad)
		return ENG_CNT_RX_PAD;
	if (!(row->flags & ENG_HAS_PAYLOAD) && packet->length != need)
		return ENG_CNT_RX_PAYLOAD;
	/* 10.9.2: full and limited members of the default partition are ours. */
	if ((bth[2] & 0x7f) != 0x7f || bth[3] != 0xff)
		return ENG_CNT_RX_PKEY;
	return 0;
}

/* Source (@which 0) or destination (1) of the network header as a GID. */
static void gid_of(const u8 *net, u32 which, u8 gid[16])
{
	if (net[0] >> 4 == 6) {
		env_memcpy(gid, net + 8 + 16 * which, 16);
		return;
	}
	env_memset(gid, 0, 10);
	gid[10] = gid[11] = 0xff;
	env_memcpy(gid + 12, net + 12 + 4 * which, 4);
}

/* XRC: who only sends gets answers, who only receives gets requests. */
static bool wrong_way(const struct eng_qp *qp, u8 opcode)
{
	bool answer = eng_packet_row(opcode)->flags & ENG_IS_ANSWER;

	return qp->xrc && answer != (qp->xrc == ENG_XRC_INI);
}

/* False: the QP is gone, or has more than enough to do. */
static bool push_packet(struct eng_qp *qp, struct eng_packet *packet)
{
	struct eng_chain alone = { &packet->item, &packet->item };

	if (env_fetch_add(&qp->packets_waiting, 1) >= ENG_WIRE_INBOX) {
		(void)env_fetch_add(&qp->packets_waiting, -1ull);
		eng_arrival_count(qp->dev, ENG_CNT_RX_OVERFLOW);
		return false;
	}
	if (env_likely(eng_inbox_push(&qp->packet_inbox, alone)))
		return true;
	eng_arrival_count(qp->dev, ENG_CNT_RX_NO_QP);
	return false;
}

/* Under RCU. */
static bool to_qp(struct eng_dev *dev, struct eng_runq *rq, struct eng_packet *packet, u32 qpn)
{
	struct eng_qp *qp = env_table_find(&dev->qps, qpn);

	if (env_unlikely(!qp)) {
		eng_arrival_count(dev, ENG_CNT_RX_NO_QP);
		return false;
	}
	if (env_unlikely(packet->head[0] >> 5 != eng_sender_service(qp) ||
			 wrong_way(qp, packet->head[0]))) {
		eng_arrival_count(dev, ENG_CNT_RX_QP_TYPE);
		return false;
	}
	packet->qpn = qpn;
	packet->held = false;
	if (!push_packet(qp, packet))
		return false;
	eng_run_kick(rq, qp);
	return true;
}

/* A multicast datagram visits one member after the other; the next one behind @after. */
static bool to_group(struct eng_dev *dev, struct eng_runq *rq, struct eng_packet *packet, u32 after)
{
	u8 mgid[16];

	gid_of(packet->net, 1, mgid);
	while ((after = eng_mcast_next(dev, mgid, after)))
		if (to_qp(dev, rq, packet, after))
			return true;
	return false;
}

static u32 dest_of(const struct eng_packet *packet)
{
	return eng_get_be32(packet->head + 4) & 0xffffff;
}

void eng_wire_receive(struct eng_dev *dev, struct eng_runq *rq, struct eng_packet *packet)
{
	u32 wrong = judge(packet);
	bool taken;

	if (env_unlikely(wrong)) {
		eng_arrival_count(dev, (enum eng_counter)wrong);
		dev->ops->packet_done(packet);
		return;
	}
	env_rcu_lock();
	if (env_unlikely(dest_of(packet) == MULTICAST_QPN))
		taken = to_group(dev, rq, packet, 0);
	else
		taken = to_qp(dev, rq, packet, dest_of(packet));
	env_rcu_unlock();
	if (!taken)
		dev->ops->packet_done(packet);
}

static void let_go(struct eng_qp *qp, struct eng_runq *rq, struct eng_packet *packet)
{
	bool taken = false;

	if (env_likely(!packet->held))
		(void)env_fetch_add(&qp->packets_waiting, -1ull);
	if (env_unlikely(dest_of(packet) == MULTICAST_QPN)) {
		env_rcu_lock();
		taken = to_group(qp->dev, rq, packet, packet->qpn);
		env_rcu_unlock();
	}
	if (!taken)
		qp->dev->ops->packet_done(packet);
}

void eng_arrival_take(struct eng_qp *qp)
{
	eng_inbox_take(&qp->packet_inbox, &qp->wire.in);
	if (qp->wire.in.first)
		qp->wired = true;
}

static void drop_list(struct eng_qp *qp, struct eng_list *list)
{
	struct eng_item *item;

	while ((item = eng_list_pop(list))) {
		if (!eng_item_packet(item)->held)
			(void)env_fetch_add(&qp->packets_waiting, -1ull);
		qp->dev->ops->packet_done(eng_item_packet(item));
	}
}

void eng_arrival_forget(struct eng_qp *qp)
{
	drop_list(qp, &qp->wire.early);
	drop_list(qp, &qp->wire.out.early);
}

void eng_arrival_drop(struct eng_qp *qp)
{
	eng_arrival_take(qp);
	drop_list(qp, &qp->wire.in);
	eng_arrival_forget(qp);
}

void eng_arrival_close(struct eng_qp *qp)
{
	eng_inbox_close(&qp->packet_inbox, &qp->wire.in);
	drop_list(qp, &qp->wire.in);
	eng_arrival_forget(qp);
}

/* Where @length bytes of payload are; 0: nowhere that we could read. */
static u32 find_payload(struct eng_qp *qp, struct eng_packet *packet, u32 offset, u32 length,
			struct eng_seg *segs)
{
	u32 count = 0, n;
	const u8 *at;

	for (; length && count < PACKET_SEGS; count++, offset += n, length -= n) {
		if (offset < packet->head_bytes) {
			at = packet->head + offset;
			n = packet->head_bytes - offset;
		} else {
			n = qp->dev->ops->packet_span(packet, offset, &at);
		}
		if (!n)
			return 0;
		if (n > length)
			n = length;
		segs[count].addr = (u64)(unsigned long)at;
		segs[count].length = n;
		segs[count].mr = NULL;
	}
	return length ? 0 : count;
}

static u32 frame_flags(const struct eng_header *h)
{
	u32 flags = h->row->flags;
	u32 result = ENG_FRAME_WIRE;

	if (flags & ENG_IS_CONT)
		result |= ENG_FRAME_CONT;
	if (h->ack_req)
		result |= ENG_FRAME_ACK_REQ;
	if (flags & ENG_IS_MORE)
		return result | ENG_FRAME_MORE;
	if (flags & ENG_HAS_IMM)
		result |= ENG_FRAME_IMM;
	if (flags & ENG_HAS_INV)
		result |= ENG_FRAME_INV;
	if (flags & ENG_HAS_IMM || h->row->op == ENG_OP_SEND)
		result |= ENG_FRAME_RECEIVE | (h->solicited ? ENG_FRAME_SOLICITED : 0);
	return result;
}

static void fill_frame(struct eng_qp *qp, const struct eng_header *h, struct eng_frame *frame)
{
	*frame = (struct eng_frame) {
		.op = h->row->op,
		.flags = (u16)frame_flags(h),
		.psn = h->psn,
		.npsn = 1,
		.va = h->va,
		.rkey = h->rkey,
		.imm = h->imm,
		.qkey = h->qkey,
		.srqn = h->srqn,
		.compare_add = h->compare_add,
		.swap = h->swap,
	};
	if (h->op != ENG_PKT_READ)
		return;
	frame->length = h->dma_length;
	frame->npsn = eng_psn_count(h->dma_length, qp->mtu_shift);
	qp->wire.arriving.sent = 0;
}

/* 9.7.4.1.6: what the lengths of packets, and of their message, must be. */
static bool fits_mtu(const struct eng_qp *qp, u32 flags, u32 length)
{
	u32 mtu = 1u << qp->mtu_shift;

	return length <= mtu && (!(flags & ENG_IS_MORE) || length == mtu) &&
	       (!(flags & ENG_IS_CONT) || length);
}

static bool fits_message(const struct eng_qp *qp, const struct eng_header *h, u32 length)
{
	const struct eng_arriving *arriving = &qp->wire.arriving;
	u32 flags = h->row->flags;
	u64 total, here;

	if (!(flags & ENG_HAS_PAYLOAD))
		return h->op != ENG_PKT_READ || h->dma_length <= ENG_MESSAGE_MAX;
	here = length + (flags & ENG_IS_CONT ? (u64)arriving->offset : 0);
	total = flags & ENG_IS_CONT ? arriving->dma_length : h->dma_length;
	if (h->row->op != ENG_OP_WRITE)
		return here <= ENG_MESSAGE_MAX;
	return total <= ENG_MESSAGE_MAX && (flags & ENG_IS_MORE ? here < total : here == total);
}

/* 9.7.4.1.3, tables of the opcode sequence. */
static bool fits_sequence(const struct eng_arriving *arriving, const struct eng_header *h)
{
	bool cont = h->row->flags & ENG_IS_CONT;

	return cont == arriving->open && (!cont || h->row->op == arriving->op);
}

/* A packet in sequence becomes part of the message that it belongs to.  False: it does not fit. */
static bool place(struct eng_qp *qp, const struct eng_header *h, struct eng_frame *frame,
		  u32 length)
{
	struct eng_arriving *arriving = &qp->wire.arriving;

	if (!fits_sequence(arriving, h)) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_SEQUENCE);
		return false;
	}
	if (!fits_mtu(qp, h->row->flags, length)) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_PAYLOAD);
		return false;
	}
	if (!fits_message(qp, h, length)) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_LENGTH);
		return false;
	}
	if (frame->flags & ENG_FRAME_CONT) {
		frame->va = arriving->va + arriving->offset;
		frame->rkey = arriving->rkey;
		return true;
	}
	arriving->op = h->row->op;
	arriving->offset = 0;
	arriving->va = h->va;
	arriving->rkey = h->rkey;
	arriving->dma_length = h->dma_length;
	return true;
}

/* @length: of the payload, which @segs hold.  True: @packet is kept until its turn comes. */
static bool on_reliable(struct eng_qp *qp, struct eng_runq *rq, const struct eng_header *h,
			u32 length, struct eng_packet *packet)
{
	struct eng_arriving *arriving = &qp->wire.arriving;
	struct eng_frame *frame = &arriving->frame;
	s32 ahead = eng_psn_diff(h->psn, qp->resp.epsn);
	bool kept = false;

	if (ahead < 0) {
		qp->counters[ENG_CNT_RX_DUPLICATES]++;
	} else if (ahead > 0) {
		qp->counters[ENG_CNT_RX_GAPS]++;
		/* A second round that has lost its beginning again wants another NAK. */
		if (eng_psn_diff(h->psn, arriving->gap_psn) <= 0)
			qp->resp.nak_sent = false;
		arriving->gap_psn = h->psn;
		kept = eng_hold_keep(qp, &qp->wire.early, packet, h->psn, qp->resp.epsn) ==
		       ENG_HELD;
	} else {
		arriving->gap_psn = h->psn;
		/* A packet that breaks the rules has no PSNs: the responder refuses it. */
		if (!place(qp, h, frame, length))
			frame->npsn = 0;
	}
	eng_responder_packet(qp, rq, frame);
	return kept;
}

/* 9.8.2.2: the rest of a message that lost a packet is dropped, and a new one always begins. */
static void on_unreliable(struct eng_qp *qp, struct eng_runq *rq, const struct eng_header *h,
			  u32 length)
{
	struct eng_arriving *arriving = &qp->wire.arriving;
	struct eng_frame *frame = &arriving->frame;
	bool cont = frame->flags & ENG_FRAME_CONT;

	if (h->psn != qp->resp.epsn)
		qp->counters[ENG_CNT_RX_GAPS]++;
	if (cont && (h->psn != qp->resp.epsn || !arriving->open)) {
		arriving->open = false;
		qp->counters[ENG_CNT_DROPS]++;
		return;
	}
	if (!cont)
		arriving->open = false;
	if (!place(qp, h, frame, length)) {
		arriving->open = false;
		qp->counters[ENG_CNT_DROPS]++;
		return;
	}
	eng_responder_packet(qp, rq, frame);
}

/* A queue pair that is connected listens to its peer only. */
static bool from_path(const struct eng_qp *qp, const struct eng_packet *packet)
{
	u8 src[16], dst[16];

	gid_of(packet->net, 0, src);
	gid_of(packet->net, 1, dst);
	return eng_qp_on_wire(qp) && !env_memcmp(src, qp->attr.dgid, 16) &&
	       !env_memcmp(dst, qp->attr.sgid, 16);
}

/* A response came, but not the one before it, which is asked for again.  True: @packet is kept. */
static ENG_COLD bool hold_response(struct eng_qp *qp, struct eng_packet *packet, u32 psn)
{
	enum eng_held held = eng_hold_keep(qp, &qp->wire.out.early, packet, psn,
					   eng_sender_una(qp));

	if (held == ENG_HELD_NOT)
		eng_timer_recover(qp);
	else
		eng_repair_ask(qp, psn);
	return held == ENG_HELD;
}

/* True: @packet is kept. */
static bool take_in(struct eng_qp *qp, struct eng_runq *rq, struct eng_packet *packet)
{
	struct eng_arriving *arriving = &qp->wire.arriving;
	struct eng_seg segs[PACKET_SEGS];
	struct eng_header h = { .row = NULL };
	u32 length, count;
	bool kept = false;

	eng_packet_decode(&h, packet->head);
	length = packet->length - h.head_bytes - h.pad;
	count = find_payload(qp, packet, h.head_bytes, length, segs);
	if (length && !count) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_SHORT);
		return false;
	}
	if (qp->type != ENG_QPT_UD && !from_path(qp, packet)) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_ADDRESS);
		return false;
	}
	qp->counters[ENG_CNT_RX_PACKETS] += !packet->held;
	rq->bytes_left -= length < rq->bytes_left ? length : rq->bytes_left;
	if (h.row->flags & ENG_IS_ANSWER)
		return eng_answer_packet(qp, &h, segs, count, length) &&
		       hold_response(qp, packet, h.psn);
	if (!eng_state_receives(qp)) {
		eng_arrival_count(qp->dev, ENG_CNT_RX_QP_STATE);
		return false;
	}
	fill_frame(qp, &h, &arriving->frame);
	if (h.row->flags & ENG_HAS_PAYLOAD)
		arriving->frame.length = length;
	arriving->frame.payload = segs;
	arriving->frame.segs = count;
	arriving->packet = packet;
	arriving->src_qpn = h.src_qpn;
	if (qp->type == ENG_QPT_RC)
		kept = on_reliable(qp, rq, &h, length, packet);
	else if (qp->type == ENG_QPT_UC)
		on_unreliable(qp, rq, &h, length);
	else
		eng_responder_packet(qp, rq, &arriving->frame);
	/* Only a READ stays at hand, and it needs neither. */
	arriving->frame.payload = NULL;
	arriving->packet = NULL;
	return kept;
}

/* The packet of a list whose turn it is, by now, after those that are of no use any more. */
static struct eng_packet *next_of(struct eng_qp *qp, struct eng_list *held, u32 next)
{
	struct eng_packet *packet;

	while ((packet = eng_hold_first(held)) && eng_psn_diff(packet->psn, next) < 0) {
		eng_list_pop(held);
		qp->dev->ops->packet_done(packet);
	}
	return eng_hold_ready(held, next) ? eng_item_packet(eng_list_pop(held)) : NULL;
}

/* What closed a gap lets go of what was held behind it: that is next, and worth an acknowledge. */
static ENG_COLD struct eng_packet *next_held(struct eng_qp *qp)
{
	struct eng_packet *packet;

	if (!eng_state_receives(qp))
		eng_arrival_forget(qp);
	packet = next_of(qp, &qp->wire.out.early, eng_sender_una(qp));
	if (packet)
		return packet;
	packet = next_of(qp, &qp->wire.early, qp->resp.epsn);
	if (packet)
		qp->wire.arriving.ack_owed = true;
	return packet;
}

static struct eng_packet *next_packet(struct eng_qp *qp)
{
	struct eng_packet *packet = NULL;
	struct eng_item *item;

	if (env_unlikely(qp->wire.early.first || qp->wire.out.early.first))
		packet = next_held(qp);
	if (packet)
		return packet;
	item = eng_list_pop(&qp->wire.in);
	return item ? eng_item_packet(item) : NULL;
}

/* Is there a packet that can be worked on? */
static bool any_packet(const struct eng_qp *qp)
{
	return qp->wire.in.first || eng_hold_ready(&qp->wire.early, qp->resp.epsn) ||
	       eng_hold_ready(&qp->wire.out.early, eng_sender_una(qp));
}

bool eng_arrival_work(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_packet *packet;
	bool held;
	u32 n;

	for (n = 0; n < ENG_STEP_FRAMES && !qp->resp.cur; n++) {
		if (!rq->bytes_left || !rq->wqes_left)
			return any_packet(qp);
		packet = next_packet(qp);
		if (!packet)
			break;
		rq->wqes_left--;
		held = packet->held;
		if (!take_in(qp, rq, packet))
			let_go(qp, rq, packet);
		/* The sender waits meanwhile. */
		if (env_unlikely(held) && !(qp->resp.epsn & (ENG_ACK_EVERY - 1)))
			eng_reply_acknowledge(qp);
	}
	/* Without room the host kicks us. */
	return (qp->resp.cur || any_packet(qp)) && !qp->wire.blocked;
}
