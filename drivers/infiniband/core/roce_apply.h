/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the GID tables of a device follow the addresses that netdevs have now. roce_netdev.c calls
 * in, from its work item or under the RTNL; all of it may sleep.
 */
#ifndef _CORE_ROCE_APPLY_H
#define _CORE_ROCE_APPLY_H

struct ib_device;
struct net_device;
union ib_gid;

/* All entries of @ndev: the default one and those of its addresses. */
void core_roce_apply_netdev(struct ib_device *dev, struct net_device *ndev);
/*
 * The same after a change of its MAC. Devices that keep the MAC in their own table get every entry
 * anew; elsewhere entries whose GID did not change keep their index and users.
 */
void core_roce_apply_new_mac(struct ib_device *dev, struct net_device *ndev);
/* Only the entry of one address, which was added or removed. */
void core_roce_apply_address(struct ib_device *dev, struct net_device *ndev,
			     const union ib_gid *gid);
/* Entries of netdevs that are going away. */
void core_roce_apply_departed(struct ib_device *dev);

#endif
