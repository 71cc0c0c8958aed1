/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What stands below /sys/class/infiniband/<device>: the device's attributes, its hardware counters
 * and the ports tree. The class is class.c's; device.c, device_register.c and netns.c call in. A
 * device in shared namespace mode has a twin (struct ib_core_device) in every other network
 * namespace, which looks the same but has no hardware counters.
 */
#ifndef _CORE_SYSFS_H
#define _CORE_SYSFS_H

#include <linux/sysfs.h>

struct ib_core_device;
struct ib_device;
struct rdma_hw_stats;

/* For ib_device.groups[0]. */
extern const struct attribute_group core_sysfs_device_group;

/* Puts the hw_counters group into dev->groups if the driver counts; before device_add(). */
int core_sysfs_stats_setup(struct ib_device *dev);
/* At the last free of the device. */
void core_sysfs_stats_release(struct ib_device *dev);
/* The counters of a device or of a port, or NULL; nldev reports the same ones. */
struct rdma_hw_stats *core_sysfs_stats_of_device(struct ib_device *dev);
struct rdma_hw_stats *core_sysfs_stats_of_port(struct ib_device *dev, u32 port);

/* The ports tree of a device: after device_add() and before device_del(). */
int core_sysfs_device_add(struct ib_device *dev);
void core_sysfs_device_remove(struct ib_device *dev);
/* The same for a twin. */
int core_sysfs_ports_add(struct ib_core_device *coredev);
void core_sysfs_ports_remove(struct ib_core_device *coredev);

/*
 * Groups that a client (ib_cm has counters) hangs below a port. Exported under their stock names;
 * no public header declares them.
 */
int ib_port_register_client_groups(struct ib_device *ibdev, u32 port_num,
				   const struct attribute_group **groups);
void ib_port_unregister_client_groups(struct ib_device *ibdev, u32 port_num,
				      const struct attribute_group **groups);

#endif
