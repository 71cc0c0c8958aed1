// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * GID tables: making them, adding and deleting entries, and the life of an entry.
 *
 * device.c builds and frees the tables, roce_apply.c and port_cache.c write into them, and
 * rdma_put_gid_attr() of gid_query.c ends entries. Out of here go the driver's add_gid and del_gid
 * and the GID_CHANGE event. gid.h tells the life of an entry, gid_table.h the locking.
 */
#include <linux/bitops.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "gid.h"
#include "core_priv.h"
#include "gid_table.h"
#include "roce_netdev.h"
#include "trace_gid.h"

static const char * const type_names[] = {
	[IB_GID_TYPE_IB] = "IB/RoCE v1",
	[IB_GID_TYPE_ROCE] = "IB/RoCE v1",
	[IB_GID_TYPE_ROCE_UDP_ENCAP] = "RoCE v2",
};

static_assert(ARRAY_SIZE(type_names) == IB_GID_TYPE_SIZE);

const char *ib_cache_gid_type_str(enum ib_gid_type gid_type)
{
	if ((unsigned int)gid_type >= ARRAY_SIZE(type_names))
		return "Invalid GID type";
	return type_names[gid_type];
}
EXPORT_SYMBOL(ib_cache_gid_type_str);

/* The type that the text names, with or without a newline behind it. */
int ib_cache_gid_parse_type_str(const char *buf)
{
	int type = __sysfs_match_string(type_names, ARRAY_SIZE(type_names), buf);

	return type < 0 ? -EINVAL : type;
}
EXPORT_SYMBOL(ib_cache_gid_parse_type_str);

/* One bit per ib_gid_type that entries of the port can have. */
unsigned long roce_gid_type_mask_support(struct ib_device *ib_dev, u32 port)
{
	unsigned long mask = 0;

	if (!rdma_protocol_roce(ib_dev, port))
		return BIT(IB_GID_TYPE_IB);

	if (rdma_protocol_roce_eth_encap(ib_dev, port))
		mask |= BIT(IB_GID_TYPE_ROCE);
	if (rdma_protocol_roce_udp_encap(ib_dev, port))
		mask |= BIT(IB_GID_TYPE_ROCE_UDP_ENCAP);
	return mask;
}
EXPORT_SYMBOL(roce_gid_type_mask_support);

static void dispatch_change(struct ib_device *dev, u32 port)
{
	struct ib_event event = {
		.device = dev,
		.element.port_num = port,
		.event = IB_EVENT_GID_CHANGE,
	};

	ib_dispatch_event(&event);
}

static void drop_ndev_rcu(struct rcu_head *head)
{
	struct core_gid_ndev *hold = container_of(head, struct core_gid_ndev, rcu);

	netdev_put(hold->ndev, &hold->tracker);
	kfree(hold);
}

/* The last user is gone: any context. */
static void release_entry(struct kref *kref)
{
	struct core_gid_entry *entry = container_of(kref, struct core_gid_entry, kref);
	struct ib_gid_table *table = entry->table;
	unsigned long flags;
	bool starved;

	spin_lock_irqsave(&table->lock, flags);
	/* On ports without RoCE the slot may belong to a successor already. */
	if (table->slots[entry->attr.index] == entry)
		table->slots[entry->attr.index] = NULL;
	starved = table->starved;
	table->starved = false;
	spin_unlock_irqrestore(&table->lock, flags);

	trace_core_gid_freed(&entry->attr);
	kfree(entry);
	if (starved)
		core_roce_rescan_all();
}

void core_gid_entry_put(struct core_gid_entry *entry)
{
	kref_put(&entry->kref, release_entry);
}

static struct core_gid_entry *alloc_entry(const struct ib_gid_attr *attr)
{
	struct core_gid_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	/* The writer holds the netdev for us, hence the plain access. */
	struct net_device *ndev = rcu_dereference_protected(attr->ndev, true);

	if (!entry)
		return NULL;
	kref_init(&entry->kref);
	entry->attr = *attr;
	if (ndev) {
		entry->hold = kzalloc(sizeof(*entry->hold), GFP_KERNEL);
		if (!entry->hold) {
			kfree(entry);
			return NULL;
		}
		entry->hold->ndev = ndev;
		netdev_hold(ndev, &entry->hold->tracker, GFP_KERNEL);
	}
	return entry;
}

/* Make @attr the entry of the free slot attr->index. */
static int install(struct ib_gid_table *table, const struct ib_gid_attr *attr, bool is_default)
{
	struct ib_device *dev = attr->device;
	struct core_gid_entry *entry;
	int ret;

	lockdep_assert_held(&table->writers);

	entry = alloc_entry(attr);
	if (!entry) {
		/* Nobody will tell of this address again. */
		core_roce_rescan_all();
		return -ENOMEM;
	}
	entry->table = table;
	entry->is_default = is_default;

	if (rdma_cap_roce_gid_table(dev, attr->port_num)) {
		ret = dev->ops.add_gid(&entry->attr, &entry->driver_context);
		if (ret) {
			ibdev_warn(dev, "port %u refused GID %pI6 at index %u: %d\n",
				   attr->port_num, attr->gid.raw, attr->index, ret);
			if (entry->hold)
				drop_ndev_rcu(&entry->hold->rcu);
			kfree(entry);
			return ret;
		}
	}

	spin_lock_irq(&table->lock);
	entry->live = true;
	table->slots[attr->index] = entry;
	spin_unlock_irq(&table->lock);
	trace_core_gid_live(&entry->attr);
	return 0;
}

/*
 * Takes a live entry out of service. Users that hold it keep it, without the netdev; so nothing
 * here waits, and a netdev that goes away is free after a grace period.
 */
static void retire(struct ib_gid_table *table, struct core_gid_entry *entry)
{
	struct ib_device *dev = entry->attr.device;
	struct core_gid_ndev *hold = entry->hold;

	lockdep_assert_held(&table->writers);

	spin_lock_irq(&table->lock);
	entry->live = false;
	if (!rdma_protocol_roce(dev, entry->attr.port_num))
		table->slots[entry->attr.index] = NULL;
	spin_unlock_irq(&table->lock);
	trace_core_gid_retired(&entry->attr);

	if (rdma_cap_roce_gid_table(dev, entry->attr.port_num))
		dev->ops.del_gid(&entry->attr, &entry->driver_context);

	if (hold) {
		entry->hold = NULL;
		rcu_assign_pointer(entry->attr.ndev, NULL);
		call_rcu(&hold->rcu, drop_ndev_rcu);
	}
	core_gid_entry_put(entry);
}

/* The live entry with this GID, type and netdev, or NULL. Writers only: it stays live for them. */
static struct core_gid_entry *find_entry(struct ib_gid_table *table,
					 const struct ib_gid_attr *attr)
{
	struct core_gid_entry *entry = NULL;
	u32 i;

	lockdep_assert_held(&table->writers);

	spin_lock_irq(&table->lock);
	for (i = 0; i < table->size; i++) {
		entry = core_gid_live(table, i);
		if (entry && entry->attr.gid_type == attr->gid_type &&
		    rcu_access_pointer(entry->attr.ndev) == rcu_access_pointer(attr->ndev) &&
		    !memcmp(&entry->attr.gid, &attr->gid, sizeof(attr->gid)))
			break;
		entry = NULL;
	}
	spin_unlock_irq(&table->lock);
	return entry;
}

/* The first free slot behind the default ones, or -ENOSPC, which the next release makes good. */
static int find_free_slot(struct ib_gid_table *table)
{
	int index = -ENOSPC;
	u32 i;

	lockdep_assert_held(&table->writers);

	spin_lock_irq(&table->lock);
	for (i = table->num_defaults; i < table->size; i++) {
		if (!table->slots[i]) {
			index = i;
			break;
		}
	}
	if (index < 0)
		table->starved = true;
	spin_unlock_irq(&table->lock);
	return index;
}

/* Returns 1 when an entry was added, 0 when it was there already, or an error. */
static int add_one(struct ib_gid_table *table, struct ib_gid_attr *attr)
{
	int index, ret;

	/* An address that equals the default GID is served by that entry. */
	if (find_entry(table, attr))
		return 0;
	index = find_free_slot(table);
	if (index < 0) {
		ibdev_warn_ratelimited(attr->device, "port %u: no room for GID %pI6\n",
				       attr->port_num, attr->gid.raw);
		return index;
	}
	attr->index = index;
	ret = install(table, attr, false);
	return ret ? ret : 1;
}

static void init_attr(struct ib_gid_attr *attr, struct ib_device *dev, u32 port,
		      const union ib_gid *gid, struct net_device *ndev)
{
	memset(attr, 0, sizeof(*attr));
	attr->device = dev;
	attr->port_num = port;
	attr->gid = *gid;
	RCU_INIT_POINTER(attr->ndev, ndev);
}

/* Adds the GID once for each RoCE type of the port. */
int core_gid_add(struct ib_device *dev, u32 port, const union ib_gid *gid,
		 struct net_device *ndev)
{
	struct ib_gid_table *table = core_gid_table(dev, port);
	unsigned long types = roce_gid_type_mask_support(dev, port);
	struct ib_gid_attr attr;
	bool changed = false;
	unsigned int type;
	int ret = 0;

	if (rdma_is_zero_gid(gid))
		return -EINVAL;

	init_attr(&attr, dev, port, gid, ndev);
	mutex_lock(&table->writers);
	for_each_set_bit(type, &types, IB_GID_TYPE_SIZE) {
		attr.gid_type = type;
		ret = add_one(table, &attr);
		if (ret < 0)
			break;
		changed |= ret;
	}
	mutex_unlock(&table->writers);

	if (changed)
		dispatch_change(dev, port);
	return ret < 0 ? ret : 0;
}

/* Default entries are not deleted by address: the netdev keeps its MAC. */
void core_gid_del(struct ib_device *dev, u32 port, const union ib_gid *gid,
		  struct net_device *ndev)
{
	struct ib_gid_table *table = core_gid_table(dev, port);
	unsigned long types = roce_gid_type_mask_support(dev, port);
	struct core_gid_entry *entry;
	struct ib_gid_attr attr;
	bool changed = false;
	unsigned int type;

	init_attr(&attr, dev, port, gid, ndev);
	mutex_lock(&table->writers);
	for_each_set_bit(type, &types, IB_GID_TYPE_SIZE) {
		attr.gid_type = type;
		entry = find_entry(table, &attr);
		if (!entry || entry->is_default)
			continue;
		retire(table, entry);
		changed = true;
	}
	mutex_unlock(&table->writers);

	if (changed)
		dispatch_change(dev, port);
}

/* Brings default slot attr->index to @attr, or empties it of attr->ndev's GID when !@set. */
static bool set_one_default(struct ib_gid_table *table, const struct ib_gid_attr *attr, bool set)
{
	struct core_gid_entry *old;
	bool same_ndev, taken, changed;

	lockdep_assert_held(&table->writers);

	spin_lock_irq(&table->lock);
	old = core_gid_live(table, attr->index);
	spin_unlock_irq(&table->lock);

	same_ndev = old && rcu_access_pointer(old->attr.ndev) == rcu_access_pointer(attr->ndev);
	if (!set) {
		if (same_ndev)
			retire(table, old);
		return same_ndev;
	}
	if (same_ndev && !memcmp(&old->attr.gid, &attr->gid, sizeof(attr->gid)))
		return false;
	changed = old;
	if (old)
		retire(table, old);

	spin_lock_irq(&table->lock);
	taken = table->slots[attr->index];
	if (taken)
		table->starved = true;
	spin_unlock_irq(&table->lock);

	/* While a QP uses the old default GID the index is its; the last put asks for a rescan. */
	if (!taken && !install(table, attr, true))
		changed = true;
	return changed;
}

void core_gid_set_default(struct ib_device *dev, u32 port, const union ib_gid *gid,
			  struct net_device *ndev)
{
	struct ib_gid_table *table = core_gid_table(dev, port);
	unsigned long types = roce_gid_type_mask_support(dev, port);
	struct ib_gid_attr attr;
	bool changed = false;
	unsigned int type;

	init_attr(&attr, dev, port, gid ? gid : &zgid, ndev);
	mutex_lock(&table->writers);
	for_each_set_bit(type, &types, IB_GID_TYPE_SIZE) {
		if (attr.index == table->num_defaults)
			break;
		attr.gid_type = type;
		changed |= set_one_default(table, &attr, gid);
		attr.index++;
	}
	mutex_unlock(&table->writers);

	if (changed)
		dispatch_change(dev, port);
}

static bool retire_picked(struct ib_gid_table *table, core_gid_pick_fn stale, const void *arg)
{
	struct core_gid_entry *entry;
	bool changed = false;
	u32 i;

	mutex_lock(&table->writers);
	for (i = 0; i < table->size; i++) {
		spin_lock_irq(&table->lock);
		entry = core_gid_live(table, i);
		if (entry && !stale(&entry->attr.gid, rcu_access_pointer(entry->attr.ndev),
				    entry->is_default, arg))
			entry = NULL;
		spin_unlock_irq(&table->lock);
		if (entry) {
			retire(table, entry);
			changed = true;
		}
	}
	mutex_unlock(&table->writers);
	return changed;
}

void core_gid_del_picked(struct ib_device *dev, u32 port, core_gid_pick_fn stale,
			 const void *arg)
{
	if (retire_picked(core_gid_table(dev, port), stale, arg))
		dispatch_change(dev, port);
}

/* No event: on these ports the change comes from an event of the driver's. */
int core_gid_set_slot(struct ib_device *dev, u32 port, u32 index, const union ib_gid *gid)
{
	struct ib_gid_table *table = core_gid_table(dev, port);
	struct core_gid_entry *old;
	struct ib_gid_attr attr;
	int ret = 0;

	if (index >= table->size)
		return -EINVAL;

	init_attr(&attr, dev, port, gid, NULL);
	attr.gid_type = IB_GID_TYPE_IB;
	attr.index = index;

	mutex_lock(&table->writers);
	spin_lock_irq(&table->lock);
	old = core_gid_live(table, index);
	spin_unlock_irq(&table->lock);
	if (!old || memcmp(&old->attr.gid, gid, sizeof(*gid))) {
		if (old)
			retire(table, old);
		if (!rdma_is_zero_gid(gid))
			ret = install(table, &attr, false);
	}
	mutex_unlock(&table->writers);
	return ret;
}

static struct ib_gid_table *alloc_table(u32 size, u32 num_defaults)
{
	struct ib_gid_table *table = kzalloc(sizeof(*table), GFP_KERNEL);

	if (!table)
		return NULL;
	table->slots = kvcalloc(size, sizeof(*table->slots), GFP_KERNEL);
	if (!table->slots) {
		kfree(table);
		return NULL;
	}
	mutex_init(&table->writers);
	spin_lock_init(&table->lock);
	table->size = size;
	table->num_defaults = min(size, num_defaults);
	return table;
}

int core_gid_device_setup(struct ib_device *dev)
{
	u32 defaults, port;

	rdma_for_each_port(dev, port) {
		defaults = rdma_protocol_roce(dev, port) ?
			   hweight_long(roce_gid_type_mask_support(dev, port)) : 0;
		dev->port_data[port].cache.gid =
			alloc_table(dev->port_data[port].immutable.gid_tbl_len, defaults);
		if (!dev->port_data[port].cache.gid) {
			core_gid_device_release(dev);
			return -ENOMEM;
		}
	}
	return 0;
}

static bool pick_all(const union ib_gid *gid, const struct net_device *ndev, bool is_default,
		     const void *arg)
{
	return true;
}

void core_gid_device_cleanup(struct ib_device *dev)
{
	u32 port;

	rdma_for_each_port(dev, port) {
		if (core_gid_table(dev, port))
			retire_picked(core_gid_table(dev, port), pick_all, NULL);
	}
}

/* An entry that somebody still holds points into its table: rather leak than corrupt. */
static bool table_is_held(const struct ib_device *dev, u32 port, const struct ib_gid_table *table)
{
	bool held = false;
	u32 i;

	for (i = 0; i < table->size; i++) {
		if (table->slots[i]) {
			pr_err("infiniband %s: port %u GID index %u is still in use\n",
			       dev->name, port, i);
			held = true;
		}
	}
	return held;
}

void core_gid_device_release(struct ib_device *dev)
{
	struct ib_gid_table *table;
	u32 port;

	if (!dev->port_data)
		return;
	rdma_for_each_port(dev, port) {
		table = core_gid_table(dev, port);
		dev->port_data[port].cache.gid = NULL;
		if (!table || WARN_ON(table_is_held(dev, port, table)))
			continue;
		kvfree(table->slots);
		mutex_destroy(&table->writers);
		kfree(table);
	}
}

void core_gid_exit(void)
{
	rcu_barrier();
}
