/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_options.h - command lines of the ping-pong programs. */
#ifndef PP_OPTIONS_H
#define PP_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <infiniband/verbs.h>

#define PP_MAX_QPS 128

/* What one program is. */
struct pp_kind {
	const char *name;
	enum ibv_qp_type type;
	bool srq;		/* many QPs on one shared receive queue */
	unsigned int size;	/* default of -s, bytes */
};

struct pp_options {
	const char *host;	/* NULL: server */
	const char *device;
	int tcp_port;
	int ib_port;
	int gid_index;		/* -1: none */
	unsigned int size;	/* bytes */
	unsigned int rx_depth;
	unsigned int iterations;
	unsigned int qps;
	enum ibv_mtu mtu;
	int sl;
	bool events;
	bool check;
};

static inline void pp_usage(const struct pp_kind *kind)
{
	fprintf(stderr,
		"usage: %s            wait for a client\n"
		"       %s HOST       connect to the server there\n"
		"  -p PORT   TCP port (18515)      -d DEVICE  RDMA device (the first)\n"
		"  -i PORT   port of it (1)        -g INDEX   GID of ours (needed on Ethernet)\n"
		"  -s BYTES  of a message (%u)   -n COUNT   exchanges (1000)\n"
		"  -r COUNT  receives (500)        -l LEVEL   service level (0)\n"
		"%s%s"
		"  -e        sleep on events       -c         check the data\n",
		kind->name, kind->name, kind->size,
		kind->type == IBV_QPT_UD ? "" : "  -m BYTES  path MTU (1024)\n",
		kind->srq ? "  -q COUNT  queue pairs (16)\n" : "");
}

static inline bool pp_mtu(const char *text, enum ibv_mtu *mtu)
{
	int bytes = atoi(text), code;

	for (code = IBV_MTU_256; code <= IBV_MTU_4096; code++) {
		if (128 << code == bytes) {
			*mtu = code;
			return true;
		}
	}
	return false;
}

static inline bool pp_option(int c, struct pp_options *o)
{
	switch (c) {
	case 'p':
		o->tcp_port = atoi(optarg);
		return o->tcp_port > 0 && o->tcp_port < 65536;
	case 'd':
		o->device = optarg;
		return true;
	case 'i':
		o->ib_port = atoi(optarg);
		return o->ib_port > 0;
	case 's':
		o->size = (unsigned int)strtoul(optarg, NULL, 0);
		return o->size > 0;
	case 'm':
		return pp_mtu(optarg, &o->mtu);
	case 'r':
		o->rx_depth = (unsigned int)strtoul(optarg, NULL, 0);
		return o->rx_depth > 0;
	case 'n':
		o->iterations = (unsigned int)strtoul(optarg, NULL, 0);
		return o->iterations > 0;
	case 'l':
		o->sl = atoi(optarg);
		return true;
	case 'q':
		o->qps = (unsigned int)strtoul(optarg, NULL, 0);
		return o->qps > 0 && o->qps <= PP_MAX_QPS;
	case 'g':
		o->gid_index = atoi(optarg);
		return o->gid_index >= 0;
	case 'e':
		o->events = true;
		return true;
	case 'c':
		o->check = true;
		return true;
	default:
		return false;
	}
}

static inline bool pp_parse(int argc, char **argv, const struct pp_kind *kind,
			    struct pp_options *o)
{
	int c;

	*o = (struct pp_options){
		.tcp_port = 18515, .ib_port = 1, .gid_index = -1, .size = kind->size,
		.rx_depth = 500, .iterations = 1000, .qps = kind->srq ? 16 : 1,
		.mtu = IBV_MTU_1024,
	};
	while ((c = getopt(argc, argv, kind->srq ? "p:d:i:s:m:r:n:l:g:ecq:" :
						    "p:d:i:s:m:r:n:l:g:ec")) != -1)
		if (!pp_option(c, o))
			return false;
	if (optind < argc)
		o->host = argv[optind++];
	return optind == argc && o->rx_depth >= o->qps;
}

#endif
