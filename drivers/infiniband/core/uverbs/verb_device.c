// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a device and its ports can do: QUERY_DEVICE, its extended form, and QUERY_PORT through both
 * doors. dispatch.c calls in; out go the driver's query_device and ib_core's port queries.
 */
#include <linux/minmax.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/opa_addr.h>

#include "call.h"
#include "defs.h"

static void fill_device(const struct ib_device *ibdev, const struct ib_device_attr *attr,
			struct ib_uverbs_query_device_resp *resp)
{
	*resp = (struct ib_uverbs_query_device_resp) {
		.fw_ver = attr->fw_ver,
		.node_guid = ibdev->node_guid,
		.sys_image_guid = attr->sys_image_guid,
		.max_mr_size = attr->max_mr_size,
		.page_size_cap = attr->page_size_cap,
		.vendor_id = attr->vendor_id,
		.vendor_part_id = attr->vendor_part_id,
		.hw_ver = attr->hw_ver,
		.max_qp = attr->max_qp,
		.max_qp_wr = attr->max_qp_wr,
		.device_cap_flags = lower_32_bits(attr->device_cap_flags),
		.max_sge = min(attr->max_send_sge, attr->max_recv_sge),
		.max_sge_rd = attr->max_sge_rd,
		.max_cq = attr->max_cq,
		.max_cqe = attr->max_cqe,
		.max_mr = attr->max_mr,
		.max_pd = attr->max_pd,
		.max_qp_rd_atom = attr->max_qp_rd_atom,
		.max_ee_rd_atom = attr->max_ee_rd_atom,
		.max_res_rd_atom = attr->max_res_rd_atom,
		.max_qp_init_rd_atom = attr->max_qp_init_rd_atom,
		.max_ee_init_rd_atom = attr->max_ee_init_rd_atom,
		.atomic_cap = attr->atomic_cap,
		.max_ee = attr->max_ee,
		.max_rdd = attr->max_rdd,
		.max_mw = attr->max_mw,
		.max_raw_ipv6_qp = attr->max_raw_ipv6_qp,
		.max_raw_ethy_qp = attr->max_raw_ethy_qp,
		.max_mcast_grp = attr->max_mcast_grp,
		.max_mcast_qp_attach = attr->max_mcast_qp_attach,
		.max_total_mcast_qp_attach = attr->max_total_mcast_qp_attach,
		.max_ah = attr->max_ah,
		.max_srq = attr->max_srq,
		.max_srq_wr = attr->max_srq_wr,
		.max_srq_sge = attr->max_srq_sge,
		.max_pkeys = attr->max_pkeys,
		.local_ca_ack_delay = attr->local_ca_ack_delay,
		.phys_port_cnt = min_t(u32, ibdev->phys_port_cnt, U8_MAX),
	};
}

static int query_device(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_uverbs_query_device_resp resp;
	struct ib_uverbs_query_device cmd;
	int ret;

	if (!attrs->context)
		return -EINVAL;
	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	fill_device(ibdev, &ibdev->attrs, &resp);
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static void fill_device_ex(const struct ib_device_attr *attr,
			   struct ib_uverbs_ex_query_device_resp *resp)
{
	const struct ib_odp_caps *odp = &attr->odp_caps;

	resp->odp_caps.general_caps = odp->general_caps;
	resp->odp_caps.per_transport_caps.rc_odp_caps = odp->per_transport_caps.rc_odp_caps;
	resp->odp_caps.per_transport_caps.uc_odp_caps = odp->per_transport_caps.uc_odp_caps;
	resp->odp_caps.per_transport_caps.ud_odp_caps = odp->per_transport_caps.ud_odp_caps;
	resp->xrc_odp_caps = odp->per_transport_caps.xrc_odp_caps;
	resp->timestamp_mask = attr->timestamp_mask;
	resp->hca_core_clock = attr->hca_core_clock;
	resp->device_cap_flags_ex = attr->device_cap_flags;
	resp->rss_caps.supported_qpts = attr->rss_caps.supported_qpts;
	resp->rss_caps.max_rwq_indirection_tables = attr->rss_caps.max_rwq_indirection_tables;
	resp->rss_caps.max_rwq_indirection_table_size =
		attr->rss_caps.max_rwq_indirection_table_size;
	resp->max_wq_type_rq = attr->max_wq_type_rq;
	resp->raw_packet_caps = attr->raw_packet_caps;
	resp->tm_caps.max_rndv_hdr_size = attr->tm_caps.max_rndv_hdr_size;
	resp->tm_caps.max_num_tags = attr->tm_caps.max_num_tags;
	resp->tm_caps.max_ops = attr->tm_caps.max_ops;
	resp->tm_caps.max_sge = attr->tm_caps.max_sge;
	resp->tm_caps.flags = attr->tm_caps.flags;
	resp->cq_moderation_caps.max_cq_moderation_count =
		attr->cq_caps.max_cq_moderation_count;
	resp->cq_moderation_caps.max_cq_moderation_period =
		attr->cq_caps.max_cq_moderation_period;
	resp->max_dm_size = attr->max_dm_size;
}

static int query_device_ex(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_uverbs_ex_query_device_resp resp = {};
	struct ib_uverbs_ex_query_device cmd;
	struct ib_device_attr attr = {};
	int ret;

	if (!attrs->context)
		return -EINVAL;
	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return -EINVAL;
	/* Asked afresh, since the driver has an answer of its own to add. */
	ret = ibdev->ops.query_device(ibdev, &attr, &attrs->driver_udata);
	if (ret)
		return ret;
	fill_device(ibdev, &attr, &resp.base);
	fill_device_ex(&attr, &resp);
	resp.response_length = uverbs_call_response_length(attrs, sizeof(resp));
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

/* LIDs of Omni-Path are wider than the field; the unicast part of a wide one maps into it. */
static u16 narrow_lid(struct ib_device *ibdev, u32 port, u32 lid)
{
	return rdma_cap_opa_ah(ibdev, port) ? OPA_TO_IB_UCAST_LID(lid) : (u16)lid;
}

static void fill_port(struct ib_device *ibdev, u32 port, const struct ib_port_attr *attr,
		      struct ib_uverbs_query_port_resp *resp)
{
	*resp = (struct ib_uverbs_query_port_resp) {
		.state = attr->state,
		.max_mtu = attr->max_mtu,
		.active_mtu = attr->active_mtu,
		.gid_tbl_len = attr->gid_tbl_len,
		.port_cap_flags = attr->port_cap_flags & ~IB_UVERBS_PCF_IP_BASED_GIDS,
		.max_msg_sz = attr->max_msg_sz,
		.bad_pkey_cntr = attr->bad_pkey_cntr,
		.qkey_viol_cntr = attr->qkey_viol_cntr,
		.pkey_tbl_len = attr->pkey_tbl_len,
		.lid = narrow_lid(ibdev, port, attr->lid),
		.sm_lid = narrow_lid(ibdev, port, attr->sm_lid),
		.lmc = attr->lmc,
		.max_vl_num = attr->max_vl_num,
		.sm_sl = attr->sm_sl,
		.subnet_timeout = attr->subnet_timeout,
		.init_type_reply = attr->init_type_reply,
		.active_width = attr->active_width,
		.active_speed = attr->active_speed,
		.phys_state = attr->phys_state,
		.link_layer = rdma_port_get_link_layer(ibdev, port),
	};
	/* This bit of the wire's mask is used for something else between kernel and user. */
	if (attr->ip_gids)
		resp->port_cap_flags |= IB_UVERBS_PCF_IP_BASED_GIDS;
	if (rdma_is_grh_required(ibdev, port))
		resp->flags |= IB_UVERBS_QPF_GRH_REQUIRED;
}

static int query_port_write(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_uverbs_query_port_resp resp;
	struct ib_uverbs_query_port cmd;
	struct ib_port_attr attr;
	int ret;

	if (!attrs->context)
		return -EINVAL;
	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ret = ib_query_port(ibdev, cmd.port_num, &attr);
	if (ret)
		return ret;
	fill_port(ibdev, cmd.port_num, &attr, &resp);
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_PORT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_uverbs_query_port_resp_ex resp = {};
	struct ib_port_attr attr;
	u8 port;
	int ret;

	if (!attrs->context)
		return -EINVAL;
	ret = uverbs_get_const(&port, attrs, UVERBS_ATTR_QUERY_PORT_PORT_NUM);
	if (ret)
		return ret;
	ret = ib_query_port(ibdev, port, &attr);
	if (ret)
		return ret;
	fill_port(ibdev, port, &attr, &resp.legacy_resp);
	resp.port_cap_flags2 = attr.port_cap_flags2;
	return uverbs_copy_to_struct_or_zero(attrs, UVERBS_ATTR_QUERY_PORT_RESP, &resp,
					     sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_PORT,
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_QUERY_PORT_PORT_NUM, u8, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_PORT_RESP,
			    UVERBS_ATTR_STRUCT(struct ib_uverbs_query_port_resp_ex, reserved),
			    UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_DEVICE, &UVERBS_METHOD(UVERBS_METHOD_QUERY_PORT));

const struct uapi_definition uverbs_device_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_DEVICE,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_QUERY_DEVICE, query_device,
				     UVERBS_IO_RESP(struct ib_uverbs_query_device,
						    struct ib_uverbs_query_device_resp)),
		DECLARE_UVERBS_WRITE_EX(
			IB_USER_VERBS_EX_CMD_QUERY_DEVICE, query_device_ex,
			UVERBS_IO_EX_RESP_UDATA(struct ib_uverbs_ex_query_device, reserved,
						struct ib_uverbs_ex_query_device_resp,
						response_length),
			UAPI_DEF_METHOD_NEEDS_FN(query_device)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_QUERY_PORT, query_port_write,
				     UVERBS_IO_RESP(struct ib_uverbs_query_port,
						    struct ib_uverbs_query_port_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(query_port))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_DEVICE),
	{}
};
