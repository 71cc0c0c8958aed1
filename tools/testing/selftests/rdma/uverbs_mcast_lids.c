// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * One group joined with two LIDs where LIDs mean nothing: found by the fuzzer. The driver knew one
 * membership and uverbs two, the second of which could not be ended, and QP, CQ and PD were kept
 * for ever, also by the end of the process.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "res_count.h"

static struct nldev nl;

static struct ibv_qp *join_twice(struct fixture *f, const union ibv_gid *group)
{
	struct ibv_cq *cq = ibv_create_cq(f->ctx, 4, NULL, NULL, 0);
	struct ibv_qp *qp;

	if (!cq)
		tap_bail("create CQ");
	qp = fixture_qp(f, cq, NULL, IBV_QPT_UD);
	if (fixture_qp_to_init(qp) || ibv_attach_mcast(qp, group, 0) ||
	    ibv_attach_mcast(qp, group, 5))
		tap_bail("attach");
	return qp;
}

static void test_destroy(const union ibv_gid *group)
{
	struct fixture f;
	struct ibv_qp *qp;
	struct ibv_cq *cq;

	fixture_open(&f);
	qp = join_twice(&f, group);
	cq = qp->send_cq;
	tap_ok(!ibv_detach_mcast(qp, group, 0), "a group joined with two LIDs can be left");
	ibv_detach_mcast(qp, group, 5);
	tap_is(ibv_destroy_qp(qp), 0, "then the QP can be destroyed");
	tap_is(ibv_destroy_cq(cq), 0, "and its CQ");
	fixture_close(&f);
}

static void test_exit(const union ibv_gid *group)
{
	uint64_t before = res_objects(&nl);
	struct fixture f;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		fixture_open(&f);
		join_twice(&f, group);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		tap_bail("a process that joins and exits");
	tap_is(res_objects(&nl), before, "a process that ends as a member leaves no object behind");
}

int main(void)
{
	static const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 9 } };
	const char *core = getenv("KV_CORE");

	if (core && strcmp(core, "ours")) {
		printf("1..0 # SKIP the stock core is not what is tested\n");
		return 0;
	}
	nldev_open(&nl);
	test_destroy(&group);
	test_exit(&group);
	return tap_end();
}
