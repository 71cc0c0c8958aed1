// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_kill.c - programs killed at any instant (creating, connecting, in traffic, destroying) leave
 * nothing behind: `rdma resource` shows what it showed before, and others still work.
 */
#include <signal.h>
#include <sys/wait.h>

#include "fixture.h"

#include <unistd.h>

#define PROGRAMS	3
#define ROUNDS		25
#define MAX_LIFE_MS	60

/* Everything that rdma says of the device, but for what names processes. */
static void resources(char *into, size_t bytes)
{
	char command[128];
	size_t got;
	FILE *pipe;

	snprintf(command, sizeof(command), "rdma resource show %s", getenv("KV_DEV") ?: "");
	pipe = popen(command, "r");
	if (!pipe)
		tap_bail("rdma resource");
	got = fread(into, 1, bytes - 1, pipe);
	into[got] = 0;
	pclose(pipe);
}

/* Makes, uses and unmakes everything, until the end comes from outside. */
static void restless(void)
{
	struct ibv_wc wc;
	struct fixture f;

	for (;;) {
		struct ibv_comp_channel *channel;
		struct ibv_qp *a, *b;
		struct ibv_cq *cq;
		int i;

		fixture_open(&f);
		channel = ibv_create_comp_channel(f.ctx);
		cq = ibv_create_cq(f.ctx, 64, NULL, channel, 0);
		if (!cq)
			_exit(1);
		a = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
		b = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
		fixture_connect(&f, a, b->qp_num);
		fixture_connect(&f, b, a->qp_num);
		for (i = 0; i < 20; i++) {
			fixture_post_recv(&f, b, i);
			fixture_post_send(&f, a, i, IBV_SEND_SIGNALED);
			fixture_wait_wc(cq, &wc);
			fixture_wait_wc(cq, &wc);
		}
		/* Left in flight: receives, and a send that finds none. */
		fixture_post_recv(&f, a, 1);
		fixture_post_send(&f, a, 2, 0);
		ibv_destroy_qp(a);
		ibv_destroy_qp(b);
		ibv_destroy_cq(cq);
		ibv_destroy_comp_channel(channel);
		fixture_close(&f);
	}
}

static bool still_works(void)
{
	struct ibv_wc wc[2];
	struct fixture f;
	struct ibv_qp *a, *b;
	struct ibv_cq *cq;
	bool ok;

	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	a = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	b = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	fixture_connect(&f, a, b->qp_num);
	fixture_connect(&f, b, a->qp_num);
	ok = !fixture_post_recv(&f, b, 1) && !fixture_post_send(&f, a, 2, IBV_SEND_SIGNALED) &&
	     fixture_wait_wc(cq, &wc[0]) && fixture_wait_wc(cq, &wc[1]) &&
	     wc[0].status == IBV_WC_SUCCESS && wc[1].status == IBV_WC_SUCCESS;
	ibv_destroy_qp(a);
	ibv_destroy_qp(b);
	ibv_destroy_cq(cq);
	fixture_close(&f);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned int seed = argc > 1 ? strtoul(argv[1], NULL, 0) : (unsigned int)time(NULL);
	char before[4096], after[4096];
	int round, i, status, odd = 0;
	pid_t child[PROGRAMS];

	tap_note("seed %u", seed);
	srand(seed);
	resources(before, sizeof(before));
	for (round = 0; round < ROUNDS; round++) {
		struct timespec life = { .tv_nsec = (rand() % MAX_LIFE_MS + 1) * 1000000L };

		for (i = 0; i < PROGRAMS; i++) {
			child[i] = fork();
			if (!child[i])
				restless();
		}
		nanosleep(&life, NULL);
		for (i = 0; i < PROGRAMS; i++) {
			kill(child[i], SIGKILL);
			waitpid(child[i], &status, 0);
			odd += !WIFSIGNALED(status);
		}
	}
	tap_is(odd, 0, "programs work until they are killed (%d of them)", ROUNDS * PROGRAMS);
	/* The last context may still be on its way out. */
	for (i = 0; i < 100; i++) {
		struct timespec nap = { .tv_nsec = 20000000 };

		resources(after, sizeof(after));
		if (!strcmp(before, after))
			break;
		nanosleep(&nap, NULL);
	}
	if (!tap_ok(!strcmp(before, after), "nothing is left of them"))
		tap_note("before: %s after: %s", before, after);
	tap_ok(still_works(), "and the device works");
	return tap_end();
}
