/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * route.h - is there a direct link to this destination, or is it reached by the wire?
 */
#ifndef SHCA_ROUTE_H
#define SHCA_ROUTE_H

#include <rdma/ib_verbs.h>

struct shca_dev;
struct eng_dev;
struct in6_addr;

/* The device can be found as a destination, and is no more. */
void shca_route_add(struct shca_dev *dev);
void shca_route_remove(struct shca_dev *dev);
void shca_route_stop(void);

/*
 * The engine device that owns @dgid, when packets from @dev to it would stay on this host: counted,
 * the caller puts it.  NULL: only the wire could get there.  May sleep.
 */
struct eng_dev *shca_route_find(struct shca_dev *dev, const union ib_gid *dgid);

/* Module parameter: what could be direct takes the wire, too. */
bool shca_route_forces_wire(void);

/* Does the namespace call @addr its own?  IPv4 in its mapped form. */
bool shca_route_is_local(struct net *net, const struct in6_addr *addr);

/* Addresses, links or routes changed: connected QPs are looked at again soon.  Any context. */
void shca_route_changed(void);

#endif
