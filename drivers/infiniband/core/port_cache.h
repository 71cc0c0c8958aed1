/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the core remembers of each port: P_Keys, LMC, logical state, subnet prefix, and the GIDs of
 * ports that are not RoCE. device.c sets it up; event.c refreshes it before handlers hear of an
 * event. Readers use the exported ib_get_cached_* and ib_find_cached_* calls.
 */
#ifndef _CORE_PORT_CACHE_H
#define _CORE_PORT_CACHE_H

#include <linux/types.h>

struct ib_device;
struct ib_event;

/* Fills the cache of every port. After core_gid_device_setup(). */
int core_port_cache_setup(struct ib_device *dev);
/* The device is unregistered and no event work of it runs any more. */
void core_port_cache_cleanup(struct ib_device *dev);
/* Refreshes what @event may have changed. Sleeps; cheap for events that change nothing here. */
void core_port_cache_event(struct ib_device *dev, const struct ib_event *event);

/* Exported under its stock name; no public header declares it. */
int ib_get_cached_subnet_prefix(struct ib_device *device, u32 port_num, u64 *sn_pfx);

#endif
