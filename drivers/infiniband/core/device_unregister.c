// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How a device goes: four ways in for drivers and netlink, one body. The driver may call it while
 * programs and kernel consumers use the device; it ends because
 *   - the mark is taken away first, so no lookup hands out new references;
 *   - each client's remove() is called, which ends that client's use;
 *   - references of ib_device_try_get() belong to system calls and work items in flight;
 *   - events in flight run on ib_wq, which is flushed.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "gid.h"
#include "port_cache.h"
#include "sysfs.h"

/* For drivers that must unregister from a context which holds locks (netdev notifiers). */
static struct workqueue_struct *unregister_wq;

static void disable(struct ib_device *dev)
{
	lockdep_assert_held(&dev->unregistration_lock);

	mutex_lock(&core_registry_mutex);
	core_device_mark(dev, false);
	core_client_remove_all(dev);
	mutex_unlock(&core_registry_mutex);

	core_cq_pool_cleanup(dev);
	ib_device_put(dev);
	/* Not under the mutex: a holder of a reference may be waiting for it (rename). */
	wait_for_completion(&dev->unreg_completion);
	core_netns_remove_compat(dev);
	flush_workqueue(ib_wq);
}

void core_device_unregister(struct ib_device *dev, bool free_device)
{
	mutex_lock(&dev->unregistration_lock);
	/* Several may race to get here; the first one does it. */
	if (!refcount_read(&dev->refcount))
		goto out;

	disable(dev);
	core_sysfs_device_remove(dev);
	device_del(&dev->dev);
	core_cgroup_unregister(dev);
	core_port_cache_cleanup(dev);
	core_gid_device_cleanup(dev);
	core_netdev_release(dev);

	/*
	 * A driver with dealloc_driver does not free its device itself. The caller of this function
	 * holds a get_device(), so the lock below is still there.
	 */
	if (free_device && dev->ops.dealloc_driver) {
		WARN_ON(kref_read(&dev->dev.kobj.kref) <= 1);
		ib_dealloc_device(dev);
	}
out:
	mutex_unlock(&dev->unregistration_lock);
}

/*
 * ib_unregister_device - end what ib_register_device() began
 *
 * Returns when nobody uses the device any more. A driver without dealloc_driver then calls
 * ib_dealloc_device(); with it the device is gone, unless the driver holds a get_device().
 */
void ib_unregister_device(struct ib_device *dev)
{
	get_device(&dev->dev);
	core_device_unregister(dev, true);
	put_device(&dev->dev);
}
EXPORT_SYMBOL(ib_unregister_device);

/*
 * ib_unregister_device_and_put - unregister a device looked up before
 *
 * Drops the reference of the lookup. Only for drivers that have dealloc_driver.
 */
void ib_unregister_device_and_put(struct ib_device *dev)
{
	WARN_ON(!dev->ops.dealloc_driver);
	get_device(&dev->dev);
	ib_device_put(dev);
	core_device_unregister(dev, true);
	put_device(&dev->dev);
}
EXPORT_SYMBOL(ib_unregister_device_and_put);

void core_device_unregister_work(struct work_struct *work)
{
	struct ib_device *dev = container_of(work, struct ib_device, unregistration_work);

	core_device_unregister(dev, true);
	put_device(&dev->dev);
}

/*
 * ib_unregister_device_queued - unregister later, from a work item
 *
 * Usable under any lock that may sleep. Only for drivers that have dealloc_driver; they call
 * ib_unregister_driver() before their module goes, which waits for the work.
 */
void ib_unregister_device_queued(struct ib_device *dev)
{
	WARN_ON(!refcount_read(&dev->refcount));
	WARN_ON(!dev->ops.dealloc_driver);
	get_device(&dev->dev);
	if (!queue_work(unregister_wq, &dev->unregistration_work))
		put_device(&dev->dev);
}
EXPORT_SYMBOL(ib_unregister_device_queued);

/*
 * ib_unregister_driver - unregister all devices of a driver
 *
 * For a driver's module exit. The caller has stopped making new devices. A device somebody else
 * is unregistering at this moment is waited for.
 */
void ib_unregister_driver(enum rdma_driver_id driver_id)
{
	struct ib_device *dev;
	unsigned long index = 0;

	flush_workqueue(unregister_wq);
	while ((dev = core_device_next_of_driver(driver_id, &index))) {
		WARN_ON(!dev->ops.dealloc_driver);
		core_device_unregister(dev, true);
		put_device(&dev->dev);
	}
}
EXPORT_SYMBOL(ib_unregister_driver);

int core_device_unregister_init(void)
{
	unregister_wq = alloc_workqueue("ib-unreg-wq", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	return unregister_wq ? 0 : -ENOMEM;
}

void core_device_unregister_exit(void)
{
	destroy_workqueue(unregister_wq);
}
