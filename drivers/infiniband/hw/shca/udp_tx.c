// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * udp_tx.c - builds buffers of the network stack from the engine's packets and sends them.
 *
 * The engine calls in with the sending QP owned, but for packets that go alone.  Where the netdev,
 * or what stands for it on one host, segments UDP itself, packets of one size and way travel as one
 * buffer: the lengths that segmentation will give them are known here, and the ICRC of each covers
 * its own.  Payload is copied once, in pieces that are still in the cache when the CRC reads them;
 * the checksum of UDP stays 0 where nobody has to compute it, as with other adapters.
 *
 * Back pressure: buffers are charged to the socket until the netdev is done with them.  A QP that
 * meets a full socket says no to the engine, and is kicked when half of it is free again.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>
#include <asm/unaligned.h>

#include "udp_tx.h"
#include "crc.h"
#include "path.h"
#include "shca.h"
#include "udp_loop.h"
#include "udp_rx.h"
#include "udp_socket.h"
#include "verbs_ah.h"

enum {
	UDP_BYTES	= sizeof(struct udphdr),
	/* Up to here one pass of the library's CRC is the fastest. */
	SMALL_BYTES	= 64,
	/* Room for lower headers, then small packets; payload goes to page fragments. */
	LINEAR_BYTES	= SKB_WITH_OVERHEAD(1024),
	/* Packets, and bytes, that travel as one buffer. */
	SERIES_PACKETS	= 64,
	SERIES_BYTES	= 60 << 10,
	/* Fragments that one packet may take at worst; a buffer with less room is sent first. */
	PACKET_FRAGS	= 4,
};

/* Packets are lost, and sent again, rather than waited for when memory is short. */
#define GFP_PACKET	(GFP_NOWAIT | __GFP_NOWARN)

static void count(const struct shca_qp *qp, enum shca_wire_counter which)
{
	shca_wire_stats_add(shca_dev_of(qp->ib.device)->wire_stats, which, 1);
}

static struct sock *socket_of(const struct shca_path *path)
{
	return rcu_dereference(path->udp->sks[path->ipv4 ? SHCA_UDP_V4 : SHCA_UDP_V6]);
}

/*
 * The header in front of @bytes of UDP; what the ICRC leaves out may still change below.  Packets
 * that nobody may take apart need no identification (RFC 6864, 4.1).
 */
static void fill_ipv4(struct iphdr *ip, const struct shca_path *path, u32 bytes)
{
	*ip = (struct iphdr) {
		.version = 4,
		.ihl = 5,
		.tos = path->tos,
		.tot_len = htons(sizeof(*ip) + bytes),
		/* IBTA annex A17.4.3: packets are never fragmented. */
		.frag_off = htons(IP_DF),
		.ttl = path->hop_limit,
		.protocol = IPPROTO_UDP,
		.saddr = path->saddr.s6_addr32[3],
		.daddr = path->daddr.s6_addr32[3],
	};
}

static void fill_ipv6(struct ipv6hdr *ip, const struct shca_path *path, u32 bytes)
{
	ip6_flow_hdr(ip, path->tos, path->flow_label);
	ip->payload_len = htons(bytes);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = path->hop_limit;
	ip->saddr = path->saddr;
	ip->daddr = path->daddr;
}

static struct udphdr make_udp(const struct shca_path *path, u32 bytes)
{
	return (struct udphdr) {
		.source = path->sport,
		.dest = htons(ENG_WIRE_UDP_PORT),
		.len = htons(bytes),
	};
}

static u32 crc_of_net(const struct shca_path *path, u32 bytes)
{
	struct udphdr udp = make_udp(path, bytes);
	union {
		struct iphdr ipv4;
		struct ipv6hdr ipv6;
	} ip;

	if (path->ipv4)
		fill_ipv4(&ip.ipv4, path, bytes);
	else
		fill_ipv6(&ip.ipv6, path, bytes);
	return eng_icrc_net((const u8 *)&ip, (const u8 *)&udp);
}

/*
 * What the ICRC covers before the BTH.  Packets of one size, as most of one stream are, differ in
 * nothing there.
 */
static u32 start_crc(struct shca_path *path, u32 bytes)
{
	u64 known = READ_ONCE(path->crc_before_bth);

	bytes += UDP_BYTES;
	if (known >> 32 != bytes) {
		known = (u64)bytes << 32 | crc_of_net(path, bytes);
		WRITE_ONCE(path->crc_before_bth, known);
	}
	return (u32)known;
}

static bool add_frag(struct sk_buff *skb, struct page_frag *frag, u32 n)
{
	int i = skb_shinfo(skb)->nr_frags;

	if (skb_can_coalesce(skb, i, frag->page, frag->offset)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[i - 1], n);
	} else if (i < MAX_SKB_FRAGS) {
		get_page(frag->page);
		skb_fill_page_desc(skb, i, frag->page, frag->offset, n);
	} else {
		return false;
	}
	skb->len += n;
	skb->data_len += n;
	skb->truesize += n;
	frag->offset += n;
	return true;
}

/* Appends @n bytes and carries the CRC over the copy, which nobody else can change. */
static bool put(struct sk_buff *skb, u32 *crc, const void *bytes, u32 n)
{
	struct page_frag *frag = &current->task_frag;

	while (n) {
		u32 len = n;
		u8 *to;

		if (!skb_is_nonlinear(skb) && skb_tailroom(skb) >= n) {
			to = skb_put(skb, len);
			memcpy(to, bytes, len);
		} else {
			if (!skb_page_frag_refill(SMP_CACHE_BYTES, frag, GFP_PACKET))
				return false;
			len = min(n, frag->size - frag->offset);
			to = page_address(frag->page) + frag->offset;
			memcpy(to, bytes, len);
			if (!add_frag(skb, frag, len))
				return false;
		}
		*crc = shca_crc_update(*crc, to, len);
		bytes += len;
		n -= len;
	}
	return true;
}

/* Headers, payload and pad fit into a buffer that is still in one piece. */
static void put_small(struct shca_tx *tx, struct eng_tx *packet, u32 bytes)
{
	u32 crc = start_crc(tx->path, bytes), left = packet->payload_bytes, n;
	u8 *start = skb_put(tx->skb, bytes), *to = start + packet->head_bytes;

	memcpy(start, packet->head, packet->head_bytes);
	for (; left; left -= n, to += n) {
		const u8 *at;

		n = eng_tx_next(packet, &at, left);
		memcpy(to, at, n);
	}
	/* As many of them as there are: the ICRC comes on top. */
	put_unaligned_le32(0, to);
	to += packet->pad;
	n = min_t(u32, to - start, SMALL_BYTES);
	crc = eng_icrc_bth(crc, start, n);
	if (start + n != to)
		crc = shca_crc_update(crc, start + n, to - start - n);
	put_unaligned_le32(~crc, to);
}

static bool put_large(struct shca_tx *tx, struct eng_tx *packet, u32 bytes)
{
	static const u8 zeros[4];
	u32 crc = start_crc(tx->path, bytes), left = packet->payload_bytes, unused = 0;
	__le32 icrc;
	u32 n;

	crc = eng_icrc_bth(crc, packet->head, packet->head_bytes);
	if (!put(tx->skb, &unused, packet->head, packet->head_bytes))
		return false;
	for (; left; left -= n) {
		const u8 *at;

		n = eng_tx_next(packet, &at, left);
		if (!put(tx->skb, &crc, at, n))
			return false;
	}
	if (!put(tx->skb, &crc, zeros, packet->pad))
		return false;
	icrc = cpu_to_le32(~crc);
	return put(tx->skb, &unused, &icrc, sizeof(icrc));
}

static bool put_packet(struct shca_tx *tx, struct eng_tx *packet, u32 bytes)
{
	if (!skb_is_nonlinear(tx->skb) && skb_tailroom(tx->skb) >= bytes)
		put_small(tx, packet, bytes);
	else if (!put_large(tx, packet, bytes))
		return false;
	tx->count++;
	return true;
}

static void close_series(struct shca_tx *tx)
{
	shca_path_put(tx->path);
	tx->path = NULL;
	tx->skb = NULL;
}

static u8 hop_limit(const struct shca_path *path, struct dst_entry *dst)
{
	if (path->hop_limit)
		return path->hop_limit;
	if (path->ipv4)
		return ip4_dst_hoplimit(dst);
	return IS_ENABLED(CONFIG_IPV6) ? ip6_dst_hoplimit(dst) : 0;
}

/* Several packets: the netdev, or the stack for it, takes them apart. */
static void describe_series(const struct shca_tx *tx, struct udphdr *udp)
{
	struct sk_buff *skb = tx->skb;
	const struct shca_path *path = tx->path;
	u32 bytes = skb->len - skb_transport_offset(skb);

	skb_shinfo(skb)->gso_size = tx->segment;
	skb_shinfo(skb)->gso_segs = tx->count;
	/* Whoever takes it apart leaves the identification alone. */
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4 | (path->ipv4 ? SKB_GSO_TCP_FIXEDID : 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	if (path->ipv4)
		udp->check = ~csum_tcpudp_magic(path->saddr.s6_addr32[3],
						path->daddr.s6_addr32[3], bytes, IPPROTO_UDP, 0);
	else
		udp->check = ~csum_ipv6_magic(&path->saddr, &path->daddr, bytes, IPPROTO_UDP, 0);
}

static void put_headers(const struct shca_tx *tx)
{
	struct sk_buff *skb = tx->skb;
	const struct shca_path *path = tx->path;
	u32 bytes = UDP_BYTES + skb->len;
	struct udphdr *udp = skb_push(skb, UDP_BYTES);

	skb_reset_transport_header(skb);
	*udp = make_udp(path, bytes);
	if (tx->count > 1)
		describe_series(tx, udp);
	if (path->ipv4) {
		struct iphdr *ip = skb_push(skb, sizeof(*ip));

		fill_ipv4(ip, path, bytes);
		ip->ttl = hop_limit(path, skb_dst(skb));
		skb->protocol = htons(ETH_P_IP);
	} else {
		struct ipv6hdr *ip = skb_push(skb, sizeof(*ip));

		fill_ipv6(ip, path, bytes);
		ip->hop_limit = hop_limit(path, skb_dst(skb));
		skb->protocol = htons(ETH_P_IPV6);
	}
	skb_reset_network_header(skb);
	skb->priority = rt_tos2priority(path->tos);
}

static void link_lanes(struct shca_tx *tx, struct llist_node *lanes)
{
	struct llist_node *last = lanes;

	if (!lanes)
		return;
	while (last->next)
		last = last->next;
	last->next = tx->lanes;
	tx->lanes = lanes;
}

/* Under RCU, with the socket open. */
static void send_off(struct shca_tx *tx, struct sock *sk)
{
	struct net *net = shca_udp_socket_net(tx->path->udp);
	struct sk_buff *skb = tx->skb;

	put_headers(tx);
	if (shca_udp_loop_may(net, skb_dst(skb), tx->path->ipv4)) {
		shca_udp_loop_add(&tx->loop, tx->path->udp, skb);
		return;
	}
	skb_set_owner_w(skb, sk);
	shca_udp_rx_promise();
	if (tx->path->ipv4)
		ip_local_out(net, sk, skb);
	else if (IS_ENABLED(CONFIG_IPV6))
		ip6_local_out(net, sk, skb);
	link_lanes(tx, shca_udp_rx_share(shca_udp_rx_collect(), 0));
}

static void send_series(struct shca_qp *qp, struct shca_tx *tx)
{
	struct sock *sk;

	rcu_read_lock();
	sk = socket_of(tx->path);
	if (likely(sk)) {
		count(qp, SHCA_WIRE_TX_SERIES);
		send_off(tx, sk);
	} else {
		kfree_skb(tx->skb);
	}
	rcu_read_unlock();
	close_series(tx);
}

static bool has_room(const struct sock *sk)
{
	return sk_wmem_alloc_get(sk) < SHCA_UDP_SEND_BYTES;
}

void shca_udp_tx_kick(struct shca_udp *udp)
{
	struct llist_node *node = llist_del_all(&udp->blocked), *next;

	llist_for_each_safe(node, next, node) {
		struct shca_qp *qp = container_of(node, struct shca_qp, blocked);
		struct eng_qp *eng = qp->eng;

		/* From here on it may be on the list again. */
		smp_store_release(&qp->is_blocked, 0);
		eng_kick(NULL, eng);
		eng_qp_put(eng);
	}
}

void shca_udp_tx_room(struct sock *sk)
{
	struct shca_udp *udp;

	rcu_read_lock();
	udp = rcu_dereference_sk_user_data(sk);
	if (udp && !llist_empty(&udp->blocked) &&
	    sk_wmem_alloc_get(sk) <= SHCA_UDP_SEND_BYTES / 2)
		shca_udp_tx_kick(udp);
	rcu_read_unlock();
}

/* The QP waits for room, unless there is some by now. */
static void block(struct shca_qp *qp, struct shca_udp *udp, const struct sock *sk)
{
	count(qp, SHCA_WIRE_TX_BLOCKED);
	if (!xchg(&qp->is_blocked, 1)) {
		eng_qp_get(qp->eng);
		llist_add(&qp->blocked, &udp->blocked);
	}
	/* Pairs with the charge that is taken back before sk_write_space looks at the list. */
	smp_mb();
	if (sk_wmem_alloc_get(sk) <= SHCA_UDP_SEND_BYTES / 2)
		shca_udp_tx_kick(udp);
}

/* The administrator may limit what a netdev is given: ip link set NETDEV gso_max_segs N. */
static void limit_series(struct shca_tx *tx, const struct dst_entry *dst)
{
	const struct net_device *netdev = dst->dev;

	tx->max_count = 1;
	if (netdev->features & NETIF_F_GSO_UDP_L4 && !dst_xfrm(dst))
		tx->max_count = clamp_t(u32, READ_ONCE(netdev->gso_max_segs), 1, SERIES_PACKETS);
	tx->max_bytes = min_t(u32, READ_ONCE(netdev->gso_max_size), SERIES_BYTES);
}

enum outcome { OPEN, LOST, BLOCKED };

static enum outcome new_buffer(struct shca_qp *qp, struct shca_tx *tx, struct shca_path *path)
{
	struct dst_entry *dst = shca_path_route(path);
	struct sk_buff *skb;

	if (unlikely(!dst)) {
		count(qp, SHCA_WIRE_TX_NO_ROUTE);
		return LOST;
	}
	skb = alloc_skb(LINEAR_BYTES, GFP_PACKET);
	if (unlikely(!skb)) {
		count(qp, SHCA_WIRE_TX_NO_MEMORY);
		dst_release(dst);
		return LOST;
	}
	skb_reserve(skb, LL_MAX_HEADER + sizeof(struct ipv6hdr) + UDP_BYTES);
	skb_dst_set(skb, dst);
	skb->dev = dst->dev;
	tx->skb = skb;
	limit_series(tx, dst);
	tx->count = 0;
	return OPEN;
}

/* The way of @packet, counted. */
static struct shca_path *path_of(struct shca_qp *qp, const struct eng_tx *packet)
{
	struct shca_path *path;

	if (packet->ah)
		path = shca_verbs_ah_path(packet->ah);
	else
		path = rcu_dereference(qp->path);
	return path && refcount_inc_not_zero(&path->refs) ? path : NULL;
}

static enum outcome open_series(struct shca_qp *qp, struct shca_tx *tx,
				const struct eng_tx *packet, u32 bytes)
{
	struct shca_path *path;
	enum outcome outcome = LOST;
	struct sock *sk;

	rcu_read_lock();
	path = path_of(qp, packet);
	if (unlikely(!path))
		goto unlock;
	sk = socket_of(path);
	if (unlikely(!sk)) {
		count(qp, SHCA_WIRE_TX_NO_ROUTE);
	} else if (unlikely(!has_room(sk))) {
		if (!packet->control)
			block(qp, path->udp, sk);
		outcome = BLOCKED;
	} else {
		outcome = new_buffer(qp, tx, path);
	}
	if (likely(outcome == OPEN)) {
		tx->path = path;
		tx->segment = bytes;
	} else {
		shca_path_put(path);
	}
unlock:
	rcu_read_unlock();
	return outcome;
}

static bool fits(const struct shca_qp *qp, const struct shca_tx *tx, const struct eng_tx *packet,
		 u32 bytes)
{
	const struct shca_path *path;

	path = packet->ah ? shca_verbs_ah_path(packet->ah) : rcu_access_pointer(qp->path);
	return path == tx->path && bytes <= tx->segment && tx->skb->len + bytes <= tx->max_bytes &&
	       skb_shinfo(tx->skb)->nr_frags <= MAX_SKB_FRAGS - PACKET_FRAGS;
}

void shca_udp_tx_init(struct shca_tx *tx)
{
	shca_udp_loop_init(&tx->loop);
}

static bool transmit(struct shca_qp *qp, struct shca_tx *tx, struct eng_tx *packet)
{
	u32 bytes = packet->head_bytes + packet->payload_bytes + packet->pad + ENG_WIRE_ICRC;
	enum outcome outcome;

	if (tx->skb && !fits(qp, tx, packet, bytes))
		send_series(qp, tx);
	if (!tx->skb) {
		outcome = open_series(qp, tx, packet, bytes);
		if (unlikely(outcome != OPEN))
			return outcome == LOST;
	}
	if (unlikely(!put_packet(tx, packet, bytes))) {
		/* A packet that is cut short spoils the buffer. */
		count(qp, SHCA_WIRE_TX_NO_MEMORY);
		kfree_skb(tx->skb);
		close_series(tx);
		return true;
	}
	/* Only the last one may be shorter. */
	if (tx->count >= tx->max_count || bytes < tx->segment)
		send_series(qp, tx);
	return true;
}

static void end(struct shca_qp *qp, struct shca_tx *tx, struct eng_runq *rq)
{
	u32 bytes_done = ENG_BUDGET_BYTES - rq->bytes_left;
	struct llist_node *lanes;

	if (tx->skb)
		send_series(qp, tx);
	shca_udp_loop_end(&tx->loop, rq, bytes_done);
	lanes = shca_udp_rx_share(tx->lanes, bytes_done);
	tx->lanes = NULL;
	shca_udp_rx_drain(lanes, rq);
}

bool shca_udp_tx_transmit(struct eng_tx *packet)
{
	struct shca_qp *qp = eng_qp_host(packet->qp);

	return transmit(qp, &qp->tx, packet);
}

void shca_udp_tx_end(struct eng_qp *eng, struct eng_runq *rq)
{
	struct shca_qp *qp = eng_qp_host(eng);

	end(qp, &qp->tx, rq);
}

void shca_udp_tx_alone(struct eng_tx *packet, struct eng_runq *rq)
{
	struct shca_qp *qp = eng_qp_host(packet->qp);
	struct shca_tx tx = {};

	shca_udp_tx_init(&tx);
	if (transmit(qp, &tx, packet))
		end(qp, &tx, rq);
}
