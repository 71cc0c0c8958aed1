// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that what the manual calls invalid in calls that make and destroy channels, queues and
 * queue pairs is refused with the errno value of its page, and that nothing has changed then
 * (G034).
 */
#include "refused.h"

/* ---- queues ---- */

static int channel_in_use(void)
{
	struct ibv_cq *cq = ibv_create_cq(base.f.ctx, 4, NULL, base.channel, 0);
	int err = cq ? ibv_destroy_comp_channel(base.channel) : -1;

	return cq && ibv_destroy_cq(cq) ? -1 : err;
}

static int cq(int cqe, struct ibv_comp_channel *channel, int vector)
{
	return refused_null(ibv_create_cq(base.f.ctx, cqe, NULL, channel, vector));
}

static int cq_empty(void)
{
	return cq(0, NULL, 0);
}

static int cq_negative(void)
{
	return cq(-5, NULL, 0);
}

static int cq_too_large(void)
{
	return cq(base.f.attr.max_cqe + 1, NULL, 0);
}

static int cq_vector(void)
{
	return cq(4, NULL, base.f.ctx->num_comp_vectors);
}

static int cq_vector_negative(void)
{
	return cq(4, NULL, -1);
}

static int cq_foreign_channel(void)
{
	return cq(4, base.other.channel, 0);
}

static int cq_in_use(void)
{
	return ibv_destroy_cq(base.rc.cq[A]);
}

static int cq_ex(struct ibv_cq_init_attr_ex attr)
{
	attr.cqe = attr.cqe ? attr.cqe : 4;
	return refused_null(ibv_create_cq_ex(base.f.ctx, &attr));
}

static int cq_ex_vector(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .comp_vector = 1 << 20 });
}

static int cq_ex_too_large(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .cqe = UINT32_MAX });
}

static int cq_ex_foreign_channel(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .channel = base.other.channel });
}

static int cq_ex_plain_domain(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
						   .parent_domain = base.pd });
}

static int cq_ex_foreign_domain(void)
{
	struct ibv_parent_domain_init_attr attr = { .pd = base.other.pd };
	struct ibv_pd *domain = ibv_alloc_parent_domain(base.other.ctx, &attr);
	int err;

	err = cq_ex((struct ibv_cq_init_attr_ex){ .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
						  .parent_domain = domain });
	return ibv_dealloc_pd(domain) ? -1 : err;
}

static int cq_ex_fields(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .wc_flags = 1ULL << 40 });
}

static int cq_ex_timestamp(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP });
}

static int cq_ex_wall_clock(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK });
}

static int cq_ex_vlan(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .wc_flags = IBV_WC_EX_WITH_CVLAN });
}

static int cq_ex_flags(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
						   .flags = 1U << 20 });
}

static int cq_ex_unknown(void)
{
	return cq_ex((struct ibv_cq_init_attr_ex){ .comp_mask = 1U << 20 });
}

/* Both ways to look into a queue: what is there to be read is not touched by wrong ones. */
static int poll_ex(uint32_t comp_mask)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4 };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(base.f.ctx, &attr);
	struct ibv_poll_cq_attr how = { .comp_mask = comp_mask };
	int err = cq ? ibv_start_poll(cq, &how) : -1;

	return cq && ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) ? -1 : err;
}

static int poll_ex_empty(void)
{
	return poll_ex(0);
}

static int poll_ex_unknown(void)
{
	return poll_ex(1);
}

static int srq(uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = max_wr, .max_sge = max_sge } };

	return refused_null(ibv_create_srq(base.f.pd, &attr));
}

static int srq_empty(void)
{
	return srq(0, 1);
}

static int srq_too_large(void)
{
	return srq((uint32_t)base.f.attr.max_srq_wr + 1, 1);
}

static int srq_too_wide(void)
{
	return srq(1, (uint32_t)base.f.attr.max_srq_sge + 1);
}

static int srq_in_use(void)
{
	struct ibv_qp *qp = fixture_qp(&base.f, base.cq, base.srq, IBV_QPT_RC);
	int err = ibv_destroy_srq(base.srq);

	return ibv_destroy_qp(qp) ? -1 : err;
}

#define SRQ_XRC (IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | \
		 IBV_SRQ_INIT_ATTR_CQ)

static int srq_ex(enum ibv_srq_type type, uint32_t comp_mask, struct ibv_pd *pd,
		  struct ibv_cq *cq)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 }, .comp_mask = comp_mask, .srq_type = type,
		.pd = pd, .xrcd = base.xrcd, .cq = cq,
	};

	return refused_null(ibv_create_srq_ex(base.f.ctx, &attr));
}

static int srq_ex_no_pd(void)
{
	return srq_ex(IBV_SRQT_XRC, SRQ_XRC & ~IBV_SRQ_INIT_ATTR_PD, base.f.pd, base.cq);
}

static int srq_ex_no_cq(void)
{
	return srq_ex(IBV_SRQT_XRC, SRQ_XRC & ~IBV_SRQ_INIT_ATTR_CQ, base.f.pd, base.cq);
}

static int srq_ex_foreign_pd(void)
{
	return srq_ex(IBV_SRQT_XRC, SRQ_XRC, base.other.pd, base.cq);
}

static int srq_ex_foreign_cq(void)
{
	return srq_ex(IBV_SRQT_XRC, SRQ_XRC, base.f.pd, base.other.cq);
}

static int srq_ex_tags(void)
{
	return srq_ex(IBV_SRQT_TM, SRQ_XRC, base.f.pd, base.cq);
}

/* ---- queue pairs ---- */

static int qp(struct ibv_qp_init_attr_ex attr)
{
	attr.qp_type = attr.qp_type ? attr.qp_type : IBV_QPT_RC;
	attr.comp_mask |= IBV_QP_INIT_ATTR_PD;
	attr.pd = attr.pd ? attr.pd : base.f.pd;
	attr.send_cq = attr.send_cq ? attr.send_cq : base.cq;
	attr.recv_cq = base.cq;
	if (!attr.cap.max_send_wr)
		attr.cap = (struct ibv_qp_cap){ 4, 4, 1, 1, 0 };
	return refused_null(ibv_create_qp_ex(base.f.ctx, &attr));
}

static int qp_too_deep(void)
{
	return qp((struct ibv_qp_init_attr_ex){
		.cap = { (uint32_t)base.f.attr.max_qp_wr + 1, 1, 1, 1, 0 } });
}

static int qp_too_wide(void)
{
	return qp((struct ibv_qp_init_attr_ex){
		.cap = { 1, 1, 1, (uint32_t)base.f.attr.max_sge + 1, 0 } });
}

static int qp_inline(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .cap = { 1, 1, 1, 1, 1 << 20 } });
}

static int qp_no_cq(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .send_cq = base.cq,
					 .cap = { 1, 1, 1, 1, 0 } };

	return refused_null(ibv_create_qp(base.f.pd, &attr));
}

static int qp_foreign_cq(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .send_cq = base.other.cq });
}

static int qp_foreign_srq(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .srq = base.other.srq });
}

static int qp_foreign_pd(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .pd = base.other.pd });
}

static int qp_uc_with_srq(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .qp_type = IBV_QPT_UC, .srq = base.srq });
}

static int qp_raw(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .qp_type = IBV_QPT_RAW_PACKET });
}

static int qp_type_99(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .qp_type = 99 });
}

static int qp_in_group(void)
{
	union ibv_gid gid;
	int err;

	inet_pton(AF_INET6, "::ffff:239.1.2.3", &gid);
	if (ibv_attach_mcast(base.ud, &gid, 0))
		return -1;
	err = ibv_destroy_qp(base.ud);
	return ibv_detach_mcast(base.ud, &gid, 0) ? -1 : err;
}

static int qp_ex_no_pd(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC, .send_cq = base.cq, .recv_cq = base.cq,
		.cap = { 1, 1, 1, 1, 0 }, .comp_mask = IBV_QP_INIT_ATTR_CREATE_FLAGS,
	};

	return refused_null(ibv_create_qp_ex(base.f.ctx, &attr));
}

static int qp_ex_no_xrcd(void)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_XRC_RECV };

	return refused_null(ibv_create_qp_ex(base.f.ctx, &attr));
}

static int qp_ex_flags(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .comp_mask = IBV_QP_INIT_ATTR_CREATE_FLAGS,
						.create_flags = IBV_QP_CREATE_SCATTER_FCS });
}

static int qp_ex_unknown(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .comp_mask = 1U << 20 });
}

static int qp_ex_operation(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
						.send_ops_flags = 1ULL << 40 });
}

static int qp_ex_wrong_operation(void)
{
	return qp((struct ibv_qp_init_attr_ex){ .qp_type = IBV_QPT_UC,
						.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
						.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ });
}

static const struct refused_row rows[] = {
	{ "ibv_create_comp_channel", EBUSY, "destroying one in use", channel_in_use },
	{ "ibv_create_cq", EINVAL, "0 entries", cq_empty },
	{ "ibv_create_cq", EINVAL, "-5 entries", cq_negative },
	{ "ibv_create_cq", EINVAL, "max_cqe + 1 entries", cq_too_large },
	{ "ibv_create_cq", EINVAL, "a vector too many", cq_vector },
	{ "ibv_create_cq", EINVAL, "vector -1", cq_vector_negative },
	{ "ibv_create_cq", EINVAL, "a channel of another context", cq_foreign_channel },
	{ "ibv_create_cq", EBUSY, "destroying one in use", cq_in_use },
	{ "ibv_create_cq_ex", EINVAL, "a vector too many", cq_ex_vector },
	{ "ibv_create_cq_ex", EINVAL, "2^32 - 1 entries", cq_ex_too_large },
	{ "ibv_create_cq_ex", EINVAL, "a channel of another context", cq_ex_foreign_channel },
	{ "ibv_create_cq_ex", EINVAL, "a PD for a parent domain", cq_ex_plain_domain },
	{ "ibv_create_cq_ex", EINVAL, "a domain of another context", cq_ex_foreign_domain },
	{ "ibv_create_cq_ex", EINVAL, "polling with a comp_mask", poll_ex_unknown },
	{ "ibv_create_cq_ex", ENOENT, "polling an empty queue", poll_ex_empty },
	{ "ibv_create_cq_ex", EOPNOTSUPP, "an unknown field", cq_ex_fields },
	{ "ibv_create_cq_ex", EOPNOTSUPP, "timestamps", cq_ex_timestamp },
	{ "ibv_create_cq_ex", EOPNOTSUPP, "timestamps of the wall clock", cq_ex_wall_clock },
	{ "ibv_create_cq_ex", EOPNOTSUPP, "VLAN tags", cq_ex_vlan },
	{ "ibv_create_cq_ex", EOPNOTSUPP, "an unknown flag", cq_ex_flags },
	{ "ibv_create_cq_ex", EOPNOTSUPP, "an unknown comp_mask", cq_ex_unknown },
	{ "ibv_create_srq", EINVAL, "0 requests", srq_empty },
	{ "ibv_create_srq", EINVAL, "max_srq_wr + 1 requests", srq_too_large },
	{ "ibv_create_srq", EINVAL, "max_srq_sge + 1 elements", srq_too_wide },
	{ "ibv_create_srq", EBUSY, "destroying one in use", srq_in_use },
	{ "ibv_create_srq_ex", EINVAL, "no PD", srq_ex_no_pd },
	{ "ibv_create_srq_ex", EINVAL, "an XRC queue without CQ", srq_ex_no_cq },
	{ "ibv_create_srq_ex", EINVAL, "a PD of another context", srq_ex_foreign_pd },
	{ "ibv_create_srq_ex", EINVAL, "a CQ of another context", srq_ex_foreign_cq },
	{ "ibv_create_srq_ex", EOPNOTSUPP, "tag matching", srq_ex_tags },
	{ "ibv_create_qp", EINVAL, "max_qp_wr + 1 requests", qp_too_deep },
	{ "ibv_create_qp", EINVAL, "max_sge + 1 elements", qp_too_wide },
	{ "ibv_create_qp", EINVAL, "a MiB of inline data", qp_inline },
	{ "ibv_create_qp", EINVAL, "no receive CQ", qp_no_cq },
	{ "ibv_create_qp", EINVAL, "a CQ of another context", qp_foreign_cq },
	{ "ibv_create_qp", EINVAL, "an SRQ of another context", qp_foreign_srq },
	{ "ibv_create_qp", EINVAL, "a PD of another context", qp_foreign_pd },
	{ "ibv_create_qp", EINVAL, "UC with an SRQ", qp_uc_with_srq },
	{ "ibv_create_qp", EOPNOTSUPP, "raw packets", qp_raw },
	{ "ibv_create_qp", EINVAL, "type 99", qp_type_99 },
	{ "ibv_create_qp", EBUSY, "destroying one in a group", qp_in_group },
	{ "ibv_create_qp_ex", EINVAL, "no PD", qp_ex_no_pd },
	{ "ibv_create_qp_ex", EINVAL, "an XRC receiver without domain", qp_ex_no_xrcd },
	{ "ibv_create_qp_ex", EOPNOTSUPP, "a flag of creation", qp_ex_flags },
	{ "ibv_create_qp_ex", EOPNOTSUPP, "an unknown comp_mask", qp_ex_unknown },
	{ "ibv_create_qp_ex", EOPNOTSUPP, "an unknown operation", qp_ex_operation },
	{ "ibv_create_qp_ex", EOPNOTSUPP, "READ on UC", qp_ex_wrong_operation },
};

int main(void)
{
	return refused_main(rows, sizeof(rows) / sizeof(*rows));
}
