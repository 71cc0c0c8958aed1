// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Many threads resize one CQ, then one SRQ, at once: found by torture. rdma_rxe looks into a queue
 * before it takes its lock, and followed one that another thread had just replaced.
 */
#include <pthread.h>

#include "fixture.h"
#include "uverbs_raw.h"

#define CROWD		4
#define ROUNDS		1500
#define MAX_ENTRIES	4000

static struct fixture f;
static struct ibv_cq *cq;
static struct ibv_srq *srq;

/* Not through the library, which has locks of its own; what the driver answers is ignored. */
static int resize_cq(uint32_t entries)
{
	uint32_t answer[64];
	struct ib_uverbs_resize_cq cmd = {
		.response = (uintptr_t)answer, .cq_handle = cq->handle, .cqe = entries,
	};

	return uverbs_raw_write(f.ctx->cmd_fd, IB_USER_VERBS_CMD_RESIZE_CQ, &cmd, sizeof(cmd),
				sizeof(answer));
}

static int resize_srq(uint32_t entries)
{
	uint64_t room[4];
	struct {
		struct ib_uverbs_modify_srq core;
		uint64_t room;
	} cmd = {
		.core = { .srq_handle = srq->handle, .attr_mask = IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT,
			  .max_wr = entries, .srq_limit = 1 },
		.room = (uintptr_t)room,
	};

	return uverbs_raw_write(f.ctx->cmd_fd, IB_USER_VERBS_CMD_MODIFY_SRQ, &cmd, sizeof(cmd), 0);
}

struct resizer {
	int (*resize)(uint32_t entries);
	unsigned int seed;
	int refused;
};

static void *again_and_again(void *arg)
{
	struct resizer *r = arg;
	int i;

	for (i = 0; i < ROUNDS; i++)
		r->refused += r->resize(1 + rand_r(&r->seed) % MAX_ENTRIES) != 0;
	return NULL;
}

static void test(int (*resize)(uint32_t entries), const char *what)
{
	struct resizer crowd[CROWD] = { 0 };
	pthread_t threads[CROWD];
	int i, refused = 0;

	if (resize(16)) {
		tap_skip("the driver does not resize %ss", what);
		return;
	}
	for (i = 0; i < CROWD; i++) {
		crowd[i].resize = resize;
		crowd[i].seed = i;
		if (pthread_create(&threads[i], NULL, again_and_again, &crowd[i]))
			tap_bail("thread");
	}
	for (i = 0; i < CROWD; i++) {
		pthread_join(threads[i], NULL);
		refused += crowd[i].refused;
	}
	tap_is(refused, 0, "%d threads resize one %s %d times each", CROWD, what, ROUNDS);
}

int main(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };

	if (getenv("KV_CORE") && strcmp(getenv("KV_CORE"), "ours")) {
		printf("1..0 # SKIP the stock core is not what is tested\n");
		return 0;
	}
	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	srq = ibv_create_srq(f.pd, &init);
	if (!cq || !srq)
		tap_bail("CQ and SRQ");
	test(resize_cq, "CQ");
	test(resize_srq, "SRQ");
	/* The library maps queues that are gone: the end of the process does the rest. */
	return tap_end();
}
