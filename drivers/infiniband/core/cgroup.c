// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The rdma cgroup: each device is known to the controller, and ib_uverbs charges a handle or an
 * object to the creating task's group before it makes one.
 */
#include <linux/cgroup_rdma.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

#ifdef CONFIG_CGROUP_RDMA
void core_cgroup_register(struct ib_device *dev)
{
	dev->cg_device.name = dev->name;
	rdmacg_register_device(&dev->cg_device);
}

void core_cgroup_unregister(struct ib_device *dev)
{
	rdmacg_unregister_device(&dev->cg_device);
}

int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *dev,
			 enum rdmacg_resource_type type)
{
	return rdmacg_try_charge(&cg_obj->cg, &dev->cg_device, type);
}

void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj, struct ib_device *dev,
			enum rdmacg_resource_type type)
{
	rdmacg_uncharge(cg_obj->cg, &dev->cg_device, type);
}
#else
void core_cgroup_register(struct ib_device *dev) { }
void core_cgroup_unregister(struct ib_device *dev) { }

int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *dev,
			 enum rdmacg_resource_type type)
{
	return 0;
}

void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj, struct ib_device *dev,
			enum rdmacg_resource_type type)
{
}
#endif
EXPORT_SYMBOL(ib_rdmacg_try_charge);
EXPORT_SYMBOL(ib_rdmacg_uncharge);
