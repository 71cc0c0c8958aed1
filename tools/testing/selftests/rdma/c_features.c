// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows verbs that a device may lack, each working or refused in the documented way: moderation
 * (C118, G083), rate limit (C293, G150), device memory (C295, G060), null regions, allocators of
 * parent domains (G061), imports, operations on SRQs (C219), work queues (C292), ESP (C294).
 */
#include <pthread.h>
#include <unistd.h>

#include "api_pair_io.h"

static struct fixture f;

static void test_moderation(void)
{
	struct ibv_modify_cq_attr attr = { .attr_mask = IBV_CQ_ATTR_MODERATE,
					   .moderate = { .cq_count = 4, .cq_period = 1000 } };
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_device_attr_ex ex;
	int err = ibv_modify_cq(cq, &attr);

	ibv_query_device_ex(f.ctx, NULL, &ex);
	if (!ex.cq_mod_caps.max_cq_count)
		tap_is(err, EOPNOTSUPP, "C118: not advertised, not supported");
	else
		tap_is(err, 0, "C118: up to %u completions, %u us", ex.cq_mod_caps.max_cq_count,
		       ex.cq_mod_caps.max_cq_period);
	attr.attr_mask = 0;
	tap_is(ibv_modify_cq(cq, &attr), EINVAL, "C118: nothing asked for");
	attr.attr_mask = IBV_CQ_ATTR_MODERATE | IBV_CQ_ATTR_RESERVED;
	tap_is(ibv_modify_cq(cq, &attr), EINVAL, "C118: an unknown attribute");
	ibv_destroy_cq(cq);
}

/* 20 messages of 1000 bytes at 1 Mbit/s: 8 ms each, whatever the machine can do. */
static void paced(struct pair *p)
{
	struct ibv_sge sge = pair_sge(&f, 0, 1000);
	struct ibv_send_wr wr;
	double start = pair_now_ms();
	int i, done = 0;
	struct ibv_wc wc;

	for (i = 0; i < 20; i++) {
		wr = pair_wr(p, IBV_WR_RDMA_WRITE, i, &sge, 4096);
		while (pair_post(p, A, &wr) == ENOMEM)
			done += pair_wait_ms(p, A, &wc, PAIR_POLL_MS) && !wc.status;
	}
	while (done < 20 && pair_wait_ms(p, A, &wc, PAIR_POLL_MS) && !wc.status)
		done++;
	tap_ok(done == 20 && pair_now_ms() - start > 100, "C293: 20 KB in %.0f ms",
	       pair_now_ms() - start);
}

static void test_rate_limit(void)
{
	struct ibv_qp_rate_limit_attr limit = { .rate_limit = 1000 };
	struct ibv_device_attr_ex ex;
	struct pair p;
	int err;

	pair_open(&p, &f, NULL);
	ibv_query_device_ex(f.ctx, NULL, &ex);
	err = ibv_modify_qp_rate_limit(p.qp[A], &limit);
	if (!ex.packet_pacing_caps.qp_rate_limit_max) {
		tap_ok(err == EOPNOTSUPP || err == EINVAL, "C293: not advertised, not supported");
	} else {
		tap_is(err, 0, "C293: a limit of 1 Mbit/s");
		paced(&p);
		limit.rate_limit = 0;
		tap_is(ibv_modify_qp_rate_limit(p.qp[A], &limit), 0, "C293: and none again");
	}
	limit.comp_mask = 1;
	tap_is(ibv_modify_qp_rate_limit(p.qp[A], &limit), EINVAL, "C293: an unknown attribute");
	tap_is(pair_state(&p, A), IBV_QPS_RTS, "C293: the QP goes on");
	pair_close(&p);
}

static void use_device_memory(struct ibv_dm *dm)
{
	struct ibv_sge sge = pair_sge(&f, 0, 64);
	struct ibv_send_wr wr;
	struct ibv_mr *mr;
	struct pair p;
	char back[64];

	memset(f.buf, 'd', 64);
	tap_is(ibv_memcpy_to_dm(dm, 100, f.buf, 64), 0, "C295: copied to it");
	tap_ok(!ibv_memcpy_from_dm(back, dm, 100, 64) && !memcmp(back, f.buf, 64),
	       "C295: and back");
	tap_is(ibv_memcpy_to_dm(dm, 4000, f.buf, 200), EFAULT, "G060: not beyond it");
	tap_is(ibv_memcpy_from_dm(back, dm, UINT64_MAX, 2), EFAULT, "G060: nor round it");
	tap_is(ibv_memcpy_to_dm(dm, 1, f.buf, 4), EINVAL, "copies begin at a word");
	tap_is(ibv_memcpy_from_dm(back, dm, 4, 7), EINVAL, "and are of whole words");
	errno = 0;
	tap_ok(!ibv_reg_dm_mr(f.pd, dm, 0, 4096, IBV_ACCESS_LOCAL_WRITE) && errno == EINVAL,
	       "G060: a region of it has offsets for addresses");
	errno = 0;
	tap_ok(!ibv_reg_dm_mr(f.pd, dm, 4000, 200, IBV_ACCESS_ZERO_BASED) && errno == EINVAL,
	       "G060: a region beyond it");
	mr = ibv_reg_dm_mr(f.pd, dm, 64, 512, IBV_ACCESS_ZERO_BASED | FIXTURE_ALL_ACCESS);
	if (!tap_ok(mr != NULL, "G060: a region from 64 on"))
		return;
	tap_is(ibv_free_dm(dm), EBUSY, "G060: memory with a region is busy");
	pair_open(&p, &f, NULL);
	memset(f.buf, 'w', 64);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 1, &sge, 0);
	wr.wr.rdma.remote_addr = 32;
	wr.wr.rdma.rkey = mr->rkey;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 1, IBV_WC_SUCCESS, NULL, "G060: a peer writes into it");
	tap_ok(!ibv_memcpy_from_dm(back, dm, 96, 64) && !memcmp(back, f.buf, 64),
	       "G060: at 64 + 32");
	pair_close(&p);
	tap_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
	       IBV_REREG_MR_ERR_INPUT, "G055: such a region is not registered again");
	tap_is(ibv_dereg_mr(mr), 0, "G060: the region can go");
}

static void test_device_memory(void)
{
	struct ibv_alloc_dm_attr attr = { .length = 4096 };
	struct ibv_device_attr_ex ex;
	struct ibv_dm *dm;

	ibv_query_device_ex(f.ctx, NULL, &ex);
	errno = 0;
	dm = ibv_alloc_dm(f.ctx, &attr);
	if (!ex.max_dm_size) {
		tap_ok(!dm && errno == EOPNOTSUPP, "C295: not advertised, not supported");
		return;
	}
	if (!tap_ok(dm != NULL, "C295: 4096 bytes of device memory"))
		return;
	use_device_memory(dm);
	tap_is(ibv_free_dm(dm), 0, "C295: freed");
	attr.comp_mask = 1;
	errno = 0;
	tap_ok(!ibv_alloc_dm(f.ctx, &attr) && errno == EINVAL, "G060: an unknown attribute");
	attr.comp_mask = 0;
	attr.length = ex.max_dm_size + 1;
	errno = 0;
	tap_ok(!ibv_alloc_dm(f.ctx, &attr) && errno, "G060: more than there is: %s",
	       strerror(errno));
}

/* It swallows what is received and sends zeros. */
static void test_null_region(void)
{
	struct ibv_mr *mr = ibv_alloc_null_mr(f.pd);
	struct ibv_sge sge[3];
	struct ibv_send_wr wr;
	struct ibv_recv_wr recv = { .wr_id = 4, .sg_list = sge, .num_sge = 2 }, *bad;
	struct pair p;

	if (!mr) {
		tap_ok(errno == EOPNOTSUPP, "a null region: %s", strerror(errno));
		return;
	}
	pair_open(&p, &f, NULL);
	memset(f.buf, 'x', 64);
	memset(f.buf + 4096, 'y', 64);
	sge[0] = pair_sge(&f, 0, 8);
	sge[1] = (struct ibv_sge){ 0, 16, mr->lkey };
	sge[2] = pair_sge(&f, 8, 8);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 3, sge, 4096);
	wr.num_sge = 3;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 3, IBV_WC_SUCCESS, NULL, "a write out of a null region");
	tap_ok(!memcmp(f.buf + 4096, "xxxxxxxx\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0xxxxxxxx", 32) &&
	       f.buf[4096 + 32] == 'y', "sends zeros in its place");
	sge[0] = (struct ibv_sge){ 0x123456, 24, mr->lkey };
	sge[1] = pair_sge(&f, 8192, 64);
	memset(f.buf + 8192, 0, 64);
	ibv_post_recv(p.qp[B], &recv, &bad);
	sge[2] = pair_sge(&f, 4096, 32);
	wr = pair_wr(&p, IBV_WR_SEND, 5, &sge[2], 0);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 5, IBV_WC_SUCCESS, NULL, "a message into a null region");
	pair_expect(&p, B, 4, IBV_WC_SUCCESS, NULL, "is received");
	tap_ok(!memcmp(f.buf + 8192, "xxxxxxxx", 8), "what comes after it lands behind");
	pair_close(&p);
	tap_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
	       IBV_REREG_MR_ERR_INPUT, "it is not registered again");
	tap_is(ibv_dealloc_pd(f.pd), EBUSY, "its PD is busy");
	tap_is(ibv_dereg_mr(mr), 0, "it can go");
}

/* ---- parent domains ---- */

struct pool {
	int live, made, failing;
	size_t smallest_alignment;
	uint64_t driver;
};

static void *pool_alloc(struct ibv_pd *pd, void *context, size_t size, size_t alignment,
			uint64_t type)
{
	struct pool *pool = context;

	(void)pd;
	if (pool->failing)
		return NULL;
	if (pool->made++ == 1)
		return IBV_ALLOCATOR_USE_DEFAULT;
	pool->live++;
	pool->driver = type >> 32;
	if (alignment < pool->smallest_alignment)
		pool->smallest_alignment = alignment;
	return aligned_alloc(4096, (size + 4095) & ~4095ul);
}

static void pool_free(struct ibv_pd *pd, void *context, void *ptr, uint64_t type)
{
	struct pool *pool = context;

	(void)pd;
	(void)type;
	pool->live--;
	free(ptr);
}

static void test_allocators(void)
{
	struct pool pool = { .smallest_alignment = SIZE_MAX };
	struct ibv_parent_domain_init_attr attr = {
		.pd = f.pd, .pd_context = &pool,
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT,
	};
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 8, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD };
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_pd *domain, *plain = f.pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_srq *srq;

	errno = 0;
	tap_ok(!ibv_alloc_parent_domain(f.ctx, &attr) && errno == EINVAL,
	       "G061: allocators that are not there");
	attr.alloc = pool_alloc;
	attr.free = pool_free;
	domain = ibv_alloc_parent_domain(f.ctx, &attr);
	if (!tap_ok(domain != NULL, "G061: a domain with allocators"))
		return;
	cq_attr.parent_domain = domain;
	cq = ibv_cq_ex_to_cq(ibv_create_cq_ex(f.ctx, &cq_attr));
	f.pd = domain;
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);	/* by the default: the second one */
	srq = ibv_create_srq(domain, &srq_attr);
	f.pd = plain;
	tap_ok(cq && srq && pool.made == 3 && pool.live == 2, "G061: it is asked for each object");
	tap_ok(pool.smallest_alignment >= 64 && pool.driver, "G061: alignment and driver are told");
	fixture_connect(&f, qp, qp->qp_num);
	fixture_post_recv(&f, qp, 1);
	fixture_post_send(&f, qp, 2, IBV_SEND_SIGNALED);
	tap_ok(fixture_wait_wc(cq, &(struct ibv_wc){ .wr_id = 0 }), "G061: traffic in its memory");
	tap_is(ibv_dealloc_pd(domain), EBUSY, "G061: the domain is busy");
	ibv_destroy_qp(qp);
	ibv_destroy_srq(srq);
	tap_is(ibv_dealloc_pd(domain), EBUSY, "G061: also with a CQ alone");
	ibv_destroy_cq(cq);
	tap_is(pool.live, 0, "G061: all of it is given back");
	pool.failing = 1;
	errno = 0;
	tap_ok(!ibv_create_srq(domain, &srq_attr) && errno == ENOMEM, "G061: it may refuse");
	tap_is(ibv_dealloc_pd(domain), 0, "G061: the domain can go");
}

/* Two objects for one memory: what one of them is written, the other and regions of both show. */
static void import_memory(struct ibv_context *ctx, struct ibv_pd *pd)
{
	struct ibv_alloc_dm_attr attr = { .length = 200 };
	struct ibv_dm *dm = ibv_alloc_dm(f.ctx, &attr), *other;
	struct ibv_mr *mr;
	char back[8] = "";

	if (!dm) {
		tap_ok(errno == EOPNOTSUPP, "import of memory: %s", strerror(errno));
		return;
	}
	errno = 0;
	tap_ok(!ibv_import_dm(ctx, dm->handle + 1000) && errno == ENOENT,
	       "G165: no import of memory that is not there");
	errno = 0;
	tap_ok(!ibv_import_dm(ctx, f.pd->handle) && errno == EINVAL,
	       "G165: nor of what is something else");
	other = ibv_import_dm(ctx, dm->handle);
	if (!tap_ok(other && other->context == ctx && other->handle == dm->handle &&
		    other->comp_mask == IBV_DM_MASK_HANDLE, "G165: import of device memory"))
		return;
	tap_is(ibv_memcpy_to_dm(dm, 192, "kverbs!", 8), 0, "G165: its owner writes");
	tap_ok(!ibv_memcpy_from_dm(back, other, 192, 8) && !strcmp(back, "kverbs!"),
	       "G165: and the other one reads");
	tap_is(ibv_memcpy_to_dm(other, 196, "kverbs!", 8), EFAULT, "G165: within its length");
	mr = ibv_reg_dm_mr(pd, other, 0, 200, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE);
	tap_ok(mr != NULL, "G165: a region of it in the imported PD");
	tap_is(ibv_free_dm(dm), EBUSY, "G165: the owner's memory is busy then");
	tap_ok(mr && !ibv_dereg_mr(mr), "G165: the region goes");
	ibv_unimport_dm(other);
	tap_ok(!ibv_memcpy_from_dm(back, dm, 192, 8) && !strcmp(back, "kverbs!"),
	       "G165: the memory outlives the import");
	other = ibv_import_dm(ctx, dm->handle);
	tap_is(ibv_free_dm(dm), 0, "G165: an import does not keep the owner from freeing");
	tap_ok(other && !ibv_reg_dm_mr(pd, other, 0, 8, IBV_ACCESS_ZERO_BASED) &&
	       errno == ENOENT, "G165: and the import cannot be registered then");
	if (other)
		ibv_unimport_dm(other);
}

/* What another process would do with the descriptor and the handles. */
static void test_import(void)
{
	int fd = dup(f.ctx->cmd_fd);
	struct ibv_context *ctx = ibv_import_device(fd);
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	if (!ctx) {
		tap_ok(errno == EOPNOTSUPP, "import: %s", strerror(errno));
		close(fd);
		return;
	}
	tap_ok(ctx->num_comp_vectors == f.ctx->num_comp_vectors && ctx->cmd_fd == fd,
	       "import of a device");
	pd = ibv_import_pd(ctx, f.pd->handle);
	mr = ibv_import_mr(pd, f.mr->handle);
	tap_ok(mr && mr->lkey == f.mr->lkey && mr->rkey == f.mr->rkey && !mr->addr &&
	       mr->length == f.mr->length, "import of a region");
	errno = 0;
	tap_ok(!ibv_import_mr(pd, 0x7fffffff) && errno == ENOENT,
	       "no import of what is not there");
	ibv_unimport_mr(mr);
	import_memory(ctx, pd);
	ibv_unimport_pd(pd);
	tap_is(ibv_close_device(ctx), 0, "close");
	pd = ibv_alloc_pd(f.ctx);
	tap_ok(pd && !ibv_dealloc_pd(pd), "the one that it was imported from goes on");
	errno = 0;
	tap_ok(!ibv_import_device(0) && errno, "not from any descriptor");
}

/* Never a crash, and nothing of it is advertised. */
static void test_not_there(void)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(f.pd, &srq_attr);
	struct ibv_flow_action_esp esp = { .spi = 1 };
	struct ibv_flow_action_esp_attr esp_attr = { .esp_attr = &esp };
	struct ibv_wq_init_attr wq = { .wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1,
				       .pd = f.pd };
	struct ibv_ops_wr op = { .opcode = IBV_WR_TAG_SYNC }, *bad_op = NULL;
	struct ibv_flow_action action = { .context = f.ctx };
	struct ibv_wq fake = { .context = f.ctx };
	struct ibv_wq_attr wq_attr = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	struct ibv_device_attr_ex ex;

	tap_ok(ibv_post_srq_ops(srq, &op, &bad_op) == EOPNOTSUPP && bad_op == &op,
	       "C219: operations on an SRQ, and bad_op");
	errno = 0;
	tap_ok(!ibv_create_wq(f.ctx, &wq) && errno == EOPNOTSUPP, "C292: work queues");
	tap_is(ibv_modify_wq(&fake, &wq_attr), EOPNOTSUPP, "C292: to be modified");
	errno = 0;
	tap_ok(!ibv_create_flow_action_esp(f.ctx, &esp_attr) && errno == EOPNOTSUPP,
	       "C294: an ESP action");
	tap_is(ibv_modify_flow_action_esp(&action, &esp_attr), EOPNOTSUPP, "C294: modified");
	tap_is(ibv_destroy_flow_action(&action), EOPNOTSUPP, "C294: destroyed");
	tap_ok(!ibv_query_device_ex(f.ctx, NULL, &ex) && !ex.max_wq_type_rq &&
	       !ex.tm_caps.max_num_tags && !ex.odp_caps.general_caps && !ex.raw_packet_caps &&
	       !ex.rss_caps.supported_qpts, "C219, C292: none of these is advertised");
	ibv_destroy_srq(srq);
}

int main(void)
{
	fixture_open(&f);
	test_moderation();
	test_rate_limit();
	test_device_memory();
	test_null_region();
	test_allocators();
	test_import();
	test_not_there();
	fixture_close(&f);
	return tap_end();
}
