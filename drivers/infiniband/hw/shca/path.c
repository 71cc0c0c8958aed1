// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * path.c - ways over the wire.  The rooms of QP and AH make them, udp_tx.c sends along them; the
 * network stack is asked for routes, in the namespace of the device.
 *
 * A route is looked up when the first packet needs it and kept as long as the stack says that it
 * holds; neighbours are resolved below, per packet, as for any traffic.
 */
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/inet_dscp.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <rdma/ib_cache.h>

#include "path.h"
#include "route.h"
#include "shca.h"
#include "udp_socket.h"

static void free_path(struct rcu_head *rcu)
{
	struct shca_path *path = container_of(rcu, struct shca_path, rcu);

	/* Nobody looks any more. */
	dst_release(rcu_access_pointer(path->dst));
	shca_udp_socket_put(path->udp);
	kfree(path);
}

void shca_path_get(struct shca_path *path)
{
	refcount_inc(&path->refs);
}

void shca_path_put(struct shca_path *path)
{
	if (path && refcount_dec_and_test(&path->refs))
		call_rcu(&path->rcu, free_path);
}

/* The index of the netdev that owns the source address: of a VLAN on the device's, perhaps. */
static int source_netdev(const struct ib_gid_attr *attr)
{
	struct net_device *netdev;
	int index = -ENODEV;

	rcu_read_lock();
	netdev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(netdev))
		index = netdev->ifindex;
	rcu_read_unlock();
	return index;
}

struct shca_path *shca_path_create(struct shca_dev *dev, const struct ib_global_route *route,
				   u32 src_qpn, u32 dest_qpn, gfp_t gfp)
{
	const struct ib_gid_attr *attr = route->sgid_attr;
	struct shca_path *path;
	int oif;

	if (!attr || attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return ERR_PTR(-EINVAL);
	oif = source_netdev(attr);
	if (oif < 0)
		return ERR_PTR(oif);
	path = kzalloc(sizeof(*path), gfp);
	if (!path)
		return ERR_PTR(-ENOMEM);
	refcount_set(&path->refs, 1);
	path->udp = dev->udp;
	shca_udp_socket_hold(path->udp);
	memcpy(&path->saddr, attr->gid.raw, sizeof(path->saddr));
	memcpy(&path->daddr, route->dgid.raw, sizeof(path->daddr));
	path->ipv4 = ipv6_addr_v4mapped(&path->saddr);
	path->tos = route->traffic_class;
	path->hop_limit = route->hop_limit;
	path->flow_label = cpu_to_be32(route->flow_label & 0xfffff);
	/* The mapping of flow labels to ports is the same in all RoCE drivers. */
	path->sport = htons(rdma_get_udp_sport(route->flow_label, src_qpn, dest_qpn));
	path->oif = oif;
	path->possible = path->ipv4 == ipv6_addr_v4mapped(&path->daddr);
	return path;
}

bool shca_path_is_up(const struct shca_path *path)
{
	return path->possible && shca_udp_socket_is_up(path->udp, path->ipv4);
}

/*
 * Packets leave by the netdev of their source address, but what this host calls its own is reached
 * without one.  Link-local addresses always belong to a netdev.
 */
static int out_of(const struct shca_path *path, struct net *net)
{
	return ipv6_addr_type(&path->daddr) & IPV6_ADDR_LINKLOCAL ||
	       !shca_route_is_local(net, &path->daddr) ? path->oif : 0;
}

static struct dst_entry *look_up_v4(struct shca_path *path, struct net *net)
{
	struct flowi4 flow = {
		.flowi4_oif = out_of(path, net),
		.flowi4_tos = path->tos & INET_DSCP_MASK,
		.flowi4_proto = IPPROTO_UDP,
		.saddr = path->saddr.s6_addr32[3],
		.daddr = path->daddr.s6_addr32[3],
		.fl4_sport = path->sport,
		.fl4_dport = htons(ENG_WIRE_UDP_PORT),
	};
	struct rtable *rt = ip_route_output_flow(net, &flow, NULL);

	return IS_ERR(rt) ? NULL : &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *look_up_v6(struct shca_path *path, struct net *net)
{
	struct flowi6 flow = {
		.flowi6_oif = out_of(path, net),
		.flowlabel = ip6_make_flowinfo(path->tos, path->flow_label),
		.flowi6_proto = IPPROTO_UDP,
		.saddr = path->saddr,
		.daddr = path->daddr,
		.fl6_sport = path->sport,
		.fl6_dport = htons(ENG_WIRE_UDP_PORT),
	};
	struct dst_entry *dst = ip6_dst_lookup_flow(net, NULL, &flow, NULL);

	if (IS_ERR(dst))
		return NULL;
	WRITE_ONCE(path->cookie, rt6_get_cookie((struct rt6_info *)dst));
	return dst;
}
#else
static struct dst_entry *look_up_v6(struct shca_path *path, struct net *net)
{
	return NULL;
}
#endif

/* Two threads may do this at once for an address handle: each brings a reference of its own. */
static struct dst_entry *look_up(struct shca_path *path)
{
	struct net *net = shca_udp_socket_net(path->udp);
	struct dst_entry *dst;

	if (!path->possible)
		return NULL;
	dst = path->ipv4 ? look_up_v4(path, net) : look_up_v6(path, net);
	if (!dst)
		return NULL;
	if (dst->error) {
		dst_release(dst);
		return NULL;
	}
	dst_hold(dst);
	dst_release(unrcu_pointer(xchg(&path->dst, RCU_INITIALIZER(dst))));
	return dst;
}

struct dst_entry *shca_path_route(struct shca_path *path)
{
	struct dst_entry *dst;

	rcu_read_lock();
	dst = rcu_dereference(path->dst);
	if (likely(dst && dst_check(dst, READ_ONCE(path->cookie)) && dst_hold_safe(dst))) {
		rcu_read_unlock();
		return dst;
	}
	rcu_read_unlock();
	return look_up(path);
}
