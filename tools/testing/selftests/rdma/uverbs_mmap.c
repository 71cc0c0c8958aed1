// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that queue memory cannot be mapped in any other way than its owner was told to, and that a
 * mapping is safe to touch whatever happens to the object, the process or the mapping itself
 * (field case F25).
 *
 * What a driver maps is its own affair, so the test lets the library create objects, reads from the
 * process's memory map which parts of the uverbs file got mapped, and goes on from there.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "fixture.h"
#include "uverbs_raw.h"

#define PAGE		4096ul
#define MAX_MAPPINGS	64
#define RACE_ROUNDS	300

struct mapping {
	char *at;
	size_t bytes;
	off_t offset;
	bool writable;
};

static struct fixture f;
static sigjmp_buf fault;

static void on_fault(int signal)
{
	siglongjmp(fault, signal);
}

/* 0 when the byte can be read (and written), else the signal. */
static int touch(volatile char *at, bool writable)
{
	int signal = sigsetjmp(fault, 1);

	if (signal)
		return signal;
	if (writable)
		*at = *at;
	else
		(void)*at;
	return 0;
}

static int mappings(struct mapping *list)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to, offset;
	char line[512], prot[8];
	int n = 0;

	while (maps && n < MAX_MAPPINGS && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/dev/infiniband/uverbs") ||
		    sscanf(line, "%lx-%lx %7s %lx", &from, &to, prot, &offset) != 4)
			continue;
		list[n++] = (struct mapping) { (char *)from, to - from, offset, prot[1] == 'w' };
	}
	if (maps)
		fclose(maps);
	return n;
}

/* The mapping that creating a CQ added; false for drivers that map none. */
static bool cq_mapping(struct ibv_cq **cq, struct mapping *m)
{
	struct mapping before[MAX_MAPPINGS], after[MAX_MAPPINGS];
	int n = mappings(before), k, i, j;

	*cq = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
	if (!*cq)
		tap_bail("create CQ");
	k = mappings(after);
	for (i = 0; i < k; i++) {
		for (j = 0; j < n; j++)
			if (before[j].at == after[i].at && before[j].bytes == after[i].bytes)
				break;
		if (j == n) {
			*m = after[i];
			return true;
		}
	}
	return false;
}

/* errno of a mapping that must not be; one that comes about is removed. */
static int try_map(int fd, size_t bytes, int prot, int flags, off_t offset)
{
	void *at = mmap(NULL, bytes, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return errno;
	munmap(at, bytes);
	return 0;
}

static void test_wrong(const struct mapping *m)
{
	static const off_t far[] = { 1L << 30, 1L << 40, (1L << 50) + 4096, 0x7ffffffffffff000L };
	int fd = f.ctx->cmd_fd, rw = PROT_READ | PROT_WRITE, other, ret;
	size_t i;

	for (i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		ret = try_map(fd, PAGE, rw, MAP_SHARED, far[i]);
		tap_ok(ret == EINVAL || ret == EOVERFLOW, "an offset where nothing is (%#lx): %s",
		       (long)far[i], strerror(ret));
	}
	tap_is(try_map(fd, PAGE, rw, MAP_SHARED, m->offset + 1), EINVAL, "an odd offset");
	tap_is(try_map(fd, m->bytes + PAGE * 1024, rw, MAP_SHARED, m->offset), EINVAL,
	       "more than the object has");
	other = uverbs_raw_open();
	if (uverbs_raw_get_context(other))
		tap_bail("context");
	tap_is(try_map(other, m->bytes, rw, MAP_SHARED, m->offset), EINVAL,
	       "another file's offset");
	close(other);
	ret = try_map(fd, m->bytes, rw, MAP_PRIVATE, m->offset);
	tap_ok(ret == 0 || ret == EINVAL, "a private mapping: %s", strerror(ret));
	ret = try_map(fd, m->bytes, rw | PROT_EXEC, MAP_SHARED, m->offset);
	tap_ok(ret == 0 || ret == EINVAL || ret == EPERM, "an executable mapping: %s",
	       strerror(ret));
	ret = try_map(fd, m->bytes, rw, MAP_SHARED, m->offset);
	tap_ok(ret == 0 || ret == EINVAL, "the same again: %s", strerror(ret));
	tap_is(touch(m->at, m->writable), 0, "the right one is still there");
}

/* The child has the mapping or not, but touching it hurts only the child. */
static void test_fork(const struct mapping *m)
{
	pid_t child = fork();
	int status;

	if (!child) {
		touch(m->at, false);
		munmap(m->at, m->bytes);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		tap_bail("fork");
	tap_ok(WIFEXITED(status), "a child touches and unmaps");
	tap_is(touch(m->at, m->writable), 0, "the parent's mapping does not mind");
}

static void test_reshape(struct mapping *m)
{
	int signal;
	void *at;

	madvise(m->at, m->bytes, MADV_DONTNEED);
	/* What a driver mapped once and for all does not come back: then touching is a signal. */
	signal = touch(m->at, m->writable);
	tap_ok(!signal || signal == SIGBUS, "touching what was thrown away (signal %d)", signal);
	at = mremap(m->at, m->bytes, m->bytes + PAGE, MREMAP_MAYMOVE);
	tap_ok(at == MAP_FAILED, "it cannot grow");
	if (at != MAP_FAILED)
		munmap((char *)at + m->bytes, PAGE);
}

static void test_outlives(struct ibv_cq *cq, const struct mapping *m)
{
	struct ib_uverbs_destroy_cq req = { .cq_handle = cq->handle };
	struct ib_uverbs_destroy_cq_resp resp;
	int signal;

	/* Behind the library's back, which would unmap first. */
	tap_is(uverbs_raw_invoke(f.ctx->cmd_fd, IB_USER_VERBS_CMD_DESTROY_CQ, &req, sizeof(req),
				 &resp, sizeof(resp)), 0, "the CQ goes, its mapping stays");
	signal = touch(m->at, m->writable);
	tap_ok(!signal || signal == SIGBUS, "touching it is safe (signal %d)", signal);
	memset(m->at, 0x5a, m->writable && !signal ? PAGE : 0);
	munmap(m->at, m->bytes);
}

static volatile bool stop;
static off_t raced;

static void *mapper(void *arg)
{
	size_t bytes = (size_t)arg;
	void *at;

	while (!stop) {
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f.ctx->cmd_fd, raced);
		if (at == MAP_FAILED)
			continue;
		touch(at, true);
		munmap(at, bytes);
	}
	return NULL;
}

/* One thread maps whatever is at the place of a CQ that another creates and destroys. */
static void test_race(const struct mapping *m)
{
	pthread_t thread;
	struct ibv_cq *cq;
	int i, made = 0;

	raced = m->offset;
	if (pthread_create(&thread, NULL, mapper, (void *)m->bytes))
		tap_bail("thread");
	for (i = 0; i < RACE_ROUNDS; i++) {
		cq = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
		if (!cq)
			continue;	/* the other thread took its mapping */
		made++;
		ibv_destroy_cq(cq);
	}
	stop = true;
	pthread_join(thread, NULL);
	tap_ok(made > 0, "%d CQs came and went under a thread that maps at their place", made);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault };
	struct mapping m;
	struct ibv_cq *cq;

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	fixture_open(&f);
	uverbs_raw_driver_id_of(f.ctx->cmd_fd);
	if (cq_mapping(&cq, &m)) {
		test_wrong(&m);
		test_fork(&m);
		test_reshape(&m);
		test_outlives(cq, &m);
		test_race(&m);
	} else {
		tap_skip("this driver maps nothing for a CQ");
	}
	/* Mappings are left to the end of the process, and what stands on them with it. */
	return tap_end();
}
