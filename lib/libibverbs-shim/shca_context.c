// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_context.c - what an open device needs for its data path: the doorbell, the table that
 * finds a QP by its number, and the fast verbs in the table of the context.
 *
 * Called by context.c around the commands that open and close a device.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shca.h"

int shca_context_alloc(struct shim_context *ctx, struct shim_udata *udata)
{
	struct shca_context *hw = calloc(1, sizeof(*hw));

	if (!hw)
		return ENOMEM;
	hw->cmd_fd = ctx->v.context.cmd_fd;
	hw->doorbell_fd = -1;
	pthread_mutex_init(&hw->qp_mutex, NULL);
	udata->out = &hw->resp;
	udata->out_len = sizeof(hw->resp);
	ctx->hw = hw;
	return 0;
}

int shca_context_start(struct shim_context *ctx)
{
	struct shca_context *hw = ctx->hw;
	int err;

	err = shca_map_open(&hw->doorbell_page, hw->cmd_fd, &hw->resp.doorbell_page, PROT_READ);
	if (err)
		return err;
	if (hw->doorbell_page.size < sizeof(struct shca_doorbell_page))
		return EPROTO;
	return shca_map_open_doorbell(&ctx->v.context);
}

void shca_context_free(struct shim_context *ctx)
{
	struct shca_context *hw = ctx->hw;
	unsigned int i;

	if (hw->doorbell_fd >= 0)
		close(hw->doorbell_fd);
	shca_map_close(&hw->doorbell_page);
	for (i = 0; i < SHCA_QPN_LEAVES; i++)
		free(hw->leaves[i]);
	pthread_mutex_destroy(&hw->qp_mutex);
	free(hw);
	ctx->hw = NULL;
}

uint32_t shca_context_null_lkey(struct shim_context *ctx)
{
	return ctx->hw->resp.null_lkey;
}

/* Limits hold for whole QPs, of the types that send. */
void shca_context_pacing(struct shim_context *ctx, struct ibv_packet_pacing_caps *caps)
{
	caps->qp_rate_limit_max = ctx->hw->resp.max_rate;
	if (!caps->qp_rate_limit_max)
		return;
	caps->qp_rate_limit_min = 1;
	caps->supported_qpts = 1U << IBV_QPT_RC | 1U << IBV_QPT_UC | 1U << IBV_QPT_UD |
			       1U << IBV_QPT_XRC_SEND;
}

void shca_context_set_ops(struct shim_context *ctx)
{
	struct ibv_context_ops *ops = &ctx->v.context.ops;

	ops->poll_cq = shca_poll_cq;
	ops->req_notify_cq = shca_poll_req_notify;
	ops->post_send = shca_post_send;
	ops->post_recv = shca_post_recv;
	ops->post_srq_recv = shca_post_srq_recv;
	ops->bind_mw = shca_post_bind;
}
