/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * udp_rx.h - packets from the network stack on their way to the engine.
 */
#ifndef SHCA_UDP_RX_H
#define SHCA_UDP_RX_H

#include <linux/types.h>

struct eng_packet;
struct eng_runq;
struct llist_node;
struct sk_buff_head;
struct shca_udp;
struct sock;

int shca_udp_rx_start(void);
void shca_udp_rx_end(void);

void shca_udp_rx_init(struct shca_udp *udp);
/* The sockets are closed: what waits is thrown away, and works end. */
void shca_udp_rx_stop(struct shca_udp *udp);

/* sk_data_ready */
void shca_udp_rx_ready(struct sock *sk);

/*
 * Between the two, preemption is off and lanes that get packets on this CPU are the caller's to
 * drain: the latter returns them, linked.
 */
void shca_udp_rx_promise(void);
struct llist_node *shca_udp_rx_collect(void);
/*
 * Leaves lanes that have much to take in to workers, or all of them when the caller has moved
 * @bytes_done itself by now and may have more to do: what stays the caller's, linked.
 */
struct llist_node *shca_udp_rx_share(struct llist_node *lanes, u32 bytes_done);
/* Is it worth a switch to another thread to take in so many bytes beside the caller? */
bool shca_udp_rx_is_much(u32 bytes);
/*
 * Both empty @list of buffers that begin with their BTH, headers in front, and keep the order of
 * what @udp got of the same flow before.  To workers; or at once, unless workers have it already.
 */
void shca_udp_rx_queue(struct shca_udp *udp, struct sk_buff_head *list);
void shca_udp_rx_take(struct shca_udp *udp, struct sk_buff_head *list, struct eng_runq *rq);
/* Takes a bounded number of packets of @lanes to the engine; what is left goes to workers. */
void shca_udp_rx_drain(struct llist_node *lanes, struct eng_runq *rq);

/* Operations of the engine: see eng_ops. */
u32 shca_udp_rx_span(struct eng_packet *packet, u32 offset, const u8 **at);
bool shca_udp_rx_keep(struct eng_packet *packet);
void shca_udp_rx_done(struct eng_packet *packet);

#endif
