// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes the GID table of a RoCE port follow the addresses of net devices.
 *
 * The table is a function of the present state, not of the history: a notification only says where
 * to look, so lost, late or merged ones do no harm. roce_netdev.c calls in; out go the writers of
 * gid.h.
 *
 * Which netdevs count for a port that stands on netdev P: P itself, VLANs on P, and whatever P is
 * a lower device of (a bridge, macvlans, a bond unless P is its backup slave; VLANs on a bond).
 * The default GID, made from the MAC, is P's, or the bond's while P is its active slave.
 * RoCE v2: IBTA vol. 1, Annex A17; the GIDs are IPv4-mapped and IPv6 addresses.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/mm.h>
#include <net/addrconf.h>
#include <net/bonding.h>
#include <net/if_inet6.h>
#include <rdma/ib_verbs.h>

#include "roce_apply.h"
#include "core_priv.h"
#include "gid.h"
#include "roce_netdev.h"

/* Addresses of one netdev as GIDs. A table cannot hold more than the list does. */
struct address_list {
	u32 len;
	u32 max;
	union ib_gid gids[];
};

/* False for the backup slave of an active-backup bond, true in all other cases. */
static bool sends_for(const struct net_device *port_ndev, struct net_device *upper)
{
	struct net_device *active;

	if (!netif_is_bond_master(upper))
		return true;
	active = bond_option_active_slave_get_rcu(netdev_priv(upper));
	return !active || active == port_ndev;
}

static bool counts_for(struct net_device *port_ndev, struct net_device *ndev)
{
	struct net_device *base = is_vlan_dev(ndev) ? vlan_dev_real_dev(ndev) : ndev;

	if (base == port_ndev)
		return true;
	return netdev_has_upper_dev_all_rcu(port_ndev, ndev) && sends_for(port_ndev, base);
}

static bool gives_default(struct net_device *port_ndev, struct net_device *ndev)
{
	if (ndev == port_ndev)
		return !netif_is_bond_slave(port_ndev);
	return netif_is_bond_master(ndev) && netdev_has_upper_dev_all_rcu(port_ndev, ndev) &&
	       sends_for(port_ndev, ndev);
}

static void add_address(struct address_list *list, const union ib_gid *gid)
{
	if (list->len < list->max)
		list->gids[list->len++] = *gid;
}

/* The address is ours (ifa_local), which on point-to-point links is not the peer's ifa_address. */
static void list_ipv4(struct net_device *ndev, struct address_list *list)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;
	union ib_gid gid;

	if (!in_dev)
		return;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		ipv6_addr_set_v4mapped(ifa->ifa_local, (struct in6_addr *)&gid);
		add_address(list, &gid);
	}
}

static void list_ipv6(struct net_device *ndev, struct address_list *list)
{
	struct inet6_dev *in6_dev = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifa;
	union ib_gid gid;

	/* NULL also when IPv6 is switched off. */
	if (!in6_dev)
		return;
	read_lock_bh(&in6_dev->lock);
	list_for_each_entry(ifa, &in6_dev->addr_list, if_list) {
		memcpy(&gid, &ifa->addr, sizeof(gid));
		add_address(list, &gid);
	}
	read_unlock_bh(&in6_dev->lock);
}

static bool is_listed(const struct address_list *list, const union ib_gid *gid)
{
	u32 i;

	for (i = 0; i < list->len; i++)
		if (!memcmp(&list->gids[i], gid, sizeof(*gid)))
			return true;
	return false;
}

/* What the table of a port should hold of a netdev. */
struct wanted {
	const struct net_device *ndev;
	bool has_default;
	union ib_gid default_gid;
	struct address_list *list;
};

static void make_default_gid(struct net_device *ndev, union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	addrconf_ifid_eui48(&gid->raw[8], ndev);
}

static void collect(struct net_device *port_ndev, struct net_device *ndev, struct wanted *wanted)
{
	wanted->ndev = ndev;
	wanted->has_default = false;
	wanted->list->len = 0;

	if (!port_ndev || READ_ONCE(ndev->reg_state) != NETREG_REGISTERED ||
	    ndev->addr_len != ETH_ALEN)
		return;

	rcu_read_lock();
	if (gives_default(port_ndev, ndev)) {
		make_default_gid(ndev, &wanted->default_gid);
		wanted->has_default = true;
	}
	if (counts_for(port_ndev, ndev)) {
		list_ipv4(ndev, wanted->list);
		list_ipv6(ndev, wanted->list);
	}
	rcu_read_unlock();
}

static bool is_unwanted(const union ib_gid *gid, const struct net_device *ndev, bool is_default,
			const void *arg)
{
	const struct wanted *wanted = arg;

	return ndev == wanted->ndev && !is_default && !is_listed(wanted->list, gid);
}

/* Deletes before it adds, so that a full table makes room for what is wanted. */
static void apply_to_port(struct ib_device *dev, u32 port, struct net_device *ndev)
{
	u32 max = dev->port_data[port].immutable.gid_tbl_len;
	struct net_device *port_ndev;
	struct wanted wanted;
	u32 i;

	wanted.list = kvmalloc(struct_size(wanted.list, gids, max), GFP_KERNEL);
	if (!wanted.list) {
		core_roce_rescan_all();
		return;
	}
	wanted.list->max = max;

	port_ndev = core_netdev_get(dev, port);
	collect(port_ndev, ndev, &wanted);
	dev_put(port_ndev);

	core_gid_set_default(dev, port, wanted.has_default ? &wanted.default_gid : NULL, ndev);
	core_gid_del_picked(dev, port, is_unwanted, &wanted);
	/* A refusal was reported by the table; for want of a slot or memory it asks us back. */
	for (i = 0; i < wanted.list->len; i++)
		core_gid_add(dev, port, &wanted.list->gids[i], ndev);
	kvfree(wanted.list);
}

void core_roce_apply_netdev(struct ib_device *dev, struct net_device *ndev)
{
	u32 port;

	rdma_for_each_port(dev, port)
		if (rdma_protocol_roce(dev, port))
			apply_to_port(dev, port, ndev);
}

static bool is_of_netdev(const union ib_gid *gid, const struct net_device *ndev, bool is_default,
			 const void *arg)
{
	return ndev == arg;
}

void core_roce_apply_new_mac(struct ib_device *dev, struct net_device *ndev)
{
	u32 port;

	rdma_for_each_port(dev, port)
		if (rdma_cap_roce_gid_table(dev, port))
			core_gid_del_picked(dev, port, is_of_netdev, ndev);
	core_roce_apply_netdev(dev, ndev);
}

static bool has_ipv4(struct net_device *ndev, __be32 addr)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (ifa->ifa_local == addr)
			return true;
	return false;
}

static bool has_ipv6(struct net_device *ndev, const struct in6_addr *addr)
{
	struct inet6_dev *in6_dev = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifa;
	bool found = false;

	if (!in6_dev)
		return false;
	read_lock_bh(&in6_dev->lock);
	list_for_each_entry(ifa, &in6_dev->addr_list, if_list)
		if (ipv6_addr_equal(&ifa->addr, addr))
			found = true;
	read_unlock_bh(&in6_dev->lock);
	return found;
}

static bool wants_address(struct net_device *port_ndev, struct net_device *ndev,
			  const union ib_gid *gid)
{
	const struct in6_addr *addr = (const struct in6_addr *)gid;
	bool wants;

	if (!port_ndev || READ_ONCE(ndev->reg_state) != NETREG_REGISTERED)
		return false;

	rcu_read_lock();
	wants = counts_for(port_ndev, ndev);
	if (wants)
		wants = ipv6_addr_v4mapped(addr) ? has_ipv4(ndev, addr->s6_addr32[3]) :
						   has_ipv6(ndev, addr);
	rcu_read_unlock();
	return wants;
}

void core_roce_apply_address(struct ib_device *dev, struct net_device *ndev,
			     const union ib_gid *gid)
{
	struct net_device *port_ndev;
	bool wants;
	u32 port;

	rdma_for_each_port(dev, port) {
		if (!rdma_protocol_roce(dev, port))
			continue;
		port_ndev = core_netdev_get(dev, port);
		wants = wants_address(port_ndev, ndev, gid);
		dev_put(port_ndev);
		if (wants)
			core_gid_add(dev, port, gid, ndev);
		else
			core_gid_del(dev, port, gid, ndev);
	}
}

static bool is_departed(const union ib_gid *gid, const struct net_device *ndev, bool is_default,
			const void *arg)
{
	return ndev && READ_ONCE(ndev->reg_state) != NETREG_REGISTERED;
}

void core_roce_apply_departed(struct ib_device *dev)
{
	u32 port;

	rdma_for_each_port(dev, port)
		if (rdma_protocol_roce(dev, port))
			core_gid_del_picked(dev, port, is_departed, NULL);
}
