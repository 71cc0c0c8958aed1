// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared QPs (XRC target): one real QP in an XRC domain, a handle for each opener. An event of the
 * real QP goes to every handle. The real QP ends with its last handle.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* Event handler of the real QP. */
static void tell_openers(struct ib_event *event, void *context)
{
	struct ib_qp *real_qp = context;
	struct ib_qp *qp;
	unsigned long flags;

	spin_lock_irqsave(&real_qp->device->qp_open_list_lock, flags);
	list_for_each_entry(qp, &real_qp->open_list, open_list) {
		event->element.qp = qp;
		if (qp->event_handler)
			qp->event_handler(event, qp->qp_context);
	}
	spin_unlock_irqrestore(&real_qp->device->qp_open_list_lock, flags);
}

static struct ib_qp *open_handle(struct ib_qp *real_qp,
				 void (*event_handler)(struct ib_event *, void *), void *qp_context)
{
	struct ib_qp *qp = kzalloc(sizeof(*qp), GFP_KERNEL);
	unsigned long flags;

	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->real_qp = real_qp;
	qp->device = real_qp->device;
	qp->event_handler = event_handler;
	qp->qp_context = qp_context;
	qp->qp_num = real_qp->qp_num;
	qp->qp_type = real_qp->qp_type;
	atomic_inc(&real_qp->usecnt);

	spin_lock_irqsave(&real_qp->device->qp_open_list_lock, flags);
	list_add(&qp->open_list, &real_qp->open_list);
	spin_unlock_irqrestore(&real_qp->device->qp_open_list_lock, flags);
	return qp;
}

/* Turns a fresh XRC target QP into a shared one; returns its first handle. */
struct ib_qp *core_qp_shared_create(struct ib_qp *real_qp, struct ib_qp_init_attr *attr)
{
	struct ib_xrcd *xrcd = attr->xrcd;
	struct ib_qp *qp;
	int ret;

	real_qp->event_handler = tell_openers;
	real_qp->qp_context = real_qp;
	real_qp->pd = NULL;
	real_qp->send_cq = NULL;
	real_qp->recv_cq = NULL;
	real_qp->srq = NULL;
	real_qp->xrcd = xrcd;
	INIT_LIST_HEAD(&real_qp->open_list);
	/* ib_destroy_qp_user() of the real QP takes uses off; it has none but the domain. */

	qp = open_handle(real_qp, attr->event_handler, attr->qp_context);
	if (IS_ERR(qp))
		return qp;
	ret = xa_err(xa_store(&xrcd->tgt_qps, real_qp->qp_num, real_qp, GFP_KERNEL));
	if (ret) {
		ib_close_qp(qp);
		return ERR_PTR(ret);
	}
	atomic_inc(&xrcd->usecnt);
	return qp;
}

/*
 * ib_open_qp - another handle of the shared QP that has this number in the domain
 */
struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, struct ib_qp_open_attr *attr)
{
	struct ib_qp *qp, *real_qp;

	if (attr->qp_type != IB_QPT_XRC_TGT)
		return ERR_PTR(-EINVAL);
	down_read(&xrcd->tgt_qps_rwsem);
	real_qp = xa_load(&xrcd->tgt_qps, attr->qp_num);
	if (real_qp)
		qp = open_handle(real_qp, attr->event_handler, attr->qp_context);
	else
		qp = ERR_PTR(-EINVAL);
	up_read(&xrcd->tgt_qps_rwsem);
	return qp;
}
EXPORT_SYMBOL(ib_open_qp);

/*
 * ib_close_qp - give a handle back
 */
int ib_close_qp(struct ib_qp *qp)
{
	struct ib_qp *real_qp = qp->real_qp;
	unsigned long flags;

	if (real_qp == qp)
		return -EINVAL;
	spin_lock_irqsave(&real_qp->device->qp_open_list_lock, flags);
	list_del(&qp->open_list);
	spin_unlock_irqrestore(&real_qp->device->qp_open_list_lock, flags);
	atomic_dec(&real_qp->usecnt);
	kfree(qp);
	return 0;
}
EXPORT_SYMBOL(ib_close_qp);

int core_qp_shared_destroy(struct ib_qp *qp)
{
	struct ib_qp *real_qp = qp->real_qp;
	struct ib_xrcd *xrcd = real_qp->xrcd;
	bool last;
	int ret;

	/* Nobody opens the QP between the last close and its disappearance from the domain. */
	down_write(&xrcd->tgt_qps_rwsem);
	ib_close_qp(qp);
	last = !atomic_read(&real_qp->usecnt);
	if (last)
		xa_erase(&xrcd->tgt_qps, real_qp->qp_num);
	up_write(&xrcd->tgt_qps_rwsem);
	if (!last)
		return 0;

	ret = ib_destroy_qp(real_qp);
	if (!ret)
		atomic_dec(&xrcd->usecnt);
	return 0;
}
