/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * addresses.h - which device of a namespace a packet is for.
 */
#ifndef SHCA_ADDRESSES_H
#define SHCA_ADDRESSES_H

#include <linux/in6.h>
#include <rdma/ib_verbs.h>

struct shca_dev;
struct shca_udp;

/* add_gid and del_gid of the device. */
int shca_addresses_add(const struct ib_gid_attr *attr, void **context);
int shca_addresses_del(const struct ib_gid_attr *attr, void **context);

/*
 * The device that has @addr; of several the one whose netdev is @ifindex.  Under RCU, which also
 * keeps it.
 */
struct shca_dev *shca_addresses_find(const struct shca_udp *udp, const struct in6_addr *addr,
				     int ifindex);

#endif
