// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * From kernel structs to the ones user space reads, for other modules that answer to user space
 * (the connection managers). They call in through <rdma/ib_marshall.h>; nothing goes out.
 *
 * Each destination is cleared first: padding and reserved bytes are part of the answer.
 */
#include <linux/export.h>
#include <rdma/ib_marshall.h>
#include <rdma/opa_addr.h>

/* An OPA address may need 32 bits; where the user's 16 do not suffice, the GID carries it. */
static void marshall_opa_dgid(struct ib_uverbs_ah_attr *dst, const struct rdma_ah_attr *src)
{
	union ib_gid dgid = rdma_ah_read_grh(src)->dgid;

	dgid.global.interface_id = OPA_MAKE_ID(rdma_ah_get_dlid(src));
	memcpy(dst->grh.dgid, dgid.raw, sizeof(dst->grh.dgid));
	dst->is_global = 1;
}

void ib_copy_ah_attr_to_user(struct ib_device *device, struct ib_uverbs_ah_attr *dst,
			     struct rdma_ah_attr *src)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(src);
	u32 dlid = rdma_ah_get_dlid(src);

	memset(dst, 0, sizeof(*dst));
	dst->dlid = dlid;
	dst->sl = rdma_ah_get_sl(src);
	dst->src_path_bits = rdma_ah_get_path_bits(src);
	dst->static_rate = rdma_ah_get_static_rate(src);
	dst->port_num = rdma_ah_get_port_num(src);
	if (rdma_ah_get_ah_flags(src) & IB_AH_GRH) {
		dst->is_global = 1;
		memcpy(dst->grh.dgid, grh->dgid.raw, sizeof(dst->grh.dgid));
		dst->grh.flow_label = grh->flow_label;
		dst->grh.sgid_index = grh->sgid_index;
		dst->grh.hop_limit = grh->hop_limit;
		dst->grh.traffic_class = grh->traffic_class;
	}
	if (src->type == RDMA_AH_ATTR_TYPE_OPA && dlid >= be16_to_cpu(IB_MULTICAST_LID_BASE)) {
		dst->dlid = 0;
		marshall_opa_dgid(dst, src);
	}
}
EXPORT_SYMBOL(ib_copy_ah_attr_to_user);

void ib_copy_qp_attr_to_user(struct ib_device *device, struct ib_uverbs_qp_attr *dst,
			     struct ib_qp_attr *src)
{
	memset(dst, 0, sizeof(*dst));
	dst->qp_state = src->qp_state;
	dst->cur_qp_state = src->cur_qp_state;
	dst->path_mtu = src->path_mtu;
	dst->path_mig_state = src->path_mig_state;
	dst->qkey = src->qkey;
	dst->rq_psn = src->rq_psn;
	dst->sq_psn = src->sq_psn;
	dst->dest_qp_num = src->dest_qp_num;
	dst->qp_access_flags = src->qp_access_flags;
	ib_copy_ah_attr_to_user(device, &dst->ah_attr, &src->ah_attr);
	ib_copy_ah_attr_to_user(device, &dst->alt_ah_attr, &src->alt_ah_attr);
	dst->max_send_wr = src->cap.max_send_wr;
	dst->max_recv_wr = src->cap.max_recv_wr;
	dst->max_send_sge = src->cap.max_send_sge;
	dst->max_recv_sge = src->cap.max_recv_sge;
	dst->max_inline_data = src->cap.max_inline_data;
	dst->pkey_index = src->pkey_index;
	dst->alt_pkey_index = src->alt_pkey_index;
	dst->en_sqd_async_notify = src->en_sqd_async_notify;
	dst->sq_draining = src->sq_draining;
	dst->max_rd_atomic = src->max_rd_atomic;
	dst->max_dest_rd_atomic = src->max_dest_rd_atomic;
	dst->min_rnr_timer = src->min_rnr_timer;
	dst->port_num = src->port_num;
	dst->timeout = src->timeout;
	dst->retry_cnt = src->retry_cnt;
	dst->rnr_retry = src->rnr_retry;
	dst->alt_port_num = src->alt_port_num;
	dst->alt_timeout = src->alt_timeout;
}
EXPORT_SYMBOL(ib_copy_qp_attr_to_user);

void ib_copy_path_rec_to_user(struct ib_user_path_rec *dst, struct sa_path_rec *src)
{
	memset(dst, 0, sizeof(*dst));
	memcpy(dst->dgid, src->dgid.raw, sizeof(dst->dgid));
	memcpy(dst->sgid, src->sgid.raw, sizeof(dst->sgid));
	/* Both are 0 for RoCE; an OPA address that does not fit 16 bits is in the GIDs alone. */
	if (src->rec_type == SA_PATH_REC_TYPE_OPA) {
		struct sa_path_rec ib = *src;

		path_conv_opa_to_ib(&ib, src);
		memcpy(dst->dgid, ib.dgid.raw, sizeof(dst->dgid));
		memcpy(dst->sgid, ib.sgid.raw, sizeof(dst->sgid));
		dst->dlid = ib.ib.dlid;
		dst->slid = ib.ib.slid;
	} else {
		dst->dlid = htons(ntohl(sa_path_get_dlid(src)));
		dst->slid = htons(ntohl(sa_path_get_slid(src)));
	}
	dst->raw_traffic = sa_path_get_raw_traffic(src);
	dst->flow_label = src->flow_label;
	dst->hop_limit = src->hop_limit;
	dst->traffic_class = src->traffic_class;
	dst->reversible = src->reversible;
	dst->numb_path = src->numb_path;
	dst->pkey = src->pkey;
	dst->sl = src->sl;
	dst->mtu_selector = src->mtu_selector;
	dst->mtu = src->mtu;
	dst->rate_selector = src->rate_selector;
	dst->rate = src->rate;
	dst->packet_life_time = src->packet_life_time;
	dst->packet_life_time_selector = src->packet_life_time_selector;
	dst->preference = src->preference;
}
EXPORT_SYMBOL(ib_copy_path_rec_to_user);

void ib_copy_path_rec_from_user(struct sa_path_rec *dst, struct ib_user_path_rec *src)
{
	memset(dst, 0, sizeof(*dst));
	dst->rec_type = SA_PATH_REC_TYPE_IB;
	memcpy(dst->dgid.raw, src->dgid, sizeof(dst->dgid.raw));
	memcpy(dst->sgid.raw, src->sgid, sizeof(dst->sgid.raw));
	sa_path_set_dlid(dst, ntohs(src->dlid));
	sa_path_set_slid(dst, ntohs(src->slid));
	sa_path_set_raw_traffic(dst, src->raw_traffic);
	dst->flow_label = src->flow_label;
	dst->hop_limit = src->hop_limit;
	dst->traffic_class = src->traffic_class;
	dst->reversible = src->reversible;
	dst->numb_path = src->numb_path;
	dst->pkey = src->pkey;
	dst->sl = src->sl;
	dst->mtu_selector = src->mtu_selector;
	dst->mtu = src->mtu;
	dst->rate_selector = src->rate_selector;
	dst->rate = src->rate;
	dst->packet_life_time = src->packet_life_time;
	dst->packet_life_time_selector = src->packet_life_time_selector;
	dst->preference = src->preference;
}
EXPORT_SYMBOL(ib_copy_path_rec_from_user);
