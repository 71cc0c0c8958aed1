/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What this process has pinned, and what it may: tests of RLIMIT_MEMLOCK stand on it.
 */
#ifndef SELFTEST_MEMLOCK_H
#define SELFTEST_MEMLOCK_H

#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"

/* VmPin of this process in KiB, -1 when the kernel does not say. */
static long pinned_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmPin: %ld", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib;
}

__attribute__((unused))
static void drop_ipc_lock(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &head, caps))
		tap_bail("capget");
	caps[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &head, caps))
		tap_bail("capset");
}

__attribute__((unused))
static void limit_memlock(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		tap_bail("setrlimit");
}

#endif
