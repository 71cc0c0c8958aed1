// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * query.c - properties of a device and its ports, GID and P_Key tables.
 *
 * Called by programs, directly and through the tables of the context.  Answers of the kernel are
 * translated field by field; structs of programs built against older headers are never written
 * beyond the size they give.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

/* What ibv_query_gid_type() of the stock library calls the types of sysfs. */
enum gid_type_sysfs {
	GID_TYPE_SYSFS_IB_ROCE_V1,
	GID_TYPE_SYSFS_ROCE_V2,
};

int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num, unsigned int index,
		       enum gid_type_sysfs *type);

static void fill_limits(struct ibv_device_attr *a, const struct ib_uverbs_query_device_resp *r)
{
	a->node_guid = r->node_guid;
	a->sys_image_guid = r->sys_image_guid;
	a->max_mr_size = r->max_mr_size;
	a->page_size_cap = r->page_size_cap;
	a->vendor_id = r->vendor_id;
	a->vendor_part_id = r->vendor_part_id;
	a->hw_ver = r->hw_ver;
	a->max_qp = (int)r->max_qp;
	a->max_qp_wr = (int)r->max_qp_wr;
	a->device_cap_flags = r->device_cap_flags;
	a->max_sge = (int)r->max_sge;
	a->max_sge_rd = (int)r->max_sge_rd;
	a->max_cq = (int)r->max_cq;
	a->max_cqe = (int)r->max_cqe;
	a->max_mr = (int)r->max_mr;
	a->max_pd = (int)r->max_pd;
	a->max_qp_rd_atom = (int)r->max_qp_rd_atom;
	a->max_ee_rd_atom = (int)r->max_ee_rd_atom;
	a->max_res_rd_atom = (int)r->max_res_rd_atom;
	a->max_qp_init_rd_atom = (int)r->max_qp_init_rd_atom;
	a->max_ee_init_rd_atom = (int)r->max_ee_init_rd_atom;
	a->atomic_cap = r->atomic_cap;
	a->max_ee = (int)r->max_ee;
	a->max_rdd = (int)r->max_rdd;
	a->max_mw = (int)r->max_mw;
	a->max_raw_ipv6_qp = (int)r->max_raw_ipv6_qp;
	a->max_raw_ethy_qp = (int)r->max_raw_ethy_qp;
	a->max_mcast_grp = (int)r->max_mcast_grp;
	a->max_mcast_qp_attach = (int)r->max_mcast_qp_attach;
	a->max_total_mcast_qp_attach = (int)r->max_total_mcast_qp_attach;
	a->max_ah = (int)r->max_ah;
	a->max_fmr = (int)r->max_fmr;
	a->max_map_per_fmr = (int)r->max_map_per_fmr;
	a->max_srq = (int)r->max_srq;
	a->max_srq_wr = (int)r->max_srq_wr;
	a->max_srq_sge = (int)r->max_srq_sge;
	a->max_pkeys = r->max_pkeys;
	a->local_ca_ack_delay = r->local_ca_ack_delay;
	a->phys_port_cnt = r->phys_port_cnt;
	snprintf(a->fw_ver, sizeof(a->fw_ver), "%u.%u.%u", (unsigned int)(r->fw_ver >> 32),
		 (unsigned int)(r->fw_ver >> 16) & 0xffff, (unsigned int)r->fw_ver & 0xffff);
}

static void fill_extended(struct ibv_device_attr_ex *a,
			  const struct ib_uverbs_ex_query_device_resp *r)
{
	a->odp_caps.general_caps = r->odp_caps.general_caps;
	a->odp_caps.per_transport_caps.rc_odp_caps = r->odp_caps.per_transport_caps.rc_odp_caps;
	a->odp_caps.per_transport_caps.uc_odp_caps = r->odp_caps.per_transport_caps.uc_odp_caps;
	a->odp_caps.per_transport_caps.ud_odp_caps = r->odp_caps.per_transport_caps.ud_odp_caps;
	a->completion_timestamp_mask = r->timestamp_mask;
	a->hca_core_clock = r->hca_core_clock;
	a->device_cap_flags_ex = r->device_cap_flags_ex;
	a->rss_caps.supported_qpts = r->rss_caps.supported_qpts;
	a->rss_caps.max_rwq_indirection_tables = r->rss_caps.max_rwq_indirection_tables;
	a->rss_caps.max_rwq_indirection_table_size = r->rss_caps.max_rwq_indirection_table_size;
	a->max_wq_type_rq = r->max_wq_type_rq;
	a->raw_packet_caps = r->raw_packet_caps;
	a->tm_caps.max_rndv_hdr_size = r->tm_caps.max_rndv_hdr_size;
	a->tm_caps.max_num_tags = r->tm_caps.max_num_tags;
	a->tm_caps.flags = r->tm_caps.flags;
	a->tm_caps.max_ops = r->tm_caps.max_ops;
	a->tm_caps.max_sge = r->tm_caps.max_sge;
	a->cq_mod_caps.max_cq_count = r->cq_moderation_caps.max_cq_moderation_count;
	a->cq_mod_caps.max_cq_period = r->cq_moderation_caps.max_cq_moderation_period;
	a->max_dm_size = r->max_dm_size;
	a->xrc_odp_caps = r->xrc_odp_caps;
	a->phys_port_cnt_ex = r->base.phys_port_cnt;
}

int shim_query_device_attr(struct ibv_context *context, struct ibv_device_attr_ex *attr)
{
	struct ib_uverbs_ex_query_device req = { .comp_mask = 0 };
	struct ib_uverbs_ex_query_device_resp resp;
	struct shim_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	int err;

	memset(&resp, 0, sizeof(resp));
	err = shim_ioctl_write(context, &cmd, NULL);
	if (err)
		return err;
	memset(attr, 0, sizeof(*attr));
	fill_limits(&attr->orig_attr, &resp.base);
	fill_extended(attr, &resp);
	shca_context_pacing(shim_context(context), &attr->packet_pacing_caps);
	return 0;
}

SHIM_EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr)
{
	struct ibv_device_attr_ex attr;
	int err = shim_query_device_attr(context, &attr);

	if (!err)
		*device_attr = attr.orig_attr;
	return shim_error_set(err);
}

int shim_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *in,
			 struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex all;
	int err;

	if (in && in->comp_mask)
		return EINVAL;
	if (size < sizeof(attr->orig_attr) + sizeof(attr->comp_mask))
		return EINVAL;
	err = shim_query_device_attr(context, &all);
	if (err)
		return err;
	memset(attr, 0, size);
	memcpy(attr, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

static void fill_port(struct ibv_port_attr *a, const struct ib_uverbs_query_port_resp_ex *resp)
{
	const struct ib_uverbs_query_port_resp *r = &resp->legacy_resp;

	memset(a, 0, sizeof(*a));
	a->state = r->state;
	a->max_mtu = r->max_mtu;
	a->active_mtu = r->active_mtu;
	a->gid_tbl_len = (int)r->gid_tbl_len;
	a->port_cap_flags = r->port_cap_flags;
	a->max_msg_sz = r->max_msg_sz;
	a->bad_pkey_cntr = r->bad_pkey_cntr;
	a->qkey_viol_cntr = r->qkey_viol_cntr;
	a->pkey_tbl_len = r->pkey_tbl_len;
	a->lid = r->lid;
	a->sm_lid = r->sm_lid;
	a->lmc = r->lmc;
	a->max_vl_num = r->max_vl_num;
	a->sm_sl = r->sm_sl;
	a->subnet_timeout = r->subnet_timeout;
	a->init_type_reply = r->init_type_reply;
	a->active_width = r->active_width;
	a->active_speed = r->active_speed;
	a->phys_state = r->phys_state;
	a->link_layer = r->link_layer;
	a->flags = r->flags;
	a->port_cap_flags2 = resp->port_cap_flags2;
}

int shim_query_port_attr(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
			 size_t size)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct ibv_port_attr all;
	struct shim_ioctl cmd;
	int err;

	memset(&resp, 0, sizeof(resp));
	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_QUERY_PORT_PORT_NUM, port);
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_PORT_RESP, &resp, sizeof(resp));
	err = shim_ioctl_run(&cmd);
	if (err)
		return shim_error_set(err);
	fill_port(&all, &resp);
	memset(attr, 0, size);
	memcpy(attr, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

/* The symbol itself serves programs whose struct ends with flags (G046). */
#undef ibv_query_port
SHIM_EXPORT int ibv_query_port(struct ibv_context *context, uint8_t port_num,
			       struct _compat_ibv_port_attr *port_attr)
{
	return shim_query_port_attr(context, port_num, (struct ibv_port_attr *)port_attr,
				    offsetof(struct ibv_port_attr, port_cap_flags2));
}

static int query_entry(struct ibv_context *context, uint32_t port, uint32_t index,
		       struct ib_uverbs_gid_entry *entry)
{
	struct shim_ioctl cmd;

	memset(entry, 0, sizeof(*entry));
	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, port);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, index);
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0);
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, entry, sizeof(*entry));
	return shim_ioctl_run(&cmd);
}

/* An empty entry is an answer, namely zero (G047). */
SHIM_EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index,
			      union ibv_gid *gid)
{
	struct ib_uverbs_gid_entry entry;
	int err;

	err = index < 0 ? EINVAL : query_entry(context, port_num, (uint32_t)index, &entry);
	if (err && err != ENODATA) {
		errno = err;
		return -1;
	}
	if (err)
		memset(gid, 0, sizeof(*gid));
	else
		memcpy(gid, entry.gid, sizeof(*gid));
	return 0;
}

SHIM_EXPORT int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
				  uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags,
				  size_t entry_size)
{
	struct ib_uverbs_gid_entry found;
	int err;

	_Static_assert(sizeof(found) == sizeof(*entry), "the two GID entries are one layout");
	if (flags || entry_size < sizeof(found))
		return shim_error_set(flags ? EOPNOTSUPP : EINVAL);
	err = query_entry(context, port_num, gid_index, &found);
	if (err)
		return shim_error_set(err);
	memset(entry, 0, entry_size);
	memcpy(entry, &found, sizeof(found));
	return 0;
}

SHIM_EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context,
					 struct ibv_gid_entry *entries, size_t max_entries,
					 uint32_t flags, size_t entry_size)
{
	struct shim_ioctl cmd;
	uint64_t count = 0;
	int err;

	/* The kernel counts the bytes of the table in 16 bits. */
	if (entry_size && max_entries > UINT16_MAX / entry_size)
		max_entries = UINT16_MAX / entry_size;
	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, entry_size);
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, flags);
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries,
		       (uint16_t)(entry_size * max_entries));
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, &count, sizeof(count));
	err = shim_ioctl_run(&cmd);
	return err ? -shim_error_set(err) : (ssize_t)count;
}

/* What the type of an entry is called in sysfs; an empty entry counts as the older type. */
SHIM_EXPORT int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num,
				   unsigned int index, enum gid_type_sysfs *type)
{
	struct ib_uverbs_gid_entry entry;
	int err = query_entry(context, port_num, index, &entry);

	if (err && err != ENODATA) {
		errno = err;
		return -1;
	}
	*type = !err && entry.gid_type == IB_UVERBS_GID_TYPE_ROCE_V2 ? GID_TYPE_SYSFS_ROCE_V2 :
								       GID_TYPE_SYSFS_IB_ROCE_V1;
	return 0;
}

SHIM_EXPORT int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index,
			       __be16 *pkey)
{
	char file[48], line[16];
	unsigned long value;
	char *end;
	int err;

	snprintf(file, sizeof(file), "ports/%u/pkeys/%d", port_num, index);
	err = index < 0 ? EINVAL :
			  shim_sysfs_read(context->device->ibdev_path, file, line, sizeof(line));
	if (err) {
		errno = err == ENOENT ? EINVAL : err;
		return -1;
	}
	value = strtoul(line, &end, 16);
	if (end == line || value > UINT16_MAX) {
		errno = EINVAL;
		return -1;
	}
	*pkey = htons((uint16_t)value);
	return 0;
}

SHIM_EXPORT int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)
{
	__be16 entry;
	int i;

	for (i = 0; i <= UINT16_MAX; i++) {
		if (ibv_query_pkey(context, port_num, i, &entry))
			break;
		if (entry == pkey)
			return i;
	}
	return -1;
}
