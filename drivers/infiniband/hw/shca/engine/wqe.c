// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * wqe.c - decodes and checks send work requests.
 *
 * Called by the requester.  Each byte of the ring is read once, into the slot; every check is made
 * on that copy.  A bad request keeps its place in the queue: its status is reported when all before
 * it have completed (IBTA vol. 1, 10.8.3: completions in order).
 */
#include "wqe.h"
#include "cq.h"
#include "key.h"
#include "psn.h"
#include "ring.h"
#include "sender.h"

static u8 take_inline(struct eng_qp *qp, struct eng_slot *slot, const u8 *from, u32 count)
{
	struct eng_frame *frame = &slot->frame;

	if (count > qp->max_inline || SHCA_SEND_WQE_HEAD + count > qp->sq.ring.stride)
		return ENG_WC_LOC_QP_OP_ERR;
	/* Whole words: ring entries and slots end on a multiple of 64 bytes. */
	eng_ring_copy_out(slot + 1, from, (count + 7) / 8);
	slot->flags |= ENG_SLOT_INLINE;
	slot->inline_seg.addr = (u64)(unsigned long)(slot + 1);
	slot->inline_seg.length = count;
	slot->inline_seg.mr = NULL;
	frame->payload = &slot->inline_seg;
	frame->segs = 1;
	frame->length = count;
	return ENG_WC_SUCCESS;
}

static u8 take_sges(struct eng_qp *qp, struct eng_slot *slot, const u8 *from, u32 room, u32 count)
{
	struct eng_seg *segs = (struct eng_seg *)(slot + 1);
	struct shca_sge sge;
	u64 total = 0;
	u32 i;

	if (env_unlikely(count > qp->max_send_sge || count * sizeof(sge) > room))
		return ENG_WC_LOC_QP_OP_ERR;
	for (i = 0; i < count; i++, from += sizeof(sge)) {
		eng_ring_copy_out(&sge, from, sizeof(sge) / 8);
		segs[i].addr = sge.addr;
		segs[i].length = sge.length;
		segs[i].key = sge.lkey;
		segs[i].mr = NULL;
		total += sge.length;
	}
	slot->frame.payload = segs;
	slot->frame.segs = count;
	if (total > ENG_MESSAGE_MAX)
		return ENG_WC_LOC_LEN_ERR;
	slot->frame.length = (u32)total;
	return ENG_WC_SUCCESS;
}

static u8 take_payload(struct eng_qp *qp, struct eng_slot *slot, const u8 *entry,
		       const struct eng_opcode *row, const struct shca_send_wqe *head)
{
	u32 offset = SHCA_SEND_WQE_HEAD;
	struct shca_atomic_ops ops;
	u8 status;

	if (head->flags & SHCA_SEND_INLINE) {
		if (!(row->flags & ENG_OPCODE_INLINE))
			return ENG_WC_LOC_QP_OP_ERR;
		return take_inline(qp, slot, entry + offset, head->count);
	}
	if (row->flags & ENG_OPCODE_ATOMIC) {
		eng_ring_copy_out(&ops, entry + offset, sizeof(ops) / 8);
		slot->frame.compare_add = ops.compare_add;
		slot->frame.swap = ops.swap;
		offset += sizeof(ops);
	}
	status = take_sges(qp, slot, entry + offset, qp->sq.ring.stride - offset, head->count);
	if (status || !(row->flags & ENG_OPCODE_ATOMIC))
		return status;
	/* The old value is 8 bytes (IBTA vol. 1, 9.4.5); more room than that stays untouched. */
	if (slot->frame.length < 8)
		return ENG_WC_LOC_LEN_ERR;
	slot->frame.length = 8;
	return ENG_WC_SUCCESS;
}

/* What key.c will do; it judges. */
static u8 take_change(struct eng_slot *slot, const u8 *from, const struct shca_send_wqe *head)
{
	struct eng_key_change *change = eng_slot_change(slot);
	struct shca_bind_ops ops = { .addr = 0 };

	slot->flags |= ENG_SLOT_LOCAL;
	if (slot->frame.op != ENG_OP_LOCAL_INV)
		eng_ring_copy_out(&ops, from, sizeof(ops) / 8);
	*change = (struct eng_key_change) {
		.addr = ops.addr,
		.length = ops.length,
		.key = slot->frame.op == ENG_OP_LOCAL_INV ? head->ex : head->remote.rkey,
		.new_key = head->ex,
		.lkey = ops.lkey,
		.access = ops.access,
	};
	return head->flags & SHCA_SEND_INLINE ? ENG_WC_LOC_QP_OP_ERR : ENG_WC_SUCCESS;
}

static ENG_INLINE void take_flags(struct eng_qp *qp, struct eng_slot *slot, u8 row_flags,
				  u8 send_flags)
{
	slot->flags |= (send_flags & qp->slot_mask) | qp->slot_flags;
	if (row_flags & ENG_OPCODE_FETCH)
		slot->flags |= ENG_SLOT_FETCH;
	if (row_flags & ENG_OPCODE_IMM)
		slot->frame.flags |= ENG_FRAME_IMM;
	if (row_flags & ENG_OPCODE_RECEIVE)
		slot->frame.flags |= ENG_FRAME_RECEIVE | (send_flags & ENG_FRAME_SOLICITED);
	if (env_unlikely(row_flags & ENG_OPCODE_INV))
		slot->frame.flags |= ENG_FRAME_INV;
}

static u8 take_address(struct eng_qp *qp, struct eng_slot *slot, const struct shca_send_wqe *head)
{
	struct eng_frame *frame = &slot->frame;
	u32 mtu = env_read(qp->dev->port_mtu);

	if (qp->type != ENG_QPT_UD) {
		frame->va = head->remote.addr;
		frame->rkey = head->remote.rkey;
		frame->srqn = head->remote.xrc_srqn;
		return ENG_WC_SUCCESS;
	}
	frame->dest_qpn = head->ud.qpn & 0xffffff;
	/* A Q_Key with its top bit set stands for the QP's own (IBTA vol. 1, 10.2.5). */
	frame->qkey = head->ud.qkey & 0x80000000 ? qp->attr.qkey : head->ud.qkey;
	frame->rkey = head->ud.ahn;
	if (!mtu || mtu > ENG_PATH_MTU_MAX)
		mtu = ENG_PATH_MTU_MAX;
	return frame->length > mtu ? ENG_WC_LOC_LEN_ERR : ENG_WC_SUCCESS;
}

void eng_wqe_decode(struct eng_qp *qp, struct eng_slot *slot, const u8 *entry)
{
	struct eng_frame *frame = &slot->frame;
	const struct eng_opcode *row;
	struct shca_send_wqe head;
	u8 status;

	eng_ring_copy_out(&head, entry, sizeof(head) / 8);
	row = eng_opcode_row(head.opcode, qp->type);
	slot->wr_id = head.wr_id;
	slot->flags = 0;
	frame->flags = 0;
	frame->length = 0;
	frame->segs = 0;
	if (env_unlikely(!row)) {
		slot->wc_opcode = eng_opcode_wc(head.opcode);
		slot->status = ENG_WC_LOC_QP_OP_ERR;
		/* It takes no number, but says where the one before it ends. */
		frame->psn = qp->sq.psn;
		frame->npsn = 0;
		return;
	}
	slot->wc_opcode = row->wc;
	frame->op = row->op;
	frame->imm = head.ex;
	take_flags(qp, slot, row->flags, head.flags);
	if (env_unlikely(row->flags & ENG_OPCODE_LOCAL))
		status = take_change(slot, entry + SHCA_SEND_WQE_HEAD, &head);
	else
		status = take_payload(qp, slot, entry, row, &head);
	if (!status)
		status = take_address(qp, slot, &head);
	if (slot->flags & ENG_SLOT_FETCH && !qp->attr.max_rd_atomic && !status)
		status = ENG_WC_LOC_QP_OP_ERR;
	slot->status = status;
	frame->psn = qp->sq.psn;
	frame->npsn = slot->flags & ENG_SLOT_LOCAL ? 0 :
		      eng_psn_count(frame->length, qp->mtu_shift);
	qp->sq.psn = eng_psn_add(frame->psn, frame->npsn);
	if (env_unlikely(eng_qp_on_wire(qp)))
		eng_sender_number(qp, slot);
	env_trace_post(qp->qpn, slot->wr_id, head.opcode, frame->length);
}
