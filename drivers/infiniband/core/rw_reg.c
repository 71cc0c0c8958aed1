// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Transfers of the read/write interface whose local memory is registered by work requests: each
 * piece is invalidate (what the region was before), register, transfer. rw.c calls in.
 *
 * A region's key and its need to be invalidated change when the chain is made, not before: a
 * context that is destroyed without a post leaves the regions as they were.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "core_priv.h"
#include "rw.h"

/* More pages in one registration help nobody. */
#define MAX_PAGES	256U

u32 core_rw_reg_pages(const struct ib_device *dev)
{
	return min(dev->attrs.max_fast_reg_page_list_len, MAX_PAGES);
}

/* The next piece of at most @pages entries; moves on in the transfer. */
static int init_piece(struct rdma_rw_reg_ctx *reg, struct ib_qp *qp, u32 port_num, u32 pages,
		      struct core_rw_transfer *transfer)
{
	u32 count = min(transfer->sg_cnt, pages), i;
	int mapped;

	reg->mr = ib_mr_pool_get(qp, &qp->rdma_mrs);
	if (!reg->mr)
		return -EAGAIN;
	mapped = ib_map_mr_sg(reg->mr, transfer->sg, count, &transfer->offset, PAGE_SIZE);
	if (mapped < 0 || mapped < count) {
		ib_mr_pool_put(qp, &qp->rdma_mrs, reg->mr);
		return mapped < 0 ? mapped : -EINVAL;
	}
	reg->reg_wr.wr.opcode = IB_WR_REG_MR;
	reg->reg_wr.mr = reg->mr;
	reg->reg_wr.access = IB_ACCESS_LOCAL_WRITE;
	if (rdma_protocol_iwarp(qp->device, port_num))
		reg->reg_wr.access |= IB_ACCESS_REMOTE_WRITE;
	reg->sge.addr = reg->mr->iova;
	reg->sge.length = reg->mr->length;
	reg->wr.wr.sg_list = &reg->sge;
	reg->wr.wr.num_sge = 1;
	reg->wr.remote_addr = transfer->remote_addr;
	reg->wr.rkey = transfer->rkey;
	if (transfer->dir == DMA_TO_DEVICE)
		reg->wr.wr.opcode = IB_WR_RDMA_WRITE;
	else
		reg->wr.wr.opcode = rdma_cap_read_inv(qp->device, port_num) ?
				    IB_WR_RDMA_READ_WITH_INV : IB_WR_RDMA_READ;

	transfer->remote_addr += reg->sge.length;
	transfer->offset = 0;
	transfer->sg_cnt -= count;
	for (i = 0; i < count; i++)
		transfer->sg = sg_next(transfer->sg);
	return 0;
}

int core_rw_reg_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct core_rw_transfer *transfer)
{
	u32 pages = core_rw_reg_pages(qp->device), i;
	int ret, wrs = 0;

	if (!pages)
		return -EOPNOTSUPP;
	ctx->type = CORE_RW_REGISTERED;
	ctx->nr_ops = DIV_ROUND_UP(transfer->sg_cnt, pages);
	ctx->reg = kcalloc(ctx->nr_ops, sizeof(*ctx->reg), GFP_KERNEL);
	if (!ctx->reg)
		return -ENOMEM;
	for (i = 0; i < ctx->nr_ops; i++) {
		ret = init_piece(&ctx->reg[i], qp, port_num, pages, transfer);
		if (ret)
			goto undo;
		wrs += ctx->reg[i].mr->need_inval ? 3 : 2;
	}
	return wrs;
undo:
	ctx->nr_ops = i;
	core_rw_reg_destroy(ctx, qp);
	return ret;
}

void core_rw_reg_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp)
{
	u32 i;

	for (i = 0; i < ctx->nr_ops; i++)
		ib_mr_pool_put(qp, &qp->rdma_mrs, ctx->reg[i].mr);
	kfree(ctx->reg);
}

/* Chains what one piece takes behind *end, and returns the new end. */
static struct ib_send_wr **chain_piece(struct rdma_rw_reg_ctx *reg, struct ib_send_wr **end)
{
	struct ib_mr *mr = reg->mr;

	if (mr->need_inval) {
		reg->inv_wr.opcode = IB_WR_LOCAL_INV;
		reg->inv_wr.ex.invalidate_rkey = mr->lkey;
		*end = &reg->inv_wr;
		end = &reg->inv_wr.next;
	}
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->lkey));
	reg->reg_wr.key = mr->lkey;
	reg->sge.lkey = mr->lkey;
	mr->need_inval = reg->wr.wr.opcode != IB_WR_RDMA_READ_WITH_INV;
	if (!mr->need_inval)
		reg->wr.wr.ex.invalidate_rkey = mr->lkey;
	*end = &reg->reg_wr.wr;
	reg->reg_wr.wr.next = &reg->wr.wr;
	return &reg->wr.wr.next;
}

struct ib_send_wr *core_rw_reg_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_send_wr **last)
{
	struct ib_send_wr *first = NULL, **end = &first;
	u32 i;

	for (i = 0; i < ctx->nr_ops; i++)
		end = chain_piece(&ctx->reg[i], end);
	*last = &ctx->reg[ctx->nr_ops - 1].wr.wr;
	return first;
}
