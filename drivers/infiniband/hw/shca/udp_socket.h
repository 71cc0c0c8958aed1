/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * udp_socket.h - the sockets on the RoCEv2 port of one network namespace, and what hangs on them.
 */
#ifndef SHCA_UDP_SOCKET_H
#define SHCA_UDP_SOCKET_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <net/sock.h>

struct shca_dev;

enum shca_udp_limits {
	/* Flows are spread over lanes; packets of one lane are taken in order, by one CPU. */
	SHCA_UDP_LANES		= 16,
	/* Bytes (of memory, not of payload) that wait in one lane; more is dropped. */
	SHCA_UDP_LANE_BYTES	= 4 << 20,
	/* Bytes that wait in queues of the network stack, of all QPs of a namespace. */
	SHCA_UDP_SEND_BYTES	= 4 << 20,
};

/* The headers in front of the last BTH, as the ICRC sees them. */
struct shca_seen {
	u8 net[40];			/* longest: IPv6 */
	u8 udp[8];
	u32 crc;			/* of both */
};

/* Arrived, not yet looked at.  See udp_rx.c. */
struct shca_lane {
	struct sk_buff_head queue;	/* its lock guards bytes too */
	u32 bytes;
	unsigned long scheduled;	/* bit 0: somebody is going to drain it, or does */
	/* Owned by who set scheduled. */
	struct llist_node next;
	struct shca_seen seen;
	struct work_struct work;
	struct shca_udp *udp;
};

struct shca_udp {
	struct list_head link;		/* udp_socket.c, under its mutex, as are devices */
	struct list_head devices;	/* of shca_dev.udp_link; read under RCU */
	refcount_t refs;		/* the list of devices, each path, scheduled lanes */
	struct net *net;		/* valid while open, or under RCU since it was */
	struct socket *sockets[2];	/* by family, below; under the mutex */
	struct sock __rcu *sks[2];	/* NULL: closed, or no such family */
	struct llist_head blocked;	/* of shca_qp.blocked: QPs that met a full queue */
	struct shca_lane lanes[SHCA_UDP_LANES];
	atomic64_t overflows;		/* packets that met a full lane */
};

enum { SHCA_UDP_V4, SHCA_UDP_V6 };

int shca_udp_socket_start(void);
void shca_udp_socket_stop(void);

/*
 * The first device of a namespace opens its sockets, the last one closes them.  When the port is
 * taken there are none: then the wire is down and all else works.  Sets dev->udp.  May sleep.
 */
int shca_udp_socket_join(struct shca_dev *dev);
/* Nobody finds @dev by a packet any more. */
void shca_udp_socket_leave(struct shca_dev *dev);

void shca_udp_socket_hold(struct shca_udp *udp);
void shca_udp_socket_put(struct shca_udp *udp);
struct net *shca_udp_socket_net(const struct shca_udp *udp);
/* Can packets of this kind be sent and received? */
bool shca_udp_socket_is_up(const struct shca_udp *udp, bool ipv4);

#endif
