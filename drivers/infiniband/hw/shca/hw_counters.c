// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * hw_counters.c - what the engine and the wire counted, as ports/1/hw_counters of sysfs and `rdma
 * statistic`.  ib_core calls in.
 */
#include "shca.h"
#include "udp_socket.h"

/* Behind the engine's counters come the glue's, then two of the namespace. */
enum {
	WIRE		= ENG_CNT_COUNT,
	BACKLOG_DROPS	= WIRE + SHCA_WIRE_COUNTERS,
	WIRE_UP,
	COUNTERS,
};

static struct rdma_stat_desc descs[COUNTERS];

static void name_all(void)
{
	int i;

	/* The same names each time a device is made. */
	for (i = 0; i < ENG_CNT_COUNT; i++)
		WRITE_ONCE(descs[i].name, eng_counter_name(i));
	for (i = 0; i < SHCA_WIRE_COUNTERS; i++)
		WRITE_ONCE(descs[WIRE + i].name, shca_wire_stats_name(i));
	WRITE_ONCE(descs[BACKLOG_DROPS].name, "rx_backlog_drops");
	/* 1: packets over IPv4, 2: over IPv6, 3: both; 0: somebody else has the port. */
	WRITE_ONCE(descs[WIRE_UP].name, "wire_up");
}

static struct rdma_hw_stats *alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	name_all();
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs), RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	const struct shca_dev *dev = shca_dev_of(ib);
	int i;

	if (port != SHCA_PORT)
		return -EINVAL;
	for (i = 0; i < ENG_CNT_COUNT; i++)
		stats->value[i] = eng_dev_counter(dev->eng, i);
	for (i = 0; i < SHCA_WIRE_COUNTERS; i++)
		stats->value[WIRE + i] = shca_wire_stats_sum(dev->wire_stats, i);
	stats->value[BACKLOG_DROPS] = atomic64_read(&dev->udp->overflows);
	stats->value[WIRE_UP] = shca_udp_socket_is_up(dev->udp, true) +
				2 * shca_udp_socket_is_up(dev->udp, false);
	return ARRAY_SIZE(descs);
}

const struct ib_device_ops shca_hw_counters_ops = {
	.alloc_hw_port_stats = alloc_hw_port_stats,
	.get_hw_stats = get_hw_stats,
};
