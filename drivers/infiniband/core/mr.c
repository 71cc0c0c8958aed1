// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions: those that kernel consumers make and register by work requests, and the end of
 * all, also of those that ib_uverbs made. Filling one with pages is in mr_map.c.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "trace.h"

/* The driver made it; the core's part of the struct follows. */
static void adopt(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type)
{
	mr->device = pd->device;
	mr->pd = pd;
	mr->dm = NULL;
	mr->uobject = NULL;
	mr->need_inval = false;
	mr->type = type;
	mr->sig_attrs = NULL;
	atomic_inc(&pd->usecnt);

	rdma_restrack_new(&mr->res, RDMA_RESTRACK_MR);
	rdma_restrack_parent_name(&mr->res, &pd->res);
	rdma_restrack_add(&mr->res);
	trace_core_object_create(pd->device, "mr", mr->res.id, 0);
}

/*
 * ib_alloc_mr - a region for registration by work requests, up to @max_num_sg pages
 */
struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct ib_mr *mr;

	if (!pd->device->ops.alloc_mr)
		return ERR_PTR(-EOPNOTSUPP);
	if (WARN_ON_ONCE(type == IB_MR_TYPE_INTEGRITY))
		return ERR_PTR(-EINVAL);
	mr = pd->device->ops.alloc_mr(pd, type, max_num_sg);
	if (!IS_ERR(mr))
		adopt(mr, pd, type);
	return mr;
}
EXPORT_SYMBOL(ib_alloc_mr);

/*
 * ib_alloc_mr_integrity - a region for signature handover
 */
struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg)
{
	const struct ib_device_ops *ops = &pd->device->ops;
	struct ib_sig_attrs *sig_attrs;
	struct ib_mr *mr;

	if (!ops->alloc_mr_integrity || !ops->map_mr_sg_pi)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_meta_sg)
		return ERR_PTR(-EINVAL);
	sig_attrs = kzalloc(sizeof(*sig_attrs), GFP_KERNEL);
	if (!sig_attrs)
		return ERR_PTR(-ENOMEM);
	mr = ops->alloc_mr_integrity(pd, max_num_data_sg, max_num_meta_sg);
	if (IS_ERR(mr)) {
		kfree(sig_attrs);
		return mr;
	}
	adopt(mr, pd, IB_MR_TYPE_INTEGRITY);
	mr->sig_attrs = sig_attrs;
	return mr;
}
EXPORT_SYMBOL(ib_alloc_mr_integrity);

/*
 * ib_reg_user_mr - register memory of the current process on behalf of a kernel consumer
 */
struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access)
{
	struct ib_mr *mr;

	if ((access & IB_ACCESS_ON_DEMAND) &&
	    !(pd->device->attrs.kernel_cap_flags & IBK_ON_DEMAND_PAGING))
		return ERR_PTR(-EINVAL);
	mr = pd->device->ops.reg_user_mr(pd, start, length, virt_addr, access, NULL);
	if (IS_ERR(mr))
		return mr;
	adopt(mr, pd, IB_MR_TYPE_USER);
	mr->iova = virt_addr;
	mr->length = length;
	return mr;
}
EXPORT_SYMBOL(ib_reg_user_mr);

int ib_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		 struct ib_sge *sg_list, u32 num_sge)
{
	if (!pd->device->ops.advise_mr)
		return -EOPNOTSUPP;
	if (!num_sge)
		return 0;
	return pd->device->ops.advise_mr(pd, advice, flags, sg_list, num_sge, NULL);
}
EXPORT_SYMBOL(ib_advise_mr);

/*
 * ib_dereg_mr_user - end a region; fails (and changes nothing) while windows are bound to it
 *
 * The driver frees the memory of @mr.
 */
int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_sig_attrs *sig_attrs = mr->sig_attrs;
	struct core_restrack_ticket ticket;
	struct ib_device *dev = mr->device;
	struct ib_pd *pd = mr->pd;
	struct ib_dm *dm = mr->dm;
	u32 id = mr->res.id;
	int ret;

	core_restrack_hide(&mr->res, &ticket);
	ret = dev->ops.dereg_mr(mr, udata);
	trace_core_object_destroy(dev, "mr", id, ret);
	if (ret) {
		rdma_restrack_abort_del(&mr->res);
		return ret;
	}
	core_restrack_forget(&ticket);
	atomic_dec(&pd->usecnt);
	if (dm)
		atomic_dec(&dm->usecnt);
	kfree(sig_attrs);
	return 0;
}
EXPORT_SYMBOL(ib_dereg_mr_user);

int ib_check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *status)
{
	if (!mr->device->ops.check_mr_status)
		return -EOPNOTSUPP;
	return mr->device->ops.check_mr_status(mr, check_mask, status);
}
EXPORT_SYMBOL(ib_check_mr_status);
