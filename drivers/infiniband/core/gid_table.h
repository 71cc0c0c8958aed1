/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inside of a GID table: shared by gid.c, which writes, and gid_query.c, which looks things up.
 *
 * Two locks. The mutex serialises writers, who call the driver's add_gid and del_gid and may
 * sleep. The spinlock protects the slots and whether an entry is live, since lookups run in any
 * context (rdma_rxe looks GIDs up in softirq): a writer takes both, a reader only the spinlock.
 * Neither is held while events are dispatched.
 */
#ifndef _CORE_GID_TABLE_H
#define _CORE_GID_TABLE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/* A netdev reference of an entry; outlives the entry's pointer to it by a grace period. */
struct core_gid_ndev {
	struct net_device *ndev;
	netdevice_tracker tracker;
	struct rcu_head rcu;
};

struct core_gid_entry {
	struct ib_gid_attr attr;
	struct kref kref;
	struct ib_gid_table *table;
	struct core_gid_ndev *hold;
	void *driver_context;
	bool live;			/* under table->lock; false: waits for the last put */
	bool is_default;
};

struct ib_gid_table {
	struct mutex writers;		/* serialises changes, held over driver calls */
	spinlock_t lock;		/* protects slots[] and the entries' state */
	u32 size;
	u32 num_defaults;		/* leading slots kept for default entries */
	bool starved;			/* under lock: no slot was found; see release_entry() */
	struct core_gid_entry **slots;
};

static inline struct ib_gid_table *core_gid_table(const struct ib_device *dev, u32 port)
{
	return dev->port_data[port].cache.gid;
}

/* Consumers hold const attributes: it is the reference count that changes, not the attribute. */
static inline struct core_gid_entry *core_gid_entry_of(const struct ib_gid_attr *attr)
{
	return container_of(attr, struct core_gid_entry, attr);
}

/* The live entry in a slot, or NULL. */
static inline struct core_gid_entry *core_gid_live(struct ib_gid_table *table, u32 index)
{
	struct core_gid_entry *entry;

	lockdep_assert_held(&table->lock);

	if (index >= table->size)
		return NULL;
	entry = table->slots[index];
	return entry && entry->live ? entry : NULL;
}

/* gid.c */
void core_gid_entry_put(struct core_gid_entry *entry);

#endif
