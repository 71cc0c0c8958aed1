/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * udp_loop.h - packets of this host for this host, past the network stack.
 */
#ifndef SHCA_UDP_LOOP_H
#define SHCA_UDP_LOOP_H

#include <linux/skbuff.h>

struct dst_entry;
struct eng_runq;
struct net;
struct shca_udp;

/* Part of a QP, and its owner's: packets that left in this step. */
struct shca_loop {
	struct sk_buff_head packets;
	struct shca_udp *udp;		/* whose they are */
	u32 bytes;
};

void shca_udp_loop_init(struct shca_loop *loop);

/*
 * Would the network stack only carry a buffer along @dst from one of our sockets to the other?  Not
 * so while somebody could see, delay, change or refuse it on the way.  Under RCU.
 */
bool shca_udp_loop_may(const struct net *net, const struct dst_entry *dst, bool ipv4);
/* Consumes @skb, with all its headers, for the sockets of @udp. */
void shca_udp_loop_add(struct shca_loop *loop, struct shca_udp *udp, struct sk_buff *skb);
/* Takes to the engine what is there; to workers, if the caller has moved many @bytes_done. */
void shca_udp_loop_end(struct shca_loop *loop, struct eng_runq *rq, u32 bytes_done);

#endif
