// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues with a handler of the consumer's own. Those that the core polls are in
 * cq_poll.c; ib_uverbs makes its own and ends them here.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "trace.h"

struct ib_cq *__ib_create_cq(struct ib_device *dev, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *, void *), void *cq_context,
			     const struct ib_cq_init_attr *attr, const char *caller)
{
	struct ib_cq *cq;
	int ret;

	cq = rdma_zalloc_drv_obj(dev, ib_cq);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->device = dev;
	cq->comp_handler = comp_handler;
	cq->event_handler = event_handler;
	cq->cq_context = cq_context;
	atomic_set(&cq->usecnt, 0);
	rdma_restrack_new(&cq->res, RDMA_RESTRACK_CQ);
	rdma_restrack_set_name(&cq->res, caller);

	ret = dev->ops.create_cq(cq, attr, NULL);
	if (ret) {
		rdma_restrack_put(&cq->res);
		kfree(cq);
		return ERR_PTR(ret);
	}
	rdma_restrack_add(&cq->res);
	trace_core_object_create(dev, "cq", cq->res.id, 0);
	return cq;
}
EXPORT_SYMBOL(__ib_create_cq);

/* Some drivers stop a CQ first and free it later, so that no dump sees it half freed. */
static int stop_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	if (cq->device->ops.pre_destroy_cq)
		return cq->device->ops.pre_destroy_cq(cq);
	return cq->device->ops.destroy_cq(cq, udata);
}

/*
 * ib_destroy_cq_user - end a CQ that no queue reports to any more (else -EBUSY)
 */
int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata)
{
	int ret;

	if (WARN_ON_ONCE(cq->shared))
		return -EOPNOTSUPP;
	if (atomic_read(&cq->usecnt))
		return -EBUSY;

	rdma_restrack_begin_del(&cq->res);
	ret = stop_cq(cq, udata);
	trace_core_object_destroy(cq->device, "cq", cq->res.id, ret);
	if (ret) {
		rdma_restrack_abort_del(&cq->res);
		return ret;
	}
	rdma_restrack_commit_del(&cq->res);
	if (cq->device->ops.post_destroy_cq)
		cq->device->ops.post_destroy_cq(cq);
	kfree(cq);
	return 0;
}
EXPORT_SYMBOL(ib_destroy_cq_user);

int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period)
{
	if (cq->shared || !cq->device->ops.modify_cq)
		return -EOPNOTSUPP;
	return cq->device->ops.modify_cq(cq, cq_count, cq_period);
}
EXPORT_SYMBOL(rdma_set_cq_moderation);

int ib_resize_cq(struct ib_cq *cq, int cqe)
{
	if (cq->shared || !cq->device->ops.resize_cq)
		return -EOPNOTSUPP;
	return cq->device->ops.resize_cq(cq, cqe, NULL);
}
EXPORT_SYMBOL(ib_resize_cq);
