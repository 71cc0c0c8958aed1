/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Netdev and address notifications, turned into GID table changes. main.c starts and stops it;
 * device.c asks for a scan of all netdevs when a device has become visible to notifications.
 */
#ifndef _CORE_ROCE_NETDEV_H
#define _CORE_ROCE_NETDEV_H

struct ib_device;

int core_roce_init(void);
void core_roce_exit(void);

/* Bring the tables of all devices up to date, later. From any context. */
void core_roce_rescan_all(void);

/*
 * Fills the GID tables of a device from all netdevs there are. Takes the RTNL. Exported under its
 * stock name; no public header declares it.
 */
void rdma_roce_rescan_device(struct ib_device *ib_dev);

#endif
