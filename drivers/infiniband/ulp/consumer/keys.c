// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keys that work requests take away: local invalidate, and SEND with invalidate of the peer, as the
 * storage protocols use them. consumer.c calls in, between two QPs of its loop.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "consumer.h"
#include "loop.h"

static void op_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct loop_op *op = container_of(wc->wr_cqe, struct loop_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

/* Posts @wr on QP @end and waits; the status. */
static int perform(struct loop *loop, int end, struct ib_send_wr *wr)
{
	struct loop_op op = { .cqe.done = op_done };
	int ret;

	loop_op_init(&op);
	op.cqe.done = op_done;
	wr->wr_cqe = &op.cqe;
	wr->send_flags = IB_SEND_SIGNALED;
	ret = ib_post_send(loop->qp[end], wr, NULL);
	return ret ? ret : loop_op_wait(loop, &op);
}

/* A registration under a key that differs from the last one, then a write through it. */
static bool register_and_write(struct loop *loop, struct ib_mr *mr)
{
	struct ib_sge sge = {
		.addr = loop->dma[1], .length = LOOP_BUF_BYTES, .lkey = loop->pd->local_dma_lkey,
	};
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR, .mr = mr,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	struct ib_rdma_wr write = {
		.wr = { .opcode = IB_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = mr->iova,
	};

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	reg.key = mr->rkey;
	write.rkey = mr->rkey;
	return perform(loop, 0, &reg.wr) == IB_WC_SUCCESS &&
	       perform(loop, 1, &write.wr) == IB_WC_SUCCESS;
}

static bool invalidate_locally(struct loop *loop, struct ib_mr *mr)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = mr->rkey };

	return perform(loop, 0, &wr) == IB_WC_SUCCESS;
}

/* The receive says which key is gone. */
static bool invalidate_by_peer(struct loop *loop, struct ib_mr *mr)
{
	struct ib_sge sge = {
		.addr = loop->dma[1], .length = LOOP_BUF_BYTES, .lkey = loop->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND_WITH_INV, .sg_list = &sge, .num_sge = 1,
		.ex.invalidate_rkey = mr->rkey,
	};
	struct loop_op recv;

	loop_op_init(&recv);
	if (loop_post_recv(loop, 0, &recv) || perform(loop, 1, &wr) != IB_WC_SUCCESS)
		return false;
	return loop_op_wait(loop, &recv) == IB_WC_SUCCESS &&
	       recv.wc.wc_flags & IB_WC_WITH_INVALIDATE &&
	       recv.wc.ex.invalidate_rkey == mr->rkey;
}

static void use(struct loop *loop, struct ib_mr *mr, const char *where)
{
	int round;
	bool good = true;

	for (round = 0; round < 300 && good; round++)
		good = register_and_write(loop, mr) && invalidate_locally(loop, mr);
	consumer_check(good, "a region is registered and invalidated again and again", where);
	for (round = 0; round < 20 && good; round++)
		good = register_and_write(loop, mr) && invalidate_by_peer(loop, mr);
	consumer_check(good, "the peer takes the key away, and the receive says so", where);
}

void keys_test(struct loop *loop, const char *where)
{
	void *page = (void *)get_zeroed_page(GFP_KERNEL);
	struct scatterlist sg;
	struct ib_mr *mr;

	if (!page)
		return;
	mr = ib_alloc_mr(loop->pd, IB_MR_TYPE_MEM_REG, 1);
	if (IS_ERR(mr)) {
		consumer_skip("invalidation", where);
		goto free;
	}
	sg_init_one(&sg, page, PAGE_SIZE);
	if (ib_dma_map_sg(loop->dev, &sg, 1, DMA_BIDIRECTIONAL) == 1 &&
	    ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE) == 1)
		use(loop, mr, where);
	else
		consumer_check(false, "a page is mapped", where);
	ib_dma_unmap_sg(loop->dev, &sg, 1, DMA_BIDIRECTIONAL);
	ib_dereg_mr(mr);
free:
	free_page((unsigned long)page);
}
