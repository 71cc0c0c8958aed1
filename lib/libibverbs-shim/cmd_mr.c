// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_mr.c - memory regions and memory windows.
 *
 * Called by programs.  Each registration first excludes its pages from fork (fork.c, a no-op on
 * kernels that copy pinned pages), and gives them back when it fails or ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

/* Regions that a program can hold; what stands behind the public struct is ours. */
struct shim_mr {
	struct ibv_mr ibv;
	bool on_demand;		/* its pages are not pinned, and fork may share them */
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
	mr->on_demand = access & IBV_ACCESS_ON_DEMAND;
	err = mr->on_demand ? 0 : shim_fork_exclude(addr, length);
	if (err)
		goto out_free;
	err = command_reg(pd, mr, iova, drop_optional(pd->context, access));
	if (err)
		goto out_fork;
	return &mr->ibv;

out_fork:
	if (!mr->on_demand)
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
	int err;

	err = shim_ioctl_destroy(ibmr->context, &what, ibmr->handle, NULL, 0);
	if (err)
		return shim_error_set(err);
	if (!mr->on_demand)
		shim_fork_include(ibmr->addr, ibmr->length);
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
	if (flags & IBV_REREG_MR_CHANGE_PD)
		mr->pd = pd;
	return 0;
}

static bool rereg_input_ok(int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
	if (flags & ~IBV_REREG_MR_FLAGS_SUPPORTED)
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_TRANSLATION) && (!length || !addr))
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_PD) && !pd)
		return false;
	return !access || (flags & IBV_REREG_MR_CHANGE_ACCESS);
}

/* Six parameters, as the prototype of the verb is. */
SHIM_EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
			     size_t length, int access)
{
	bool on_demand = shim_container_of(mr, struct shim_mr, ibv)->on_demand;
	bool moves = (flags & IBV_REREG_MR_CHANGE_TRANSLATION) && !on_demand;
	void *old_addr = mr->addr;
	size_t old_length = mr->length;
	int err;

	if (!rereg_input_ok(flags, pd, addr, length, access)) {
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

struct ibv_mw *shim_mw_alloc(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw req = { .pd_handle = pd->handle, .mw_type = (uint8_t)type };
	struct ib_uverbs_alloc_mw_resp resp = { .mw_handle = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_ALLOC_MW,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	struct ibv_mw *mw;

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
	return mw;
}

int shim_mw_free(struct ibv_mw *mw)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, UVERBS_ATTR_DESTROY_MW_HANDLE, 0,
	};
	int err = shim_ioctl_destroy(mw->context, &what, mw->handle, NULL, 0);

	if (!err)
		free(mw);
	return shim_error_set(err);
}
