// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F22: a context is closed with everything alive in it (regions, queues, a multicast
 * attachment, requests under way, events nobody read), again and again, while another context of
 * the same process goes on. Rings that are still mapped keep the kernel's side of it; when the
 * process has ended the device has no more objects than before. (What is busy and in what order
 * it goes is verbs_lifetime.c's.)
 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define ROUNDS	20

/* The counts that `rdma resource show` has for the device, as it prints them. */
static void resources(char *line, size_t bytes)
{
	const char *device = getenv("KV_DEV");
	char command[128];
	FILE *pipe;

	snprintf(command, sizeof(command), "rdma resource show %s", device ? device : "");
	line[0] = '\0';
	pipe = popen(command, "r");
	if (!pipe || !fgets(line, (int)bytes, pipe))
		tap_bail("rdma resource show");
	pclose(pipe);
}

static void leave_alive(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, [11] = 0xff, 239, 1, 2, 5 } };
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_comp_channel *channel;
	struct ibv_qp *rc, *ud;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct fixture f;

	fixture_open(&f);
	channel = ibv_create_comp_channel(f.ctx);
	cq = ibv_create_cq(f.ctx, 16, NULL, channel, 0);
	srq = ibv_create_srq(f.pd, &init);
	if (!channel || !cq || !srq)
		tap_bail("channel, CQ, SRQ");
	rc = fixture_qp(&f, cq, srq, IBV_QPT_RC);
	ud = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	fixture_connect(&f, rc, rc->qp_num);
	fixture_connect(&f, ud, 0);
	if (ibv_attach_mcast(ud, &group, 0) || ibv_req_notify_cq(cq, 0) ||
	    fixture_post_recv(&f, ud, 1) || fixture_post_send(&f, rc, 2, IBV_SEND_SIGNALED))
		tap_bail("something under way");
	if (ibv_close_device(f.ctx))
		tap_bail("close");
	/* The pages were pinned for the region, which has gone with its context. */
	free(f.buf);
}

static bool message(struct fixture *f, struct ibv_qp *qp, struct ibv_cq *cq)
{
	struct ibv_wc wc;

	return !fixture_post_recv(f, qp, 1) && !fixture_post_send(f, qp, 2, IBV_SEND_SIGNALED) &&
	       fixture_wait_wc(cq, &wc) && !wc.status && fixture_wait_wc(cq, &wc) && !wc.status;
}

/* In a child; the number of rounds in which the context that stays did not work. */
static int rounds(void)
{
	struct fixture f;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int i, bad = 0;

	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	if (!cq)
		tap_bail("CQ");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	fixture_connect(&f, qp, qp->qp_num);
	for (i = 0; i < ROUNDS; i++) {
		leave_alive();
		bad += !message(&f, qp, cq);
	}
	return bad;
}

int main(void)
{
	char before[256], after[256];
	int tries, status = -1;
	pid_t child;

	resources(before, sizeof(before));
	child = fork();
	if (!child)
		_exit(rounds());
	tap_ok(waitpid(child, &status, 0) == child && !status,
	       "%d contexts closed with everything alive, another one goes on", ROUNDS);
	for (tries = 0; tries < 100; tries++) {
		resources(after, sizeof(after));
		if (!strcmp(before, after))
			break;
		usleep(20000);
	}
	if (!tap_ok(!strcmp(before, after), "no object is left when the process has ended"))
		tap_note("before %s# after  %s", before, after);
	return tap_end();
}
