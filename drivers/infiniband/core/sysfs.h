/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * /sys/class/infiniband: the class, each device's attributes, its hardware counters and the ports
 * tree. main.c, device.c and netns.c call in. A device in shared namespace mode has a twin (struct
 * ib_core_device) in every other network namespace; all of them look the same.
 */
#ifndef _CORE_SYSFS_H
#define _CORE_SYSFS_H

#include <linux/device.h>

struct ib_core_device;
struct ib_device;

/*
 * The class "infiniband". Its release is core_device_release() of device.c; twins carry a release
 * of their own.
 */
extern struct class core_sysfs_class;

int core_sysfs_init(void);
void core_sysfs_exit(void);

/* For ib_device.groups[0]. */
extern const struct attribute_group core_sysfs_device_group;

/* Puts the hw_counters group into dev->groups if the driver counts; before device_add(). */
int core_sysfs_hw_stats_setup(struct ib_device *dev);
/* At the last free of the device. */
void core_sysfs_hw_stats_release(struct ib_device *dev);

/* The ports tree of the device or of a twin: after device_add() and before device_del(). */
int core_sysfs_ports_add(struct ib_core_device *coredev);
void core_sysfs_ports_remove(struct ib_core_device *coredev);

#endif
