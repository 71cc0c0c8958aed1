// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_poll.c - CQ rings: laps, order, accounting, forgetting a QP, overrun (C119..C131, F14). */
#include <errno.h>
#include <string.h>
#include "fake.h"
#include "tap.h"

static struct ibv_qp_cap small = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 2,
				   .max_recv_sge = 2, .max_inline_data = 32 };

struct bed {
	struct fake_context *fc;
	struct ibv_cq *cq;
	struct ibv_qp *a, *b;
};

static void make(struct bed *bed, int cqe)
{
	bed->fc = fake_open();
	bed->cq = fake_cq(bed->fc, cqe);
	bed->a = fake_qp(bed->fc, IBV_QPT_RC, bed->cq, &small, 1);
	bed->b = fake_qp(bed->fc, IBV_QPT_RC, bed->cq, &small, 1);
}

static void unmake(struct bed *bed)
{
	if (bed->a)
		ibv_destroy_qp(bed->a);
	if (bed->b)
		ibv_destroy_qp(bed->b);
	ibv_destroy_cq(bed->cq);
	fake_close(bed->fc);
}

static void test_wrap(void)
{
	struct ibv_wc wc[8];
	struct bed bed;
	uint64_t id = 0, expect = 0;
	int round, i, n;

	make(&bed, 8);
	CHECK_EQ(bed.cq->cqe, 8);
	CHECK_EQ(ibv_poll_cq(bed.cq, 8, wc), 0);
	for (round = 0; round < 100; round++) {
		int fill = 1 + round % 8;

		for (i = 0; i < fill; i++, id++)
			fake_complete(bed.cq, bed.a->qp_num, id, IBV_WC_SEND, (uint32_t)id + 1);
		n = ibv_poll_cq(bed.cq, fill > 1 ? fill - 1 : 1, wc);
		CHECK_EQ(n, fill > 1 ? fill - 1 : 1);
		for (i = 0; i < n; i++)
			CHECK_EQ(wc[i].wr_id, expect++);
		n = ibv_poll_cq(bed.cq, 8, wc);
		CHECK_EQ(n, fill > 1 ? 1 : 0);
		for (i = 0; i < n; i++)
			CHECK_EQ(wc[i].wr_id, expect++);
		CHECK_EQ(shca_cq(bed.cq)->shared->cons, (uint32_t)id);
	}
	CHECK_EQ(ibv_poll_cq(bed.cq, 0, wc), 0);
	unmake(&bed);
}

/* The counts are 32 bits wide and wrap. */
static void test_count_wrap(void)
{
	struct ibv_wc wc;
	struct bed bed;
	struct shca_cq *cq;
	uint32_t i;

	make(&bed, 4);
	cq = shca_cq(bed.cq);
	cq->cons = cq->shared->cons = cq->shared->prod = UINT32_MAX - 5;
	for (i = 0; i < 12; i++) {
		CHECK_EQ(ibv_poll_cq(bed.cq, 1, &wc), 0);
		fake_complete(bed.cq, bed.a->qp_num, i, IBV_WC_SEND, i);
		CHECK_EQ(ibv_poll_cq(bed.cq, 1, &wc), 1);
		CHECK_EQ(wc.wr_id, i);
	}
	unmake(&bed);
}

static void test_account(void)
{
	struct ibv_wc wc[4];
	struct bed bed;

	make(&bed, 8);
	fake_complete(bed.cq, bed.a->qp_num, 1, IBV_WC_SEND, 3);
	fake_complete(bed.cq, bed.b->qp_num, 2, IBV_WC_RECV, 2);
	fake_complete(bed.cq, bed.a->qp_num, 3, IBV_WC_RECV_RDMA_WITH_IMM, 1);
	fake_complete(bed.cq, bed.a->qp_num + 100, 4, IBV_WC_SEND, 1);	/* nobody's */
	fake_complete(bed.cq, bed.b->qp_num, 5, IBV_WC_RDMA_READ, 4);
	CHECK_EQ(ibv_poll_cq(bed.cq, 4, wc), 4);
	CHECK_EQ(wc[3].wr_id, 5);
	CHECK_EQ(wc[3].opcode, IBV_WC_RDMA_READ);
	CHECK_EQ(shca_qp(bed.a)->sq.tail, 3);
	CHECK_EQ(shca_qp(bed.a)->rq.tail, 1);
	CHECK_EQ(shca_qp(bed.b)->sq.tail, 4);
	CHECK_EQ(shca_qp(bed.b)->rq.tail, 2);
	CHECK_EQ(shca_cq(bed.cq)->shared->cons, 5);
	unmake(&bed);
}

/* A destroyed QP takes its CQEs along, the others keep their order (G100). */
static void test_forget(void)
{
	struct ibv_wc wc[8];
	struct bed bed;
	uint32_t i, skew;

	for (skew = 0; skew < 9; skew++) {
		make(&bed, 8);
		for (i = 0; i < skew; i++) {
			fake_complete(bed.cq, bed.a->qp_num, 0, IBV_WC_SEND, 1);
			CHECK_EQ(ibv_poll_cq(bed.cq, 1, wc), 1);
		}
		for (i = 0; i < 8; i++)
			fake_complete(bed.cq, i % 3 ? bed.a->qp_num : bed.b->qp_num, i,
				      IBV_WC_SEND, i);
		CHECK_EQ(ibv_destroy_qp(bed.b), 0);
		bed.b = NULL;
		CHECK_EQ(ibv_poll_cq(bed.cq, 8, wc), 5);
		for (i = 0; i < 5; i++) {
			static const uint64_t kept[] = { 1, 2, 4, 5, 7 };

			CHECK_EQ(wc[i].wr_id, kept[i]);
			CHECK_EQ(wc[i].qp_num, bed.a->qp_num);
		}
		CHECK_EQ(ibv_poll_cq(bed.cq, 8, wc), 0);
		fake_complete(bed.cq, bed.a->qp_num, 99, IBV_WC_SEND, 9);
		CHECK_EQ(ibv_poll_cq(bed.cq, 8, wc), 1);
		CHECK_EQ(wc[0].wr_id, 99);
		unmake(&bed);
	}
}

/* A failed destroy leaves everything in place. */
static void test_destroy_busy(void)
{
	struct ibv_wc wc[2];
	struct bed bed;

	make(&bed, 8);
	fake_complete(bed.cq, bed.b->qp_num, 7, IBV_WC_SEND, 1);
	fake.err = EBUSY;
	CHECK_EQ(ibv_destroy_qp(bed.b), EBUSY);
	CHECK_EQ(ibv_destroy_cq(bed.cq), EBUSY);
	fake.err = 0;
	CHECK_EQ(ibv_poll_cq(bed.cq, 2, wc), 1);
	CHECK_EQ(wc[0].wr_id, 7);
	CHECK_EQ(shca_qp(bed.b)->sq.tail, 1);
	unmake(&bed);
}

/* After an overrun the old entries are still there, then every poll fails (C131, G073). */
static void test_overrun(void)
{
	struct ibv_wc wc[8];
	struct bed bed;
	uint32_t i;

	make(&bed, 8);
	for (i = 0; i < 8; i++)
		fake_complete(bed.cq, bed.a->qp_num, i, IBV_WC_SEND, i);
	shca_cq(bed.cq)->shared->overrun = 1;
	CHECK_EQ(ibv_poll_cq(bed.cq, 5, wc), 5);
	CHECK_EQ(ibv_poll_cq(bed.cq, 5, wc), 3);
	CHECK(ibv_poll_cq(bed.cq, 5, wc) < 0);
	CHECK(ibv_poll_cq(bed.cq, 5, wc) < 0);
	unmake(&bed);
	/* Noticed in bounded time even when the CQ was not seen full. */
	make(&bed, 8);
	shca_cq(bed.cq)->shared->overrun = 1;
	for (i = 0; i < 64 && ibv_poll_cq(bed.cq, 1, wc) == 0; i++)
		;
	CHECK(i < 64);
	unmake(&bed);
}

/* Whatever is in the ring, a status outside the enum does not appear (F36). */
static void test_status(void)
{
	struct shca_cqe *cqe;
	struct ibv_wc wc;
	struct bed bed;
	int i;

	make(&bed, 8);
	for (i = 0; i < 256; i++) {
		cqe = (struct shca_cqe *)shca_cq(bed.cq)->ring + i % 8;
		fake_complete(bed.cq, bed.a->qp_num, 5, IBV_WC_SEND, 1);
		cqe->status = (uint8_t)i;
		CHECK_EQ(ibv_poll_cq(bed.cq, 1, &wc), 1);
		CHECK_EQ(wc.status, i > IBV_WC_TM_RNDV_INCOMPLETE ? IBV_WC_GENERAL_ERR : i);
		CHECK(ibv_wc_status_str(wc.status) != NULL);
	}
	unmake(&bed);
}

static void test_extended(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4, .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct ibv_poll_cq_attr poll = { .comp_mask = 0 }, bad = { .comp_mask = 1 };
	struct ibv_cq_ex *ex;
	struct bed bed;
	int i;

	make(&bed, 8);
	ex = shim_cq_create_ex(&bed.fc->shim.v.context, &attr);
	CHECK(ex);
	CHECK_EQ(ibv_start_poll(ex, &bad), EINVAL);
	CHECK_EQ(ibv_start_poll(ex, &poll), ENOENT);
	for (i = 0; i < 3; i++)
		fake_complete(ibv_cq_ex_to_cq(ex), bed.a->qp_num, 40 + i, IBV_WC_RECV, 1 + i);
	CHECK_EQ(ibv_start_poll(ex, &poll), 0);
	CHECK_EQ(ex->wr_id, 40);
	CHECK_EQ(ibv_wc_read_opcode(ex), IBV_WC_RECV);
	CHECK_EQ(ibv_wc_read_qp_num(ex), bed.a->qp_num);
	/* Nothing goes back to the engine before the end. */
	CHECK_EQ(shca_cq(ibv_cq_ex_to_cq(ex))->shared->cons, 0);
	CHECK_EQ(ibv_next_poll(ex), 0);
	CHECK_EQ(ibv_next_poll(ex), 0);
	CHECK_EQ(ex->wr_id, 42);
	CHECK_EQ(ibv_next_poll(ex), ENOENT);
	ibv_end_poll(ex);
	CHECK_EQ(shca_cq(ibv_cq_ex_to_cq(ex))->shared->cons, 3);
	CHECK_EQ(shca_qp(bed.a)->rq.tail, 3);
	ibv_destroy_cq(ibv_cq_ex_to_cq(ex));
	attr.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	CHECK(!shim_cq_create_ex(&bed.fc->shim.v.context, &attr));
	CHECK_EQ(errno, EOPNOTSUPP);
	unmake(&bed);
}

static const struct tap_test tests[] = {
	{ "completions come in order over many laps", test_wrap },
	{ "the counts wrap at 32 bits", test_count_wrap },
	{ "completions free the entries of their queues", test_account },
	{ "a destroyed QP takes its completions along", test_forget },
	{ "a refused destroy changes nothing", test_destroy_busy },
	{ "an overrun CQ gives its entries, then fails", test_overrun },
	{ "no status outside the enum", test_status },
	{ "extended polling", test_extended },
};

TAP_MAIN(tests)
