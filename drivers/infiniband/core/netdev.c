// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which net device stands below which port. Drivers say so with ib_device_set_netdev() and find
 * their devices again with ib_device_get_by_netdev() (also per packet, hence the RCU hash); the
 * GID code walks the ports of a netdev.
 */
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* netdev_hash_lock protects additions to and removals from the hash; readers use RCU. */
static DEFINE_SPINLOCK(netdev_hash_lock);
static DEFINE_HASHTABLE(netdev_hash, 5);

/* Puts the port where the hash finds it by @ndev; NULL: nowhere. */
static void rehash(struct ib_port_data *pdata, struct net_device *ndev)
{
	bool was_hashed;
	unsigned long flags;

	spin_lock_irqsave(&netdev_hash_lock, flags);
	was_hashed = hash_hashed(&pdata->ndev_hash_link);
	if (was_hashed)
		hash_del_rcu(&pdata->ndev_hash_link);
	spin_unlock_irqrestore(&netdev_hash_lock, flags);
	if (!ndev)
		return;
	/* A reader on the old chain must have left it before the node enters another. */
	if (was_hashed)
		synchronize_rcu();
	spin_lock_irqsave(&netdev_hash_lock, flags);
	hash_add_rcu(netdev_hash, &pdata->ndev_hash_link, (uintptr_t)ndev);
	spin_unlock_irqrestore(&netdev_hash_lock, flags);
}

/*
 * ib_device_set_netdev - say which netdev a port stands on
 * @ndev: NULL takes the former one away
 *
 * The core holds a reference on it until the next such call or until the device is gone. Callable
 * before ib_register_device(). Drivers do not call it for one port twice at a time.
 */
int ib_device_set_netdev(struct ib_device *dev, struct net_device *ndev, unsigned int port)
{
	struct net_device *old;
	struct ib_port_data *pdata;
	unsigned long flags;
	int ret;

	ret = core_port_data_alloc(dev);
	if (ret)
		return ret;
	if (!rdma_is_port_valid(dev, port))
		return -EINVAL;

	pdata = &dev->port_data[port];
	spin_lock_irqsave(&pdata->netdev_lock, flags);
	old = rcu_dereference_protected(pdata->netdev, lockdep_is_held(&pdata->netdev_lock));
	if (old != ndev) {
		dev_hold(ndev);
		rcu_assign_pointer(pdata->netdev, ndev);
	}
	spin_unlock_irqrestore(&pdata->netdev_lock, flags);
	if (old == ndev)
		return 0;

	rehash(pdata, ndev);
	dev_put(old);
	return 0;
}
EXPORT_SYMBOL(ib_device_set_netdev);

/* The device goes: no port stands on anything any more. */
void core_netdev_release(struct ib_device *dev)
{
	u32 port;

	if (!dev->port_data)
		return;
	rdma_for_each_port(dev, port)
		ib_device_set_netdev(dev, NULL, port);
}

static struct net_device *assigned_netdev(struct ib_port_data *pdata)
{
	struct net_device *ndev;
	unsigned long flags;

	spin_lock_irqsave(&pdata->netdev_lock, flags);
	ndev = rcu_dereference_protected(pdata->netdev, lockdep_is_held(&pdata->netdev_lock));
	dev_hold(ndev);
	spin_unlock_irqrestore(&pdata->netdev_lock, flags);
	return ndev;
}

/*
 * core_netdev_get - the netdev of a port with a reference, or NULL
 *
 * A netdev that is being unregistered is nobody's any more: to hand it out would only delay it.
 */
struct net_device *core_netdev_get(struct ib_device *dev, u32 port)
{
	struct net_device *ndev;

	if (!rdma_is_port_valid(dev, port))
		return NULL;
	if (dev->ops.get_netdev)
		ndev = dev->ops.get_netdev(dev, port);
	else
		ndev = assigned_netdev(&dev->port_data[port]);

	if (ndev && READ_ONCE(ndev->reg_state) != NETREG_REGISTERED) {
		dev_put(ndev);
		return NULL;
	}
	return ndev;
}

void core_netdev_for_each_roce_port(struct ib_device *dev, struct net_device *filter,
				    core_netdev_fn fn, void *arg)
{
	struct net_device *ndev;
	u32 port;

	rdma_for_each_port(dev, port) {
		if (!rdma_protocol_roce(dev, port))
			continue;
		ndev = core_netdev_get(dev, port);
		if (ndev && (!filter || filter == ndev))
			fn(dev, port, ndev, arg);
		dev_put(ndev);
	}
}

/*
 * ib_device_get_by_netdev - the registered device that stands on @ndev
 * @driver_id: only a device of this driver; RDMA_DRIVER_UNKNOWN for any
 *
 * The caller owes an ib_device_put(). Knows only what ib_device_set_netdev() was told.
 */
struct ib_device *ib_device_get_by_netdev(struct net_device *ndev, enum rdma_driver_id driver_id)
{
	struct ib_device *found = NULL;
	struct ib_port_data *pdata;

	rcu_read_lock();
	hash_for_each_possible_rcu(netdev_hash, pdata, ndev_hash_link, (uintptr_t)ndev) {
		if (rcu_access_pointer(pdata->netdev) != ndev)
			continue;
		if (driver_id != RDMA_DRIVER_UNKNOWN && pdata->ib_dev->ops.driver_id != driver_id)
			continue;
		if (!ib_device_try_get(pdata->ib_dev))
			continue;
		found = pdata->ib_dev;
		break;
	}
	rcu_read_unlock();
	return found;
}
EXPORT_SYMBOL(ib_device_get_by_netdev);
