// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What the core keeps per port (struct ib_port_data) and the queries of a port: state, attributes,
 * speed. Registration sets the data up; drivers and clients query.
 */
#include <linux/ethtool.h>
#include <linux/inetdevice.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "port_cache.h"

/* The array is one longer than there are ports: port numbers start at 1 (0 on a switch). */
struct port_data_block {
	struct rcu_head rcu_head;	/* ports hang in an RCU hash (netdev.c) */
	struct ib_port_data ports[];
};

int core_port_data_alloc(struct ib_device *dev)
{
	struct port_data_block *block;
	u32 port;

	if (dev->port_data)
		return 0;
	/* Drivers say phys_port_cnt before anything else; 255 is what the ABI can carry. */
	if (WARN_ON(!dev->phys_port_cnt))
		return -EINVAL;
	block = kzalloc(struct_size(block, ports, size_add(rdma_end_port(dev), 1)), GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	dev->port_data = block->ports;

	rdma_for_each_port(dev, port) {
		struct ib_port_data *pdata = &dev->port_data[port];

		pdata->ib_dev = dev;
		spin_lock_init(&pdata->pkey_list_lock);
		INIT_LIST_HEAD(&pdata->pkey_list);
		spin_lock_init(&pdata->netdev_lock);
		INIT_HLIST_NODE(&pdata->ndev_hash_link);
	}
	return 0;
}

void core_port_data_free(struct ib_device *dev)
{
	struct port_data_block *block;

	if (!dev->port_data)
		return;
	block = container_of(dev->port_data, struct port_data_block, ports[0]);
	dev->port_data = NULL;
	kfree_rcu(block, rcu_head);
}

int core_port_immutable_setup(struct ib_device *dev)
{
	u32 port;
	int ret;

	ret = core_port_data_alloc(dev);
	if (ret)
		return ret;
	rdma_for_each_port(dev, port) {
		struct ib_port_immutable *immutable = &dev->port_data[port].immutable;

		ret = dev->ops.get_port_immutable(dev, port, immutable);
		if (ret)
			return ret;
		/* A MAD size without MAD support or the other way round is a driver's mistake. */
		if (WARN_ON(!rdma_cap_ib_mad(dev, port) && immutable->max_mad_size))
			return -EINVAL;
	}
	return 0;
}

/*
 * ib_port_immutable_read - what never changes of a port
 */
const struct ib_port_immutable *ib_port_immutable_read(struct ib_device *dev, unsigned int port)
{
	WARN_ON(!rdma_is_port_valid(dev, port));
	return &dev->port_data[port].immutable;
}
EXPORT_SYMBOL(ib_port_immutable_read);

enum rdma_transport_type rdma_node_get_transport(unsigned int node_type)
{
	switch (node_type) {
	case RDMA_NODE_RNIC:
		return RDMA_TRANSPORT_IWARP;
	case RDMA_NODE_USNIC:
		return RDMA_TRANSPORT_USNIC;
	case RDMA_NODE_USNIC_UDP:
		return RDMA_TRANSPORT_USNIC_UDP;
	case RDMA_NODE_UNSPECIFIED:
		return RDMA_TRANSPORT_UNSPECIFIED;
	default:
		return RDMA_TRANSPORT_IB;
	}
}
EXPORT_SYMBOL(rdma_node_get_transport);

/*
 * rdma_port_get_link_layer - InfiniBand or Ethernet
 *
 * The driver knows best; without its word the kind of node decides.
 */
enum rdma_link_layer rdma_port_get_link_layer(struct ib_device *dev, u32 port)
{
	if (dev->ops.get_link_layer)
		return dev->ops.get_link_layer(dev, port);
	if (rdma_node_get_transport(dev->node_type) == RDMA_TRANSPORT_IB)
		return IB_LINK_LAYER_INFINIBAND;
	return IB_LINK_LAYER_ETHERNET;
}
EXPORT_SYMBOL(rdma_port_get_link_layer);

/* An iWARP port is what its netdev is: up with carrier and an address. */
static int iwarp_port_base(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	struct net_device *ndev = core_netdev_get(dev, port);
	struct in_device *in_dev;
	bool has_address;

	if (!ndev)
		return -ENODEV;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ib_mtu_int_to_enum(ndev->mtu);

	rcu_read_lock();
	in_dev = __in_dev_get_rcu(ndev);
	has_address = in_dev && rcu_access_pointer(in_dev->ifa_list);
	rcu_read_unlock();

	if (!netif_carrier_ok(ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else if (has_address) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	} else {
		attr->state = IB_PORT_INIT;
		attr->phys_state = IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING;
	}
	dev_put(ndev);
	return 0;
}

/*
 * ib_query_port - the attributes of a port now
 */
int ib_query_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	int ret;

	if (!rdma_is_port_valid(dev, port))
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	if (rdma_protocol_iwarp(dev, port)) {
		ret = iwarp_port_base(dev, port, attr);
		if (ret)
			return ret;
	}
	ret = dev->ops.query_port(dev, port, attr);
	if (ret || rdma_port_get_link_layer(dev, port) != IB_LINK_LAYER_INFINIBAND)
		return ret;
	return ib_get_cached_subnet_prefix(dev, port, &attr->subnet_prefix);
}
EXPORT_SYMBOL(ib_query_port);

/*
 * ib_modify_port - change what is allowed of a port (-EOPNOTSUPP where the driver cannot)
 *
 * On RoCE capability bits mean nothing, so a change of them alone succeeds.
 */
int ib_modify_port(struct ib_device *dev, u32 port, int mask, struct ib_port_modify *modify)
{
	if (!rdma_is_port_valid(dev, port))
		return -EINVAL;
	if (dev->ops.modify_port)
		return dev->ops.modify_port(dev, port, mask, modify);
	if (rdma_protocol_roce(dev, port) &&
	    !((modify->set_port_cap_mask | modify->clr_port_cap_mask) & ~IB_PORT_CM_SUP))
		return 0;
	return -EOPNOTSUPP;
}
EXPORT_SYMBOL(ib_modify_port);

int ib_modify_device(struct ib_device *dev, int mask, struct ib_device_modify *modify)
{
	if (!dev->ops.modify_device)
		return -EOPNOTSUPP;
	return dev->ops.modify_device(dev, mask, modify);
}
EXPORT_SYMBOL(ib_modify_device);

void ib_get_device_fw_str(struct ib_device *dev, char *str)
{
	if (dev->ops.get_dev_fw_str)
		dev->ops.get_dev_fw_str(dev, str);
	else
		str[0] = '\0';
}
EXPORT_SYMBOL(ib_get_device_fw_str);

/* Ethernet speed in Mb/s, up to and including, and how InfiniBand would call such a link. */
static const struct {
	u32 mbps;
	u8 width;
	u16 speed;
} eth_speeds[] = {
	{ SPEED_1000,	IB_WIDTH_1X, IB_SPEED_SDR },
	{ SPEED_10000,	IB_WIDTH_1X, IB_SPEED_QDR },
	{ SPEED_20000,	IB_WIDTH_4X, IB_SPEED_DDR },
	{ SPEED_25000,	IB_WIDTH_1X, IB_SPEED_EDR },
	{ SPEED_40000,	IB_WIDTH_4X, IB_SPEED_FDR10 },
	{ SPEED_100000,	IB_WIDTH_4X, IB_SPEED_EDR },
	{ SPEED_200000,	IB_WIDTH_4X, IB_SPEED_HDR },
	{ U32_MAX,	IB_WIDTH_4X, IB_SPEED_NDR },
};

/*
 * ib_get_eth_speed - InfiniBand speed and width of the netdev below a port
 *
 * A netdev that does not know its speed counts as gigabit Ethernet. Takes the RTNL.
 */
int ib_get_eth_speed(struct ib_device *dev, u32 port, u16 *speed, u8 *width)
{
	struct ethtool_link_ksettings link;
	struct net_device *ndev;
	u32 mbps = SPEED_1000;
	int ret, i;

	if (rdma_port_get_link_layer(dev, port) != IB_LINK_LAYER_ETHERNET)
		return -EINVAL;
	ndev = core_netdev_get(dev, port);
	if (!ndev)
		return -ENODEV;
	rtnl_lock();
	ret = __ethtool_get_link_ksettings(ndev, &link);
	rtnl_unlock();
	if (!ret && link.base.speed != (u32)SPEED_UNKNOWN)
		mbps = link.base.speed;
	dev_put(ndev);

	for (i = 0; mbps > eth_speeds[i].mbps; i++)
		;
	*width = eth_speeds[i].width;
	*speed = eth_speeds[i].speed;
	return 0;
}
EXPORT_SYMBOL(ib_get_eth_speed);
