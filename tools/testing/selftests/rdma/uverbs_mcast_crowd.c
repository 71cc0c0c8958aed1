// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Many queue pairs join and leave one group at once: found by torture. rdma_rxe let a QP join a
 * group whose last member was just leaving; that QP could never leave it, and neither the user nor
 * the end of the process could destroy it, nor its CQ and PD.
 */
#include <pthread.h>

#include "fixture.h"

#define CROWD	4
#define ROUNDS	6000	/* each; without its cure one in a thousand failed on two CPUs */

static const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 9 } };

struct member {
	struct ibv_qp *qp;
	int not_in, not_out;
};

static void *come_and_go(void *arg)
{
	struct member *member = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		member->not_in += ibv_attach_mcast(member->qp, &group, 0) != 0;
		member->not_out += ibv_detach_mcast(member->qp, &group, 0) != 0;
	}
	return NULL;
}

int main(void)
{
	struct member crowd[CROWD] = { 0 };
	int i, not_in = 0, not_out = 0, kept = 0;
	pthread_t threads[CROWD];
	struct fixture f;
	struct ibv_cq *cq;

	if (getenv("KV_CORE") && strcmp(getenv("KV_CORE"), "ours")) {
		printf("1..0 # SKIP the stock core is not what is tested\n");
		return 0;
	}
	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	if (!cq)
		tap_bail("create CQ");
	for (i = 0; i < CROWD; i++) {
		crowd[i].qp = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
		if (fixture_qp_to_init(crowd[i].qp) ||
		    pthread_create(&threads[i], NULL, come_and_go, &crowd[i]))
			tap_bail("a member");
	}
	for (i = 0; i < CROWD; i++) {
		pthread_join(threads[i], NULL);
		not_in += crowd[i].not_in;
		not_out += crowd[i].not_out;
		kept += ibv_destroy_qp(crowd[i].qp) != 0;
	}
	tap_is(not_in, 0, "%d QPs join one group %d times each", CROWD, ROUNDS);
	tap_is(not_out, 0, "and leave it as often");
	tap_is(kept, 0, "then each of them can be destroyed");
	tap_is(ibv_destroy_cq(cq), 0, "and their CQ");
	fixture_close(&f);
	return tap_end();
}
