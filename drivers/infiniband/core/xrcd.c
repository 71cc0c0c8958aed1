// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* XRC domains: what shared QPs (qp_shared.c) and XRC SRQs belong to. Made by ib_uverbs. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/*
 * ib_alloc_xrcd_user - make a domain
 * @inode: the file by which processes name it, NULL for a private one
 */
struct ib_xrcd *ib_alloc_xrcd_user(struct ib_device *dev, struct inode *inode,
				   struct ib_udata *udata)
{
	struct ib_xrcd *xrcd;
	int ret;

	if (!dev->ops.alloc_xrcd)
		return ERR_PTR(-EOPNOTSUPP);
	xrcd = rdma_zalloc_drv_obj(dev, ib_xrcd);
	if (!xrcd)
		return ERR_PTR(-ENOMEM);
	xrcd->device = dev;
	xrcd->inode = inode;
	atomic_set(&xrcd->usecnt, 0);
	init_rwsem(&xrcd->tgt_qps_rwsem);
	xa_init(&xrcd->tgt_qps);
	ret = dev->ops.alloc_xrcd(xrcd, udata);
	if (ret) {
		kfree(xrcd);
		return ERR_PTR(ret);
	}
	return xrcd;
}
EXPORT_SYMBOL(ib_alloc_xrcd_user);

int ib_dealloc_xrcd_user(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	int ret;

	if (atomic_read(&xrcd->usecnt))
		return -EBUSY;
	WARN_ON(!xa_empty(&xrcd->tgt_qps));
	ret = xrcd->device->ops.dealloc_xrcd(xrcd, udata);
	if (ret)
		return ret;
	kfree(xrcd);
	return 0;
}
EXPORT_SYMBOL(ib_dealloc_xrcd_user);
