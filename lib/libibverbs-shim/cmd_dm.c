// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_dm.c - device memory: allocate, import and free; cmd_mr.c registers it.
 *
 * Called by programs, to allocate and free through the table of the context; copies to and from
 * it are the data half's (shca_dm.c).
 */
#include <errno.h>
#include <rdma/shca-abi.h>
#include "ioctl.h"

static int command_alloc(struct ibv_context *context, const struct ibv_alloc_dm_attr *attr,
			 uint32_t *handle, const struct shim_udata *udata)
{
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	made = shim_ioctl_new(&cmd, UVERBS_ATTR_ALLOC_DM_HANDLE);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_ALLOC_DM_LENGTH, attr->length);
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, attr->log_align_req);
	shim_ioctl_out(&cmd, SHCA_ATTR_ALLOC_DM_RESP, udata->out, udata->out_len);
	err = shim_ioctl_run(&cmd);
	*handle = shim_ioctl_made(made);
	return err;
}

static int command_free(struct ibv_context *context, uint32_t handle)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, UVERBS_ATTR_FREE_DM_HANDLE, 0,
	};

	return shim_ioctl_destroy(context, &what, handle, NULL, 0);
}

struct ibv_dm *shim_dm_alloc(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	struct shim_udata udata = { .in = NULL };
	struct ibv_dm *dm;
	int err;

	if (attr->comp_mask || !attr->length) {
		errno = EINVAL;
		return NULL;
	}
	dm = shca_dm_new(attr->length, &udata);
	if (!dm)
		return NULL;
	dm->context = context;
	err = command_alloc(context, attr, &dm->handle, &udata);
	if (!err) {
		err = shca_dm_start(dm, context);
		if (err)
			command_free(context, dm->handle);
	}
	if (shim_error_set(err)) {
		shca_dm_free(dm);
		return NULL;
	}
	dm->comp_mask = IBV_DM_MASK_HANDLE;
	return dm;
}

static int command_query(struct ibv_context *context, uint32_t handle,
			 const struct shim_udata *udata)
{
	struct shim_ioctl cmd;

	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DM, SHCA_METHOD_DM_QUERY);
	shim_ioctl_object(&cmd, SHCA_ATTR_DM_QUERY_HANDLE, handle);
	shim_ioctl_out(&cmd, SHCA_ATTR_DM_QUERY_RESP, udata->out, udata->out_len);
	return shim_ioctl_run(&cmd);
}

SHIM_EXPORT struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t dm_handle)
{
	struct shim_udata udata = { .in = NULL };
	struct ibv_dm *dm = shca_dm_new(0, &udata);
	int err;

	if (!dm)
		return NULL;
	err = command_query(context, dm_handle, &udata);
	if (!err)
		err = shca_dm_start(dm, context);
	if (shim_error_set(err)) {
		shca_dm_free(dm);
		return NULL;
	}
	dm->context = context;
	dm->handle = dm_handle;
	dm->comp_mask = IBV_DM_MASK_HANDLE;
	return dm;
}

/* The memory stays, and with it what others have mapped. */
SHIM_EXPORT void ibv_unimport_dm(struct ibv_dm *dm)
{
	shca_dm_free(dm);
}

int shim_dm_free(struct ibv_dm *dm)
{
	int err = command_free(dm->context, dm->handle);

	if (!err)
		shca_dm_free(dm);
	return shim_error_set(err);
}
