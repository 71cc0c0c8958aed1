// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * From a RoCE address to the Ethernet below it: the MAC to send to and the hop limit. GIDs are IP
 * addresses, so the routing and neighbour tables of the source netdev's namespace know. Called
 * when user space moves a QP to RTR or makes an address handle; sleeps until a neighbour answers,
 * at most RESOLVE_TIMEOUT_MS.
 *
 * Three kinds of destination need no neighbour: groups, whose MAC is computed; addresses of this
 * host; and link-local addresses made from a MAC, which say it themselves. The last matters for
 * the default GID, an address that no netdev need own.
 */
#include <linux/inetdevice.h>
#include <linux/module.h>
#include <net/addrconf.h>
#include <net/ipv6_stubs.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include <net/route.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

#define RESOLVE_TIMEOUT_MS 1000

/* Woken when any neighbour of the host changes; waiters look at theirs. */
static DECLARE_WAIT_QUEUE_HEAD(neigh_wait);

static int on_netevent(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == NETEVENT_NEIGH_UPDATE)
		wake_up_all(&neigh_wait);
	return NOTIFY_DONE;
}

static struct notifier_block netevent_nb = { .notifier_call = on_netevent };

/* What is looked for, and what is known of it. */
struct l2_query {
	struct net *net;
	struct net_device *ndev;	/* of the source GID, held */
	const struct in6_addr *saddr;
	const struct in6_addr *daddr;
	u8 *dmac;
	int hop_limit;			/* 0: not found out */
};

static bool settled(struct neighbour *neigh)
{
	return READ_ONCE(neigh->nud_state) & (NUD_VALID | NUD_FAILED);
}

/* Asks the neighbour who he is, and waits for the answer. */
static int ask_neighbour(struct l2_query *query, struct neighbour *neigh)
{
	long left;

	if (!(READ_ONCE(neigh->nud_state) & NUD_VALID))
		neigh_event_send(neigh, NULL);
	left = wait_event_killable_timeout(neigh_wait, settled(neigh),
					   msecs_to_jiffies(RESOLVE_TIMEOUT_MS));
	if (left < 0)
		return -EINTR;
	if (!(READ_ONCE(neigh->nud_state) & NUD_VALID))
		return left ? -EHOSTUNREACH : -ETIMEDOUT;
	neigh_ha_snapshot(query->dmac, neigh, neigh->dev);
	return 0;
}

static int mac_from_route(struct l2_query *query, struct dst_entry *dst, const void *daddr)
{
	struct neighbour *neigh;
	int ret;

	/* A route to ourselves, but no netdev of ours has the address (0.0.0.0 is such a one). */
	if (dst->dev->flags & IFF_LOOPBACK)
		return -ENODEV;
	/* A netdev on which MACs mean nothing is refused. */
	if (dst->dev->addr_len != ETH_ALEN)
		return -EADDRNOTAVAIL;
	if (dst->dev->flags & IFF_NOARP) {
		ether_addr_copy(query->dmac, dst->dev->dev_addr);
		return 0;
	}
	neigh = dst_neigh_lookup(dst, daddr);
	if (!neigh)
		return -ENODATA;
	ret = ask_neighbour(query, neigh);
	neigh_release(neigh);
	return ret;
}

static int resolve_ipv4(struct l2_query *query)
{
	__be32 daddr = query->daddr->s6_addr32[3];
	struct flowi4 flow = {
		.daddr = daddr,
		.saddr = query->saddr->s6_addr32[3],
		.flowi4_oif = query->ndev->ifindex,
	};
	struct rtable *rt;
	int ret;

	rt = ip_route_output_key(query->net, &flow);
	if (IS_ERR(rt))
		return PTR_ERR(rt);
	query->hop_limit = ip4_dst_hoplimit(&rt->dst);
	ret = mac_from_route(query, &rt->dst, &daddr);
	ip_rt_put(rt);
	return ret;
}

static int resolve_ipv6(struct l2_query *query)
{
	struct flowi6 flow = {
		.daddr = *query->daddr,
		.saddr = *query->saddr,
		.flowi6_oif = query->ndev->ifindex,
	};
	struct dst_entry *dst;
	int ret;

	/* Says -EAFNOSUPPORT when IPv6 is switched off. */
	dst = ipv6_stub->ipv6_dst_lookup_flow(query->net, NULL, &flow, NULL);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	query->hop_limit = ip6_dst_hoplimit(dst);
	ret = mac_from_route(query, dst, query->daddr);
	dst_release(dst);
	return ret;
}

/* The netdev of this namespace that owns the destination. Under rcu_read_lock(). */
static struct net_device *owner_of(struct l2_query *query, bool v4)
{
	struct net_device *link_local_on, *owner;

	if (v4)
		return __ip_dev_find(query->net, query->daddr->s6_addr32[3], false);
	link_local_on = ipv6_addr_type(query->daddr) & IPV6_ADDR_LINKLOCAL ? query->ndev : NULL;
	owner = ipv6_stub->ipv6_dev_find(query->net, query->daddr, link_local_on);
	return IS_ERR(owner) ? NULL : owner;
}

static bool resolve_local(struct l2_query *query, bool v4)
{
	struct net_device *owner;

	rcu_read_lock();
	owner = owner_of(query, v4);
	if (owner && (owner->flags & IFF_LOOPBACK || owner->addr_len != ETH_ALEN))
		owner = query->ndev;
	if (owner)
		ether_addr_copy(query->dmac, owner->dev_addr);
	rcu_read_unlock();
	return owner;
}

static void resolve_group(struct l2_query *query, bool v4)
{
	if (v4)
		ip_eth_mc_map(query->daddr->s6_addr32[3], query->dmac);
	else
		ipv6_eth_mc_map(query->daddr, query->dmac);
}

/* fe80::xxxx:xxff:fexx:xxxx, made from a 48-bit MAC (RFC 4291, appendix A). */
static bool names_its_mac(const struct in6_addr *addr)
{
	return rdma_link_local_addr((struct in6_addr *)addr) &&
	       addr->s6_addr[11] == 0xff && addr->s6_addr[12] == 0xfe;
}

static int resolve(struct l2_query *query, enum ib_gid_type gid_type)
{
	bool v4 = ipv6_addr_v4mapped(query->daddr);

	if (rdma_is_multicast_addr((struct in6_addr *)query->daddr)) {
		resolve_group(query, v4);
		return 0;
	}
	if (v4 != ipv6_addr_v4mapped(query->saddr))
		return -EINVAL;
	/* RoCE v1 does not know routes: a link-local address is all there is. */
	if (names_its_mac(query->daddr) ||
	    (gid_type == IB_GID_TYPE_ROCE &&
	     rdma_link_local_addr((struct in6_addr *)query->daddr))) {
		rdma_get_ll_mac((struct in6_addr *)query->daddr, query->dmac);
		return 0;
	}
	if (resolve_local(query, v4))
		return 0;
	return v4 ? resolve_ipv4(query) : resolve_ipv6(query);
}

static struct net_device *get_ndev(const struct ib_gid_attr *attr)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(ndev))
		dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/*
 * core_roce_l2_resolve - fill in roce.dmac and, where a route was asked, grh.hop_limit
 *
 * @attr has its source GID (core_ah_fill_sgid()). On failure the address is unchanged but for
 * dmac.
 */
int core_roce_l2_resolve(struct ib_device *dev, struct rdma_ah_attr *attr)
{
	struct ib_global_route *grh = rdma_ah_retrieve_grh(attr);
	const struct ib_gid_attr *sgid_attr = grh->sgid_attr;
	struct l2_query query = {
		.saddr = (const struct in6_addr *)sgid_attr->gid.raw,
		.daddr = (const struct in6_addr *)grh->dgid.raw,
		.dmac = attr->roce.dmac,
	};
	int ret;

	query.ndev = get_ndev(sgid_attr);
	if (IS_ERR(query.ndev))
		return PTR_ERR(query.ndev);
	query.net = dev_net(query.ndev);
	ret = resolve(&query, sgid_attr->gid_type);
	if (!ret && !query.hop_limit)
		query.hop_limit = IPV6_DEFAULT_HOPLIMIT;
	if (!ret)
		grh->hop_limit = query.hop_limit;
	dev_put(query.ndev);
	return ret;
}

int core_roce_l2_init(void)
{
	return register_netevent_notifier(&netevent_nb);
}

void core_roce_l2_exit(void)
{
	unregister_netevent_notifier(&netevent_nb);
}
