// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_xrcd.c - XRC domains: open and close.
 *
 * Called by programs and by xrc.c.  Which domain belongs to an inode is the kernel's to know, so
 * that processes can share one.
 */
#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

static int command_open(struct ibv_context *context, const struct ibv_xrcd_init_attr *attr,
			uint32_t *handle)
{
	struct ib_uverbs_open_xrcd req = {
		.fd = (uint32_t)attr->fd,
		.oflags = (uint32_t)attr->oflags,
	};
	struct ib_uverbs_open_xrcd_resp resp = { .xrcd_handle = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_OPEN_XRCD,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	int err = shim_ioctl_write(context, &cmd, NULL);

	*handle = resp.xrcd_handle;
	return err;
}

struct ibv_xrcd *shim_xrcd_open(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	const uint32_t needed = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	struct shim_xrcd *xrcd;
	int err = 0;

	if (attr->comp_mask & ~needed)
		err = EOPNOTSUPP;
	else if (attr->comp_mask != needed)
		err = EINVAL;
	if (shim_error_set(err))
		return NULL;
	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd) {
		errno = ENOMEM;
		return NULL;
	}
	if (shim_error_set(command_open(context, attr, &xrcd->handle))) {
		free(xrcd);
		return NULL;
	}
	xrcd->ibv.context = context;
	return &xrcd->ibv;
}

int shim_xrcd_close(struct ibv_xrcd *ibxrcd)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, UVERBS_ATTR_DESTROY_XRCD_HANDLE, 0,
	};
	struct shim_xrcd *xrcd = shim_xrcd(ibxrcd);
	int err = shim_ioctl_destroy(ibxrcd->context, &what, xrcd->handle, NULL, 0);

	if (!err)
		free(xrcd);
	return shim_error_set(err);
}
