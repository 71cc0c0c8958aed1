// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_device.c - what the device and its port are and can do.  ib_core calls in.
 */
#include <rdma/ib_verbs.h>

#include "addresses.h"
#include "gsi.h"
#include "netdev.h"
#include "shca.h"
#include "udata.h"

/* No OUI was bought for it: what stock software devices say. */
#define SHCA_VENDOR_ID	0xffffff

/* Default partition, full member: the only one there is. */
#define PKEY_DEFAULT	0xffff

static int query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	int err = shca_udata_check_empty(udata);

	if (err)
		return err;
	*attr = (struct ib_device_attr) {
		.fw_ver			= SHCA_ABI_VERSION,
		.sys_image_guid		= ib->node_guid,
		.max_mr_size		= 1ULL << 40,
		.page_size_cap		= 0xfffffffffffff000ULL,
		.vendor_id		= SHCA_VENDOR_ID,
		.vendor_part_id		= 1,
		.hw_ver			= 1,
		.max_qp			= SHCA_MAX_QP,
		.max_qp_wr		= SHCA_MAX_QP_WR,
		.device_cap_flags	= IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_SRQ_RESIZE |
					  IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_SYS_IMAGE_GUID |
					  IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_BAD_QKEY_CNTR |
					  IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B |
					  IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_XRC,
		.kernel_cap_flags	= IBK_ALLOW_USER_UNREG,
		.max_send_sge		= SHCA_MAX_SGE,
		.max_recv_sge		= SHCA_MAX_SGE,
		.max_sge_rd		= SHCA_MAX_SGE,
		.max_cq			= SHCA_MAX_CQ,
		.max_cqe		= SHCA_MAX_CQE,
		.max_mr			= SHCA_MAX_MR,
		.max_mw			= SHCA_MAX_MR,
		.max_fast_reg_page_list_len = SHCA_MAX_FAST_PAGES,
		.max_dm_size		= SHCA_MAX_DM_BYTES,
		.cq_caps = {
			.max_cq_moderation_count = SHCA_MAX_MODERATION,
			.max_cq_moderation_period = SHCA_MAX_MODERATION,
		},
		.max_pd			= SHCA_MAX_PD,
		.max_qp_rd_atom		= SHCA_MAX_RD_ATOMIC,
		.max_res_rd_atom	= SHCA_MAX_QP > INT_MAX / SHCA_MAX_RD_ATOMIC ?
					  INT_MAX : SHCA_MAX_QP * SHCA_MAX_RD_ATOMIC,
		.max_qp_init_rd_atom	= SHCA_MAX_RD_ATOMIC,
		.atomic_cap		= IB_ATOMIC_GLOB,
		.max_mcast_grp		= SHCA_MAX_MCAST_GRP,
		.max_mcast_qp_attach	= SHCA_MAX_MCAST_QP,
		.max_total_mcast_qp_attach = SHCA_MAX_MCAST_GRP * SHCA_MAX_MCAST_QP,
		.max_ah			= SHCA_MAX_AH,
		.max_srq		= SHCA_MAX_SRQ,
		.max_srq_wr		= SHCA_MAX_SRQ_WR,
		.max_srq_sge		= SHCA_MAX_SGE,
		.max_pkeys		= 1,
		.local_ca_ack_delay	= 15,
	};
	return 0;
}

static void get_dev_fw_str(struct ib_device *ib, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u", SHCA_ABI_VERSION);
}

static int query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct shca_dev *dev = shca_dev_of(ib);
	bool active = READ_ONCE(dev->port_active);

	/* The caller zeroed *attr. */
	attr->state = active ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = active ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = shca_netdev_mtu(dev);
	attr->phys_mtu = ib_mtu_enum_to_int(attr->active_mtu);
	attr->gid_tbl_len = SHCA_GID_TABLE_LEN;
	attr->ip_gids = true;
	attr->max_msg_sz = 1U << 31;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	return ib_get_eth_speed(ib, port, &attr->active_speed, &attr->active_width);
}

static int get_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = SHCA_GID_TABLE_LEN;
	shca_gsi_describe(immutable);
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = PKEY_DEFAULT;
	return 0;
}

static int modify_device(struct ib_device *ib, int mask, struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ib->node_desc, modify->node_desc, sizeof(ib->node_desc));
	return 0;
}

static int modify_port(struct ib_device *ib, u32 port, int mask, struct ib_port_modify *modify)
{
	/* Capability bits are for management agents; there is nothing to do with them. */
	return mask & ~(IB_PORT_RESET_QKEY_CNTR) ? -EOPNOTSUPP : 0;
}

const struct ib_device_ops shca_verbs_device_ops = {
	.query_device = query_device,
	.get_dev_fw_str = get_dev_fw_str,
	.query_port = query_port,
	.get_port_immutable = get_port_immutable,
	.get_link_layer = get_link_layer,
	.query_pkey = query_pkey,
	/* ib_core keeps the table. */
	.add_gid = shca_addresses_add,
	.del_gid = shca_addresses_del,
	.modify_device = modify_device,
	.modify_port = modify_port,
};
