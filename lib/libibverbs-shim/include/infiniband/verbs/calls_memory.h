/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* calls_memory.h - part of <infiniband/verbs.h>: domains, windows, memory of the device. */
#ifndef INFINIBAND_VERBS_CALLS_MEMORY_H
#define INFINIBAND_VERBS_CALLS_MEMORY_H

#include <errno.h>
#include <infiniband/verbs/context.h>

/* pointer */
static inline struct ibv_td *ibv_alloc_td(struct ibv_context *context,
					  struct ibv_td_init_attr *init_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, alloc_td);

	if (v)
		return v->alloc_td(context, init_attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno: EBUSY while a parent domain uses it. */
static inline int ibv_dealloc_td(struct ibv_td *td)
{
	struct verbs_context *v = verbs_get_ctx_op(td->context, dealloc_td);

	return v ? v->dealloc_td(td) : EOPNOTSUPP;
}

/* pointer; ibv_dealloc_pd() frees it. */
static inline struct ibv_pd *ibv_alloc_parent_domain(struct ibv_context *context,
						     struct ibv_parent_domain_init_attr *attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, alloc_parent_domain);

	if (v)
		return v->alloc_parent_domain(context, attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* pointer; comp_mask has to say that fd and oflags are there. */
static inline struct ibv_xrcd *ibv_open_xrcd(struct ibv_context *context,
					     struct ibv_xrcd_init_attr *xrcd_init_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, open_xrcd);

	if (v)
		return v->open_xrcd(context, xrcd_init_attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_close_xrcd(struct ibv_xrcd *xrcd)
{
	return verbs_get_ctx(xrcd->context)->close_xrcd(xrcd);
}

/* pointer */
static inline struct ibv_mw *ibv_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	if (pd->context->ops.alloc_mw)
		return pd->context->ops.alloc_mw(pd, type);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_dealloc_mw(struct ibv_mw *mw)
{
	return mw->context->ops.dealloc_mw(mw);
}

/*
 * Posts the bind of a type 1 window (errno).  mw->rkey is the new key at once; the old one has
 * to be put back by the caller when the completion says that the bind failed.
 */
static inline int ibv_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)
{
	const struct ibv_mw_bind_info *info = &mw_bind->bind_info;

	if (mw->type != IBV_MW_TYPE_1)
		return EINVAL;
	if (!info->mr)
		return info->addr || info->length ? EINVAL : mw->context->ops.bind_mw(qp, mw,
										     mw_bind);
	if (mw->pd != info->mr->pd)
		return EPERM;
	return mw->context->ops.bind_mw(qp, mw, mw_bind);
}

/* errno; advice and flags are those of the uAPI. */
static inline int ibv_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
				uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
{
	struct verbs_context *v = verbs_get_ctx_op(pd->context, advise_mr);

	return v ? v->advise_mr(pd, advice, flags, sg_list, num_sge) : EOPNOTSUPP;
}

/* pointer */
static inline struct ibv_dm *ibv_alloc_dm(struct ibv_context *context,
					  struct ibv_alloc_dm_attr *attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, alloc_dm);

	if (v)
		return v->alloc_dm(context, attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno: EBUSY while a region lies on it. */
static inline int ibv_free_dm(struct ibv_dm *dm)
{
	struct verbs_context *v = verbs_get_ctx_op(dm->context, free_dm);

	return v ? v->free_dm(dm) : EOPNOTSUPP;
}

/* errno */
static inline int ibv_memcpy_to_dm(struct ibv_dm *dm, uint64_t dm_offset, const void *host_addr,
				   size_t length)
{
	return dm->memcpy_to_dm(dm, dm_offset, host_addr, length);
}

/* errno */
static inline int ibv_memcpy_from_dm(void *host_addr, struct ibv_dm *dm, uint64_t dm_offset,
				     size_t length)
{
	return dm->memcpy_from_dm(host_addr, dm, dm_offset, length);
}

/* A region that takes everything and gives zeros (pointer). */
static inline struct ibv_mr *ibv_alloc_null_mr(struct ibv_pd *pd)
{
	struct verbs_context *v = verbs_get_ctx_op(pd->context, alloc_null_mr);

	if (v)
		return v->alloc_null_mr(pd);
	errno = EOPNOTSUPP;
	return NULL;
}

/* pointer; addresses are offsets from the start of the region. */
static inline struct ibv_mr *ibv_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
					   uint64_t dm_offset, size_t length,
					   unsigned int access)
{
	struct verbs_context *v = verbs_get_ctx_op(pd->context, reg_dm_mr);

	if (v)
		return v->reg_dm_mr(pd, dm, dm_offset, length, access);
	errno = EOPNOTSUPP;
	return NULL;
}

#endif
