// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA READ and WRITE through the read/write interface (<rdma/rw.h>), as storage targets use it:
 * one entry, several entries, several work requests, an offset; and pools of regions.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/mr_pool.h>
#include <rdma/rw.h>

#include "consumer.h"
#include "loop.h"

#define WHERE		"transfers"
#define PIECES		5	/* more than the send queue has entries for, so two requests */
#define POOL		4

struct transfer {
	struct loop loop;
	struct scatterlist sg[PIECES];
	char *pages[PIECES];
};

static void op_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct loop_op *op = container_of(wc->wr_cqe, struct loop_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

static void free_pieces(struct transfer *t)
{
	int i;

	for (i = 0; i < PIECES; i++)
		kfree(t->pages[i]);
}

static bool alloc_pieces(struct transfer *t)
{
	int i;

	for (i = 0; i < PIECES; i++) {
		t->pages[i] = kmalloc(PAGE_SIZE, GFP_KERNEL);
		if (!t->pages[i])
			return false;
	}
	return true;
}

/* A storage target that writes has its answer behind the data, so it posts by itself. */
static int post(struct ib_qp *qp, struct rdma_rw_ctx *ctx, struct ib_cqe *cqe,
		enum dma_data_direction dir)
{
	if (dir == DMA_FROM_DEVICE)
		return rdma_rw_ctx_post(ctx, qp, 1, cqe, NULL);
	return ib_post_send(qp, rdma_rw_ctx_wrs(ctx, qp, 1, cqe, NULL), NULL);
}

/* Moves @count pieces of @bytes each between the list and the remote buffer, from @offset on. */
static bool move(struct transfer *t, int count, u32 bytes, u32 offset, enum dma_data_direction dir)
{
	struct loop *loop = &t->loop;
	struct rdma_rw_ctx ctx = {};
	struct loop_op op = { .cqe.done = op_done };
	int i, ret;

	loop_op_init(&op);
	sg_init_table(t->sg, count);
	for (i = 0; i < count; i++)
		sg_set_buf(&t->sg[i], t->pages[i], bytes);
	ret = rdma_rw_ctx_init(&ctx, loop->qp[0], 1, t->sg, count, offset, loop->dma[1],
			       loop->rkey, dir);
	if (ret < 1)
		return false;
	ret = post(loop->qp[0], &ctx, &op.cqe, dir);
	if (!ret)
		ret = loop_op_wait(loop, &op);
	rdma_rw_ctx_destroy(&ctx, loop->qp[0], 1, t->sg, count, dir);
	return ret == IB_WC_SUCCESS;
}

static bool same(struct transfer *t, int count, u32 bytes, u32 offset)
{
	const char *remote = t->loop.buf[1];
	int i;

	for (i = 0; i < count; i++, offset = 0) {
		if (memcmp(t->pages[i] + offset, remote, bytes - offset))
			return false;
		remote += bytes - offset;
	}
	return true;
}

static void test_move(struct transfer *t, int count, u32 bytes, u32 offset, const char *what)
{
	bool good;
	int i;

	for (i = 0; i < count; i++)
		memset(t->pages[i], 'A' + i, bytes);
	memset(t->loop.buf[1], 0, LOOP_BUF_BYTES);
	good = move(t, count, bytes, offset, DMA_TO_DEVICE) && same(t, count, bytes, offset);
	consumer_check(good, what, WHERE ", write");
	for (i = 0; i < LOOP_BUF_BYTES; i++)
		t->loop.buf[1][i] = 7 * i;
	for (i = 0; i < count; i++)
		memset(t->pages[i], 0, bytes);
	good = move(t, count, bytes, offset, DMA_FROM_DEVICE) && same(t, count, bytes, offset);
	consumer_check(good, what, WHERE ", read");
}

static void test_pool(struct loop *loop)
{
	struct ib_mr *mrs[POOL + 1];
	LIST_HEAD(list);
	bool good = true;
	int i, ret;

	ret = ib_mr_pool_init(loop->qp[0], &list, POOL, IB_MR_TYPE_MEM_REG, 4, 0);
	if (ret == -EOPNOTSUPP) {
		consumer_skip("a pool of regions", WHERE);
		return;
	}
	if (!consumer_check(!ret, "a pool of regions", WHERE))
		return;
	for (i = 0; i <= POOL; i++) {
		mrs[i] = ib_mr_pool_get(loop->qp[0], &list);
		good &= !mrs[i] == (i == POOL);
	}
	consumer_check(good, "a pool gives what it has, then nothing", WHERE);
	for (i = 0; i < POOL; i++)
		if (mrs[i])
			ib_mr_pool_put(loop->qp[0], &list, mrs[i]);
	ib_mr_pool_destroy(loop->qp[0], &list);
	consumer_check(list_empty(&list), "a pool ends empty", WHERE);
}

static void test_needs(struct ib_device *dev)
{
	unsigned int few = rdma_rw_mr_factor(dev, 1, 1), many = rdma_rw_mr_factor(dev, 1, 1u << 20);
	unsigned int wrs = rdma_rw_max_send_wr(dev, 1, 10, 0);

	pr_info("core_consumer: # %u and %u registrations, %u work requests\n", few, many, wrs);
	consumer_check(few == 1 && many > few, "a transfer of many pages takes more", WHERE);
	consumer_check(wrs >= 10 && wrs % 10 == 0 &&
		       rdma_rw_max_send_wr(dev, 1, 20, 0) == 2 * wrs,
		       "work requests for so many transfers", WHERE);
}

void transfers_test(struct ib_device *dev)
{
	struct transfer *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return;
	if (!consumer_check(!loop_open(&t->loop, dev, IB_POLL_WORKQUEUE), "two connected QPs",
			    WHERE))
		goto free;
	if (!t->loop.rkey)
		consumer_skip("a key for all memory", WHERE);
	else if (consumer_check(alloc_pieces(t), "memory", WHERE)) {
		test_move(t, 1, 64, 0, "one entry");
		test_move(t, 1, 64, 24, "one entry from an offset on");
		test_move(t, PIECES, 48, 0, "several work requests");
		test_move(t, PIECES, 48, 40, "several work requests from an offset on");
	}
	test_needs(dev);
	test_pool(&t->loop);
	free_pieces(t);
	loop_close(&t->loop);
free:
	kfree(t);
}
