// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_fork.c - fork support on a kernel that does not copy pinned pages: what ibv_fork_init()
 * and the variables switch on, what it costs, which pages stay out of a fork and for how long
 * (C012, C019, C022..C027, G062, G063), and the codes of a re-registration that has to do with it
 * (C070..C081, G055).
 *
 * The state is the process's, so each test runs in a child with the variables it needs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fake.h"
#include "tap.h"

#define PAGE	4096
#define HUGE	(2048 * 1024)

static _Alignas(PAGE) char buf[16 * PAGE];
static struct fake_context *fc;

/* /proc/self/smaps as a process with huge pages sees it: linked over fopen(). */
static bool huge_listing;
static unsigned int listings;
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	static char text[256];

	if (strcmp(path, "/proc/self/smaps"))
		return __real_fopen(path, mode);
	listings++;
	if (!huge_listing)
		return __real_fopen(path, mode);
	snprintf(text, sizeof(text), "%lx-%lx rw-p 0 00:00 0 /huge\nKernelPageSize:     2048 kB\n",
		 0ul, ~0ul >> 1);
	return fmemopen(text, strlen(text), "r");
}

bool __wrap_shim_discover_copy_on_fork(void);
bool __wrap_shim_discover_copy_on_fork(void)
{
	return false;
}

static struct ibv_mr *reg(void *addr, size_t length)
{
	return ibv_reg_mr_iova2(&fc->pd.ibv, addr, length, (uintptr_t)addr,
				IBV_ACCESS_LOCAL_WRITE);
}

/* Runs one step in a child; what it checks comes back as the exit status. */
static bool child(void (*step)(void), const char *name, const char *value)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		unsetenv("RDMAV_FORK_SAFE");
		unsetenv("IBV_FORK_SAFE");
		unsetenv("RDMAV_HUGEPAGES_SAFE");
		if (name)
			setenv(name, value, 1);
		fc = fake_open();
		step();
		fflush(stdout);
		_exit(tap_failed);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

static void step_off(void)
{
	struct ibv_mr *mr;

	shim_fork_init_from_env();
	CHECK_EQ(ibv_is_fork_initialized(), IBV_FORK_DISABLED);
	mr = reg(buf, PAGE);
	CHECK(mr);
	CHECK_EQ(fake.madvises, 0);
	CHECK_EQ(ibv_fork_init(), EINVAL);
	ibv_dereg_mr(mr);
}

static void step_on(void)
{
	struct ibv_mr *mr, *more;
	unsigned int before;

	CHECK_EQ(ibv_fork_init(), 0);
	CHECK_EQ(ibv_fork_init(), 0);
	CHECK_EQ(ibv_is_fork_initialized(), IBV_FORK_ENABLED);
	before = fake.madvises;
	fake.dontfork = fake.dofork = 0;
	mr = reg(buf + 10, PAGE);
	CHECK_EQ(fake.madvises - before, 1);
	CHECK_EQ(fake.dontfork, 2);
	more = reg(buf + PAGE, PAGE);
	CHECK(more);
	ibv_dereg_mr(mr);
	/* The second page belongs to the other region still. */
	CHECK_EQ(fake.dofork, 1);
	ibv_dereg_mr(more);
	CHECK_EQ(fake.dofork, 2);
	CHECK_EQ(listings, 0);
}

static void step_env(void)
{
	shim_fork_init_from_env();
	CHECK_EQ(ibv_is_fork_initialized(), IBV_FORK_ENABLED);
}

static void step_env_zero(void)
{
	shim_fork_init_from_env();
	CHECK_EQ(ibv_is_fork_initialized(), IBV_FORK_DISABLED);
}

static void step_huge(void)
{
	struct ibv_mr *mr;

	huge_listing = true;
	CHECK_EQ(ibv_fork_init(), 0);
	fake.dontfork = 0;
	mr = reg(buf, PAGE);
	CHECK(mr);
	CHECK_EQ(listings, 1);
	CHECK(fake.dontfork == HUGE / PAGE || fake.dontfork == 2 * HUGE / PAGE);
	ibv_dereg_mr(mr);
	CHECK_EQ(fake.dofork, 1 + fake.dontfork);	/* one was the probe's */
}

static void step_no_madvise(void)
{
	fake.dontfork_err = EINVAL;
	CHECK_EQ(ibv_fork_init(), ENOSYS);
	CHECK_EQ(ibv_is_fork_initialized(), IBV_FORK_DISABLED);
}

/* The codes say what the region is worth now, and which fork state is wrong. */
static void step_rereg(void)
{
	const int move = IBV_REREG_MR_CHANGE_TRANSLATION;
	struct ibv_mr *mr;

	CHECK_EQ(ibv_fork_init(), 0);
	mr = reg(buf, PAGE);
	CHECK(mr);
	fake.dontfork_err = ENOMEM;
	CHECK_EQ(ibv_rereg_mr(mr, move, NULL, buf + 4 * PAGE, PAGE, 0),
		 (unsigned long long)IBV_REREG_MR_ERR_DONT_FORK_NEW);
	CHECK(mr->addr == buf);
	fake.dontfork_err = 0;
	fake.err = EIO;
	CHECK_EQ(ibv_rereg_mr(mr, move, NULL, buf + 4 * PAGE, PAGE, 0),
		 (unsigned long long)IBV_REREG_MR_ERR_CMD);
	fake.dofork_err = ENOMEM;
	CHECK_EQ(ibv_rereg_mr(mr, move, NULL, buf + 4 * PAGE, PAGE, 0),
		 (unsigned long long)IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW);
	fake.err = 0;
	CHECK_EQ(ibv_rereg_mr(mr, move, NULL, buf + 4 * PAGE, PAGE, 0),
		 (unsigned long long)IBV_REREG_MR_ERR_DO_FORK_OLD);
	CHECK(mr->addr == buf + 4 * PAGE && mr->length == PAGE);
	fake.dofork_err = 0;
	CHECK_EQ(ibv_rereg_mr(mr, move, NULL, NULL, PAGE, 0),
		 (unsigned long long)IBV_REREG_MR_ERR_INPUT);
	CHECK_EQ(ibv_dereg_mr(mr), 0);
}

static void test_init(void)
{
	CHECK(child(step_off, NULL, NULL));
	CHECK(child(step_on, NULL, NULL));
	CHECK(child(step_no_madvise, NULL, NULL));
}

static void test_variables(void)
{
	CHECK(child(step_env, "RDMAV_FORK_SAFE", "1"));
	CHECK(child(step_env, "IBV_FORK_SAFE", "1"));
	CHECK(child(step_env_zero, "RDMAV_FORK_SAFE", "0"));
	CHECK(child(step_env_zero, "IBV_FORK_SAFE", "0"));
}

static void test_huge(void)
{
	CHECK(child(step_huge, "RDMAV_HUGEPAGES_SAFE", "0"));
}

static void test_rereg(void)
{
	CHECK(child(step_rereg, NULL, NULL));
}

static const struct tap_test tests[] = {
	{ "one call per registration, pages counted, too late is too late", test_init },
	{ "the variables do the same, zero does not", test_variables },
	{ "huge pages are found in the listing of mappings", test_huge },
	{ "codes of a re-registration", test_rereg },
};

TAP_MAIN(tests)
