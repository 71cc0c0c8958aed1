// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_mr.c - memory regions.
 *
 * Called by programs.  Each registration first excludes its pages from fork (fork.c, a no-op on
 * kernels that copy pinned pages), and gives them back when it fails or ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

enum mr_kind {
	MR_MEMORY,		/* of the process, pinned */
	MR_ON_DEMAND,		/* its pages are not pinned, and fork may share them */
	MR_DEVICE,		/* of the device */
	MR_NULL,		/* no memory at all, and none of the kernel's objects */
	MR_IMPORTED,		/* another process registered it */
};

/* Regions that a program can hold; what stands behind the public struct is ours. */
struct shim_mr {
	struct ibv_mr ibv;
	enum mr_kind kind;
};

static int command_reg(struct ibv_pd *pd, struct shim_mr *mr, uint64_t iova, unsigned int access)
{
	struct ib_uverbs_reg_mr req = {
		.start = (uintptr_t)mr->ibv.addr,
		.length = mr->ibv.length,
		.hca_va = iova,
		.pd_handle = pd->handle,
		.access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp resp = { .mr_handle = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_REG_MR,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	int err = shim_ioctl_write(pd->context, &cmd, NULL);

	mr->ibv.handle = resp.mr_handle;
	mr->ibv.lkey = resp.lkey;
	mr->ibv.rkey = resp.rkey;
	return err;
}

/* Flags of the optional range never make a registration fail (G025). */
static unsigned int drop_optional(struct ibv_context *context, unsigned int access)
{
	uint64_t support = shim_context(context)->core_support;

	return support & IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS ?
		access : access & ~IBV_ACCESS_OPTIONAL_RANGE;
}

/* Of a device that cannot, the kernel says no more than that the flag is not allowed. */
static bool pages_on_demand(struct ibv_context *context)
{
	struct ibv_device_attr_ex attr;

	return shim_query_device_attr(context, &attr) ||
	       attr.odp_caps.general_caps & IBV_ODP_SUPPORT;
}

SHIM_EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
					    uint64_t iova, unsigned int access)
{
	struct shim_mr *mr;
	int err;

	mr = calloc(1, sizeof(*mr));
	if (!mr) {
		errno = ENOMEM;
		return NULL;
	}
	mr->ibv.context = pd->context;
	mr->ibv.pd = pd;
	mr->ibv.addr = addr;
	mr->ibv.length = length;
	mr->kind = access & IBV_ACCESS_ON_DEMAND ? MR_ON_DEMAND : MR_MEMORY;
	err = mr->kind == MR_MEMORY ? shim_fork_exclude(addr, length) : 0;
	if (err)
		goto out_free;
	err = command_reg(pd, mr, iova, drop_optional(pd->context, access));
	if (err == EINVAL && mr->kind == MR_ON_DEMAND && !pages_on_demand(pd->context))
		err = EOPNOTSUPP;
	if (err)
		goto out_fork;
	shim_pd_get(pd);
	return &mr->ibv;

out_fork:
	if (mr->kind == MR_MEMORY)
		shim_fork_include(addr, length);
out_free:
	free(mr);
	errno = err;
	return NULL;
}

#undef ibv_reg_mr
SHIM_EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned int)access);
}

#undef ibv_reg_mr_iova
SHIM_EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length,
					   uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned int)access);
}

SHIM_EXPORT int ibv_dereg_mr(struct ibv_mr *ibmr)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, UVERBS_ATTR_DESTROY_MR_HANDLE, 0,
	};
	struct shim_mr *mr = shim_container_of(ibmr, struct shim_mr, ibv);
	int err = 0;

	if (mr->kind == MR_NULL)
		__atomic_sub_fetch(&shim_pd(ibmr->pd)->users, 1, __ATOMIC_RELAXED);
	else
		err = shim_ioctl_destroy(ibmr->context, &what, ibmr->handle, NULL, 0);
	if (err)
		return shim_error_set(err);
	if (mr->kind == MR_MEMORY)
		shim_fork_include(ibmr->addr, ibmr->length);
	if (mr->kind != MR_NULL)
		shim_pd_put(ibmr->pd);
	free(mr);
	return 0;
}

static int command_rereg(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
			 size_t length, int access)
{
	struct ib_uverbs_rereg_mr req = {
		.mr_handle = mr->handle,
		.flags = (uint32_t)flags,
		.start = (uintptr_t)addr,
		.length = length,
		.hca_va = (uintptr_t)addr,
		.pd_handle = flags & IBV_REREG_MR_CHANGE_PD ? pd->handle : 0,
		.access_flags = drop_optional(mr->context, (unsigned int)access),
	};
	struct ib_uverbs_rereg_mr_resp resp = { .lkey = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_REREG_MR,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	int err = shim_ioctl_write(mr->context, &cmd, NULL);

	if (err)
		return err;
	mr->lkey = resp.lkey;
	mr->rkey = resp.rkey;
	if (flags & IBV_REREG_MR_CHANGE_PD) {
		shim_pd_get(pd);
		shim_pd_put(mr->pd);
		mr->pd = pd;
	}
	return 0;
}

static bool rereg_input_ok(const struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
			   size_t length, int access)
{
	if (flags & ~IBV_REREG_MR_FLAGS_SUPPORTED)
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_TRANSLATION) && (!length || !addr))
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_PD) && (!pd || pd->context != mr->context))
		return false;
	return !access || (flags & IBV_REREG_MR_CHANGE_ACCESS);
}

/* Six parameters, as the prototype of the verb is. */
SHIM_EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
			     size_t length, int access)
{
	enum mr_kind kind = shim_container_of(mr, struct shim_mr, ibv)->kind;
	bool moves = (flags & IBV_REREG_MR_CHANGE_TRANSLATION) && kind == MR_MEMORY;
	void *old_addr = mr->addr;
	size_t old_length = mr->length;
	int err;

	if (kind > MR_ON_DEMAND || !rereg_input_ok(mr, flags, pd, addr, length, access)) {
		errno = EINVAL;
		return IBV_REREG_MR_ERR_INPUT;
	}
	if (moves) {
		err = shim_fork_exclude(addr, length);
		if (err) {
			errno = err;
			return IBV_REREG_MR_ERR_DONT_FORK_NEW;
		}
	}
	err = command_rereg(mr, flags, pd, addr, length, access);
	if (err) {
		bool broken = moves && shim_fork_include(addr, length);

		errno = err;
		return broken ? IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW : IBV_REREG_MR_ERR_CMD;
	}
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		mr->addr = addr;
		mr->length = length;
	}
	if (moves && shim_fork_include(old_addr, old_length))
		return IBV_REREG_MR_ERR_DO_FORK_OLD;
	return 0;
}

static struct shim_mr *make(struct ibv_pd *pd, enum mr_kind kind)
{
	struct shim_mr *mr = calloc(1, sizeof(*mr));

	if (!mr) {
		errno = ENOMEM;
		return NULL;
	}
	mr->ibv.context = pd->context;
	mr->ibv.pd = pd;
	mr->kind = kind;
	return mr;
}

/* The key is the same for the whole device: the kernel has no object for it, the PD counts it. */
struct ibv_mr *shim_mr_alloc_null(struct ibv_pd *pd)
{
	uint32_t lkey = shca_context_null_lkey(shim_context(pd->context));
	struct shim_mr *mr;

	if (!lkey) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	mr = make(pd, MR_NULL);
	if (!mr)
		return NULL;
	mr->ibv.lkey = lkey;
	mr->ibv.length = SIZE_MAX;
	__atomic_add_fetch(&shim_pd(pd)->users, 1, __ATOMIC_RELAXED);
	return &mr->ibv;
}

static int command_reg_dm(struct shim_mr *mr, struct ibv_dm *dm, uint64_t offset,
			  unsigned int access)
{
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, mr->ibv.context, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	made = shim_ioctl_new(&cmd, UVERBS_ATTR_REG_DM_MR_HANDLE);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_REG_DM_MR_OFFSET, offset);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_REG_DM_MR_LENGTH, mr->ibv.length);
	shim_ioctl_object(&cmd, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, mr->ibv.pd->handle);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, access);
	shim_ioctl_object(&cmd, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, dm->handle);
	shim_ioctl_out(&cmd, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &mr->ibv.lkey, sizeof(uint32_t));
	shim_ioctl_out(&cmd, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &mr->ibv.rkey, sizeof(uint32_t));
	err = shim_ioctl_run(&cmd);
	mr->ibv.handle = shim_ioctl_made(made);
	return err;
}

/* Addresses in it are offsets, and the caller has to know that (G060). */
struct ibv_mr *shim_mr_reg_dm(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			      size_t length, unsigned int access)
{
	size_t size = shca_dm_length(dm);
	struct shim_mr *mr;
	int err;

	if (!(access & IBV_ACCESS_ZERO_BASED) || offset > size ||
	    length > size - offset || dm->context != pd->context) {
		errno = EINVAL;
		return NULL;
	}
	mr = make(pd, MR_DEVICE);
	if (!mr)
		return NULL;
	mr->ibv.length = length;
	err = command_reg_dm(mr, dm, offset, drop_optional(pd->context, access));
	if (shim_error_set(err)) {
		free(mr);
		return NULL;
	}
	shim_pd_get(pd);
	return &mr->ibv;
}

/* The address belongs to the other process, and stays NULL here. */
SHIM_EXPORT struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle)
{
	struct shim_ioctl cmd;
	struct shim_mr *mr;
	uint64_t length = 0;

	mr = make(pd, MR_IMPORTED);
	if (!mr)
		return NULL;
	shim_ioctl_init(&cmd, pd->context, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	shim_ioctl_object(&cmd, UVERBS_ATTR_QUERY_MR_HANDLE, mr_handle);
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &mr->ibv.lkey, sizeof(uint32_t));
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &mr->ibv.rkey, sizeof(uint32_t));
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &length, sizeof(length));
	if (shim_error_set(shim_ioctl_run(&cmd))) {
		free(mr);
		return NULL;
	}
	mr->ibv.handle = mr_handle;
	mr->ibv.length = length;
	shim_pd_get(pd);
	return &mr->ibv;
}

SHIM_EXPORT void ibv_unimport_mr(struct ibv_mr *mr)
{
	shim_pd_put(mr->pd);
	free(shim_container_of(mr, struct shim_mr, ibv));
}
