// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what queries say (C003): device limits and what they mean (C034..C044, C051), ports (C045,
 * C046), the attributes of a QP in each state (C195..C200), and that a refused modification
 * leaves each of them as it was (C178..C183).
 */
#include "fixture.h"

#define MASK_ALL 0x1fffff	/* the 21 flags of the page */

static struct fixture f;

static void test_device(void)
{
	struct ibv_device_attr again, *a = &f.attr;
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_device_attr_ex ex;
	int err;

	memset(&again, 0xa5, sizeof(again));
	tap_ok(!ibv_query_device(f.ctx, &again) && !memcmp(&again, a, sizeof(again)),
	       "C034: all of it is filled, twice the same");
	tap_ok(a->fw_ver[0] && memchr(a->fw_ver, 0, sizeof(a->fw_ver)), "C037: version %s",
	       a->fw_ver);
	tap_ok(a->max_mr_size >= 1 << 20 && a->page_size_cap & 4096, "C037: regions and pages");
	tap_ok(be64toh(a->node_guid) == be64toh(ibv_get_device_guid(f.ctx->device)) &&
	       a->node_guid && a->sys_image_guid, "C030, C036: GUIDs in network order");
	tap_ok(a->max_qp > 0 && a->max_qp_wr > 0 && a->max_sge > 0 && a->max_sge_rd > 0 &&
	       a->max_cq > 0 && a->max_cqe > 0 && a->max_mr > 0 && a->max_pd > 0 &&
	       a->max_ah > 0 && a->max_srq > 0 && a->max_srq_wr > 0 && a->max_srq_sge > 0,
	       "C035, C038: limits of queues and objects");
	tap_ok(a->max_qp_rd_atom > 0 && a->max_qp_init_rd_atom > 0 && a->max_res_rd_atom > 0 &&
	       a->atomic_cap >= IBV_ATOMIC_NONE && a->atomic_cap <= IBV_ATOMIC_GLOB,
	       "C039: reads and atomics");
	tap_ok(!a->max_ee && !a->max_rdd && !a->max_fmr && a->max_pkeys >= 1 &&
	       a->phys_port_cnt >= 1 && a->max_mcast_grp >= 0 &&
	       (!a->max_mcast_grp || a->max_mcast_qp_attach > 0), "C040: the rest");
	tap_ok(!ibv_query_device_ex(f.ctx, NULL, &ex) && !memcmp(&ex.orig_attr, a, sizeof(*a)),
	       "C051: the extended query begins with the plain one");
	err = ibv_query_rt_values_ex(f.ctx, &values);
	tap_ok(!err || err == EOPNOTSUPP, "C051: real time values: %s", strerror(err));
}

static void test_port(void)
{
	struct ibv_port_attr p;

	memset(&p, 0xa5, sizeof(p));
	tap_is(ibv_query_port(f.ctx, FIXTURE_PORT, &p), 0, "C045: a port");
	tap_ok(p.state == IBV_PORT_ACTIVE && p.phys_state == 5, "C046: active, link up");
	tap_ok(p.max_mtu >= IBV_MTU_256 && p.max_mtu <= IBV_MTU_4096 &&
	       p.active_mtu >= IBV_MTU_256 && p.active_mtu <= p.max_mtu, "C046: MTUs");
	tap_ok(p.gid_tbl_len > 0 && p.pkey_tbl_len > 0 && p.max_msg_sz >= 1 << 20,
	       "C046: tables and messages");
	tap_ok(!p.lid && !p.sm_lid && !p.lmc && p.active_width && p.active_speed,
	       "C046: an Ethernet port has no LIDs, but width and speed");
}

static bool same(struct ibv_qp *qp, const struct ibv_qp_attr *before)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr now;

	return !ibv_query_qp(qp, &now, MASK_ALL, &init) && !memcmp(&now, before, sizeof(now));
}

/* Every call below is refused and changes nothing. */
static void refused(struct ibv_qp *qp, struct ibv_qp_attr attr, int mask, const char *what)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr before;
	int err;

	if (ibv_query_qp(qp, &before, MASK_ALL, &init))
		tap_bail("query");
	err = ibv_modify_qp(qp, &attr, mask);
	tap_ok((err == EINVAL || err == EOPNOTSUPP) && same(qp, &before), "C178: %s", what);
	if (err != EINVAL && err != EOPNOTSUPP)
		tap_note("it said %d", err);
}

static void test_refusals(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .timeout = 32, .qkey = 1,
				    .path_mig_state = IBV_MIG_REARM, .port_num = 9,
				    .cap = { .max_send_wr = 8 }, .qp_access_flags = 1 << 30 };

	attr.ah_attr.is_global = attr.alt_ah_attr.is_global = 1;
	refused(qp, attr, IBV_QP_STATE | IBV_QP_QKEY, "C180: a Q_Key on RC");
	refused(qp, attr, IBV_QP_CAP, "C181, C182: capacities, without IBV_DEVICE_RESIZE_MAX_WR");
	refused(qp, attr, IBV_QP_STATE | IBV_QP_ALT_PATH,
		"C177, C183: an alternate path, without IBV_DEVICE_AUTO_PATH_MIG");
	refused(qp, attr, IBV_QP_STATE | IBV_QP_PORT, "a port where none may be given");
	refused(qp, attr, 1 << 21, "C175: a bit beyond the mask");
	refused(qp, attr, IBV_QP_STATE | IBV_QP_TIMEOUT, "a timeout in RTS");
	attr.qp_state = IBV_QPS_INIT;
	refused(qp, attr, IBV_QP_STATE, "back to INIT");
	attr.qp_state = 77;
	refused(qp, attr, IBV_QP_STATE, "a state that there is not");
	tap_ok(!(f.attr.device_cap_flags & (IBV_DEVICE_RESIZE_MAX_WR | IBV_DEVICE_AUTO_PATH_MIG)),
	       "C041, C042: what is refused is not advertised");
	tap_ok(f.attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE, "C043: what api_srq does is");
}

/* UD has no path, no rights, no retries (C179, C180). */
static void test_ud(struct ibv_cq *cq)
{
	static const struct {
		int flag;
		const char *what;
	} foreign[] = {
		{ IBV_QP_AV, "address" }, { IBV_QP_PATH_MTU, "path MTU" },
		{ IBV_QP_RQ_PSN, "receive PSN" }, { IBV_QP_DEST_QPN, "destination" },
		{ IBV_QP_ACCESS_FLAGS, "rights" }, { IBV_QP_TIMEOUT, "timeout" },
		{ IBV_QP_RETRY_CNT, "retries" }, { IBV_QP_RNR_RETRY, "RNR retries" },
		{ IBV_QP_MAX_QP_RD_ATOMIC, "reads" }, { IBV_QP_MAX_DEST_RD_ATOMIC, "reads taken" },
		{ IBV_QP_MIN_RNR_TIMER, "RNR timer" },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024 };
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	struct ibv_qp_init_attr init;
	char what[64];
	unsigned int i;

	fixture_qp_to_init(qp);
	for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		snprintf(what, sizeof(what), "C179, C180: %s on UD", foreign[i].what);
		refused(qp, attr, IBV_QP_STATE | foreign[i].flag, what);
	}
	tap_ok(!ibv_query_qp(qp, &attr, IBV_QP_QKEY, &init) && attr.qkey == FIXTURE_QKEY,
	       "C199: the Q_Key reads back");
	ibv_destroy_qp(qp);
}

static void test_values(struct ibv_qp *qp)
{
	struct ibv_qp_attr to_rtr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_512, .dest_qp_num = 0x1234,
		.rq_psn = 0xabcdef, .max_dest_rd_atomic = 4, .min_rnr_timer = 13,
		/* The hop limit is the route's to choose: the core writes it. */
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT, .sl = 0,
			     .grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 9,
				      .traffic_class = 32, .flow_label = 0x54321 } },
	}, to_rts = {
		.qp_state = IBV_QPS_RTS, .sq_psn = 0x123456, .timeout = 11, .retry_cnt = 5,
		.rnr_retry = 3, .max_rd_atomic = 2,
	}, got, again;
	struct ibv_qp_init_attr init;

	fixture_qp_to_init(qp);
	tap_ok(!ibv_query_qp(qp, &got, 0, &init) && got.qp_state == IBV_QPS_INIT &&
	       got.port_num == FIXTURE_PORT && !got.pkey_index &&
	       (got.qp_access_flags & FIXTURE_ALL_ACCESS) == FIXTURE_ALL_ACCESS,
	       "C196, C197, C199: of INIT, although nothing was asked for");
	if (ibv_modify_qp(qp, &to_rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER) ||
	    ibv_modify_qp(qp, &to_rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
		tap_bail("connect");
	tap_ok(qp->state == IBV_QPS_RTS, "C198: the struct knows the state");
	tap_is(ibv_query_qp(qp, &got, MASK_ALL, &init), 0, "C195: query");
	tap_ok(got.qp_state == IBV_QPS_RTS && got.path_mtu == IBV_MTU_512 &&
	       got.dest_qp_num == 0x1234 && got.rq_psn == 0xabcdef && got.min_rnr_timer == 13 &&
	       got.max_dest_rd_atomic >= 4, "C176, C199: of RTR");
	tap_ok(got.sq_psn == 0x123456 && got.timeout == 11 && got.retry_cnt == 5 &&
	       got.rnr_retry == 3 && got.max_rd_atomic >= 2, "C176, C199: of RTS");
	tap_ok(got.ah_attr.is_global && !memcmp(&got.ah_attr.grh.dgid, &f.gid, sizeof(f.gid)) &&
	       got.ah_attr.grh.sgid_index == f.gid_index && got.ah_attr.grh.hop_limit &&
	       got.ah_attr.grh.traffic_class == 32 && got.ah_attr.grh.flow_label == 0x54321 &&
	       got.ah_attr.port_num == FIXTURE_PORT, "C086, C087, C199: the address");
	tap_ok(!ibv_query_qp(qp, &again, MASK_ALL, &init) && !memcmp(&got, &again, sizeof(got)),
	       "C200: stable between modifications");
}

int main(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	test_device();
	test_port();
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	test_values(qp);
	test_refusals(qp);
	ibv_destroy_qp(qp);
	test_ud(cq);
	ibv_destroy_cq(cq);
	fixture_close(&f);
	return tap_end();
}
