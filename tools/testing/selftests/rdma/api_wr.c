// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows requests built call by call (ibv_wr_*): every operation with its data, batches, inline
 * data, errors that post nothing (F41); and objects of a thread domain.
 */
#include "api_pair_io.h"

static struct fixture f;

/* A pair whose QPs have the ibv_wr_* calls. */
static bool open_ex(struct pair *p, struct ibv_pd *pd)
{
	int side;

	memset(p, 0, sizeof(*p));
	p->f = &f;
	for (side = A; side <= B; side++) {
		struct ibv_qp_init_attr_ex init = {
			.qp_type = IBV_QPT_RC, .pd = pd,
			.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
			.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
					  IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
					  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
					  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
					  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
			.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 4,
				 .max_recv_sge = 4, .max_inline_data = 64 },
		};

		p->cq[side] = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
		init.send_cq = init.recv_cq = p->cq[side];
		p->qp[side] = ibv_create_qp_ex(f.ctx, &init);
		if (!p->qp[side])
			return false;
	}
	pair_connect(p);
	return true;
}

static void finish(struct pair *p, struct ibv_qp_ex *qp, uint64_t id, const char *what)
{
	tap_is(ibv_wr_complete(qp), 0, "%s is posted", what);
	pair_expect(p, A, id, IBV_WC_SUCCESS, NULL, what);
}

static struct ibv_qp_ex *start(struct pair *p, uint64_t id)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(p->qp[A]);

	ibv_wr_start(qp);
	qp->wr_id = id;
	qp->wr_flags = IBV_SEND_SIGNALED;
	return qp;
}

static void test_operations(struct pair *p)
{
	uint64_t addr = (uintptr_t)f.buf, *word = (uint64_t *)(f.buf + 8192), old;
	uint32_t lkey = f.mr->lkey, rkey = f.mr->rkey;
	struct ibv_qp_ex *qp;
	struct ibv_wc wc;

	memcpy(f.buf, "written", 8);
	qp = start(p, 1);
	ibv_wr_rdma_write(qp, rkey, addr + 4096);
	ibv_wr_set_sge(qp, lkey, addr, 8);
	finish(p, qp, 1, "write");
	tap_ok(!memcmp(f.buf + 4096, "written", 8), "the bytes are there");
	qp = start(p, 2);
	ibv_wr_rdma_read(qp, rkey, addr + 4096);
	ibv_wr_set_sge(qp, lkey, addr + 64, 8);
	finish(p, qp, 2, "read");
	tap_ok(!memcmp(f.buf + 64, "written", 8), "and come back");
	*word = 40;
	qp = start(p, 3);
	ibv_wr_atomic_fetch_add(qp, rkey, addr + 8192, 2);
	ibv_wr_set_sge(qp, lkey, addr + 128, 8);
	finish(p, qp, 3, "fetch-and-add");
	memcpy(&old, f.buf + 128, 8);
	tap_ok(*word == 42 && old == 40, "40 + 2");
	qp = start(p, 4);
	ibv_wr_atomic_cmp_swp(qp, rkey, addr + 8192, 42, 7);
	ibv_wr_set_sge(qp, lkey, addr + 128, 8);
	finish(p, qp, 4, "compare-and-swap");
	tap_is(*word, 7, "42 became 7");
	pair_recv(p, B, 5, 12288, 64);
	qp = start(p, 6);
	ibv_wr_send_imm(qp, htonl(9));
	ibv_wr_set_inline_data(qp, "inline", 7);
	finish(p, qp, 6, "send with immediate, inline");
	pair_expect(p, B, 5, IBV_WC_SUCCESS, &wc, "its receive");
	tap_ok(wc.imm_data == htonl(9) && !memcmp(f.buf + 12288, "inline", 7), "as it was sent");
}

static void test_batch(struct pair *p)
{
	uint64_t addr = (uintptr_t)f.buf;
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(p->qp[A]);
	struct ibv_sge list[2] = { pair_sge(&f, 0, 4), pair_sge(&f, 4, 4) };
	struct ibv_wc wc;
	int i;

	ibv_wr_start(qp);
	for (i = 0; i < 8; i++) {
		qp->wr_id = 20 + i;
		qp->wr_flags = i == 7 ? IBV_SEND_SIGNALED : 0;
		ibv_wr_rdma_write(qp, f.mr->rkey, addr + 16384 + 8 * i);
		ibv_wr_set_sge_list(qp, 2, list);
	}
	tap_is(ibv_wr_complete(qp), 0, "a batch of eight");
	pair_expect(p, A, 27, IBV_WC_SUCCESS, NULL, "its last");
	for (i = 0; i < 8; i++)
		if (memcmp(f.buf + 16384 + 8 * i, f.buf, 8))
			break;
	tap_is(i, 8, "all are written");
	ibv_wr_start(qp);
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, f.mr->rkey, addr + 16384);
	ibv_wr_set_sge(qp, f.mr->lkey, addr, 8);
	ibv_wr_rdma_write(qp, f.mr->rkey, addr + 16384);
	ibv_wr_set_inline_data(qp, f.buf, 4000);
	tap_is(ibv_wr_complete(qp), EINVAL, "inline data beyond what was granted");
	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_abort(qp);
	tap_ok(!pair_wait_ms(p, A, &wc, 30), "neither that batch nor an aborted one is posted");
}

static void test_thread_domain(void)
{
	struct ibv_td_init_attr td_attr = { .comp_mask = 0 };
	struct ibv_parent_domain_init_attr attr = { .pd = f.pd };
	struct ibv_pd *domain;
	struct pair p;

	attr.td = ibv_alloc_td(f.ctx, &td_attr);
	if (!attr.td) {
		tap_skip("no thread domains");
		return;
	}
	domain = ibv_alloc_parent_domain(f.ctx, &attr);
	if (!tap_ok(domain != NULL, "a parent domain"))
		return;
	tap_is(ibv_dealloc_td(attr.td), EBUSY, "its thread domain is busy");
	if (open_ex(&p, domain)) {
		test_batch(&p);
		tap_is(ibv_dealloc_pd(domain), EBUSY, "a domain with QPs is busy");
		pair_close(&p);
	}
	tap_is(ibv_dealloc_pd(domain), 0, "the domain can go");
	tap_is(ibv_dealloc_td(attr.td), 0, "then the thread domain");
}

int main(void)
{
	struct pair p;

	fixture_open(&f);
	if (!open_ex(&p, f.pd)) {
		tap_skip("no ibv_wr_* calls: %s", strerror(errno));
		return tap_end();
	}
	test_operations(&p);
	test_batch(&p);
	pair_close(&p);
	test_thread_domain();
	fixture_close(&f);
	return tap_end();
}
