/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Failures made to order: the n-th thing in this thread's system calls that can fail (slab or page
 * allocation, copy from or to user memory, pinning of user memory) does so. Only the calls that
 * reach RDMA are counted: ioctl(), mmap(), read(), write() and close() of descriptors, open() of a
 * device, messages to netlink. They are defined here in front of libc's, so that whatever library
 * makes them is covered.
 *
 * Needs a kernel with fault injection; failures_ready() says so.
 */
#ifndef SELFTEST_FAULT_NTH_H
#define SELFTEST_FAULT_NTH_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fault_knob.h"
#include "fault_seen.h"
#include "invoke_write.h"
#include "tap.h"

static unsigned int failures_until;	/* the n-th from now fails; 0: none */
static bool failure_armed;
static bool failure_by_write;		/* what can go through write() goes there */
static unsigned long failure_writes;	/* how many did */

/* The n-th possible failure from here on happens. */
static void failure_arm(unsigned int n)
{
	failures_until = n;
	failure_armed = true;
}

/* True when it has happened. */
static bool failure_disarm(void)
{
	failure_armed = false;
	return !failures_until;
}

static void failure_set(unsigned int n)
{
	char text[16];
	int bytes = snprintf(text, sizeof(text), "%u", n);

	/* Reading the number is a copy from user memory, too: what is left may hit it. */
	if (syscall(SYS_pwrite64, failure_fd, text, bytes, 0) < 0 && n)
		tap_bail("fail-nth");
}

/* What is left. The answer is itself a copy to user memory, which the last one hits. */
static unsigned int failure_left(void)
{
	char text[16] = "";

	if (syscall(SYS_pread64, failure_fd, text, sizeof(text) - 1, 0) < 0)
		return 1;
	return strtoul(text, NULL, 10);
}

/* A system call that may be hit. */
static long failure_syscall(long number, const long arg[6])
{
	bool armed = failure_armed && failures_until;
	long ret;
	int err;

	if (armed)
		failure_set(failures_until);
	ret = syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	err = errno;
	if (armed) {
		failures_until = failure_left();
		failure_set(0);
	}
	errno = err;
	return ret;
}

#define FAILURE_SYSCALL(number, ...) failure_syscall(number, (const long[6]){ __VA_ARGS__ })

static int failure_write(int fd, const struct ib_uverbs_ioctl_hdr *hdr)
{
	static struct invoke_write w;
	long ret;

	if (!invoke_write_make(&w, hdr))
		tap_bail("a command that does not fit into write()");
	failure_writes++;
	if (failure_armed)
		seen_note(SEEN_BY_WRITE, invoke_write_find(hdr, UVERBS_ATTR_WRITE_CMD)->data);
	ret = FAILURE_SYSCALL(SYS_write, fd, (long)w.data, w.bytes);
	if (ret < 0)
		return -1;
	invoke_write_answer(&w);
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	long arg;

	va_start(args, request);
	arg = va_arg(args, long);
	va_end(args);
	if (failure_by_write && request == RDMA_VERBS_IOCTL && invoke_write_is((void *)arg))
		return failure_write(fd, (void *)arg);
	if (failure_armed && request == RDMA_VERBS_IOCTL)
		seen_ioctl((void *)arg);
	return FAILURE_SYSCALL(SYS_ioctl, fd, request, arg);
}

ssize_t read(int fd, void *data, size_t bytes)
{
	return FAILURE_SYSCALL(SYS_read, fd, (long)data, bytes);
}

ssize_t write(int fd, const void *data, size_t bytes)
{
	return FAILURE_SYSCALL(SYS_write, fd, (long)data, bytes);
}

int close(int fd)
{
	return FAILURE_SYSCALL(SYS_close, fd);
}

void *mmap(void *addr, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	const long arg[6] = { (long)addr, bytes, prot, flags, fd, offset };

	if (fd < 0)
		return (void *)syscall(SYS_mmap, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	return (void *)failure_syscall(SYS_mmap, arg);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	long mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (strncmp(path, "/dev/infiniband/", 16))
		return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	return FAILURE_SYSCALL(SYS_openat, AT_FDCWD, (long)path, flags, mode);
}

ssize_t sendto(int fd, const void *data, size_t bytes, int flags, const struct sockaddr *addr,
	       socklen_t addr_bytes)
{
	if (failure_armed)
		seen_netlink(data);
	return FAILURE_SYSCALL(SYS_sendto, fd, (long)data, bytes, flags, (long)addr, addr_bytes);
}

#endif
