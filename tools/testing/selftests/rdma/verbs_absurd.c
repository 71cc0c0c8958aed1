// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what zero and absurd numbers do in create and query calls: CQ and SRQ depths, vectors, QP
 * capacities one above the device's limits, queues of depth zero, GID queries with entry sizes
 * nobody has, QP types and masks that do not exist. Errors, not crashes, and no leak: the failing
 * calls are repeated many times and the device still has room for real objects afterwards
 * (field case F24).
 * Contract: C035, C038, C241, C242.
 */
#include "fixture.h"
#include "uverbs_raw.h"

/* Enough that leaking anything of size would be noticed by the guest's memory. */
#define ROUNDS	2000

static struct fixture f;

/* 0 or errno */
static int try_cq(int cqe, int vector)
{
	struct ibv_cq *cq;

	errno = 0;
	cq = ibv_create_cq(f.ctx, cqe, NULL, NULL, vector);
	if (!cq)
		return errno ? errno : -1;
	return ibv_destroy_cq(cq) ? -2 : 0;
}

static int try_srq(uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = max_wr, .max_sge = max_sge } };
	struct ibv_srq *srq;

	errno = 0;
	srq = ibv_create_srq(f.pd, &init);
	if (!srq)
		return errno ? errno : -1;
	return ibv_destroy_srq(srq) ? -2 : 0;
}

static int try_qp(struct ibv_cq *cq, struct ibv_srq *srq, enum ibv_qp_type type,
		  struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = type, .cap = cap,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(f.pd, &init);
	if (!qp)
		return errno ? errno : -1;
	return ibv_destroy_qp(qp) ? -2 : 0;
}

static struct ibv_qp_cap caps(uint32_t send_wr, uint32_t recv_wr, uint32_t send_sge,
			      uint32_t recv_sge, uint32_t inline_data)
{
	return (struct ibv_qp_cap){ send_wr, recv_wr, send_sge, recv_sge, inline_data };
}

static void test_cq(void)
{
	int i, bad = 0;

	tap_is(try_cq(0, 0), EINVAL, "a CQ of 0 entries is EINVAL");
	tap_is(try_cq(-1, 0), EINVAL, "of -1 too");
	tap_is(try_cq(f.attr.max_cqe + 1, 0), EINVAL, "of max_cqe + 1 too");
	tap_is(try_cq(1, 0), 0, "of 1 is fine");
	tap_is(try_cq(16, f.ctx->num_comp_vectors), EINVAL, "vector num_comp_vectors is EINVAL");
	tap_is(try_cq(16, -1), EINVAL, "vector -1 too");
	for (i = 0; i < ROUNDS; i++)
		bad += try_cq(f.attr.max_cqe + 1, 0) != EINVAL;
	tap_is(bad, 0, "%d times over", ROUNDS);
}

static void test_srq(void)
{
	int i, bad = 0;

	tap_is(try_srq(0, 1), EINVAL, "an SRQ of 0 requests is EINVAL");
	tap_is(try_srq(f.attr.max_srq_wr + 1, 1), EINVAL, "of max_srq_wr + 1 too");
	tap_is(try_srq(1, f.attr.max_srq_sge + 1), EINVAL, "with max_srq_sge + 1 too");
	tap_is(try_srq(0xffffffff, 1), EINVAL, "of 2^32-1 too");
	for (i = 0; i < ROUNDS; i++)
		bad += try_srq(0xffffffff, 0xffffffff) != EINVAL;
	tap_is(bad, 0, "%d times over", ROUNDS);
}

static void test_qp(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_srq *srq = ibv_create_srq(f.pd, &init);
	const struct ibv_qp_cap fine = { 1, 1, 1, 1, 0 }, none = {};
	int i, bad = 0;

	if (!cq || !srq)
		tap_bail("CQ, SRQ");
	tap_is(try_qp(cq, NULL, IBV_QPT_RC, fine), 0, "a small RC QP is fine");
	tap_is(try_qp(cq, NULL, IBV_QPT_RC, none), 0, "so is one with nothing in it");
	tap_is(try_qp(cq, NULL, IBV_QPT_RC, caps(f.attr.max_qp_wr + 1, 1, 1, 1, 0)),
	       EINVAL, "max_qp_wr + 1 sends are EINVAL");
	tap_is(try_qp(cq, NULL, IBV_QPT_RC, caps(1, f.attr.max_qp_wr + 1, 1, 1, 0)),
	       EINVAL, "so many receives too");
	tap_is(try_qp(cq, NULL, IBV_QPT_RC, caps(1, 1, f.attr.max_sge + 1, 1, 0)),
	       EINVAL, "max_sge + 1 entries to send are EINVAL");
	tap_is(try_qp(cq, NULL, IBV_QPT_RC, caps(1, 1, 1, f.attr.max_sge + 1, 0)),
	       EINVAL, "so many to receive too");
	tap_is(try_qp(cq, NULL, IBV_QPT_RC, caps(1, 1, 1, 1, 1u << 30)),
	       EINVAL, "1 GiB inline is EINVAL");
	tap_is(try_qp(cq, NULL, 7, fine), EINVAL, "QP type 7 is EINVAL");
	tap_is(try_qp(cq, NULL, 0, fine), EINVAL, "an application gets no SMI QP");
	if (!tap_skip_on_stock("it leaves SRQs of UC QPs to the driver"))
		tap_ok(try_qp(cq, srq, IBV_QPT_UC, fine) != 0, "a UC QP with an SRQ is refused");
	for (i = 0; i < ROUNDS; i++)
		bad += try_qp(cq, srq, IBV_QPT_RC, caps(-1, -1, -1, -1, -1)) !=
		       EINVAL;
	tap_is(bad, 0, "all capacities at 2^32-1 are EINVAL, %d times over", ROUNDS);
	ibv_destroy_srq(srq);
	ibv_destroy_cq(cq);
}

static void test_modify(void)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 99 };
	struct ibv_qp_init_attr init;
	int i;

	tap_is(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
			     IBV_QP_ACCESS_FLAGS), EINVAL, "port 99 is EINVAL");
	attr.port_num = 0;
	tap_is(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
			     IBV_QP_ACCESS_FLAGS), EINVAL, "port 0 is EINVAL");
	attr.port_num = 1;
	attr.qp_state = 17;
	tap_is(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL, "state 17 is EINVAL");
	attr.qp_state = IBV_QPS_RTS;
	tap_is(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL, "RESET to RTS is EINVAL");
	attr.qp_state = IBV_QPS_INIT;
	tap_is(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL, "INIT without its attributes too");
	tap_ok(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) && attr.qp_state == IBV_QPS_RESET,
	       "and the QP is still in RESET");
	for (i = 21; i < 32; i++)
		if (i != 25 && !ibv_modify_qp(qp, &attr, 1 << i))
			break;
	tap_is(i, 32, "no unknown mask bit is accepted");
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
}

/* QUERY_GID_TABLE straight through the ioctl door: the library fills the entry size in itself. */
static int query_gid_table(uint64_t entry_size, void *entries, size_t bytes)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[4];
	} cmd = {
		.hdr = { .length = sizeof(cmd), .object_id = UVERBS_OBJECT_DEVICE,
			 .method_id = UVERBS_METHOD_QUERY_GID_TABLE, .num_attrs = 4,
			 .driver_id = uverbs_raw_driver_id },
	};
	uint32_t flags = 0;
	uint64_t count;

	cmd.attrs[0] = (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE,
		.len = 8, .flags = UVERBS_ATTR_F_MANDATORY, .data = entry_size };
	cmd.attrs[1] = (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_QUERY_GID_TABLE_FLAGS,
		.len = 4, .flags = UVERBS_ATTR_F_MANDATORY, .data = flags };
	cmd.attrs[2] = (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
		.len = bytes, .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)entries };
	cmd.attrs[3] = (struct ib_uverbs_attr){
		.attr_id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
		.len = 8, .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)&count };
	return ioctl(f.ctx->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

static void test_gid_table(void)
{
	static char entries[4096];
	int err;

	uverbs_raw_driver_id_of(f.ctx->cmd_fd);
	tap_is(query_gid_table(32, entries, sizeof(entries)), 0, "the GID table can be queried");
	tap_is(query_gid_table(0, entries, sizeof(entries)), EINVAL, "entry size 0 is EINVAL");
	err = query_gid_table(1, entries, sizeof(entries));
	tap_ok(!err || err == EINVAL, "1 is EINVAL, or one byte of each");
	tap_ok(query_gid_table(1ull << 31, entries, sizeof(entries)) != 0, "2^31 is an error");
	tap_ok(query_gid_table(~0ull, entries, sizeof(entries)) != 0, "2^64-1 is an error");
	tap_ok(query_gid_table(32, entries, 31) != 0, "no room for one entry is an error");
}

int main(void)
{
	fixture_open(&f);
	test_cq();
	test_srq();
	test_qp();
	test_modify();
	test_gid_table();
	fixture_close(&f);
	return tap_end();
}
