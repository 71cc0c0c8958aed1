// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows how completion channels behave: one event for each request, solicited only where asked
 * for, blocking and not, poll() and SIGIO, several CQs on one channel, acknowledging before
 * destroy, and that events of a destroyed CQ are gone.
 * Contract: C003, C103, C132..C135, C139, C142..C146.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "fixture.h"

static struct fixture f;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp;

static int wait_readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 ? p.revents : 0;
}

static void message(int flags)
{
	struct ibv_wc wc[2];

	if (fixture_post_recv(&f, qp, 1) || fixture_post_send(&f, qp, 2, IBV_SEND_SIGNALED | flags))
		tap_bail("post");
	if (!fixture_wait_wc(cq, &wc[0]) || !fixture_wait_wc(cq, &wc[1]))
		tap_bail("completions of a message to self");
	if (wc[0].status || wc[1].status)
		tap_bail("message to self: status %d, %d", wc[0].status, wc[1].status);
}

static bool take_event(void)
{
	struct ibv_cq *got;
	void *context;

	if (!(wait_readable(channel->fd, 2000) & POLLIN) ||
	    ibv_get_cq_event(channel, &got, &context))
		return false;
	ibv_ack_cq_events(got, 1);
	return got == cq && context == &f;
}

static void set_nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static void test_requests(void)
{
	message(0);
	tap_is(wait_readable(channel->fd, 50), 0, "no request, no event");
	ibv_req_notify_cq(cq, 0);
	tap_is(wait_readable(channel->fd, 50), 0, "a request alone is no event");
	message(0);
	tap_ok(take_event(), "a completion after a request is one, with the CQ and its context");
	message(0);
	tap_is(wait_readable(channel->fd, 50), 0, "the request is used up");
	ibv_req_notify_cq(cq, 1);
	message(0);
	tap_is(wait_readable(channel->fd, 50), 0,
	       "asked for solicited ones, an ordinary message is no event");
	message(IBV_SEND_SOLICITED);
	tap_ok(take_event(), "a solicited one is");
	ibv_req_notify_cq(cq, 0);
	ibv_req_notify_cq(cq, 1);
	message(0);
	tap_ok(take_event(), "asking for all wins over asking for solicited ones");
}

static void test_read_semantics(void)
{
	void *unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t handles[4];
	char byte;

	set_nonblock(channel->fd, true);
	tap_ok(read(channel->fd, handles, 8) == -1 && errno == EAGAIN,
	       "non-blocking without an event: EAGAIN");
	ibv_req_notify_cq(cq, 0);
	message(0);
	tap_ok(read(channel->fd, &byte, 1) == -1 && errno == EINVAL, "a short read: EINVAL");
	ibv_req_notify_cq(cq, 0);
	message(0);
	if (!tap_skip_on_stock("an event that cannot be delivered is lost"))
		tap_ok(read(channel->fd, unmapped, 8) == -1 && errno == EFAULT,
		       "a bad buffer: EFAULT, and the event is not lost");
	tap_is(read(channel->fd, handles, sizeof(handles)), 8, "one event per read");
	tap_is(read(channel->fd, handles + 1, 8), 8, "two requests, two events");
	tap_ok(handles[0] == handles[1], "both of the same CQ");
	tap_ok(read(channel->fd, handles, 8) == -1 && errno == EAGAIN, "and no third");
	set_nonblock(channel->fd, false);
	ibv_ack_cq_events(cq, 2);
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void test_interruption(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = { .it_value.tv_usec = 100000 };
	uint64_t handle;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	tap_ok(read(channel->fd, &handle, 8) == -1 && errno == EINTR,
	       "a signal ends a waiting read with EINTR");
}

static volatile sig_atomic_t got_sigio;

static void on_sigio(int signal)
{
	(void)signal;
	got_sigio = 1;
}

static void test_sigio(void)
{
	struct sigaction action = { .sa_handler = on_sigio };

	sigaction(SIGIO, &action, NULL);
	fcntl(channel->fd, F_SETOWN, getpid());
	fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_ASYNC);
	ibv_req_notify_cq(cq, 0);
	message(0);
	tap_ok(take_event() && got_sigio, "O_ASYNC raises SIGIO");
	fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) & ~O_ASYNC);
}

static void *reader(void *arg)
{
	uint64_t handle;

	(void)arg;
	return (void *)(intptr_t)read(channel->fd, &handle, 8);
}

static void test_blocking(void)
{
	pthread_t threads[2];
	void *results[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, reader, NULL);
	usleep(100000);
	ibv_req_notify_cq(cq, 0);
	message(0);
	usleep(100000);
	tap_is(wait_readable(channel->fd, 0), 0, "a waiting reader takes the event");
	ibv_req_notify_cq(cq, 0);
	message(0);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], &results[i]);
	tap_ok(results[0] == (void *)8 && results[1] == (void *)8,
	       "two readers, two events: one each");
	ibv_ack_cq_events(cq, 2);
}

/* Events of a CQ that goes are not delivered any more, those of its neighbour are. */
static void test_discard(void)
{
	struct ibv_cq *other = ibv_create_cq(f.ctx, 16, &channel, channel, 0);
	struct ibv_qp *other_qp;
	struct ibv_cq *got;
	struct ibv_wc wc;
	void *context;

	if (!other)
		tap_bail("second CQ");
	other_qp = fixture_qp(&f, other, NULL, IBV_QPT_RC);
	fixture_connect(&f, other_qp, other_qp->qp_num);
	ibv_req_notify_cq(other, 0);
	if (fixture_post_recv(&f, other_qp, 1) ||
	    fixture_post_send(&f, other_qp, 2, IBV_SEND_SIGNALED) ||
	    !fixture_wait_wc(other, &wc) || !fixture_wait_wc(other, &wc))
		tap_bail("message on the second CQ");
	tap_ok(wait_readable(channel->fd, 1000) & POLLIN, "the second CQ has an event");
	ibv_req_notify_cq(cq, 0);
	message(0);
	ibv_destroy_qp(other_qp);
	tap_is(ibv_destroy_cq(other), 0, "a CQ with an unread event can be destroyed at once");
	tap_ok(!ibv_get_cq_event(channel, &got, &context) && got == cq,
	       "the next event is the other CQ's");
	ibv_ack_cq_events(got, 1);
	tap_is(wait_readable(channel->fd, 50), 0, "and there is no further one");
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
	struct ibv_cq *got;
	pthread_t thread;
	void *context, *ret;

	ibv_req_notify_cq(cq, 0);
	message(0);
	if (ibv_get_cq_event(channel, &got, &context))
		tap_bail("event");
	ibv_destroy_qp(qp);
	pthread_create(&thread, NULL, destroyer, cq);
	usleep(200000);
	tap_ok(!destroyed, "destroy waits for events that were read and not acknowledged");
	ibv_ack_cq_events(got, 1);
	pthread_join(thread, &ret);
	tap_ok(!ret, "and ends when they are");
}

int main(void)
{
	fixture_open(&f);
	channel = ibv_create_comp_channel(f.ctx);
	if (!channel)
		tap_bail("completion channel");
	cq = ibv_create_cq(f.ctx, 16, &f, channel, 0);
	if (!cq)
		tap_bail("CQ");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	fixture_connect(&f, qp, qp->qp_num);
	test_requests();
	test_read_semantics();
	test_interruption();
	test_sigio();
	test_blocking();
	test_discard();
	test_ack_before_destroy();
	tap_is(ibv_destroy_comp_channel(channel), 0, "the channel can be destroyed after its CQs");
	fixture_close(&f);
	return tap_end();
}
