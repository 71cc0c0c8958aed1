/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * xrc.h - the legacy XRC calls; <infiniband/verbs.h> brings them along, as it did in their day.
 * O_CREAT and O_EXCL come from <fcntl.h>.
 *
 * They are older than ibv_open_xrcd() and its like, and take a domain that processes share by an
 * inode, and receive queue pairs that are named by number alone.
 */
#ifndef INFINIBAND_XRC_H
#define INFINIBAND_XRC_H

#include <fcntl.h>
#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibv_xrc_domain {
	struct ibv_context *context;
	uint32_t handle;
};

/*
 * What the legacy struct ibv_qp_init_attr was: pass &attr.base to ibv_create_xrc_rcv_qp(), which
 * reads the domain behind it and ignores the rest.
 */
struct ibv_xrc_qp_init_attr {
	struct ibv_qp_init_attr base;
	struct ibv_xrc_domain *xrc_domain;
};

/* Opens the domain of fd's inode, or with O_CREAT makes it (pointer). fd -1: a private one. */
struct ibv_xrc_domain *ibv_open_xrc_domain(struct ibv_context *context, int fd, int oflag);

/* errno: EBUSY while a QP or SRQ of the caller is left in it. */
int ibv_close_xrc_domain(struct ibv_xrc_domain *d);

/* pointer */
struct ibv_srq *ibv_create_xrc_srq(struct ibv_pd *pd, struct ibv_xrc_domain *xrc_domain,
				   struct ibv_cq *xrc_cq,
				   struct ibv_srq_init_attr *srq_init_attr);

/* errno; registers the process with the new QP. */
int ibv_create_xrc_rcv_qp(struct ibv_qp_init_attr *init_attr, uint32_t *xrc_rcv_qpn);

/* errno, as ibv_modify_qp() and ibv_query_qp(). */
int ibv_modify_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num,
			  struct ibv_qp_attr *attr, int attr_mask);
int ibv_query_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num,
			 struct ibv_qp_attr *attr, int attr_mask,
			 struct ibv_qp_init_attr *init_attr);

/* errno; the QP goes with the last process that unregisters. */
int ibv_reg_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num);
int ibv_unreg_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num);

#ifdef __cplusplus
}
#endif

#endif
