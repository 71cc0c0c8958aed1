// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that what the manual calls invalid in calls on objects that are there is refused with the
 * errno value of its page, and that nothing has changed then: modifying, binding, asking, waiting
 * (G034).
 */
#include "refused.h"

#include <unistd.h>


/* ---- groups ---- */

static int attach(struct ibv_qp *qp, const char *group)
{
	union ibv_gid gid;

	inet_pton(AF_INET6, group, &gid);
	return ibv_attach_mcast(qp, &gid, 0);
}

static int attach_unicast(void)
{
	return attach(base.ud, "::ffff:10.0.0.1");
}

static int attach_rc(void)
{
	return attach(base.rc.qp[A], "::ffff:239.1.2.3");
}

static int detach_stranger(void)
{
	union ibv_gid gid;

	inet_pton(AF_INET6, "::ffff:239.9.9.9", &gid);
	return ibv_detach_mcast(base.ud, &gid, 0);
}

/* ---- windows ---- */

static int bind_with(enum ibv_mw_type type, struct ibv_pd *pd, struct ibv_mw_bind_info info)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd, type);
	struct ibv_mw_bind how = { .bind_info = info };
	uint32_t rkey = mw ? mw->rkey : 0;
	int err = mw ? ibv_bind_mw(base.rc.qp[A], mw, &how) : -1;

	if (mw && mw->rkey != rkey)
		err = -1;
	return mw && ibv_dealloc_mw(mw) ? -1 : err;
}

static int bind_type_2(void)
{
	return bind_with(IBV_MW_TYPE_2, base.f.pd, (struct ibv_mw_bind_info){ .mr = NULL });
}

static int bind_without_region(void)
{
	return bind_with(IBV_MW_TYPE_1, base.f.pd, (struct ibv_mw_bind_info){ .length = 64 });
}

static int bind_right(void)
{
	return bind_with(IBV_MW_TYPE_1, base.f.pd, (struct ibv_mw_bind_info){
		.mr = base.f.mr, .addr = (uintptr_t)base.f.buf, .length = 64,
		.mw_access_flags = 1 << 18 });
}

static int bind_other_pd(void)
{
	return bind_with(IBV_MW_TYPE_1, base.pd, (struct ibv_mw_bind_info){
		.mr = base.f.mr, .addr = (uintptr_t)base.f.buf, .length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_READ });
}

/* A region under a window that is bound. */
static int with_window(int (*attempt)(struct ibv_mr *mr))
{
	struct ibv_mr *mr = ibv_reg_mr(base.f.pd, base.f.buf, 4096,
				       FIXTURE_ALL_ACCESS | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(base.f.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind how = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { mr, (uintptr_t)base.f.buf, 64, IBV_ACCESS_REMOTE_READ },
	};
	struct ibv_wc wc;
	int err = -1;

	if (mr && mw && !ibv_bind_mw(base.rc.qp[A], mw, &how) &&
	    pair_wait_ms(&base.rc, A, &wc, PAIR_POLL_MS) && !wc.status) {
		errno = 0;
		err = attempt(mr);
	}
	return (mw && ibv_dealloc_mw(mw)) || (mr && ibv_dereg_mr(mr)) ? -1 : err;
}

static int dereg_under_window(void)
{
	return with_window(ibv_dereg_mr);
}

static int try_rereg(struct ibv_mr *mr)
{
	int err = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_LOCAL_WRITE);

	return err == IBV_REREG_MR_ERR_CMD ? errno : -1;
}

static int rereg_under_window(void)
{
	return with_window(try_rereg);
}

/* ---- modifying ---- */

static int moderate(uint32_t mask, uint16_t count, uint16_t period)
{
	struct ibv_modify_cq_attr attr = { mask, { count, period } };

	return ibv_modify_cq(base.cq, &attr);
}

static int moderate_nothing(void)
{
	return moderate(0, 1, 1);
}

static int moderate_unknown(void)
{
	return moderate(IBV_CQ_ATTR_MODERATE | IBV_CQ_ATTR_RESERVED, 1, 1);
}

static int moderate_too_much(void)
{
	struct ibv_device_attr_ex ex;

	if (ibv_query_device_ex(base.f.ctx, NULL, &ex) ||
	    ex.cq_mod_caps.max_cq_period == UINT16_MAX)
		return EINVAL;	/* there is no value above it */
	return moderate(IBV_CQ_ATTR_MODERATE, 1, ex.cq_mod_caps.max_cq_period + 1);
}

static int resize(int cqe)
{
	return ibv_resize_cq(base.cq, cqe);
}

static int resize_empty(void)
{
	return resize(0);
}

static int resize_too_large(void)
{
	return resize(base.f.attr.max_cqe + 1);
}

/* Four completions wait. */
static int resize_below(void)
{
	struct ibv_sge sge = pair_sge(&base.f, 0, 8);
	struct ibv_send_wr wr = pair_wr(&base.rc, IBV_WR_RDMA_WRITE, 1, &sge, 64);
	struct timespec nap = { .tv_nsec = 300000000 };
	int i, err;

	for (i = 0; i < 4; i++)
		if (pair_post(&base.rc, A, &wr))
			return -1;
	nanosleep(&nap, NULL);
	err = ibv_resize_cq(base.rc.cq[A], 2);
	for (i = 0; i < 4; i++)
		if (!pair_wait_ms(&base.rc, A, &(struct ibv_wc){ .wr_id = 0 }, PAIR_POLL_MS))
			return -1;
	return err;
}

static int modify(struct ibv_qp_attr attr, int mask)
{
	return ibv_modify_qp(base.rc.qp[A], &attr, mask);
}

static int modify_state(void)
{
	return modify((struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT }, IBV_QP_STATE);
}

static int modify_unknown_state(void)
{
	return modify((struct ibv_qp_attr){ .qp_state = 256 + IBV_QPS_ERR }, IBV_QP_STATE);
}

static int modify_forbidden_bit(void)
{
	return modify((struct ibv_qp_attr){ .path_mtu = IBV_MTU_256 }, IBV_QP_PATH_MTU);
}

static int modify_unknown_bit(void)
{
	return modify((struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS }, IBV_QP_STATE | 1 << 30);
}

static int modify_not_from_there(void)
{
	return modify((struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS,
					    .cur_qp_state = IBV_QPS_SQD },
		      IBV_QP_STATE | IBV_QP_CUR_STATE);
}

static int modify_rnr_timer(void)
{
	return modify((struct ibv_qp_attr){ .min_rnr_timer = 32 }, IBV_QP_MIN_RNR_TIMER);
}

static int modify_alternate_path(void)
{
	return modify((struct ibv_qp_attr){ .alt_port_num = FIXTURE_PORT, .alt_timeout = 14,
					    .alt_ah_attr = refused_address() },
		      IBV_QP_ALT_PATH);
}

/* The move to RTR of a QP that is right but for one thing. */
static int to_rtr(struct ibv_ah_attr address, uint32_t peer, enum ibv_mtu mtu)
{
	struct ibv_qp *qp = fixture_qp(&base.f, base.cq, NULL, IBV_QPT_RC);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = mtu, .dest_qp_num = peer,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1, .ah_attr = address,
	};
	int err = -1;

	if (!fixture_qp_to_init(qp))
		err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	return ibv_destroy_qp(qp) ? -1 : err;
}

static int modify_no_route(void)
{
	struct ibv_ah_attr address = refused_address();

	refused_no_route(&address);
	return to_rtr(address, 17, IBV_MTU_256);
}

static int modify_empty_gid(void)
{
	struct ibv_ah_attr address = refused_address();

	address.grh.sgid_index = (uint8_t)(refused_gid_count() - 1);
	return to_rtr(address, 17, IBV_MTU_256);
}

static int modify_peer(void)
{
	return to_rtr(refused_address(), 1 << 24, IBV_MTU_256);
}

static int modify_mtu(void)
{
	return to_rtr(refused_address(), 17, 0);
}

static int limit(uint32_t comp_mask, uint32_t burst)
{
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = 1000, .max_burst_sz = burst,
					       .comp_mask = comp_mask };

	return ibv_modify_qp_rate_limit(base.rc.qp[A], &attr);
}

static int limit_unknown(void)
{
	return limit(1, 0);
}

static int limit_burst(void)
{
	return limit(0, 4096);
}

static int modify_srq(struct ibv_srq_attr attr, int mask)
{
	return ibv_modify_srq(base.srq, &attr, mask);
}

static int srq_unknown_bit(void)
{
	return modify_srq((struct ibv_srq_attr){ .max_wr = 16 }, 1 << 5);
}

static int srq_too_large(void)
{
	return modify_srq((struct ibv_srq_attr){ .max_wr = (uint32_t)base.f.attr.max_srq_wr + 1 },
			  IBV_SRQ_MAX_WR);
}

static int srq_limit_above(void)
{
	return modify_srq((struct ibv_srq_attr){ .srq_limit = 1 << 20 }, IBV_SRQ_LIMIT);
}

/* Two are posted, and one is not enough room for them. */
static int srq_below(void)
{
	struct ibv_srq *srq = refused_srq(base.f.pd);
	struct ibv_srq_attr attr = { .max_wr = 1 };
	int err = -1;

	if (srq && !refused_post(srq, 1) && !refused_post(srq, 1))
		err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
	return srq && ibv_destroy_srq(srq) ? -1 : err;
}

/* ---- asking and waiting ---- */

static int device_ex_unknown(void)
{
	struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(base.f.ctx, &input, &attr);
}

static int port_0(void)
{
	struct ibv_port_attr attr;

	return ibv_query_port(base.f.ctx, 0, &attr);
}

static int port_2(void)
{
	struct ibv_port_attr attr;

	return ibv_query_port(base.f.ctx, 2, &attr);
}

static int gid(uint8_t port, int index)
{
	union ibv_gid gid;

	return refused_minus(ibv_query_gid(base.f.ctx, port, index, &gid));
}

static int gid_port(void)
{
	return gid(2, 0);
}

static int gid_negative(void)
{
	return gid(FIXTURE_PORT, -1);
}

static int gid_beyond(void)
{
	return gid(FIXTURE_PORT, 1 << 20);
}

static int gid_ex_flags(void)
{
	struct ibv_gid_entry entry;

	return ibv_query_gid_ex(base.f.ctx, FIXTURE_PORT, 0, &entry, 1);
}

static int gid_ex_empty(void)
{
	struct ibv_gid_entry entry;

	return ibv_query_gid_ex(base.f.ctx, FIXTURE_PORT, refused_gid_count() - 1, &entry, 0);
}

static int gid_table(size_t room, uint32_t flags)
{
	struct ibv_gid_entry entries[2];
	ssize_t got = ibv_query_gid_table(base.f.ctx, entries, room, flags);

	return got < 0 ? (int)-got : 0;
}

static int gid_table_room(void)
{
	return gid_table(1, 0);
}

static int gid_table_flags(void)
{
	return gid_table(2, 1);
}

static int pkey_index(void)
{
	__be16 pkey;

	return refused_minus(ibv_query_pkey(base.f.ctx, FIXTURE_PORT, 4711, &pkey));
}

static int pkey_port(void)
{
	__be16 pkey;

	return refused_minus(ibv_query_pkey(base.f.ctx, 2, 0, &pkey));
}

static void no_waiting(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static int async_nothing(void)
{
	struct ibv_async_event event;

	no_waiting(base.f.ctx->async_fd);
	return refused_minus(ibv_get_async_event(base.f.ctx, &event));
}

static int cq_event_nothing(void)
{
	struct ibv_cq *cq;
	void *context;

	no_waiting(base.channel->fd);
	return refused_minus(ibv_get_cq_event(base.channel, &cq, &context));
}

static int import_closed(void)
{
	return refused_null(ibv_import_device(-1));
}

static int import_other_file(void)
{
	int fd = open("/dev/null", O_RDWR);
	int err = refused_null(ibv_import_device(fd));

	return close(fd) ? -1 : err;
}

static int import_mr_nothing(void)
{
	return refused_null(ibv_import_mr(base.f.pd, 0x7fffffff));
}

static int import_mr_other(void)
{
	return refused_null(ibv_import_mr(base.f.pd, base.cq->handle));
}

static int import_dm_nothing(void)
{
	return refused_null(ibv_import_dm(base.f.ctx, 0x7fffffff));
}

static int import_dm_other(void)
{
	return refused_null(ibv_import_dm(base.f.ctx, base.cq->handle));
}

static int ece_unknown(void)
{
	struct ibv_ece ece = { .comp_mask = 1 };

	return ibv_set_ece(base.rc.qp[A], &ece);
}

static const struct refused_row rows[] = {
	{ "ibv_attach_mcast", EINVAL, "no group", attach_unicast },
	{ "ibv_attach_mcast", EINVAL, "an RC queue pair", attach_rc },
	{ "ibv_attach_mcast", EINVAL, "detaching what was not attached", detach_stranger },
	{ "ibv_bind_mw", EINVAL, "a window of type 2", bind_type_2 },
	{ "ibv_bind_mw", EINVAL, "a length without region", bind_without_region },
	{ "ibv_bind_mw", EINVAL, "an unknown right", bind_right },
	{ "ibv_bind_mw", EPERM, "a region of another PD", bind_other_pd },
	{ "ibv_reg_mr", EBUSY, "deregistering under a window", dereg_under_window },
	{ "ibv_rereg_mr", EBUSY, "changing it under a window", rereg_under_window },
	{ "ibv_modify_cq", EINVAL, "mask 0", moderate_nothing },
	{ "ibv_modify_cq", EINVAL, "an unknown bit", moderate_unknown },
	{ "ibv_modify_cq", EINVAL, "a period above the limit", moderate_too_much },
	{ "ibv_resize_cq", EINVAL, "0 entries", resize_empty },
	{ "ibv_resize_cq", EINVAL, "max_cqe + 1 entries", resize_too_large },
	{ "ibv_resize_cq", EINVAL, "fewer than wait", resize_below },
	{ "ibv_modify_qp", EINVAL, "RTS to INIT", modify_state },
	{ "ibv_modify_qp", EINVAL, "state 262", modify_unknown_state },
	{ "ibv_modify_qp", EINVAL, "path MTU in RTS", modify_forbidden_bit },
	{ "ibv_modify_qp", EOPNOTSUPP, "an unknown bit", modify_unknown_bit },
	{ "ibv_modify_qp", EINVAL, "another current state", modify_not_from_there },
	{ "ibv_modify_qp", EINVAL, "RNR timer 32", modify_rnr_timer },
	{ "ibv_modify_qp", EINVAL, "peer 2^24", modify_peer },
	{ "ibv_modify_qp", ENODATA, "an empty entry of the GID table", modify_empty_gid },
	{ "ibv_modify_qp", EINVAL, "path MTU 0", modify_mtu },
	{ "ibv_modify_qp", ENETUNREACH, "an address without route", modify_no_route },
	{ "ibv_modify_qp", EINVAL, "an alternate path", modify_alternate_path },
	{ "ibv_modify_qp_rate_limit", EINVAL, "an unknown comp_mask", limit_unknown },
	{ "ibv_modify_qp_rate_limit", EOPNOTSUPP, "a burst", limit_burst },
	{ "ibv_modify_srq", EINVAL, "an unknown bit", srq_unknown_bit },
	{ "ibv_modify_srq", EINVAL, "max_srq_wr + 1", srq_too_large },
	{ "ibv_modify_srq", EINVAL, "a limit above max_wr", srq_limit_above },
	{ "ibv_modify_srq", EINVAL, "fewer than are posted", srq_below },
	{ "ibv_query_device_ex", EINVAL, "an unknown comp_mask", device_ex_unknown },
	{ "ibv_query_port", EINVAL, "port 0", port_0 },
	{ "ibv_query_port", EINVAL, "port 2", port_2 },
	{ "ibv_query_gid", EINVAL, "port 2", gid_port },
	{ "ibv_query_gid", EINVAL, "index -1", gid_negative },
	{ "ibv_query_gid", EINVAL, "index 2^20", gid_beyond },
	{ "ibv_query_gid", ENODATA, "an empty entry", gid_ex_empty },
	{ "ibv_query_gid", EINVAL, "too little room for the table", gid_table_room },
	{ "ibv_query_gid", EOPNOTSUPP, "flags", gid_ex_flags },
	{ "ibv_query_gid", EINVAL, "flags of the table", gid_table_flags },
	{ "ibv_query_pkey", EINVAL, "index 4711", pkey_index },
	{ "ibv_query_pkey", EINVAL, "port 2", pkey_port },
	{ "ibv_get_async_event", EAGAIN, "no event", async_nothing },
	{ "ibv_get_cq_event", EAGAIN, "no event", cq_event_nothing },
	{ "ibv_import_device", EBADF, "descriptor -1", import_closed },
	{ "ibv_import_device", ENODEV, "/dev/null", import_other_file },
	{ "ibv_import_mr", ENOENT, "handle 2^31 - 1", import_mr_nothing },
	{ "ibv_import_mr", EINVAL, "the handle of a CQ", import_mr_other },
	{ "ibv_import_dm", ENOENT, "handle 2^31 - 1", import_dm_nothing },
	{ "ibv_import_dm", EINVAL, "the handle of a CQ", import_dm_other },
	{ "ibv_set_ece", EINVAL, "an unknown comp_mask", ece_unknown },
};

int main(void)
{
	return refused_main(rows, sizeof(rows) / sizeof(*rows));
}
