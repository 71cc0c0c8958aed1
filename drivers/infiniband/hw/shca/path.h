/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * path.h - a way over the wire: addresses, what IP and UDP headers say, and the cached route.
 */
#ifndef SHCA_PATH_H
#define SHCA_PATH_H

#include <linux/in6.h>
#include <linux/refcount.h>
#include <net/dst.h>
#include <rdma/ib_verbs.h>

struct shca_dev;
struct shca_udp;

struct shca_path {
	refcount_t refs;
	struct rcu_head rcu;
	struct shca_udp *udp;		/* counted: sockets and namespace */
	struct in6_addr saddr, daddr;	/* IPv4 in its mapped form */
	bool ipv4;
	bool possible;			/* both addresses are of one kind */
	u8 tos, hop_limit;		/* hop_limit 0: what the route says */
	__be32 flow_label;		/* IPv6, with the traffic class: the first header word */
	__be16 sport;
	int oif;			/* of the netdev that the source address belongs to */
	u64 crc_before_bth;		/* udp_tx.c: and the bytes in UDP that it is for; atomic */
	u32 cookie;			/* of dst */
	struct dst_entry __rcu *dst;	/* counted; checked at each use */
};

/* Counted once.  @dest_qpn: 0 for datagrams.  May sleep. */
struct shca_path *shca_path_create(struct shca_dev *dev, const struct ib_global_route *route,
				   u32 src_qpn, u32 dest_qpn, gfp_t gfp);
void shca_path_get(struct shca_path *path);
void shca_path_put(struct shca_path *path);	/* NULL is fine */

/* Can packets take it, as far as we know without looking for a route? */
bool shca_path_is_up(const struct shca_path *path);
/* The route, counted; NULL: there is none now. */
struct dst_entry *shca_path_route(struct shca_path *path);

#endif
