/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The NETLINK_RDMA sockets, one per network namespace, and the clients behind them. main.c starts
 * it before anything that registers a client and stops it last. The public face is
 * <rdma/rdma_netlink.h>.
 */
#ifndef CORE_NETLINK_H
#define CORE_NETLINK_H

#include <linux/types.h>

int core_nl_init(void);
void core_nl_exit(void);

/* nldev_link.c: the command table of RDMA_NL_NLDEV. */
void core_nldev_init(void);
void core_nldev_exit(void);

/* `rdma system set privileged-qkey`; exported, declared by no public header. */
bool rdma_nl_get_privileged_qkey(void);

#endif
