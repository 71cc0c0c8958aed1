// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_unplug.c - a device that is taken away while a program uses it (`rdma link delete`, removal
 * of the netdev, end of its network namespace) goes in bounded time; the program finds EIO, rings
 * that it can still read, a doorbell page of zeroes, and can leave. The module cannot go while it
 * is in use.
 */
#include <signal.h>
#include <sys/wait.h>

#include "shca_raw_qp.h"

#define DEVICE	"kvunplug0"
#define NETDEV	"kvdummy0"
#define BYTES	65536
#define LIMIT_S	10

static int run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static bool present(void)
{
	return !access("/sys/class/infiniband/" DEVICE, F_OK);
}

static void nap_ms(long ms)
{
	struct timespec nap = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&nap, NULL);
}

static void plug(const char *prefix)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "%s ip link add " NETDEV " type dummy && %s ip addr add 10.99.0.1/24 dev " NETDEV
		 " && %s ip link set " NETDEV " up && %s rdma link add " DEVICE
		 " type shca netdev " NETDEV, prefix, prefix, prefix, prefix);
	if (run(command))
		tap_bail("set up the device to be unplugged");
	nap_ms(200);
}

/* What the removed device looks like to who had it open; the number of the first surprise. */
static int aftermath(const struct raw *raw, struct raw_qp *qp,
		     const volatile struct shca_doorbell_page *page)
{
	struct raw_cq cq;
	volatile uint8_t *ring = qp->base;
	double end = now() + LIMIT_S;
	uint32_t i;

	while (raw_ring(raw, qp->resp.ib.qpn) != EIO)
		if (now() > end)
			return 2;
	while (raw_create_cq(raw, &cq, 16) != EIO)
		if (now() > end)
			return 3;
	for (i = 0; i < qp->resp.shca.map.size; i += 64) {
		(void)ring[i];
		ring[i] = 1;
	}
	while (page->live)
		if (now() > end)
			return 4;
	return 0;
}

/* Keeps the device busy until it goes. Tells through @ready that it has begun. */
static void busy_program(int ready)
{
	static uint8_t memory[2 * BYTES] __attribute__((aligned(4096)));
	const volatile struct shca_doorbell_page *page;
	struct fixture f;
	struct raw raw;
	struct raw_cq cq;
	struct raw_qp a, b;
	struct shca_cqe cqe;
	uintptr_t at = (uintptr_t)memory;
	uint32_t key;

	setenv("KV_DEV", DEVICE, 1);
	fixture_open(&f);
	raw_open(&raw);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, raw.fd,
		    raw.ctx.shca.doorbell_page.offset);
	key = raw_reg_mr(&raw, memory, sizeof(memory), NULL);
	raw_make_cq(&raw, &cq, 64);
	raw_make_qp(&raw, &a, &cq, 16);
	raw_make_qp(&raw, &b, &cq, 16);
	if (page == MAP_FAILED || !page->live ||
	    raw_connect(&raw, &a, b.resp.ib.qpn, &f.gid, f.gid_index) ||
	    raw_connect(&raw, &b, a.resp.ib.qpn, &f.gid, f.gid_index))
		_exit(10);
	for (;;) {
		raw_post(&a, RAW_WR_RDMA_WRITE, at, key, BYTES, at + BYTES, key);
		if (raw_ring(&raw, a.resp.ib.qpn))
			break;
		if (raw_poll(&cq, &cqe) != IBV_WC_SUCCESS)
			break;
		if (ready >= 0 && write(ready, "", 1) == 1) {
			close(ready);
			ready = -1;
		}
	}
	_exit(aftermath(&raw, &a, page));
}

static pid_t start_program(void)
{
	int pipe_fd[2];
	pid_t child;
	char byte;

	if (pipe(pipe_fd))
		tap_bail("pipe");
	child = fork();
	if (!child) {
		close(pipe_fd[0]);
		busy_program(pipe_fd[1]);
	}
	close(pipe_fd[1]);
	if (read(pipe_fd[0], &byte, 1) != 1)
		tap_bail("the program did not begin");
	close(pipe_fd[0]);
	return child;
}

static void unplug(const char *what, const char *command)
{
	pid_t child = start_program();
	double start;
	int status = 0;

	nap_ms(100);
	start = now();
	tap_is(run(command), 0, "%s succeeds", what);
	while (present() && now() - start < LIMIT_S)
		nap_ms(10);
	tap_ok(!present(), "%s: the device is gone in time", what);
	tap_note("%s took %.2f s", what, now() - start);
	while (!waitpid(child, &status, WNOHANG) && now() - start < 3 * LIMIT_S)
		nap_ms(10);
	tap_ok(WIFEXITED(status), "%s: the program ends by itself", what);
	tap_is(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0,
	       "%s: the program finds EIO, readable rings and a zeroed doorbell page", what);
	kill(child, SIGKILL);
}

int main(void)
{
	pid_t child;

	plug("");
	child = start_program();
	tap_ok(run("rmmod shca 2>/dev/null"),
	       "the module cannot be removed while a program uses it");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);

	unplug("rdma link delete", "rdma link delete " DEVICE);
	run("ip link del " NETDEV);

	plug("");
	unplug("removal of the netdev", "ip link del " NETDEV);

	if (!run("ip netns add kvunplug")) {
		plug("ip netns exec kvunplug");
		unplug("end of the network namespace", "ip netns del kvunplug");
	} else {
		tap_skip("no network namespaces here");
	}
	return tap_end();
}
