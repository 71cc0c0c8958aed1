// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_mw.c - memory windows: made and freed here, bound on the data path (shca_post.c).
 *
 * Reached through the table of the context.
 */
#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

struct ibv_mw *shim_mw_alloc(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw req = { .pd_handle = pd->handle, .mw_type = (uint8_t)type };
	struct ib_uverbs_alloc_mw_resp resp = { .mw_handle = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_ALLOC_MW,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	struct ibv_mw *mw;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2) {
		errno = EINVAL;
		return NULL;
	}
	mw = calloc(1, sizeof(*mw));
	if (!mw) {
		errno = ENOMEM;
		return NULL;
	}
	if (shim_error_set(shim_ioctl_write(pd->context, &cmd, NULL))) {
		free(mw);
		return NULL;
	}
	mw->context = pd->context;
	mw->pd = pd;
	mw->rkey = resp.rkey;
	mw->handle = resp.mw_handle;
	mw->type = type;
	shim_pd_get(pd);
	return mw;
}

int shim_mw_free(struct ibv_mw *mw)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, UVERBS_ATTR_DESTROY_MW_HANDLE, 0,
	};
	int err = shim_ioctl_destroy(mw->context, &what, mw->handle, NULL, 0);

	if (!err) {
		shim_pd_put(mw->pd);
		free(mw);
	}
	return shim_error_set(err);
}
