// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What the core remembers of each port, so that consumers in atomic context need not ask the
 * driver: P_Keys, LMC, logical state, subnet prefix, and the GIDs of ports without RoCE.
 *
 * device.c sets up and cleans up, event.c refreshes, consumers and drivers read through the
 * exported calls. Out of here go the driver's query_port, query_pkey and query_gid.
 */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "port_cache.h"
#include "core_priv.h"
#include "gid.h"

#define PKEY_FULL_MEMBER 0x8000	/* IBTA vol. 1, 10.9.1.1: the membership bit */
#define PKEY_BASE_MASK 0x7fff

struct ib_pkey_cache {
	u32 len;
	u16 table[];
};

/*
 * Serialises refreshes, so that an older answer of a driver never overwrites a newer one. Readers
 * do not take it: what they see is protected by ib_device.cache_lock.
 */
static DEFINE_MUTEX(refresh_mutex);

int ib_query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey)
{
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	if (!device->ops.query_pkey)
		return -EOPNOTSUPP;
	return device->ops.query_pkey(device, port_num, index, pkey);
}
EXPORT_SYMBOL(ib_query_pkey);

static struct ib_pkey_cache *read_pkeys(struct ib_device *dev, u32 port, u32 len)
{
	struct ib_pkey_cache *pkeys = kzalloc(struct_size(pkeys, table, len), GFP_KERNEL);
	int ret;
	u32 i;

	if (!pkeys)
		return ERR_PTR(-ENOMEM);
	pkeys->len = len;
	for (i = 0; i < len; i++) {
		ret = ib_query_pkey(dev, port, i, &pkeys->table[i]);
		if (ret) {
			ibdev_warn(dev, "port %u: no P_Key at index %u: %d\n", port, i, ret);
			kfree(pkeys);
			return ERR_PTR(ret);
		}
	}
	return pkeys;
}

/* InfiniBand and iWARP: the driver knows the GIDs, the subnet manager or the MAC made them. */
static int read_gids(struct ib_device *dev, u32 port)
{
	u32 i, len = dev->port_data[port].immutable.gid_tbl_len;
	union ib_gid gid;
	int ret;

	if (rdma_protocol_roce(dev, port) || !dev->ops.query_gid)
		return 0;

	for (i = 0; i < len; i++) {
		ret = dev->ops.query_gid(dev, port, i, &gid);
		if (ret) {
			ibdev_warn(dev, "port %u: no GID at index %u: %d\n", port, i, ret);
			return ret;
		}
		ret = core_gid_set_slot(dev, port, i, &gid);
		if (ret)
			return ret;
	}
	return 0;
}

static int refresh(struct ib_device *dev, u32 port, bool gids, bool pkeys)
{
	struct ib_port_cache *cache = &dev->port_data[port].cache;
	struct ib_pkey_cache *fresh = NULL;
	struct ib_port_attr attr = {};
	int ret;

	lockdep_assert_held(&refresh_mutex);

	ret = ib_query_port(dev, port, &attr);
	if (ret) {
		ibdev_warn(dev, "port %u cannot be queried: %d\n", port, ret);
		return ret;
	}
	if (gids) {
		ret = read_gids(dev, port);
		if (ret)
			return ret;
	}
	if (pkeys && dev->port_data[port].immutable.pkey_tbl_len) {
		fresh = read_pkeys(dev, port, dev->port_data[port].immutable.pkey_tbl_len);
		if (IS_ERR(fresh))
			return PTR_ERR(fresh);
	}

	write_lock_irq(&dev->cache_lock);
	if (fresh)
		swap(cache->pkey, fresh);
	cache->lmc = attr.lmc;
	cache->port_state = attr.state;
	cache->subnet_prefix = attr.subnet_prefix;
	write_unlock_irq(&dev->cache_lock);

	kfree(fresh);
	return 0;
}

/* What the events of a port make stale; all other events change nothing that is kept here. */
struct stale {
	bool port;
	bool gids;
	bool pkeys;
};

static const struct stale stale_after[] = {
	[IB_EVENT_PORT_ACTIVE] = { .port = true, .gids = true, .pkeys = true },
	[IB_EVENT_PORT_ERR] = { .port = true, .gids = true },
	[IB_EVENT_LID_CHANGE] = { .port = true, .gids = true },
	[IB_EVENT_PKEY_CHANGE] = { .port = true, .pkeys = true },
	[IB_EVENT_SM_CHANGE] = { .port = true, .gids = true },
	[IB_EVENT_CLIENT_REREGISTER] = { .port = true, .gids = true, .pkeys = true },
	[IB_EVENT_GID_CHANGE] = { .port = true, .gids = true },
};

void core_port_cache_event(struct ib_device *dev, const struct ib_event *event)
{
	const struct stale *stale;

	if ((unsigned int)event->event >= ARRAY_SIZE(stale_after))
		return;
	stale = &stale_after[event->event];
	if (!stale->port || !rdma_is_port_valid(dev, event->element.port_num))
		return;
	/* The tables of RoCE ports follow the netdev; their own event tells the core nothing. */
	if (event->event == IB_EVENT_GID_CHANGE &&
	    rdma_protocol_roce(dev, event->element.port_num))
		return;

	mutex_lock(&refresh_mutex);
	refresh(dev, event->element.port_num, stale->gids, stale->pkeys);
	mutex_unlock(&refresh_mutex);
}

int core_port_cache_setup(struct ib_device *dev)
{
	int ret = 0;
	u32 port;

	mutex_lock(&refresh_mutex);
	rdma_for_each_port(dev, port) {
		ret = refresh(dev, port, true, true);
		if (ret)
			break;
	}
	mutex_unlock(&refresh_mutex);
	if (ret)
		core_port_cache_cleanup(dev);
	return ret;
}

void core_port_cache_cleanup(struct ib_device *dev)
{
	struct ib_pkey_cache *pkeys;
	u32 port;

	rdma_for_each_port(dev, port) {
		write_lock_irq(&dev->cache_lock);
		pkeys = dev->port_data[port].cache.pkey;
		dev->port_data[port].cache.pkey = NULL;
		write_unlock_irq(&dev->cache_lock);
		kfree(pkeys);
	}
}

int ib_get_cached_pkey(struct ib_device *device_handle, u32 port_num, int index, u16 *pkey)
{
	struct ib_pkey_cache *pkeys;
	unsigned long flags;
	int ret = -EINVAL;

	if (!rdma_is_port_valid(device_handle, port_num))
		return -EINVAL;

	read_lock_irqsave(&device_handle->cache_lock, flags);
	pkeys = device_handle->port_data[port_num].cache.pkey;
	if (pkeys && (u32)index < pkeys->len) {
		*pkey = pkeys->table[index];
		ret = 0;
	}
	read_unlock_irqrestore(&device_handle->cache_lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_get_cached_pkey);

/* The index of the full member entry of this partition, else of the limited one. */
int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	struct ib_pkey_cache *pkeys;
	unsigned long flags;
	int limited = -1;
	int ret = -ENOENT;
	u32 i;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;

	*index = -1;
	read_lock_irqsave(&device->cache_lock, flags);
	pkeys = device->port_data[port_num].cache.pkey;
	for (i = 0; pkeys && i < pkeys->len; i++) {
		if ((pkeys->table[i] ^ pkey) & PKEY_BASE_MASK)
			continue;
		if (pkeys->table[i] & PKEY_FULL_MEMBER) {
			*index = i;
			ret = 0;
			break;
		}
		limited = i;
	}
	if (!pkeys)
		ret = -EINVAL;
	read_unlock_irqrestore(&device->cache_lock, flags);

	if (ret == -ENOENT && limited >= 0) {
		*index = limited;
		ret = 0;
	}
	return ret;
}
EXPORT_SYMBOL(ib_find_cached_pkey);

/* The index whose entry is equal in all 16 bits. */
int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	struct ib_pkey_cache *pkeys;
	unsigned long flags;
	int ret = -ENOENT;
	u32 i;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;

	*index = -1;
	read_lock_irqsave(&device->cache_lock, flags);
	pkeys = device->port_data[port_num].cache.pkey;
	for (i = 0; pkeys && i < pkeys->len; i++) {
		if (pkeys->table[i] == pkey) {
			*index = i;
			ret = 0;
			break;
		}
	}
	if (!pkeys)
		ret = -EINVAL;
	read_unlock_irqrestore(&device->cache_lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_find_exact_cached_pkey);

/* As ib_find_cached_pkey(), but asks the driver: may sleep, sees changes before their event. */
int ib_find_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	int limited = -1;
	u16 here;
	int ret;
	u32 i;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;

	for (i = 0; i < device->port_data[port_num].immutable.pkey_tbl_len; i++) {
		ret = ib_query_pkey(device, port_num, i, &here);
		if (ret)
			return ret;
		if ((here ^ pkey) & PKEY_BASE_MASK)
			continue;
		if (here & PKEY_FULL_MEMBER) {
			*index = i;
			return 0;
		}
		if (limited < 0)
			limited = i;
	}
	if (limited < 0)
		return -ENOENT;
	*index = limited;
	return 0;
}
EXPORT_SYMBOL(ib_find_pkey);

int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc)
{
	unsigned long flags;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;

	read_lock_irqsave(&device->cache_lock, flags);
	*lmc = device->port_data[port_num].cache.lmc;
	read_unlock_irqrestore(&device->cache_lock, flags);
	return 0;
}
EXPORT_SYMBOL(ib_get_cached_lmc);

int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active)
{
	unsigned long flags;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;

	read_lock_irqsave(&device->cache_lock, flags);
	*port_active = device->port_data[port_num].cache.port_state;
	read_unlock_irqrestore(&device->cache_lock, flags);
	return 0;
}
EXPORT_SYMBOL(ib_get_cached_port_state);

int ib_get_cached_subnet_prefix(struct ib_device *device, u32 port_num, u64 *sn_pfx)
{
	unsigned long flags;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;

	read_lock_irqsave(&device->cache_lock, flags);
	*sn_pfx = device->port_data[port_num].cache.subnet_prefix;
	read_unlock_irqrestore(&device->cache_lock, flags);
	return 0;
}
EXPORT_SYMBOL(ib_get_cached_subnet_prefix);
