// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Changing a queue pair: the core checks and completes the addresses, keeps references on the
 * source GIDs they use, and leaves the state machine to the driver (which asks qp_state.c).
 */
#include <linux/module.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "trace.h"

#define PSN_MASK 0xffffff

/* UD addresses travel in each work request; these types keep one. */
static bool is_connected(const struct ib_qp *qp)
{
	return qp->qp_type == IB_QPT_UC || qp->qp_type == IB_QPT_RC ||
	       qp->qp_type == IB_QPT_XRC_INI || qp->qp_type == IB_QPT_XRC_TGT;
}

/* Kernel consumers resolve themselves (rdma_cm does); user space leaves it to us. */
static int resolve_user_path(struct ib_qp *qp, struct rdma_ah_attr *attr,
			     const struct ib_udata *udata)
{
	if (!udata || attr->type != RDMA_AH_ATTR_TYPE_ROCE || !is_connected(qp))
		return 0;
	return core_roce_l2_resolve(qp->device, attr);
}

static int fill_path(struct ib_qp *qp, struct rdma_ah_attr *attr, const struct ib_udata *udata,
		     const struct ib_gid_attr **old_sgid)
{
	int ret = core_ah_fill_sgid(qp->device, attr, old_sgid);

	if (ret)
		return ret;
	ret = resolve_user_path(qp, attr, udata);
	if (ret)
		core_ah_unfill_sgid(attr, *old_sgid);
	return ret;
}

/* Path migration exists on InfiniBand only. */
static int fill_alt_path(struct ib_qp *qp, struct ib_qp_attr *attr, u32 port,
			 const struct ib_gid_attr **old_sgid)
{
	int ret = core_ah_fill_sgid(qp->device, &attr->alt_ah_attr, old_sgid);

	if (ret)
		return ret;
	if (rdma_protocol_ib(qp->device, attr->alt_ah_attr.port_num) &&
	    rdma_is_port_valid(qp->device, port) && rdma_protocol_ib(qp->device, port))
		return 0;
	core_ah_unfill_sgid(&attr->alt_ah_attr, *old_sgid);
	return -EINVAL;
}

/* Programs have been giving random 32-bit numbers; only 24 bits go over the wire. */
static void mask_psns(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, u32 port)
{
	if (!rdma_is_port_valid(qp->device, port) || !rdma_ib_or_roce(qp->device, port))
		return;
	if (mask & IB_QP_RQ_PSN)
		attr->rq_psn &= PSN_MASK;
	if (mask & IB_QP_SQ_PSN)
		attr->sq_psn &= PSN_MASK;
}

static void keep_result(struct ib_qp *qp, struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PORT)
		qp->port = attr->port_num;
	if (mask & IB_QP_AV)
		core_ah_keep_sgid(&attr->ah_attr, &qp->av_sgid_attr);
	if (mask & IB_QP_ALT_PATH)
		core_ah_keep_sgid(&attr->alt_ah_attr, &qp->alt_path_sgid_attr);
}

static int modify(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	u32 port = mask & IB_QP_PORT ? attr->port_num : qp->port;
	const struct ib_gid_attr *old_sgid, *old_alt_sgid;
	int ret;

	if ((mask & IB_QP_PORT) && !rdma_is_port_valid(qp->device, port))
		return -EINVAL;
	attr->xmit_slave = NULL;
	if (mask & IB_QP_AV) {
		ret = fill_path(qp, &attr->ah_attr, udata, &old_sgid);
		if (ret)
			return ret;
	}
	if (mask & IB_QP_ALT_PATH) {
		ret = fill_alt_path(qp, attr, port, &old_alt_sgid);
		if (ret)
			goto unfill_av;
	}
	mask_psns(qp, attr, mask, port);

	ret = qp->device->ops.modify_qp(qp, attr, mask, udata);
	trace_core_qp_modify(qp, attr, mask, ret);
	if (!ret)
		keep_result(qp, attr, mask);

	if (mask & IB_QP_ALT_PATH)
		core_ah_unfill_sgid(&attr->alt_ah_attr, old_alt_sgid);
unfill_av:
	if (mask & IB_QP_AV)
		core_ah_unfill_sgid(&attr->ah_attr, old_sgid);
	return ret;
}

/*
 * ib_modify_qp_with_udata - change a QP on behalf of user space
 *
 * On RoCE the destination MAC is looked up, which may take as long as a neighbour needs to answer.
 */
int ib_modify_qp_with_udata(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			    struct ib_udata *udata)
{
	return modify(qp->real_qp, attr, mask, udata);
}
EXPORT_SYMBOL(ib_modify_qp_with_udata);

/*
 * ib_modify_qp - change a QP of a kernel consumer, whose addresses are resolved
 */
int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask)
{
	return modify(qp->real_qp, attr, mask, NULL);
}
EXPORT_SYMBOL(ib_modify_qp);
