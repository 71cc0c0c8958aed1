// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Modifying a queue pair: from the user's struct to ib_qp_attr and a mask.
 *
 * dispatch.c calls in; ib_core, which knows the state table, goes out. What is checked here is
 * only what the state table cannot see: ports, and rights.
 */
#include <linux/capability.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>

#include "call.h"
#include "defs.h"
#include "objects.h"

#define QP_MODIFY_EX_BITS	(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT)

/*
 * The port of a path. On the way to RTR the port was fixed at INIT and the path has to agree;
 * in SQD a path may move the QP to another port, and then must say so the same way twice.
 */
static int qp_check_primary_path(struct ib_qp *qp, struct ib_uverbs_modify_qp *cmd)
{
	if (!rdma_is_port_valid(qp->device, cmd->dest.port_num))
		return -EINVAL;
	if (cmd->attr_mask & IB_QP_STATE && cmd->qp_state == IB_QPS_RTR)
		return cmd->dest.port_num == qp->real_qp->port ? 0 : -EINVAL;
	if (cmd->attr_mask & IB_QP_PORT)
		return cmd->dest.port_num == cmd->port_num ? 0 : -EINVAL;
	cmd->attr_mask |= IB_QP_PORT;
	cmd->port_num = cmd->dest.port_num;
	return 0;
}

static int qp_check_alternate_path(struct ib_qp *qp, const struct ib_uverbs_modify_qp *cmd)
{
	if (!rdma_is_port_valid(qp->device, cmd->alt_port_num))
		return -EINVAL;
	return cmd->alt_dest.port_num == cmd->alt_port_num ? 0 : -EINVAL;
}

/* A Q_Key with the top bit belongs to the subnet's managers (IBTA vol. 1, 10.2.5). */
static bool qp_may_use_qkey(u32 qkey)
{
	return !(qkey & IB_QP_SET_QKEY) || capable(CAP_NET_RAW) ||
	       rdma_nl_get_privileged_qkey();
}

/* cmd is our own copy; the primary path may add the port to what is modified. */
static int qp_check_modify(struct ib_qp *qp, struct ib_uverbs_modify_qp *cmd)
{
	int ret;

	if (cmd->attr_mask & IB_QP_PORT && !rdma_is_port_valid(qp->device, cmd->port_num))
		return -EINVAL;
	if (cmd->attr_mask & IB_QP_AV) {
		ret = qp_check_primary_path(qp, cmd);
		if (ret)
			return ret;
	}
	if (cmd->attr_mask & IB_QP_ALT_PATH) {
		ret = qp_check_alternate_path(qp, cmd);
		if (ret)
			return ret;
	}
	if (cmd->attr_mask & IB_QP_CUR_STATE && cmd->cur_qp_state > IB_QPS_ERR)
		return -EINVAL;
	if (cmd->attr_mask & IB_QP_STATE && cmd->qp_state > IB_QPS_ERR)
		return -EINVAL;
	if (cmd->attr_mask & IB_QP_QKEY && !qp_may_use_qkey(cmd->qkey))
		return -EPERM;
	return 0;
}

static void qp_read_dest(struct ib_device *device, const struct ib_uverbs_qp_dest *from,
			 struct rdma_ah_attr *to)
{
	to->type = rdma_ah_find_type(device, from->port_num);
	rdma_ah_set_make_grd(to, false);
	rdma_ah_set_dlid(to, from->dlid);
	rdma_ah_set_sl(to, from->sl);
	rdma_ah_set_path_bits(to, from->src_path_bits);
	rdma_ah_set_static_rate(to, from->static_rate);
	rdma_ah_set_port_num(to, from->port_num);
	if (!from->is_global) {
		rdma_ah_set_ah_flags(to, 0);
		return;
	}
	rdma_ah_set_grh(to, NULL, from->flow_label, from->sgid_index, from->hop_limit,
			from->traffic_class);
	rdma_ah_set_dgid_raw(to, (void *)from->dgid);
}

/* Only what the mask names: a driver that looked at anything else would find zeros. */
static void qp_read_attr(struct ib_qp *qp, const struct ib_uverbs_ex_modify_qp *cmd,
			 struct ib_qp_attr *attr)
{
	const struct ib_uverbs_modify_qp *base = &cmd->base;

	if (base->attr_mask & IB_QP_AV)
		qp_read_dest(qp->device, &base->dest, &attr->ah_attr);
	if (base->attr_mask & IB_QP_ALT_PATH) {
		qp_read_dest(qp->device, &base->alt_dest, &attr->alt_ah_attr);
		attr->alt_port_num = base->alt_port_num;
		attr->alt_timeout = base->alt_timeout;
		attr->alt_pkey_index = base->alt_pkey_index;
	}
	if (base->attr_mask & IB_QP_STATE)
		attr->qp_state = base->qp_state;
	if (base->attr_mask & IB_QP_CUR_STATE)
		attr->cur_qp_state = base->cur_qp_state;
	if (base->attr_mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		attr->en_sqd_async_notify = base->en_sqd_async_notify;
	if (base->attr_mask & IB_QP_ACCESS_FLAGS)
		attr->qp_access_flags = base->qp_access_flags;
	if (base->attr_mask & IB_QP_PKEY_INDEX)
		attr->pkey_index = base->pkey_index;
	if (base->attr_mask & IB_QP_PORT)
		attr->port_num = base->port_num;
	if (base->attr_mask & IB_QP_QKEY)
		attr->qkey = base->qkey;
	if (base->attr_mask & IB_QP_PATH_MTU)
		attr->path_mtu = base->path_mtu;
	if (base->attr_mask & IB_QP_PATH_MIG_STATE)
		attr->path_mig_state = base->path_mig_state;
	if (base->attr_mask & IB_QP_TIMEOUT)
		attr->timeout = base->timeout;
	if (base->attr_mask & IB_QP_RETRY_CNT)
		attr->retry_cnt = base->retry_cnt;
	if (base->attr_mask & IB_QP_RNR_RETRY)
		attr->rnr_retry = base->rnr_retry;
	if (base->attr_mask & IB_QP_MIN_RNR_TIMER)
		attr->min_rnr_timer = base->min_rnr_timer;
	if (base->attr_mask & IB_QP_RQ_PSN)
		attr->rq_psn = base->rq_psn;
	if (base->attr_mask & IB_QP_SQ_PSN)
		attr->sq_psn = base->sq_psn;
	if (base->attr_mask & IB_QP_DEST_QPN)
		attr->dest_qp_num = base->dest_qp_num;
	if (base->attr_mask & IB_QP_MAX_QP_RD_ATOMIC)
		attr->max_rd_atomic = base->max_rd_atomic;
	if (base->attr_mask & IB_QP_MAX_DEST_RD_ATOMIC)
		attr->max_dest_rd_atomic = base->max_dest_rd_atomic;
	if (base->attr_mask & IB_QP_RATE_LIMIT)
		attr->rate_limit = cmd->rate_limit;
}

/* Half a QP has half the attributes; programs set all of them, and get away with it. */
static u32 qp_mask_of_type(enum ib_qp_type type, u32 mask)
{
	switch (type) {
	case IB_QPT_XRC_INI:
		return mask & ~(IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	case IB_QPT_XRC_TGT:
		return mask & ~(IB_QP_MAX_QP_RD_ATOMIC | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY);
	default:
		return mask;
	}
}

static int qp_modify(struct uverbs_attr_bundle *attrs, struct ib_uverbs_ex_modify_qp *cmd)
{
	struct ib_qp_attr *attr;
	struct ib_qp *qp;
	int ret;

	qp = uverbs_call_qp(attrs, cmd->base.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = qp_check_modify(qp, &cmd->base);
	if (ret)
		return ret;
	/* Too large for the stack. */
	attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return -ENOMEM;
	qp_read_attr(qp, cmd, attr);
	ret = ib_modify_qp_with_udata(qp, attr, qp_mask_of_type(qp->qp_type, cmd->base.attr_mask),
				      &attrs->driver_udata);
	kfree(attr);
	return ret;
}

static int qp_modify_legacy(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_qp cmd = {};
	int ret;

	ret = uverbs_call_request(attrs, &cmd.base, sizeof(cmd.base));
	if (ret)
		return ret;
	if (cmd.base.attr_mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	return qp_modify(attrs, &cmd);
}

static int qp_modify_ex(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_qp_resp resp = {};
	struct ib_uverbs_ex_modify_qp cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.base.attr_mask & ~QP_MODIFY_EX_BITS)
		return -EOPNOTSUPP;
	ret = uverbs_call_answerable(attrs);
	if (!ret)
		ret = qp_modify(attrs, &cmd);
	if (ret)
		return ret;
	resp.response_length = uverbs_call_response_length(attrs, sizeof(resp));
	return uverbs_call_done(uverbs_call_respond(attrs, &resp, sizeof(resp)));
}

const struct uapi_definition uverbs_qp_modify_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_QP,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_MODIFY_QP, qp_modify_legacy,
				     UVERBS_IO_REQ(struct ib_uverbs_modify_qp),
				     UAPI_DEF_METHOD_NEEDS_FN(modify_qp)),
		DECLARE_UVERBS_WRITE_EX(IB_USER_VERBS_EX_CMD_MODIFY_QP, qp_modify_ex,
					UVERBS_IO_EX_RESP_UDATA(struct ib_uverbs_ex_modify_qp,
								base,
								struct ib_uverbs_ex_modify_qp_resp,
								response_length),
					UAPI_DEF_METHOD_NEEDS_FN(modify_qp))),
	{}
};
