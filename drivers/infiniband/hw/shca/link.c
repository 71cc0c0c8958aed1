// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * link.c - makes a device when `rdma link add NAME type shca netdev DEV` asks for one.  rdma
 * netlink calls in; device.c does the work.  Deletion needs nothing here: ib_core unregisters the
 * device.
 */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>

#include "link.h"
#include "device.h"
#include "shca.h"

/* Serialises "is there one on this netdev" with its creation. */
static DEFINE_MUTEX(newlink_mutex);

static int newlink(const char *name, struct net_device *netdev)
{
	struct ib_device *present;
	int err;

	mutex_lock(&newlink_mutex);
	present = ib_device_get_by_netdev(netdev, (enum rdma_driver_id)SHCA_DRIVER_ID);
	if (present) {
		ib_device_put(present);
		err = -EEXIST;
	} else {
		err = shca_device_create(name, netdev);
	}
	mutex_unlock(&newlink_mutex);
	return err;
}

static struct rdma_link_ops link_ops = {
	.type = "shca",
	.newlink = newlink,
};

void shca_link_start(void)
{
	rdma_link_register(&link_ops);
}

void shca_link_stop(void)
{
	rdma_link_unregister(&link_ops);
}

MODULE_ALIAS_RDMA_LINK("shca");
