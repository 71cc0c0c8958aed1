// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * hold: a program with one object of each kind and traffic between two of its QPs, until it is
 * killed or its device is gone. Prints "ready" when all is there. lifetime.sh takes things away
 * under it.
 *
 *   hold [SECONDS]     ends by itself after that time (60)
 *   hold raw           asks for a QP that takes privileges, and prints the errno
 *   hold qkey          the same with a Q_Key
 *   hold limit         makes PDs until it cannot, and prints how many and the errno
 *   hold crowd N       kills N programs of a crowd, anywhere between their first call and full
 *                      traffic, and prints how many were in traffic
 */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

#define QPS		4
#define SECONDS		60
#define CONTROLLED_QKEY	0x80010000u
#define MANY		1024
#define CROWD		4
#define MAX_NAP_MS	60	/* between two deaths in the crowd */
#define TRAFFIC_S	20	/* until then a program has some, however slow the machine */

static struct fixture f;

static int with_privilege(bool raw)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = FIXTURE_PORT,
				    .qkey = CONTROLLED_QKEY };
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RAW_PACKET,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp;

	if (!cq)
		return errno;
	if (raw) {
		errno = 0;
		return ibv_create_qp(f.pd, &init) ? 0 : errno;
	}
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	if (!qp)
		return errno;
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_QKEY);
}

static int make_pds(void)
{
	int n;

	for (n = 0; n < MANY && ibv_alloc_pd(f.ctx); n++)
		;
	printf("%d PDs, errno %d\n", n, n < MANY ? errno : 0);
	return 0;
}

static struct ibv_qp *make_objects(struct ibv_cq **cq)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_ah_attr ah_attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 64 },
	};
	struct ibv_comp_channel *channel = ibv_create_comp_channel(f.ctx);
	struct ibv_qp *qps[QPS] = { 0 };
	int i;

	*cq = channel ? ibv_create_cq(f.ctx, 128, NULL, channel, 0) : NULL;
	if (!*cq || !ibv_create_srq(f.pd, &srq_init) || !ibv_create_ah(f.pd, &ah_attr))
		tap_bail("objects");
	for (i = 0; i < QPS; i++) {
		qps[i] = fixture_qp(&f, *cq, NULL, IBV_QPT_RC);
		if (!qps[i])
			tap_bail("QP");
		fixture_connect(&f, qps[i], qps[i]->qp_num);
	}
	return qps[0];
}

/* One message after the other; false when the device no longer answers. */
static bool traffic(struct ibv_qp *qp, struct ibv_cq *cq)
{
	struct ibv_wc wc[2];
	int done = 0, n, tries;

	if (fixture_post_recv(&f, qp, 1) || fixture_post_send(&f, qp, 2, IBV_SEND_SIGNALED))
		return false;
	for (tries = 0; done < 2 && tries < 2000; tries++) {
		n = ibv_poll_cq(cq, 2, wc);
		if (n < 0 || (n && wc[0].status))
			return false;
		done += n;
		if (!n)
			usleep(500);
	}
	return done == 2;
}

static bool device_gone(void)
{
	struct pollfd fd = { .fd = f.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	if (poll(&fd, 1, 0) < 1)
		return false;
	if (fd.revents & POLLIN && !ibv_get_async_event(f.ctx, &event)) {
		printf("event %d\n", event.event_type);
		fflush(stdout);
		ibv_ack_async_event(&event);
		return event.event_type == IBV_EVENT_DEVICE_FATAL;
	}
	return fd.revents & (POLLERR | POLLHUP);
}

/* Counts its messages where who kills it can see them. */
static void be_killed(unsigned long *messages)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	fixture_open(&f);
	qp = make_objects(&cq);
	for (;;)
		if (traffic(qp, cq))
			__atomic_add_fetch(messages, 1, __ATOMIC_RELAXED);
}

static pid_t start_one(unsigned long *messages)
{
	pid_t pid;

	*messages = 0;
	pid = fork();
	if (!pid)
		be_killed(messages);
	if (pid < 0)
		tap_bail("fork");
	return pid;
}

static void wait_for_traffic(const unsigned long *messages)
{
	time_t end = time(NULL) + TRAFFIC_S;

	while (!__atomic_load_n(messages, __ATOMIC_RELAXED) && time(NULL) < end)
		usleep(1000);
}

/* Each round one of them dies and another is born; every other one has traffic then. */
static int kill_crowd(int rounds)
{
	unsigned long *messages = mmap(NULL, CROWD * sizeof(*messages), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int seed = time(NULL);
	pid_t pids[CROWD];
	int i, status, busy = 0, other = 0;

	if (messages == MAP_FAILED)
		tap_bail("mmap");
	for (i = 0; i < CROWD; i++)
		pids[i] = start_one(&messages[i]);
	for (; rounds > 0; rounds--) {
		i = rand_r(&seed) % CROWD;
		if (rounds % 2)
			wait_for_traffic(&messages[i]);
		usleep(rand_r(&seed) % (MAX_NAP_MS * 1000));
		kill(pids[i], SIGKILL);
		waitpid(pids[i], &status, 0);
		other += !WIFSIGNALED(status);
		busy += messages[i] != 0;
		pids[i] = start_one(&messages[i]);
	}
	for (i = 0; i < CROWD; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	printf("%d in traffic, %d ended otherwise\n", busy, other);
	return !busy || other;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	time_t end;
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	if (!strcmp(how, "crowd") && argc > 2)
		return kill_crowd(atoi(argv[2]));
	fixture_open(&f);
	if (!strcmp(how, "raw") || !strcmp(how, "qkey")) {
		printf("%d\n", with_privilege(!strcmp(how, "raw")));
		return 0;
	}
	if (!strcmp(how, "limit"))
		return make_pds();
	end = time(NULL) + (atoi(how) ? atoi(how) : SECONDS);
	qp = make_objects(&cq);
	printf("ready\n");
	fflush(stdout);
	while (time(NULL) < end && !device_gone())
		if (!traffic(qp, cq))
			usleep(10000);
	return 0;
}
