/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The queue pairs of shca_raw.h: make and connect them, write WQEs, ring, read CQEs.
 */
#ifndef SELFTEST_SHCA_RAW_QP_H
#define SELFTEST_SHCA_RAW_QP_H

#include "shca_raw.h"

__attribute__((unused))
static void raw_make_qp(const struct raw *raw, struct raw_qp *qp, const struct raw_cq *cq,
			uint32_t depth)
{
	struct { struct ib_uverbs_create_qp ib; } cmd = {
		.ib = { .pd_handle = raw->pd, .send_cq_handle = cq->resp.ib.cq_handle,
			.recv_cq_handle = cq->resp.ib.cq_handle, .max_send_wr = depth,
			.max_recv_wr = depth, .max_send_sge = 2, .max_recv_sge = 2,
			.qp_type = IBV_QPT_RC },
	};

	memset(qp, 0, sizeof(*qp));
	errno = raw_command(raw->fd, IB_USER_VERBS_CMD_CREATE_QP, &cmd, sizeof(cmd), &qp->resp,
			    sizeof(qp->resp));
	if (errno)
		tap_bail("create QP");
	qp->base = raw_map(raw, &qp->resp.shca.map);
	qp->shared = (void *)qp->base;
}

__attribute__((unused))
static int raw_modify(const struct raw *raw, const struct raw_qp *qp,
		      struct ib_uverbs_modify_qp *cmd)
{
	cmd->qp_handle = qp->resp.ib.qp_handle;
	return raw_command(raw->fd, IB_USER_VERBS_CMD_MODIFY_QP, cmd, sizeof(*cmd), NULL, 0);
}

/* RESET to RTS towards @dest_qpn at the GID with @gid_index of this port. */
__attribute__((unused))
static int raw_connect(const struct raw *raw, const struct raw_qp *qp, uint32_t dest_qpn,
		       const union ibv_gid *gid, int gid_index)
{
	struct ib_uverbs_modify_qp init = {
		.attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = FIXTURE_ALL_ACCESS,
	};
	struct ib_uverbs_modify_qp rtr = {
		.attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = dest_qpn,
		.max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.dest = { .is_global = 1, .port_num = 1, .sgid_index = gid_index,
			  .hop_limit = 64 },
	};
	struct ib_uverbs_modify_qp rts = {
		.attr_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int err;

	memcpy(rtr.dest.dgid, gid->raw, 16);
	err = raw_modify(raw, qp, &init);
	if (!err)
		err = raw_modify(raw, qp, &rtr);
	return err ? err : raw_modify(raw, qp, &rts);
}

__attribute__((unused))
static struct shca_send_wqe *raw_send_wqe(const struct raw_qp *qp, uint32_t index)
{
	const struct shca_ring_info *sq = &qp->resp.shca.sq;

	return (void *)(qp->base + sq->offset + (index & (sq->entries - 1)) * sq->stride);
}

/* The next send WQE with one SGE; published, not rung. */
__attribute__((unused))
static void raw_post(const struct raw_qp *qp, int opcode, uint64_t local, uint32_t lkey,
		     uint32_t length, uint64_t remote, uint32_t rkey)
{
	uint32_t index = qp->shared->sq_prod;
	struct shca_send_wqe *wqe = raw_send_wqe(qp, index);
	struct shca_sge *sge = (void *)((uint8_t *)wqe + SHCA_SEND_WQE_HEAD);

	memset(wqe, 0, SHCA_SEND_WQE_HEAD);
	wqe->wr_id = index;
	wqe->opcode = opcode;
	wqe->flags = SHCA_SEND_SIGNALED;
	wqe->count = 1;
	wqe->remote.addr = remote;
	wqe->remote.rkey = rkey;
	*sge = (struct shca_sge) { .addr = local, .length = length, .lkey = lkey };
	__atomic_store_n(&qp->shared->sq_prod, index + 1, __ATOMIC_SEQ_CST);
}

/* 0 or an errno. */
__attribute__((unused))
static int raw_ring(const struct raw *raw, uint32_t qpn)
{
	return ioctl(raw->doorbell, SHCA_IOC_DOORBELL, (unsigned long)qpn) ? errno : 0;
}

/* The next completion within two or three seconds: its status, -1 when none came. */
__attribute__((unused))
static int raw_poll(struct raw_cq *cq, struct shca_cqe *into)
{
	uint32_t entries = cq->resp.shca.ring.entries;
	struct shca_cqe *cqe = &cq->ring[cq->cons & (entries - 1)];
	struct timespec nap = { .tv_nsec = 100000 };
	time_t end = time(NULL) + 3;
	int round;

	for (round = 0; time(NULL) < end; round++) {
		if (__atomic_load_n(&cqe->lap, __ATOMIC_ACQUIRE) == cq->cons / entries + 1) {
			*into = *cqe;
			cq->cons++;
			__atomic_store_n(&cq->shared->cons, cq->cons, __ATOMIC_RELEASE);
			return into->status;
		}
		if (round > 1000)
			nanosleep(&nap, NULL);
	}
	return -1;
}

#endif
