// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * dev.c - the device: tables and references.
 *
 * Called by the host.  A device is kept by its host, by QPs that have it as peer, and by whatever
 * else the host counts; it may outlive the host's own device, empty and with its port down.
 */
#include "types.h"

/* Devices made so far. */
static u64 devices;

void eng_dev_init(struct eng_dev *dev, const struct eng_ops *ops)
{
	dev->ops = ops;
	env_ref_init(&dev->refs);
	env_table_init(&dev->qps);
	env_table_init(&dev->mrs);
	env_table_init(&dev->ahs);
	env_table_init(&dev->srqs);
	dev->mr_generation = 1;
	/* Unlike that of any other device, past ones included: QPs remember it across devices. */
	dev->qp_generation = (env_fetch_add(&devices, 1) + 1) << 40;
	dev->port_up = 0;
	dev->port_mtu = ENG_PATH_MTU_MAX;
	env_lock_init(&dev->mcast_lock);
	dev->mcast_members = NULL;
	env_lock_init(&dev->counter_lock);
}

void eng_dev_get(struct eng_dev *dev)
{
	env_ref_get(&dev->refs);
}

void eng_dev_put(struct eng_dev *dev)
{
	if (!env_ref_put(&dev->refs))
		return;
	env_table_destroy(&dev->qps);
	env_table_destroy(&dev->mrs);
	env_table_destroy(&dev->ahs);
	env_table_destroy(&dev->srqs);
	dev->ops->dev_idle(dev);
}
