// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_keys.c - requests that give and take keys, and that name an SRQ: what stands in the ring
 * for binds, invalidations and XRC, by either interface; what is refused (G058, G059, C222); and
 * completions of queue pairs that this process does not have (G144).
 */
#include <errno.h>
#include <string.h>
#include "fake.h"
#include "tap.h"

static struct fake_context *fc;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static char buf[4096];
static struct ibv_mr mr;

static void make(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.cap = { .max_send_wr = 16, .max_send_sge = 2, .max_inline_data = 32 },
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_INV |
				  IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW |
				  IBV_QP_EX_WITH_RDMA_READ,
	};

	fc = fake_open();
	cq = fake_cq(fc, 16);
	attr.pd = &fc->pd.ibv;
	attr.send_cq = attr.recv_cq = cq;
	qp = shim_qp_create_ex(&fc->shim.v.context, &attr);
	fake_set_state(qp, IBV_QPS_RTS);
	mr = (struct ibv_mr){ .context = qp->context, .pd = &fc->pd.ibv, .lkey = 0x77,
			      .addr = buf, .length = sizeof(buf) };
}

static void unmake(void)
{
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	fake_close(fc);
}

static const struct shca_send_wqe *wqe_at(uint32_t count)
{
	return shca_queue_entry(&shca_qp(qp)->sq, count);
}

static struct ibv_mw window(enum ibv_mw_type type)
{
	struct ibv_mw mw = { .context = qp->context, .pd = &fc->pd.ibv, .rkey = 0x12ff,
			     .type = type };

	return mw;
}

static void test_bind(void)
{
	struct ibv_mw one, two;
	struct ibv_mw_bind bind = {
		.wr_id = 5, .send_flags = IBV_SEND_SIGNALED,
		.bind_info = { &mr, (uintptr_t)buf + 8, 100,
			       IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE },
	};
	struct ibv_send_wr wr = { .wr_id = 6, .opcode = IBV_WR_BIND_MW }, *bad;
	const struct shca_bind_ops *ops;

	make(IBV_QPT_RC);
	one = window(IBV_MW_TYPE_1);
	two = window(IBV_MW_TYPE_2);
	CHECK_EQ(ibv_bind_mw(qp, &one, &bind), 0);
	ops = (const void *)(wqe_at(0) + 1);
	CHECK(wqe_at(0)->opcode == IBV_WR_BIND_MW && wqe_at(0)->wr_id == 5 && !wqe_at(0)->count);
	CHECK_EQ(wqe_at(0)->flags, SHCA_SEND_SIGNALED);
	CHECK_EQ(wqe_at(0)->remote.rkey, 0x12ff);
	CHECK_EQ(wqe_at(0)->ex, 0x1200);
	CHECK_EQ(one.rkey, 0x1200);
	CHECK(ops->addr == (uintptr_t)buf + 8 && ops->length == 100 && ops->lkey == 0x77);
	CHECK_EQ(ops->access, IBV_ACCESS_REMOTE_WRITE);
	/* Nothing but a region of none, or a key of the wrong kind. */
	wr.bind_mw.mw = &one;
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), EINVAL);
	wr.bind_mw.mw = NULL;
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), EINVAL);
	wr.bind_mw.mw = &two;
	wr.bind_mw.rkey = 0x1234;
	wr.bind_mw.bind_info = bind.bind_info;
	wr.bind_mw.bind_info.mw_access_flags = 1 << 20;
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), EINVAL);
	wr.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED;
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), 0);
	ops = (const void *)(wqe_at(1) + 1);
	CHECK(wqe_at(1)->ex == 0x1234 && wqe_at(1)->remote.rkey == 0x12ff);
	CHECK_EQ(ops->access, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED);
	CHECK_EQ(two.rkey, 0x12ff);
	/* Unbinding has no region. */
	memset(&bind.bind_info, 0, sizeof(bind.bind_info));
	CHECK_EQ(ibv_bind_mw(qp, &one, &bind), 0);
	ops = (const void *)(wqe_at(2) + 1);
	CHECK(!ops->length && !ops->lkey);
	CHECK_EQ(shca_qp(qp)->shared->sq_prod, 3);
	unmake();
}

static void test_invalidate(void)
{
	struct ibv_sge sge = { (uintptr_t)buf, 8, 1 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = 0xabc }, *bad;

	make(IBV_QPT_RC);
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), 0);
	CHECK(wqe_at(0)->ex == 0xabc && !wqe_at(0)->count);
	wr.opcode = IBV_WR_SEND_WITH_INV;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), 0);
	CHECK(wqe_at(1)->ex == 0xabc && wqe_at(1)->count == 1);
	wr.opcode = IBV_WR_LOCAL_INV;
	wr.send_flags = IBV_SEND_INLINE;
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), EINVAL);
	unmake();
}

static void test_built(void)
{
	struct ibv_mw two, one;
	struct ibv_mw_bind_info info = { &mr, (uintptr_t)buf, 64, IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_ex *ex;

	make(IBV_QPT_RC);
	one = window(IBV_MW_TYPE_1);
	two = window(IBV_MW_TYPE_2);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_bind_mw(ex, &two, 0x1255, &info);
	ibv_wr_local_inv(ex, 0x99);
	ibv_wr_send_inv(ex, 0x98);
	ibv_wr_set_sge(ex, 1, (uintptr_t)buf, 8);
	CHECK_EQ(ibv_wr_complete(ex), 0);
	CHECK(wqe_at(0)->opcode == IBV_WR_BIND_MW && wqe_at(0)->ex == 0x1255);
	CHECK(wqe_at(1)->opcode == IBV_WR_LOCAL_INV && wqe_at(1)->ex == 0x99);
	CHECK(wqe_at(2)->opcode == IBV_WR_SEND_WITH_INV && wqe_at(2)->ex == 0x98);
	/* Data for what carries none would overwrite it. */
	ibv_wr_start(ex);
	ibv_wr_bind_mw(ex, &two, 0x1256, &info);
	ibv_wr_set_sge(ex, 1, (uintptr_t)buf, 8);
	CHECK_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_local_inv(ex, 0x99);
	ibv_wr_set_inline_data(ex, buf, 8);
	CHECK_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_bind_mw(ex, &one, 0x1256, &info);
	CHECK_EQ(ibv_wr_complete(ex), EINVAL);
	CHECK_EQ(shca_qp(qp)->shared->sq_prod, 3);
	unmake();
}

static void test_xrc(void)
{
	struct ibv_sge sge = { (uintptr_t)buf, 8, 1 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
				  .qp_type.xrc.remote_srqn = 0x4321 }, *bad;
	struct ibv_recv_wr recv = { .num_sge = 0 }, *bad_recv;
	struct ibv_qp_ex *ex;

	make(IBV_QPT_XRC_SEND);
	CHECK(qp->send_cq == cq && !qp->recv_cq && !qp->srq);
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), 0);
	CHECK_EQ(wqe_at(0)->remote.xrc_srqn, 0x4321);
	wr.opcode = IBV_WR_RDMA_READ;
	wr.wr.rdma.remote_addr = 0x8000;
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), 0);
	CHECK(wqe_at(1)->remote.xrc_srqn == 0x4321 && wqe_at(1)->remote.addr == 0x8000);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_xrc_srqn(ex, 0x55);
	ibv_wr_set_sge(ex, 1, (uintptr_t)buf, 8);
	CHECK_EQ(ibv_wr_complete(ex), 0);
	CHECK_EQ(wqe_at(2)->remote.xrc_srqn, 0x55);
	CHECK(ibv_post_recv(qp, &recv, &bad_recv));
	unmake();
}

/* A receive QP of XRC has no queues, and posting to it finds none. */
static void test_receive_qp(void)
{
	struct shim_xrcd xrcd = { .handle = 3 };
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_XRC_RECV, .xrcd = &xrcd.ibv };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_recv_wr recv = { .num_sge = 0 }, *bad_recv;
	struct ibv_qp *target;
	struct ibv_wc wc;

	make(IBV_QPT_RC);
	xrcd.ibv.context = qp->context;
	errno = 0;
	CHECK(!shim_qp_create_ex(qp->context, &attr) && errno == EINVAL);
	attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	attr.send_cq = (void *)1;	/* ignored (C262) */
	target = shim_qp_create_ex(qp->context, &attr);
	CHECK(target && !target->send_cq && !target->pd);
	CHECK_EQ(ibv_post_send(target, &wr, &bad), EINVAL);
	CHECK_EQ(ibv_post_recv(target, &recv, &bad_recv), EINVAL);
	/* Its completions name a number that nobody here posted to: they come all the same. */
	fake_complete(cq, 0xabcde, 44, IBV_WC_RECV, 0);
	CHECK_EQ(ibv_poll_cq(cq, 1, &wc), 0);
	((struct shca_cqe *)shca_cq(cq)->ring)[1].srq = 1;
	fake_complete(cq, 0xabcde, 45, IBV_WC_RECV, 0);
	CHECK_EQ(ibv_poll_cq(cq, 1, &wc), 1);
	CHECK(wc.wr_id == 45 && wc.qp_num == 0xabcde);
	CHECK_EQ(ibv_destroy_qp(target), 0);
	unmake();
}

static const struct tap_test tests[] = {
	{ "binds of both types, and what is none", test_bind },
	{ "invalidation", test_invalidate },
	{ "the same, built call by call", test_built },
	{ "XRC sends name their SRQ", test_xrc },
	{ "XRC receive queue pairs", test_receive_qp },
};

TAP_MAIN(tests)
