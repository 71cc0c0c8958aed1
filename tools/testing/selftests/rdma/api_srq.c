// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows shared receive queues: granted sizes, room, the limit event, the last-WQE event, resize
 * (C201..C219, G122..G127, G130, F15).
 * Contract: C043, C157, C158.
 */
#include <poll.h>

#include "api_pair_io.h"

static struct fixture f;

static struct ibv_srq *make(uint32_t max_wr, uint32_t limit)
{
	struct ibv_srq_init_attr init = {
		.srq_context = &f, .attr = { .max_wr = max_wr, .max_sge = 2, .srq_limit = limit },
	};
	struct ibv_srq *srq = ibv_create_srq(f.pd, &init);

	if (!srq)
		tap_bail("create SRQ");
	if (init.attr.max_wr < max_wr || init.attr.max_sge < 2)
		tap_ok(false, "granted is at least what was asked for");
	return srq;
}

static int post(struct ibv_srq *srq, uint64_t id)
{
	struct ibv_sge sge = pair_sge(&f, 4096, 64);
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

static bool message(struct pair *p)
{
	struct ibv_sge sge = pair_sge(&f, 0, 16);
	struct ibv_send_wr wr = pair_wr(p, IBV_WR_SEND, 1, &sge, 0);
	struct ibv_wc wc[2];

	return !pair_post(p, A, &wr) && pair_wait_ms(p, A, &wc[0], PAIR_POLL_MS) &&
	       pair_wait_ms(p, B, &wc[1], PAIR_POLL_MS) && !wc[0].status && !wc[1].status;
}

/* How many events of the type come within the time; all of them are acknowledged. */
static int events(enum ibv_event_type type, void *element, int wait_ms)
{
	struct pollfd fd = { .fd = f.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	int count = 0;

	while (poll(&fd, 1, wait_ms) == 1 && !ibv_get_async_event(f.ctx, &event)) {
		if (event.event_type == type && event.element.srq == element)
			count++;
		ibv_ack_async_event(&event);
	}
	return count;
}

static void test_limit(void)
{
	struct ibv_srq *srq = make(16, 5);
	struct pair_options o = { .srq = srq };
	struct ibv_srq_attr attr;
	struct pair p;
	int i;

	tap_ok(!ibv_query_srq(srq, &attr) && !attr.srq_limit,
	       "a limit at creation arms nothing");
	pair_open(&p, &f, &o);
	for (i = 0; i < 10; i++)
		post(srq, i);
	attr.srq_limit = 5;
	tap_is(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), 0, "limit 5 with 10 posted");
	ibv_query_srq(srq, &attr);
	tap_is(attr.srq_limit, 5, "it reads back");
	for (i = 0; i < 5; i++)
		if (!message(&p))
			tap_ok(false, "message %d", i);
	tap_is(events(IBV_EVENT_SRQ_LIMIT_REACHED, srq, 100), 0, "no event with 5 left");
	tap_ok(message(&p), "one more");
	tap_is(events(IBV_EVENT_SRQ_LIMIT_REACHED, srq, 500), 1, "one event with 4 left");
	ibv_query_srq(srq, &attr);
	tap_is(attr.srq_limit, 0, "then it is disarmed");
	message(&p);
	tap_is(events(IBV_EVENT_SRQ_LIMIT_REACHED, srq, 100), 0, "and stays silent");
	attr.srq_limit = 1000000;
	tap_is(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), EINVAL, "a limit above the size");
	tap_is(ibv_destroy_srq(srq), EBUSY, "an SRQ with a QP is busy");
	pair_close(&p);
	tap_is(ibv_destroy_srq(srq), 0, "and can go after it");
}

static void test_room(void)
{
	struct ibv_srq *srq = make(8, 0);
	struct ibv_recv_wr wr[2] = { { .next = &wr[1] }, { .num_sge = 40 } }, *bad;
	struct ibv_srq_attr attr;
	uint32_t i;

	ibv_query_srq(srq, &attr);
	tap_is(ibv_post_srq_recv(srq, wr, &bad), EINVAL, "the second has too many elements");
	tap_ok(bad == &wr[1], "bad_wr is that one");
	for (i = 1; i < attr.max_wr; i++)
		if (post(srq, i))
			break;
	tap_is(i, attr.max_wr, "as many as granted, with the first of that list");
	tap_is(post(srq, 99), ENOMEM, "one more does not fit");
	ibv_destroy_srq(srq);
}

static void test_last_wqe(void)
{
	struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };
	struct ibv_srq *srq = make(8, 0);
	struct pair_options o = { .srq = srq };
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, &o);
	post(srq, 1);
	tap_is(pair_recv(&p, B, 1, 0, 64), EINVAL, "a QP with an SRQ has no receives of its own");
	ibv_modify_qp(p.qp[B], &err, IBV_QP_STATE);
	tap_is(events(IBV_EVENT_QP_LAST_WQE_REACHED, p.qp[B], 500), 1, "last WQE reached");
	tap_ok(!pair_wait_ms(&p, B, &wc, 30), "receives of the SRQ are not flushed");
	pair_close(&p);
	ibv_destroy_srq(srq);
}

static void test_resize(void)
{
	struct ibv_srq *srq = make(8, 0);
	struct pair_options o = { .srq = srq, .cap.max_send_wr = 64, .cqe = 256 };
	struct ibv_srq_attr attr = { .max_wr = 64 }, got;
	struct pair p;
	int i, err;

	pair_open(&p, &f, &o);
	for (i = 0; i < 5; i++)
		post(srq, i);
	message(&p);
	err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
	if (err == EOPNOTSUPP) {
		tap_ok(!(f.attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE),
		       "no resize, and no capability bit");
		goto out;
	}
	tap_is(err, 0, "to 64");
	tap_is(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), 0, "to 64 again");
	err = ibv_query_srq(srq, &got);
	tap_ok(!err && got.max_wr >= 64, "it says %u", err ? 0 : got.max_wr);
	for (i = 0; i < 4 && message(&p); i++)
		;
	tap_is(i, 4, "posted receives survive");
	for (i = 0; i < 64 && !post(srq, i); i++)
		;
	tap_is(i, 64, "64 fit now");
	attr.max_wr = 4;
	tap_is(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), EINVAL, "not below what is posted");
	attr.max_wr = 0x7fffffff;
	err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
	tap_ok(err == EINVAL || err == ENOMEM, "not beyond the device");
	for (i = 0; i < 64 && message(&p); i++)
		;
	tap_is(i, 64, "nothing was lost");
out:
	pair_close(&p);
	ibv_destroy_srq(srq);
}

int main(void)
{
	fixture_open(&f);
	test_limit();
	test_room();
	test_last_wqe();
	test_resize();
	fixture_close(&f);
	return tap_end();
}
