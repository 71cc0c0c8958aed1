// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * sysfs.c - small text attributes.
 *
 * Programs and librdmacm read device attributes through ibv_read_sysfs_file(); inside, query.c
 * reads P_Keys that way, because the uAPI has no command for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shim.h"

static char sysfs_path[IBV_SYSFS_PATH_MAX];
static pthread_once_t sysfs_once = PTHREAD_ONCE_INIT;

/* A program with raised rights does not let its caller choose what it reads. */
static void find_sysfs(void)
{
	const char *env = secure_getenv("SYSFS_PATH");
	size_t len;

	snprintf(sysfs_path, sizeof(sysfs_path), "%s", env && env[0] ? env : "/sys");
	for (len = strlen(sysfs_path); len > 1 && sysfs_path[len - 1] == '/'; len--)
		sysfs_path[len - 1] = '\0';
}

SHIM_EXPORT const char *ibv_get_sysfs_path(void)
{
	pthread_once(&sysfs_once, find_sysfs);
	return sysfs_path;
}

/* Bytes read without a newline at the end, or -1 with errno. */
SHIM_EXPORT int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size)
{
	char path[2 * IBV_SYSFS_PATH_MAX];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	len = read(fd, buf, size);
	close(fd);
	if (len <= 0)
		return (int)len;
	if (buf[len - 1] == '\n')
		buf[--len] = '\0';
	else if ((size_t)len < size)
		buf[len] = '\0';
	else
		buf[--len] = '\0';
	return (int)len;
}

int shim_sysfs_read(const char *dir, const char *file, char *buf, size_t size)
{
	int saved = errno;
	int len = ibv_read_sysfs_file(dir, file, buf, size);
	int err = len > 0 ? 0 : len < 0 ? errno : ENODATA;

	errno = saved;
	return err;
}
