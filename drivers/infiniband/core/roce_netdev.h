/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Netdev and address notifications, turned into GID table changes. main.c starts and stops it;
 * device.c asks for a scan of all netdevs once a device's tables exist.
 */
#ifndef CORE_ROCE_NETDEV_H
#define CORE_ROCE_NETDEV_H

struct ib_device;

int core_roce_init(void);
void core_roce_exit(void);
/* Wait until every notification received so far has reached the tables. */
void core_roce_flush(void);

/* Not declared by any public header, exported under its stock name. Takes the RTNL. */
void rdma_roce_rescan_device(struct ib_device *ib_dev);

#endif
