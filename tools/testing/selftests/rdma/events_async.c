// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows how the async event file of a context behaves: object events name their object, port
 * events reach each context, reading blocks or not, unread events of a destroyed object are gone,
 * destroy waits for acknowledgements, and a process that never reads does no harm.
 * Contract: C147, C148, C159..C161.
 */
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"

/* Far more than any bound on unread events. */
#define MANY_EVENTS	300

static struct fixture f;

static void set_nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static int wait_readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 ? p.revents : 0;
}

static void test_empty(void)
{
	struct ibv_async_event event;

	set_nonblock(f.ctx->async_fd, true);
	tap_is(wait_readable(f.ctx->async_fd, 0), 0, "no event, not readable");
	tap_ok(ibv_get_async_event(f.ctx, &event) == -1 && errno == EAGAIN,
	       "non-blocking without an event: EAGAIN");
	set_nonblock(f.ctx->async_fd, false);
}

/*
 * What makes object events here is overrunning a CQ. UD sends to oneself need no receiver, which
 * is all that takes.
 */
static struct ibv_ah *self_ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 64 },
	};
	struct ibv_ah *ah = ibv_create_ah(f.pd, &attr);

	if (!ah)
		tap_bail("address handle");
	return ah;
}

static int post_ud(struct ibv_qp *qp, struct ibv_ah *ah)
{
	struct ibv_sge sge = { (uintptr_t)f.buf, 8, f.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { ah, qp->qp_num, FIXTURE_QKEY },
	}, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

/*
 * Sends until sends are out, or the queue stays full: some devices stop the queue pairs of a CQ
 * that overran.
 */
static void overrun_ud(struct ibv_qp *qp, struct ibv_ah *ah, int sends)
{
	int i, tries = 0;

	for (i = 0; i < sends && tries < 100; i++)
		for (tries = 0; tries < 100 && post_ud(qp, ah); tries++)
			usleep(1000);
	usleep(200000);
}

static void test_object_events(void)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 1, NULL, NULL, 0);
	struct ibv_ah *ah = self_ah();
	struct ibv_async_event event;
	struct ibv_qp *qp;
	char buf[16];
	int events;

	if (!cq)
		tap_bail("CQ");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	fixture_connect(&f, qp, 0);
	overrun_ud(qp, ah, cq->cqe + 3);
	tap_ok(wait_readable(f.ctx->async_fd, 2000) & POLLIN, "an overrun CQ makes an event");
	tap_ok(read(f.ctx->async_fd, buf, 15) == -1 && errno == EINVAL, "a short read: EINVAL");
	set_nonblock(f.ctx->async_fd, true);
	for (events = 0; !ibv_get_async_event(f.ctx, &event); events++) {
		if (!events) {
			tap_is(event.event_type, IBV_EVENT_CQ_ERR, "it is IBV_EVENT_CQ_ERR");
			tap_ok(event.element.cq == cq, "and names the CQ");
		}
		ibv_ack_async_event(&event);
	}
	tap_ok(events >= 1, "it can be read");
	set_nonblock(f.ctx->async_fd, false);
	overrun_ud(qp, ah, 2);
	ibv_destroy_qp(qp);
	tap_is(ibv_destroy_cq(cq), 0, "a CQ with unread events can be destroyed at once");
	tap_is(wait_readable(f.ctx->async_fd, 0), 0, "its events are gone");
	ibv_destroy_ah(ah);
}

/* A process that never reads. */
static void test_many_events(void)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 1, NULL, NULL, 0);
	struct ibv_ah *ah = self_ah();
	struct ibv_async_event event;
	struct ibv_qp *qp;
	int events;

	if (!cq)
		tap_bail("CQ");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	fixture_connect(&f, qp, 0);
	overrun_ud(qp, ah, MANY_EVENTS);
	set_nonblock(f.ctx->async_fd, true);
	for (events = 0; !ibv_get_async_event(f.ctx, &event); events++)
		ibv_ack_async_event(&event);
	tap_ok(events > 0 && events <= MANY_EVENTS, "%d events were kept of %d", events,
	       MANY_EVENTS);
	overrun_ud(qp, ah, 2);
	ibv_destroy_qp(qp);
	tap_is(ibv_destroy_cq(cq), 0, "the CQ can be destroyed");
	set_nonblock(f.ctx->async_fd, false);
	ibv_destroy_ah(ah);
}

static volatile int destroyed;

static void *destroyer(void *arg)
{
	intptr_t ret = ibv_destroy_cq(arg);

	destroyed = 1;
	return (void *)ret;
}

static void test_ack_before_destroy(void)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 1, NULL, NULL, 0);
	struct ibv_ah *ah = self_ah();
	struct ibv_async_event event;
	pthread_t thread;
	struct ibv_qp *qp;
	void *ret;

	if (!cq)
		tap_bail("CQ");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	fixture_connect(&f, qp, 0);
	overrun_ud(qp, ah, cq->cqe + 2);
	if (ibv_get_async_event(f.ctx, &event))
		tap_bail("event");
	ibv_destroy_qp(qp);
	pthread_create(&thread, NULL, destroyer, cq);
	usleep(200000);
	tap_ok(!destroyed, "destroy waits for an event that was read and not acknowledged");
	ibv_ack_async_event(&event);
	pthread_join(thread, &ret);
	tap_ok(!ret, "and ends when it is");
	ibv_destroy_ah(ah);
}

/* The first netdev with an address of 10.77.*, taken down and up: the port follows. */
static bool set_netdev(const char *name, bool up)
{
	struct ifreq ifr = {};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool ok;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	ok = !ioctl(fd, SIOCGIFFLAGS, &ifr);
	if (up)
		ifr.ifr_flags |= IFF_UP;
	else
		ifr.ifr_flags &= ~IFF_UP;
	ok = ok && !ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
	return ok;
}

static void drain(struct ibv_context *ctx, int *active, int *err)
{
	struct ibv_async_event event;

	set_nonblock(ctx->async_fd, true);
	while (!ibv_get_async_event(ctx, &event)) {
		*active += event.event_type == IBV_EVENT_PORT_ACTIVE &&
			   event.element.port_num == FIXTURE_PORT;
		*err += event.event_type == IBV_EVENT_PORT_ERR &&
			event.element.port_num == FIXTURE_PORT;
		ibv_ack_async_event(&event);
	}
	set_nonblock(ctx->async_fd, false);
}

static void test_port_events(void)
{
	struct ibv_context *second = fixture_open_device();
	int active[2] = {}, err[2] = {};

	drain(f.ctx, &active[0], &err[0]);
	active[0] = err[0] = 0;
	if (!set_netdev("dummy0", false)) {
		tap_skip("no interface dummy0 to take down");
		goto close;
	}
	usleep(300000);
	if (!set_netdev("dummy0", true))
		tap_bail("dummy0 does not come up again");
	usleep(500000);
	drain(f.ctx, &active[0], &err[0]);
	drain(second, &active[1], &err[1]);
	tap_ok(err[0] == 1 && err[1] == 1, "each context gets one PORT_ERR (%d, %d)", err[0],
	       err[1]);
	tap_ok(active[0] == 1 && active[1] == 1, "and one PORT_ACTIVE (%d, %d)", active[0],
	       active[1]);
close:
	tap_is(ibv_close_device(second), 0, "a context with its events read can be closed");
}

int main(void)
{
	fixture_open(&f);
	test_empty();
	test_object_events();
	test_many_events();
	test_ack_before_destroy();
	/* Last: the interface loses its IPv6 addresses. */
	test_port_events();
	fixture_close(&f);
	return tap_end();
}
