// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows whose pages are pinned when the process that registered them forks or turns into another
 * program: a region is charged to the address space that registered it and to no other, the child
 * starts with nothing charged and a limit of its own, and a region that outlives its address space
 * gives its pages and its charge back when it goes (the file was passed through exec).
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "memlock.h"

#define KIB		1024l
#define REGION_BYTES	(256 * KIB)
#define REGION_KIB	256
#define WAIT_MS		2000

static struct fixture f;
static char *self;

/* Pages that are pinned in the whole machine, with what each CPU has not yet reported. */
static long pinned_pages(void)
{
	int refresh = open("/proc/sys/vm/stat_refresh", O_WRONLY);
	long value, taken = 0, given = 0;
	char name[64];
	FILE *vmstat;

	if (refresh < 0 || write(refresh, "1", 1) != 1)
		tap_bail("stat_refresh");
	close(refresh);
	vmstat = fopen("/proc/vmstat", "r");

	while (vmstat && fscanf(vmstat, "%63s %ld", name, &value) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired"))
			taken = value;
		if (!strcmp(name, "nr_foll_pin_released"))
			given = value;
	}
	if (vmstat)
		fclose(vmstat);
	return taken - given;
}

/* What ends with a file may end a moment after the process. */
static bool unpinned_since(long before)
{
	int waited;

	for (waited = 0; pinned_pages() > before && waited < WAIT_MS; waited++)
		usleep(1000);
	return pinned_pages() <= before;
}

static char *map(void)
{
	char *at = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED)
		tap_bail("mmap");
	memset(at, 1, REGION_BYTES);
	return at;
}

/* 0 or the errno of registering that much in a file of this process's own. */
static int try_reg(long bytes)
{
	struct ibv_context *ctx = fixture_open_device();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_mr *mr;
	int ret;

	if (!pd)
		tap_bail("alloc PD");
	errno = 0;
	mr = ibv_reg_mr(pd, map(), bytes, IBV_ACCESS_LOCAL_WRITE);
	ret = mr ? 0 : errno;
	if (mr)
		ibv_dereg_mr(mr);
	ibv_dealloc_pd(pd);
	ibv_close_device(ctx);
	return ret;
}

/* Runs fn() in a child: its value. */
static int in_child(int (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(fn());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		tap_bail("child");
	return WEXITSTATUS(status);
}

static int child_pinned(void)
{
	return pinned_kib() != 0;
}

/* The parent's region uses up the limit; the child's own address space has all of it. */
static int child_limit(void)
{
	drop_ipc_lock();
	limit_memlock(REGION_BYTES);
	return try_reg(REGION_BYTES);
}

static int child_over_limit(void)
{
	drop_ipc_lock();
	limit_memlock(REGION_BYTES - 4 * KIB);
	return try_reg(REGION_BYTES);
}

static void test_fork(void)
{
	long before = pinned_kib();
	struct ibv_mr *mr = ibv_reg_mr(f.pd, map(), REGION_BYTES, IBV_ACCESS_LOCAL_WRITE);

	if (!mr)
		tap_bail("register");
	tap_is(pinned_kib() - before, REGION_KIB, "a region is charged to who registered it");
	tap_is(in_child(child_pinned), 0, "a forked child has nothing charged");
	tap_is(in_child(child_limit), 0, "and may register as much as its limit says");
	tap_is(in_child(child_over_limit), ENOMEM, "but no more");
	tap_is(pinned_kib() - before, REGION_KIB, "its end changes nothing for the parent");
	tap_is(ibv_dereg_mr(mr), 0, "deregistration");
	tap_is(pinned_kib(), before, "gives the charge back");
}

/* The region goes in an address space that did not register it: the file's last user is a child. */
static void test_closed_by_child(void)
{
	long before = pinned_pages();
	int pipes[2], status;
	pid_t pid, child;

	if (pipe(pipes))
		tap_bail("pipe");
	pid = fork();
	if (!pid) {
		struct ibv_context *ctx = fixture_open_device();
		struct ibv_pd *pd = ibv_alloc_pd(ctx);
		char word;

		if (!pd || !ibv_reg_mr(pd, map(), REGION_BYTES, IBV_ACCESS_LOCAL_WRITE))
			_exit(1);
		child = fork();
		if (!child) {
			close(pipes[1]);
			_exit(read(pipes[0], &word, 1) < 0 || pinned_kib() != 0);
		}
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		tap_bail("a process that registers and ends");
	tap_ok(pinned_pages() - before >= REGION_KIB / 4,
	       "pages stay pinned while a child has the file");
	close(pipes[0]);
	close(pipes[1]);
	tap_ok(unpinned_since(before), "and go with the child");
}

/* The other program: nothing is charged to it, also when the region goes. */
static int after_exec(const char *fd)
{
	long before = pinned_kib();

	if (before || close(atoi(fd)))
		return 1;
	return pinned_kib() == 0 ? 0 : 2;
}

static void exec_with(bool keep_file)
{
	struct ibv_context *ctx = fixture_open_device();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	char fd[16];

	if (!pd || !ibv_reg_mr(pd, map(), REGION_BYTES, IBV_ACCESS_LOCAL_WRITE))
		_exit(3);
	snprintf(fd, sizeof(fd), "%d", ctx->cmd_fd);
	if (keep_file && fcntl(ctx->cmd_fd, F_SETFD, 0))
		_exit(4);
	execl(self, self, keep_file ? fd : "none", NULL);
	_exit(5);
}

static void test_exec(bool keep_file, const char *what)
{
	long before = pinned_pages();
	pid_t pid = fork();
	int status;

	if (!pid)
		exec_with(keep_file);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		tap_bail("child");
	tap_is(status, 0, "exec, %s: nothing is charged to the new program", what);
	tap_ok(unpinned_since(before), "exec, %s: no page is left pinned", what);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return strcmp(argv[1], "none") ? after_exec(argv[1]) : pinned_kib() != 0;
	self = argv[0];
	fixture_open(&f);
	test_fork();
	test_closed_by_child();
	test_exec(false, "the file closed by it");
	test_exec(true, "the file kept");
	fixture_close(&f);
	return tap_end();
}
