// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what a handle is good for: only in the file that got it, only as the kind of object it
 * names; an object in use cannot be destroyed and keeps working; of several threads that destroy
 * one object exactly one succeeds; handles come back; a closed file leaves nothing.
 * Contract: C011.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "fixture.h"
#include "uverbs_raw.h"

#define RACERS	4
#define ROUNDS	500

static struct fixture f;

static int destroy_pd(int fd, uint32_t handle)
{
	return uverbs_raw_destroy(fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, handle);
}

static void test_foreign(void)
{
	uint32_t mine, theirs;
	int other = uverbs_raw_begin(&theirs), third = uverbs_raw_open();
	struct ibv_pd *pd = ibv_alloc_pd(f.ctx);

	/* One more object, so that a number exists here that does not exist there. */
	tap_is(destroy_pd(other, pd->handle + 1000), ENOENT, "a number that exists nowhere");
	mine = f.mr->handle;
	tap_is(uverbs_raw_destroy(other, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mine),
	       mine == theirs ? EINVAL : ENOENT, "a handle of another file");
	tap_is(destroy_pd(third, theirs), ENOENT, "any handle in a file without context");
	tap_is(ibv_dealloc_pd(pd), 0, "its owner can destroy it");
	tap_is(destroy_pd(other, theirs), 0, "and the other file its own");
	close(third);
	close(other);
}

static void test_kinds(void)
{
	static const struct { uint16_t object, method; const char *what; } as[] = {
		{ UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, "MR" },
		{ UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, "AH" },
		{ UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, "MW" },
	};
	struct ibv_pd *pd = ibv_alloc_pd(f.ctx);
	struct uverbs_raw raw;
	uint64_t room = 0;
	int ret;
	size_t i;

	for (i = 0; i < sizeof(as) / sizeof(as[0]); i++) {
		ret = uverbs_raw_destroy(f.ctx->cmd_fd, as[i].object, as[i].method, pd->handle);
		/* A device without such objects has no method for them either. */
		tap_ok(ret == EINVAL || ret == EPROTONOSUPPORT, "a PD destroyed as %s: %s",
		       as[i].what, strerror(ret));
	}
	uverbs_raw_start(&raw, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_CQ_HANDLE, 0, pd->handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_CQ_RESP, 8, (uintptr_t)&room);
	tap_is(uverbs_raw_go(f.ctx->cmd_fd, &raw), EINVAL, "a PD destroyed as CQ");
	tap_is(ibv_dealloc_pd(pd), 0, "it is unharmed");
}

static void test_busy(void)
{
	struct ibv_mr *mr;

	tap_is(destroy_pd(f.ctx->cmd_fd, f.pd->handle), EBUSY, "a PD with a region");
	tap_is(ibv_dealloc_pd(f.pd), EBUSY, "a PD with a region, through the other door");
	mr = ibv_reg_mr(f.pd, f.buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	tap_ok(mr, "it goes on working");
	if (mr)
		tap_is(ibv_dereg_mr(mr), 0, "and so does what is made of it");
}

static void test_reuse(void)
{
	uint32_t handle, highest = 0;
	int fd = uverbs_raw_begin(&handle), i;

	for (i = 0; i < 2000; i++) {
		if (destroy_pd(fd, handle) || uverbs_raw_alloc_pd(fd, &handle))
			tap_bail("PD");
		if (handle > highest)
			highest = handle;
	}
	tap_ok(highest < 100, "2000 objects one after the other take few handles (%u)", highest);
	close(fd);
}

struct race {
	pthread_barrier_t start;
	int fd;
	uint32_t handle;
	int ret[RACERS];
};

struct racer {
	struct race *race;
	int number;
};

static void *racer(void *arg)
{
	struct racer *r = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&r->race->start);
		r->race->ret[r->number] = destroy_pd(r->race->fd, r->race->handle);
		pthread_barrier_wait(&r->race->start);
	}
	return NULL;
}

static void test_race(void)
{
	struct race race = { 0 };
	struct racer racers[RACERS];
	pthread_t threads[RACERS];
	int i, k, winners = 0, strange = 0;

	pthread_barrier_init(&race.start, NULL, RACERS + 1);
	race.fd = uverbs_raw_begin(&race.handle);
	for (k = 0; k < RACERS; k++) {
		racers[k] = (struct racer) { &race, k };
		pthread_create(&threads[k], NULL, racer, &racers[k]);
	}
	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&race.start);
		pthread_barrier_wait(&race.start);
		for (k = 0; k < RACERS; k++) {
			winners += race.ret[k] == 0;
			strange += race.ret[k] && race.ret[k] != EBUSY && race.ret[k] != ENOENT;
		}
		if (uverbs_raw_alloc_pd(race.fd, &race.handle))
			tap_bail("alloc PD");
	}
	for (k = 0; k < RACERS; k++)
		pthread_join(threads[k], NULL);
	tap_is(winners, ROUNDS, "%d times %d threads destroy one PD: one of them each time",
	       ROUNDS, RACERS);
	tap_is(strange, 0, "the others are told EBUSY or ENOENT");
	close(race.fd);
}

/* Objects whose order of creation is not the order they must go in, left to close(). */
static void test_close(void)
{
	struct ibv_context *ctx = fixture_open_device();
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, channel, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { 4, 4, 1, 1, 0 },
	};
	int fd = dup(channel->fd);
	uint64_t handle;

	tap_ok(channel && pd && cq && ibv_create_qp(pd, &init) &&
	       ibv_reg_mr(pd, f.buf, 4096, 0), "channel, PD, CQ, QP and region");
	/* The library would object, so the file goes without it; its event fd stays. */
	tap_is(close(ctx->cmd_fd), 0, "the file is closed under all of them");
	close(channel->fd);
	tap_ok(fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && read(fd, &handle, 8) < 0,
	       "its completion channel outlives it and has no event");
	close(fd);
}

static void test_killed(void)
{
	uint32_t handle;
	int i, status, fd;
	pid_t child;

	for (i = 0; i < 20; i++) {
		child = fork();
		if (!child) {
			fd = uverbs_raw_begin(&handle);
			for (;;)
				if (uverbs_raw_alloc_pd(fd, &handle))
					_exit(2);
		}
		usleep(20000 + 1000 * i);
		kill(child, SIGKILL);
		if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
			tap_bail("child");
	}
	tap_ok(true, "20 processes killed while they create objects");
}

int main(void)
{
	fixture_open(&f);
	test_foreign();
	test_kinds();
	test_busy();
	test_reuse();
	test_race();
	test_close();
	test_killed();
	fixture_close(&f);
	return tap_end();
}
