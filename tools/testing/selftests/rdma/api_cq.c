// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows completion queues: order and lifetime of completions, overrun, resize (C106..C131, F14,
 * G072, G073, G100), the extended interface, and requests for notification (C132..C141, G074).
 * Contract: C158.
 */
#include <fcntl.h>
#include <poll.h>

#include "api_pair_io.h"

static struct fixture f;

static void writes(struct pair *p, int count)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	int i;

	for (i = 0; i < count; i++) {
		wr = pair_wr(p, IBV_WR_RDMA_WRITE, i, &sge, 4096);
		if (pair_post(p, A, &wr))
			tap_bail("post %d of %d", i, count);
	}
}

static void test_overrun(void)
{
	struct pair_options o = { .cqe = 8, .cap.max_send_wr = 512 };
	struct ibv_async_event event;
	struct pollfd async = { .fd = f.ctx->async_fd, .events = POLLIN };
	struct timespec nap = { .tv_nsec = 100000000 };
	struct ibv_wc wc;
	struct pair p;
	int n, old = 0, tries;

	pair_open(&p, &f, &o);
	writes(&p, p.cq[A]->cqe + 56);
	nanosleep(&nap, NULL);
	tap_is(poll(&async, 1, 2000), 1, "an asynchronous event comes");
	if (!ibv_get_async_event(f.ctx, &event)) {
		tap_ok(event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == p.cq[A],
		       "it is CQ_ERR of this CQ");
		ibv_ack_async_event(&event);
	}
	for (tries = 0; tries < 1000; tries++) {
		n = ibv_poll_cq(p.cq[A], 1, &wc);
		if (n < 0)
			break;
		old += n;
	}
	tap_ok(n < 0 && old <= p.cq[A]->cqe, "old entries (%d), then a negative return", old);
	/* QPs of the CQ may tell of it too. */
	while (poll(&async, 1, 0) == 1 && !ibv_get_async_event(f.ctx, &event))
		ibv_ack_async_event(&event);
	pair_close(&p);
}

static void test_resize(void)
{
	struct pair_options o = { .cqe = 100, .cap.max_send_wr = 64 };
	struct ibv_wc wc;
	struct pair p;
	int i, err;

	pair_open(&p, &f, &o);
	writes(&p, 50);
	for (i = 0; i < 200 && f.buf[0] >= 0; i++)
		sched_yield();
	err = ibv_resize_cq(p.cq[A], 200);
	if (err == EOPNOTSUPP) {
		tap_skip("the device does not resize");
		pair_close(&p);
		return;
	}
	tap_is(err, 0, "to 200");
	tap_ok(p.cq[A]->cqe >= 200, "cqe says %d", p.cq[A]->cqe);
	tap_is(ibv_resize_cq(p.cq[A], 60), 0, "to 60");
	tap_is(ibv_resize_cq(p.cq[A], 10), EINVAL, "to 10, with 50 entries inside");
	tap_is(ibv_resize_cq(p.cq[A], 0), EINVAL, "to 0");
	for (i = 0; i < 50; i++)
		if (!pair_wait_ms(&p, A, &wc, PAIR_POLL_MS) || wc.wr_id != (uint64_t)i || wc.status)
			break;
	tap_is(i, 50, "the 50 entries are there, in order");
	writes(&p, 50);
	for (i = 0; i < 50; i++)
		if (!pair_wait_ms(&p, A, &wc, PAIR_POLL_MS) || wc.wr_id != (uint64_t)i || wc.status)
			break;
	tap_is(i, 50, "and the CQ goes on");
	tap_is(ibv_resize_cq(p.cq[A], 4), 0, "smaller when it is empty");
	pair_close(&p);
}

/* A destroyed QP leaves no completions behind that confuse the others. */
static void test_destroyed_qp(void)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct pair p, q;
	struct ibv_wc wc;
	int i, seen = 0;

	pair_open(&p, &f, NULL);
	pair_open(&q, &f, NULL);
	ibv_destroy_qp(q.qp[A]);
	ibv_destroy_cq(q.cq[A]);
	q.cq[A] = p.cq[A];
	q.qp[A] = pair_create_qp(&q, A);
	if (pair_to_init(&q, A) || pair_to_rtr(&q, A) || pair_to_rts(&q, A))
		tap_bail("connect QP");
	/* b of q still expects the first a: a fresh pair of it. */
	ibv_modify_qp(q.qp[B], &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET }, IBV_QP_STATE);
	if (pair_to_init(&q, B) || pair_to_rtr(&q, B) || pair_to_rts(&q, B))
		tap_bail("connect QP");
	for (i = 0; i < 6; i++) {
		struct pair *who = i % 2 ? &p : &q;

		wr = pair_wr(who, IBV_WR_RDMA_WRITE, i, &sge, 4096);
		pair_post(who, A, &wr);
	}
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	tap_is(ibv_destroy_qp(q.qp[A]), 0, "a QP with completions in the CQ can go");
	while (pair_wait_ms(&p, A, &wc, 50)) {
		if (wc.qp_num == p.qp[A]->qp_num && wc.wr_id == (uint64_t)(2 * seen + 1))
			seen++;
		else if (wc.qp_num == p.qp[A]->qp_num)
			seen = -100;
	}
	tap_is(seen, 3, "the other's completions are complete and in order");
	ibv_destroy_qp(q.qp[B]);
	ibv_destroy_cq(q.cq[B]);
	pair_close(&p);
}

static void test_extended(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(f.ctx, &attr);
	struct ibv_poll_cq_attr poll_attr = { .comp_mask = 0 };
	struct pair p;
	int err, i, n = 0;

	if (!cq) {
		tap_skip("no extended CQ: %s", strerror(errno));
		return;
	}
	pair_open(&p, &f, NULL);
	ibv_destroy_qp(p.qp[A]);
	ibv_destroy_cq(p.cq[A]);
	p.cq[A] = ibv_cq_ex_to_cq(cq);
	p.qp[A] = pair_create_qp(&p, A);
	ibv_modify_qp(p.qp[B], &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET }, IBV_QP_STATE);
	pair_connect(&p);
	tap_is(ibv_start_poll(cq, &poll_attr), ENOENT, "an empty CQ");
	writes(&p, 3);
	for (i = 0; i < 2000 && n < 3; i++) {
		err = ibv_start_poll(cq, &poll_attr);
		while (!err) {
			if (cq->status || cq->wr_id != (uint64_t)n ||
			    ibv_wc_read_opcode(cq) != IBV_WC_RDMA_WRITE ||
			    ibv_wc_read_qp_num(cq) != p.qp[A]->qp_num)
				tap_ok(false, "completion %d", n);
			n++;
			err = ibv_next_poll(cq);
			if (err)
				ibv_end_poll(cq);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	tap_is(n, 3, "three completions, one by one");
	pair_close(&p);
}

struct armed {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	unsigned int events;
};

/* Takes the event that waits, if there is one. */
static bool has_event(struct armed *a, int wait_ms)
{
	struct pollfd fd = { .fd = a->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&fd, 1, wait_ms) != 1 || ibv_get_cq_event(a->channel, &cq, &context))
		return false;
	a->events++;
	return cq == a->cq && context == a;
}

static void send_one(struct pair *p, int flags)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr = pair_wr(p, IBV_WR_SEND, 1, &sge, 0);
	struct ibv_wc wc;

	pair_recv(p, B, 1, 4096, 64);
	wr.send_flags |= flags;
	if (pair_post(p, A, &wr) || !pair_wait_ms(p, A, &wc, PAIR_POLL_MS) || wc.status)
		tap_bail("send");
}

static void test_notify(void)
{
	struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };
	struct armed a = { .channel = ibv_create_comp_channel(f.ctx) };
	struct pair p;
	struct ibv_wc wc;

	pair_open(&p, &f, NULL);
	ibv_destroy_qp(p.qp[B]);
	ibv_destroy_cq(p.cq[B]);
	a.cq = p.cq[B] = ibv_create_cq(f.ctx, 64, &a, a.channel, 0);
	p.qp[B] = pair_create_qp(&p, B);
	ibv_modify_qp(p.qp[A], &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET }, IBV_QP_STATE);
	pair_connect(&p);
	send_one(&p, 0);
	tap_ok(!has_event(&a, 50), "no event without a request");
	tap_is(ibv_req_notify_cq(a.cq, 0), 0, "request");
	tap_ok(!has_event(&a, 50), "entries that are there already raise none");
	send_one(&p, 0);
	tap_ok(has_event(&a, 2000), "the next one does");
	send_one(&p, 0);
	tap_ok(!has_event(&a, 50), "once per request");
	ibv_req_notify_cq(a.cq, 1);
	send_one(&p, 0);
	tap_ok(!has_event(&a, 50), "solicited only: not for a plain message");
	send_one(&p, IBV_SEND_SOLICITED);
	tap_ok(has_event(&a, 2000), "but for a solicited one");
	ibv_req_notify_cq(a.cq, 0);
	ibv_req_notify_cq(a.cq, 1);
	send_one(&p, 0);
	tap_ok(has_event(&a, 2000), "asking for any wins over asking for solicited ones");
	ibv_req_notify_cq(a.cq, 1);
	pair_recv(&p, B, 5, 4096, 64);
	ibv_modify_qp(p.qp[B], &err, IBV_QP_STATE);
	tap_ok(has_event(&a, 2000), "a failed completion is solicited");
	while (pair_wait_ms(&p, B, &wc, 20))
		;
	ibv_ack_cq_events(a.cq, a.events);
	tap_is(ibv_destroy_comp_channel(a.channel), EBUSY, "a channel with a CQ is busy");
	pair_close(&p);
	tap_is(ibv_destroy_comp_channel(a.channel), 0, "and can go after it");
}

int main(void)
{
	fixture_open(&f);
	test_resize();
	test_destroyed_qp();
	test_extended();
	test_notify();
	test_overrun();
	fixture_close(&f);
	return tap_end();
}
