// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_pd.c - protection domains, parent domains and thread domains.
 *
 * Called by programs.  Only plain PDs exist in the kernel.  A parent domain shares the handle of
 * its PD; with a thread domain it lets the data half leave out the locks of QPs made under it.
 */
#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

SHIM_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd req = { .response = 0 };
	struct ib_uverbs_alloc_pd_resp resp = { .pd_handle = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_ALLOC_PD,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	struct shim_pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	if (shim_error_set(shim_ioctl_write(context, &cmd, NULL))) {
		free(pd);
		return NULL;
	}
	pd->ibv.context = context;
	pd->ibv.handle = resp.pd_handle;
	return &pd->ibv;
}

/* A handle cannot be asked about: whether it is one shows with the first object under it. */
SHIM_EXPORT struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle)
{
	struct shim_pd *pd = calloc(1, sizeof(*pd));

	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	pd->ibv.context = context;
	pd->ibv.handle = pd_handle;
	return &pd->ibv;
}

SHIM_EXPORT void ibv_unimport_pd(struct ibv_pd *pd)
{
	free(shim_pd(pd));
}

static void free_parent(struct shim_pd *pd)
{
	__atomic_sub_fetch(&pd->parent->users, 1, __ATOMIC_RELAXED);
	if (pd->td)
		__atomic_sub_fetch(&pd->td->users, 1, __ATOMIC_RELAXED);
}

SHIM_EXPORT int ibv_dealloc_pd(struct ibv_pd *ibpd)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, UVERBS_ATTR_DESTROY_PD_HANDLE, 0,
	};
	struct shim_pd *pd = shim_pd(ibpd);
	int err = 0;

	if (__atomic_load_n(&pd->users, __ATOMIC_RELAXED))
		return shim_error_set(EBUSY);
	if (pd->parent)
		free_parent(pd);
	else
		err = shim_ioctl_destroy(ibpd->context, &what, ibpd->handle, NULL, 0);
	if (!err)
		free(pd);
	return shim_error_set(err);
}

struct ibv_td *shim_td_alloc(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct shim_td *td;

	if (attr->comp_mask) {
		errno = EINVAL;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td) {
		errno = ENOMEM;
		return NULL;
	}
	td->ibv.context = context;
	return &td->ibv;
}

int shim_td_free(struct ibv_td *ibtd)
{
	struct shim_td *td = shim_container_of(ibtd, struct shim_td, ibv);

	if (__atomic_load_n(&td->users, __ATOMIC_RELAXED))
		return EBUSY;
	free(td);
	return 0;
}

/* Rings are the kernel's memory; the allocators place what the library keeps per object. */
static int check_parent(struct ibv_context *context,
			const struct ibv_parent_domain_init_attr *attr)
{
	const uint32_t known = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			       IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;

	if (attr->comp_mask & ~known)
		return EOPNOTSUPP;
	if (!attr->pd || attr->pd->context != context || shim_pd(attr->pd)->parent ||
	    (attr->td && attr->td->context != context))
		return EINVAL;
	if ((attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) &&
	    (!attr->alloc || !attr->free))
		return EINVAL;
	return 0;
}

struct ibv_pd *shim_pd_alloc_parent(struct ibv_context *context,
				    struct ibv_parent_domain_init_attr *attr)
{
	struct shim_pd *pd;

	if (shim_error_set(check_parent(context, attr)))
		return NULL;
	pd = calloc(1, sizeof(*pd));
	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	pd->ibv.context = context;
	pd->ibv.handle = attr->pd->handle;
	pd->parent = shim_pd(attr->pd);
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) {
		pd->alloc = attr->alloc;
		pd->free = attr->free;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		pd->context = attr->pd_context;
	__atomic_add_fetch(&pd->parent->users, 1, __ATOMIC_RELAXED);
	if (attr->td) {
		pd->td = shim_container_of(attr->td, struct shim_td, ibv);
		__atomic_add_fetch(&pd->td->users, 1, __ATOMIC_RELAXED);
	}
	return &pd->ibv;
}
