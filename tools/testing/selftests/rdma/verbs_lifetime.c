// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that an object in use cannot be destroyed, keeps working after the attempt, and goes in
 * the right order: PD, CQ, SRQ, QP in a multicast group, MR with a window, channel; and that a
 * process may end with everything alive (field case F22).
 * Contract: C054.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

static struct fixture f;

static void message(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_srq *srq, const char *what)
{
	struct ibv_sge sge = { (uintptr_t)f.buf, 4096, f.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_wc wc[2] = {};
	bool ok;

	ok = !(srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qp, &wr, &bad)) &&
	     !fixture_post_send(&f, qp, 1, IBV_SEND_SIGNALED) &&
	     fixture_wait_wc(cq, &wc[0]) && fixture_wait_wc(cq, &wc[1]) &&
	     !wc[0].status && !wc[1].status;
	tap_ok(ok, "a message goes through %s", what);
}

/* Each kind of object that holds a PD, alone. */
static void test_pd(void)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_ah_attr ah_attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 1 },
	};
	struct ibv_pd *pd = ibv_alloc_pd(f.ctx);
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr qp_init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_ah *ah;
	struct ibv_qp *qp;
	struct ibv_mw *mw;

	mr = ibv_reg_mr(pd, f.buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	tap_is(ibv_dealloc_pd(pd), EBUSY, "a PD with an MR is busy");
	tap_is(ibv_dereg_mr(mr), 0, "the MR can go");
	qp = ibv_create_qp(pd, &qp_init);
	tap_is(ibv_dealloc_pd(pd), EBUSY, "a PD with a QP is busy");
	tap_is(ibv_destroy_qp(qp), 0, "the QP can go");
	srq = ibv_create_srq(pd, &srq_init);
	tap_is(ibv_dealloc_pd(pd), EBUSY, "a PD with an SRQ is busy");
	tap_is(ibv_destroy_srq(srq), 0, "the SRQ can go");
	ah = ibv_create_ah(pd, &ah_attr);
	tap_is(ibv_dealloc_pd(pd), EBUSY, "a PD with an AH is busy");
	tap_is(ibv_destroy_ah(ah), 0, "the AH can go");
	mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	if (mw) {
		tap_is(ibv_dealloc_pd(pd), EBUSY, "a PD with a window is busy");
		tap_is(ibv_dealloc_mw(mw), 0, "the window can go");
	} else {
		tap_skip("no memory windows of type 2: %s", strerror(errno));
	}
	tap_is(ibv_dealloc_pd(pd), 0, "and then the PD");
	ibv_destroy_cq(cq);
}

static void test_cq(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(f.ctx);
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, channel, 0);
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);

	fixture_connect(&f, qp, qp->qp_num);
	tap_is(ibv_destroy_cq(cq), EBUSY, "a CQ with a QP is busy");
	tap_is(ibv_destroy_comp_channel(channel), EBUSY, "a channel with a CQ is busy");
	message(qp, cq, NULL, "after both attempts");
	tap_is(ibv_destroy_qp(qp), 0, "QP,");
	tap_is(ibv_destroy_cq(cq), 0, "CQ,");
	tap_is(ibv_destroy_comp_channel(channel), 0, "channel is the order");
}

static void test_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(f.pd, &init);
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp;

	if (!srq || !cq)
		tap_bail("SRQ, CQ");
	qp = fixture_qp(&f, cq, srq, IBV_QPT_RC);
	fixture_connect(&f, qp, qp->qp_num);
	tap_is(ibv_destroy_srq(srq), EBUSY, "an SRQ with a QP is busy");
	message(qp, cq, srq, "after the attempt");
	tap_is(ibv_destroy_qp(qp), 0, "QP,");
	tap_is(ibv_destroy_srq(srq), 0, "SRQ is the order");
	ibv_destroy_cq(cq);
}

static void test_multicast(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 } };
	union ibv_gid unicast = f.gid;
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	struct ibv_qp *rc = fixture_qp(&f, cq, NULL, IBV_QPT_RC);

	if (fixture_qp_to_init(qp))
		tap_bail("UD QP to INIT");
	tap_is(ibv_attach_mcast(qp, &unicast, 0), EINVAL, "a unicast GID is EINVAL");
	tap_is(ibv_attach_mcast(rc, &group, 0), EINVAL, "an RC QP is EINVAL");
	tap_is(ibv_detach_mcast(qp, &group, 0), EINVAL, "detaching what is not attached is EINVAL");
	if (!tap_ok(!ibv_attach_mcast(qp, &group, 0), "a QP is attached to a group"))
		goto destroy;
	tap_is(ibv_attach_mcast(qp, &group, 0), 0, "attaching it again changes nothing");
	tap_is(ibv_destroy_qp(qp), EBUSY, "an attached QP is busy");
	tap_is(ibv_detach_mcast(qp, &group, 1), EINVAL, "the LID has to match");
	tap_is(ibv_detach_mcast(qp, &group, 0), 0, "one detach undoes both");
	tap_is(ibv_detach_mcast(qp, &group, 0), EINVAL, "there is nothing left to detach");
destroy:
	tap_is(ibv_destroy_qp(qp), 0, "the QP can go");
	ibv_destroy_qp(rc);
	ibv_destroy_cq(cq);
}

/* In a child: everything alive, something in flight, no cleanup. */
static void leave_everything(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, [11] = 0xff, 239, 1, 2, 4 } };
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_comp_channel *channel;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_qp *qp, *ud;

	fixture_open(&f);
	channel = ibv_create_comp_channel(f.ctx);
	cq = ibv_create_cq(f.ctx, 16, NULL, channel, 0);
	srq = ibv_create_srq(f.pd, &init);
	qp = fixture_qp(&f, cq, srq, IBV_QPT_RC);
	ud = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	fixture_connect(&f, qp, qp->qp_num);
	fixture_connect(&f, ud, 0);
	ibv_attach_mcast(ud, &group, 0);
	ibv_req_notify_cq(cq, 0);
	fixture_post_send(&f, qp, 1, IBV_SEND_SIGNALED);
	_exit(0);
}

static void test_exit(int rounds)
{
	int i, status, bad = 0;
	pid_t child;

	for (i = 0; i < rounds; i++) {
		child = fork();
		if (!child)
			leave_everything();
		bad += waitpid(child, &status, 0) != child || status;
	}
	tap_is(bad, 0, "%d processes ended with everything alive", rounds);
}

int main(void)
{
	/* Before this process has a context of its own. */
	test_exit(10);
	fixture_open(&f);
	test_pd();
	test_cq();
	test_srq();
	test_multicast();
	fixture_close(&f);
	return tap_end();
}
