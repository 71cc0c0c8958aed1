// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_wr.c - the ibv_wr_* functions: work requests built call by call.
 *
 * Reached through the pointers of struct ibv_qp_ex.  wr_start takes the send queue's lock; each
 * opcode call opens the next entry of the ring, the setters fill it, wr_complete publishes them
 * all or, after an error in any call, none (F41).  Nothing is visible to the engine before.
 */
#include <errno.h>
#include <string.h>
#include "shca.h"

static struct shca_qp *of(struct ibv_qp_ex *qp)
{
	return shim_container_of(qp, struct shca_qp, ex);
}

static void fail(struct shca_qp *qp, int err)
{
	if (!qp->build.err)
		qp->build.err = err;
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct shca_qp *qp = of(ex);

	shca_lock(&qp->sq.lock);
	qp->build.head = qp->build.next = qp->sq.head;
	qp->build.wqe = NULL;
	qp->build.err = 0;
}

/* The next entry with its head filled in, or NULL after an error. */
static struct shca_send_wqe *open_wqe(struct shca_qp *qp, uint32_t opcode)
{
	struct shca_builder *b = &qp->build;
	struct shca_send_wqe *wqe;

	b->wqe = NULL;
	if (SHIM_UNLIKELY(b->err))
		return NULL;
	if (SHIM_UNLIKELY(!(qp->opcodes >> opcode & 1))) {
		fail(qp, EINVAL);
		return NULL;
	}
	if (SHIM_UNLIKELY(!shca_post_has_room(&qp->sq, b->next))) {
		fail(qp, ENOMEM);
		return NULL;
	}
	wqe = shca_queue_entry(&qp->sq, b->next++);
	wqe->wr_id = qp->ex.wr_id;
	wqe->opcode = (uint8_t)opcode;
	wqe->flags = (uint8_t)(qp->ex.wr_flags & (IBV_SEND_FENCE | IBV_SEND_SIGNALED |
						  IBV_SEND_SOLICITED)) | qp->send_flags;
	wqe->count = 0;
	wqe->ex = 0;
	memset(&wqe->remote, 0, sizeof(wqe->remote));
	b->wqe = wqe;
	return wqe;
}

static void open_remote(struct shca_qp *qp, uint32_t opcode, uint32_t rkey, uint64_t addr)
{
	struct shca_send_wqe *wqe = open_wqe(qp, opcode);

	if (!wqe)
		return;
	wqe->remote.addr = addr;
	wqe->remote.rkey = rkey;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	open_wqe(of(ex), IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	struct shca_send_wqe *wqe = open_wqe(of(ex), IBV_WR_SEND_WITH_IMM);

	if (wqe)
		wqe->ex = imm;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct shca_send_wqe *wqe = open_wqe(of(ex), IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->ex = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct shca_send_wqe *wqe = open_wqe(of(ex), IBV_WR_LOCAL_INV);

	if (wqe)
		wqe->ex = rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct shca_qp *qp = of(ex);
	struct shca_send_wqe *wqe = open_wqe(qp, IBV_WR_BIND_MW);
	int err;

	if (!wqe)
		return;
	err = mw->type == IBV_MW_TYPE_1 ? EINVAL : shca_post_fill_bind(wqe, mw, rkey, info);
	if (err) {
		fail(qp, err);
		qp->build.wqe = NULL;
	}
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	struct shca_qp *qp = of(ex);

	if (!qp->build.wqe)
		return;
	if (SHIM_UNLIKELY(qp->ibv.qp_type != IBV_QPT_XRC_SEND)) {
		fail(qp, EINVAL);
		return;
	}
	qp->build.wqe->remote.xrc_srqn = srqn;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	open_remote(of(ex), IBV_WR_RDMA_WRITE, rkey, addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	struct shca_qp *qp = of(ex);

	open_remote(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr);
	if (qp->build.wqe)
		qp->build.wqe->ex = imm;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	open_remote(of(ex), IBV_WR_RDMA_READ, rkey, addr);
}

static void open_atomic(struct shca_qp *qp, uint32_t opcode, uint32_t rkey, uint64_t addr)
{
	if (addr % sizeof(uint64_t)) {
		fail(qp, EINVAL);
		qp->build.wqe = NULL;
		return;
	}
	open_remote(qp, opcode, rkey, addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr,
			      uint64_t compare, uint64_t swap)
{
	struct shca_qp *qp = of(ex);
	struct shca_atomic_ops *ops;

	open_atomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr);
	if (!qp->build.wqe)
		return;
	ops = (struct shca_atomic_ops *)(qp->build.wqe + 1);
	ops->compare_add = compare;
	ops->swap = swap;
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	struct shca_qp *qp = of(ex);
	struct shca_atomic_ops *ops;

	open_atomic(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr);
	if (!qp->build.wqe)
		return;
	ops = (struct shca_atomic_ops *)(qp->build.wqe + 1);
	ops->compare_add = add;
	ops->swap = 0;
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct shca_qp *qp = of(ex);
	struct shca_send_wqe *wqe = qp->build.wqe;

	if (!wqe)
		return;
	if (SHIM_UNLIKELY(qp->ibv.qp_type != IBV_QPT_UD)) {
		fail(qp, EINVAL);
		return;
	}
	wqe->ud.ahn = shim_container_of(ah, struct shca_ah, ibv)->resp.ahn;
	wqe->ud.qpn = qpn;
	wqe->ud.qkey = qkey;
}

/* Requests that carry no data at all. */
static bool is_bare(const struct shca_send_wqe *wqe)
{
	return wqe->opcode == IBV_WR_BIND_MW || wqe->opcode == IBV_WR_LOCAL_INV;
}

static bool is_atomic(const struct shca_send_wqe *wqe)
{
	return wqe->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t count, const struct ibv_sge *list)
{
	struct shca_qp *qp = of(ex);
	struct shca_send_wqe *wqe = qp->build.wqe;
	uint8_t *to = (uint8_t *)(wqe + 1);

	if (!wqe)
		return;
	if (SHIM_UNLIKELY(count > qp->sq.max_sge || is_bare(wqe))) {
		fail(qp, EINVAL);
		return;
	}
	if (SHIM_UNLIKELY(is_atomic(wqe))) {
		if (count != 1 || list->length != sizeof(uint64_t)) {
			fail(qp, EINVAL);
			return;
		}
		to += sizeof(struct shca_atomic_ops);
	}
	memcpy(to, list, count * sizeof(*list));
	wqe->count = (uint16_t)count;
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t count,
				    const struct ibv_data_buf *list)
{
	struct shca_qp *qp = of(ex);
	struct shca_send_wqe *wqe = qp->build.wqe;
	uint8_t *to = (uint8_t *)(wqe + 1);
	size_t i, total = 0;

	if (!wqe)
		return;
	/* Inline data belongs to sends and writes (C239). */
	if (SHIM_UNLIKELY(is_atomic(wqe) || is_bare(wqe) || wqe->opcode == IBV_WR_RDMA_READ)) {
		fail(qp, EINVAL);
		return;
	}
	for (i = 0; i < count; i++) {
		if (SHIM_UNLIKELY(list[i].length > qp->max_inline - total)) {
			fail(qp, EINVAL);
			return;
		}
		memcpy(to + total, list[i].addr, list[i].length);
		total += list[i].length;
	}
	wqe->flags |= SHCA_SEND_INLINE;
	wqe->count = (uint16_t)total;
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(ex, 1, &buf);
}

static int check_posted(struct shca_qp *qp)
{
	if (qp->build.err)
		return qp->build.err;
	return shca_peek(&qp->shared->state) < IBV_QPS_RTS ? EINVAL : 0;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct shca_qp *qp = of(ex);
	uint32_t next = qp->build.next;
	bool posted = next != qp->build.head;
	int err = check_posted(qp);

	if (!err && posted) {
		qp->sq.head = next;
		shca_publish(&qp->shared->sq_prod, next);
	}
	shca_unlock(&qp->sq.lock);
	if (err || !posted)
		return err;
	return shca_post_kick(qp) == EIO ? EIO : 0;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	shca_unlock(&of(ex)->sq.lock);
}

void shca_wr_fill(struct shca_qp *qp)
{
	struct ibv_qp_ex *ex = &qp->ex;

	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_send = wr_send;
	ex->wr_send_imm = wr_send_imm;
	ex->wr_send_inv = wr_send_inv;
	ex->wr_local_inv = wr_local_inv;
	ex->wr_bind_mw = wr_bind_mw;
	ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
	ex->wr_rdma_write = wr_rdma_write;
	ex->wr_rdma_write_imm = wr_rdma_write_imm;
	ex->wr_rdma_read = wr_rdma_read;
	ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
}

SHIM_EXPORT struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *ibqp)
{
	struct shca_qp *qp = shca_qp(ibqp);

	return qp->ex.wr_start ? &qp->ex : NULL;
}
