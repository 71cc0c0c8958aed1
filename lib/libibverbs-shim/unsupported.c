// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * unsupported.c - verbs that are symbols of the library and that this device does not have.
 *
 * Called by programs and by librdmacm.  Each answers EOPNOTSUPP (G034); verbs that a context's
 * table leaves out are answered by the header.
 */
#include <errno.h>
#include <net/ethernet.h>
#include "shim.h"

static void *unsupported(void)
{
	errno = EOPNOTSUPP;
	return NULL;
}

/* Six parameters, as the prototype of the verb is. */
SHIM_EXPORT struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
					     uint64_t iova, int fd, int access)
{
	(void)pd;
	(void)offset;
	(void)length;
	(void)iova;
	(void)fd;
	(void)access;
	return unsupported();
}

SHIM_EXPORT int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp;
	return shim_error_set(ece->comp_mask ? EINVAL : EOPNOTSUPP);
}

SHIM_EXPORT int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp;
	(void)ece;
	return shim_error_set(EOPNOTSUPP);
}

/* The kernel of this stack finds the Ethernet address itself, when it creates an AH. */
SHIM_EXPORT int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr,
					    uint8_t eth_mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
	(void)context;
	(void)attr;
	(void)eth_mac;
	(void)vid;
	return shim_error_set(EOPNOTSUPP);
}
