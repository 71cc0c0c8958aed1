// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices and network namespaces. In shared mode (the default) every device can be used in every
 * namespace, and each namespace sees a twin of it in sysfs (struct ib_core_device: a struct device
 * and ports, nothing else). In exclusive mode a device belongs to one namespace and can be moved.
 *
 * core_netns_rwsem protects the mode and the table of namespaces.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "netlink.h"
#include "sysfs.h"

#define ADD_TRIES 4	/* of clients on a device that has moved */

static DECLARE_RWSEM(core_netns_rwsem);
static DEFINE_XARRAY_FLAGS(core_netns_table, XA_FLAGS_ALLOC);
static unsigned int core_netns_key;

static bool shared_netns = true;
module_param_named(netns_mode, shared_netns, bool, 0444);
MODULE_PARM_DESC(netns_mode, "Share devices among network namespaces; default=1 (shared)");

struct core_netns *core_netns_of(struct net *net)
{
	return net_generic(net, core_netns_key);
}

bool core_netns_is_shared(void)
{
	return READ_ONCE(shared_netns);
}

/*
 * rdma_dev_access_netns - may this namespace use the device?
 */
bool rdma_dev_access_netns(const struct ib_device *dev, const struct net *net)
{
	return core_netns_is_shared() || net_eq(read_pnet(&dev->coredev.rdma_net), net);
}
EXPORT_SYMBOL(rdma_dev_access_netns);

/* Twins. */

static void release_twin(struct device *device)
{
	kfree(container_of(device, struct ib_core_device, dev));
}

static struct ib_core_device *make_twin(struct ib_device *dev, struct net *net)
{
	struct ib_core_device *twin = kzalloc(sizeof(*twin), GFP_KERNEL);
	int ret;

	if (!twin)
		return ERR_PTR(-ENOMEM);
	twin->dev.parent = dev->dev.parent;
	core_class_init_device(twin, dev, net);
	twin->dev.release = release_twin;
	ret = dev_set_name(&twin->dev, "%s", dev_name(&dev->dev));
	if (ret)
		goto put;
	ret = device_add(&twin->dev);
	if (ret)
		goto put;
	ret = core_sysfs_ports_add(twin);
	if (ret)
		goto del;
	return twin;
del:
	device_del(&twin->dev);
put:
	put_device(&twin->dev);
	return ERR_PTR(ret);
}

static void destroy_twin(struct ib_core_device *twin)
{
	core_sysfs_ports_remove(twin);
	device_del(&twin->dev);
	put_device(&twin->dev);
}

/* One twin of one device in one namespace; nothing to do where the device itself is. */
static int add_twin(struct ib_device *dev, struct core_netns *netns)
{
	struct net *net = read_pnet(&netns->net);
	struct ib_core_device *twin;
	int ret = 0;

	lockdep_assert_held(&core_netns_rwsem);
	if (!core_netns_is_shared() || net_eq(net, read_pnet(&dev->coredev.rdma_net)))
		return 0;
	/* A second twin of that name could not be, so this is only about being told twice. */
	mutex_lock(&dev->compat_devs_mutex);
	if (xa_load(&dev->compat_devs, netns->id))
		goto out;
	twin = make_twin(dev, net);
	if (IS_ERR(twin)) {
		ret = PTR_ERR(twin);
		goto out;
	}
	ret = xa_err(xa_store(&dev->compat_devs, netns->id, twin, GFP_KERNEL));
	if (ret)
		destroy_twin(twin);
out:
	mutex_unlock(&dev->compat_devs_mutex);
	return ret;
}

static void remove_twin(struct ib_device *dev, unsigned long id)
{
	struct ib_core_device *twin;

	mutex_lock(&dev->compat_devs_mutex);
	twin = xa_erase(&dev->compat_devs, id);
	mutex_unlock(&dev->compat_devs_mutex);
	if (twin)
		destroy_twin(twin);
}

int core_netns_add_compat(struct ib_device *dev)
{
	struct core_netns *netns;
	unsigned long id;
	int ret = 0;

	down_read(&core_netns_rwsem);
	xa_for_each(&core_netns_table, id, netns) {
		ret = add_twin(dev, netns);
		if (ret)
			break;
	}
	up_read(&core_netns_rwsem);
	return ret;
}

void core_netns_remove_compat(struct ib_device *dev)
{
	struct ib_core_device *twin;
	unsigned long id;

	xa_for_each(&dev->compat_devs, id, twin)
		remove_twin(dev, id);
}

void core_netns_rename_compat(struct ib_device *dev)
{
	struct ib_core_device *twin;
	unsigned long id;

	mutex_lock(&dev->compat_devs_mutex);
	xa_for_each(&dev->compat_devs, id, twin)
		if (core_class_rename(&twin->dev, dev_name(&dev->dev)))
			dev_warn(&twin->dev, "cannot be renamed with its device\n");
	mutex_unlock(&dev->compat_devs_mutex);
}

/* Moves between namespaces. */

/*
 * Clients are told that the device goes and comes, because what they hold open belongs to the old
 * namespace. The device stays registered throughout.
 */
static int move_device(struct ib_device *dev, struct net *from, struct net *to)
{
	int tries, ret;

	lockdep_assert_held(&dev->unregistration_lock);
	/* It may have been unregistered or moved while we came here. */
	if (!refcount_read(&dev->refcount) || core_netns_is_shared() ||
	    !net_eq(from, read_pnet(&dev->coredev.rdma_net)))
		return -ENODEV;
	mutex_lock(&core_registry_mutex);
	core_client_remove_all(dev);

	kobject_uevent(&dev->dev.kobj, KOBJ_REMOVE);
	dev_set_uevent_suppress(&dev->dev, true);
	write_pnet(&dev->coredev.rdma_net, to);
	/* Renaming to its own name makes sysfs move its entries to the new namespace. */
	ret = core_class_rename(&dev->dev, dev_name(&dev->dev));
	if (ret)
		write_pnet(&dev->coredev.rdma_net, from);
	dev_set_uevent_suppress(&dev->dev, false);
	kobject_uevent(&dev->dev.kobj, KOBJ_ADD);

	/* It has moved, so its clients come along, unless memory is gone for good. */
	for (tries = 0; tries < ADD_TRIES && core_client_add_all(dev); tries++)
		;
	mutex_unlock(&core_registry_mutex);
	return ret;
}

static int move_to(struct net *from, struct ib_device *dev, struct net *to)
{
	int ret;

	if (!ns_capable(to->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	/* A driver that cannot disassociate its users would leave them with a foreign device. */
	if (!dev->ops.disassociate_ucontext || core_netns_is_shared())
		return -EOPNOTSUPP;
	if (net_eq(from, to))
		return 0;
	/*
	 * Who holds the lock unregisters or moves the device. An unregistration waits for the
	 * caller's reference, so the caller must not wait for the lock.
	 */
	if (!mutex_trylock(&dev->unregistration_lock))
		return -EBUSY;
	ret = move_device(dev, from, to);
	mutex_unlock(&dev->unregistration_lock);
	return ret;
}

/*
 * core_netns_move - move a device to the namespace of a file descriptor
 * @from: where the caller is
 *
 * The caller holds a reference of ib_device_try_get() and keeps it. -EOPNOTSUPP in shared mode,
 * where a device belongs to everybody.
 */
int core_netns_move(struct net *from, struct ib_device *dev, int ns_fd)
{
	struct net *to = get_net_ns_by_fd(ns_fd);
	int ret;

	if (IS_ERR(to))
		return PTR_ERR(to);
	ret = move_to(from, dev, to);
	put_net(to);
	return ret;
}

/* The mode. */

static void remove_all_twins(void)
{
	struct ib_device *dev;
	unsigned long index = 0;

	while ((dev = core_device_next(NULL, &index))) {
		core_netns_remove_compat(dev);
		ib_device_put(dev);
	}
}

static int add_all_twins(void)
{
	struct ib_device *dev;
	unsigned long index = 0;
	int ret = 0;

	while (!ret && (dev = core_device_next(NULL, &index))) {
		ret = core_netns_add_compat(dev);
		ib_device_put(dev);
	}
	return ret;
}

/*
 * core_netns_set_shared - choose the mode; -EBUSY while there are namespaces beside the first
 */
int core_netns_set_shared(bool shared)
{
	struct core_netns *netns;
	unsigned long id;
	int ret = 0;

	down_write(&core_netns_rwsem);
	if (shared != shared_netns) {
		xa_for_each(&core_netns_table, id, netns)
			if (!net_eq(read_pnet(&netns->net), &init_net))
				ret = -EBUSY;
		if (!ret)
			WRITE_ONCE(shared_netns, shared);
	}
	up_write(&core_netns_rwsem);
	if (ret)
		return ret;
	if (!shared)
		remove_all_twins();
	else
		ret = add_all_twins();
	return ret;
}

/* Namespaces come and go. */

static int __net_init netns_init(struct net *net)
{
	struct core_netns *netns = core_netns_of(net);
	struct ib_device *dev;
	unsigned long index = 0;
	int ret;

	write_pnet(&netns->net, net);
	ret = core_nl_net_init(netns);
	if (ret)
		return ret;
	down_write(&core_netns_rwsem);
	ret = xa_alloc(&core_netns_table, &netns->id, netns, xa_limit_32b, GFP_KERNEL);
	up_write(&core_netns_rwsem);
	if (ret) {
		core_nl_net_exit(netns);
		return ret;
	}

	/* A device that comes from here on finds the namespace in the table. */
	while ((dev = core_device_next(NULL, &index))) {
		down_read(&core_netns_rwsem);
		ret = add_twin(dev, netns);
		up_read(&core_netns_rwsem);
		/* Without its twin the device is only unseen there. */
		if (ret)
			ibdev_warn(dev, "not shown in a new namespace (%d)\n", ret);
		ib_device_put(dev);
	}
	return 0;
}

/*
 * A device does not die with its namespace: it goes home. Takes over the caller's reference, which
 * must be gone before the lock is waited for.
 */
static void send_home(struct ib_device *dev, struct net *net)
{
	int ret;

	get_device(&dev->dev);
	ib_device_put(dev);
	mutex_lock(&dev->unregistration_lock);
	ret = move_device(dev, net, &init_net);
	mutex_unlock(&dev->unregistration_lock);
	if (ret && ret != -ENODEV)
		dev_warn(&dev->dev, "cannot leave a dying namespace (%d)\n", ret);
	put_device(&dev->dev);
}

static void __net_exit netns_exit(struct net *net)
{
	struct core_netns *netns = core_netns_of(net);
	struct ib_device *dev;
	unsigned long index = 0;

	down_write(&core_netns_rwsem);
	xa_erase(&core_netns_table, netns->id);
	up_write(&core_netns_rwsem);

	while ((dev = core_device_next(NULL, &index))) {
		remove_twin(dev, netns->id);
		if (!core_netns_is_shared() && !net_eq(net, &init_net) &&
		    net_eq(net, read_pnet(&dev->coredev.rdma_net)))
			send_home(dev, net);
		else
			ib_device_put(dev);
	}
	core_nl_net_exit(netns);
}

static struct pernet_operations netns_ops = {
	.init = netns_init,
	.exit = netns_exit,
	.id = &core_netns_key,
	.size = sizeof(struct core_netns),
};

int core_netns_init(void)
{
	return register_pernet_device(&netns_ops);
}

void core_netns_exit(void)
{
	unregister_pernet_device(&netns_ops);
	xa_destroy(&core_netns_table);
}
