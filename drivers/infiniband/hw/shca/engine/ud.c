// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ud.c - receiving datagrams.
 *
 * Called by the responder.  A datagram that does not fit in any way is dropped silently and the QP
 * stays as it is, so that no stranger can stop a listener (F16); only a fault of the receiver's own
 * work request is the receiver's error.
 */
#include "arrival.h"
#include "cq.h"
#include "headers.h"
#include "link.h"
#include "recvq.h"
#include "responder.h"
#include "sge.h"
#include "state.h"

static void ipv4_checksum(u8 *ip)
{
	u32 sum = 0, i;

	eng_put_be16(ip + 10, 0);
	for (i = 0; i < ENG_IPV4_BYTES; i += 2)
		sum += (u32)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	eng_put_be16(ip + 10, ~sum & 0xffff);
}

/* The network header as a wire would have brought it: IPv6, or IPv4 in the last 20 bytes. */
static void fill_grh(u8 *grh, const struct eng_frame *frame)
{
	u32 bytes = ENG_UDP_BYTES + ENG_BTH_BYTES + ENG_DETH_BYTES +
		    (frame->flags & ENG_FRAME_IMM ? ENG_IMM_BYTES : 0) +
		    ((frame->length + 3) & ~3u) + ENG_ICRC_BYTES;
	u8 *ipv4 = grh + ENG_GRH_BYTES - ENG_IPV4_BYTES;

	env_memcpy(grh, frame->ah->grh, ENG_GRH_BYTES);
	if (grh[0] >> 4 == 6) {
		eng_put_be16(grh + 4, bytes);
	} else if (ipv4[0] >> 4 == 4) {
		eng_put_be16(ipv4 + 2, bytes + ENG_IPV4_BYTES);
		ipv4_checksum(ipv4);
	}
}

/* The header that did come over a wire. */
static void copy_grh(u8 *grh, const u8 *net)
{
	if (net[0] >> 4 == 6) {
		env_memcpy(grh, net, ENG_GRH_BYTES);
		return;
	}
	env_memset(grh, 0, ENG_GRH_BYTES - ENG_IPV4_BYTES);
	env_memcpy(grh + ENG_GRH_BYTES - ENG_IPV4_BYTES, net, ENG_IPV4_BYTES);
}

static bool wanted(const struct eng_qp *qp, const struct eng_frame *frame)
{
	if (!eng_state_receives(qp))
		return false;
	/* 9.6.1.5 Q_Key check; 9.8.3.2.1: a failed check drops the packet. */
	if (frame->flags & ENG_FRAME_WIRE) {
		if (frame->qkey != qp->attr.qkey)
			eng_arrival_count(qp->dev, ENG_CNT_RX_QKEY);
		return frame->qkey == qp->attr.qkey;
	}
	return frame->src->type == ENG_QPT_UD && frame->qkey == qp->attr.qkey;
}

/* A receive for @need bytes; one that is too short stays for a datagram that fits. */
static bool find_receive(struct eng_qp *qp, const struct eng_frame *frame, u32 need)
{
	if (eng_recvq_take(qp, need) == ENG_RECV_TAKEN)
		return true;
	if (frame->flags & ENG_FRAME_WIRE)
		eng_arrival_count(qp->dev, ENG_CNT_RX_NO_RECEIVE);
	return false;
}

static enum eng_moved move_in(struct eng_qp *qp, const struct eng_frame *frame)
{
	struct eng_responder *resp = &qp->resp;
	struct eng_move *move = &resp->move;
	u32 budget = ENG_GRH_BYTES + frame->length;
	enum eng_moved moved;

	if (frame->flags & ENG_FRAME_WIRE)
		copy_grh(resp->grh, qp->wire.arriving.packet->net);
	else
		fill_grh(resp->grh, frame);
	resp->raw.addr = (u64)(unsigned long)resp->grh;
	resp->raw.length = ENG_GRH_BYTES;
	resp->raw.mr = NULL;
	move->dst.seg = eng_recvq_segs(qp);
	move->dst.segs = qp->recv->segs;
	move->dst.offset = 0;
	move->src.seg = &resp->raw;
	move->src.segs = 1;
	move->src.offset = 0;
	move->left = ENG_GRH_BYTES;
	moved = eng_copy_run(move, &budget);
	if (moved != ENG_MOVE_DONE)
		return moved;
	move->src.seg = frame->payload;
	move->src.segs = frame->segs;
	move->src.offset = 0;
	move->left = frame->length;
	return eng_copy_run(move, &budget);
}

static void report_receive(struct eng_qp *qp, const struct eng_frame *frame, u8 status)
{
	struct eng_completion c = {
		.byte_len = frame->length + ENG_GRH_BYTES,
		.wc_flags = ENG_WC_GRH,
		.status = status,
		.opcode = ENG_WC_RECV,
		.solicited = frame->flags & ENG_FRAME_SOLICITED,
	};

	if (frame->flags & ENG_FRAME_WIRE) {
		c.src_qp = qp->wire.arriving.src_qpn;
	} else {
		c.src_qp = frame->src->qpn;
		c.sl = frame->ah->sl;
	}
	if (frame->flags & ENG_FRAME_IMM) {
		c.wc_flags |= ENG_WC_WITH_IMM;
		c.ex = frame->imm;
	}
	eng_recvq_complete(qp, &c);
	if (status != ENG_WC_SUCCESS)
		eng_state_error(qp);
}

/* False: dropped. */
static bool receive(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	const struct eng_pd *pd = qp->srq ? qp->srq->pd : qp->pd;
	u32 need = frame->length + ENG_GRH_BYTES;
	enum eng_moved moved;

	if (!wanted(qp, frame) || !find_receive(qp, frame, need))
		return false;
	if (qp->recv->bad) {
		report_receive(qp, frame, ENG_WC_LOC_QP_OP_ERR);
		return true;
	}
	if (!eng_sge_resolve(qp, pd, eng_recvq_segs(qp), need, ENG_ACCESS_LOCAL_WRITE)) {
		report_receive(qp, frame, ENG_WC_LOC_PROT_ERR);
		return true;
	}
	moved = move_in(qp, frame);
	eng_sge_release(eng_recvq_segs(qp), qp->recv->segs);
	if (moved == ENG_MOVE_SRC_GONE)
		return false;		/* the receive stays held for the next datagram */
	rq->bytes_left -= need < rq->bytes_left ? need : rq->bytes_left;
	qp->counters[ENG_CNT_BYTES] += frame->length;
	report_receive(qp, frame, moved == ENG_MOVE_DONE ? ENG_WC_SUCCESS : ENG_WC_LOC_PROT_ERR);
	return true;
}

void eng_ud_receive(struct eng_qp *qp, struct eng_runq *rq, struct eng_frame *frame)
{
	if (!frame->ah && !(frame->flags & ENG_FRAME_WIRE)) {
		/* A connected QP aimed at us: nobody answers. */
		qp->counters[ENG_CNT_DROPS]++;
		eng_link_reply(qp, rq, frame, ENG_REPLY_LOST);
		return;
	}
	if (!receive(qp, rq, frame))
		qp->counters[ENG_CNT_DROPS]++;
	eng_link_forward(qp, rq, frame);
}
