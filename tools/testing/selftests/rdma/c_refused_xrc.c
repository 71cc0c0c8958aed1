// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that what the manual calls invalid in calls on XRC is refused with the errno value of its
 * page, and that nothing has changed then; and that what shca does not have is EOPNOTSUPP, as the
 * pages say (G034, G133, G138).
 */
#include "refused.h"

#include <infiniband/xrc.h>

/* ---- domains, both forms ---- */

static int xrcd(uint32_t comp_mask, int fd, int oflags)
{
	struct ibv_xrcd_init_attr attr = { .comp_mask = comp_mask, .fd = fd, .oflags = oflags };

	return refused_null(ibv_open_xrcd(base.f.ctx, &attr));
}

#define XRCD_ALL (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS)

/* On the inode of a file that nobody else has. */
static int xrcd_of_file(bool there, int oflags)
{
	FILE *file = tmpfile();
	struct ibv_xrcd_init_attr attr = { .comp_mask = XRCD_ALL, .oflags = O_CREAT };
	struct ibv_xrcd *first = NULL;
	int err;

	if (!file)
		return -1;
	attr.fd = fileno(file);
	if (there)
		first = ibv_open_xrcd(base.f.ctx, &attr);
	errno = 0;
	err = there && !first ? -1 : xrcd(XRCD_ALL, attr.fd, oflags);
	fclose(file);
	return first && ibv_close_xrcd(first) ? -1 : err;
}

static int xrcd_none(void)
{
	return xrcd_of_file(false, 0);
}

static int xrcd_exclusive(void)
{
	return xrcd_of_file(true, O_CREAT | O_EXCL);
}

static int xrcd_no_fd(void)
{
	return xrcd(IBV_XRCD_INIT_ATTR_OFLAGS, -1, O_CREAT);
}

static int xrcd_closed_fd(void)
{
	return xrcd(XRCD_ALL, 9999, O_CREAT);
}

static int xrcd_unknown(void)
{
	return xrcd(XRCD_ALL | 1U << 20, -1, O_CREAT);
}

static int xrcd_in_use(void)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_XRC_RECV, .xrcd = base.xrcd,
					    .comp_mask = IBV_QP_INIT_ATTR_XRCD };
	struct ibv_qp *qp = ibv_create_qp_ex(base.f.ctx, &attr);
	int err = qp ? ibv_close_xrcd(base.xrcd) : -1;

	return qp && ibv_destroy_qp(qp) ? -1 : err;
}

static int open_domain(int fd, int oflag)
{
	return refused_null(ibv_open_xrc_domain(base.f.ctx, fd, oflag));
}

static int domain_of_file(bool there, int oflag)
{
	FILE *file = tmpfile();
	struct ibv_xrc_domain *first = NULL;
	int err;

	if (!file)
		return -1;
	if (there)
		first = ibv_open_xrc_domain(base.f.ctx, fileno(file), O_CREAT);
	errno = 0;
	err = there && !first ? -1 : open_domain(fileno(file), oflag);
	fclose(file);
	return first && ibv_close_xrc_domain(first) ? -1 : err;
}

static int domain_none(void)
{
	return domain_of_file(false, 0);
}

static int domain_exclusive(void)
{
	return domain_of_file(true, O_CREAT | O_EXCL);
}

static int domain_flag(void)
{
	return open_domain(-1, O_CREAT | O_APPEND);
}

static int domain_of_nothing(void)
{
	return open_domain(-1, 0);
}

static int domain_closed_fd(void)
{
	return open_domain(9999, O_CREAT);
}

/* Tries something in a domain of the older form, with a receive queue pair of its own. */
static int in_domain(int (*attempt)(struct ibv_xrc_domain *domain, uint32_t qpn))
{
	struct ibv_xrc_domain *domain = ibv_open_xrc_domain(base.f.ctx, -1, O_CREAT);
	struct ibv_xrc_qp_init_attr init = { .xrc_domain = domain };
	uint32_t qpn;
	int err = -1;

	if (!domain)
		return -1;
	if (!ibv_create_xrc_rcv_qp(&init.base, &qpn)) {
		errno = 0;
		err = attempt(domain, qpn);
		if (ibv_unreg_xrc_rcv_qp(domain, qpn))
			err = -1;
	}
	return ibv_close_xrc_domain(domain) ? -1 : err;
}

static int try_close(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	(void)qpn;
	return ibv_close_xrc_domain(domain);
}

static int domain_in_use(void)
{
	return in_domain(try_close);
}

/* ---- queues and queue pairs of a domain ---- */

static int receiver_of_nothing(void)
{
	struct ibv_xrc_qp_init_attr init = { .xrc_domain = NULL };
	uint32_t qpn;

	return ibv_create_xrc_rcv_qp(&init.base, &qpn);
}

static int xrc_srq(struct ibv_xrc_domain *domain, struct ibv_cq *cq, uint32_t max_wr)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = max_wr, .max_sge = 1 } };

	return refused_null(ibv_create_xrc_srq(base.f.pd, domain, cq, &init));
}

static int try_srq_limit(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	(void)qpn;
	return xrc_srq(domain, base.cq, (uint32_t)base.f.attr.max_srq_wr + 1);
}

static int xrc_srq_too_large(void)
{
	return in_domain(try_srq_limit);
}

static int try_srq_cq(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	(void)qpn;
	return xrc_srq(domain, base.other.cq, 4);
}

static int xrc_srq_foreign_cq(void)
{
	return in_domain(try_srq_cq);
}

static int xrc_srq_foreign_domain(void)
{
	struct ibv_xrc_domain *domain = ibv_open_xrc_domain(base.other.ctx, -1, O_CREAT);
	int err = domain ? xrc_srq(domain, base.cq, 4) : -1;

	return domain && ibv_close_xrc_domain(domain) ? -1 : err;
}

static int try_modify_number(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return ibv_modify_xrc_rcv_qp(domain, qpn + 1, &attr, IBV_QP_STATE);
}

static int modify_receiver_number(void)
{
	return in_domain(try_modify_number);
}

static int try_modify_state(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };

	return ibv_modify_xrc_rcv_qp(domain, qpn, &attr, IBV_QP_STATE);
}

static int modify_receiver_state(void)
{
	return in_domain(try_modify_state);
}

static int try_query_number(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_xrc_rcv_qp(domain, qpn + 1, &attr, IBV_QP_STATE, &init);
}

static int query_receiver_number(void)
{
	return in_domain(try_query_number);
}

static int try_register_number(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	return ibv_reg_xrc_rcv_qp(domain, qpn + 1);
}

static int register_number(void)
{
	return in_domain(try_register_number);
}

static int try_register_rc(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	(void)qpn;
	return ibv_reg_xrc_rcv_qp(domain, base.rc.qp[A]->qp_num);
}

static int register_rc(void)
{
	return in_domain(try_register_rc);
}

static int try_unregister_number(struct ibv_xrc_domain *domain, uint32_t qpn)
{
	return ibv_unreg_xrc_rcv_qp(domain, qpn + 1);
}

static int unregister_number(void)
{
	return in_domain(try_unregister_number);
}

static int open_qp(uint32_t qpn, enum ibv_qp_type type, uint32_t comp_mask)
{
	struct ibv_qp_open_attr attr = { .comp_mask = comp_mask, .qp_num = qpn,
					 .xrcd = base.xrcd, .qp_type = type };

	return refused_null(ibv_open_qp(base.f.ctx, &attr));
}

#define OPEN_ALL (IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE)

static int open_qp_number(void)
{
	return open_qp(0xfffffe, IBV_QPT_XRC_RECV, OPEN_ALL);
}

static int open_qp_rc(void)
{
	return open_qp(base.rc.qp[A]->qp_num, IBV_QPT_XRC_RECV, OPEN_ALL);
}

static int open_qp_type(void)
{
	return open_qp(base.rc.qp[A]->qp_num, IBV_QPT_RC, OPEN_ALL);
}

static int open_qp_bit(void)
{
	return open_qp(1, IBV_QPT_XRC_RECV, IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_TYPE);
}

static int open_qp_unknown(void)
{
	return open_qp(1, IBV_QPT_XRC_RECV, OPEN_ALL | 1U << 20);
}

/* ---- what shca does not have ---- */

static int no_advice(void)
{
	struct ibv_sge sge = pair_sge(&base.f, 0, 64);

	return ibv_advise_mr(base.f.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1);
}

static int no_counters(void)
{
	struct ibv_counters_init_attr attr = { .comp_mask = 0 };

	return refused_null(ibv_create_counters(base.f.ctx, &attr));
}

static int no_flow(void)
{
	struct ibv_flow_attr attr = { .type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(attr),
				      .port = FIXTURE_PORT };

	return refused_null(ibv_create_flow(base.ud, &attr));
}

static int no_esp(void)
{
	struct ibv_flow_action_esp esp = { .spi = 1 };
	struct ibv_flow_action_esp_attr attr = { .esp_attr = &esp };

	return refused_null(ibv_create_flow_action_esp(base.f.ctx, &attr));
}

static int no_table(void)
{
	struct ibv_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = 0 };

	return refused_null(ibv_create_rwq_ind_table(base.f.ctx, &attr));
}

static int no_wq(void)
{
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1,
					 .pd = base.f.pd, .cq = base.cq };

	return refused_null(ibv_create_wq(base.f.ctx, &attr));
}

static int no_wq_to_modify(void)
{
	struct ibv_wq wq = { .context = base.f.ctx };
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };

	return ibv_modify_wq(&wq, &attr);
}

static int no_srq_ops(void)
{
	struct ibv_ops_wr op = { .opcode = IBV_WR_TAG_SYNC }, *bad = NULL;
	int err = ibv_post_srq_ops(base.srq, &op, &bad);

	return bad == &op ? err : -1;
}

static int no_dmabuf(void)
{
	return refused_null(ibv_reg_dmabuf_mr(base.f.pd, 0, 4096, 0, 0, IBV_ACCESS_LOCAL_WRITE));
}

static int no_ece(void)
{
	struct ibv_ece ece = { .vendor_id = 1 };

	return ibv_set_ece(base.rc.qp[A], &ece);
}

static int no_ece_to_query(void)
{
	struct ibv_ece ece;

	return ibv_query_ece(base.rc.qp[A], &ece);
}

static int no_values(void)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	return ibv_query_rt_values_ex(base.f.ctx, &values);
}

static int no_resolving(void)
{
	struct ibv_ah_attr attr = { .is_global = 1 };
	uint8_t mac[6];
	uint16_t vid;

	return ibv_resolve_eth_l2_from_gid(base.f.ctx, &attr, mac, &vid);
}

static const struct refused_row rows[] = {
	{ "ibv_open_xrcd", EAGAIN, "no domain and no O_CREAT", xrcd_none },
	{ "ibv_open_xrcd", EINVAL, "O_EXCL and a domain", xrcd_exclusive },
	{ "ibv_open_xrcd", EINVAL, "no descriptor", xrcd_no_fd },
	{ "ibv_open_xrcd", EBADF, "a descriptor that is closed", xrcd_closed_fd },
	{ "ibv_open_xrcd", EOPNOTSUPP, "an unknown comp_mask", xrcd_unknown },
	{ "ibv_open_xrcd", EBUSY, "closing one in use", xrcd_in_use },
	{ "ibv_open_xrc_domain", EAGAIN, "no domain and no O_CREAT", domain_none },
	{ "ibv_open_xrc_domain", EINVAL, "O_EXCL and a domain", domain_exclusive },
	{ "ibv_open_xrc_domain", EINVAL, "an unknown flag", domain_flag },
	{ "ibv_open_xrc_domain", EINVAL, "no inode and no O_CREAT", domain_of_nothing },
	{ "ibv_open_xrc_domain", EBADF, "a descriptor that is closed", domain_closed_fd },
	{ "ibv_open_xrc_domain", EBUSY, "closing one in use", domain_in_use },
	{ "ibv_create_xrc_rcv_qp", EINVAL, "no domain", receiver_of_nothing },
	{ "ibv_create_xrc_srq", EINVAL, "max_srq_wr + 1", xrc_srq_too_large },
	{ "ibv_create_xrc_srq", EINVAL, "a CQ of another context", xrc_srq_foreign_cq },
	{ "ibv_create_xrc_srq", EINVAL, "a domain of another context", xrc_srq_foreign_domain },
	{ "ibv_modify_xrc_rcv_qp", EINVAL, "another number", modify_receiver_number },
	{ "ibv_modify_xrc_rcv_qp", EINVAL, "RESET to RTS", modify_receiver_state },
	{ "ibv_query_xrc_rcv_qp", EINVAL, "another number", query_receiver_number },
	{ "ibv_reg_xrc_rcv_qp", EINVAL, "another number", register_number },
	{ "ibv_reg_xrc_rcv_qp", EINVAL, "the number of an RC queue pair", register_rc },
	{ "ibv_reg_xrc_rcv_qp", EINVAL, "unregistering another number", unregister_number },
	{ "ibv_open_qp", EINVAL, "a number that is free", open_qp_number },
	{ "ibv_open_qp", EINVAL, "the number of an RC queue pair", open_qp_rc },
	{ "ibv_open_qp", EINVAL, "type RC", open_qp_type },
	{ "ibv_open_qp", EINVAL, "no domain", open_qp_bit },
	{ "ibv_open_qp", EOPNOTSUPP, "an unknown comp_mask", open_qp_unknown },
	{ "ibv_advise_mr", EOPNOTSUPP, "advice", no_advice },
	{ "ibv_create_counters", EOPNOTSUPP, "counters", no_counters },
	{ "ibv_create_flow", EOPNOTSUPP, "a rule", no_flow },
	{ "ibv_create_flow_action_esp", EOPNOTSUPP, "an action", no_esp },
	{ "ibv_create_rwq_ind_table", EOPNOTSUPP, "a table", no_table },
	{ "ibv_create_wq", EOPNOTSUPP, "a work queue", no_wq },
	{ "ibv_modify_wq", EOPNOTSUPP, "a work queue", no_wq_to_modify },
	{ "ibv_post_srq_ops", EOPNOTSUPP, "an operation", no_srq_ops },
	{ "ibv_reg_dmabuf_mr", EOPNOTSUPP, "a dma-buf", no_dmabuf },
	{ "ibv_set_ece", EOPNOTSUPP, "options", no_ece },
	{ "ibv_set_ece", EOPNOTSUPP, "asking for options", no_ece_to_query },
	{ "ibv_query_rt_values_ex", EOPNOTSUPP, "a clock", no_values },
	{ "ibv_resolve_eth_l2_from_gid", EOPNOTSUPP, "resolving", no_resolving },
};

int main(void)
{
	return refused_main(rows, sizeof(rows) / sizeof(*rows));
}
