/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The NETLINK_RDMA sockets, one per network namespace, and the clients behind them. main.c starts
 * it before anything that registers a client and stops it last; netns.c makes the sockets. The
 * public face is <rdma/rdma_netlink.h>.
 */
#ifndef _CORE_NETLINK_H
#define _CORE_NETLINK_H

#include <linux/types.h>

struct core_netns;

int core_nl_init(void);
void core_nl_exit(void);

int core_nl_net_init(struct core_netns *netns);
void core_nl_net_exit(struct core_netns *netns);

/* nldev.c: the command table of RDMA_NL_NLDEV, which `rdma` and libibverbs talk to. */
void core_nldev_init(void);
void core_nldev_exit(void);

/* `rdma system set privileged-qkey`; exported under its stock name, declared nowhere public. */
bool rdma_nl_get_privileged_qkey(void);

#endif
