/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* counters.h - part of <infiniband/verbs.h>: counters of flows. */
#ifndef INFINIBAND_VERBS_COUNTERS_H
#define INFINIBAND_VERBS_COUNTERS_H

#include <infiniband/verbs/base.h>

struct ibv_counters_init_attr {
	uint32_t comp_mask;
};

struct ibv_counters {
	struct ibv_context *context;
};

enum ibv_counter_description {
	IBV_COUNTER_PACKETS,
	IBV_COUNTER_BYTES,
};

struct ibv_counter_attach_attr {
	enum ibv_counter_description counter_desc;
	uint32_t index;	/* where ibv_read_counters() shall put the value */
	uint32_t comp_mask;
};

enum ibv_read_counters_flags {
	IBV_READ_COUNTERS_ATTR_PREFER_CACHED = 1 << 0,
};

#endif
