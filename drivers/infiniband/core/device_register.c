// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How a device comes to life: ib_register_device(), called by drivers. The order is the promise:
 * a client sees a device whose ports, GID tables and sysfs tree are complete, and user space gets
 * its uevent last of all.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "gid.h"
#include "port_cache.h"
#include "roce_netdev.h"
#include "sysfs.h"

/* What a kernel consumer cannot do without. A device that lacks one serves user space only. */
static bool has_kernel_verbs(const struct ib_device_ops *ops)
{
	const void *const needed[] = {
		ops->query_device, ops->query_port, ops->alloc_pd, ops->dealloc_pd,
		ops->create_qp, ops->modify_qp, ops->destroy_qp, ops->post_send,
		ops->post_recv, ops->create_cq, ops->destroy_cq, ops->poll_cq,
		ops->req_notify_cq, ops->get_dma_mr, ops->reg_user_mr, ops->dereg_mr,
		ops->get_port_immutable,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(needed); i++)
		if (!needed[i])
			return false;
	return true;
}

static int setup_attributes(struct ib_device *dev)
{
	struct ib_udata no_udata = {};
	int ret;

	dev->kverbs_provider = has_kernel_verbs(&dev->ops);
	ret = core_port_immutable_setup(dev);
	if (ret)
		return ret;
	memset(&dev->attrs, 0, sizeof(dev->attrs));
	ret = dev->ops.query_device(dev, &dev->attrs, &no_udata);
	if (ret)
		ibdev_warn(dev, "driver cannot tell its attributes (%d)\n", ret);
	return ret;
}

static int setup_tables(struct ib_device *dev)
{
	int ret;

	ret = core_gid_device_setup(dev);
	if (ret)
		return ret;
	ret = core_port_cache_setup(dev);
	if (ret)
		core_gid_device_cleanup(dev);
	return ret;
}

static int setup_sysfs(struct ib_device *dev)
{
	int ret;

	dev->groups[0] = &core_sysfs_device_group;
	dev->groups[1] = dev->ops.device_group;
	ret = core_sysfs_stats_setup(dev);
	if (ret)
		return ret;

	/* udev and others would find no ports yet; their notice comes when all is there. */
	dev_set_uevent_suppress(&dev->dev, true);
	ret = device_add(&dev->dev);
	if (ret)
		return ret;
	ret = core_sysfs_device_add(dev);
	if (ret)
		device_del(&dev->dev);
	return ret;
}

/*
 * From here on lookups, notifications and clients find the device. Returns with a reference for
 * the caller, so that nobody unregisters it under his feet.
 */
static int enable(struct ib_device *dev)
{
	int ret = 0;

	mutex_lock(&core_registry_mutex);
	reinit_completion(&dev->unreg_completion);
	/* One is the registration's, one the caller's. */
	refcount_set(&dev->refcount, 2);
	core_device_mark(dev, true);
	/* After the mark, so that an address added meanwhile is seen by either of the two. */
	rdma_roce_rescan_device(dev);
	if (dev->ops.enable_driver)
		ret = dev->ops.enable_driver(dev);
	/* A device without its uverbs node would be a device that no program can open. */
	if (!ret)
		ret = core_client_add_all(dev);
	mutex_unlock(&core_registry_mutex);
	if (!ret)
		ret = core_netns_add_compat(dev);
	return ret;
}

/*
 * ib_register_device - make a device usable
 * @dev: allocated by ib_alloc_device(), operations set
 * @name: its name; a "%d" in it becomes the lowest free number
 * @dma_device: does the DMA mappings; NULL when the driver works with kernel addresses
 *
 * On failure the device is as before, and the driver frees it by ib_dealloc_device().
 */
int ib_register_device(struct ib_device *dev, const char *name, struct device *dma_device)
{
	int ret;

	ret = core_device_assign_name(dev, name);
	if (ret)
		return ret;
	/* Without these parameters the DMA API would truncate segments behind our back. */
	WARN_ON(dma_device && !dma_device->dma_parms);
	dev->dma_device = dma_device;

	ret = setup_attributes(dev);
	if (ret)
		goto forget;
	ret = setup_tables(dev);
	if (ret)
		goto forget;
	core_cgroup_register(dev);
	ret = setup_sysfs(dev);
	if (ret)
		goto unregister_cgroup;

	ret = enable(dev);
	dev_set_uevent_suppress(&dev->dev, false);
	if (ret) {
		ib_device_put(dev);
		core_device_unregister(dev, false);
		return ret;
	}
	kobject_uevent(&dev->dev.kobj, KOBJ_ADD);
	ib_device_put(dev);
	return 0;

unregister_cgroup:
	core_cgroup_unregister(dev);
	core_port_cache_cleanup(dev);
	core_gid_device_cleanup(dev);
forget:
	core_device_forget(dev);
	return ret;
}
EXPORT_SYMBOL(ib_register_device);
