/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_table.h - the options that ping-pong programs may have, one row each. */
#ifndef PP_TABLE_H
#define PP_TABLE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

#define PP_MAX_QPS 256
#define PP_MAX_BYTES (1U << 30)

/* What one program is. */
struct pp_kind {
	const char *name;
	const char *letters;	/* options that it has, in the order of the usage text */
	enum ibv_qp_type type;
	bool srq;		/* many QPs on one shared receive queue */
	enum ibv_mtu mtu;	/* defaults of -m, -s and -n */
	unsigned int size;	/* bytes */
	unsigned int iterations;
};

struct pp_options {
	const char *host;	/* NULL: server */
	const char *device;
	unsigned int tcp_port;
	unsigned int ib_port;
	int gid_index;		/* -1: none */
	unsigned int size;	/* bytes */
	unsigned int rx_depth;
	unsigned int iterations;
	unsigned int qps;
	unsigned int clients;
	enum ibv_mtu mtu;
	unsigned int sl;
	bool events, check;
	bool odp, implicit_odp, prefetch, timestamps, device_memory, new_send;
};

/* A row of the table; what it sets is a flag, or a number within bounds. */
struct pp_row {
	char letter;
	const char *name;	/* the long form */
	const char *argument;
	const char *help;
	size_t offset;		/* into pp_options: bool without argument, else unsigned int */
	unsigned long min, max;
};

#define PP_AT(member) offsetof(struct pp_options, member)

/* The letters i, d, g, m and c-with-argument have code of their own below. */
static const struct pp_row pp_rows[] = {
	{ 'p', "port", "port", "TCP port to meet at (18515)", PP_AT(tcp_port), 1, 65535 },
	{ 'd', "ib-dev", "dev", "RDMA device (the first one)", 0, 0, 0 },
	{ 'i', "ib-port", "port", "its port (1)", PP_AT(ib_port), 1, 255 },
	{ 's', "size", "bytes", "length of a message", PP_AT(size), 1, PP_MAX_BYTES },
	{ 'm', "mtu", "bytes", "path MTU: 256, 512, 1024, 2048 or 4096", 0, 0, 0 },
	{ 'q', "num-qp", "count", "queue pairs (16)", PP_AT(qps), 1, PP_MAX_QPS },
	{ 'C', "clients", "count", "clients of a server (1)", PP_AT(clients), 1, PP_MAX_QPS },
	{ 'r', "rx-depth", "count", "receives posted in advance (500)", PP_AT(rx_depth), 1, 65535 },
	{ 'n', "iters", "count", "exchanges (1000)", PP_AT(iterations), 1, 1U << 30 },
	{ 'T', "num_tests", "count", "exchanges of each client (5)", PP_AT(iterations), 1,
	  1U << 30 },
	{ 'l', "sl", "sl", "service level (0)", PP_AT(sl), 0, 15 },
	{ 'e', "events", NULL, "sleep on events instead of polling", PP_AT(events), 0, 0 },
	{ 'g', "gid-idx", "index", "our entry of the GID table; Ethernet needs one", 0, 0, 0 },
	{ 'o', "odp", NULL, "on-demand paging", PP_AT(odp), 0, 0 },
	{ 'O', "iodp", NULL, "implicit on-demand paging", PP_AT(implicit_odp), 0, 0 },
	{ 'P', "prefetch", NULL, "prefetch the memory of on-demand paging", PP_AT(prefetch), 0, 0 },
	{ 't', "ts", NULL, "timestamps of completions", PP_AT(timestamps), 0, 0 },
	{ 'c', "chk", NULL, "check what arrives", PP_AT(check), 0, 0 },
	{ 'j', "dm", NULL, "buffers in memory of the device", PP_AT(device_memory), 0, 0 },
	{ 'N', "new_send", NULL, "post by ibv_wr_*()", PP_AT(new_send), 0, 0 },
};

#define PP_ROWS (sizeof(pp_rows) / sizeof(pp_rows[0]))

/* 'C' and 'T' are -c and -n of the program that has clients. */
static inline char pp_typed(char letter)
{
	return letter == 'C' ? 'c' : letter == 'T' ? 'n' : letter;
}

#endif
