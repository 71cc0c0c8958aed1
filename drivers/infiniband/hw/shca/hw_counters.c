// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * hw_counters.c - what the engine counted, as ports/1/hw_counters of sysfs and `rdma statistic`.
 * ib_core calls in.
 */
#include "shca.h"

static struct rdma_stat_desc descs[ENG_CNT_COUNT];

static struct rdma_hw_stats *alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	int i;

	/* The same names each time a device is made. */
	for (i = 0; i < ENG_CNT_COUNT; i++)
		WRITE_ONCE(descs[i].name, eng_counter_name(i));
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs), RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct eng_dev *eng = shca_dev_of(ib)->eng;
	int i;

	if (port != SHCA_PORT)
		return -EINVAL;
	for (i = 0; i < ENG_CNT_COUNT; i++)
		stats->value[i] = eng_dev_counter(eng, i);
	return ARRAY_SIZE(descs);
}

const struct ib_device_ops shca_hw_counters_ops = {
	.alloc_hw_port_stats = alloc_hw_port_stats,
	.get_hw_stats = get_hw_stats,
};
