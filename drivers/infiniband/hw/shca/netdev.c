// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * netdev.c - follows the netdev of each device: port state, MTU, removal.  The network stack's
 * notifier calls in; port events go to ib_core, routes are looked at again.
 */
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>

#include "netdev.h"
#include "route.h"
#include "shca.h"

bool shca_netdev_refresh(struct shca_dev *dev)
{
	u32 active = netif_running(dev->netdev) && netif_carrier_ok(dev->netdev);

	WRITE_ONCE(dev->eng->port_up, active);
	WRITE_ONCE(dev->eng->port_mtu, ib_mtu_enum_to_int(shca_netdev_mtu(dev)));
	return xchg(&dev->port_active, active) != active;
}

enum ib_mtu shca_netdev_mtu(const struct shca_dev *dev)
{
	enum ib_mtu mtu = iboe_get_mtu(READ_ONCE(dev->netdev->mtu));

	return mtu ? mtu : IB_MTU_256;
}

static void tell_port(struct shca_dev *dev)
{
	struct ib_event event = {
		.device = &dev->ib,
		.element.port_num = SHCA_PORT,
		.event = dev->port_active ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	ib_dispatch_event(&event);
}

/* The caller counts the device. */
static void remove(struct shca_dev *dev)
{
	WRITE_ONCE(dev->eng->port_up, 0);
	ib_unregister_device_queued(&dev->ib);
}

static void refresh_and_tell(struct shca_dev *dev)
{
	if (shca_netdev_refresh(dev))
		tell_port(dev);
	shca_route_changed();
}

void shca_netdev_catch_up(struct net_device *netdev)
{
	struct ib_device *ib;

	ib = ib_device_get_by_netdev(netdev, (enum rdma_driver_id)SHCA_DRIVER_ID);
	if (!ib)
		return;
	if (READ_ONCE(netdev->reg_state) == NETREG_REGISTERED)
		refresh_and_tell(shca_dev_of(ib));
	else
		remove(shca_dev_of(ib));
	ib_device_put(ib);
}

static int notify(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(arg);
	struct ib_device *ib;
	struct shca_dev *dev;

	ib = ib_device_get_by_netdev(netdev, (enum rdma_driver_id)SHCA_DRIVER_ID);
	if (!ib)
		return NOTIFY_DONE;
	dev = shca_dev_of(ib);

	switch (event) {
	case NETDEV_UNREGISTER:
		/* Also sent when the netdev moves to another network namespace. */
		remove(dev);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_GOING_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
		refresh_and_tell(dev);
		break;
	case NETDEV_CHANGEADDR:
		shca_route_changed();
		break;
	}
	ib_device_put(ib);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = notify };

int shca_netdev_start(void)
{
	return register_netdevice_notifier(&notifier);
}

void shca_netdev_stop(void)
{
	unregister_netdevice_notifier(&notifier);
}
