// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * addresses.c - the RoCEv2 addresses of all devices, as the receiving side needs them: found
 * without a lock.  ib_core, which keeps the tables of GIDs, calls in when one comes or goes.
 *
 * An entry goes before its device: ib_core empties the table first, and frees the device by RCU.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <rdma/ib_cache.h>

#include "addresses.h"
#include "route.h"
#include "shca.h"
#include "udp_socket.h"

#define HASH_BITS_OF_TABLE	8

struct address {
	struct hlist_node node;
	struct rcu_head rcu;
	struct shca_dev *dev;
	struct in6_addr addr;
	int ifindex;			/* of the netdev that has it */
};

/* Guards changes. */
static DEFINE_SPINLOCK(table_lock);
static DEFINE_HASHTABLE(table, HASH_BITS_OF_TABLE);

static u32 hash(const struct in6_addr *addr)
{
	return jhash2((const u32 *)addr->s6_addr32, ARRAY_SIZE(addr->s6_addr32), 0);
}

int shca_addresses_add(const struct ib_gid_attr *attr, void **context)
{
	struct net_device *netdev;
	struct address *address;

	*context = NULL;
	if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP) {
		address = kzalloc(sizeof(*address), GFP_KERNEL);
		if (!address)
			return -ENOMEM;
		address->dev = shca_dev_of(attr->device);
		memcpy(&address->addr, attr->gid.raw, sizeof(address->addr));
		rcu_read_lock();
		netdev = rcu_dereference(attr->ndev);
		if (netdev)
			address->ifindex = netdev->ifindex;
		rcu_read_unlock();
		*context = address;
		spin_lock(&table_lock);
		hash_add_rcu(table, &address->node, hash(&address->addr));
		spin_unlock(&table_lock);
	}
	/* It can make a destination local. */
	shca_route_changed();
	return 0;
}

int shca_addresses_del(const struct ib_gid_attr *attr, void **context)
{
	struct address *address = *context;

	if (address) {
		spin_lock(&table_lock);
		hash_del_rcu(&address->node);
		spin_unlock(&table_lock);
		kfree_rcu(address, rcu);
		*context = NULL;
	}
	shca_route_changed();
	return 0;
}

struct shca_dev *shca_addresses_find(const struct shca_udp *udp, const struct in6_addr *addr,
				     int ifindex)
{
	struct shca_dev *found = NULL;
	struct address *address;

	hash_for_each_possible_rcu(table, address, node, hash(addr)) {
		if (address->dev->udp != udp || !ipv6_addr_equal(&address->addr, addr))
			continue;
		found = address->dev;
		if (address->ifindex == ifindex)
			break;
	}
	return found;
}
