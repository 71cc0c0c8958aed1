/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* cq.h - part of <infiniband/verbs.h>: completion queues and channels. */
#ifndef INFINIBAND_VERBS_CQ_H
#define INFINIBAND_VERBS_CQ_H

#include <infiniband/verbs/wc.h>

/* A descriptor over which CQs tell of completions. */
struct ibv_comp_channel {
	struct ibv_context *context;
	int fd;	/* readable when an event waits */
	int refcnt;	/* CQs */
};

struct ibv_cq {
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	void *cq_context;
	uint32_t handle;
	int cqe;	/* entries there are */
	pthread_mutex_t mutex;	/* guards the counts below */
	pthread_cond_t cond;
	uint32_t comp_events_completed;	/* acknowledged events */
	uint32_t async_events_completed;
};

struct ibv_poll_cq_attr {
	uint32_t comp_mask;	/* 0 */
};

struct ibv_wc_tm_info {
	uint64_t tag;
	uint32_t priv;
};

/* A CQ whose completions are read one by one, without a copy. */
struct ibv_cq_ex {
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	void *cq_context;
	uint32_t handle;
	int cqe;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t comp_events_completed;
	uint32_t async_events_completed;
	uint32_t comp_mask;
	enum ibv_wc_status status;	/* of the current completion */
	uint64_t wr_id;
	int (*start_poll)(struct ibv_cq_ex *current, struct ibv_poll_cq_attr *attr);
	int (*next_poll)(struct ibv_cq_ex *current);
	void (*end_poll)(struct ibv_cq_ex *current);
	enum ibv_wc_opcode (*read_opcode)(struct ibv_cq_ex *current);
	uint32_t (*read_vendor_err)(struct ibv_cq_ex *current);
	uint32_t (*read_byte_len)(struct ibv_cq_ex *current);
	__be32 (*read_imm_data)(struct ibv_cq_ex *current);
	uint32_t (*read_qp_num)(struct ibv_cq_ex *current);
	uint32_t (*read_src_qp)(struct ibv_cq_ex *current);
	unsigned int (*read_wc_flags)(struct ibv_cq_ex *current);
	uint32_t (*read_slid)(struct ibv_cq_ex *current);
	uint8_t (*read_sl)(struct ibv_cq_ex *current);
	uint8_t (*read_dlid_path_bits)(struct ibv_cq_ex *current);
	uint64_t (*read_completion_ts)(struct ibv_cq_ex *current);
	uint16_t (*read_cvlan)(struct ibv_cq_ex *current);
	uint32_t (*read_flow_tag)(struct ibv_cq_ex *current);
	void (*read_tm_info)(struct ibv_cq_ex *current, struct ibv_wc_tm_info *tm_info);
	uint64_t (*read_completion_wallclock_ns)(struct ibv_cq_ex *current);
};

enum ibv_cq_attr_mask {
	IBV_CQ_ATTR_MODERATE = 1 << 0,
	IBV_CQ_ATTR_RESERVED = 1 << 1,
};

struct ibv_moderate_cq {
	uint16_t cq_count;	/* completions per event */
	uint16_t cq_period;	/* microseconds */
};

struct ibv_modify_cq_attr {
	uint32_t attr_mask;
	struct ibv_moderate_cq moderate;
};

enum ibv_cq_init_attr_mask {
	IBV_CQ_INIT_ATTR_MASK_FLAGS = 1 << 0,
	IBV_CQ_INIT_ATTR_MASK_PD = 1 << 1,
};

enum ibv_create_cq_attr_flags {
	IBV_CREATE_CQ_ATTR_SINGLE_THREADED = 1 << 0,
	IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN = 1 << 1,
};

struct ibv_cq_init_attr_ex {
	uint32_t cqe;	/* at least so many entries */
	void *cq_context;
	struct ibv_comp_channel *channel;	/* NULL: polling only */
	uint32_t comp_vector;	/* below the context's num_comp_vectors */
	uint64_t wc_flags;	/* enum ibv_create_cq_wc_flags */
	uint32_t comp_mask;
	uint32_t flags;	/* enum ibv_create_cq_attr_flags */
	struct ibv_pd *parent_domain;
};

/* pointer */
struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context);

/* errno: EBUSY while a CQ uses it. */
int ibv_destroy_comp_channel(struct ibv_comp_channel *channel);

/* At least cqe entries; channel may be NULL (pointer). */
struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector);

/* errno: EINVAL below the number of unpolled entries. */
int ibv_resize_cq(struct ibv_cq *cq, int cqe);

/* errno: EBUSY while a QP or SRQ uses it. Waits for acknowledgements of events taken. */
int ibv_destroy_cq(struct ibv_cq *cq);

/* Waits for an event (-1). Each event taken has to be acknowledged. */
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context);
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents);

#endif
