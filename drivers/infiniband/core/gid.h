/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The GID tables of a device's ports. device.c calls setup, cleanup and release; roce_apply.c
 * feeds the tables of RoCE ports, port_cache.c those of all others. Consumers use the exported
 * rdma_*gid* calls of <rdma/ib_cache.h>, which live in gid_query.c.
 *
 * Life of an entry: its slot owns one reference while the entry is live. Deleting drops that
 * reference and lets go of the netdev at once, waiting for nobody; the slot stays taken, so that
 * its index keeps meaning the old entry, until the last rdma_put_gid_attr() empties it.
 */
#ifndef _CORE_GID_H
#define _CORE_GID_H

#include <linux/types.h>

struct ib_device;
struct ib_gid_attr;
struct net_device;
union ib_gid;

/* After the port immutables are known, before anybody can see the device. */
int core_gid_device_setup(struct ib_device *dev);
/* The device is unregistered, its clients are gone: drops every entry. */
void core_gid_device_cleanup(struct ib_device *dev);
/* From the device's release: nobody can reach the tables any more. */
void core_gid_device_release(struct ib_device *dev);

/*
 * The feeders' side: all of it may sleep. An entry is the triple GID, type, netdev. Adding what
 * is there already is fine, and so is deleting what is not there. Default entries (the one made
 * from the MAC) have slots of their own at the start of the table, one per RoCE type.
 */
int core_gid_add(struct ib_device *dev, u32 port, const union ib_gid *gid,
		 struct net_device *ndev);
void core_gid_del(struct ib_device *dev, u32 port, const union ib_gid *gid,
		  struct net_device *ndev);
/* Make @gid the default GID of the port on behalf of @ndev; a NULL @gid withdraws @ndev's. */
void core_gid_set_default(struct ib_device *dev, u32 port, const union ib_gid *gid,
			  struct net_device *ndev);
/* Delete the entries that @stale picks. @stale runs under a spinlock. */
typedef bool (*core_gid_pick_fn)(const union ib_gid *gid, const struct net_device *ndev,
				 bool is_default, const void *arg);
void core_gid_del_picked(struct ib_device *dev, u32 port, core_gid_pick_fn stale,
			 const void *arg);
/* Ports without RoCE: make slot @index hold @gid; the zero GID empties it. */
int core_gid_set_slot(struct ib_device *dev, u32 port, u32 index, const union ib_gid *gid);

/* The netdev references that entries let go of are dropped after a grace period: wait for it. */
void core_gid_exit(void);

/* Exported under their stock names; no public header declares them. */
unsigned long roce_gid_type_mask_support(struct ib_device *ib_dev, u32 port);
const char *ib_cache_gid_type_str(enum ib_gid_type gid_type);
int ib_cache_gid_parse_type_str(const char *buf);

#endif
