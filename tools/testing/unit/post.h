/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * post.h - writes work requests as a library does; for the hosts of unit tests and simulator.
 */
#ifndef UNIT_POST_H
#define UNIT_POST_H

#include <shca_env.h>
#include <rdma/shca-abi.h>

/* Values of enum ib_uverbs_wr_opcode. */
enum {
	WR_WRITE, WR_WRITE_IMM, WR_SEND, WR_SEND_IMM, WR_READ, WR_CAS, WR_FAA, WR_LOCAL_INV,
	WR_BIND, WR_SEND_INV, WR_REG = 0x20,
};

/* A send.  What follows the head is inline_data, or bind, or elements. */
struct post_wr {
	u64 wr_id;
	u8 opcode, flags;
	u32 imm;			/* or a key: to invalidate, or the new one of a window */
	const struct shca_sge *sge;
	u32 num_sge;
	const void *inline_data;	/* SHCA_SEND_INLINE */
	u32 inline_length;
	u64 raddr;
	u32 rkey;
	u32 srqn;
	u64 compare_add, swap;
	u32 qpn, qkey, ahn;		/* datagrams: ahn is not 0 */
	const struct shca_bind_ops *bind;
};

static inline struct shca_send_wqe post_head(const struct post_wr *wr)
{
	struct shca_send_wqe head = {
		.wr_id = wr->wr_id,
		.opcode = wr->opcode,
		.flags = wr->flags,
		.count = (u16)(wr->flags & SHCA_SEND_INLINE ? wr->inline_length : wr->num_sge),
		.ex = wr->imm,
	};

	if (wr->ahn) {
		head.ud.qpn = wr->qpn;
		head.ud.qkey = wr->qkey;
		head.ud.ahn = wr->ahn;
	} else {
		head.remote.addr = wr->raddr;
		head.remote.rkey = wr->rkey;
		head.remote.xrc_srqn = wr->srqn;
	}
	return head;
}

static inline void post_send_wqe(u8 *at, const struct post_wr *wr)
{
	struct shca_send_wqe head = post_head(wr);

	memcpy(at, &head, sizeof(head));
	at += sizeof(head);
	if (wr->opcode == WR_CAS || wr->opcode == WR_FAA) {
		struct shca_atomic_ops atomic = { wr->compare_add, wr->swap };

		memcpy(at, &atomic, sizeof(atomic));
		at += sizeof(atomic);
	}
	if (wr->bind)
		memcpy(at, wr->bind, sizeof(*wr->bind));
	else if (!head.count)
		return;
	else if (wr->flags & SHCA_SEND_INLINE)
		memcpy(at, wr->inline_data, wr->inline_length);
	else
		memcpy(at, wr->sge, wr->num_sge * sizeof(*wr->sge));
}

static inline void post_recv_wqe(u8 *at, u64 wr_id, const struct shca_sge *sge, u32 count)
{
	struct shca_recv_wqe head = { .wr_id = wr_id, .count = count };

	memcpy(at, &head, sizeof(head));
	if (count)
		memcpy(at + sizeof(head), sge, count * sizeof(*sge));
}

#endif
