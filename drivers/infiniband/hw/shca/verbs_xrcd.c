// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_xrcd.c - XRC domains.  ib_core calls in; a domain is an identity that target QPs and XRC
 * SRQs are compared by, and counted by ib_core.
 */
#include "shca.h"
#include "udata.h"

static int alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return shca_udata_check_empty(udata);
}

static int dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return 0;
}

const struct ib_device_ops shca_verbs_xrcd_ops = {
	.alloc_xrcd = alloc_xrcd,
	.dealloc_xrcd = dealloc_xrcd,
	INIT_RDMA_OBJ_SIZE(ib_xrcd, shca_xrcd, ib),
};
