// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What netlink says of one object of each kind. Called by nldev_res.c, which holds the entry. The
 * order of the attributes is that of the stock core.
 */
#include <linux/pid.h>
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "core_priv.h"
#include "nldev_res.h"

/* Kernel objects by name, a process's by its number, which a dead one has no more. */
static int put_owner(struct sk_buff *msg, const struct rdma_restrack_entry *res)
{
	pid_t pid;

	if (rdma_is_kernel_res(res)) {
		if (!res->kern_name)
			return 0;
		return nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME, res->kern_name);
	}
	pid = task_pid_vnr(res->task);
	return pid ? nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, pid) : 0;
}

static int put_usecnt(struct sk_buff *msg, const atomic_t *usecnt)
{
	return nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_RES_USECNT, atomic_read(usecnt),
				 RDMA_NLDEV_ATTR_PAD);
}

static bool is_connected(enum ib_qp_type type)
{
	return type == IB_QPT_RC || type == IB_QPT_UC;
}

static bool is_xrc(enum ib_qp_type type)
{
	return type == IB_QPT_XRC_INI || type == IB_QPT_XRC_TGT;
}

static int put_qp_state(struct sk_buff *msg, struct ib_qp *qp)
{
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	int ret;

	ret = ib_query_qp(qp, &attr, 0, &init);
	if (ret)
		return ret;

	if (is_connected(qp->qp_type) &&
	    (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQPN, attr.dest_qp_num) ||
	     nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQ_PSN, attr.rq_psn)))
		return -EMSGSIZE;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SQ_PSN, attr.sq_psn))
		return -EMSGSIZE;
	if ((is_connected(qp->qp_type) || is_xrc(qp->qp_type)) &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, attr.path_mig_state))
		return -EMSGSIZE;
	if (nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, qp->qp_type) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, attr.qp_state))
		return -EMSGSIZE;
	return 0;
}

int core_nldev_put_qp(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port)
{
	struct ib_qp *qp = container_of(res, struct ib_qp, res);
	const struct ib_device_ops *ops = &qp->device->ops;
	int ret;

	if (port && port != qp->port)
		return -EAGAIN;
	/* A QP has no port before INIT. */
	if (qp->port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, qp->port))
		return -EMSGSIZE;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, qp->qp_num))
		return -EMSGSIZE;
	/* An XRC target has no PD. */
	if (!rdma_is_kernel_res(res) && qp->pd &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, qp->pd->res.id))
		return -EMSGSIZE;
	if (put_owner(msg, res))
		return -EMSGSIZE;
	ret = put_qp_state(msg, qp);
	if (ret)
		return ret;
	return ops->fill_res_qp_entry ? ops->fill_res_qp_entry(msg, qp) : 0;
}

/*
 * Addresses and state of a CM ID are rdma_cm's, in a struct that no public header describes; its
 * number and owner are what the core knows.
 */
int core_nldev_put_cm_id(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			 u32 port)
{
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CM_IDN, res->id) || put_owner(msg, res))
		return -EMSGSIZE;
	return 0;
}

/* Like every object of ib_uverbs, stock's and ours, an ib_ucq_object begins with the ib_uobject. */
static struct ib_ucontext *cq_context(struct ib_cq *cq)
{
	return ((struct ib_uobject *)cq->uobject)->context;
}

int core_nldev_put_cq(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port)
{
	struct ib_cq *cq = container_of(res, struct ib_cq, res);
	const struct ib_device_ops *ops = &cq->device->ops;

	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQE, cq->cqe) || put_usecnt(msg, &cq->usecnt))
		return -EMSGSIZE;
	/* Who polls it is the kernel's choice only for its own. */
	if (rdma_is_kernel_res(res) &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_POLL_CTX, cq->poll_ctx))
		return -EMSGSIZE;
	if (nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, cq->dim != NULL) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN, res->id))
		return -EMSGSIZE;
	if (!rdma_is_kernel_res(res) && cq->uobject &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN, cq_context(cq)->res.id))
		return -EMSGSIZE;
	if (put_owner(msg, res))
		return -EMSGSIZE;
	return ops->fill_res_cq_entry ? ops->fill_res_cq_entry(msg, cq) : 0;
}

int core_nldev_put_mr(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);
	const struct ib_device_ops *ops = &mr->device->ops;

	if (admin && (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RKEY, mr->rkey) ||
		      nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LKEY, mr->lkey)))
		return -EMSGSIZE;
	if (nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_RES_MRLEN, mr->length, RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_MRN, res->id))
		return -EMSGSIZE;
	if (!rdma_is_kernel_res(res) && nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, mr->pd->res.id))
		return -EMSGSIZE;
	if (put_owner(msg, res))
		return -EMSGSIZE;
	return ops->fill_res_mr_entry ? ops->fill_res_mr_entry(msg, mr) : 0;
}

int core_nldev_put_pd(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port)
{
	struct ib_pd *pd = container_of(res, struct ib_pd, res);

	if (admin && nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY, pd->local_dma_lkey))
		return -EMSGSIZE;
	if (admin && pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_UNSAFE_GLOBAL_RKEY, pd->unsafe_global_rkey))
		return -EMSGSIZE;
	if (put_usecnt(msg, &pd->usecnt) || nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, res->id))
		return -EMSGSIZE;
	if (!rdma_is_kernel_res(res) && pd->uobject &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN, pd->uobject->context->res.id))
		return -EMSGSIZE;
	return put_owner(msg, res);
}

int core_nldev_put_ctx(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port)
{
	if (rdma_is_kernel_res(res))
		return 0;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN, res->id))
		return -EMSGSIZE;
	return put_owner(msg, res);
}

static int put_qp_range(struct sk_buff *msg, u32 first, u32 last)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	int ret;

	if (!entry)
		return -EMSGSIZE;
	if (first == last)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, first);
	else
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_MIN_RANGE, first) ||
		      nla_put_u32(msg, RDMA_NLDEV_ATTR_MAX_RANGE, last);
	if (ret) {
		nla_nest_cancel(msg, entry);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, entry);
	return 0;
}

/* The numbers of the QPs on an SRQ, neighbours drawn together. */
static int put_srq_qps(struct sk_buff *msg, struct ib_srq *srq)
{
	struct rdma_restrack_root *root = &srq->device->res[RDMA_RESTRACK_QP];
	struct rdma_restrack_entry *res;
	u32 first = 0, last = 0;
	struct nlattr *table;
	unsigned long id;
	struct ib_qp *qp;
	int ret = 0;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	if (!table)
		return -EMSGSIZE;

	xa_lock(&root->xa);
	xa_for_each(&root->xa, id, res) {
		/* The lock keeps the entry, hence its QP, from being freed. */
		qp = container_of(res, struct ib_qp, res);
		if (qp->srq != srq)
			continue;
		if (first && qp->qp_num == last + 1) {
			last++;
			continue;
		}
		if (first)
			ret = put_qp_range(msg, first, last);
		if (ret)
			break;
		first = qp->qp_num;
		last = first;
	}
	xa_unlock(&root->xa);
	if (!ret && first)
		ret = put_qp_range(msg, first, last);

	if (ret)
		nla_nest_cancel(msg, table);
	else
		nla_nest_end(msg, table);
	return ret;
}

int core_nldev_put_srq(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res, u32 port)
{
	struct ib_srq *srq = container_of(res, struct ib_srq, res);

	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SRQN, res->id) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, srq->srq_type) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, srq->pd->res.id))
		return -EMSGSIZE;
	if (ib_srq_has_cq(srq->srq_type) &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN, srq->ext.cq->res.id))
		return -EMSGSIZE;
	if (put_srq_qps(msg, srq))
		return -EMSGSIZE;
	return put_owner(msg, res);
}

int core_nldev_put_qp_raw(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			  u32 port)
{
	struct ib_qp *qp = container_of(res, struct ib_qp, res);
	const struct ib_device_ops *ops = &qp->device->ops;

	if (port && port != qp->port)
		return -EAGAIN;
	return ops->fill_res_qp_entry_raw ? ops->fill_res_qp_entry_raw(msg, qp) : -EINVAL;
}

int core_nldev_put_cq_raw(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			  u32 port)
{
	struct ib_cq *cq = container_of(res, struct ib_cq, res);
	const struct ib_device_ops *ops = &cq->device->ops;

	return ops->fill_res_cq_entry_raw ? ops->fill_res_cq_entry_raw(msg, cq) : -EINVAL;
}

int core_nldev_put_mr_raw(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			  u32 port)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);
	const struct ib_device_ops *ops = &mr->device->ops;

	return ops->fill_res_mr_entry_raw ? ops->fill_res_mr_entry_raw(msg, mr) : -EINVAL;
}
