/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * udp_tx.h - packets of the engine on their way to the network stack.
 */
#ifndef SHCA_UDP_TX_H
#define SHCA_UDP_TX_H

#include <linux/llist.h>
#include <linux/types.h>

#include "udp_loop.h"

struct eng_qp;
struct eng_runq;
struct eng_tx;
struct shca_path;
struct shca_udp;
struct sk_buff;
struct sock;

/* Packets that leave together, and what came back while they left: of a QP's owner, or of one. */
struct shca_tx {
	struct sk_buff *skb;		/* NULL: none is open */
	struct shca_path *path;		/* of skb, counted */
	u32 segment;			/* bytes of UDP payload of all packets but the last */
	u32 count;			/* packets */
	u16 max_count;			/* that the netdev takes at once */
	u32 max_bytes;
	/* For transmit_end. */
	struct llist_node *lanes;
	struct shca_loop loop;
};

void shca_udp_tx_init(struct shca_tx *tx);

/* Operations of the engine: see eng_ops. */
bool shca_udp_tx_transmit(struct eng_tx *tx);
void shca_udp_tx_end(struct eng_qp *qp, struct eng_runq *rq);
void shca_udp_tx_alone(struct eng_tx *tx, struct eng_runq *rq);

/* sk_write_space */
void shca_udp_tx_room(struct sock *sk);
/* Whoever waits for room looks again. */
void shca_udp_tx_kick(struct shca_udp *udp);

#endif
