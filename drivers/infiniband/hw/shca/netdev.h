/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * netdev.h - what happens to the netdev below a device.
 */
#ifndef SHCA_NETDEV_H
#define SHCA_NETDEV_H

#include <rdma/ib_verbs.h>

struct shca_dev;

int shca_netdev_start(void);
void shca_netdev_stop(void);

/* Takes the port's state from the netdev; true when it changed. */
bool shca_netdev_refresh(struct shca_dev *dev);
/* For a device that was just registered: what its netdev went through before it could be found. */
void shca_netdev_catch_up(struct net_device *netdev);
enum ib_mtu shca_netdev_mtu(const struct shca_dev *dev);

#endif
