// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F49: the MTU of the netdev decides the port's active_mtu, also when it changes later;
 * messages of every length around each path MTU arrive whole; a path MTU above the active one is
 * refused; lowering the netdev's MTU under a connection ends in success or retries that run out,
 * and ends at path MTUs that differ never in wrong data.
 */
#include "own_link.h"

#define NAME		"kvmtu"
#define BIG		(1 << 20)
#define WAIT_S		30	/* retries of a whole connection, on a slow machine */

static struct fixture f;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static uint8_t *buf;	/* BIG bytes to send, then BIG bytes to receive into */

static int active_mtu(void)
{
	struct ibv_port_attr port;

	return ibv_query_port(f.ctx, FIXTURE_PORT, &port) ? -1 : 128 << port.active_mtu;
}

static void test_active(void)
{
	static const struct { int netdev, active[2]; } rows[] = {
		{ 576, { 256, 512 } }, { 1280, { 1024, 1024 } }, { 1500, { 1024, 1024 } },
		{ 2200, { 2048, 2048 } }, { 4096, { 2048, 2048 } }, { 4200, { 4096, 4096 } },
		{ 9000, { 4096, 4096 } },
	};
	unsigned int i;
	int waited, got;

	/* 576 leaves IPv6, which is no reason to say something else. */
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (own_link_run("ip link set " NAME " mtu %d", rows[i].netdev))
			tap_bail("MTU %d", rows[i].netdev);
		for (waited = 0; waited < OWN_LINK_WAIT_MS; waited += OWN_LINK_STEP_MS) {
			got = active_mtu();
			if (got == rows[i].active[0] || got == rows[i].active[1])
				break;
			usleep(OWN_LINK_STEP_MS * 1000);
		}
		tap_ok(got == rows[i].active[0] || got == rows[i].active[1],
		       "netdev MTU %d: active_mtu %d", rows[i].netdev, got);
	}
}

static int connect_at(struct ibv_qp *qp, uint32_t dest, enum ibv_mtu mtu)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = mtu, .dest_qp_num = dest,
		.max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			     .grh = { .dgid = f.gid, .sgid_index = f.gid_index,
				      .hop_limit = 64 } },
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .timeout = 12, .retry_cnt = 2, .rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int err = fixture_qp_to_init(qp);

	err = err ? err : ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MIN_RNR_TIMER |
					IBV_QP_MAX_DEST_RD_ATOMIC);
	return err ? err : ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN |
					 IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					 IBV_QP_MAX_QP_RD_ATOMIC);
}

static bool wait_wc(struct ibv_wc *wc)
{
	int i;

	for (i = 0; i < WAIT_S / 2; i++)
		if (fixture_wait_wc(cq, wc))
			return true;
	return false;
}

static uint8_t pattern(uint32_t at)
{
	return (uint8_t)(at * 7 + (at >> 8));
}

/* The status of a write of that many bytes; -1 when it does not end. Right bytes are checked. */
static int write_bytes(struct ibv_qp *qp, uint32_t bytes, bool *right)
{
	struct ibv_sge sge = { (uintptr_t)buf, bytes, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)buf + BIG, mr->rkey },
	}, *bad;
	struct ibv_wc wc;

	memset(buf + BIG, 0, bytes);
	if (ibv_post_send(qp, &wr, &bad) || !wait_wc(&wc))
		return -1;
	*right = !memcmp(buf, buf + BIG, bytes);
	return wc.status;
}

static void test_lengths(void)
{
	enum ibv_mtu mtu;

	for (mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		const uint32_t m = 128u << mtu;
		const uint32_t lengths[] = { 1, m - 1, m, m + 1, 2 * m, BIG };
		struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
		unsigned int i, wrong = 0;
		bool right;

		if (connect_at(qp, qp->qp_num, mtu))
			tap_bail("connect at path MTU %u", m);
		for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
			wrong += write_bytes(qp, lengths[i], &right) || !right;
		tap_is(wrong, 0, "path MTU %u: 1 byte to 1 MiB arrive whole", m);
		ibv_destroy_qp(qp);
	}
}

static void test_above(void)
{
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);

	own_link_run("ip link set " NAME " mtu 1500");
	usleep(300000);
	if (strcmp(own_link_type(), "shca"))
		tap_skip("the driver takes a path MTU above the active one");
	else
		tap_is(connect_at(qp, qp->qp_num, IBV_MTU_2048), EINVAL,
		       "path MTU 2048 where 1024 is active is EINVAL");
	ibv_destroy_qp(qp);
	own_link_run("ip link set " NAME " mtu 4200");
	usleep(300000);
}

/* What a connection of path MTU 4096 does when the netdev shrinks to 1500. */
static void test_lowered(void)
{
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	bool right = true;
	int status;

	if (connect_at(qp, qp->qp_num, IBV_MTU_4096))
		tap_bail("connect");
	own_link_run("ip link set " NAME " mtu 1500");
	usleep(300000);
	status = write_bytes(qp, 65536, &right);
	tap_ok((!status && right) || status == IBV_WC_RETRY_EXC_ERR,
	       "MTU lowered under a connection: %s", ibv_wc_status_str(status));
	ibv_destroy_qp(qp);
	own_link_run("ip link set " NAME " mtu 4200");
	usleep(300000);
}

/* Ends that do not agree: success with right data, or an error. */
static void test_unequal(void)
{
	struct ibv_qp *a = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	struct ibv_qp *b = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	bool right = true;
	int status;

	if (connect_at(a, b->qp_num, IBV_MTU_2048) || connect_at(b, a->qp_num, IBV_MTU_512))
		tap_bail("connect");
	status = write_bytes(a, 65536, &right);
	tap_ok(status > 0 || (!status && right), "path MTUs 2048 and 512: %s",
	       status < 0 ? "no end" : ibv_wc_status_str(status));
	ibv_destroy_qp(a);
	ibv_destroy_qp(b);
}

int main(void)
{
	uint32_t i;

	own_link_add(NAME, "10.80.0.1/24", "");
	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
	buf = aligned_alloc(4096, 2 * BIG);
	if (!cq || !buf)
		tap_bail("CQ, memory");
	mr = ibv_reg_mr(f.pd, buf, 2 * BIG, FIXTURE_ALL_ACCESS);
	if (!mr)
		tap_bail("register memory");
	for (i = 0; i < BIG; i++)
		buf[i] = pattern(i);
	test_lengths();
	test_unequal();
	test_above();
	test_lowered();
	/* Last: below 1280 the netdev loses what it had of IPv6. */
	test_active();
	ibv_dereg_mr(mr);
	free(buf);
	ibv_destroy_cq(cq);
	fixture_close(&f);
	own_link_delete(NAME);
	return tap_end();
}
