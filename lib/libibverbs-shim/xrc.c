// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * xrc.c - the legacy XRC calls (V55 to V62), which later releases of the stock library lack.
 *
 * Called by programs that use <infiniband/xrc.h>.  The device has no XRC: arguments are checked
 * as the manual pages promise, then each call answers EOPNOTSUPP (C259).
 */
#include <errno.h>
#include <fcntl.h>
#include "shim.h"
#include <infiniband/xrc.h>

_Static_assert(offsetof(struct ibv_xrc_qp_init_attr, xrc_domain) == 64 || sizeof(void *) == 4,
	       "legacy callers put the domain there (G132)");

/* Without an inode only O_CREAT makes sense (C255). */
SHIM_EXPORT struct ibv_xrc_domain *ibv_open_xrc_domain(struct ibv_context *context, int fd,
						       int oflag)
{
	(void)context;
	if (oflag & ~(O_CREAT | O_EXCL) || (fd == -1 && oflag != O_CREAT))
		errno = EINVAL;
	else
		errno = EOPNOTSUPP;
	return NULL;
}

SHIM_EXPORT int ibv_close_xrc_domain(struct ibv_xrc_domain *d)
{
	(void)d;
	return shim_error_set(EOPNOTSUPP);
}

SHIM_EXPORT struct ibv_srq *ibv_create_xrc_srq(struct ibv_pd *pd,
					       struct ibv_xrc_domain *xrc_domain,
					       struct ibv_cq *xrc_cq,
					       struct ibv_srq_init_attr *init)
{
	(void)pd;
	(void)xrc_domain;
	(void)xrc_cq;
	(void)init;
	errno = EOPNOTSUPP;
	return NULL;
}

SHIM_EXPORT int ibv_create_xrc_rcv_qp(struct ibv_qp_init_attr *init_attr, uint32_t *xrc_rcv_qpn)
{
	(void)init_attr;
	(void)xrc_rcv_qpn;
	return shim_error_set(EOPNOTSUPP);
}

SHIM_EXPORT int ibv_modify_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num,
				      struct ibv_qp_attr *attr, int attr_mask)
{
	(void)xrc_domain;
	(void)xrc_qp_num;
	(void)attr;
	(void)attr_mask;
	return shim_error_set(EOPNOTSUPP);
}

SHIM_EXPORT int ibv_query_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num,
				     struct ibv_qp_attr *attr, int attr_mask,
				     struct ibv_qp_init_attr *init_attr)
{
	(void)xrc_domain;
	(void)xrc_qp_num;
	(void)attr;
	(void)attr_mask;
	(void)init_attr;
	return shim_error_set(EOPNOTSUPP);
}

SHIM_EXPORT int ibv_reg_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num)
{
	(void)xrc_domain;
	(void)xrc_qp_num;
	return shim_error_set(EOPNOTSUPP);
}

SHIM_EXPORT int ibv_unreg_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num)
{
	(void)xrc_domain;
	(void)xrc_qp_num;
	return shim_error_set(EOPNOTSUPP);
}
