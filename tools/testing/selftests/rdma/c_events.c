// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what consumers of events rely on: what is solicited (C134..C138, C238), events without an
 * entry and the order that misses none (C140, C141), the drained send queue (C155), and that
 * destroying a QP waits for its events (C161).
 */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "api_pair_io.h"

#define MESSAGES 300
#define PATIENCE_MS 20000	/* for an event that has to come, also on a busy host */

static struct fixture f;

struct side {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
};

/* A pair whose CQs have channels. */
static void open_armed(struct pair *p, struct side s[2])
{
	int side;

	pair_open(p, &f, NULL);
	for (side = A; side <= B; side++) {
		ibv_destroy_qp(p->qp[side]);
		ibv_destroy_cq(p->cq[side]);
		s[side].channel = ibv_create_comp_channel(f.ctx);
		s[side].cq = p->cq[side] = ibv_create_cq(f.ctx, 64, &s[side], s[side].channel, 0);
		p->qp[side] = pair_create_qp(p, side);
	}
	pair_connect(p);
}

static void close_armed(struct pair *p, struct side s[2])
{
	pair_close(p);
	ibv_destroy_comp_channel(s[A].channel);
	ibv_destroy_comp_channel(s[B].channel);
}

static bool readable(struct side *s, int wait_ms)
{
	struct pollfd fd = { .fd = s->channel->fd, .events = POLLIN };

	return poll(&fd, 1, wait_ms) == 1;
}

static bool take(struct side *s, int wait_ms)
{
	struct ibv_cq *cq;
	void *context;

	if (!readable(s, wait_ms) || ibv_get_cq_event(s->channel, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return cq == s->cq && context == s;
}

static void drain(struct pair *p, int side)
{
	struct ibv_wc wc;

	while (pair_wait_ms(p, side, &wc, 30))
		;
}

/* One request with a flag, both CQs armed for solicited entries. */
static void send_one(struct pair *p, struct side s[2], enum ibv_wr_opcode opcode, int flags)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr = pair_wr(p, opcode, 1, &sge, 8192);

	ibv_req_notify_cq(s[A].cq, 1);
	ibv_req_notify_cq(s[B].cq, 1);
	pair_recv(p, B, 1, 4096, 64);
	wr.send_flags |= flags;
	pair_post(p, A, &wr);
	pair_expect(p, A, 1, IBV_WC_SUCCESS, NULL, "sent");
	drain(p, B);
}

static void test_solicited(void)
{
	struct side s[2];
	struct pair p;

	open_armed(&p, s);
	send_one(&p, s, IBV_WR_SEND, 0);
	tap_ok(!readable(&s[B], 50), "C134, C137: a plain message is not solicited");
	send_one(&p, s, IBV_WR_SEND, IBV_SEND_SOLICITED);
	tap_ok(take(&s[B], PATIENCE_MS), "C135, C238: with the flag it is");
	send_one(&p, s, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_SEND_SOLICITED);
	tap_ok(take(&s[B], PATIENCE_MS), "C135, C238: a write with immediate too");
	send_one(&p, s, IBV_WR_RDMA_WRITE, IBV_SEND_SOLICITED);
	tap_ok(!readable(&s[B], 50), "C238: a plain write says nothing to anybody");
	tap_ok(!readable(&s[A], 50), "C138: none of the four sends was solicited");
	close_armed(&p, s);
}

/* The entry is gone before its event is read: the consumer finds nothing, and that is well. */
static void test_late(void)
{
	struct side s[2];
	struct pair p;
	struct ibv_wc wc;
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;

	open_armed(&p, s);
	ibv_req_notify_cq(s[B].cq, 0);
	pair_recv(&p, B, 1, 4096, 64);
	wr = pair_wr(&p, IBV_WR_SEND, 1, &sge, 0);
	pair_post(&p, A, &wr);
	tap_ok(readable(&s[B], PATIENCE_MS), "C132: an event waits");
	pair_expect(&p, B, 1, IBV_WC_SUCCESS, NULL, "C140: its entry is polled first");
	tap_ok(take(&s[B], 0), "C140: the event is still there");
	tap_is(ibv_poll_cq(s[B].cq, 1, &wc), 0, "C140: and nothing behind it");
	drain(&p, A);
	close_armed(&p, s);
}

static struct pair flow;

static void *produce(void *arg)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr = pair_wr(&flow, IBV_WR_SEND, 1, &sge, 0);
	struct ibv_wc wc;
	int i;

	for (i = 0; i < MESSAGES; i++) {
		if (pair_post(&flow, A, &wr))
			break;
		/* Now one by one, now in bursts: both are hard on the consumer. */
		if (i % 3 == 0 || i % 16 > 11)
			if (!pair_wait_ms(&flow, A, &wc, PATIENCE_MS) || wc.status)
				break;
		while (ibv_poll_cq(flow.cq[A], 1, &wc) > 0)
			;
		if (i % 16 == 15)
			usleep(2000);
	}
	*(int *)arg = i;
	return NULL;
}

/* Get the event, ask for the next, then drain: nothing is missed, and nobody sleeps for ever. */
static void test_consumer(void)
{
	struct side s[2];
	struct ibv_wc wc;
	pthread_t thread;
	int got = 0, sent = 0, wrong = 0, i;

	open_armed(&flow, s);
	ibv_req_notify_cq(s[B].cq, 0);
	for (i = 0; i < PAIR_DEPTH; i++)
		pair_recv(&flow, B, 1, 4096, 64);
	pthread_create(&thread, NULL, produce, &sent);
	while (got < MESSAGES && !wrong) {
		if (!take(&s[B], PATIENCE_MS))
			break;
		wrong += ibv_req_notify_cq(s[B].cq, 0) != 0;
		while (ibv_poll_cq(s[B].cq, 1, &wc) > 0) {
			wrong += wc.status != IBV_WC_SUCCESS;
			got++;
			wrong += pair_recv(&flow, B, 1, 4096, 64) != 0;
		}
	}
	pthread_join(thread, NULL);
	tap_ok(got == MESSAGES && sent == MESSAGES && !wrong,
	       "C141: %d of %d messages by events alone", got, MESSAGES);
	drain(&flow, A);
	close_armed(&flow, s);
}

static bool next_event(struct ibv_async_event *event, int wait_ms)
{
	struct pollfd fd = { .fd = f.ctx->async_fd, .events = POLLIN };

	return poll(&fd, 1, wait_ms) == 1 && !ibv_get_async_event(f.ctx, event);
}

static volatile int destroyed;

static void *destroy(void *qp)
{
	int err = ibv_destroy_qp(qp);

	__atomic_store_n(&destroyed, err ? -1 : 1, __ATOMIC_RELEASE);
	return NULL;
}

static void test_drained(void)
{
	struct ibv_qp_attr sqd = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_sge sge = pair_sge(&f, 0, 4096);
	struct ibv_async_event event;
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	pthread_t thread;
	struct pair p;
	int i, late = 0;

	pair_open(&p, &f, NULL);
	for (i = 0; i < 8; i++) {
		wr = pair_wr(&p, IBV_WR_RDMA_WRITE, i, &sge, 8192);
		pair_post(&p, A, &wr);
	}
	tap_is(ibv_modify_qp(p.qp[A], &sqd, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0,
	       "C155, C181: to SQD, with notice");
	if (!tap_ok(next_event(&event, PATIENCE_MS), "C155: an event comes"))
		return;
	tap_ok(event.event_type == IBV_EVENT_SQ_DRAINED && event.element.qp == p.qp[A],
	       "C155: SQ_DRAINED of that QP");
	for (i = 0; i < 8 && pair_wait_ms(&p, A, &wc, 0); i++)
		late += wc.status != IBV_WC_SUCCESS;
	tap_note("%d of 8 were done then", i);
	tap_is(late, 0, "C155: what had begun is finished");
	pthread_create(&thread, NULL, destroy, p.qp[A]);
	usleep(200000);
	tap_is(__atomic_load_n(&destroyed, __ATOMIC_ACQUIRE), 0,
	       "C161: destroying it waits for the acknowledgement");
	ibv_ack_async_event(&event);
	pthread_join(thread, NULL);
	tap_is(destroyed, 1, "C160, C161: and ends with it");
	tap_ok(!next_event(&event, 50), "C161: no event of it comes after");
	ibv_destroy_qp(p.qp[B]);
	ibv_destroy_cq(p.cq[A]);
	ibv_destroy_cq(p.cq[B]);
}

int main(void)
{
	fixture_open(&f);
	test_solicited();
	test_late();
	test_consumer();
	test_drained();
	fixture_close(&f);
	return tap_end();
}
