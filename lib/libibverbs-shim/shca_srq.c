// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* shca_srq.c - rings of shared receive queues.  Called by cmd_srq.c around its commands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "shca.h"

struct ibv_srq *shca_srq_alloc(struct shim_context *ctx, struct ibv_pd *pd,
			       struct shim_udata *udata)
{
	struct shca_srq *srq;
	bool placed;

	(void)ctx;
	srq = shca_map_zalloc_in(pd, sizeof(*srq), SHIM_RESOURCE_SRQ, &placed);
	if (!srq)
		return NULL;
	srq->placed = placed;
	pthread_mutex_init(&srq->gate, NULL);
	srq->rq.lock.off = shim_pd(pd)->td != NULL;
	udata->out = &srq->resp;
	udata->out_len = sizeof(srq->resp);
	return &srq->ibv;
}

/* Maps the ring that the kernel's last answer describes. */
static int map_ring(struct shca_srq *srq, struct shca_map *map)
{
	const struct shca_ring_info *ring = &srq->resp.ring;
	int err;

	err = shca_map_open(map, srq->ibv.context->cmd_fd, &srq->resp.map,
			    PROT_READ | PROT_WRITE);
	if (err)
		return err;
	err = shca_map_check_ring(map, ring, sizeof(struct shca_srq_shared));
	if (!err && ring->stride < SHCA_RECV_WQE_HEAD + srq->rq.max_sge * sizeof(struct shca_sge))
		err = EPROTO;
	if (err)
		shca_map_close(map);
	return err;
}

/* Takes a mapping into use; posted requests keep their counts in a new ring. */
static void take_ring(struct shca_srq *srq, const struct shca_map *map, uint32_t max_wr)
{
	const struct shca_ring_info *ring = &srq->resp.ring;

	srq->map = *map;
	srq->shared = (struct shca_srq_shared *)map->base;
	srq->rq.ring = map->base + ring->offset;
	srq->rq.mask = ring->entries - 1;
	srq->rq.stride = ring->stride;
	srq->rq.max_wr = max_wr < ring->entries ? max_wr : ring->entries;
	srq->rq.head = srq->shared->prod;
	srq->rq.tail_seen = shca_observe(&srq->shared->cons);
}

int shca_srq_start(struct ibv_srq *ibsrq, const struct ibv_srq_attr *granted)
{
	struct shca_srq *srq = shca_srq(ibsrq);
	struct shca_map map = { .base = NULL };
	int err;

	srq->rq.max_sge = granted->max_sge;
	err = map_ring(srq, &map);
	if (!err)
		take_ring(srq, &map, granted->max_wr);
	return err;
}

uint32_t shca_srq_number(struct ibv_srq *srq)
{
	return shca_srq(srq)->resp.srqn;
}

/*
 * MODIFY_SRQ has no answer in the uAPI: the driver writes it to the address given here.  Posters
 * sleep meanwhile (shca_gate.c).
 */
void shca_srq_resize_begin(struct ibv_srq *ibsrq, struct shim_udata *udata)
{
	struct shca_srq *srq = shca_srq(ibsrq);

	shca_gate_close(&srq->gate, &srq->rq.lock);
	memset(&srq->resp.map, 0, sizeof(srq->resp.map));
	srq->modify.resp_addr = (uintptr_t)&srq->resp;
	udata->in = &srq->modify;
	udata->in_len = sizeof(srq->modify);
}

/* The new ring may hold more than was asked for, and then grants it (C203 in spirit). */
int shca_srq_resize_end(struct ibv_srq *ibsrq, int err, uint32_t max_wr)
{
	struct shca_srq *srq = shca_srq(ibsrq);
	struct shca_map map = { .base = NULL }, old = { .base = NULL };

	if (!err && srq->resp.map.size)
		err = map_ring(srq, &map);
	shca_lock(&srq->rq.lock);
	if (!err && map.base) {
		old = srq->map;
		take_ring(srq, &map, srq->resp.ring.entries > max_wr ? srq->resp.ring.entries :
								       max_wr);
	}
	shca_gate_reopen(&srq->gate, &srq->rq.lock);
	shca_map_close(&old);
	return err;
}

void shca_srq_free(struct ibv_srq *ibsrq)
{
	struct shca_srq *srq = shca_srq(ibsrq);

	shca_map_close(&srq->map);
	pthread_mutex_destroy(&srq->gate);
	pthread_mutex_destroy(&ibsrq->mutex);
	pthread_cond_destroy(&ibsrq->cond);
	shca_map_free_in(ibsrq->pd, srq, SHIM_RESOURCE_SRQ, srq->placed);
}
