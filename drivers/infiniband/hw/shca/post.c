// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * post.c - work requests of kernel consumers, written into the same rings that processes write
 * into. ib_core calls in, in any context; the engine is only kicked and runs in the worker.
 */
#include "gsi.h"
#include "shca.h"
#include "verbs_ah.h"

static struct shca_qp *qp_of(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct shca_qp, ib);
}

/* Which kinds of QP carry which requests: bit of enum ib_qp_type by opcode. */
#define RC	(1U << IB_QPT_RC)
#define UC	(1U << IB_QPT_UC)
#define UD	(1U << IB_QPT_UD | 1U << IB_QPT_GSI)

static const u8 opcode_types[] = {
	[IB_WR_RDMA_WRITE]		= RC | UC,
	[IB_WR_RDMA_WRITE_WITH_IMM]	= RC | UC,
	[IB_WR_SEND]			= RC | UC | UD,
	[IB_WR_SEND_WITH_IMM]		= RC | UC | UD,
	[IB_WR_RDMA_READ]		= RC,
	[IB_WR_ATOMIC_CMP_AND_SWP]	= RC,
	[IB_WR_ATOMIC_FETCH_AND_ADD]	= RC,
	[IB_WR_LOCAL_INV]		= RC | UC,
	[IB_WR_SEND_WITH_INV]		= RC | UC,
	[IB_WR_REG_MR]			= RC | UC,
};

static int check_send(const struct shca_qp *qp, const struct ib_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= ARRAY_SIZE(opcode_types) ||
	    !(opcode_types[wr->opcode] & (1U << qp->ib.qp_type)))
		return -EINVAL;
	if (wr->num_sge < 0 || wr->num_sge > qp->cap.max_send_sge)
		return -EINVAL;
	if (qp->sq_prod - READ_ONCE(qp->sq_done) >= qp->sq.entries)
		return -ENOMEM;
	return 0;
}

static void put_sges(struct shca_sge *to, const struct ib_sge *from, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		to[i].addr = from[i].addr;
		to[i].length = from[i].length;
		to[i].lkey = from[i].lkey;
	}
}

/* Kernel addresses are the DMA addresses of this device. */
static int put_inline(const struct shca_qp *qp, struct shca_send_wqe *wqe, u8 *to,
		      const struct ib_send_wr *wr)
{
	u32 total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		if (wr->sg_list[i].length > qp->cap.max_inline_data - total)
			return -EINVAL;
		memcpy(to + total, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		total += wr->sg_list[i].length;
	}
	wqe->count = total;
	return 0;
}

static void put_address(struct shca_send_wqe *wqe, const struct ib_send_wr *wr, bool ud)
{
	if (ud) {
		wqe->ud.qpn = ud_wr(wr)->remote_qpn;
		wqe->ud.qkey = ud_wr(wr)->remote_qkey;
		wqe->ud.ahn = shca_verbs_ah_number(container_of(ud_wr(wr)->ah, struct shca_ah, ib));
		return;
	}
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wqe->remote.addr = atomic_wr(wr)->remote_addr;
		wqe->remote.rkey = atomic_wr(wr)->rkey;
		break;
	default:
		wqe->remote.addr = rdma_wr(wr)->remote_addr;
		wqe->remote.rkey = rdma_wr(wr)->rkey;
	}
}

/* A request that gives a key its meaning or takes it away.  False: it is another one. */
static bool put_change(struct shca_send_wqe *wqe, u8 *tail, const struct ib_send_wr *wr)
{
	struct shca_bind_ops *ops = (struct shca_bind_ops *)tail;

	if (wr->opcode == IB_WR_LOCAL_INV)
		return true;
	if (wr->opcode != IB_WR_REG_MR)
		return false;
	wqe->ex = reg_wr(wr)->key;
	wqe->remote.rkey = reg_wr(wr)->mr->rkey;
	*ops = (struct shca_bind_ops) {
		.addr = reg_wr(wr)->mr->iova,
		.access = reg_wr(wr)->access,
	};
	return true;
}

static int put_send(struct shca_qp *qp, const struct ib_send_wr *wr)
{
	u32 index = qp->sq_prod & (qp->sq.entries - 1);
	struct shca_send_wqe *wqe = qp->mem->vaddr + qp->sq.offset + index * qp->sq.stride;
	u8 *tail = (u8 *)wqe + SHCA_SEND_WQE_HEAD;
	bool ud = shca_gsi_or_ud(qp->ib.qp_type);

	if (ud && !ud_wr(wr)->ah)
		return -EINVAL;
	memset(wqe, 0, SHCA_SEND_WQE_HEAD);
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->send_flags & (SHCA_SEND_FENCE | SHCA_SEND_SIGNALED | SHCA_SEND_SOLICITED |
				       SHCA_SEND_INLINE);
	wqe->ex = (__force u32)wr->ex.imm_data;
	if (put_change(wqe, tail, wr))
		return 0;
	put_address(wqe, wr, ud);
	if (wr->send_flags & IB_SEND_INLINE)
		return put_inline(qp, wqe, tail, wr);
	wqe->count = wr->num_sge;
	if (wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IB_WR_ATOMIC_FETCH_AND_ADD) {
		struct shca_atomic_ops *ops = (struct shca_atomic_ops *)tail;

		if (wr->num_sge != 1)
			return -EINVAL;
		ops->compare_add = atomic_wr(wr)->compare_add;
		ops->swap = atomic_wr(wr)->swap;
		tail += sizeof(*ops);
	}
	put_sges((struct shca_sge *)tail, wr->sg_list, wr->num_sge);
	return 0;
}

static int post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	struct shca_qp *qp = qp_of(ibqp);
	struct shca_qp_shared *shared = qp->mem->vaddr;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&qp->sq_lock, flags);
	if (READ_ONCE(shared->state) < IB_QPS_RTS)
		err = -EINVAL;
	for (; wr && !err; wr = wr->next) {
		err = check_send(qp, wr);
		if (!err)
			err = put_send(qp, wr);
		if (err)
			break;
		qp->sq_prod++;
	}
	/* Pairs with the engine's load-acquire: WQEs before the index. */
	smp_store_release(&shared->sq_prod, qp->sq_prod);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (err)
		*bad_wr = wr;
	/* The engine sets running before its last look: see shca-abi.h. */
	smp_mb();
	if (!READ_ONCE(shared->running))
		eng_kick(NULL, qp->eng);
	return err;
}

static int put_recv(u8 *at, u32 max_sge, const struct ib_recv_wr *wr)
{
	struct shca_recv_wqe *wqe = (struct shca_recv_wqe *)at;

	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	wqe->wr_id = wr->wr_id;
	wqe->count = wr->num_sge;
	wqe->reserved = 0;
	put_sges((struct shca_sge *)(at + SHCA_RECV_WQE_HEAD), wr->sg_list, wr->num_sge);
	return 0;
}

static int post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	struct shca_qp *qp = qp_of(ibqp);
	struct shca_qp_shared *shared = qp->mem->vaddr;
	u8 *ring = qp->mem->vaddr + qp->rq.offset;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&qp->rq_lock, flags);
	if (ibqp->srq || READ_ONCE(shared->state) == IB_QPS_RESET)
		err = -EINVAL;
	for (; wr && !err; wr = wr->next) {
		if (qp->rq_prod - READ_ONCE(qp->rq_done) >= qp->rq.entries)
			err = -ENOMEM;
		else
			err = put_recv(ring + (qp->rq_prod & (qp->rq.entries - 1)) * qp->rq.stride,
				       qp->cap.max_recv_sge, wr);
		if (err)
			break;
		qp->rq_prod++;
	}
	smp_store_release(&shared->rq_prod, qp->rq_prod);
	spin_unlock_irqrestore(&qp->rq_lock, flags);
	if (err)
		*bad_wr = wr;
	smp_mb();
	if (READ_ONCE(shared->state) == IB_QPS_ERR)
		eng_kick(NULL, qp->eng);
	return err;
}

static int post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	struct shca_srq *srq = container_of(ibsrq, struct shca_srq, ib);
	struct shca_srq_shared *shared;
	unsigned long flags;
	u32 stride, mask;
	u8 *ring;
	int err = 0;

	spin_lock_irqsave(&srq->lock, flags);
	/* A resize changes all of these under the lock. */
	shared = srq->mem->vaddr;
	ring = srq->eng.ring.entries;
	stride = srq->eng.ring.stride;
	mask = srq->max_wr - 1;
	for (; wr; wr = wr->next) {
		if (srq->prod - READ_ONCE(shared->cons) >= srq->max_wr)
			err = -ENOMEM;
		else
			err = put_recv(ring + (srq->prod & mask) * stride, srq->max_sge, wr);
		if (err)
			break;
		srq->prod++;
	}
	smp_store_release(&shared->prod, srq->prod);
	spin_unlock_irqrestore(&srq->lock, flags);
	if (err)
		*bad_wr = wr;
	return err;
}

const struct ib_device_ops shca_post_ops = {
	.post_send = post_send,
	.post_recv = post_recv,
	.post_srq_recv = post_srq_recv,
};
