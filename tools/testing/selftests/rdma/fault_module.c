// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Loading and unloading our modules, with the n-th thing that can fail in it made to fail, for all
 * n (of many, a sample) until it gets through without. Each load that reports an error leaves no
 * module behind, and the same load succeeds at once when nothing is in its way.
 *
 * Needs a guest without a driver; the core's modules are unloaded and loaded again.
 */
#include <sys/syscall.h>
#include <time.h>

#include "fixture.h"
#include "fault_nth.h"

#define MAX_FAILURES	20000
#define EACH_UNTIL	24

static const char *const modules[] = { "ib_core", "ib_uverbs", "shca" };

static bool loaded(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return !access(path, F_OK);
}

static int unload(const char *name)
{
	struct timespec nap = { .tv_nsec = 100000000 };
	int tries;

	/* A reference that a worker drops soon is no fault. */
	for (tries = 0; tries < 50; tries++) {
		if (!syscall(SYS_delete_module, name, O_NONBLOCK))
			return 0;
		if (errno != EAGAIN && errno != EBUSY)
			break;
		nanosleep(&nap, NULL);
	}
	return errno;
}

static int load(const char *name)
{
	char path[512];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s/%s.ko", getenv("KV_BUILD"), getenv("KV_KREL"), name);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	ret = FAILURE_SYSCALL(SYS_finit_module, fd, (long)"", 0) ? errno : 0;
	syscall(SYS_close, fd);
	return ret;
}

/* False: nothing was hit any more. */
static bool step(const char *name, unsigned int n, unsigned int *wrong)
{
	bool hit;
	int ret;

	failure_arm(n);
	ret = load(name);
	hit = failure_disarm();
	if (ret && (!hit || loaded(name))) {
		tap_note("%s, failure %u: errno %d, and the module is %s", name, n, ret,
			 loaded(name) ? "there" : "not there");
		++*wrong;
	}
	if (ret && load(name)) {
		tap_note("%s: cannot be loaded after failure %u: errno %d", name, n, errno);
		++*wrong;
		return false;
	}
	ret = unload(name);
	if (ret) {
		tap_note("%s: cannot be unloaded after failure %u: errno %d", name, n, ret);
		++*wrong;
		return false;
	}
	return hit;
}

static void sweep(const char *name)
{
	unsigned int n, tried = 0, wrong = 0;

	for (n = 1; n < MAX_FAILURES && wrong < 3; n += n < EACH_UNTIL ? 1 : 1 + n / 8, tried++)
		if (!step(name, n, &wrong))
			break;
	tap_ok(!wrong && n < MAX_FAILURES, "load %s: %u failures", name, tried);
	tap_ok(!load(name), "and %s can be loaded", name);
}

int main(void)
{
	const char *core = getenv("KV_CORE"), *driver = getenv("KV_DRIVER");
	unsigned int i;

	if (!failures_ready()) {
		printf("1..0 # SKIP this kernel has no fault injection\n");
		return 0;
	}
	if (!core || strcmp(core, "ours") || !driver || strcmp(driver, "none")) {
		printf("1..0 # SKIP only where our core is loaded and no driver\n");
		return 0;
	}
	for (i = sizeof(modules) / sizeof(modules[0]); i-- > 0;)
		if (loaded(modules[i]) && unload(modules[i]))
			tap_bail("%s cannot be unloaded", modules[i]);
	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		sweep(modules[i]);
	if (unload("shca"))
		tap_ok(false, "the driver can be unloaded");
	return tap_end();
}
