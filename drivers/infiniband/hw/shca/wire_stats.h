/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * wire_stats.h - what the glue itself counts on the wire; the engine counts the rest.
 */
#ifndef SHCA_WIRE_STATS_H
#define SHCA_WIRE_STATS_H

#include <linux/percpu.h>

enum shca_wire_counter {
	SHCA_WIRE_TX_SERIES,		/* handed to the network stack: one packet or more each */
	SHCA_WIRE_TX_NO_ROUTE,
	SHCA_WIRE_TX_NO_MEMORY,
	SHCA_WIRE_TX_BLOCKED,		/* met full queues and waited */
	SHCA_WIRE_RX_SERIES,
	SHCA_WIRE_RX_ICRC,		/* wrong ICRC */
	SHCA_WIRE_RX_MALFORMED,		/* no room for BTH and ICRC, or IP options */
	SHCA_WIRE_RX_NO_MEMORY,
	SHCA_WIRE_COUNTERS,
};

struct shca_wire_stats {
	u64 count[SHCA_WIRE_COUNTERS];
};

static inline void shca_wire_stats_add(struct shca_wire_stats __percpu *stats,
				       enum shca_wire_counter which, u64 n)
{
	this_cpu_add(stats->count[which], n);
}

u64 shca_wire_stats_sum(const struct shca_wire_stats __percpu *stats, enum shca_wire_counter which);
const char *shca_wire_stats_name(enum shca_wire_counter which);

#endif
