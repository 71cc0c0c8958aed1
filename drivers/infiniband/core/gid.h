/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The GID tables of a device's ports. device.c calls setup, cleanup and release; roce_addr.c and
 * roce_apply.c feed the tables of RoCE ports, port_cache.c those of InfiniBand and iWARP ports.
 * Consumers use the exported rdma_*gid* calls of <rdma/ib_cache.h>.
 *
 * Life of an entry: a table slot owns one reference while the entry is live. Deleting takes that
 * reference away at once and waits for nobody; the slot stays taken (its index means the old
 * entry) until the last rdma_put_gid_attr(), which frees it in a work item.
 */
#ifndef CORE_GID_H
#define CORE_GID_H

#include <linux/types.h>

struct ib_device;
struct ib_gid_attr;
struct net_device;
union ib_gid;

/* What a GID must match to be deleted; bits of the mask of core_gid_del_matching(). */
enum core_gid_match {
	CORE_GID_MATCH_GID = 1 << 0,
	CORE_GID_MATCH_TYPE = 1 << 1,
	CORE_GID_MATCH_NDEV = 1 << 2,
	CORE_GID_MATCH_DEFAULT = 1 << 3,
};

/* Called by device.c: after port_data and immutables are known, before clients see the device. */
int core_gid_device_setup(struct ib_device *dev);
/* Called by device.c when the device is unregistered and all clients are gone. */
void core_gid_device_cleanup(struct ib_device *dev);
/* Called by device.c from the device's release: nobody can reach the tables any more. */
void core_gid_device_release(struct ib_device *dev);

/* The feeders' side. All may sleep. @attr needs gid, gid_type and ndev (may be NULL on IB). */
int core_gid_add(struct ib_device *dev, u32 port, const struct ib_gid_attr *attr);
int core_gid_del(struct ib_device *dev, u32 port, const struct ib_gid_attr *attr);
void core_gid_del_netdev(struct ib_device *dev, u32 port, const struct net_device *ndev);
/* Set or clear the reserved default entries (one per RoCE type of @type_mask) of @ndev. */
void core_gid_set_defaults(struct ib_device *dev, u32 port, struct net_device *ndev,
			   unsigned long type_mask, bool set);
/* Make slot @index of a port without RoCE hold @gid; the zero GID empties it. */
int core_gid_set_slot(struct ib_device *dev, u32 port, int index, const union ib_gid *gid);

/* True when @ndev is what @attr was made from; RCU-safe. */
bool core_gid_attr_is_ndev(const struct ib_gid_attr *attr, const struct net_device *ndev);
/* Bit mask of the ib_gid_types a port keeps. */
/* (roce_gid_type_mask_support(), exported under its stock name, is declared here because
 * no public header does.)
 */
unsigned long roce_gid_type_mask_support(struct ib_device *dev, u32 port);
const char *ib_cache_gid_type_str(int gid_type);
int ib_cache_gid_parse_type_str(const char *buf);

#endif
