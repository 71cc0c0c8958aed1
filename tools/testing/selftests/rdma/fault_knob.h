/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The knobs of fault injection, turned so that whatever can fail does so when asked to, and in
 * silence. fault_nth.h asks.
 */
#ifndef SELFTEST_FAULT_KNOB_H
#define SELFTEST_FAULT_KNOB_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failure_fd = -1;		/* /proc/thread-self/fail-nth */

static bool failure_knob(const char *path, const char *value)
{
	char full[128];
	bool ok;
	int fd;

	snprintf(full, sizeof(full), "/sys/kernel/debug/%s", path);
	fd = syscall(SYS_openat, AT_FDCWD, full, O_WRONLY);
	ok = fd >= 0 && syscall(SYS_write, fd, value, strlen(value)) > 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

/* A function of ours that allows it fails like an allocation. Not there: the stock core. */
__attribute__((unused))
static bool failure_function(const char *name)
{
	char path[96];

	if (!failure_knob("fail_function/inject", name))
		return errno == EINVAL || errno == ENOENT;
	snprintf(path, sizeof(path), "fail_function/%s/retval", name);
	return failure_knob(path, "0xfffffffffffffff4") &&
	       failure_knob("fail_function/verbose", "0");
}

/* False where the kernel cannot do it. Also allocations that may wait fail, and in silence. */
static bool failures_ready(void)
{
	failure_fd = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/fail-nth", O_RDWR);
	if (failure_fd < 0)
		return false;
	return failure_knob("failslab/ignore-gfp-wait", "N") &&
	       failure_knob("failslab/verbose", "0") &&
	       failure_knob("fail_page_alloc/ignore-gfp-wait", "N") &&
	       failure_knob("fail_page_alloc/ignore-gfp-highmem", "N") &&
	       failure_knob("fail_page_alloc/min-order", "0") &&
	       failure_knob("fail_page_alloc/verbose", "0") &&
	       failure_knob("fail_usercopy/verbose", "0");
}

#endif
