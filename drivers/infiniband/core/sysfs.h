/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What stands below /sys/class/infiniband/<device>: the device's attributes, its hardware counters
 * and the ports tree. The class itself is device.c's. A device in shared namespace mode has a
 * twin (struct ib_core_device) in every network namespace; all of them look the same.
 */
#ifndef _CORE_SYSFS_H
#define _CORE_SYSFS_H

#include <linux/sysfs.h>

struct ib_core_device;
struct ib_device;

/* device.c puts it into ib_device.groups[0]. */
extern const struct attribute_group core_sysfs_device_group;

/* Right after device_add() and right before device_del() of the device proper. */
int core_sysfs_device_add(struct ib_device *dev);
void core_sysfs_device_remove(struct ib_device *dev);

/* The same for a twin. */
int core_sysfs_ports_add(struct ib_core_device *coredev);
void core_sysfs_ports_remove(struct ib_core_device *coredev);

/* Fills dev->groups[dev->hw_stats_attr_index] if the driver counts; before device_add(). */
int core_sysfs_stats_setup(struct ib_device *dev);
/* At the last free of the device. */
void core_sysfs_stats_release(struct ib_device *dev);

#endif
