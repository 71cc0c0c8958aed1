/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * /sys/class/infiniband: the class, the device attributes and the ports directories. device.c and
 * netns.c call in; both the device itself and its compat twins in other network namespaces
 * (struct ib_core_device) look the same to user space.
 */
#ifndef CORE_SYSFS_H
#define CORE_SYSFS_H

#include <linux/device.h>

struct ib_core_device;
struct ib_device;

/* The class "infiniband". Its dev_release is core_device_release() of device.c for the device
 * proper; compat devices set dev.release of their own, which the driver core prefers.
 */
extern struct class core_sysfs_class;

/* Register / unregister the class. Called by main.c. */
int core_sysfs_init(void);
void core_sysfs_exit(void);

/* The group that device.c puts into ib_device.groups[0]. */
extern const struct attribute_group core_sysfs_device_group;

/* Before device_add(): find a free place in dev->groups for hw_counters, if the driver has any. */
int core_sysfs_hw_stats_setup(struct ib_device *dev);
/* In the device's release. */
void core_sysfs_hw_stats_release(struct ib_device *dev);

/* After device_add() of @coredev: the ports/ tree. And its removal, before device_del(). */
int core_sysfs_ports_add(struct ib_core_device *coredev);
void core_sysfs_ports_remove(struct ib_core_device *coredev);

#endif
