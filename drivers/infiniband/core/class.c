// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The class "infiniband" of the driver core. Devices (device.c) and their twins in other network
 * namespaces (netns.c) belong to it; a namespace sees in /sys/class/infiniband what is its own.
 */
#include <linux/device.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* As many as it takes to finish what was begun, unless memory is gone for good. */
#define RENAME_TRIES	4

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

/*
 * core_class_rename - another name, or the same in another network namespace
 *
 * device_rename() moves the class's link first and the directory then. Where the second finds no
 * memory the first stays moved, and no later try finds it: what remains is done here.
 */
int core_class_rename(struct device *device, const char *name)
{
	int tries, ret;

	for (tries = 0; tries < RENAME_TRIES; tries++) {
		ret = device_rename(device, name);
		/* The link is no longer where it was. */
		if (ret == -ENOENT)
			ret = kobject_rename(&device->kobj, name);
		if (ret != -ENOMEM)
			break;
	}
	return ret;
}

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
