// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * wire_stats.c - sums up and names what the glue counts on the wire.  hw_counters.c calls in.
 */
#include <linux/build_bug.h>
#include <linux/cpumask.h>

#include "wire_stats.h"

static const char *const names[] = {
	[SHCA_WIRE_TX_SERIES]		= "tx_series",
	[SHCA_WIRE_TX_NO_ROUTE]		= "tx_no_route",
	[SHCA_WIRE_TX_NO_MEMORY]	= "tx_no_memory",
	[SHCA_WIRE_TX_BLOCKED]		= "tx_blocked",
	[SHCA_WIRE_RX_SERIES]		= "rx_series",
	[SHCA_WIRE_RX_ICRC]		= "rx_icrc_errors",
	[SHCA_WIRE_RX_MALFORMED]	= "rx_malformed",
	[SHCA_WIRE_RX_NO_MEMORY]	= "rx_no_memory",
};
static_assert(ARRAY_SIZE(names) == SHCA_WIRE_COUNTERS);

const char *shca_wire_stats_name(enum shca_wire_counter which)
{
	return names[which];
}

u64 shca_wire_stats_sum(const struct shca_wire_stats __percpu *stats, enum shca_wire_counter which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->count[which]);
	return sum;
}
