// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field cases F51 and F46: the netdev goes down and up under traffic, loses and finds its carrier,
 * and its addresses are flushed. `ip` never blocks; the port says DOWN and ACTIVE and sends both
 * events; requests under way succeed or run out of retries, and what follows those is flushed;
 * a new connection works after each round.
 */
#include <fcntl.h>
#include <poll.h>

#include "own_link.h"

#define NAME		"kvdown"
#define QPS		16
#define ROUNDS		6
#define DRAIN_S		60	/* far more than the retries of a request take */

static struct fixture f;
static struct ibv_cq *cq;
static struct ibv_qp *qp[QPS];

/* The number of port events of that type that came; waits for the first of them. */
static bool event_comes(enum ibv_event_type want)
{
	struct pollfd p = { .fd = f.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	int waited;

	for (waited = 0; waited < OWN_LINK_WAIT_MS; waited += 100) {
		if (poll(&p, 1, 100) < 1)
			continue;
		if (ibv_get_async_event(f.ctx, &event))
			return false;
		ibv_ack_async_event(&event);
		if (event.event_type == want && event.element.port_num == FIXTURE_PORT)
			return true;
	}
	return false;
}

static void connect_all(void)
{
	int i;

	fixture_find_gid(&f);
	for (i = 0; i < QPS; i++) {
		qp[i] = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
		if (fixture_qp_to_init(qp[i]) || fixture_qp_to_rtr(&f, qp[i], qp[i]->qp_num))
			tap_bail("QP to RTR");
		struct ibv_qp_attr rts = {
			.qp_state = IBV_QPS_RTS, .timeout = 10, .retry_cnt = 3, .rnr_retry = 3,
			.max_rd_atomic = 1,
		};
		if (ibv_modify_qp(qp[i], &rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
			tap_bail("QP to RTS");
	}
}

static int post_write(int i)
{
	struct ibv_sge sge = { (uintptr_t)f.buf, 4096, f.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)f.buf + 8192, f.mr->rkey },
	}, *bad;

	return ibv_post_send(qp[i], &wr, &bad);
}

/* What completions said. */
struct tally {
	int posted, done, ok, retries, flushed, other;
	bool dead[QPS];
};

static void take(struct tally *t, const struct ibv_wc *wc)
{
	t->done++;
	t->ok += wc->status == IBV_WC_SUCCESS;
	t->retries += wc->status == IBV_WC_RETRY_EXC_ERR;
	t->flushed += wc->status == IBV_WC_WR_FLUSH_ERR;
	t->other += wc->status != IBV_WC_SUCCESS && wc->status != IBV_WC_RETRY_EXC_ERR &&
		    wc->status != IBV_WC_WR_FLUSH_ERR;
	if (wc->status)
		t->dead[wc->wr_id] = true;
}

/* Keeps every QP that lives busy for so long. */
static void traffic(struct tally *t, int ms)
{
	struct timespec ts;
	struct ibv_wc wc;
	long long end;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	end = ts.tv_sec * 1000ll + ts.tv_nsec / 1000000 + ms;
	for (i = 0; i < QPS; i++)
		t->posted += !t->dead[i] && !post_write(i);
	do {
		/* A post may have completed when it returns, so look at the clock each time. */
		if (ibv_poll_cq(cq, 1, &wc) == 1) {
			take(t, &wc);
			i = (int)wc.wr_id;
			t->posted += !t->dead[i] && !post_write(i);
		}
		clock_gettime(CLOCK_MONOTONIC, &ts);
	} while (ts.tv_sec * 1000ll + ts.tv_nsec / 1000000 < end);
}

static bool drain(struct tally *t)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < DRAIN_S / 2 && t->done < t->posted; i++)
		while (t->done < t->posted && fixture_wait_wc(cq, &wc))
			take(t, &wc);
	return t->done == t->posted;
}

static void destroy_all(void)
{
	int i;

	for (i = 0; i < QPS; i++)
		if (ibv_destroy_qp(qp[i]))
			tap_ok(false, "QP %d goes", i);
}

/* One interruption by commands that end it and undo it. */
static void interrupt(const char *what, const char *off, const char *on, bool events)
{
	struct tally t = {};

	connect_all();
	traffic(&t, 50);
	tap_ok(t.ok > 0, "%s: %d writes before", what, t.ok);
	tap_is(own_link_run("timeout 20 sh -c '%s'", off), 0, "%s: ip does not block", what);
	traffic(&t, 100);
	if (events) {
		tap_is(own_link_wait_state(f.ctx, IBV_PORT_DOWN), IBV_PORT_DOWN,
		       "%s: the port says DOWN", what);
		tap_ok(event_comes(IBV_EVENT_PORT_ERR), "%s: PORT_ERR comes", what);
	}
	tap_is(own_link_run("timeout 20 sh -c '%s'", on), 0, "%s: undone", what);
	if (events) {
		tap_is(own_link_wait_state(f.ctx, IBV_PORT_ACTIVE), IBV_PORT_ACTIVE,
		       "%s: the port says ACTIVE", what);
		tap_ok(event_comes(IBV_EVENT_PORT_ACTIVE), "%s: PORT_ACTIVE comes", what);
	}
	tap_ok(drain(&t) && !t.other, "%s: all %d requests ended: %d well, %d retries, %d flushed",
	       what, t.posted, t.ok, t.retries, t.flushed);
	destroy_all();
	usleep(300000);	/* the GID table follows in its own time */
	memset(&t, 0, sizeof(t));
	connect_all();
	traffic(&t, 20);
	tap_ok(drain(&t) && t.ok == t.posted && t.ok, "%s: a new connection works", what);
	destroy_all();
}

static void test_rounds(void)
{
	struct tally t = {};
	int i, bad = 0;

	for (i = 0; i < ROUNDS; i++) {
		memset(&t, 0, sizeof(t));
		connect_all();
		traffic(&t, 10);
		bad += own_link_run("timeout 20 ip link set " NAME " down");
		traffic(&t, 10);
		bad += own_link_run("timeout 20 ip link set " NAME " up");
		bad += own_link_wait_state(f.ctx, IBV_PORT_ACTIVE) != IBV_PORT_ACTIVE;
		bad += !drain(&t) || t.other;
		destroy_all();
		usleep(300000);
	}
	tap_is(bad, 0, "down and up under %d QPs, %d times", QPS, ROUNDS);
}

int main(void)
{
	own_link_add(NAME, "10.81.0.1/24", "");
	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16 * QPS, NULL, NULL, 0);
	if (!cq)
		tap_bail("CQ");
	fcntl(f.ctx->async_fd, F_SETFL, O_NONBLOCK);
	tap_is(own_link_wait_state(f.ctx, IBV_PORT_ACTIVE), IBV_PORT_ACTIVE, "ACTIVE at first");
	interrupt("down", "ip link set " NAME " down", "ip link set " NAME " up", true);
	interrupt("carrier", "ip link set " NAME " carrier off", "ip link set " NAME " carrier on",
		  true);
	interrupt("addresses flushed", "ip addr flush dev " NAME,
		  "ip addr add 10.81.0.1/24 dev " NAME, false);
	test_rounds();
	ibv_destroy_cq(cq);
	fixture_close(&f);
	own_link_delete(NAME);
	return tap_end();
}
