// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * device.c - allocates a software HCA, gathers its operations from the rooms, registers it with
 * ib_core, and takes it apart when ib_core says that the last user left.  Called by link.c.
 */
#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>

#include "device.h"
#include "netdev.h"
#include "null.h"
#include "route.h"
#include "runner.h"
#include "shca.h"
#include "udp_socket.h"

/* The engine device with its RCU head: lookups may still read it when its last reference goes. */
struct engine {
	struct eng_dev dev;
	struct rcu_head rcu;
};

void shca_device_engine_idle(struct eng_dev *eng)
{
	kfree_rcu(container_of(eng, struct engine, dev), rcu);
}

/* EUI-64 of the MAC; a netdev without one gets a locally administered one that is stable. */
static __be64 make_guid(const struct net_device *netdev)
{
	u8 mac[ETH_ALEN] = { 0x02, 's', 'h', 0, 0, 0 };
	__be64 guid;

	if (netdev->addr_len == ETH_ALEN && !is_zero_ether_addr(netdev->dev_addr)) {
		ether_addr_copy(mac, netdev->dev_addr);
	} else {
		mac[3] = netdev->ifindex >> 16;
		mac[4] = netdev->ifindex >> 8;
		mac[5] = netdev->ifindex;
	}
	addrconf_addr_eui48((u8 *)&guid, mac);
	return guid;
}

static void dealloc_driver(struct ib_device *ib)
{
	struct shca_dev *dev = shca_dev_of(ib);

	if (dev->routed)
		shca_route_remove(dev);
	/* No packet meets it from here on. */
	shca_udp_socket_leave(dev);
	shca_null_destroy(dev);
	/* Address handles that were destroyed where one may not sleep. */
	shca_runner_flush();
	WRITE_ONCE(dev->eng->port_up, 0);
	eng_dev_put(dev->eng);
	shca_numbers_destroy(&dev->keys);
	shca_numbers_destroy(&dev->ahns);
	shca_numbers_destroy(&dev->srqns);
	shca_numbers_destroy(&dev->qpns);
	free_percpu(dev->wire_stats);
	__free_page(dev->doorbell_page);
	dev_put(dev->netdev);
}

/* Tables of GIDs exist from here until dealloc_driver: the device can be a destination. */
static int enable_driver(struct ib_device *ib)
{
	struct shca_dev *dev = shca_dev_of(ib);

	shca_route_add(dev);
	dev->routed = true;
	shca_route_changed();
	return 0;
}

static const struct ib_device_ops device_ops = {
	.owner = THIS_MODULE,
	.driver_id = (enum rdma_driver_id)SHCA_DRIVER_ID,
	.uverbs_abi_ver = SHCA_ABI_VERSION,
	.enable_driver = enable_driver,
	.dealloc_driver = dealloc_driver,
};

static const struct ib_device_ops *const all_ops[] = {
	&device_ops, &shca_verbs_device_ops, &shca_verbs_context_ops, &shca_verbs_mr_ops,
	&shca_verbs_mw_ops, &shca_verbs_fast_ops, &shca_verbs_xrcd_ops,
	&shca_verbs_dm_ops,
	&shca_verbs_cq_ops, &shca_verbs_qp_ops, &shca_verbs_srq_ops, &shca_verbs_ah_ops,
	&shca_post_ops, &shca_hw_counters_ops,
};

static int alloc_parts(struct shca_dev *dev)
{
	struct shca_doorbell_page *shown;
	struct engine *engine;

	dev->doorbell_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!dev->doorbell_page)
		return -ENOMEM;
	shown = page_address(dev->doorbell_page);
	shown->live = SHCA_DOORBELL_LIVE;

	engine = kzalloc(sizeof(*engine), GFP_KERNEL);
	if (!engine)
		goto free_page;
	dev->wire_stats = alloc_percpu(struct shca_wire_stats);
	if (!dev->wire_stats)
		goto free_engine;
	dev->eng = &engine->dev;
	eng_dev_init(dev->eng, &shca_runner_eng_ops);

	shca_numbers_init(&dev->qpns, SHCA_FIRST_QPN, 0xfffffe);
	shca_numbers_init(&dev->srqns, 1, 0xffffff);
	shca_numbers_init(&dev->ahns, 1, 0xffffff);
	shca_numbers_init(&dev->keys, 1, 0xffffff);
	if (shca_null_create(dev))
		goto free_stats;
	if (shca_udp_socket_join(dev))
		goto destroy_null;
	return 0;

destroy_null:
	shca_null_destroy(dev);
free_stats:
	free_percpu(dev->wire_stats);
free_engine:
	kfree(engine);
free_page:
	__free_page(dev->doorbell_page);
	return -ENOMEM;
}

/* Objects of our own, and what we add to those of ib_uverbs. */
static const struct uapi_definition defs[] = {
	UAPI_DEF_CHAIN(shca_doorbell_defs),
	UAPI_DEF_CHAIN(shca_verbs_context_defs),
	UAPI_DEF_CHAIN(shca_verbs_dm_defs),
	{}
};

static void describe(struct shca_dev *dev)
{
	struct ib_device *ib = &dev->ib;
	int i;

	strscpy(ib->node_desc, "shca", sizeof(ib->node_desc));
	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = SHCA_PORT;
	ib->num_comp_vectors = num_possible_cpus();
	ib->node_guid = make_guid(dev->netdev);
	ib->local_dma_lkey = 0;
	for (i = 0; i < ARRAY_SIZE(all_ops); i++)
		ib_set_device_ops(ib, all_ops[i]);
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ib->driver_def = defs;
}

int shca_device_create(const char *name, struct net_device *netdev)
{
	struct shca_dev *dev = ib_alloc_device(shca_dev, ib);
	int err;

	if (!dev)
		return -ENOMEM;
	dev->netdev = netdev;
	err = alloc_parts(dev);
	if (err) {
		/* dealloc_driver is not among the operations yet. */
		ib_dealloc_device(&dev->ib);
		return err;
	}
	dev_hold(netdev);
	describe(dev);
	shca_netdev_refresh(dev);

	err = ib_device_set_netdev(&dev->ib, netdev, SHCA_PORT);
	if (!err)
		err = ib_register_device(&dev->ib, name, NULL);
	if (err)
		ib_dealloc_device(&dev->ib);
	else
		shca_netdev_catch_up(netdev);
	return err;
}
