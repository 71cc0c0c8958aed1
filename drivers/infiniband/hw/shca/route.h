/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * route.h - is there a direct link to this destination?
 */
#ifndef SHCA_ROUTE_H
#define SHCA_ROUTE_H

#include <rdma/ib_verbs.h>

struct shca_dev;
struct eng_dev;

/* The device can be found as a destination, and is no more. */
void shca_route_add(struct shca_dev *dev);
void shca_route_remove(struct shca_dev *dev);
void shca_route_stop(void);

/*
 * The engine device that owns @dgid, when packets from @dev to it would stay on this host: counted,
 * the caller puts it.  NULL: only the wire could get there.  May sleep.
 */
struct eng_dev *shca_route_find(struct shca_dev *dev, const union ib_gid *dgid);

/* Addresses, links or routes changed: connected QPs are looked at again soon.  Any context. */
void shca_route_changed(void);

#endif
