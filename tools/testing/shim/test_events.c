// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_events.c - events as they come from the kernel's descriptors (C147..C160, G078, G081):
 * which member of the union a type fills, who counts the acknowledgement, and that threads which
 * wait share the events out (C149).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>
#include "fake.h"
#include "tap.h"

#define READERS	4
#define EVENTS	400

static struct fake_context *fc;
static int pipe_in;

static void open_pipe(void)
{
	int fds[2] = { -1, -1 };

	fc = fake_open();
	if (pipe(fds))
		abort();
	fc->shim.v.context.async_fd = fds[0];
	pipe_in = fds[1];
}

static void close_pipe(void)
{
	close(fc->shim.v.context.async_fd);
	close(pipe_in);
	fake_close(fc);
}

static void raise_event(uint32_t type, const void *element)
{
	struct ib_uverbs_async_event_desc desc = { .element = (uintptr_t)element,
						   .event_type = type };

	if (write(pipe_in, &desc, sizeof(desc)) != sizeof(desc))
		abort();
}

static void test_elements(void)
{
	static const uint32_t of_qp[] = {
		IBV_EVENT_QP_FATAL, IBV_EVENT_QP_REQ_ERR, IBV_EVENT_QP_ACCESS_ERR,
		IBV_EVENT_COMM_EST, IBV_EVENT_SQ_DRAINED, IBV_EVENT_PATH_MIG,
		IBV_EVENT_PATH_MIG_ERR, IBV_EVENT_QP_LAST_WQE_REACHED,
	}, of_port[] = {
		IBV_EVENT_PORT_ACTIVE, IBV_EVENT_PORT_ERR, IBV_EVENT_LID_CHANGE,
		IBV_EVENT_PKEY_CHANGE, IBV_EVENT_SM_CHANGE, IBV_EVENT_CLIENT_REREGISTER,
		IBV_EVENT_GID_CHANGE, IBV_EVENT_DEVICE_FATAL,
	};
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_srq srq = { .events_completed = 0 };
	struct ibv_qp_cap cap = { .max_send_wr = 1 };
	struct ibv_async_event event;
	unsigned int i;

	open_pipe();
	cq = fake_cq(fc, 4);
	qp = fake_qp(fc, IBV_QPT_RC, cq, &cap, 0);
	shim_events_init(&srq.mutex, &srq.cond);
	for (i = 0; i < SHIM_ARRAY_SIZE(of_qp); i++) {
		raise_event(of_qp[i], qp);
		CHECK_EQ(ibv_get_async_event(&fc->shim.v.context, &event), 0);
		CHECK(event.event_type == of_qp[i] && event.element.qp == qp);
		ibv_ack_async_event(&event);
		CHECK_EQ(qp->events_completed, i + 1);
	}
	raise_event(IBV_EVENT_CQ_ERR, cq);
	CHECK_EQ(ibv_get_async_event(&fc->shim.v.context, &event), 0);
	CHECK(event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == cq);
	ibv_ack_async_event(&event);
	CHECK_EQ(cq->async_events_completed, 1);
	for (i = 0; i < 2; i++) {
		raise_event(i ? IBV_EVENT_SRQ_ERR : IBV_EVENT_SRQ_LIMIT_REACHED, &srq);
		CHECK_EQ(ibv_get_async_event(&fc->shim.v.context, &event), 0);
		CHECK(event.element.srq == &srq);
		ibv_ack_async_event(&event);
		CHECK_EQ(srq.events_completed, i + 1);
	}
	for (i = 0; i < SHIM_ARRAY_SIZE(of_port); i++) {
		raise_event(of_port[i], (void *)(uintptr_t)(i + 1));
		CHECK_EQ(ibv_get_async_event(&fc->shim.v.context, &event), 0);
		CHECK(event.event_type == of_port[i] && event.element.port_num == (int)i + 1);
		ibv_ack_async_event(&event);
	}
	CHECK_EQ(qp->events_completed, SHIM_ARRAY_SIZE(of_qp));
	/* The fake kernel reports no events: the counts have to agree for destroy. */
	qp->events_completed = 0;
	cq->async_events_completed = 0;
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	close_pipe();
}

static unsigned int taken[EVENTS];

static void *wait_for_events(void *arg)
{
	struct ibv_async_event event;

	(void)arg;
	while (!ibv_get_async_event(&fc->shim.v.context, &event))
		__atomic_add_fetch(&taken[event.element.port_num], 1, __ATOMIC_RELAXED);
	return NULL;
}

static void test_shared_out(void)
{
	pthread_t threads[READERS];
	unsigned int i;

	open_pipe();
	for (i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, wait_for_events, NULL);
	for (i = 0; i < EVENTS; i++)
		raise_event(IBV_EVENT_PORT_ACTIVE, (void *)(uintptr_t)i);
	close(pipe_in);
	for (i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < EVENTS; i++)
		CHECK_EQ(taken[i], 1);
	pipe_in = open("/dev/null", O_WRONLY);
	close_pipe();
}

/* Minus one and errno: nothing there, a broken record. */
static void test_failures(void)
{
	struct ibv_async_event event;

	open_pipe();
	fcntl(fc->shim.v.context.async_fd, F_SETFL, O_NONBLOCK);
	errno = 0;
	CHECK(ibv_get_async_event(&fc->shim.v.context, &event) == -1);
	CHECK_EQ(errno, EAGAIN);
	CHECK_EQ(write(pipe_in, "short", 5), 5);
	CHECK(ibv_get_async_event(&fc->shim.v.context, &event) == -1);
	CHECK_EQ(errno, EIO);
	close_pipe();
}

static const struct tap_test tests[] = {
	{ "each type fills its member, and is acknowledged there", test_elements },
	{ "threads that wait share the events out", test_shared_out },
	{ "nothing there, and a broken record", test_failures },
};

TAP_MAIN(tests)
