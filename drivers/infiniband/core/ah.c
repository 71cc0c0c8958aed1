// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address handles. Kernel consumers give resolved addresses; for user space the destination MAC of
 * a RoCE address is looked up here.
 */
#include <linux/module.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "trace.h"

static int call_driver(struct ib_ah *ah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = &ah->device->ops;

	if (udata && ops->create_user_ah)
		return ops->create_user_ah(ah, init, udata);
	if (!ops->create_ah)
		return -EOPNOTSUPP;
	return ops->create_ah(ah, init, udata);
}

/* The address is checked and filled. */
static struct ib_ah *create_ah(struct ib_pd *pd, struct rdma_ah_attr *attr, u32 flags,
			       struct ib_udata *udata)
{
	struct rdma_ah_init_attr init = { .ah_attr = attr, .flags = flags };
	struct ib_device *dev = pd->device;
	struct ib_ah *ah;
	int ret;

	might_sleep_if(flags & RDMA_CREATE_AH_SLEEPABLE);
	ah = rdma_zalloc_drv_obj_gfp(dev, ib_ah,
				     flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL : GFP_ATOMIC);
	if (!ah)
		return ERR_PTR(-ENOMEM);
	ah->device = dev;
	ah->pd = pd;
	ah->type = attr->type;
	core_ah_keep_sgid(attr, &ah->sgid_attr);

	ret = call_driver(ah, &init, udata);
	trace_core_object_create(dev, "ah", 0, ret);
	if (ret) {
		if (ah->sgid_attr)
			rdma_put_gid_attr(ah->sgid_attr);
		kfree(ah);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	return ah;
}

struct ib_ah *rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *attr, u32 flags)
{
	const struct ib_gid_attr *old_sgid;
	struct ib_ah *ah;
	int ret;

	ret = core_ah_fill_sgid(pd->device, attr, &old_sgid);
	if (ret)
		return ERR_PTR(ret);
	ah = create_ah(pd, attr, flags, NULL);
	core_ah_unfill_sgid(attr, old_sgid);
	return ah;
}
EXPORT_SYMBOL(rdma_create_ah);

struct ib_ah *rdma_create_user_ah(struct ib_pd *pd, struct rdma_ah_attr *attr,
				  struct ib_udata *udata)
{
	const struct ib_gid_attr *old_sgid;
	struct ib_ah *ah;
	int ret;

	ret = core_ah_fill_sgid(pd->device, attr, &old_sgid);
	if (ret)
		return ERR_PTR(ret);
	if (attr->type == RDMA_AH_ATTR_TYPE_ROCE)
		ret = core_roce_l2_resolve(pd->device, attr);
	ah = ret ? ERR_PTR(ret) : create_ah(pd, attr, RDMA_CREATE_AH_SLEEPABLE, udata);
	core_ah_unfill_sgid(attr, old_sgid);
	return ah;
}
EXPORT_SYMBOL(rdma_create_user_ah);

int rdma_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *old_sgid;
	int ret;

	if (ah->type != attr->type)
		return -EINVAL;
	if (!ah->device->ops.modify_ah)
		return -EOPNOTSUPP;
	ret = core_ah_fill_sgid(ah->device, attr, &old_sgid);
	if (ret)
		return ret;
	ret = ah->device->ops.modify_ah(ah, attr);
	if (!ret)
		core_ah_keep_sgid(attr, &ah->sgid_attr);
	core_ah_unfill_sgid(attr, old_sgid);
	return ret;
}
EXPORT_SYMBOL(rdma_modify_ah);

int rdma_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr)
{
	attr->grh.sgid_attr = NULL;
	if (!ah->device->ops.query_ah)
		return -EOPNOTSUPP;
	return ah->device->ops.query_ah(ah, attr);
}
EXPORT_SYMBOL(rdma_query_ah);

int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata)
{
	const struct ib_gid_attr *sgid_attr = ah->sgid_attr;
	struct ib_pd *pd = ah->pd;
	int ret;

	might_sleep_if(flags & RDMA_DESTROY_AH_SLEEPABLE);
	ret = ah->device->ops.destroy_ah(ah, flags);
	trace_core_object_destroy(ah->device, "ah", 0, ret);
	if (ret)
		return ret;
	if (sgid_attr)
		rdma_put_gid_attr(sgid_attr);
	kfree(ah);
	atomic_dec(&pd->usecnt);
	return 0;
}
EXPORT_SYMBOL(rdma_destroy_ah_user);
