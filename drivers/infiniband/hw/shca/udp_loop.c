// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * udp_loop.c - packets of this host for this host, which udp_tx.c hands to udp_rx.c itself.
 *
 * The way through IP, the loopback netdev and UDP costs a small message more than all that the
 * engine does with it, and ends where this does.  It is taken all the same when it makes a
 * difference: packet sockets (captures), a queueing discipline (netem), classifiers, XDP, or hooks
 * of netfilter that rules for local traffic hang on, or a netdev that is down.  Each buffer is
 * judged for itself, so that rules hold from the moment that they are made.
 *
 * Hooks after routing are not looked at: security modules always have some there.  Who translates
 * or tracks local traffic hangs on the earlier ones, too.
 */
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include <net/sch_generic.h>

#include "udp_loop.h"
#include "udp_rx.h"

static bool has_queue(const struct net_device *netdev)
{
	const struct Qdisc *qdisc = rcu_dereference(netdev_get_tx_queue(netdev, 0)->qdisc);

	return qdisc->enqueue;
}

static bool has_filter(const struct net_device *netdev)
{
#ifdef CONFIG_NET_CLS_ACT
	if (rcu_access_pointer(netdev->miniq_ingress) || rcu_access_pointer(netdev->miniq_egress))
		return true;
#endif
#ifdef CONFIG_NETFILTER_INGRESS
	if (rcu_access_pointer(netdev->nf_hooks_ingress))
		return true;
#endif
#ifdef CONFIG_NETFILTER_EGRESS
	if (rcu_access_pointer(netdev->nf_hooks_egress))
		return true;
#endif
	return rcu_access_pointer(netdev->xdp_prog);
}

static bool has_rules(const struct net *net, bool ipv4)
{
#ifdef CONFIG_NETFILTER
	struct nf_hook_entries __rcu *const *hooks = ipv4 ? net->nf.hooks_ipv4 : net->nf.hooks_ipv6;

	return rcu_access_pointer(hooks[NF_INET_LOCAL_OUT]) ||
	       rcu_access_pointer(hooks[NF_INET_PRE_ROUTING]) ||
	       rcu_access_pointer(hooks[NF_INET_LOCAL_IN]);
#else
	return false;
#endif
}

bool shca_udp_loop_may(const struct net *net, const struct dst_entry *dst, bool ipv4)
{
	struct net_device *netdev = dst->dev;

	return netdev->flags & IFF_LOOPBACK && netdev->flags & IFF_UP && !dst_xfrm(dst) &&
	       !dev_nit_active(netdev) && !has_queue(netdev) && !has_filter(netdev) &&
	       !has_rules(net, ipv4);
}

void shca_udp_loop_init(struct shca_loop *loop)
{
	__skb_queue_head_init(&loop->packets);
}

static void leave_to_workers(struct shca_loop *loop)
{
	shca_udp_rx_queue(loop->udp, &loop->packets);
	loop->bytes = 0;
}

/* What the stack would have made of it. */
static void arrive(struct sk_buff *skb)
{
	/* Who gets a datagram gets its header, too. */
	if (skb->protocol == htons(ETH_P_IP))
		ip_send_check(ip_hdr(skb));
	skb->skb_iif = skb->dev->ifindex;
	skb_dst_drop(skb);
	__skb_pull(skb, skb_transport_offset(skb) + sizeof(struct udphdr));
}

void shca_udp_loop_add(struct shca_loop *loop, struct shca_udp *udp, struct sk_buff *skb)
{
	arrive(skb);
	/* All packets of a device have the same sockets. */
	loop->udp = udp;
	loop->bytes += skb->len;
	__skb_queue_tail(&loop->packets, skb);
	if (shca_udp_rx_is_much(loop->bytes))
		leave_to_workers(loop);
}

void shca_udp_loop_end(struct shca_loop *loop, struct eng_runq *rq, u32 bytes_done)
{
	if (skb_queue_empty(&loop->packets))
		return;
	if (shca_udp_rx_is_much(bytes_done))
		leave_to_workers(loop);
	else
		shca_udp_rx_take(loop->udp, &loop->packets, rq);
	loop->bytes = 0;
}
