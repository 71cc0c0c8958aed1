/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the core remembers of each port: P_Keys, LMC, logical state, subnet prefix. device.c sets
 * it up; event.c refreshes it before handlers hear of an event.
 */
#ifndef CORE_PORT_CACHE_H
#define CORE_PORT_CACHE_H

#include <linux/types.h>

struct ib_device;
struct ib_event;

/* Fill the cache of every port. Called by device.c before core_gid_device_setup(). */
int core_port_cache_setup(struct ib_device *dev);
/* Called by device.c from the device's release. */
void core_port_cache_release(struct ib_device *dev);
/* Refresh what @event may have changed. May sleep: event.c calls it from its work item, before
 * the handlers. Cheap when the event type changes nothing that is remembered.
 */
void core_port_cache_event(struct ib_device *dev, const struct ib_event *event);

/* Not declared by any public header, exported under its stock name. */
int ib_get_cached_subnet_prefix(struct ib_device *device, u32 port_num, u64 *sn_pfx);

#endif
