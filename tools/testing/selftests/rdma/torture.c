// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Programs with several threads each fire random commands at random handles of their own file,
 * so that every two commands meet on one object; meanwhile they are killed, the link goes up and
 * down, addresses come and go, and the device is deleted and made again. Afterwards the device
 * can be deleted in bounded time, and a new one has no objects. Runs on a device of its own.
 *
 * torture [SEED]; $KV_TORTURE_S says how many seconds (6).
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "uverbs_raw.h"

#define LINK		"kvtort0"
#define NETDEV		"kvtort"
#define PROGRAMS	3
#define THREADS		3
#define HANDLES		12	/* few, so that threads meet */
#define OBJECTS		64	/* of one program: what is made beyond is destroyed at once */
#define REGION_BYTES	32768
#define LIMIT_S		30

union request {
	struct ib_uverbs_alloc_pd pd;
	struct ib_uverbs_dealloc_pd dealloc_pd;
	struct ib_uverbs_reg_mr mr;
	struct ib_uverbs_rereg_mr rereg_mr;
	struct ib_uverbs_dereg_mr dereg_mr;
	struct ib_uverbs_alloc_mw mw;
	struct ib_uverbs_dealloc_mw dealloc_mw;
	struct ib_uverbs_create_comp_channel channel;
	struct ib_uverbs_create_cq cq;
	struct ib_uverbs_resize_cq resize_cq;
	struct ib_uverbs_destroy_cq destroy_cq;
	struct ib_uverbs_create_srq srq;
	struct {
		struct ib_uverbs_modify_srq core;
		uint64_t room;	/* where rdma_rxe tells of the new queue */
	} modify_srq;
	struct ib_uverbs_destroy_srq destroy_srq;
	struct ib_uverbs_create_qp qp;
	struct ib_uverbs_modify_qp modify_qp;
	struct ib_uverbs_query_qp query_qp;
	struct ib_uverbs_destroy_qp destroy_qp;
	struct ib_uverbs_create_ah ah;
	struct ib_uverbs_destroy_ah destroy_ah;
	struct ib_uverbs_attach_mcast mcast;
	uint64_t response;	/* the first member of all that have an answer */
};

#define COMMAND(command, member) { command, sizeof(((union request *)0)->member) }

/* Creation is as likely as destruction, or everything would soon be gone. */
static const struct { uint32_t command; size_t bytes; } commands[] = {
	COMMAND(IB_USER_VERBS_CMD_ALLOC_PD, pd),
	COMMAND(IB_USER_VERBS_CMD_DEALLOC_PD, dealloc_pd),
	COMMAND(IB_USER_VERBS_CMD_REG_MR, mr),
	COMMAND(IB_USER_VERBS_CMD_REREG_MR, rereg_mr),
	COMMAND(IB_USER_VERBS_CMD_DEREG_MR, dereg_mr),
	COMMAND(IB_USER_VERBS_CMD_ALLOC_MW, mw),
	COMMAND(IB_USER_VERBS_CMD_DEALLOC_MW, dealloc_mw),
	COMMAND(IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, channel),
	COMMAND(IB_USER_VERBS_CMD_CREATE_CQ, cq),
	COMMAND(IB_USER_VERBS_CMD_CREATE_CQ, cq),
	COMMAND(IB_USER_VERBS_CMD_RESIZE_CQ, resize_cq),
	COMMAND(IB_USER_VERBS_CMD_DESTROY_CQ, destroy_cq),
	COMMAND(IB_USER_VERBS_CMD_CREATE_SRQ, srq),
	COMMAND(IB_USER_VERBS_CMD_MODIFY_SRQ, modify_srq),
	COMMAND(IB_USER_VERBS_CMD_DESTROY_SRQ, destroy_srq),
	COMMAND(IB_USER_VERBS_CMD_CREATE_QP, qp),
	COMMAND(IB_USER_VERBS_CMD_CREATE_QP, qp),
	COMMAND(IB_USER_VERBS_CMD_MODIFY_QP, modify_qp),
	COMMAND(IB_USER_VERBS_CMD_MODIFY_QP, modify_qp),
	COMMAND(IB_USER_VERBS_CMD_MODIFY_QP, modify_qp),
	COMMAND(IB_USER_VERBS_CMD_QUERY_QP, query_qp),
	COMMAND(IB_USER_VERBS_CMD_DESTROY_QP, destroy_qp),
	COMMAND(IB_USER_VERBS_CMD_CREATE_AH, ah),
	COMMAND(IB_USER_VERBS_CMD_DESTROY_AH, destroy_ah),
	COMMAND(IB_USER_VERBS_CMD_ATTACH_MCAST, mcast),
	COMMAND(IB_USER_VERBS_CMD_DETACH_MCAST, mcast),
};

/* In memory that all processes share: what got through, so that a test of nothing shows. */
static unsigned long *succeeded;

static char region[REGION_BYTES] __attribute__((aligned(4096)));
static uint64_t room[4];

static uint32_t handle(unsigned int *seed)
{
	return rand_r(seed) % HANDLES;
}

/* GIDs of the device's own address, now and then of nobody. */
static void fill_path(struct ib_uverbs_qp_dest *dest, unsigned int *seed)
{
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 10, 80, 0, 1 };

	memcpy(dest->dgid, mapped, sizeof(mapped));
	dest->dgid[15] += rand_r(seed) % 8 == 0;
	dest->is_global = 1;
	dest->port_num = 1;
	dest->sgid_index = rand_r(seed) % 4;
	dest->hop_limit = 64;
}

/* The four steps of a life of a QP, with all that one of them may want. */
static void fill_modify(struct ib_uverbs_modify_qp *cmd, unsigned int *seed)
{
	static const struct { uint32_t mask; uint8_t state; } steps[] = {
		{ 0x1 | 0x8 | 0x10 | 0x20, 1 },			/* INIT */
		{ 0x1 | 0x80 | 0x100 | 0x1000 | 0x8000 | 0x20000 | 0x100000, 2 },
		{ 0x1 | 0x200 | 0x400 | 0x800 | 0x2000 | 0x10000, 3 },
		{ 0x1, 6 }, { 0x1, 0 }, { 0x1 | 0x10 | 0x20 | 0x40, 1 },
	};
	unsigned int step = rand_r(seed) % (sizeof(steps) / sizeof(steps[0]));

	cmd->attr_mask = steps[step].mask;
	cmd->qp_state = steps[step].state;
	cmd->qp_handle = handle(seed);
	cmd->port_num = 1;
	cmd->path_mtu = 3;
	cmd->qp_access_flags = 0xf;
	cmd->dest_qp_num = rand_r(seed) % 64;
	cmd->max_dest_rd_atomic = 4;
	cmd->max_rd_atomic = 4;
	cmd->min_rnr_timer = 1;
	cmd->timeout = 8;
	cmd->retry_cnt = 3;
	cmd->rnr_retry = 3;
	fill_path(&cmd->dest, seed);
}

static void fill_qp(struct ib_uverbs_create_qp *cmd, unsigned int *seed)
{
	cmd->pd_handle = handle(seed);
	cmd->send_cq_handle = handle(seed);
	cmd->recv_cq_handle = cmd->send_cq_handle;
	cmd->srq_handle = handle(seed);
	cmd->is_srq = rand_r(seed) % 3 == 0;
	cmd->qp_type = 2 + rand_r(seed) % 3;	/* RC, UC, UD */
	cmd->max_send_wr = 8;
	cmd->max_recv_wr = 8;
	cmd->max_send_sge = 1;
	cmd->max_recv_sge = 1;
}

static void fill_mr(struct ib_uverbs_reg_mr *cmd, unsigned int *seed)
{
	cmd->start = (uintptr_t)region + rand_r(seed) % 4096;
	cmd->hca_va = cmd->start;
	cmd->length = rand_r(seed) % (REGION_BYTES - 4096) + 1;
	cmd->pd_handle = handle(seed);
	cmd->access_flags = 0xf;
}

static void fill_modify_srq(struct ib_uverbs_modify_srq *cmd, unsigned int *seed)
{
	cmd->srq_handle = handle(seed);
	cmd->attr_mask = 1 + rand_r(seed) % 3;	/* size, limit, both */
	cmd->max_wr = 16 + rand_r(seed) % 200;
	cmd->srq_limit = 1;
}

/* Members that matter; all else is zero. */
static void fill(union request *req, uint32_t command, unsigned int *seed)
{
	switch (command) {
	case IB_USER_VERBS_CMD_ALLOC_PD:
	case IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL:
		break;
	case IB_USER_VERBS_CMD_REG_MR:
		fill_mr(&req->mr, seed);
		break;
	case IB_USER_VERBS_CMD_REREG_MR:
		req->rereg_mr.mr_handle = handle(seed);
		req->rereg_mr.flags = 1 << rand_r(seed) % 3;
		req->rereg_mr.start = req->rereg_mr.hca_va = (uintptr_t)region;
		req->rereg_mr.length = 4096;
		req->rereg_mr.pd_handle = handle(seed);
		req->rereg_mr.access_flags = 1;
		break;
	case IB_USER_VERBS_CMD_ALLOC_MW:
		req->mw.pd_handle = handle(seed);
		req->mw.mw_type = 2;
		break;
	case IB_USER_VERBS_CMD_CREATE_CQ:
		req->cq.cqe = 16;
		req->cq.comp_channel = -1;
		break;
	case IB_USER_VERBS_CMD_RESIZE_CQ:
		req->resize_cq.cq_handle = handle(seed);
		req->resize_cq.cqe = 16 + rand_r(seed) % 200;
		break;
	case IB_USER_VERBS_CMD_CREATE_SRQ:
		req->srq.pd_handle = handle(seed);
		req->srq.max_wr = 16;
		req->srq.max_sge = 1;
		break;
	case IB_USER_VERBS_CMD_MODIFY_SRQ:
		fill_modify_srq(&req->modify_srq.core, seed);
		req->modify_srq.room = (uintptr_t)room;
		break;
	case IB_USER_VERBS_CMD_CREATE_QP:
		fill_qp(&req->qp, seed);
		break;
	case IB_USER_VERBS_CMD_MODIFY_QP:
		fill_modify(&req->modify_qp, seed);
		break;
	case IB_USER_VERBS_CMD_QUERY_QP:
		req->query_qp.qp_handle = handle(seed);
		req->query_qp.attr_mask = 1;
		break;
	case IB_USER_VERBS_CMD_CREATE_AH:
		req->ah.pd_handle = handle(seed);
		req->ah.attr.is_global = 1;
		req->ah.attr.port_num = 1;
		req->ah.attr.grh.sgid_index = rand_r(seed) % 4;
		memcpy(req->ah.attr.grh.dgid, (uint8_t[16]){ [10] = 0xff, 0xff, 10, 80, 0, 1 }, 16);
		break;
	case IB_USER_VERBS_CMD_ATTACH_MCAST:
	case IB_USER_VERBS_CMD_DETACH_MCAST:
		req->mcast.gid[0] = 0xff;
		req->mcast.gid[1] = 0x0e;
		req->mcast.gid[15] = rand_r(seed) % 3;
		req->mcast.qp_handle = handle(seed);
		break;
	case IB_USER_VERBS_CMD_DESTROY_CQ:
	case IB_USER_VERBS_CMD_DESTROY_SRQ:
	case IB_USER_VERBS_CMD_DESTROY_QP:
		req->destroy_cq.cq_handle = handle(seed);	/* the three are alike */
		break;
	default:
		req->dealloc_pd.pd_handle = handle(seed);	/* no answer, a handle only */
	}
}

static bool answers(uint32_t command)
{
	return command != IB_USER_VERBS_CMD_DEALLOC_PD && command != IB_USER_VERBS_CMD_DEREG_MR &&
	       command != IB_USER_VERBS_CMD_DEALLOC_MW && command != IB_USER_VERBS_CMD_DESTROY_AH &&
	       command != IB_USER_VERBS_CMD_MODIFY_QP &&
	       command != IB_USER_VERBS_CMD_MODIFY_SRQ &&
	       command != IB_USER_VERBS_CMD_ATTACH_MCAST &&
	       command != IB_USER_VERBS_CMD_DETACH_MCAST;
}

static size_t bytes_of(uint32_t command)
{
	unsigned int i;

	for (i = 0; commands[i].command != command; i++)
		;
	return commands[i].bytes;
}

struct program {
	int fd;
	unsigned int seed;
};

/* What makes, and what destroys it; the handle is the first word of the answer of all of them. */
static const struct { uint32_t create, destroy; } lives[] = {
	{ IB_USER_VERBS_CMD_ALLOC_PD, IB_USER_VERBS_CMD_DEALLOC_PD },
	{ IB_USER_VERBS_CMD_REG_MR, IB_USER_VERBS_CMD_DEREG_MR },
	{ IB_USER_VERBS_CMD_ALLOC_MW, IB_USER_VERBS_CMD_DEALLOC_MW },
	{ IB_USER_VERBS_CMD_CREATE_CQ, IB_USER_VERBS_CMD_DESTROY_CQ },
	{ IB_USER_VERBS_CMD_CREATE_SRQ, IB_USER_VERBS_CMD_DESTROY_SRQ },
	{ IB_USER_VERBS_CMD_CREATE_QP, IB_USER_VERBS_CMD_DESTROY_QP },
	{ IB_USER_VERBS_CMD_CREATE_AH, IB_USER_VERBS_CMD_DESTROY_AH },
};

/*
 * Creation is as likely as destruction, but only the lowest handles are fired at: without this, a
 * program holds what its speed allows, and a fast machine runs out of memory.
 */
static void hold_no_more(int fd, uint32_t command, uint32_t number)
{
	uint32_t answer[2];
	union request req;
	unsigned int i;

	if (number < OBJECTS)
		return;
	for (i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		bool answer_wanted = answers(lives[i].destroy);

		if (lives[i].create != command)
			continue;
		memset(&req, 0, sizeof(req));
		if (answer_wanted) {
			req.response = (uintptr_t)answer;
			req.destroy_cq.cq_handle = number;	/* the three are alike */
		} else {
			req.dealloc_pd.pd_handle = number;	/* the others too */
		}
		uverbs_raw_write(fd, lives[i].destroy, &req, bytes_of(lives[i].destroy),
				 answer_wanted ? sizeof(answer) : 0);
	}
}

static void *fire(void *arg)
{
	struct program *program = arg;
	unsigned int seed = __sync_add_and_fetch(&program->seed, 7919);
	uint32_t answer[128];
	union request req;

	for (;;) {
		unsigned int i = rand_r(&seed) % (sizeof(commands) / sizeof(commands[0]));
		bool answer_wanted = answers(commands[i].command);
		int ret;

		memset(&req, 0, sizeof(req));
		fill(&req, commands[i].command, &seed);
		if (answer_wanted)
			req.response = (uintptr_t)answer;
		ret = uverbs_raw_write(program->fd, commands[i].command, &req, commands[i].bytes,
				       answer_wanted ? sizeof(answer) : 0);
		if (ret == EIO)
			return NULL;	/* the device is gone */
		if (ret)
			continue;
		__sync_add_and_fetch(&succeeded[commands[i].command], 1);
		if (commands[i].command == IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL)
			close(answer[0]);
		else
			hold_no_more(program->fd, commands[i].command, answer[0]);
	}
}

/* The kind of device that the run is about: the name of the default one without its number. */
static void kind(char *type, size_t bytes)
{
	const char *dev = getenv("KV_DEV");

	snprintf(type, bytes, "%s", dev ? dev : "shca");
	type[strcspn(type, "0123456789")] = 0;
}

/* rdma_rxe cannot take a device from under its programs: deleting its link waits for their end. */
static bool removable_in_use(void)
{
	char type[32];

	kind(type, sizeof(type));
	return strcmp(type, "rxe") != 0;
}

static void run_program(unsigned int seed)
{
	struct ib_uverbs_get_context get = { 0 };
	struct program program = { .seed = seed };
	uint32_t answer[128];
	pthread_t thread[THREADS];
	int i;

	program.fd = uverbs_raw_fd_of(LINK);
	if (program.fd < 0)
		_exit(0);
	get.response = (uintptr_t)answer;
	if (uverbs_raw_write(program.fd, IB_USER_VERBS_CMD_GET_CONTEXT, &get, sizeof(get),
			     sizeof(answer)))
		_exit(0);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, fire, &program);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

static bool run(const char *command)
{
	return system(command) == 0;
}

static bool plug(void)
{
	char command[128], type[32];

	kind(type, sizeof(type));
	snprintf(command, sizeof(command), "rdma link add " LINK " type %s netdev " NETDEV
		 " 2>/dev/null", type);
	return run(command);
}

static pid_t child[PROGRAMS];

static void end_programs(void)
{
	int i;

	for (i = 0; i < PROGRAMS; i++) {
		if (!child[i])
			continue;
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
		child[i] = 0;
	}
}

/* One misfortune. */
static void disturb(unsigned int *seed)
{
	static const char *const commands[] = {
		"ip link set " NETDEV " down", "ip link set " NETDEV " up",
		"ip link set " NETDEV " up",
		"ip addr add 10.80.0.2/24 dev " NETDEV " 2>/dev/null",
		"ip addr del 10.80.0.2/24 dev " NETDEV " 2>/dev/null",
		"ip addr replace 10.80.0.1/24 dev " NETDEV,
		"rdma resource show >/dev/null", "rdma resource show qp >/dev/null",
	};
	unsigned int what = rand_r(seed) % (sizeof(commands) / sizeof(commands[0]) + 1);

	if (what < sizeof(commands) / sizeof(commands[0])) {
		run(commands[what]);
		return;
	}
	if (!removable_in_use())
		end_programs();
	run("rdma link delete " LINK);
	plug();
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static unsigned long total(void)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < 64; i++)
		sum += succeeded[i];
	return sum;
}

/* What a device has that nobody used: nothing, or what the core's own services hold. */
#define FRESH		"/tmp/torture.fresh"
#define COUNTS		"rdma resource show " LINK " | sed 's/^[0-9]*: //'"

static bool remember_fresh(void)
{
	return run(COUNTS " >" FRESH);
}

static bool nothing_left(void)
{
	return run(COUNTS " | cmp -s - " FRESH);
}

static void torture(unsigned int seed, double seconds)
{
	double end = now() + seconds;
	int i;

	while (now() < end) {
		for (i = 0; i < PROGRAMS; i++) {
			if (child[i] && rand_r(&seed) % 2 == 0)
				kill(child[i], SIGKILL);
			if (child[i] && waitpid(child[i], NULL, WNOHANG) == 0)
				continue;
			rand_r(&seed);
			child[i] = fork();
			if (!child[i])
				run_program(seed + i);
		}
		usleep(rand_r(&seed) % 100000);
		disturb(&seed);
	}
	end_programs();
}

int main(int argc, char **argv)
{
	unsigned int seed = argc > 1 ? strtoul(argv[1], NULL, 0) : (unsigned int)time(NULL);
	const char *seconds = getenv("KV_TORTURE_S");
	double start;

	tap_note("seed %u", seed);
	succeeded = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (succeeded == MAP_FAILED || !run("ip link add " NETDEV " type dummy") ||
	    !run("ip addr add 10.80.0.1/24 dev " NETDEV) || !run("ip link set " NETDEV " up") ||
	    !plug() || !remember_fresh())
		tap_bail("a device of its own");
	torture(seed, seconds ? atof(seconds) : 6);
	tap_ok(total() > 100, "commands got through");
	tap_note("%lu commands, %lu QPs, %lu changes of state", total(),
		 succeeded[IB_USER_VERBS_CMD_CREATE_QP], succeeded[IB_USER_VERBS_CMD_MODIFY_QP]);
	tap_ok(succeeded[IB_USER_VERBS_CMD_CREATE_QP], "QPs were among what was made");
	start = now();
	run("rdma link show " LINK "/1 >/dev/null 2>&1 && rdma link delete " LINK);
	tap_ok(now() - start < LIMIT_S, "the device can be deleted within %d s", LIMIT_S);
	tap_ok(plug(), "and made again");
	tap_ok(nothing_left(), "with nothing left in it");
	tap_ok(run("rdma link delete " LINK), "and deleted");
	tap_ok(run("ip link delete " NETDEV), "and its netdev, too");
	return tap_end();
}
