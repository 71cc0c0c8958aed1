// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Looking things up in GID tables: the exported rdma_*gid* calls of <rdma/ib_cache.h>. Drivers,
 * ib_uverbs and kernel consumers call in, some of them in softirq, so nothing here sleeps. The
 * tables are gid.c's.
 */
#include <linux/if_vlan.h>
#include <linux/rcupdate.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "gid.h"
#include "gid_table.h"

union ib_gid zgid;
EXPORT_SYMBOL(zgid);

bool rdma_is_zero_gid(const union ib_gid *gid)
{
	return !memcmp(gid, &zgid, sizeof(*gid));
}
EXPORT_SYMBOL(rdma_is_zero_gid);

/* The table of a valid port, or NULL. */
static struct ib_gid_table *valid_table(struct ib_device *dev, u32 port)
{
	return rdma_is_port_valid(dev, port) ? core_gid_table(dev, port) : NULL;
}

/* Copies the GID of a table index; -EINVAL where there is none. */
int rdma_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid)
{
	struct ib_gid_table *table = valid_table(device, port_num);
	struct core_gid_entry *entry;
	unsigned long flags;

	if (!table)
		return -EINVAL;

	spin_lock_irqsave(&table->lock, flags);
	entry = core_gid_live(table, index);
	if (entry)
		*gid = entry->attr.gid;
	spin_unlock_irqrestore(&table->lock, flags);
	return entry ? 0 : -EINVAL;
}
EXPORT_SYMBOL(rdma_query_gid);

/*
 * The entry of a table index with a reference, which rdma_put_gid_attr() ends. An ERR_PTR: -EINVAL
 * for a bad port, -ENODATA for an index that is empty or outside.
 */
const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device, u32 port_num, int index)
{
	struct ib_gid_table *table = valid_table(device, port_num);
	struct core_gid_entry *entry;
	unsigned long flags;

	/* Beyond the table is a mistake, an empty entry of it is not. */
	if (!table || index < 0 || index >= table->size)
		return ERR_PTR(-EINVAL);

	spin_lock_irqsave(&table->lock, flags);
	entry = core_gid_live(table, index);
	if (entry)
		kref_get(&entry->kref);
	spin_unlock_irqrestore(&table->lock, flags);
	return entry ? &entry->attr : ERR_PTR(-ENODATA);
}
EXPORT_SYMBOL(rdma_get_gid_attr);

void rdma_put_gid_attr(const struct ib_gid_attr *attr)
{
	core_gid_entry_put(core_gid_entry_of(attr));
}
EXPORT_SYMBOL(rdma_put_gid_attr);

/* One reference more, for someone who has one. */
void rdma_hold_gid_attr(const struct ib_gid_attr *attr)
{
	kref_get(&core_gid_entry_of(attr)->kref);
}
EXPORT_SYMBOL(rdma_hold_gid_attr);

struct find_args {
	const union ib_gid *gid;
	enum ib_gid_type type;
	const struct net_device *ndev;
};

static bool matches(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context)
{
	const struct find_args *args = context;

	return attr->gid_type == args->type &&
	       (!args->ndev || rcu_access_pointer(attr->ndev) == args->ndev);
}

/* The first live entry that has this GID and that the filter, if any, takes; with a reference. */
static const struct ib_gid_attr *
find_in_table(struct ib_gid_table *table, const union ib_gid *gid,
	      bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *attr, void *arg),
	      void *context)
{
	const struct ib_gid_attr *found = ERR_PTR(-ENOENT);
	struct core_gid_entry *entry;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&table->lock, flags);
	for (i = 0; i < table->size; i++) {
		entry = core_gid_live(table, i);
		if (!entry || memcmp(&entry->attr.gid, gid, sizeof(*gid)))
			continue;
		if (filter && !filter(gid, &entry->attr, context))
			continue;
		kref_get(&entry->kref);
		found = &entry->attr;
		break;
	}
	spin_unlock_irqrestore(&table->lock, flags);
	return found;
}

/* Looks on one port. A NULL @ndev matches any netdev. */
const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev, const union ib_gid *gid,
						enum ib_gid_type gid_type, u32 port,
						struct net_device *ndev)
{
	struct find_args args = { .gid = gid, .type = gid_type, .ndev = ndev };
	struct ib_gid_table *table = valid_table(ib_dev, port);

	if (!table)
		return ERR_PTR(-ENOENT);
	return find_in_table(table, gid, matches, &args);
}
EXPORT_SYMBOL(rdma_find_gid_by_port);

/* Looks on all ports. */
const struct ib_gid_attr *rdma_find_gid(struct ib_device *device, const union ib_gid *gid,
					enum ib_gid_type gid_type, struct net_device *ndev)
{
	const struct ib_gid_attr *found;
	u32 port;

	rdma_for_each_port(device, port) {
		found = rdma_find_gid_by_port(device, gid, gid_type, port, ndev);
		if (!IS_ERR(found))
			return found;
	}
	return ERR_PTR(-ENOENT);
}
EXPORT_SYMBOL(rdma_find_gid);

/* @filter runs under a spinlock. */
const struct ib_gid_attr *
rdma_find_gid_by_filter(struct ib_device *device, const union ib_gid *gid, u32 port_num,
			bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *attr,
				       void *context),
			void *context)
{
	struct ib_gid_table *table = valid_table(device, port_num);

	if (!table)
		return ERR_PTR(-EINVAL);
	return find_in_table(table, gid, filter, context);
}

/* The InfiniBand port and table index that have this GID. @index may be NULL. */
int ib_find_gid(struct ib_device *device, union ib_gid *gid, u32 *port_num, u16 *index)
{
	union ib_gid here;
	u32 port;
	int i;

	rdma_for_each_port(device, port) {
		if (!rdma_protocol_ib(device, port))
			continue;
		for (i = 0; i < device->port_data[port].immutable.gid_tbl_len; i++) {
			if (rdma_query_gid(device, port, i, &here) ||
			    memcmp(&here, gid, sizeof(here)))
				continue;
			*port_num = port;
			if (index)
				*index = i;
			return 0;
		}
	}
	return -ENOENT;
}
EXPORT_SYMBOL(ib_find_gid);

static void fill_uverbs_entry(struct ib_uverbs_gid_entry *out, const struct ib_gid_attr *attr)
{
	const struct net_device *ndev;

	memcpy(&out->gid, &attr->gid, sizeof(out->gid));
	out->gid_index = attr->index;
	out->port_num = attr->port_num;
	out->gid_type = attr->gid_type;
	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev)
		out->netdev_ifindex = ndev->ifindex;
	rcu_read_unlock();
}

/*
 * Writes the live entries of all ports, port by port, into @entries, which the caller zeroed.
 * Returns their number, or -EINVAL when @max_entries does not suffice.
 */
ssize_t rdma_query_gid_table(struct ib_device *device, struct ib_uverbs_gid_entry *entries,
			     size_t max_entries)
{
	struct core_gid_entry *entry;
	struct ib_gid_table *table;
	unsigned long flags;
	ssize_t count = 0;
	u32 port, i;

	rdma_for_each_port(device, port) {
		table = core_gid_table(device, port);
		spin_lock_irqsave(&table->lock, flags);
		for (i = 0; i < table->size; i++) {
			entry = core_gid_live(table, i);
			if (!entry)
				continue;
			if (count >= max_entries) {
				spin_unlock_irqrestore(&table->lock, flags);
				return -EINVAL;
			}
			fill_uverbs_entry(&entries[count++], &entry->attr);
		}
		spin_unlock_irqrestore(&table->lock, flags);
	}
	return count;
}
EXPORT_SYMBOL(rdma_query_gid_table);

/* What the driver's add_gid left for itself. The caller holds a reference on the attribute. */
void *rdma_read_gid_hw_context(const struct ib_gid_attr *attr)
{
	return core_gid_entry_of(attr)->driver_context;
}
EXPORT_SYMBOL(rdma_read_gid_hw_context);

/*
 * The netdev of an entry that the caller holds, under rcu_read_lock(). -EINVAL for an entry out of
 * service, -ENODEV when it has no netdev or the netdev is down.
 */
struct net_device *rdma_read_gid_attr_ndev_rcu(const struct ib_gid_attr *attr)
{
	struct core_gid_entry *entry = core_gid_entry_of(attr);
	struct ib_gid_table *table = entry->table;
	struct net_device *ndev;
	unsigned long flags;
	bool live;

	spin_lock_irqsave(&table->lock, flags);
	live = entry->live;
	spin_unlock_irqrestore(&table->lock, flags);
	if (!live)
		return ERR_PTR(-EINVAL);

	ndev = rcu_dereference(attr->ndev);
	if (!ndev || !(READ_ONCE(ndev->flags) & IFF_UP))
		return ERR_PTR(-ENODEV);
	return ndev;
}
EXPORT_SYMBOL(rdma_read_gid_attr_ndev_rcu);

static int find_lower_vlan(struct net_device *lower, struct netdev_nested_priv *priv)
{
	u16 *vlan_id = priv->data;

	if (is_vlan_dev(lower))
		*vlan_id = vlan_dev_vlan_id(lower);
	/* Nonzero ends the walk: the VLAN nearest to the address is the one on the wire. */
	return is_vlan_dev(lower);
}

/*
 * VLAN id (0xffff: none) and MAC with which frames of this GID leave. Either pointer may be NULL.
 * A bridge or macvlan on top of a VLAN device sends with the VLAN below it.
 */
int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id, u8 *smac)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (!ndev) {
		rcu_read_unlock();
		return -ENODEV;
	}
	if (smac)
		ether_addr_copy(smac, ndev->dev_addr);
	if (vlan_id) {
		struct netdev_nested_priv priv = { .data = vlan_id };

		*vlan_id = rdma_vlan_dev_vlan_id(ndev);
		if (!is_vlan_dev(ndev))
			netdev_walk_all_lower_dev_rcu(ndev, find_lower_vlan, &priv);
	}
	rcu_read_unlock();
	return 0;
}
EXPORT_SYMBOL(rdma_read_gid_l2_fields);
