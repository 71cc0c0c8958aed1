// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Shared receive queues, for kernel consumers and for ib_uverbs. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "trace.h"

/* What an SRQ stands on cannot be destroyed before it. */
static void count_uses(struct ib_srq *srq, int by)
{
	atomic_add(by, &srq->pd->usecnt);
	if (ib_srq_has_cq(srq->srq_type) && srq->ext.cq)
		atomic_add(by, &srq->ext.cq->usecnt);
	if (srq->srq_type == IB_SRQT_XRC && srq->ext.xrc.xrcd)
		atomic_add(by, &srq->ext.xrc.xrcd->usecnt);
}

/*
 * ib_create_srq_user - make an SRQ
 * @uobject: its user object, NULL for a kernel consumer, as @udata
 */
struct ib_srq *ib_create_srq_user(struct ib_pd *pd, struct ib_srq_init_attr *attr,
				  struct ib_usrq_object *uobject, struct ib_udata *udata)
{
	struct ib_srq *srq;
	int ret;

	srq = rdma_zalloc_drv_obj(pd->device, ib_srq);
	if (!srq)
		return ERR_PTR(-ENOMEM);
	srq->device = pd->device;
	srq->pd = pd;
	srq->uobject = uobject;
	srq->event_handler = attr->event_handler;
	srq->srq_context = attr->srq_context;
	srq->srq_type = attr->srq_type;
	if (ib_srq_has_cq(srq->srq_type))
		srq->ext.cq = attr->ext.cq;
	if (srq->srq_type == IB_SRQT_XRC)
		srq->ext.xrc.xrcd = attr->ext.xrc.xrcd;
	count_uses(srq, 1);

	rdma_restrack_new(&srq->res, RDMA_RESTRACK_SRQ);
	rdma_restrack_parent_name(&srq->res, &pd->res);
	ret = pd->device->ops.create_srq(srq, attr, udata);
	if (ret) {
		rdma_restrack_put(&srq->res);
		count_uses(srq, -1);
		kfree(srq);
		return ERR_PTR(ret);
	}
	rdma_restrack_add(&srq->res);
	trace_core_object_create(srq->device, "srq", srq->res.id, 0);
	return srq;
}
EXPORT_SYMBOL(ib_create_srq_user);

int ib_modify_srq(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask)
{
	if (!srq->device->ops.modify_srq)
		return -EOPNOTSUPP;
	return srq->device->ops.modify_srq(srq, attr, mask, NULL);
}
EXPORT_SYMBOL(ib_modify_srq);

int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *attr)
{
	if (!srq->device->ops.query_srq)
		return -EOPNOTSUPP;
	return srq->device->ops.query_srq(srq, attr);
}
EXPORT_SYMBOL(ib_query_srq);

/*
 * ib_destroy_srq_user - end an SRQ that no QP receives from any more (else -EBUSY)
 */
int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata)
{
	int ret;

	if (atomic_read(&srq->usecnt))
		return -EBUSY;
	rdma_restrack_begin_del(&srq->res);
	ret = srq->device->ops.destroy_srq(srq, udata);
	trace_core_object_destroy(srq->device, "srq", srq->res.id, ret);
	if (ret) {
		rdma_restrack_abort_del(&srq->res);
		return ret;
	}
	rdma_restrack_commit_del(&srq->res);
	count_uses(srq, -1);
	kfree(srq);
	return 0;
}
EXPORT_SYMBOL(ib_destroy_srq_user);
