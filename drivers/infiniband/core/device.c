// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of devices: allocation, names, indices, lookups, and the end of their memory.
 * Drivers call _ib_alloc_device() and ib_dealloc_device(); netlink and the other files of ib_core
 * look devices up here. Registration is in device_register.c, its reverse in device_unregister.c.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "gid.h"
#include "sysfs.h"

#define DEVICE_REGISTERED XA_MARK_1

/* Serialises every change of who is registered: devices and clients. */
DEFINE_MUTEX(core_registry_mutex);

/*
 * core_devices_rwsem protects core_devices, its marks, and the names of its members. It is held
 * for short lookups and changes only, never over a callback.
 */
static DECLARE_RWSEM(core_devices_rwsem);
static DEFINE_XARRAY_FLAGS(core_devices, XA_FLAGS_ALLOC);
static u32 core_device_last_index;

/* write() commands that every driver gets; a driver takes off or adds with uverbs_cmd_mask. */
static const u8 default_cmds[] = {
	IB_USER_VERBS_CMD_GET_CONTEXT, IB_USER_VERBS_CMD_QUERY_DEVICE,
	IB_USER_VERBS_CMD_QUERY_PORT, IB_USER_VERBS_CMD_ALLOC_PD,
	IB_USER_VERBS_CMD_DEALLOC_PD, IB_USER_VERBS_CMD_CREATE_AH,
	IB_USER_VERBS_CMD_DESTROY_AH, IB_USER_VERBS_CMD_REG_MR,
	IB_USER_VERBS_CMD_REREG_MR, IB_USER_VERBS_CMD_DEREG_MR,
	IB_USER_VERBS_CMD_ALLOC_MW, IB_USER_VERBS_CMD_DEALLOC_MW,
	IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, IB_USER_VERBS_CMD_CREATE_CQ,
	IB_USER_VERBS_CMD_RESIZE_CQ, IB_USER_VERBS_CMD_DESTROY_CQ,
	IB_USER_VERBS_CMD_CREATE_QP, IB_USER_VERBS_CMD_QUERY_QP,
	IB_USER_VERBS_CMD_MODIFY_QP, IB_USER_VERBS_CMD_DESTROY_QP,
	IB_USER_VERBS_CMD_ATTACH_MCAST, IB_USER_VERBS_CMD_DETACH_MCAST,
	IB_USER_VERBS_CMD_CREATE_SRQ, IB_USER_VERBS_CMD_MODIFY_SRQ,
	IB_USER_VERBS_CMD_QUERY_SRQ, IB_USER_VERBS_CMD_DESTROY_SRQ,
	IB_USER_VERBS_CMD_OPEN_XRCD, IB_USER_VERBS_CMD_CLOSE_XRCD,
	IB_USER_VERBS_CMD_CREATE_XSRQ, IB_USER_VERBS_CMD_OPEN_QP,
};

static u64 default_cmd_mask(void)
{
	u64 mask = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(default_cmds); i++)
		mask |= BIT_ULL(default_cmds[i]);
	return mask;
}

static void init_locks_and_lists(struct ib_device *dev)
{
	INIT_LIST_HEAD(&dev->event_handler_list);
	init_rwsem(&dev->event_handler_rwsem);
	spin_lock_init(&dev->qp_open_list_lock);
	init_rwsem(&dev->client_data_rwsem);
	xa_init_flags(&dev->client_data, XA_FLAGS_ALLOC);
	mutex_init(&dev->unregistration_lock);
	rwlock_init(&dev->cache_lock);
	mutex_init(&dev->compat_devs_mutex);
	xa_init_flags(&dev->compat_devs, XA_FLAGS_ALLOC);
	init_completion(&dev->unreg_completion);
	INIT_WORK(&dev->unregistration_work, core_device_unregister_work);
	core_cq_pool_init(dev);
}

/*
 * _ib_alloc_device - memory for a device, @size bytes that begin with a struct ib_device
 *
 * Zeroed, ready for ib_set_device_ops() and ib_register_device(). NULL without memory.
 */
struct ib_device *_ib_alloc_device(size_t size)
{
	struct ib_device *dev;

	if (WARN_ON(size < sizeof(*dev)))
		return NULL;
	dev = kzalloc(size, GFP_KERNEL);
	if (!dev)
		return NULL;
	dev->res = core_restrack_alloc();
	if (!dev->res) {
		kfree(dev);
		return NULL;
	}
	init_locks_and_lists(dev);
	dev->index = U32_MAX;	/* in no table yet */
	dev->uverbs_cmd_mask = default_cmd_mask();

	core_class_init_device(&dev->coredev, dev, &init_net);
	return dev;
}
EXPORT_SYMBOL(_ib_alloc_device);

/* The last reference to the memory is gone: nobody can look the device up any more. */
void core_device_release(struct device *device)
{
	struct ib_device *dev = container_of(device, struct ib_device, dev);

	WARN_ON(refcount_read(&dev->refcount));
	if (dev->port_data)
		core_gid_device_release(dev);
	core_sysfs_stats_release(dev);
	core_port_data_free(dev);
	core_restrack_free(dev);
	xa_destroy(&dev->compat_devs);
	xa_destroy(&dev->client_data);
	mutex_destroy(&dev->unregistration_lock);
	mutex_destroy(&dev->compat_devs_mutex);
	kfree_rcu(dev, rcu_head);
}

/*
 * ib_dealloc_device - undo _ib_alloc_device() of a device that is not registered
 *
 * Memory goes when the last reference to the struct device goes.
 */
void ib_dealloc_device(struct ib_device *dev)
{
	if (dev->ops.dealloc_driver)
		dev->ops.dealloc_driver(dev);
	core_device_forget(dev);
	core_netdev_release(dev);
	WARN_ON(!xa_empty(&dev->client_data));
	WARN_ON(refcount_read(&dev->refcount));
	put_device(&dev->dev);
}
EXPORT_SYMBOL(ib_dealloc_device);

/* Names. */

static struct ib_device *find_by_name(const char *name)
{
	struct ib_device *dev;
	unsigned long index;

	lockdep_assert_held(&core_devices_rwsem);
	xa_for_each(&core_devices, index, dev)
		if (!strcmp(name, dev_name(&dev->dev)))
			return dev;
	return NULL;
}

/*
 * Fills in a "%d" pattern with the lowest free number. The loop ends after at most as many rounds
 * as there are devices, because each number tried is taken by one of them.
 */
static int name_from_pattern(struct ib_device *dev, const char *pattern)
{
	char name[IB_DEVICE_NAME_MAX];
	int number;

	lockdep_assert_held_write(&core_devices_rwsem);
	for (number = 0; ; number++) {
		if (snprintf(name, sizeof(name), pattern, number) >= sizeof(name))
			return -ENAMETOOLONG;
		if (!find_by_name(name))
			return dev_set_name(&dev->dev, "%s", name);
	}
}

int core_device_assign_name(struct ib_device *dev, const char *name)
{
	int ret;

	down_write(&core_devices_rwsem);
	if (strchr(name, '%'))
		ret = name_from_pattern(dev, name);
	else if (strlen(name) >= IB_DEVICE_NAME_MAX)
		ret = -ENAMETOOLONG;
	else if (find_by_name(name))
		ret = -ENFILE;
	else
		ret = dev_set_name(&dev->dev, "%s", name);
	if (ret)
		goto out;

	strscpy(dev->name, dev_name(&dev->dev), sizeof(dev->name));
	ret = xa_alloc_cyclic(&core_devices, &dev->index, dev, xa_limit_31b,
			      &core_device_last_index, GFP_KERNEL);
	if (ret > 0)
		ret = 0;
	if (ret)
		dev->index = U32_MAX;
out:
	up_write(&core_devices_rwsem);
	return ret;
}

void core_device_forget(struct ib_device *dev)
{
	down_write(&core_devices_rwsem);
	if (dev->index != U32_MAX && xa_load(&core_devices, dev->index) == dev)
		xa_erase(&core_devices, dev->index);
	up_write(&core_devices_rwsem);
}

void core_device_mark(struct ib_device *dev, bool registered)
{
	lockdep_assert_held(&core_registry_mutex);
	down_write(&core_devices_rwsem);
	if (registered)
		xa_set_mark(&core_devices, dev->index, DEVICE_REGISTERED);
	else
		xa_clear_mark(&core_devices, dev->index, DEVICE_REGISTERED);
	up_write(&core_devices_rwsem);
}

static int rename_locked(struct ib_device *dev, const char *name)
{
	int ret;

	lockdep_assert_held_write(&core_devices_rwsem);
	if (find_by_name(name))
		return -EEXIST;
	ret = core_class_rename(&dev->dev, name);
	if (!ret)
		strscpy(dev->name, name, sizeof(dev->name));
	return ret;
}

/*
 * core_device_rename - give a registered device another name
 *
 * The caller holds a reference of ib_device_try_get(). Its twins in other namespaces and the
 * clients learn of it.
 */
int core_device_rename(struct ib_device *dev, const char *name)
{
	int ret;

	if (!*name || strlen(name) >= IB_DEVICE_NAME_MAX || strpbrk(name, "/%"))
		return -EINVAL;
	mutex_lock(&core_registry_mutex);
	if (!strcmp(name, dev_name(&dev->dev))) {
		mutex_unlock(&core_registry_mutex);
		return 0;
	}
	down_write(&core_devices_rwsem);
	ret = rename_locked(dev, name);
	up_write(&core_devices_rwsem);
	if (!ret) {
		core_netns_rename_compat(dev);
		core_client_rename(dev);
	}
	mutex_unlock(&core_registry_mutex);
	return ret;
}

int core_device_set_dim(struct ib_device *dev, u8 use_dim)
{
	if (use_dim > 1)
		return -EINVAL;
	dev->use_cq_dim = use_dim;
	return 0;
}

/* Lookups. */

struct ib_device *core_device_next(const struct net *net, unsigned long *index)
{
	struct ib_device *dev;

	down_read(&core_devices_rwsem);
	for (dev = xa_find(&core_devices, index, ULONG_MAX, DEVICE_REGISTERED); dev;
	     dev = xa_find_after(&core_devices, index, ULONG_MAX, DEVICE_REGISTERED)) {
		if (net && !rdma_dev_access_netns(dev, net))
			continue;
		if (ib_device_try_get(dev))
			break;
	}
	if (dev)
		(*index)++;
	up_read(&core_devices_rwsem);
	return dev;
}

struct ib_device *core_device_next_of_driver(enum rdma_driver_id driver_id, unsigned long *index)
{
	struct ib_device *dev;

	down_read(&core_devices_rwsem);
	for (dev = xa_find(&core_devices, index, ULONG_MAX, XA_PRESENT); dev;
	     dev = xa_find_after(&core_devices, index, ULONG_MAX, XA_PRESENT))
		if (dev->ops.driver_id == driver_id)
			break;
	if (dev) {
		get_device(&dev->dev);
		(*index)++;
	}
	up_read(&core_devices_rwsem);
	return dev;
}

struct ib_device *core_device_get_by_index(const struct net *net, u32 index)
{
	struct ib_device *dev;

	down_read(&core_devices_rwsem);
	dev = xa_load(&core_devices, index);
	if (dev && (!rdma_dev_access_netns(dev, net) || !ib_device_try_get(dev)))
		dev = NULL;
	up_read(&core_devices_rwsem);
	return dev;
}

/*
 * ib_device_get_by_name - the registered device of that name
 * @name: its name
 * @driver_id: its driver, or RDMA_DRIVER_UNKNOWN for any
 *
 * NULL when there is none, else the caller owes an ib_device_put().
 */
struct ib_device *ib_device_get_by_name(const char *name, enum rdma_driver_id driver_id)
{
	struct ib_device *dev;

	down_read(&core_devices_rwsem);
	dev = find_by_name(name);
	if (dev && driver_id != RDMA_DRIVER_UNKNOWN && dev->ops.driver_id != driver_id)
		dev = NULL;
	if (dev && !ib_device_try_get(dev))
		dev = NULL;
	up_read(&core_devices_rwsem);
	return dev;
}
EXPORT_SYMBOL(ib_device_get_by_name);

/*
 * ib_device_put - drop a reference of ib_device_try_get() or of a lookup
 */
void ib_device_put(struct ib_device *dev)
{
	if (refcount_dec_and_test(&dev->refcount))
		complete(&dev->unreg_completion);
}
EXPORT_SYMBOL(ib_device_put);

void core_device_exit(void)
{
	WARN_ON(!xa_empty(&core_devices));
	xa_destroy(&core_devices);
}
