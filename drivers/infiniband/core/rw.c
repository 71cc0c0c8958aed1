// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA READ and WRITE of scatterlists for the targets of storage protocols: how a transfer becomes
 * work requests is decided here, so that they need not know what a device wants. A context is
 * made for one transfer, its work requests are posted as one chain, and it is destroyed when the
 * last of them has completed.
 *
 * Consumers call in; ib_post_send() goes out. Nothing here waits but for memory.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "rw.h"
#include "core_priv.h"

static bool force_mr;
module_param(force_mr, bool, 0444);
MODULE_PARM_DESC(force_mr, "register the memory of all RDMA READs and WRITEs of kernel targets");

/* Does the local side of any transfer on this port ever need a registration? */
static bool port_registers(struct ib_device *dev, u32 port_num)
{
	return force_mr || rdma_protocol_iwarp(dev, port_num) || dev->attrs.max_sgl_rd;
}

static bool transfer_registers(struct ib_device *dev, u32 port_num,
			       const struct core_rw_transfer *transfer)
{
	if (force_mr)
		return true;
	if (transfer->dir != DMA_FROM_DEVICE)
		return false;
	/* An iWARP device answers a READ by a write into our memory, which needs a key. */
	return rdma_protocol_iwarp(dev, port_num) ||
	       (dev->attrs.max_sgl_rd && transfer->sg_cnt > dev->attrs.max_sgl_rd);
}

static void start_rdma(struct ib_rdma_wr *wr, const struct core_rw_transfer *transfer)
{
	memset(wr, 0, sizeof(*wr));
	wr->wr.opcode = transfer->dir == DMA_TO_DEVICE ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ;
	wr->remote_addr = transfer->remote_addr;
	wr->rkey = transfer->rkey;
}

static int init_single(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
		       const struct core_rw_transfer *transfer)
{
	ctx->type = CORE_RW_SINGLE;
	ctx->nr_ops = 1;
	ctx->single.sge.lkey = qp->pd->local_dma_lkey;
	ctx->single.sge.addr = sg_dma_address(transfer->sg) + transfer->offset;
	ctx->single.sge.length = sg_dma_len(transfer->sg) - transfer->offset;
	start_rdma(&ctx->single.wr, transfer);
	ctx->single.wr.wr.sg_list = &ctx->single.sge;
	ctx->single.wr.wr.num_sge = 1;
	return 1;
}

/* One work request of as many entries as it may have; moves on in the transfer. */
static struct ib_sge *fill_sges(struct ib_rdma_wr *wr, struct ib_sge *sge, u32 count, u32 lkey,
				struct core_rw_transfer *transfer)
{
	u32 i;

	start_rdma(wr, transfer);
	wr->wr.sg_list = sge;
	wr->wr.num_sge = count;
	for (i = 0; i < count; i++, sge++) {
		sge->addr = sg_dma_address(transfer->sg) + transfer->offset;
		sge->length = sg_dma_len(transfer->sg) - transfer->offset;
		sge->lkey = lkey;
		transfer->remote_addr += sge->length;
		transfer->offset = 0;
		transfer->sg = sg_next(transfer->sg);
	}
	return sge;
}

static int init_sges(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct core_rw_transfer *transfer)
{
	u32 most = transfer->dir == DMA_TO_DEVICE ? qp->max_write_sge : qp->max_read_sge;
	u32 left = transfer->sg_cnt, count, i;
	struct ib_sge *sge;

	most = max(most, 1U);
	ctx->type = CORE_RW_SGES;
	ctx->nr_ops = DIV_ROUND_UP(left, most);
	ctx->map.sges = sge = kcalloc(left, sizeof(*sge), GFP_KERNEL);
	if (!sge)
		return -ENOMEM;
	ctx->map.wrs = kcalloc(ctx->nr_ops, sizeof(*ctx->map.wrs), GFP_KERNEL);
	if (!ctx->map.wrs) {
		kfree(ctx->map.sges);
		return -ENOMEM;
	}
	for (i = 0; i < ctx->nr_ops; i++, left -= count) {
		count = min(left, most);
		sge = fill_sges(&ctx->map.wrs[i], sge, count, qp->pd->local_dma_lkey, transfer);
		if (i)
			ctx->map.wrs[i - 1].wr.next = &ctx->map.wrs[i].wr;
	}
	return ctx->nr_ops;
}

/* Entries of the list that the offset leaves out altogether are passed over. */
static void skip_offset(struct core_rw_transfer *transfer)
{
	while (transfer->sg_cnt > 1 && transfer->offset >= sg_dma_len(transfer->sg)) {
		transfer->offset -= sg_dma_len(transfer->sg);
		transfer->sg = sg_next(transfer->sg);
		transfer->sg_cnt--;
	}
}

/*
 * rdma_rw_ctx_init - prepare a transfer between @sg from @sg_offset on and @remote_addr
 *
 * Returns how many work requests rdma_rw_ctx_wrs() will chain.
 */
int rdma_rw_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct scatterlist *sg, u32 sg_cnt, u32 sg_offset, u64 remote_addr, u32 rkey,
		     enum dma_data_direction dir)
{
	struct core_rw_transfer transfer = {
		.sg = sg, .offset = sg_offset, .remote_addr = remote_addr, .rkey = rkey,
		.dir = dir,
	};
	struct ib_device *dev = qp->pd->device;
	int ret;

	transfer.sg_cnt = ib_dma_map_sg(dev, sg, sg_cnt, dir);
	if (!transfer.sg_cnt)
		return -ENOMEM;
	skip_offset(&transfer);
	if (WARN_ON_ONCE(transfer.offset >= sg_dma_len(transfer.sg)))
		ret = -EIO;
	else if (transfer_registers(dev, port_num, &transfer))
		ret = core_rw_reg_init(ctx, qp, port_num, &transfer);
	else if (transfer.sg_cnt == 1)
		ret = init_single(ctx, qp, &transfer);
	else
		ret = init_sges(ctx, qp, &transfer);
	if (ret < 0)
		ib_dma_unmap_sg(dev, sg, sg_cnt, dir);
	return ret;
}
EXPORT_SYMBOL(rdma_rw_ctx_init);

/*
 * rdma_rw_ctx_destroy - after the completion of its last work request, or without a post
 */
void rdma_rw_ctx_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			 struct scatterlist *sg, u32 sg_cnt, enum dma_data_direction dir)
{
	switch ((enum core_rw_type)ctx->type) {
	case CORE_RW_REGISTERED:
		core_rw_reg_destroy(ctx, qp);
		break;
	case CORE_RW_SGES:
		kfree(ctx->map.wrs);
		kfree(ctx->map.sges);
		break;
	case CORE_RW_SINGLE:
		break;
	}
	ib_dma_unmap_sg(qp->pd->device, sg, sg_cnt, dir);
}
EXPORT_SYMBOL(rdma_rw_ctx_destroy);

/*
 * rdma_rw_ctx_wrs - the chain to post, ending in @chain_wr; without one the last request is
 * signalled and completes to @cqe
 */
struct ib_send_wr *rdma_rw_ctx_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_cqe *cqe, struct ib_send_wr *chain_wr)
{
	struct ib_send_wr *first, *last;

	switch ((enum core_rw_type)ctx->type) {
	case CORE_RW_REGISTERED:
		first = core_rw_reg_wrs(ctx, qp, port_num, &last);
		break;
	case CORE_RW_SGES:
		first = &ctx->map.wrs[0].wr;
		last = &ctx->map.wrs[ctx->nr_ops - 1].wr;
		break;
	case CORE_RW_SINGLE:
		first = last = &ctx->single.wr.wr;
		break;
	default:
		WARN_ONCE(1, "a transfer that was never prepared\n");
		return NULL;
	}
	last->next = chain_wr;
	if (!chain_wr) {
		last->wr_cqe = cqe;
		last->send_flags |= IB_SEND_SIGNALED;
	}
	return first;
}
EXPORT_SYMBOL(rdma_rw_ctx_wrs);

int rdma_rw_ctx_post(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num, struct ib_cqe *cqe,
		     struct ib_send_wr *chain_wr)
{
	struct ib_send_wr *first = rdma_rw_ctx_wrs(ctx, qp, port_num, cqe, chain_wr);

	return first ? ib_post_send(qp, first, NULL) : -EINVAL;
}
EXPORT_SYMBOL(rdma_rw_ctx_post);

/*
 * rdma_rw_mr_factor - registrations that a transfer of @maxpages pages takes; where nothing is
 * registered, the work requests
 */
unsigned int rdma_rw_mr_factor(struct ib_device *device, u32 port_num, unsigned int maxpages)
{
	u32 pages = port_registers(device, port_num) ? core_rw_reg_pages(device) :
						       device->attrs.max_sge_rd;

	return pages ? DIV_ROUND_UP(maxpages, pages) : 1;
}
EXPORT_SYMBOL(rdma_rw_mr_factor);

/*
 * rdma_rw_max_send_wr - work requests that so many transfers at a time take at most
 */
unsigned int rdma_rw_max_send_wr(struct ib_device *dev, u32 port_num, unsigned int max_rdma_ctxs,
				 u32 create_flags)
{
	/* With a registration: invalidate, register, transfer. */
	unsigned int factor = (create_flags & IB_QP_CREATE_INTEGRITY_EN) ||
			      port_registers(dev, port_num) ? 3 : 1;
	unsigned int wrs;

	if (check_mul_overflow(factor, max_rdma_ctxs, &wrs))
		return UINT_MAX;
	return wrs;
}
EXPORT_SYMBOL(rdma_rw_max_send_wr);

/* Before a QP is made: room for its transfers, as far as the device has it. */
void rdma_rw_init_qp(struct ib_device *dev, struct ib_qp_init_attr *attr)
{
	unsigned int wrs = rdma_rw_max_send_wr(dev, attr->port_num ? attr->port_num : 1,
					       attr->cap.max_rdma_ctxs, attr->create_flags);

	WARN_ON_ONCE(!attr->port_num);
	attr->cap.max_send_wr = min_t(u64, (u64)attr->cap.max_send_wr + wrs,
				      dev->attrs.max_qp_wr);
}

/* After: the regions that its transfers take turns with. */
int rdma_rw_init_mrs(struct ib_qp *qp, struct ib_qp_init_attr *attr)
{
	struct ib_device *dev = qp->pd->device;

	if (!port_registers(dev, attr->port_num ? attr->port_num : 1))
		return 0;
	return ib_mr_pool_init(qp, &qp->rdma_mrs, attr->cap.max_rdma_ctxs, IB_MR_TYPE_MEM_REG,
			       core_rw_reg_pages(dev), 0);
}

void rdma_rw_cleanup_mrs(struct ib_qp *qp)
{
	ib_mr_pool_destroy(qp, &qp->rdma_mrs);
}
