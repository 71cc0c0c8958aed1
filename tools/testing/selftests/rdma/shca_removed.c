// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what event files and calls do when the device goes away under an open context: waiting
 * readers wake up, DEVICE_FATAL is delivered once and then EIO, poll() reports an error, every
 * call is EIO, and everything can be closed. The device is one of the test's own.
 * Contract: C158.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "fixture.h"

#define LINK	"kvgone0"
#define NETDEV	"kvgone"

static struct fixture f;

static bool run(const char *format, const char *arg)
{
	char command[256];

	snprintf(command, sizeof(command), format, arg);
	return system(command) == 0;
}

/* Of the same type as the device under test: "rxe0" makes "rxe". */
static void add_device(void)
{
	const char *dev = getenv("KV_DEV");
	char type[32];

	snprintf(type, sizeof(type), "%s", dev ? dev : "rxe");
	type[strcspn(type, "0123456789")] = 0;
	run("ip link delete " NETDEV " 2>%s", "/dev/null");
	if (!run("ip link add " NETDEV " type %s", "dummy") ||
	    !run("ip addr add %s dev " NETDEV, "10.78.0.1/24") ||
	    !run("ip link set " NETDEV " %s", "up") ||
	    !run("rdma link add " LINK " type %s netdev " NETDEV, type))
		tap_bail("cannot make a device of type %s", type);
	setenv("KV_DEV", LINK, 1);
}

static void *read_channel(void *arg)
{
	struct ibv_comp_channel *channel = arg;
	uint64_t handle;

	return (void *)(intptr_t)(read(channel->fd, &handle, sizeof(handle)) == -1 ? errno : 0);
}

static int poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, 0);
	return p.revents;
}

/* Asynchronous events until the file answers with an error; how many were fatal ones. */
static int drain_async(int *err)
{
	struct ibv_async_event event;
	int fatal = 0;

	while (!ibv_get_async_event(f.ctx, &event)) {
		fatal += event.event_type == IBV_EVENT_DEVICE_FATAL;
		ibv_ack_async_event(&event);
	}
	*err = errno;
	return fatal;
}

int main(void)
{
	struct ibv_comp_channel *channel;
	struct ibv_device_attr attr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	pthread_t reader;
	uint64_t handle;
	void *ret;
	int err;

	add_device();
	fixture_open(&f);
	channel = ibv_create_comp_channel(f.ctx);
	cq = ibv_create_cq(f.ctx, 16, NULL, channel, 0);
	if (!channel || !cq)
		tap_bail("channel, CQ");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	fixture_connect(&f, qp, qp->qp_num);
	pthread_create(&reader, NULL, read_channel, channel);
	usleep(100000);

	tap_ok(run("timeout 20 rdma link delete %s", LINK), "a device in use can be removed");
	pthread_join(reader, &ret);
	tap_is((intptr_t)ret, EIO, "a reader that waited on the channel gets EIO");
	tap_ok(read(channel->fd, &handle, 8) == -1 && errno == EIO, "so does a later one");
	tap_ok(poll_now(channel->fd) & POLLERR, "poll() reports an error on the channel");
	tap_ok(poll_now(f.ctx->async_fd) & POLLIN, "the async file has something to read");
	/* Where the file does not fail afterwards, reading on would wait for ever. */
	fcntl(f.ctx->async_fd, F_SETFL, fcntl(f.ctx->async_fd, F_GETFL) | O_NONBLOCK);
	tap_is(drain_async(&err), 1, "DEVICE_FATAL, once");
	if (!tap_skip_on_stock("its async files do not fail after DEVICE_FATAL")) {
		tap_is(err, EIO, "and then EIO");
		tap_ok(poll_now(f.ctx->async_fd) & POLLERR, "poll() reports an error there too");
	}
	tap_ok(ibv_query_device(f.ctx, &attr) != 0, "calls fail");
	tap_ok(!ibv_alloc_pd(f.ctx) && errno == EIO, "with EIO");
	/* The kernel's side is gone; what remains is the library's and the descriptors. */
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	close(channel->fd);
	tap_is(ibv_close_device(f.ctx), 0, "the context can be closed");
	run("ip link delete %s", NETDEV);
	return tap_end();
}
