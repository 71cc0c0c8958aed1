// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_post.c - ibv_post_send, ibv_post_recv and ibv_post_srq_recv.
 *
 * Reached through the table of the context.  A list of requests is written into the ring entry
 * by entry, then published with one store; only a send queue whose engine is not looking costs a
 * system call.  What can be seen to be wrong is refused here with EINVAL, and nothing of that
 * request or the ones after it is published (C222, G032).
 */
#include <errno.h>
#include <string.h>
#include "shca.h"

/* Beyond the flags of programs: the window is of type 1, bound by ibv_bind_mw(). */
#define BIND_TYPE_1 (1U << 31)

/* Rights that a window can have; local write, which some callers give, it cannot take away. */
#define MW_ACCESS (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
		   IBV_ACCESS_ZERO_BASED)

/* Flags that mean something on this device. */
#define SEND_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)

_Static_assert((int)IBV_SEND_FENCE == SHCA_SEND_FENCE, "flags pass unchanged");
_Static_assert((int)IBV_SEND_SIGNALED == SHCA_SEND_SIGNALED, "flags pass unchanged");
_Static_assert((int)IBV_SEND_SOLICITED == SHCA_SEND_SOLICITED, "flags pass unchanged");
_Static_assert((int)IBV_SEND_INLINE == SHCA_SEND_INLINE, "flags pass unchanged");
_Static_assert(sizeof(struct ibv_sge) == sizeof(struct shca_sge), "SGEs pass unchanged");
_Static_assert(offsetof(struct ibv_sge, lkey) == offsetof(struct shca_sge, lkey), "likewise");
_Static_assert(sizeof(struct shca_send_wqe) == SHCA_SEND_WQE_HEAD, "SGEs follow the head");
_Static_assert(sizeof(struct shca_recv_wqe) == SHCA_RECV_WQE_HEAD, "SGEs follow the head");

#define ATOMICS (1U << IBV_WR_ATOMIC_CMP_AND_SWP | 1U << IBV_WR_ATOMIC_FETCH_AND_ADD)
#define SENDS	(1U << IBV_WR_SEND | 1U << IBV_WR_SEND_WITH_IMM | 1U << IBV_WR_SEND_WITH_INV)
/* Requests that bring their own data; only they can be inline (C239). */
#define PUSHES	(SENDS | 1U << IBV_WR_RDMA_WRITE | 1U << IBV_WR_RDMA_WRITE_WITH_IMM)

static inline bool is_one_of(uint32_t opcode, uint32_t set)
{
	return set >> opcode & 1;
}

static inline void copy_sges(void *to, const struct ibv_sge *list, uint32_t count)
{
	struct ibv_sge *sge = to;
	uint32_t i;

	for (i = 0; i < count; i++)
		sge[i] = list[i];
}

static __attribute__((noinline)) int copy_pieces(struct shca_qp *qp, struct shca_send_wqe *wqe,
						 const struct ibv_sge *sge, uint32_t count)
{
	uint8_t *to = (uint8_t *)(wqe + 1);
	uint32_t room = qp->max_inline;

	for (; count; count--, sge++) {
		if (SHIM_UNLIKELY(sge->length > room))
			return EINVAL;
		memcpy(to, (void *)(uintptr_t)sge->addr, sge->length);
		to += sge->length;
		room -= sge->length;
	}
	wqe->count = (uint16_t)(qp->max_inline - room);
	return 0;
}

/* The lkeys do not matter (C240).  One piece is what nearly everybody sends. */
static inline int copy_inline(struct shca_qp *qp, struct shca_send_wqe *wqe,
			      const struct ibv_sge *sge, uint32_t count)
{
	if (SHIM_UNLIKELY(count != 1))
		return copy_pieces(qp, wqe, sge, count);
	if (SHIM_UNLIKELY(sge->length > qp->max_inline))
		return EINVAL;
	memcpy(wqe + 1, (void *)(uintptr_t)sge->addr, sge->length);
	wqe->count = (uint16_t)sge->length;
	return 0;
}

/* Eight aligned bytes there, room for eight bytes here (G113). */
static int fill_atomic(struct shca_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	struct shca_atomic_ops *ops = (struct shca_atomic_ops *)(wqe + 1);

	if (wr->num_sge != 1 || wr->sg_list[0].length != sizeof(uint64_t) ||
	    wr->wr.atomic.remote_addr % sizeof(uint64_t))
		return EINVAL;
	wqe->remote.addr = wr->wr.atomic.remote_addr;
	wqe->remote.rkey = wr->wr.atomic.rkey;
	ops->compare_add = wr->wr.atomic.compare_add;
	ops->swap = wr->wr.atomic.swap;
	copy_sges(ops + 1, wr->sg_list, 1);
	wqe->count = 1;
	return 0;
}

static int fill_ud(struct shca_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	if (!wr->wr.ud.ah)
		return EINVAL;
	wqe->ud.ahn = shim_container_of(wr->wr.ud.ah, struct shca_ah, ibv)->resp.ahn;
	wqe->ud.qpn = wr->wr.ud.remote_qpn;
	wqe->ud.qkey = wr->wr.ud.remote_qkey;
	return 0;
}

static inline void fill_remote(struct shca_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	wqe->remote.addr = wr->wr.rdma.remote_addr;
	wqe->remote.rkey = wr->wr.rdma.rkey;
}

int shca_post_fill_bind(struct shca_send_wqe *wqe, const struct ibv_mw *mw, uint32_t rkey,
			const struct ibv_mw_bind_info *info)
{
	struct shca_bind_ops *ops = (struct shca_bind_ops *)(wqe + 1);

	if (info->mw_access_flags & ~(unsigned int)(MW_ACCESS | IBV_ACCESS_LOCAL_WRITE) ||
	    (!info->mr && (info->addr || info->length)))
		return EINVAL;
	if (info->mr && info->mr->pd->handle != mw->pd->handle)
		return EPERM;
	wqe->ex = rkey;
	wqe->count = 0;
	wqe->remote.addr = 0;
	wqe->remote.rkey = mw->rkey;
	ops->addr = info->addr;
	ops->length = info->length;
	ops->lkey = info->mr && info->length ? info->mr->lkey : 0;
	ops->access = info->mw_access_flags & MW_ACCESS;
	return 0;
}

/* Windows of type 1 are bound by their own verb (G058). */
static int fill_bind(struct shca_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	const struct ibv_mw *mw = wr->bind_mw.mw;

	if (!mw || (mw->type == IBV_MW_TYPE_1) != !!(wr->send_flags & BIND_TYPE_1))
		return EINVAL;
	return shca_post_fill_bind(wqe, mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info);
}

static bool sges_ok(const struct shca_queue *q, const struct ibv_sge *list, uint32_t count)
{
	return SHIM_LIKELY(count <= q->max_sge && (!count || list));
}

static inline void fill_head(const struct shca_qp *qp, struct shca_send_wqe *wqe,
			     const struct ibv_send_wr *wr, uint8_t flags)
{
	wqe->wr_id = wr->wr_id;
	wqe->opcode = (uint8_t)wr->opcode;
	wqe->flags = flags | qp->send_flags;
	wqe->ex = wr->invalidate_rkey;
}

/* Requests without data of their own: some bring data here; none can be inline (C239). */
static __attribute__((noinline)) int fill_other(struct shca_qp *qp, struct shca_send_wqe *wqe,
						const struct ibv_send_wr *wr)
{
	uint32_t opcode = (uint32_t)wr->opcode;

	if (opcode >= 32 || !is_one_of(opcode, qp->opcodes) ||
	    wr->send_flags & IBV_SEND_INLINE || !sges_ok(&qp->sq, wr->sg_list, wr->num_sge))
		return EINVAL;
	fill_head(qp, wqe, wr, (uint8_t)(wr->send_flags & SEND_FLAGS));
	wqe->remote.xrc_srqn = qp->target == SHCA_TARGET_XRC ? wr->qp_type.xrc.remote_srqn : 0;
	if (is_one_of(wqe->opcode, ATOMICS))
		return fill_atomic(wqe, wr);
	if (wqe->opcode == IBV_WR_BIND_MW)
		return fill_bind(wqe, wr);
	if (wqe->opcode == IBV_WR_LOCAL_INV) {
		wqe->count = 0;
		return 0;
	}
	fill_remote(wqe, wr);
	copy_sges(wqe + 1, wr->sg_list, (uint32_t)wr->num_sge);
	wqe->count = (uint16_t)wr->num_sge;
	return 0;
}

static inline int fill_target(struct shca_qp *qp, struct shca_send_wqe *wqe,
			      const struct ibv_send_wr *wr)
{
	if (qp->target == SHCA_TARGET_UD)
		return fill_ud(wqe, wr);
	fill_remote(wqe, wr);
	wqe->remote.xrc_srqn = wr->qp_type.xrc.remote_srqn;
	return 0;
}

static inline int fill_send(struct shca_qp *qp, struct shca_send_wqe *wqe,
			    const struct ibv_send_wr *wr)
{
	uint32_t opcode = (uint32_t)wr->opcode, count = (uint32_t)wr->num_sge;
	uint8_t flags = (uint8_t)(wr->send_flags & SEND_FLAGS);

	if (SHIM_UNLIKELY(opcode >= 32 || !is_one_of(opcode, qp->opcodes & PUSHES)))
		return fill_other(qp, wqe, wr);
	if (!sges_ok(&qp->sq, wr->sg_list, count))
		return EINVAL;
	fill_head(qp, wqe, wr, flags);
	if (SHIM_LIKELY(qp->target == SHCA_TARGET_PEER))
		fill_remote(wqe, wr);
	else if (fill_target(qp, wqe, wr))
		return EINVAL;
	if (flags & SHCA_SEND_INLINE)
		return copy_inline(qp, wqe, wr->sg_list, count);
	copy_sges(wqe + 1, wr->sg_list, count);
	wqe->count = (uint16_t)count;
	return 0;
}

/* Some time ago there was no room: has there been a completion since? */
static __attribute__((noinline)) bool look_for_room(struct shca_queue *q, uint32_t head)
{
	q->tail_seen = shca_observe(&q->tail);
	return head - q->tail_seen < q->max_wr;
}

bool shca_post_has_room(struct shca_queue *q, uint32_t head)
{
	return SHIM_LIKELY(head - q->tail_seen < q->max_wr) || look_for_room(q, head);
}

/*
 * Pairs with the engine: it clears running, full barrier, looks at sq_prod again.  In ERR every
 * post rings, because the engine may be done with flushing.
 */
static inline bool must_ring(const struct shca_qp *qp)
{
	shca_full_barrier();
	return SHIM_UNLIKELY(!shca_peek(&qp->shared->running)) ||
	       SHIM_UNLIKELY(shca_peek(&qp->shared->state) == IBV_QPS_ERR);
}

int shca_post_kick(struct shca_qp *qp)
{
	return must_ring(qp) ? shca_map_ring_doorbell(qp->doorbell_fd, qp->ibv.qp_num) : 0;
}

/* When the device is gone nothing of the list will ever complete. */
static __attribute__((noinline)) int ring(struct shca_qp *qp, struct ibv_send_wr *first,
					  struct ibv_send_wr **bad_wr, int err)
{
	if (shca_map_ring_doorbell(qp->doorbell_fd, qp->ibv.qp_num) != EIO)
		return err;
	*bad_wr = first;
	return EIO;
}

int shca_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct shca_qp *qp = shca_qp(ibqp);
	struct ibv_send_wr *first = wr;
	struct shca_queue *sq = &qp->sq;
	uint32_t head;
	int err = 0;

	if (SHIM_UNLIKELY(!wr || !bad_wr))
		return EINVAL;
	/* Sends may be posted from RTS on (G098). */
	if (SHIM_UNLIKELY(shca_peek(&qp->shared->state) < IBV_QPS_RTS)) {
		*bad_wr = wr;
		return EINVAL;
	}
	shca_lock(&sq->lock);
	head = sq->head;
	do {
		if (SHIM_UNLIKELY(!shca_post_has_room(sq, head))) {
			err = ENOMEM;
			break;
		}
		err = fill_send(qp, shca_queue_entry(sq, head), wr);
		if (SHIM_UNLIKELY(err))
			break;
		head++;
		wr = wr->next;
	} while (wr);
	if (SHIM_UNLIKELY(err)) {
		*bad_wr = wr;
		if (wr == first) {
			shca_unlock(&sq->lock);
			return err;
		}
	}
	sq->head = head;
	shca_publish(&qp->shared->sq_prod, head);
	shca_unlock(&sq->lock);
	return SHIM_LIKELY(!must_ring(qp)) ? err : ring(qp, first, bad_wr, err);
}

/* The new key is the caller's at once (G059); it differs from the old one in its tag. */
int shca_post_bind(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags | BIND_TYPE_1,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = bind->bind_info,
		},
	}, *bad;
	int err;

	if (qp->pd->handle != mw->pd->handle)
		return EPERM;
	err = shca_post_send(qp, &wr, &bad);
	if (!err)
		mw->rkey = wr.bind_mw.rkey;
	return err;
}

static inline int fill_recv(struct shca_queue *q, uint32_t count, const struct ibv_recv_wr *wr)
{
	struct shca_recv_wqe *wqe = shca_queue_entry(q, count);

	if (SHIM_UNLIKELY((uint32_t)wr->num_sge > q->max_sge || (wr->num_sge && !wr->sg_list)))
		return EINVAL;
	wqe->wr_id = wr->wr_id;
	wqe->count = (uint32_t)wr->num_sge;
	wqe->reserved = 0;
	copy_sges(wqe + 1, wr->sg_list, (uint32_t)wr->num_sge);
	return 0;
}

int shca_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct shca_qp *qp = shca_qp(ibqp);
	struct shca_queue *rq = &qp->rq;
	uint32_t head, start;
	int err = 0;

	if (SHIM_UNLIKELY(!wr || !bad_wr))
		return EINVAL;
	/* Not on a QP with an SRQ (C224), and from INIT on (G098). */
	if (SHIM_UNLIKELY(ibqp->srq || shca_peek(&qp->shared->state) == IBV_QPS_RESET)) {
		*bad_wr = wr;
		return EINVAL;
	}
	shca_lock(&rq->lock);
	head = start = rq->head;
	for (; wr; wr = wr->next) {
		if (SHIM_UNLIKELY(!shca_post_has_room(rq, head))) {
			err = ENOMEM;
			break;
		}
		err = fill_recv(rq, head, wr);
		if (SHIM_UNLIKELY(err))
			break;
		head++;
	}
	if (SHIM_LIKELY(head != start)) {
		rq->head = head;
		shca_publish(&qp->shared->rq_prod, head);
	}
	shca_unlock(&rq->lock);
	if (SHIM_UNLIKELY(err))
		*bad_wr = wr;
	if (SHIM_LIKELY(head != start)) {
		/* Pairs with the engine: state = ERR, full barrier, looks at rq_prod. */
		shca_full_barrier();
		if (SHIM_UNLIKELY(shca_peek(&qp->shared->state) == IBV_QPS_ERR))
			shca_map_ring_doorbell(qp->doorbell_fd, ibqp->qp_num);
	}
	return err;
}

/* Entries come free when the engine has copied them out, whatever QP they went to. */
static bool srq_has_room(struct shca_srq *srq, uint32_t head)
{
	struct shca_queue *q = &srq->rq;

	if (SHIM_LIKELY(head - q->tail_seen < q->max_wr))
		return true;
	q->tail_seen = shca_observe(&srq->shared->cons);
	return head - q->tail_seen < q->max_wr;
}

int shca_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct shca_srq *srq = shca_srq(ibsrq);
	struct shca_queue *q = &srq->rq;
	uint32_t head, start;
	int err = 0;

	if (SHIM_UNLIKELY(!wr || !bad_wr))
		return EINVAL;
	shca_gate_lock(&srq->gate, &q->lock);
	head = start = q->head;
	for (; wr; wr = wr->next) {
		if (SHIM_UNLIKELY(!srq_has_room(srq, head))) {
			err = ENOMEM;
			break;
		}
		err = fill_recv(q, head, wr);
		if (SHIM_UNLIKELY(err))
			break;
		head++;
	}
	if (SHIM_LIKELY(head != start)) {
		q->head = head;
		shca_publish(&srq->shared->prod, head);
	}
	shca_unlock(&q->lock);
	if (SHIM_UNLIKELY(err))
		*bad_wr = wr;
	return err;
}
