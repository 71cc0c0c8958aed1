/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * device.h - one software HCA on a netdev.
 */
#ifndef SHCA_DEVICE_H
#define SHCA_DEVICE_H

#include <linux/types.h>

struct net_device;
struct eng_dev;

/* Allocates and registers; ib_core removes it again.  No device of ours is on @netdev yet. */
int shca_device_create(const char *name, struct net_device *netdev);

/* ops->dev_idle of the engine. */
void shca_device_engine_idle(struct eng_dev *eng);

#endif
