// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * udp_rx.c - takes packets from the sockets to the engine.
 *
 * The network stack calls shca_udp_rx_ready() in a soft interrupt, which only sorts packets into
 * lanes by destination QP.  A lane is drained by one thread at a time, so packets of one QP keep
 * their order: by the thread whose own transmission brought them (same host: no switch to another
 * thread between sender and receiver), else by a worker.  With more to do than a switch costs, a
 * worker is better on one host, too: one CPU sends while another one receives.
 *
 * Nothing of a packet is believed before its ICRC was found right.  Headers are copied first,
 * because their bytes may be in memory that somebody else can write; payload is read from where
 * it lies.  Several packets in one buffer (segmentation offload between namespaces of one host)
 * are taken apart here: each has the length, and the IPv4 identification, that segmentation would
 * have given it.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/udp.h>

#include "udp_rx.h"
#include "addresses.h"
#include "crc.h"
#include "runner.h"
#include "shca.h"
#include "udp_socket.h"

enum {
	UDP_BYTES	= sizeof(struct udphdr),
	BTH_BYTES	= 12,
	/* Where the BTH has the destination QP, with eight reserved bits above. */
	BTH_QPN		= 4,
	/* Buffers that one drain takes before it lets others have a turn. */
	DRAIN_BUFFERS	= 64,
	/* Bytes that are worth waking another thread for. */
	SHARED_BYTES	= 32 << 10,
	/* What the engines of this machine keep behind gaps, at most. */
	KEPT_BYTES	= 32 << 20,
	SCHEDULED	= 0,
};

/* A packet in the engine's hands. */
struct packet {
	struct eng_packet eng;
	struct sk_buff *skb;		/* counted: several packets may share it */
	u32 offset;			/* of BTH */
	bool kept;			/* by the engine, for longer */
	bool within;			/* it lies in the room behind the data of skb */
	u8 net[sizeof(struct ipv6hdr)];
	u8 head[ENG_WIRE_HEAD_MAX];
};

/* Lanes that got packets while this CPU's thread promised to drain them. */
struct promise {
	bool given;
	struct llist_node *lanes;
};

static DEFINE_PER_CPU(struct promise, promises);
static struct kmem_cache *packets;
static atomic_long_t kept_bytes;	/* of buffers with a packet that is kept */

/* The caller has set SCHEDULED, so the lane and its list node are its own. */
static void schedule_lane(struct shca_lane *lane)
{
	struct promise *promise = this_cpu_ptr(&promises);

	/* Whoever drains it later keeps the namespace's sockets in mind. */
	shca_udp_socket_hold(lane->udp);
	if (promise->given) {
		lane->next.next = promise->lanes;
		promise->lanes = &lane->next;
	} else if (in_serving_softirq()) {
		/* This CPU has the packet in its cache and nothing else to do for us. */
		shca_runner_queue_local(&lane->work);
	} else {
		shca_runner_queue(&lane->work);
	}
}

void shca_udp_rx_promise(void)
{
	preempt_disable();
	this_cpu_write(promises.given, true);
}

struct llist_node *shca_udp_rx_collect(void)
{
	struct promise *promise = this_cpu_ptr(&promises);
	struct llist_node *lanes;

	/* Soft interrupts of this CPU fill the list. */
	local_bh_disable();
	promise->given = false;
	lanes = promise->lanes;
	promise->lanes = NULL;
	local_bh_enable();
	preempt_enable();
	return lanes;
}

bool shca_udp_rx_is_much(u32 bytes)
{
	return bytes >= SHARED_BYTES && num_online_cpus() > 1;
}

struct llist_node *shca_udp_rx_share(struct llist_node *lanes, u32 bytes_done)
{
	struct llist_node *kept = NULL, *next;

	for (; lanes; lanes = next) {
		struct shca_lane *lane = container_of(lanes, struct shca_lane, next);

		next = lanes->next;
		if (shca_udp_rx_is_much(max(bytes_done, READ_ONCE(lane->bytes)))) {
			shca_runner_queue(&lane->work);
		} else {
			lanes->next = kept;
			kept = lanes;
		}
	}
	return kept;
}

static struct shca_lane *choose_lane(struct shca_udp *udp, const struct sk_buff *skb)
{
	__be32 buffer = 0, *qpn;

	qpn = skb_header_pointer(skb, BTH_QPN, sizeof(buffer), &buffer);
	return &udp->lanes[hash_32(qpn ? be32_to_cpu(*qpn) & 0xffffff : 0,
				   const_ilog2(SHCA_UDP_LANES))];
}

static void enqueue(struct shca_udp *udp, struct sk_buff *skb)
{
	struct shca_lane *lane = choose_lane(udp, skb);
	bool fits;

	spin_lock_bh(&lane->queue.lock);
	fits = lane->bytes + skb->truesize <= SHCA_UDP_LANE_BYTES;
	if (fits) {
		lane->bytes += skb->truesize;
		__skb_queue_tail(&lane->queue, skb);
	}
	spin_unlock_bh(&lane->queue.lock);
	if (!fits) {
		atomic64_inc(&udp->overflows);
		kfree_skb(skb);
	} else if (!test_and_set_bit(SCHEDULED, &lane->scheduled)) {
		schedule_lane(lane);
	}
}

static struct sk_buff *dequeue(struct shca_lane *lane)
{
	struct sk_buff *skb;

	spin_lock_bh(&lane->queue.lock);
	skb = __skb_dequeue(&lane->queue);
	if (skb)
		lane->bytes -= skb->truesize;
	spin_unlock_bh(&lane->queue.lock);
	return skb;
}

void shca_udp_rx_ready(struct sock *sk)
{
	struct shca_udp *udp;
	struct sk_buff *skb;
	int off = 0, err;

	rcu_read_lock();
	udp = rcu_dereference_sk_user_data(sk);
	/* Bounded by the socket's receive buffer. */
	while ((skb = __skb_recv_udp(sk, MSG_DONTWAIT, &off, &err))) {
		if (udp)
			enqueue(udp, skb);
		else
			kfree_skb(skb);
	}
	rcu_read_unlock();
}

static u32 span(const struct sk_buff *skb, u32 at, const u8 **bytes)
{
	u32 start = skb_headlen(skb);
	int i;

	if (at < start) {
		*bytes = skb->data + at;
		return start - at;
	}
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		if (at - start < skb_frag_size(frag)) {
			*bytes = (u8 *)skb_frag_address(frag) + (at - start);
			return skb_frag_size(frag) - (at - start);
		}
		start += skb_frag_size(frag);
	}
	return 0;
}

u32 shca_udp_rx_span(struct eng_packet *eng, u32 offset, const u8 **at)
{
	struct packet *packet = container_of(eng, struct packet, eng);

	return min(span(packet->skb, packet->offset + offset, at), eng->length - offset);
}

/* A buffer that nobody else sees, and that is one packet, often has the room itself. */
static struct packet *packet_within(struct sk_buff *skb)
{
	struct packet *packet = PTR_ALIGN((struct packet *)skb_tail_pointer(skb), L1_CACHE_BYTES);

	if (skb_is_gso(skb) || skb_is_nonlinear(skb) || skb_cloned(skb) || skb_shared(skb) ||
	    (u8 *)(packet + 1) > skb_end_pointer(skb))
		return NULL;
	packet->within = true;
	packet->skb = skb_get(skb);
	return packet;
}

static struct packet *packet_of(struct sk_buff *skb)
{
	struct packet *packet = packet_within(skb);

	if (packet)
		return packet;
	packet = kmem_cache_alloc(packets, GFP_NOWAIT | __GFP_NOWARN);
	if (packet) {
		packet->within = false;
		packet->skb = skb_get(skb);
	}
	return packet;
}

/*
 * A sender of this machine must not wait for room that its own packets take while they wait for
 * those that it cannot send.  Packets of one buffer may be in several hands: one of them lets go.
 */
static void uncharge(struct sk_buff *skb)
{
	void (*destructor)(struct sk_buff *skb) = xchg(&skb->destructor, NULL);

	if (!destructor)
		return;
	destructor(skb);
	skb->sk = NULL;
}

/* How many packets of a buffer are kept: one holds all of it, and it is counted once. */
static atomic_t *kept_of(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(atomic_t) > sizeof(skb->cb));
	return (atomic_t *)skb->cb;
}

bool shca_udp_rx_keep(struct eng_packet *eng)
{
	struct packet *packet = container_of(eng, struct packet, eng);
	struct sk_buff *skb = packet->skb;
	bool fits = atomic_long_add_return(skb->truesize, &kept_bytes) <= KEPT_BYTES;

	if (!fits || atomic_inc_return(kept_of(skb)) > 1)
		atomic_long_sub(skb->truesize, &kept_bytes);
	if (!fits)
		return false;
	packet->kept = true;
	uncharge(skb);
	return true;
}

static void keep_no_more(struct sk_buff *skb)
{
	if (atomic_dec_and_test(kept_of(skb)))
		atomic_long_sub(skb->truesize, &kept_bytes);
}

void shca_udp_rx_done(struct eng_packet *eng)
{
	struct packet *packet = container_of(eng, struct packet, eng);
	struct sk_buff *skb = packet->skb;

	if (unlikely(packet->kept))
		keep_no_more(skb);
	if (!packet->within)
		kmem_cache_free(packets, packet);
	consume_skb(skb);
}

/* The IP header as this segment has, or would have had, it.  False: not a plain one. */
static bool copy_net(struct packet *packet, u32 bytes, u32 index)
{
	const struct sk_buff *skb = packet->skb;
	const u8 *net = skb_network_header(skb);
	u32 net_bytes = skb_transport_header(skb) - net;
	struct ipv6hdr *ipv6 = (struct ipv6hdr *)packet->net;
	struct iphdr *ipv4 = (struct iphdr *)packet->net;

	if (net[0] == 0x45 && net_bytes == sizeof(*ipv4)) {
		memset(packet->net, 0, sizeof(packet->net));
		memcpy(ipv4, net, sizeof(*ipv4));
		if (!(skb_shinfo(skb)->gso_type & SKB_GSO_TCP_FIXEDID))
			ipv4->id = htons(ntohs(ipv4->id) + index);
		ipv4->tot_len = htons(sizeof(*ipv4) + UDP_BYTES + bytes);
		if (skb_is_gso(skb))
			ip_send_check(ipv4);
	} else if (net[0] >> 4 == 6 && net_bytes == sizeof(*ipv6)) {
		memcpy(ipv6, net, sizeof(*ipv6));
		ipv6->payload_len = htons(UDP_BYTES + bytes);
	} else {
		return false;
	}
	return true;
}

/* Small packets of one stream differ in nothing that stands before the BTH. */
static u32 start_crc(struct shca_seen *seen, const struct packet *packet, const struct udphdr *udp)
{
	if (memcmp(seen->net, packet->net, sizeof(seen->net)) ||
	    memcmp(seen->udp, udp, sizeof(seen->udp))) {
		memcpy(seen->net, packet->net, sizeof(seen->net));
		memcpy(seen->udp, udp, sizeof(seen->udp));
		seen->crc = eng_icrc_net(packet->net, (const u8 *)udp);
	}
	return seen->crc;
}

static bool icrc_is_right(struct shca_lane *lane, struct packet *packet, const struct udphdr *udp)
{
	u32 at = packet->eng.head_bytes, n;
	u32 crc = eng_icrc_bth(start_crc(&lane->seen, packet, udp), packet->head, at);
	__le32 icrc;
	const u8 *p;

	for (; at < packet->eng.length; at += n) {
		n = min(span(packet->skb, packet->offset + at, &p), packet->eng.length - at);
		if (!n)
			return false;
		crc = shca_crc_update(crc, p, n);
	}
	if (skb_copy_bits(packet->skb, packet->offset + at, &icrc, sizeof(icrc)))
		return false;
	return le32_to_cpu(icrc) == ~crc;
}

/* Fills @packet; the counter of what is wrong with it, or -1. */
static int examine(struct shca_lane *lane, struct packet *packet, u32 bytes, u32 index)
{
	const struct udphdr *seen = udp_hdr(packet->skb);
	struct udphdr udp = {
		.source = seen->source,
		.dest = seen->dest,
		.len = htons(UDP_BYTES + bytes),
	};

	if (bytes < BTH_BYTES + ENG_WIRE_ICRC || !copy_net(packet, bytes, index))
		return SHCA_WIRE_RX_MALFORMED;
	packet->eng.net = packet->net;
	packet->eng.head = packet->head;
	packet->eng.length = bytes - ENG_WIRE_ICRC;
	packet->eng.head_bytes = min_t(u32, packet->eng.length, ENG_WIRE_HEAD_MAX);
	if (skb_copy_bits(packet->skb, packet->offset, packet->head, packet->eng.head_bytes))
		return SHCA_WIRE_RX_MALFORMED;
	return icrc_is_right(lane, packet, &udp) ? -1 : SHCA_WIRE_RX_ICRC;
}

/* The packet of @bytes at @offset of @skb, as number @index of its series. */
static void take_packet(struct shca_dev *dev, struct shca_lane *lane, struct eng_runq *rq,
			struct sk_buff *skb, u32 offset, u32 bytes, u32 index)
{
	struct packet *packet = packet_of(skb);
	int wrong;

	if (!packet) {
		shca_wire_stats_add(dev->wire_stats, SHCA_WIRE_RX_NO_MEMORY, 1);
		return;
	}
	packet->offset = offset;
	packet->kept = false;
	wrong = examine(lane, packet, bytes, index);
	if (wrong < 0) {
		eng_wire_receive(dev->eng, rq, &packet->eng);
		return;
	}
	shca_wire_stats_add(dev->wire_stats, wrong, 1);
	shca_udp_rx_done(&packet->eng);
}

/* The socket has pulled the UDP header. */
static void take_series(struct shca_dev *dev, struct shca_lane *lane, struct eng_runq *rq,
			struct sk_buff *skb)
{
	u32 segment = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size : skb->len;
	u32 at = 0, index = 0;

	shca_wire_stats_add(dev->wire_stats, SHCA_WIRE_RX_SERIES, 1);
	atomic_set(kept_of(skb), 0);
	if (!skb->len)
		shca_wire_stats_add(dev->wire_stats, SHCA_WIRE_RX_MALFORMED, 1);
	for (; at < skb->len; at += segment, index++)
		take_packet(dev, lane, rq, skb, at, min(segment, skb->len - at), index);
}

/* Does what arrives at @ifindex arrive at the device, VLANs on its netdev included? */
static bool is_at(const struct shca_dev *dev, int ifindex)
{
	struct net_device *netdev;

	if (dev->netdev->ifindex == ifindex)
		return true;
	netdev = dev_get_by_index_rcu(dev_net(dev->netdev), ifindex);
	return netdev && is_vlan_dev(netdev) && vlan_dev_real_dev(netdev) == dev->netdev;
}

static void take_for_group(struct shca_lane *lane, struct eng_runq *rq, struct sk_buff *skb)
{
	struct shca_dev *dev;

	list_for_each_entry_rcu(dev, &lane->udp->devices, udp_link)
		if (is_at(dev, skb->skb_iif))
			take_series(dev, lane, rq, skb);
}

static void take(struct shca_lane *lane, struct eng_runq *rq, struct sk_buff *skb)
{
	struct shca_dev *dev;
	struct in6_addr to;
	bool group;

	if (skb_has_frag_list(skb) && skb_linearize(skb)) {
		atomic64_inc(&lane->udp->overflows);
		kfree_skb(skb);
		return;
	}
	if (ip_hdr(skb)->version == 4) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &to);
		group = ipv4_is_multicast(ip_hdr(skb)->daddr);
	} else {
		to = ipv6_hdr(skb)->daddr;
		group = ipv6_addr_is_multicast(&to);
	}
	rcu_read_lock();
	if (group) {
		take_for_group(lane, rq, skb);
	} else {
		dev = shca_addresses_find(lane->udp, &to, skb->skb_iif);
		if (dev)
			take_series(dev, lane, rq, skb);
	}
	rcu_read_unlock();
	consume_skb(skb);
}

/* Gives up a lane; false: it has got more meanwhile, and remains the caller's. */
static bool release_lane(struct shca_lane *lane)
{
	/* Pairs with test_and_set_bit() after the packet was queued. */
	clear_bit_unlock(SCHEDULED, &lane->scheduled);
	smp_mb__after_atomic();
	return skb_queue_empty_lockless(&lane->queue) ||
	       test_and_set_bit(SCHEDULED, &lane->scheduled);
}

/* Puts what schedule_lane() held, when the lane is done with. */
static void drain_lane(struct shca_lane *lane, struct eng_runq *rq)
{
	struct sk_buff *skb;
	u32 n = 0;

	do {
		while ((skb = dequeue(lane))) {
			take(lane, rq, skb);
			if (++n == DRAIN_BUFFERS) {
				shca_runner_queue(&lane->work);
				return;
			}
		}
	} while (!release_lane(lane));
	shca_udp_socket_put(lane->udp);
}

void shca_udp_rx_drain(struct llist_node *lanes, struct eng_runq *rq)
{
	while (lanes) {
		struct shca_lane *lane = container_of(lanes, struct shca_lane, next);

		/* Others may use the node as soon as the lane is released. */
		lanes = lanes->next;
		drain_lane(lane, rq);
	}
}

void shca_udp_rx_queue(struct shca_udp *udp, struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		enqueue(udp, skb);
}

static void take_or_enqueue(struct shca_udp *udp, struct sk_buff *skb, struct eng_runq *rq)
{
	struct shca_lane *lane = choose_lane(udp, skb);

	if (test_and_set_bit(SCHEDULED, &lane->scheduled)) {
		enqueue(udp, skb);
		return;
	}
	shca_udp_socket_hold(udp);
	take(lane, rq, skb);
	drain_lane(lane, rq);
}

void shca_udp_rx_take(struct shca_udp *udp, struct sk_buff_head *list, struct eng_runq *rq)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		take_or_enqueue(udp, skb, rq);
}

static void drain_work(struct work_struct *work)
{
	struct shca_lane *lane = container_of(work, struct shca_lane, work);

	lane->next.next = NULL;
	shca_runner_drain(&lane->next);
}

void shca_udp_rx_init(struct shca_udp *udp)
{
	int i;

	for (i = 0; i < SHCA_UDP_LANES; i++) {
		struct shca_lane *lane = &udp->lanes[i];

		skb_queue_head_init(&lane->queue);
		INIT_WORK(&lane->work, drain_work);
		lane->udp = udp;
	}
}

void shca_udp_rx_stop(struct shca_udp *udp)
{
	struct sk_buff *skb;
	int i;

	for (i = 0; i < SHCA_UDP_LANES; i++)
		while ((skb = dequeue(&udp->lanes[i])))
			kfree_skb(skb);
}

int shca_udp_rx_start(void)
{
	packets = KMEM_CACHE(packet, SLAB_HWCACHE_ALIGN);
	return packets ? 0 : -ENOMEM;
}

void shca_udp_rx_end(void)
{
	kmem_cache_destroy(packets);
}
