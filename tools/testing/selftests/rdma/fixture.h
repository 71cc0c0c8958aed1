/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What most verbs tests stand on: the device under test ($KV_DEV, else the first one), a
 * protection domain, a buffer with its region, and QPs that talk to themselves or one another
 * over the port's RoCE v2 GID. Anything missing ends the test, it is not what is being tested.
 */
#ifndef SELFTEST_FIXTURE_H
#define SELFTEST_FIXTURE_H

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <time.h>

#include "tap.h"

#define FIXTURE_BUF_BYTES	65536
#define FIXTURE_PORT		1
#define FIXTURE_QKEY		0x11111111u
#define FIXTURE_ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
				 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* Not every test uses everything. */
#define FIXTURE			__attribute__((unused))

struct fixture {
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	char *buf;
	union ibv_gid gid;
	int gid_index;
};

FIXTURE static struct ibv_context *fixture_open_device(void)
{
	const char *wanted = getenv("KV_DEV");
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i]; i++) {
		if (wanted && strcmp(ibv_get_device_name(list[i]), wanted))
			continue;
		ctx = ibv_open_device(list[i]);
		break;
	}
	if (!ctx)
		tap_bail("cannot open RDMA device %s", wanted ? wanted : "(first)");
	ibv_free_device_list(list);
	return ctx;
}

/* The GID that maps an IPv4 address, as v2: the last such one (v1 comes before v2). */
FIXTURE static void fixture_find_gid(struct fixture *f)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	union ibv_gid gid;
	int i;

	f->gid_index = -1;
	for (i = 0; i < 16; i++) {
		if (ibv_query_gid(f->ctx, FIXTURE_PORT, i, &gid))
			break;
		if (memcmp(gid.raw, mapped, sizeof(mapped)))
			continue;
		f->gid = gid;
		f->gid_index = i;
	}
	if (f->gid_index < 0)
		tap_bail("port %d has no GID of an IPv4 address", FIXTURE_PORT);
}

FIXTURE static void fixture_open(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->ctx = fixture_open_device();
	if (ibv_query_device(f->ctx, &f->attr))
		tap_bail("query device");
	fixture_find_gid(f);
	f->pd = ibv_alloc_pd(f->ctx);
	if (!f->pd)
		tap_bail("alloc PD");
	f->buf = aligned_alloc(4096, FIXTURE_BUF_BYTES);
	if (!f->buf)
		tap_bail("memory");
	memset(f->buf, 0, FIXTURE_BUF_BYTES);
	f->mr = ibv_reg_mr(f->pd, f->buf, FIXTURE_BUF_BYTES, FIXTURE_ALL_ACCESS);
	if (!f->mr)
		tap_bail("register memory");
}

FIXTURE static void fixture_close(struct fixture *f)
{
	if (ibv_dereg_mr(f->mr) || ibv_dealloc_pd(f->pd) || ibv_close_device(f->ctx))
		tap_ok(false, "everything the test made can be destroyed");
	free(f->buf);
}

FIXTURE static struct ibv_qp *fixture_qp(struct fixture *f, struct ibv_cq *cq, struct ibv_srq *srq,
				 enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = type,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(f->pd, &init);

	if (!qp)
		tap_bail("create QP");
	return qp;
}

FIXTURE static int fixture_qp_to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = FIXTURE_PORT, .qkey = FIXTURE_QKEY,
		.qp_access_flags = FIXTURE_ALL_ACCESS,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

FIXTURE static int fixture_qp_to_rtr(struct fixture *f, struct ibv_qp *qp, uint32_t dest_qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = dest_qpn,
		.max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			     .grh = { .dgid = f->gid, .sgid_index = f->gid_index,
				      .hop_limit = 64 } },
	};

	if (qp->qp_type == IBV_QPT_UD)
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     (qp->qp_type == IBV_QPT_RC ?
			      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0));
}

FIXTURE static int fixture_qp_to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 4,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN |
			     (qp->qp_type == IBV_QPT_RC ?
			      IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_MAX_QP_RD_ATOMIC : 0));
}

/* Ready to send to dest_qpn of this same port (for UD: to anybody). */
FIXTURE static void fixture_connect(struct fixture *f, struct ibv_qp *qp, uint32_t dest_qpn)
{
	if (fixture_qp_to_init(qp) || fixture_qp_to_rtr(f, qp, dest_qpn) || fixture_qp_to_rts(qp))
		tap_bail("connect QP");
}

FIXTURE static int fixture_post_recv(struct fixture *f, struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)f->buf, 4096, f->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

FIXTURE static int fixture_post_send(struct fixture *f, struct ibv_qp *qp, uint64_t id, int flags)
{
	struct ibv_sge sge = { (uintptr_t)f->buf + 8192, 64, f->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_SEND, .send_flags = flags }, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

/* Polls until one completion is there; false after about two seconds. */
FIXTURE static bool fixture_wait_wc(struct ibv_cq *cq, struct ibv_wc *wc)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	int i, n;

	for (i = 0; i < 2000; i++) {
		n = ibv_poll_cq(cq, 1, wc);
		if (n)
			return n == 1;
		nanosleep(&nap, NULL);
	}
	return false;
}

#endif
