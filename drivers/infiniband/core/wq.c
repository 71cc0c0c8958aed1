// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Work queues (receive side scaling): drivers make them, the core counts what uses what. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr)
{
	struct ib_wq *wq;

	if (!pd->device->ops.create_wq)
		return ERR_PTR(-EOPNOTSUPP);
	wq = pd->device->ops.create_wq(pd, attr, NULL);
	if (IS_ERR(wq))
		return wq;
	wq->event_handler = attr->event_handler;
	wq->wq_context = attr->wq_context;
	wq->wq_type = attr->wq_type;
	wq->cq = attr->cq;
	wq->device = pd->device;
	wq->pd = pd;
	wq->uobject = NULL;
	atomic_inc(&pd->usecnt);
	atomic_inc(&attr->cq->usecnt);
	atomic_set(&wq->usecnt, 0);
	return wq;
}
EXPORT_SYMBOL(ib_create_wq);

int ib_destroy_wq_user(struct ib_wq *wq, struct ib_udata *udata)
{
	struct ib_cq *cq = wq->cq;
	struct ib_pd *pd = wq->pd;
	int ret;

	if (atomic_read(&wq->usecnt))
		return -EBUSY;
	ret = wq->device->ops.destroy_wq(wq, udata);
	if (ret)
		return ret;
	atomic_dec(&pd->usecnt);
	atomic_dec(&cq->usecnt);
	return 0;
}
EXPORT_SYMBOL(ib_destroy_wq_user);
