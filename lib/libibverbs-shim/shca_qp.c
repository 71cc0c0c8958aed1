// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_qp.c - rings of queue pairs, and the table that finds a QP by its number.
 *
 * Called by cmd_qp.c around its commands.  Who polls a CQ finds the QP of a CQE in the table, so
 * a QP that goes takes its CQEs along: qp_mutex is held from before the kernel frees the number
 * until the last CQE is gone, and a new QP with the same number cannot enter before that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "shca.h"

#define OP(name) (1U << IBV_WR_##name)

#define DATAGRAM (OP(SEND) | OP(SEND_WITH_IMM))
#define UNRELIABLE (DATAGRAM | OP(RDMA_WRITE) | OP(RDMA_WRITE_WITH_IMM) | OP(SEND_WITH_INV) | \
		    OP(LOCAL_INV) | OP(BIND_MW))
#define RELIABLE (UNRELIABLE | OP(RDMA_READ) | OP(ATOMIC_CMP_AND_SWP) | OP(ATOMIC_FETCH_AND_ADD))

/* What may be posted on a QP of a type (C226..C228, G115). */
static const uint32_t opcodes_of_type[] = {
	[IBV_QPT_RC] = RELIABLE,
	[IBV_QPT_UC] = UNRELIABLE,
	[IBV_QPT_UD] = DATAGRAM,
	[IBV_QPT_XRC_SEND] = RELIABLE,
};

/* What a QP without queues of its own shows to who posts to it all the same: state RESET. */
static struct shca_qp_shared no_queues;

static uint32_t opcodes_of(enum ibv_qp_type type)
{
	return (unsigned int)type < SHIM_ARRAY_SIZE(opcodes_of_type) ? opcodes_of_type[type] : 0;
}

static enum shca_target target_of(enum ibv_qp_type type)
{
	if (type == IBV_QPT_UD)
		return SHCA_TARGET_UD;
	return type == IBV_QPT_XRC_SEND ? SHCA_TARGET_XRC : SHCA_TARGET_PEER;
}

_Static_assert((int)IBV_QP_EX_WITH_RDMA_WRITE == OP(RDMA_WRITE), "one bit per opcode");
_Static_assert((int)IBV_QP_EX_WITH_SEND == OP(SEND), "one bit per opcode");
_Static_assert((int)IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD == OP(ATOMIC_FETCH_AND_ADD), "likewise");
_Static_assert((int)IBV_QP_EX_WITH_SEND_WITH_INV == OP(SEND_WITH_INV), "likewise");

/* The bits of enum ibv_qp_create_send_ops_flags are those of the opcodes. */
static int check_send_ops(const struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return 0;
	return attr->send_ops_flags & ~(uint64_t)opcodes_of(attr->qp_type) ? EOPNOTSUPP : 0;
}

/* Sets errno. */
struct ibv_qp *shca_qp_alloc(struct shim_context *ctx, const struct ibv_qp_init_attr_ex *attr,
			     struct shim_udata *udata)
{
	struct shca_qp *qp;
	bool placed;

	if (shim_error_set(check_send_ops(attr)))
		return NULL;
	qp = shca_map_zalloc_in(attr->pd, sizeof(*qp), SHIM_RESOURCE_QP, &placed);
	if (!qp) {
		errno = ENOMEM;
		return NULL;
	}
	qp->placed = placed;
	qp->shared = &no_queues;
	qp->hw = ctx->hw;
	qp->doorbell_fd = ctx->hw->doorbell_fd;
	qp->opcodes = opcodes_of(attr->qp_type);
	qp->target = (uint8_t)target_of(attr->qp_type);
	if (attr->pd && shim_pd(attr->pd)->td)
		qp->sq.lock.off = qp->rq.lock.off = true;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		shca_wr_fill(qp);
	udata->out = &qp->resp;
	udata->out_len = sizeof(qp->resp);
	return &qp->ibv;
}

static int enter_table(struct shca_context *hw, struct shca_qp *qp)
{
	uint32_t qpn = qp->ibv.qp_num;
	struct shca_leaf **slot, *leaf;
	int err = 0;

	if (qpn >= SHCA_QPN_LEAVES * SHCA_QPN_LEAF_SIZE)
		return EPROTO;
	slot = &hw->leaves[qpn >> SHCA_QPN_LEAF_BITS];
	pthread_mutex_lock(&hw->qp_mutex);
	leaf = *slot;
	if (!leaf) {
		leaf = calloc(1, sizeof(*leaf));
		if (leaf)
			__atomic_store_n(slot, leaf, __ATOMIC_RELEASE);
		else
			err = ENOMEM;
	}
	if (leaf)
		__atomic_store_n(&leaf->qp[qpn & (SHCA_QPN_LEAF_SIZE - 1)], qp, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&hw->qp_mutex);
	return err;
}

/* A queue without entries has room for nothing. */
static int take_queue(struct shca_qp *qp, struct shca_queue *q, const struct shca_ring_info *ring,
		      uint32_t max_wr)
{
	int err;

	if (!ring->entries)
		return 0;
	err = shca_map_check_ring(&qp->map, ring, sizeof(struct shca_qp_shared));
	if (err)
		return err;
	q->ring = qp->map.base + ring->offset;
	q->mask = ring->entries - 1;
	q->stride = ring->stride;
	q->max_wr = max_wr < ring->entries ? max_wr : ring->entries;
	return 0;
}

static bool fits(const struct shca_queue *q, uint32_t head, uint64_t data)
{
	return !q->max_wr || q->stride >= head + data;
}

/* Receive QPs of XRC have no queues: what they receive goes to SRQs and their CQs. */
int shca_qp_start(struct ibv_qp *ibqp, const struct ibv_qp_cap *granted, bool sig_all)
{
	struct shca_qp *qp = shca_qp(ibqp);
	int err;

	if (ibqp->qp_type == IBV_QPT_XRC_RECV)
		return 0;
	err = shca_map_open(&qp->map, qp->hw->cmd_fd, &qp->resp.map, PROT_READ | PROT_WRITE);
	if (err)
		return err;
	qp->shared = (struct shca_qp_shared *)qp->map.base;
	qp->sq.max_sge = granted->max_send_sge;
	qp->rq.max_sge = granted->max_recv_sge;
	qp->max_inline = granted->max_inline_data;
	qp->send_flags = sig_all ? SHCA_SEND_SIGNALED : 0;
	err = take_queue(qp, &qp->sq, &qp->resp.sq, granted->max_send_wr);
	if (!err && !ibqp->srq)
		err = take_queue(qp, &qp->rq, &qp->resp.rq, granted->max_recv_wr);
	if (err)
		return err;
	/* Nothing that is allowed to be posted may run over the next entry. */
	if (!fits(&qp->sq, SHCA_SEND_WQE_HEAD, qp->max_inline) ||
	    !fits(&qp->sq, SHCA_SEND_WQE_HEAD, qp->sq.max_sge * sizeof(struct shca_sge)) ||
	    !fits(&qp->rq, SHCA_RECV_WQE_HEAD, qp->rq.max_sge * sizeof(struct shca_sge)))
		return EPROTO;
	return enter_table(qp->hw, qp);
}

void shca_qp_stop_begin(struct ibv_qp *qp)
{
	pthread_mutex_lock(&shca_qp(qp)->hw->qp_mutex);
}

static void forget_cqes(struct shca_qp *qp)
{
	if (qp->ibv.send_cq)
		shca_cq_forget(shca_cq(qp->ibv.send_cq), qp->ibv.qp_num);
	if (qp->ibv.recv_cq && qp->ibv.recv_cq != qp->ibv.send_cq)
		shca_cq_forget(shca_cq(qp->ibv.recv_cq), qp->ibv.qp_num);
}

/* First out of the table, then out of the CQs: a poller in between finds nobody and passes over. */
void shca_qp_stop_end(struct ibv_qp *ibqp, bool gone)
{
	struct shca_qp *qp = shca_qp(ibqp);
	uint32_t qpn = ibqp->qp_num;

	if (gone && qp->map.base) {
		struct shca_leaf *leaf = qp->hw->leaves[qpn >> SHCA_QPN_LEAF_BITS];

		__atomic_store_n(&leaf->qp[qpn & (SHCA_QPN_LEAF_SIZE - 1)], NULL,
				 __ATOMIC_RELEASE);
		forget_cqes(qp);
	}
	pthread_mutex_unlock(&qp->hw->qp_mutex);
}

static void empty_queue(struct shca_queue *q)
{
	shca_lock(&q->lock);
	q->head = 0;
	q->tail_seen = 0;
	__atomic_store_n(&q->tail, 0, __ATOMIC_RELEASE);
	shca_unlock(&q->lock);
}

/* The engine has zeroed the counts in the shared head; CQEs of the past would spoil ours. */
void shca_qp_reset(struct ibv_qp *ibqp)
{
	struct shca_qp *qp = shca_qp(ibqp);

	forget_cqes(qp);
	empty_queue(&qp->sq);
	empty_queue(&qp->rq);
}

void shca_qp_free(struct ibv_qp *ibqp)
{
	struct shca_qp *qp = shca_qp(ibqp);

	shca_map_close(&qp->map);
	pthread_mutex_destroy(&ibqp->mutex);
	pthread_cond_destroy(&ibqp->cond);
	shca_map_free_in(ibqp->pd, qp, SHIM_RESOURCE_QP, qp->placed);
}
