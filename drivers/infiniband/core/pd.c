// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Protection domains of kernel consumers, and the end of all. ib_uverbs makes its own by the
 * driver's alloc_pd and ends them here.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "trace.h"

/* Which access a PD-wide DMA MR needs, 0 when the PD does without one. */
static int internal_mr_access(const struct ib_pd *pd)
{
	int access = 0;

	if (!(pd->device->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY))
		access |= IB_ACCESS_LOCAL_WRITE;
	if (pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY)
		access |= IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE;
	return access;
}

static int setup_dma_keys(struct ib_pd *pd)
{
	int access = internal_mr_access(pd);
	struct ib_mr *mr;

	if (pd->device->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY)
		pd->local_dma_lkey = pd->device->local_dma_lkey;
	if (!access)
		return 0;
	if (!pd->device->ops.get_dma_mr)
		return -EOPNOTSUPP;

	mr = pd->device->ops.get_dma_mr(pd, access);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	mr->device = pd->device;
	mr->pd = pd;
	mr->type = IB_MR_TYPE_DMA;
	mr->uobject = NULL;
	mr->need_inval = false;
	pd->__internal_mr = mr;

	if (!(pd->device->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY))
		pd->local_dma_lkey = mr->lkey;
	if (pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY)
		pd->unsafe_global_rkey = mr->rkey;
	return 0;
}

struct ib_pd *__ib_alloc_pd(struct ib_device *dev, unsigned int flags, const char *caller)
{
	struct ib_pd *pd;
	int ret;

	pd = rdma_zalloc_drv_obj(dev, ib_pd);
	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->device = dev;
	pd->flags = flags;
	rdma_restrack_new(&pd->res, RDMA_RESTRACK_PD);
	rdma_restrack_set_name(&pd->res, caller);

	ret = dev->ops.alloc_pd(pd, NULL);
	if (ret) {
		rdma_restrack_put(&pd->res);
		kfree(pd);
		return ERR_PTR(ret);
	}
	rdma_restrack_add(&pd->res);
	trace_core_object_create(dev, "pd", pd->res.id, 0);

	if (flags & IB_PD_UNSAFE_GLOBAL_RKEY)
		pr_warn("%s: all memory becomes remotely accessible by one rkey\n", caller);
	ret = setup_dma_keys(pd);
	if (ret) {
		ib_dealloc_pd(pd);
		return ERR_PTR(ret);
	}
	return pd;
}
EXPORT_SYMBOL(__ib_alloc_pd);

/*
 * ib_dealloc_pd_user - free a PD that nothing belongs to any more (else -EBUSY)
 */
int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata)
{
	int ret;

	if (atomic_read(&pd->usecnt))
		return -EBUSY;
	if (pd->__internal_mr) {
		ret = pd->device->ops.dereg_mr(pd->__internal_mr, NULL);
		WARN_ON(ret);
		pd->__internal_mr = NULL;
	}

	rdma_restrack_begin_del(&pd->res);
	ret = pd->device->ops.dealloc_pd(pd, udata);
	trace_core_object_destroy(pd->device, "pd", pd->res.id, ret);
	if (ret) {
		rdma_restrack_abort_del(&pd->res);
		return ret;
	}
	rdma_restrack_commit_del(&pd->res);
	kfree(pd);
	return 0;
}
EXPORT_SYMBOL(ib_dealloc_pd_user);
