// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A kernel consumer that tests what ib_core offers to kernel consumers. Loading it runs the tests
 * on the device named by the parameter and prints TAP lines to the kernel log, each with the
 * prefix "core_consumer: "; loading fails when a test failed. It uses only what the stock core
 * exports too, so a difference between the two cores shows.
 */
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "consumer.h"
#include "loop.h"

static char *device = "rxe0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the RDMA device to test");

/* The stock core frees a PD under its objects; only ours can be asked to. */
static bool pd_busy = true;
module_param(pd_busy, bool, 0444);
MODULE_PARM_DESC(pd_busy, "the core refuses to free a PD in use");

static bool stay;
module_param(stay, bool, 0444);
MODULE_PARM_DESC(stay, "keep devices busy until they are removed, instead of testing");

static int results, failures;

bool consumer_check(bool good, const char *what, const char *where)
{
	pr_info("core_consumer: %sok %d - %s: %s\n", good ? "" : "not ", ++results, where, what);
	if (!good)
		failures++;
	return good;
}

void consumer_skip(const char *what, const char *where)
{
	pr_info("core_consumer: ok %d - %s: %s # SKIP the driver has none\n", ++results, where,
		what);
}

static const char *const contexts[] = {
	[IB_POLL_SOFTIRQ] = "softirq",
	[IB_POLL_WORKQUEUE] = "work queue",
	[IB_POLL_UNBOUND_WORKQUEUE] = "unbound work queue",
	[IB_POLL_DIRECT] = "direct",
};

/* One message each way. */
static void test_messages(struct loop *loop, const char *where)
{
	struct loop_op send, recv;
	bool good = true;
	int end;

	for (end = 0; end < 2; end++) {
		loop_op_init(&send);
		loop_op_init(&recv);
		memset(loop->buf[end], 'a' + end, LOOP_BUF_BYTES);
		memset(loop->buf[!end], 0, LOOP_BUF_BYTES);
		good &= !loop_post_recv(loop, !end, &recv);
		good &= !loop_post_send(loop, end, &send);
		good &= loop_op_wait(loop, &send) == IB_WC_SUCCESS;
		good &= loop_op_wait(loop, &recv) == IB_WC_SUCCESS;
		good &= recv.wc.byte_len == LOOP_BUF_BYTES && recv.wc.qp == loop->qp[!end];
		good &= !memcmp(loop->buf[0], loop->buf[1], LOOP_BUF_BYTES);
	}
	consumer_check(good, "messages arrive, completions come to their done()", where);
}

static void test_busy(struct loop *loop, const char *where)
{
	consumer_check(ib_destroy_cq_user(loop->cq, NULL) == -EBUSY, "a CQ in use stays", where);
	if (pd_busy)
		consumer_check(ib_dealloc_pd_user(loop->pd, NULL) == -EBUSY,
			       "a PD in use stays", where);
}

static int post_reg(struct loop *loop, struct ib_mr *mr, struct loop_op *op)
{
	struct ib_reg_wr wr = {
		.wr = { .wr_cqe = &op->cqe, .opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED },
		.mr = mr, .key = mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	return ib_post_send(loop->qp[0], &wr.wr, NULL);
}

static int post_write(struct loop *loop, struct ib_mr *mr, struct loop_op *op)
{
	struct ib_sge sge = {
		.addr = loop->dma[1], .length = LOOP_BUF_BYTES, .lkey = loop->pd->local_dma_lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = { .wr_cqe = &op->cqe, .opcode = IB_WR_RDMA_WRITE, .sg_list = &sge,
			.num_sge = 1, .send_flags = IB_SEND_SIGNALED },
		.remote_addr = mr->iova, .rkey = mr->rkey,
	};

	return ib_post_send(loop->qp[1], &wr.wr, NULL);
}

static void op_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct loop_op *op = container_of(wc->wr_cqe, struct loop_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

/* A region registered by a work request of one QP, written by the other. */
static bool register_and_write(struct loop *loop, struct ib_mr *mr, char *target)
{
	struct loop_op op = { .cqe.done = op_done };

	loop_op_init(&op);
	if (post_reg(loop, mr, &op) || loop_op_wait(loop, &op) != IB_WC_SUCCESS)
		return false;
	memset(loop->buf[1], 'w', LOOP_BUF_BYTES);
	reinit_completion(&op.done);
	if (post_write(loop, mr, &op) || loop_op_wait(loop, &op) != IB_WC_SUCCESS)
		return false;
	return !memcmp(target, loop->buf[1], LOOP_BUF_BYTES);
}

static void test_registration(struct loop *loop, const char *where)
{
	char *pages = (char *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, 1);
	struct scatterlist sg[2];
	struct ib_mr *mr;
	int mapped;

	if (!pages)
		return;
	mr = ib_alloc_mr(loop->pd, IB_MR_TYPE_MEM_REG, 2);
	if (IS_ERR(mr)) {
		if (PTR_ERR(mr) == -EOPNOTSUPP)
			consumer_skip("registration by work request", where);
		else
			consumer_check(false, "ib_alloc_mr", where);
		goto free;
	}
	sg_init_table(sg, 2);
	sg_set_buf(&sg[0], pages, PAGE_SIZE);
	sg_set_buf(&sg[1], pages + PAGE_SIZE, PAGE_SIZE);
	mapped = ib_dma_map_sg(loop->dev, sg, 2, DMA_BIDIRECTIONAL);
	mapped = ib_map_mr_sg(mr, sg, mapped, NULL, PAGE_SIZE);
	consumer_check(mapped == 2 && mr->length == 2 * PAGE_SIZE, "two pages become a region",
		       where);
	consumer_check(register_and_write(loop, mr, pages), "a registered region is written",
		       where);
	ib_dma_unmap_sg(loop->dev, sg, 2, DMA_BIDIRECTIONAL);
	ib_dereg_mr(mr);
free:
	free_pages((unsigned long)pages, 1);
}

/* Both at once, or one queue after the other. */
static void drain(struct ib_qp *qp, bool both)
{
	if (both) {
		ib_drain_qp(qp);
		return;
	}
	ib_drain_rq(qp);
	ib_drain_sq(qp);
}

static void test_drain(struct loop *loop, int end, const char *where)
{
	struct loop_op *ops = kcalloc(LOOP_DEPTH / 2, sizeof(*ops), GFP_KERNEL);
	bool good = true;
	int i;

	if (!ops)
		return;
	for (i = 0; i < LOOP_DEPTH / 2; i++) {
		loop_op_init(&ops[i]);
		good &= !loop_post_recv(loop, end, &ops[i]);
	}
	drain(loop->qp[end], end == 0);
	for (i = 0; i < LOOP_DEPTH / 2; i++)
		good &= completion_done(&ops[i].done) && ops[i].wc.status == IB_WC_WR_FLUSH_ERR;
	consumer_check(good, "after a drain every receive has been flushed", where);
	kfree(ops);
}

static void test_context(struct ib_device *dev, enum ib_poll_context ctx)
{
	const char *where = contexts[ctx];
	struct loop loop;

	if (!consumer_check(!loop_open(&loop, dev, ctx), "PD, CQ and two connected QPs", where))
		return;
	test_messages(&loop, where);
	test_registration(&loop, where);
	keys_test(&loop, where);
	test_busy(&loop, where);
	test_drain(&loop, 0, where);
	test_drain(&loop, 1, where);
	loop_close(&loop);
}

static void test_pool(struct ib_device *dev)
{
	struct ib_cq *one = ib_cq_pool_get(dev, 16, 0, IB_POLL_WORKQUEUE);
	struct ib_cq *two = ib_cq_pool_get(dev, 16, 0, IB_POLL_WORKQUEUE);

	consumer_check(!IS_ERR(one) && one == two, "two users share a CQ", "pool");
	if (!IS_ERR(two))
		ib_cq_pool_put(two, 16);
	if (!IS_ERR(one))
		ib_cq_pool_put(one, 16);
}

static void test_misuse(struct ib_device *dev)
{
	struct rdma_ah_attr ah = { .port_num = 1, .type = rdma_ah_find_type(dev, 1) };
	struct ib_pd *pd = ib_alloc_pd(dev, 0);
	union ib_gid gid;

	if (!consumer_check(!IS_ERR(pd), "a PD", "misuse"))
		return;
	consumer_check(rdma_create_ah(pd, &ah, RDMA_CREATE_AH_SLEEPABLE) == ERR_PTR(-EINVAL),
		       "an address without a GID is refused", "misuse");
	ah.port_num = 9;
	consumer_check(rdma_create_ah(pd, &ah, RDMA_CREATE_AH_SLEEPABLE) == ERR_PTR(-EINVAL),
		       "a port that is not there is refused", "misuse");
	consumer_check(rdma_query_gid(dev, 1, 100000, &gid) == -EINVAL, "a GID index out of range",
		       "misuse");
	ib_dealloc_pd(pd);
}

/* Clients are told of the devices there are, before ib_register_client() returns. */
static int seen, gone;

static int client_add(struct ib_device *dev)
{
	seen++;
	return 0;
}

static void client_remove(struct ib_device *dev, void *data)
{
	gone++;
}

static struct ib_client client = {
	.name = "core_consumer", .add = client_add, .remove = client_remove,
};

static void test_client(void)
{
	if (!consumer_check(!ib_register_client(&client), "register", "client"))
		return;
	consumer_check(seen > 0 && !gone, "add() for each device", "client");
	ib_unregister_client(&client);
	consumer_check(seen == gone, "remove() for each device", "client");
}

static int __init consumer_init(void)
{
	struct ib_device *dev;
	int ctx;

	if (stay)
		return stay_start();
	dev = ib_device_get_by_name(device, RDMA_DRIVER_UNKNOWN);
	if (!dev)
		return -ENODEV;
	for (ctx = 0; ctx <= IB_POLL_DIRECT; ctx++)
		test_context(dev, ctx);
	test_pool(dev);
	test_misuse(dev);
	transfers_test(dev);
	answers_test(dev);
	lookups_test(dev);
	objects_test(dev);
	messages_test();
	user_test(dev);
	ib_device_put(dev);
	test_client();
	pr_info("core_consumer: 1..%d\n", results);
	/* Loaded or not, the tests have run: the error says how they went. */
	return failures ? -EIO : 0;
}

static void __exit consumer_exit(void)
{
	if (stay)
		stay_stop();
}

module_init(consumer_init);
module_exit(consumer_exit);

MODULE_DESCRIPTION("Tests of the RDMA verbs for kernel consumers");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("1.0");
