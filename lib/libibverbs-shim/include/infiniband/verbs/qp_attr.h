/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* qp_attr.h - part of <infiniband/verbs.h>: what ibv_modify_qp() sets and ibv_query_qp() reads. */
#ifndef INFINIBAND_VERBS_QP_ATTR_H
#define INFINIBAND_VERBS_QP_ATTR_H

#include <infiniband/verbs/ah.h>
#include <infiniband/verbs/port.h>
#include <infiniband/verbs/qp.h>

/* Which fields of struct ibv_qp_attr count. */
enum ibv_qp_attr_mask {
	IBV_QP_STATE = 1 << 0,
	IBV_QP_CUR_STATE = 1 << 1,
	IBV_QP_EN_SQD_ASYNC_NOTIFY = 1 << 2,
	IBV_QP_ACCESS_FLAGS = 1 << 3,
	IBV_QP_PKEY_INDEX = 1 << 4,
	IBV_QP_PORT = 1 << 5,
	IBV_QP_QKEY = 1 << 6,
	IBV_QP_AV = 1 << 7,
	IBV_QP_PATH_MTU = 1 << 8,
	IBV_QP_TIMEOUT = 1 << 9,
	IBV_QP_RETRY_CNT = 1 << 10,
	IBV_QP_RNR_RETRY = 1 << 11,
	IBV_QP_RQ_PSN = 1 << 12,
	IBV_QP_MAX_QP_RD_ATOMIC = 1 << 13,
	IBV_QP_ALT_PATH = 1 << 14,
	IBV_QP_MIN_RNR_TIMER = 1 << 15,
	IBV_QP_SQ_PSN = 1 << 16,
	IBV_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
	IBV_QP_PATH_MIG_STATE = 1 << 18,
	IBV_QP_CAP = 1 << 19,
	IBV_QP_DEST_QPN = 1 << 20,
	IBV_QP_RATE_LIMIT = 1 << 25,
};

enum ibv_mig_state {
	IBV_MIG_MIGRATED,
	IBV_MIG_REARM,
	IBV_MIG_ARMED,
};

struct ibv_qp_attr {
	enum ibv_qp_state qp_state;
	enum ibv_qp_state cur_qp_state;
	enum ibv_mtu path_mtu;	/* payload of a packet */
	enum ibv_mig_state path_mig_state;
	uint32_t qkey;
	uint32_t rq_psn;	/* expected first, 24 bits */
	uint32_t sq_psn;	/* sent first, 24 bits */
	uint32_t dest_qp_num;
	unsigned int qp_access_flags;	/* enum ibv_access_flags, for the peer */
	struct ibv_qp_cap cap;
	struct ibv_ah_attr ah_attr;
	struct ibv_ah_attr alt_ah_attr;
	uint16_t pkey_index;
	uint16_t alt_pkey_index;
	uint8_t en_sqd_async_notify;
	uint8_t sq_draining;	/* query in SQD only */
	uint8_t max_rd_atomic;	/* reads and atomics asked at once */
	uint8_t max_dest_rd_atomic;	/* ... and answered at once */
	uint8_t min_rnr_timer;	/* code of the wait we ask for, 0 to 31 */
	uint8_t port_num;
	uint8_t timeout;	/* 4.096 us << this; 0: none */
	uint8_t retry_cnt;	/* 0 to 7 */
	uint8_t rnr_retry;	/* 0 to 6; 7: without end */
	uint8_t alt_port_num;
	uint8_t alt_timeout;
	uint32_t rate_limit;	/* kbit/s */
};

struct ibv_qp_rate_limit_attr {
	uint32_t rate_limit;	/* kbit/s; 0: none */
	uint32_t max_burst_sz;	/* bytes */
	uint16_t typical_pkt_sz;	/* bytes */
	uint32_t comp_mask;	/* 0 */
};

#endif
