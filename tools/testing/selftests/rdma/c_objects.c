// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what making and destroying objects promises (C003): contexts (C005, C031..C033), PDs
 * (C052..C055), regions (C056, C057, C068), channels (C101..C105), CQs (C106..C113, C116), QPs
 * (C162..C173) and SRQs (C201..C206, C213, C215): sizes that are granted, values that are kept,
 * what is refused.
 */
#include <fcntl.h>
#include <unistd.h>

#include "fixture.h"

static struct fixture f;

static struct ibv_qp *make_qp(struct ibv_cq *send, struct ibv_cq *recv, struct ibv_srq *srq,
			      enum ibv_qp_type type, struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr init = {
		.qp_context = cap, .send_cq = send, .recv_cq = recv, .srq = srq,
		.qp_type = type, .cap = *cap,
	};
	struct ibv_qp *qp = ibv_create_qp(f.pd, &init);

	if (qp)
		*cap = init.cap;
	return qp;
}

static bool usable(struct ibv_context *ctx)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);

	return pd && !ibv_dealloc_pd(pd);
}

static void test_contexts(void)
{
	struct ibv_context *second = fixture_open_device(), *third = fixture_open_device();
	struct ibv_pd *pd, *foreign = ibv_alloc_pd(second);
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 4, NULL, NULL, 0);
	struct ibv_comp_channel *channel = ibv_create_comp_channel(second);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	int saved, null;

	tap_ok(second != f.ctx && second->cmd_fd != f.ctx->cmd_fd,
	       "C031, C042: each open makes a context of its own");
	tap_ok(foreign && channel && cq, "C033: what takes a context takes an open one");
	errno = 0;
	tap_ok(!ibv_create_qp(foreign, &init) && errno == EINVAL,
	       "C033: PD and CQ of different contexts are EINVAL");
	errno = 0;
	tap_ok(!ibv_create_cq(f.ctx, 4, NULL, channel, 0) && errno == EINVAL,
	       "C033: a foreign channel is EINVAL");
	tap_is(ibv_dealloc_pd(foreign), 0, "C032: nothing else keeps the foreign PD");
	tap_is(ibv_destroy_comp_channel(channel), 0, "C032: nor the channel");
	tap_is(ibv_close_device(second), 0, "C032: close");
	tap_ok(usable(f.ctx) && usable(third), "C032: the others go on");
	/* Without the character device no control verb can work. */
	saved = dup(third->cmd_fd);
	null = open("/dev/null", O_RDWR);
	dup2(null, third->cmd_fd);
	pd = ibv_alloc_pd(third);
	tap_ok(!pd, "C005: no control verb without the uverbs device");
	dup2(saved, third->cmd_fd);
	close(saved);
	close(null);
	tap_ok(usable(third), "C005: with it, again");
	ibv_close_device(third);
	ibv_destroy_cq(cq);
}

static void test_pd(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(f.ctx);
	struct ibv_mr *mr;

	tap_ok(pd && pd->context == f.ctx, "C052: a PD");
	mr = ibv_reg_mr(pd, f.buf, 4096, 0);
	tap_ok(mr && mr->pd == pd && mr->addr == f.buf && mr->length == 4096,
	       "C056: a region keeps PD, address and length");
	tap_ok(mr && mr->lkey != mr->rkey + 1, "C057: access 0 is fine");
	tap_is(ibv_dealloc_pd(pd), EBUSY, "C054: busy with a region");
	tap_is(ibv_dereg_mr(mr), 0, "C068: deregister");
	tap_is(ibv_dealloc_pd(pd), 0, "C053, C055: then it can go");
}

static void test_channels_and_cqs(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(f.ctx);
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 33, &f, channel, 0), *plain, *small;
	struct ibv_qp_cap cap = { .max_send_wr = 1, .max_send_sge = 1 };
	struct ibv_qp *qp;
	int bigger;

	tap_ok(channel && channel->context == f.ctx && channel->fd >= 0 &&
	       fcntl(channel->fd, F_GETFD) >= 0, "C101, C102: a channel is a descriptor");
	tap_ok(cq && cq->cqe >= 33, "C106, C107: %d entries of 33", cq ? cq->cqe : 0);
	tap_ok(cq->cq_context == &f && cq->channel == channel, "C108, C109: context and channel");
	plain = ibv_create_cq(f.ctx, 1, NULL, NULL, f.ctx->num_comp_vectors - 1);
	tap_ok(plain && !plain->channel, "C109, C110: no channel, the last vector");
	errno = 0;
	small = ibv_create_cq(f.ctx, 1, NULL, NULL, f.ctx->num_comp_vectors);
	tap_ok(!small && errno == EINVAL, "C110: a vector beyond is EINVAL");
	errno = 0;
	small = ibv_create_cq(f.ctx, 1, NULL, NULL, -1);
	tap_ok(!small && errno == EINVAL, "C110: so is a negative one");
	tap_is(ibv_destroy_comp_channel(channel), EBUSY, "C105: a channel with a CQ is busy");
	qp = make_qp(cq, plain, NULL, IBV_QPT_RC, &cap);
	tap_is(ibv_destroy_cq(cq), EBUSY, "C112: a CQ of sends is busy");
	tap_is(ibv_destroy_cq(plain), EBUSY, "C112: a CQ of receives is busy");
	bigger = cq->cqe + 1;
	tap_is(ibv_resize_cq(cq, bigger), 0, "C113: one more than there is");
	tap_ok(cq->cqe >= bigger, "C116: cqe says %d", cq->cqe);
	ibv_destroy_qp(qp);
	tap_is(ibv_destroy_cq(cq), 0, "C111: destroy");
	tap_is(ibv_destroy_cq(plain), 0, "C111: destroy");
	tap_is(ibv_destroy_comp_channel(channel), 0, "C104, C105: and then the channel");
}

/* What was granted can be posted (C169); what is not beyond it. */
static void test_granted(struct ibv_qp *qp, const struct ibv_qp_cap *cap)
{
	struct ibv_recv_wr wr = { .num_sge = 0 }, *bad;
	unsigned int i, failed = 0;

	if (fixture_qp_to_init(qp))
		tap_bail("to INIT");
	for (i = 0; i < cap->max_recv_wr; i++)
		failed += ibv_post_recv(qp, &wr, &bad) != 0;
	tap_is(failed, 0, "C169: %u receives fit", cap->max_recv_wr);
	tap_is(ibv_post_recv(qp, &wr, &bad), ENOMEM, "C169: not one more");
}

static void test_qps(void)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
	struct ibv_cq *other = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(f.pd, &srq_attr);
	struct ibv_qp_cap asked = { 17, 9, 3, 2, 40 }, cap = asked;
	struct ibv_qp_cap wild = { 1, 1u << 30, 1, 1u << 30, 0 };
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_qp *qp;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		cap = asked;
		qp = make_qp(cq, i ? other : cq, NULL, types[i], &cap);
		tap_ok(qp && qp->qp_num > 1 && !(qp->qp_num >> 24),
		       "C162, C163, C165: type %d, number %u", types[i], qp ? qp->qp_num : 0);
		if (!qp)
			continue;
		tap_ok(cap.max_send_wr >= 17 && cap.max_recv_wr >= 9 && cap.max_send_sge >= 3 &&
		       cap.max_recv_sge >= 2 && cap.max_inline_data >= 40,
		       "C167, C168: granted at least what was asked for");
		tap_ok(qp->state == IBV_QPS_RESET && qp->send_cq == cq && qp->pd == f.pd &&
		       !ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CAP, &init) &&
		       attr.qp_state == IBV_QPS_RESET && init.qp_context == qp->qp_context &&
		       init.recv_cq == qp->recv_cq && init.qp_type == types[i] &&
		       !memcmp(&init.cap, &cap, sizeof(cap)), "C195: and reads back");
		test_granted(qp, &cap);
		tap_is(ibv_destroy_qp(qp), 0, "C172: destroy");
	}
	cap = asked;
	errno = 0;
	tap_ok(!make_qp(cq, cq, srq, IBV_QPT_UC, &cap) && errno == EINVAL,
	       "C170: UC with an SRQ is EINVAL");
	for (i = 0; i < 3; i += 2) {
		cap = wild;
		qp = make_qp(cq, cq, srq, types[i], &cap);
		tap_ok(qp != NULL && qp->srq == srq,
		       "C164, C171: with an SRQ the receive sizes are ignored, type %d", types[i]);
		tap_is(ibv_destroy_srq(srq), EBUSY, "C206: the SRQ is busy");
		tap_is(qp ? ibv_destroy_qp(qp) : -1, 0, "C172: destroy");
	}
	tap_is(ibv_destroy_srq(srq), 0, "C205, C206: and then it can go");
	ibv_destroy_cq(cq);
	ibv_destroy_cq(other);
}

static void test_multicast(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, 0xff, 0xe0, 9, 8, 7 } };
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 4, NULL, NULL, 0);
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);

	fixture_qp_to_init(qp);
	tap_is(ibv_attach_mcast(qp, &group, 0), 0, "C095: attach");
	tap_is(ibv_destroy_qp(qp), EBUSY, "C173: an attached QP is busy");
	tap_is(ibv_detach_mcast(qp, &group, 0), 0, "C096: detach");
	tap_is(ibv_destroy_qp(qp), 0, "C173: then it can go");
	ibv_destroy_cq(cq);
}

static void test_srqs(void)
{
	struct ibv_srq_init_attr init = {
		.srq_context = &f, .attr = { .max_wr = 11, .max_sge = 3, .srq_limit = 7 },
	};
	struct ibv_srq *srq = ibv_create_srq(f.pd, &init);
	struct ibv_srq_attr attr;
	uint32_t number = 0;

	tap_ok(srq && srq->srq_context == &f && srq->pd == f.pd, "C201, C202: an SRQ");
	tap_ok(init.attr.max_wr >= 11 && init.attr.max_sge >= 3, "C202, C203: %u requests of %u",
	       init.attr.max_wr, init.attr.max_sge);
	tap_ok(!ibv_query_srq(srq, &attr) && attr.max_wr == init.attr.max_wr &&
	       attr.max_sge == init.attr.max_sge, "C213: the same when asked");
	tap_is(attr.srq_limit, 0, "C204: a limit at creation does not arm");
	tap_ok(!ibv_get_srq_num(srq, &number) || number == 0, "C215: its number, %u", number);
	tap_is(ibv_destroy_srq(srq), 0, "C205: destroy");
}

int main(void)
{
	fixture_open(&f);
	test_contexts();
	test_pd();
	test_channels_and_cqs();
	test_qps();
	test_multicast();
	test_srqs();
	fixture_close(&f);
	return tap_end();
}
