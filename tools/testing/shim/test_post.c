// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_post.c - what the post calls accept, refuse and ring (C220..C240, G032, F40, F41, F42). */
#include <errno.h>
#include <string.h>
#include "fake.h"
#include "tap.h"

static struct ibv_qp_cap cap = { .max_send_wr = 16, .max_recv_wr = 5, .max_send_sge = 4,
				 .max_recv_sge = 2, .max_inline_data = 220 };

struct bed {
	struct fake_context *fc;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static char buf[4096];

static void make(struct bed *bed, enum ibv_qp_type type, int sig_all)
{
	bed->fc = fake_open();
	bed->cq = fake_cq(bed->fc, 64);
	bed->qp = fake_qp(bed->fc, type, bed->cq, &cap, sig_all);
}

static void unmake(struct bed *bed)
{
	ibv_destroy_qp(bed->qp);
	ibv_destroy_cq(bed->cq);
	fake_close(bed->fc);
}

static struct shca_send_wqe *wqe_at(struct bed *bed, uint32_t count)
{
	return shca_queue_entry(&shca_qp(bed->qp)->sq, count);
}

static void test_encoding(void)
{
	struct ibv_sge sge[2] = { { (uintptr_t)buf, 8, 11 }, { (uintptr_t)buf + 64, 16, 22 } };
	struct ibv_send_wr wr = { .wr_id = 77, .sg_list = sge, .num_sge = 2,
				  .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = 0x01020304,
				  .send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
				  .wr.rdma = { 0x1234567890, 33 } }, *bad = NULL;
	struct shca_send_wqe *wqe;
	struct bed bed;

	make(&bed, IBV_QPT_RC, 0);
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
	wqe = wqe_at(&bed, 0);
	CHECK_EQ(wqe->wr_id, 77);
	CHECK_EQ(wqe->opcode, IBV_WR_RDMA_WRITE_WITH_IMM);
	CHECK_EQ(wqe->flags, SHCA_SEND_SIGNALED | SHCA_SEND_SOLICITED);
	CHECK_EQ(wqe->count, 2);
	CHECK_EQ(wqe->ex, 0x01020304);
	CHECK_EQ(wqe->remote.addr, 0x1234567890);
	CHECK_EQ(wqe->remote.rkey, 33);
	CHECK(!memcmp(wqe + 1, sge, sizeof(sge)));
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 1);
	CHECK_EQ(fake.doorbells, 1);
	CHECK_EQ(fake.doorbell_qpn, bed.qp->qp_num);
	unmake(&bed);
}

static void test_atomic(void)
{
	struct ibv_sge sge = { (uintptr_t)buf, 8, 11 };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
				  .wr.atomic = { 0x1000, 5, 6, 7 } }, *bad = NULL;
	struct shca_atomic_ops *ops;
	struct bed bed;

	make(&bed, IBV_QPT_RC, 1);
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
	ops = (struct shca_atomic_ops *)(wqe_at(&bed, 0) + 1);
	CHECK_EQ(ops->compare_add, 5);
	CHECK_EQ(ops->swap, 6);
	CHECK(!memcmp(ops + 1, &sge, sizeof(sge)));
	CHECK_EQ(wqe_at(&bed, 0)->flags, SHCA_SEND_SIGNALED);
	CHECK_EQ(wqe_at(&bed, 0)->remote.rkey, 7);
	wr.wr.atomic.remote_addr = 0x1004;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), EINVAL);
	CHECK(bad == &wr);
	wr.wr.atomic.remote_addr = 0x1008;
	sge.length = 4;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), EINVAL);
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 1);
	unmake(&bed);
}

/* Lists stop at the bad request; what came before is posted, with one doorbell (F40). */
static void test_bad_wr(void)
{
	struct ibv_sge sge[8] = { { (uintptr_t)buf, 100, 1 } };
	struct ibv_send_wr wr[3], *bad;
	struct bed bed;
	int fault, i;

	for (fault = 0; fault < 5; fault++) {
		memset(wr, 0, sizeof(wr));
		for (i = 0; i < 3; i++) {
			wr[i].wr_id = i;
			wr[i].sg_list = sge;
			wr[i].num_sge = 1;
			wr[i].opcode = IBV_WR_SEND;
			wr[i].next = i < 2 ? &wr[i + 1] : NULL;
		}
		make(&bed, IBV_QPT_RC, 0);
		switch (fault) {
		case 0:
			wr[1].num_sge = 5;
			break;
		case 1:
			wr[1].opcode = 99;
			break;
		case 2:
			wr[1].send_flags = IBV_SEND_INLINE;
			wr[1].num_sge = 3;
			sge[1] = sge[2] = sge[0];
			break;
		case 3:
			wr[1].num_sge = -1;
			break;
		case 4:
			wr[1].opcode = IBV_WR_RDMA_READ;
			wr[1].send_flags = IBV_SEND_INLINE;
			break;
		}
		bad = NULL;
		CHECK_EQ(ibv_post_send(bed.qp, wr, &bad), EINVAL);
		CHECK(bad == &wr[1]);
		CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 1);
		CHECK_EQ(fake.doorbells, 1);
		unmake(&bed);
	}
}

/* What each type of QP can do (C226..C229, G114). */
static void test_opcodes(void)
{
	static const struct {
		enum ibv_qp_type type;
		uint32_t can;
	} types[] = {
		{ IBV_QPT_RC, 0x3ff },
		{ IBV_QPT_UC, 0x38f },
		{ IBV_QPT_UD, 0x0c },
	};
	struct shca_ah ah = { .resp.ahn = 9 };
	struct ibv_mw mw = { .type = IBV_MW_TYPE_2, .rkey = 0x1200 };
	struct ibv_sge sge = { (uintptr_t)buf, 8, 1 };
	struct ibv_send_wr wr, *bad;
	struct bed bed;
	unsigned int i, op;

	for (i = 0; i < 3; i++) {
		make(&bed, types[i].type, 0);
		for (op = 0; op < 16; op++) {
			memset(&wr, 0, sizeof(wr));
			wr.opcode = op;
			wr.sg_list = &sge;
			wr.num_sge = 1;
			mw.pd = bed.qp->pd;
			wr.bind_mw.mw = &mw;
			if (types[i].type == IBV_QPT_UD) {
				wr.wr.ud.ah = &ah.ibv;
				wr.wr.ud.remote_qpn = 3;
				wr.wr.ud.remote_qkey = 4;
			}
			CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad),
				 types[i].can >> op & 1 ? 0 : EINVAL);
		}
		if (types[i].type == IBV_QPT_UD) {
			CHECK_EQ(wqe_at(&bed, 0)->ud.ahn, 9);
			CHECK_EQ(wqe_at(&bed, 0)->ud.qpn, 3);
			CHECK_EQ(wqe_at(&bed, 0)->ud.qkey, 4);
		}
		unmake(&bed);
	}
}

/* Inline data is copied at once, in any number of pieces, up to what was granted (F41). */
static void test_inline(void)
{
	char data[256];
	struct ibv_sge sge[4];
	struct ibv_send_wr wr = { .sg_list = sge, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_INLINE }, *bad;
	struct bed bed;
	int i;

	make(&bed, IBV_QPT_RC, 0);
	for (i = 0; i < 256; i++)
		data[i] = (char)i;
	for (i = 0; i < 4; i++)
		sge[i] = (struct ibv_sge){ (uintptr_t)data + 55 * i, 55, 0xdeadbeef };
	wr.num_sge = 4;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
	memset(data, 0xff, sizeof(data));
	CHECK_EQ(wqe_at(&bed, 0)->count, 220);
	for (i = 0; i < 220; i++)
		CHECK_EQ(((uint8_t *)(wqe_at(&bed, 0) + 1))[i], i);
	sge[0] = (struct ibv_sge){ (uintptr_t)data, 220, 0 };
	wr.num_sge = 1;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
	sge[0].length = 221;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), EINVAL);
	sge[0].length = 200;
	sge[1].length = 0xffffffff;
	wr.num_sge = 2;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), EINVAL);
	wr.num_sge = 0;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
	CHECK_EQ(wqe_at(&bed, 2)->count, 0);
	unmake(&bed);
}

/* One signalled completion frees all before it; one more than granted is ENOMEM (F42). */
static void test_room(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;
	struct bed bed;
	uint32_t round, i, posted = 0;

	make(&bed, IBV_QPT_RC, 0);
	for (round = 0; round < 1000; round++) {
		for (i = 0; i < 16; i++, posted++) {
			wr.send_flags = i == 15 ? IBV_SEND_SIGNALED : 0;
			CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
		}
		CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), ENOMEM);
		CHECK(bad == &wr);
		CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, posted);
		fake_complete(bed.cq, bed.qp->qp_num, 1, IBV_WC_SEND, posted);
		CHECK_EQ(ibv_poll_cq(bed.cq, 1, &wc), 1);
	}
	unmake(&bed);
}

/* No doorbell while the engine looks; always one in ERR; its absence is no error. */
static void test_doorbell(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad = NULL;
	struct ibv_recv_wr rr = { .wr_id = 1 }, *bad_rr = NULL;
	struct bed bed;

	make(&bed, IBV_QPT_RC, 0);
	shca_qp(bed.qp)->shared->running = 1;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
	CHECK_EQ(ibv_post_recv(bed.qp, &rr, &bad_rr), 0);
	CHECK_EQ(fake.doorbells, 0);
	shca_qp(bed.qp)->shared->running = 0;
	CHECK_EQ(ibv_post_recv(bed.qp, &rr, &bad_rr), 0);
	CHECK_EQ(fake.doorbells, 0);
	fake_set_state(bed.qp, IBV_QPS_ERR);
	CHECK_EQ(ibv_post_recv(bed.qp, &rr, &bad_rr), 0);
	CHECK_EQ(fake.doorbells, 1);
	shca_qp(bed.qp)->shared->running = 1;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), 0);
	CHECK_EQ(fake.doorbells, 2);
	fake.doorbell_err = EIO;
	CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), EIO);
	CHECK(bad == &wr);
	unmake(&bed);
}

/* Wrong state: an error and nothing queued (F40). */
static void test_states(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_recv_wr rr = { .wr_id = 1 }, *bad_rr;
	struct bed bed;
	int state;

	make(&bed, IBV_QPT_RC, 0);
	for (state = IBV_QPS_RESET; state < IBV_QPS_RTS; state++) {
		fake_set_state(bed.qp, state);
		bad = NULL;
		CHECK_EQ(ibv_post_send(bed.qp, &wr, &bad), EINVAL);
		CHECK(bad == &wr);
		bad_rr = NULL;
		CHECK_EQ(ibv_post_recv(bed.qp, &rr, &bad_rr),
			 state == IBV_QPS_RESET ? EINVAL : 0);
	}
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 0);
	CHECK_EQ(shca_qp(bed.qp)->shared->rq_prod, 2);
	CHECK_EQ(ibv_post_send(bed.qp, NULL, &bad), EINVAL);
	CHECK_EQ(ibv_post_send(bed.qp, &wr, NULL), EINVAL);
	CHECK_EQ(ibv_post_recv(bed.qp, NULL, &bad_rr), EINVAL);
	unmake(&bed);
}

/* A reset starts over with empty queues and no completions (G097). */
static void test_reset(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_recv_wr rr = { .wr_id = 1 }, *bad_rr;
	struct ibv_wc wc;
	struct bed bed;
	int i;

	make(&bed, IBV_QPT_RC, 0);
	for (i = 0; i < 5; i++)
		CHECK_EQ(ibv_post_recv(bed.qp, &rr, &bad_rr), 0);
	CHECK_EQ(ibv_post_recv(bed.qp, &rr, &bad_rr), ENOMEM);
	fake_complete(bed.cq, bed.qp->qp_num, 1, IBV_WC_RECV, 3);
	CHECK_EQ(ibv_modify_qp(bed.qp, &attr, IBV_QP_STATE), 0);
	CHECK_EQ(bed.qp->state, IBV_QPS_RESET);
	CHECK_EQ(ibv_poll_cq(bed.cq, 1, &wc), 0);
	fake_set_state(bed.qp, IBV_QPS_INIT);
	for (i = 0; i < 5; i++)
		CHECK_EQ(ibv_post_recv(bed.qp, &rr, &bad_rr), 0);
	CHECK_EQ(shca_qp(bed.qp)->shared->rq_prod, 5);
	unmake(&bed);
}

/* The ibv_wr_* calls post all or nothing (F41). */
static void test_builder(void)
{
	struct ibv_data_buf list[2] = { { buf, 200 }, { buf, 21 } };
	struct ibv_qp_ex *ex;
	struct bed bed;
	int i;

	make(&bed, IBV_QPT_RC, 0);
	ex = ibv_qp_to_qp_ex(bed.qp);
	CHECK(ex);
	ibv_wr_start(ex);
	for (i = 0; i < 3; i++) {
		ex->wr_id = 50 + i;
		ex->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(ex, 5, 0x100 * i);
		ibv_wr_set_sge(ex, 6, (uintptr_t)buf, 10 + i);
	}
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 0);
	CHECK_EQ(ibv_wr_complete(ex), 0);
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 3);
	CHECK_EQ(fake.doorbells, 1);
	CHECK_EQ(wqe_at(&bed, 2)->wr_id, 52);
	CHECK_EQ(wqe_at(&bed, 2)->remote.addr, 0x200);
	CHECK_EQ(((struct shca_sge *)(wqe_at(&bed, 2) + 1))->length, 12);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data_list(ex, 2, list);
	ibv_wr_send(ex);
	CHECK_EQ(ibv_wr_complete(ex), EINVAL);
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 3);
	ibv_wr_start(ex);
	ibv_wr_send_imm(ex, 0x11223344);
	list[1].length = 20;
	ibv_wr_set_inline_data_list(ex, 2, list);
	ibv_wr_abort(ex);
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 3);
	ibv_wr_start(ex);
	for (i = 0; i < 14; i++)
		ibv_wr_send(ex);
	CHECK_EQ(ibv_wr_complete(ex), ENOMEM);
	ibv_wr_start(ex);
	ibv_wr_atomic_fetch_add(ex, 1, 0x1001, 5);
	CHECK_EQ(ibv_wr_complete(ex), EINVAL);
	CHECK_EQ(shca_qp(bed.qp)->shared->sq_prod, 3);
	unmake(&bed);
}

static const struct tap_test tests[] = {
	{ "a request in the ring", test_encoding },
	{ "atomics", test_atomic },
	{ "a list stops at the bad request", test_bad_wr },
	{ "opcodes by type of QP", test_opcodes },
	{ "inline data", test_inline },
	{ "room in the send queue", test_room },
	{ "when the doorbell rings", test_doorbell },
	{ "states that refuse a post", test_states },
	{ "a reset starts over", test_reset },
	{ "requests built call by call", test_builder },
};

TAP_MAIN(tests)
