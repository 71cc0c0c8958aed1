// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_cq.c - rings of completion queues: making, resizing, and forgetting a dead QP.
 *
 * Called by cmd_cq.c around its commands, and by shca_qp.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "shca.h"

_Static_assert(sizeof(struct shca_cqe) == SHCA_WQE_UNIT, "a CQE is one cache line");

struct ibv_cq *shca_cq_alloc(struct shim_context *ctx, const struct ibv_cq_init_attr_ex *attr,
			     bool extended, struct shim_udata *udata)
{
	struct ibv_pd *pd = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ? attr->parent_domain : NULL;
	struct shca_cq *cq;
	bool placed;

	cq = shca_map_zalloc_in(pd, sizeof(*cq), SHIM_RESOURCE_CQ, &placed);
	if (!cq)
		return NULL;
	cq->placed = placed;
	cq->pd = pd;
	cq->hw = ctx->hw;
	pthread_mutex_init(&cq->gate, NULL);
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS)
		cq->lock.off = attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	if (pd && shim_pd(pd)->td)
		cq->lock.off = true;
	if (extended)
		shca_cq_ex_fill(cq, attr->wc_flags);
	udata->out = &cq->resp;
	udata->out_len = sizeof(cq->resp);
	return &cq->ibv;
}

/* Maps the ring that the kernel's last answer describes. */
static int map_ring(struct shca_cq *cq, struct shca_map *map)
{
	const struct shca_ring_info *ring = &cq->resp.ring;
	int err;

	err = shca_map_open(map, cq->hw->cmd_fd, &cq->resp.map, PROT_READ | PROT_WRITE);
	if (err)
		return err;
	err = shca_map_check_ring(map, ring, sizeof(struct shca_cq_shared));
	if (!err && ring->stride != sizeof(struct shca_cqe))
		err = EPROTO;
	if (err)
		shca_map_close(map);
	return err;
}

/* Takes a mapping into use; the free-running counts go on where its head says. */
static void take_ring(struct shca_cq *cq, const struct shca_map *map)
{
	const struct shca_ring_info *ring = &cq->resp.ring;

	cq->map = *map;
	cq->shared = (struct shca_cq_shared *)map->base;
	cq->ring = map->base + ring->offset;
	cq->mask = ring->entries - 1;
	cq->order = (uint32_t)__builtin_ctz(ring->entries);
	cq->cons = cq->shared->cons;
	cq->run = 0;
}

int shca_cq_start(struct ibv_cq *ibcq)
{
	struct shca_cq *cq = shca_cq(ibcq);
	struct shca_map map = { .base = NULL };
	int err = map_ring(cq, &map);

	if (!err)
		take_ring(cq, &map);
	return err;
}

void shca_cq_free(struct ibv_cq *ibcq)
{
	struct shca_cq *cq = shca_cq(ibcq);

	shca_map_close(&cq->map);
	pthread_mutex_destroy(&cq->gate);
	pthread_mutex_destroy(&ibcq->mutex);
	pthread_cond_destroy(&ibcq->cond);
	shca_map_free_in(cq->pd, cq, SHIM_RESOURCE_CQ, cq->placed);
}

/* Pollers sleep while the kernel moves the CQEs (shca_gate.c). */
void shca_cq_resize_begin(struct ibv_cq *ibcq, struct shim_udata *udata)
{
	struct shca_cq *cq = shca_cq(ibcq);

	shca_gate_close(&cq->gate, &cq->lock);
	memset(&cq->resp, 0, sizeof(cq->resp));
	udata->out = &cq->resp;
	udata->out_len = sizeof(cq->resp);
}

/* A driver that kept the old ring (a smaller size is a no-op, C115) leaves the answer empty. */
int shca_cq_resize_end(struct ibv_cq *ibcq, int err, int cqe)
{
	struct shca_cq *cq = shca_cq(ibcq);
	struct shca_map map = { .base = NULL }, old = { .base = NULL };

	if (!err && cq->resp.map.size)
		err = map_ring(cq, &map);
	shca_lock(&cq->lock);
	if (!err) {
		ibcq->cqe = cqe;
		if (map.base) {
			old = cq->map;
			take_ring(cq, &map);
		}
	}
	shca_gate_reopen(&cq->gate, &cq->lock);
	shca_map_close(&old);
	return err;
}

static struct shca_cqe *entry(struct shca_cq *cq, uint32_t count)
{
	return (struct shca_cqe *)cq->ring + (count & cq->mask);
}

/*
 * Removes the CQEs of a QP and keeps the order of the others: walking back from the newest, the
 * ones to keep move towards it, and cons jumps over the gap.  The engine never looks at CQEs
 * that it wrote, and writes only behind the newest.
 */
void shca_cq_forget(struct shca_cq *cq, uint32_t qpn)
{
	uint32_t from, to, end;

	shca_gate_lock(&cq->gate, &cq->lock);
	if (cq->last_qp && cq->last_qpn == qpn)
		cq->last_qp = NULL;
	for (end = cq->cons; end - cq->cons <= cq->mask; end++)
		if (shca_observe(&entry(cq, end)->lap) != shca_cqe_lap(end, cq->order))
			break;
	to = end;
	for (from = end; from != cq->cons; ) {
		const struct shca_cqe *cqe = entry(cq, --from);

		if (cqe->qpn == qpn)
			continue;
		if (--to != from) {
			struct shca_cqe *dest = entry(cq, to);

			*dest = *cqe;
			dest->lap = shca_cqe_lap(to, cq->order);
		}
	}
	if (to != cq->cons) {
		cq->cons = to;
		shca_publish(&cq->shared->cons, to);
	}
	shca_unlock(&cq->lock);
}
