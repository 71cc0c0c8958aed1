// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that what the manual calls invalid in calls that post requests is refused with the errno
 * value of its page, with bad_wr set, and that nothing has changed then (G034, G114).
 */
#include "refused.h"

static int send_one(struct ibv_qp *qp, struct ibv_send_wr wr)
{
	struct ibv_sge sge[64] = { pair_sge(&base.f, 0, 64) };
	struct ibv_send_wr *bad = NULL;
	int err;

	wr.sg_list = sge;
	wr.num_sge = wr.num_sge ? wr.num_sge : 1;
	err = ibv_post_send(qp, &wr, &bad);
	return err && bad != &wr ? -1 : err;
}

static int send_in_reset(void)
{
	struct ibv_qp *qp = fixture_qp(&base.f, base.cq, NULL, IBV_QPT_RC);
	int err = send_one(qp, (struct ibv_send_wr){ .opcode = IBV_WR_SEND });

	return ibv_destroy_qp(qp) ? -1 : err;
}

static int send_opcode(void)
{
	return send_one(base.rc.qp[A], (struct ibv_send_wr){ .opcode = 77 });
}

static int send_wrong_opcode(void)
{
	return send_one(base.ud, (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_READ });
}

static int send_elements(void)
{
	return send_one(base.rc.qp[A], (struct ibv_send_wr){ .opcode = IBV_WR_SEND,
							     .num_sge = 64 });
}

static int send_negative(void)
{
	return send_one(base.rc.qp[A], (struct ibv_send_wr){ .opcode = IBV_WR_SEND,
							     .num_sge = -1 });
}

static int send_inline(void)
{
	struct ibv_sge sge = { (uintptr_t)base.f.buf, 8192, 0 };
	struct ibv_send_wr wr = pair_wr(&base.rc, IBV_WR_SEND, 1, &sge, 0);

	wr.send_flags |= IBV_SEND_INLINE;
	return pair_post(&base.rc, A, &wr);
}

static int send_odd_atomic(void)
{
	struct ibv_sge sge = pair_sge(&base.f, 0, 8);
	struct ibv_send_wr wr = pair_wr(&base.rc, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &sge, 65);

	return pair_post(&base.rc, A, &wr);
}

static int recv_on(struct ibv_qp *qp, int num_sge)
{
	struct ibv_sge sge[64] = { pair_sge(&base.f, 0, 64) };
	struct ibv_recv_wr wr = { .sg_list = sge, .num_sge = num_sge }, *bad = NULL;
	int err = ibv_post_recv(qp, &wr, &bad);

	return err && bad != &wr ? -1 : err;
}

static int recv_in_reset(void)
{
	struct ibv_qp *qp = fixture_qp(&base.f, base.cq, NULL, IBV_QPT_RC);
	int err = recv_on(qp, 1);

	return ibv_destroy_qp(qp) ? -1 : err;
}

static int recv_with_srq(void)
{
	struct ibv_qp *qp = fixture_qp(&base.f, base.cq, base.srq, IBV_QPT_RC);
	int err = fixture_qp_to_init(qp) ? -1 : recv_on(qp, 1);

	return ibv_destroy_qp(qp) ? -1 : err;
}

static int recv_elements(void)
{
	return recv_on(base.ud, 64);
}

/* Until it is full: more than it was asked for may fit. */
static int recv_full(void)
{
	struct ibv_qp *qp = fixture_qp(&base.f, base.cq, NULL, IBV_QPT_RC);
	int i, err = fixture_qp_to_init(qp) ? -1 : 0;

	for (i = 0; i < 1000 && !err; i++)
		err = recv_on(qp, 1);
	return ibv_destroy_qp(qp) || i <= 16 ? -1 : err;
}

/* Nobody answers this one, so that nothing leaves the queue. */
static struct ibv_qp *silent(uint64_t ops)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = base.cq, .recv_cq = base.cq, .qp_type = IBV_QPT_RC, .pd = base.f.pd,
		.cap = { 4, 1, 1, 1, 0 }, .send_ops_flags = ops,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(base.f.ctx, &init);

	if (!qp)
		tap_bail("create QP");
	fixture_connect(&base.f, qp, 0xfffffe);
	return qp;
}

static int send_full(void)
{
	struct ibv_qp *qp = silent(IBV_QP_EX_WITH_SEND);
	int i, err = 0;

	for (i = 0; i < 1000 && !err; i++)
		err = send_one(qp, (struct ibv_send_wr){ .opcode = IBV_WR_SEND });
	return ibv_destroy_qp(qp) || i <= 4 ? -1 : err;
}

static int batch(void (*fill)(struct ibv_qp_ex *qp))
{
	struct ibv_qp *plain = silent(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE);
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(plain);
	int err;

	ibv_wr_start(qp);
	fill(qp);
	err = ibv_wr_complete(qp);
	return ibv_destroy_qp(plain) ? -1 : err;
}

static void fill_inline(struct ibv_qp_ex *qp)
{
	ibv_wr_rdma_write(qp, 1, 0);
	ibv_wr_set_inline_data(qp, base.f.buf, 8192);
}

static int wr_inline(void)
{
	return batch(fill_inline);
}

static void fill_elements(struct ibv_qp_ex *qp)
{
	struct ibv_sge sge[64] = { pair_sge(&base.f, 0, 64) };

	ibv_wr_send(qp);
	ibv_wr_set_sge_list(qp, 64, sge);
}

static int wr_elements(void)
{
	return batch(fill_elements);
}

static void fill_ud_address(struct ibv_qp_ex *qp)
{
	struct ibv_ah ah = { .context = base.f.ctx };

	ibv_wr_send(qp);
	ibv_wr_set_ud_addr(qp, &ah, 1, 1);
}

static int wr_ud_address(void)
{
	return batch(fill_ud_address);
}

static void fill_xrc_srq(struct ibv_qp_ex *qp)
{
	ibv_wr_send(qp);
	ibv_wr_set_xrc_srqn(qp, 1);
}

static int wr_xrc_srq(void)
{
	return batch(fill_xrc_srq);
}

static void fill_queue(struct ibv_qp_ex *qp)
{
	int i;

	for (i = 0; i < 1000; i++) {
		ibv_wr_send(qp);
		ibv_wr_set_sge(qp, base.f.mr->lkey, (uintptr_t)base.f.buf, 8);
	}
}

static int wr_full(void)
{
	return batch(fill_queue);
}

static int srq_elements(void)
{
	return refused_post(base.srq, 16);
}

static int srq_full(void)
{
	struct ibv_srq *srq = refused_srq(base.f.pd);
	int i, err = srq ? 0 : -1;

	for (i = 0; i < 1000 && !err; i++)
		err = refused_post(srq, 1);
	return !srq || ibv_destroy_srq(srq) || i <= 8 ? -1 : err;
}

static const struct refused_row rows[] = {
	{ "ibv_post_send", EINVAL, "RESET", send_in_reset },
	{ "ibv_post_send", EINVAL, "opcode 77", send_opcode },
	{ "ibv_post_send", EINVAL, "READ on UD", send_wrong_opcode },
	{ "ibv_post_send", EINVAL, "64 elements", send_elements },
	{ "ibv_post_send", EINVAL, "-1 elements", send_negative },
	{ "ibv_post_send", EINVAL, "8192 bytes inline", send_inline },
	{ "ibv_post_send", EINVAL, "an atomic at an odd address", send_odd_atomic },
	{ "ibv_post_send", ENOMEM, "a queue that is full", send_full },
	{ "ibv_post_recv", EINVAL, "RESET", recv_in_reset },
	{ "ibv_post_recv", EINVAL, "a queue pair with SRQ", recv_with_srq },
	{ "ibv_post_recv", EINVAL, "64 elements", recv_elements },
	{ "ibv_post_recv", ENOMEM, "a queue that is full", recv_full },
	{ "ibv_post_srq_recv", EINVAL, "16 elements", srq_elements },
	{ "ibv_post_srq_recv", ENOMEM, "a queue that is full", srq_full },
	{ "ibv_wr_start", EINVAL, "64 elements", wr_elements },
	{ "ibv_wr_start", EINVAL, "8192 bytes inline", wr_inline },
	{ "ibv_wr_start", EINVAL, "an address of UD on RC", wr_ud_address },
	{ "ibv_wr_start", EINVAL, "an XRC SRQ on RC", wr_xrc_srq },
	{ "ibv_wr_start", ENOMEM, "a thousand requests", wr_full },
};

int main(void)
{
	return refused_main(rows, sizeof(rows) / sizeof(*rows));
}
