// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs: making, asking and ending them, for kernel consumers and for ib_uverbs. Changing
 * one is in qp_modify.c, which changes are allowed in qp_state.c, shared XRC ones in qp_shared.c.
 *
 * The hooks by which security modules police P_Keys exist only inside the kernel image and are not
 * exported to modules; Debian's kernel has them off (CONFIG_SECURITY_INFINIBAND).
 */
#include <linux/module.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#include "core_priv.h"
#include "trace.h"

static void init_qp(struct ib_qp *qp, const struct ib_qp_init_attr *attr)
{
	qp->real_qp = qp;
	qp->qp_type = attr->qp_type;
	qp->rwq_ind_tbl = attr->rwq_ind_tbl;
	qp->srq = attr->srq;
	qp->event_handler = attr->event_handler;
	qp->qp_context = attr->qp_context;
	qp->port = attr->port_num;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	spin_lock_init(&qp->mr_lock);
	INIT_LIST_HEAD(&qp->rdma_mrs);
	INIT_LIST_HEAD(&qp->sig_mrs);
	INIT_LIST_HEAD(&qp->open_list);
}

static struct ib_qp *create_qp(struct ib_device *dev, struct ib_pd *pd,
			       struct ib_qp_init_attr *attr, struct ib_udata *udata,
			       struct ib_uqp_object *uobj, const char *caller)
{
	struct ib_qp *qp;
	int ret;

	if (!dev->ops.create_qp)
		return ERR_PTR(-EOPNOTSUPP);
	qp = rdma_zalloc_drv_obj_numa(dev, ib_qp);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->device = dev;
	qp->pd = pd;
	qp->uobject = uobj;
	init_qp(qp, attr);

	rdma_restrack_new(&qp->res, RDMA_RESTRACK_QP);
	WARN_ONCE(!udata && !caller, "a QP without an owner\n");
	rdma_restrack_set_name(&qp->res, udata ? NULL : caller);
	ret = dev->ops.create_qp(qp, attr, udata);
	if (ret) {
		rdma_restrack_put(&qp->res);
		kfree(qp);
		return ERR_PTR(ret);
	}
	/* A driver may have overwritten what it shares with the core. */
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	rdma_restrack_add(&qp->res);
	trace_core_object_create(dev, "qp", qp->qp_num, 0);
	return qp;
}

/*
 * ib_create_qp_user - make a QP for user space
 * @uobj: its user object
 * @caller: owner's name; the current task owns it when @udata is there
 *
 * The caller counts the uses with ib_qp_usecnt_inc() once it keeps the QP; ib_destroy_qp_user()
 * takes them off again.
 */
struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr, struct ib_udata *udata,
				struct ib_uqp_object *uobj, const char *caller)
{
	struct ib_qp *qp, *shared;

	if (attr->qp_type != IB_QPT_XRC_TGT)
		return create_qp(dev, pd, attr, udata, uobj, caller);

	qp = create_qp(dev, pd, attr, udata, NULL, caller);
	if (IS_ERR(qp))
		return qp;
	shared = core_qp_shared_create(qp, attr);
	if (IS_ERR(shared))
		ib_destroy_qp(qp);
	else
		shared->uobject = uobj;
	return shared;
}
EXPORT_SYMBOL(ib_create_qp_user);

static void count_use(atomic_t *usecnt, int by)
{
	atomic_add(by, usecnt);
}

static void count_uses(struct ib_qp *qp, int by)
{
	if (qp->pd)
		count_use(&qp->pd->usecnt, by);
	if (qp->send_cq)
		count_use(&qp->send_cq->usecnt, by);
	if (qp->recv_cq)
		count_use(&qp->recv_cq->usecnt, by);
	if (qp->srq)
		count_use(&qp->srq->usecnt, by);
	if (qp->rwq_ind_tbl)
		count_use(&qp->rwq_ind_tbl->usecnt, by);
}

/*
 * ib_qp_usecnt_inc - what a QP stands on cannot be destroyed before it
 */
void ib_qp_usecnt_inc(struct ib_qp *qp)
{
	count_uses(qp, 1);
}
EXPORT_SYMBOL(ib_qp_usecnt_inc);

void ib_qp_usecnt_dec(struct ib_qp *qp)
{
	count_uses(qp, -1);
}
EXPORT_SYMBOL(ib_qp_usecnt_dec);

/* A QP on an indirection table has its receive queues there and nowhere else. */
static bool kernel_attr_ok(const struct ib_qp_init_attr *attr)
{
	if (attr->rwq_ind_tbl &&
	    (attr->recv_cq || attr->srq || attr->cap.max_recv_wr || attr->cap.max_recv_sge))
		return false;
	if ((attr->create_flags & IB_QP_CREATE_INTEGRITY_EN) &&
	    !(attr->qp_type == IB_QPT_RC || attr->qp_type == IB_QPT_UC))
		return false;
	return true;
}

/*
 * ib_create_qp_kernel - make a QP for a kernel consumer; see ib_create_qp()
 */
struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr *attr,
				  const char *caller)
{
	struct ib_device *dev = pd->device;
	struct ib_qp *qp;
	int ret;

	if (!kernel_attr_ok(attr))
		return ERR_PTR(-EINVAL);
	if ((attr->create_flags & IB_QP_CREATE_INTEGRITY_EN) &&
	    !(dev->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER))
		return ERR_PTR(-EOPNOTSUPP);
	if (attr->cap.max_rdma_ctxs)
		rdma_rw_init_qp(dev, attr);

	qp = create_qp(dev, pd, attr, NULL, NULL, caller);
	if (IS_ERR(qp))
		return qp;
	ib_qp_usecnt_inc(qp);
	ret = attr->cap.max_rdma_ctxs ? rdma_rw_init_mrs(qp, attr) : 0;
	if (ret) {
		ib_destroy_qp(qp);
		return ERR_PTR(ret);
	}
	qp->max_write_sge = attr->cap.max_send_sge;
	qp->max_read_sge = min_t(u32, attr->cap.max_send_sge, dev->attrs.max_sge_rd);
	qp->integrity_en = attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	return qp;
}
EXPORT_SYMBOL(ib_create_qp_kernel);

/*
 * ib_query_qp - the attributes of a QP, at least those of @mask
 */
int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		struct ib_qp_init_attr *init_attr)
{
	/* A driver that fills addresses does not know of source GID references. */
	attr->ah_attr.grh.sgid_attr = NULL;
	attr->alt_ah_attr.grh.sgid_attr = NULL;
	if (!qp->device->ops.query_qp)
		return -EOPNOTSUPP;
	return qp->device->ops.query_qp(qp->real_qp, attr, mask, init_attr);
}
EXPORT_SYMBOL(ib_query_qp);

/*
 * ib_destroy_qp_user - end a QP; -EBUSY while it is attached to something
 *
 * A handle of a shared QP only lets go; the QP itself ends with its last handle.
 */
int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata)
{
	const struct ib_gid_attr *alt_sgid = qp->alt_path_sgid_attr;
	const struct ib_gid_attr *sgid = qp->av_sgid_attr;
	int ret;

	WARN_ON_ONCE(qp->mrs_used > 0);
	if (atomic_read(&qp->usecnt))
		return -EBUSY;
	if (qp->real_qp != qp)
		return core_qp_shared_destroy(qp);

	if (!qp->uobject)
		rdma_rw_cleanup_mrs(qp);
	rdma_restrack_begin_del(&qp->res);
	ret = qp->device->ops.destroy_qp(qp, udata);
	trace_core_object_destroy(qp->device, "qp", qp->qp_num, ret);
	if (ret) {
		rdma_restrack_abort_del(&qp->res);
		return ret;
	}
	rdma_restrack_commit_del(&qp->res);
	if (alt_sgid)
		rdma_put_gid_attr(alt_sgid);
	if (sgid)
		rdma_put_gid_attr(sgid);
	ib_qp_usecnt_dec(qp);
	kfree(qp);
	return 0;
}
EXPORT_SYMBOL(ib_destroy_qp_user);
