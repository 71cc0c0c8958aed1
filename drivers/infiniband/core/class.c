// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The class "infiniband" of the driver core. Devices (device.c) and their twins in other network
 * namespaces (netns.c) belong to it; a namespace sees in /sys/class/infiniband what is its own.
 */
#include <linux/device.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

static const void *net_of(struct device *device)
{
	const struct ib_core_device *coredev = container_of(device, struct ib_core_device, dev);

	return read_pnet(&coredev->rdma_net);
}

static int class_uevent(struct device *device, struct kobj_uevent_env *env)
{
	/* udev rules that rename devices look at NAME. */
	return add_uevent_var(env, "NAME=%s", dev_name(device)) ? -ENOMEM : 0;
}

struct class core_device_class = {
	.name = "infiniband",
	.dev_release = core_device_release,
	.dev_uevent = class_uevent,
	.ns_type = &net_ns_type_operations,
	.namespace = net_of,
};

void core_class_init_device(struct ib_core_device *coredev, struct ib_device *owner,
			    struct net *net)
{
	coredev->owner = owner;
	INIT_LIST_HEAD(&coredev->port_list);
	write_pnet(&coredev->rdma_net, net);
	coredev->dev.class = &core_device_class;
	coredev->dev.groups = owner->groups;
	device_initialize(&coredev->dev);
}
