/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How nldev_res.c (the commands and their dumps) has nldev_res_put.c describe one object. Each
 * function writes the attributes of one tracked entry, which the caller holds.
 *
 * Returns 0, -EMSGSIZE when the message is full, -EAGAIN when the entry is not of @port and a dump
 * should go on with the next, -EINVAL when the driver cannot tell.
 */
#ifndef _CORE_NLDEV_RES_H
#define _CORE_NLDEV_RES_H

#include <linux/types.h>

struct rdma_restrack_entry;
struct sk_buff;

/* @admin: the reader may see keys. @port: 0 for any. */
typedef int (*core_nldev_put_fn)(struct sk_buff *msg, bool admin,
				 struct rdma_restrack_entry *res, u32 port);

int core_nldev_put_qp(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port);
int core_nldev_put_cm_id(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			 u32 port);
int core_nldev_put_cq(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port);
int core_nldev_put_mr(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port);
int core_nldev_put_pd(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port);
int core_nldev_put_ctx(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port);
int core_nldev_put_srq(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port);
int core_nldev_put_qp_raw(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			  u32 port);
int core_nldev_put_cq_raw(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			  u32 port);
int core_nldev_put_mr_raw(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			  u32 port);
/* nldev_stat.c: the counters of an MR. */
int core_nldev_put_mr_stat(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			   u32 port);

#endif
