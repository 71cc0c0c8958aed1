// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Two connected QPs of a kernel consumer; see loop.h. */
#include "loop.h"

#include <linux/slab.h>
#include <rdma/ib_cache.h>

#define LOOP_PORT 1
#define LOOP_POLL_MS 1

void loop_op_init(struct loop_op *op)
{
	init_completion(&op->done);
}

static void op_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct loop_op *op = container_of(wc->wr_cqe, struct loop_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

/* Nobody polls a CQ of IB_POLL_DIRECT but us. */
static bool wait_direct(struct loop *loop, struct loop_op *op)
{
	unsigned long end = jiffies + msecs_to_jiffies(LOOP_WAIT_MS);

	while (time_before(jiffies, end)) {
		ib_process_cq_direct(loop->cq, -1);
		if (wait_for_completion_timeout(&op->done, msecs_to_jiffies(LOOP_POLL_MS)))
			return true;
	}
	return false;
}

int loop_op_wait(struct loop *loop, struct loop_op *op)
{
	bool done;

	if (loop->cq->poll_ctx == IB_POLL_DIRECT)
		done = wait_direct(loop, op);
	else
		done = wait_for_completion_timeout(&op->done, msecs_to_jiffies(LOOP_WAIT_MS));
	return done ? op->wc.status : -ETIMEDOUT;
}

static struct ib_sge whole_buffer(const struct loop *loop, int end)
{
	return (struct ib_sge) {
		.addr = loop->dma[end], .length = LOOP_BUF_BYTES,
		.lkey = loop->pd->local_dma_lkey,
	};
}

int loop_post_recv(struct loop *loop, int end, struct loop_op *op)
{
	struct ib_sge sge = whole_buffer(loop, end);
	struct ib_recv_wr wr = { .wr_cqe = &op->cqe, .sg_list = &sge, .num_sge = 1 };

	op->cqe.done = op_done;
	return ib_post_recv(loop->qp[end], &wr, NULL);
}

int loop_post_send(struct loop *loop, int end, struct loop_op *op)
{
	struct ib_sge sge = whole_buffer(loop, end);
	struct ib_send_wr wr = {
		.wr_cqe = &op->cqe, .sg_list = &sge, .num_sge = 1,
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};

	op->cqe.done = op_done;
	return ib_post_send(loop->qp[end], &wr, NULL);
}

static int to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT, .port_num = LOOP_PORT,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			    IB_QP_ACCESS_FLAGS);
}

/* The address of our own port: a kernel consumer resolves it himself. */
static int own_address(struct ib_device *dev, struct rdma_ah_attr *ah)
{
	const struct ib_gid_attr *sgid = rdma_get_gid_attr(dev, LOOP_PORT, 0);
	union ib_gid dgid;
	int ret;

	if (IS_ERR(sgid))
		return PTR_ERR(sgid);
	memset(ah, 0, sizeof(*ah));
	ah->type = rdma_ah_find_type(dev, LOOP_PORT);
	ah->port_num = LOOP_PORT;
	dgid = sgid->gid;
	ret = rdma_read_gid_l2_fields(sgid, NULL, ah->roce.dmac);
	if (ret) {
		rdma_put_gid_attr(sgid);
		return ret;
	}
	rdma_move_grh_sgid_attr(ah, &dgid, 0, 64, 0, sgid);
	return 0;
}

static int to_rtr(struct ib_qp *qp, u32 peer)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR, .path_mtu = IB_MTU_1024, .dest_qp_num = peer,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1,
	};
	int ret;

	ret = own_address(qp->device, &attr.ah_attr);
	if (ret)
		return ret;
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			   IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	rdma_destroy_ah_attr(&attr.ah_attr);
	return ret;
}

static int to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC);
}

static int create_qp(struct loop *loop, int end)
{
	struct ib_qp_init_attr init = {
		.send_cq = loop->cq, .recv_cq = loop->cq, .qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.port_num = LOOP_PORT,
		.cap = { .max_send_wr = LOOP_DEPTH, .max_recv_wr = LOOP_DEPTH, .max_send_sge = 2,
			 .max_recv_sge = 1, .max_rdma_ctxs = LOOP_TRANSFERS },
	};
	struct ib_qp *qp = ib_create_qp(loop->pd, &init);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	loop->qp[end] = qp;
	return to_init(qp);
}

static int connect(struct loop *loop)
{
	int end, ret;

	for (end = 0; end < 2; end++) {
		ret = create_qp(loop, end);
		if (ret)
			return ret;
	}
	for (end = 0; end < 2; end++) {
		ret = to_rtr(loop->qp[end], loop->qp[!end]->qp_num);
		if (!ret)
			ret = to_rts(loop->qp[end]);
		if (ret)
			return ret;
	}
	return 0;
}

static int map_buffers(struct loop *loop)
{
	int end;

	for (end = 0; end < 2; end++) {
		loop->buf[end] = kzalloc(LOOP_BUF_BYTES, GFP_KERNEL);
		if (!loop->buf[end])
			return -ENOMEM;
		loop->dma[end] = ib_dma_map_single(loop->dev, loop->buf[end], LOOP_BUF_BYTES,
						   DMA_BIDIRECTIONAL);
	}
	return 0;
}

int loop_open(struct loop *loop, struct ib_device *dev, enum ib_poll_context ctx)
{
	int ret;

	memset(loop, 0, sizeof(*loop));
	loop->dev = dev;
	/* A key for all memory, for transfers that name it, where the device has such a thing. */
	loop->pd = ib_alloc_pd(dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (IS_ERR(loop->pd))
		loop->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(loop->pd))
		return PTR_ERR(loop->pd);
	loop->rkey = loop->pd->unsafe_global_rkey;
	loop->cq = ib_alloc_cq(dev, NULL, 4 * LOOP_DEPTH + 8, 0, ctx);
	if (IS_ERR(loop->cq)) {
		ret = PTR_ERR(loop->cq);
		loop->cq = NULL;
		goto close;
	}
	ret = map_buffers(loop);
	if (!ret)
		ret = connect(loop);
	if (!ret)
		return 0;
close:
	loop_close(loop);
	return ret;
}

void loop_close(struct loop *loop)
{
	int end;

	for (end = 0; end < 2; end++) {
		if (loop->qp[end])
			ib_destroy_qp(loop->qp[end]);
		if (loop->buf[end])
			ib_dma_unmap_single(loop->dev, loop->dma[end], LOOP_BUF_BYTES,
					    DMA_BIDIRECTIONAL);
		kfree(loop->buf[end]);
	}
	if (loop->cq)
		ib_free_cq(loop->cq);
	ib_dealloc_pd(loop->pd);
}
