/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The uverbs character device without a library: both doors, with nothing checked on the way, for
 * tests that send what no library would. Results are 0 or an errno.
 */
#ifndef SELFTEST_UVERBS_RAW_H
#define SELFTEST_UVERBS_RAW_H

#include <dirent.h>
#include <fcntl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/shca-abi.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tap.h"

#define UVERBS_RAW_ATTRS	16
#define UVERBS_RAW_DRIVERS	64	/* those of enum rdma_driver_id, and some more */
#define UVERBS_RAW_WRITE_BYTES	1024

/* An ioctl() under construction: whoever wants to be wrong writes into its members. */
struct uverbs_raw {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[UVERBS_RAW_ATTRS];
};

/* Which driver a file belongs to: each ioctl() names it. */
static uint32_t uverbs_raw_driver_id;

static int uverbs_raw_fd_of(const char *ibdev)
{
	static const char dir[] = "/sys/class/infiniband_verbs";
	char path[512], name[64];
	struct dirent *entry;
	DIR *d = opendir(dir);
	int fd = -1;
	FILE *f;

	while (d && fd < 0 && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s/ibdev", dir, entry->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%63s", name) == 1 && (!ibdev || !strcmp(name, ibdev))) {
			snprintf(path, sizeof(path), "/dev/infiniband/%s", entry->d_name);
			fd = open(path, O_RDWR | O_CLOEXEC);
		}
		fclose(f);
	}
	if (d)
		closedir(d);
	return fd;
}

/* A wrong driver is EINVAL, a method that nobody has with the right one EPROTONOSUPPORT. */
static bool uverbs_raw_is_driver(int fd, uint32_t id)
{
	struct ib_uverbs_ioctl_hdr hdr = {
		.length = sizeof(hdr), .object_id = 0x0fff, .driver_id = id,
	};

	return ioctl(fd, RDMA_VERBS_IOCTL, &hdr) && errno == EPROTONOSUPPORT;
}

/* For ioctl()s on a file that somebody else opened. */
static void uverbs_raw_driver_id_of(int fd)
{
	uint32_t id;

	for (id = 0; id < UVERBS_RAW_DRIVERS; id++)
		if (uverbs_raw_is_driver(fd, id))
			uverbs_raw_driver_id = id;
	if (uverbs_raw_is_driver(fd, SHCA_DRIVER_ID))
		uverbs_raw_driver_id = SHCA_DRIVER_ID;
}

__attribute__((unused))
static int uverbs_raw_open(void)
{
	const char *ibdev = getenv("KV_DEV");
	int fd = uverbs_raw_fd_of(ibdev);

	if (fd < 0)
		tap_bail("cannot open the uverbs device of %s", ibdev ? ibdev : "(first)");
	uverbs_raw_driver_id_of(fd);
	return fd;
}

static void uverbs_raw_start(struct uverbs_raw *raw, uint16_t object, uint16_t method)
{
	memset(raw, 0, sizeof(*raw));
	raw->hdr.object_id = object;
	raw->hdr.method_id = method;
	raw->hdr.driver_id = uverbs_raw_driver_id;
}

/* Adds one attribute and returns it; data is a value or an address, as len has it. */
static struct ib_uverbs_attr *uverbs_raw_add(struct uverbs_raw *raw, uint16_t id, uint16_t len,
					     uint64_t data)
{
	struct ib_uverbs_attr *attr = &raw->attrs[raw->hdr.num_attrs++];

	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->data = data;
	return attr;
}

static int uverbs_raw_go(int fd, struct uverbs_raw *raw)
{
	raw->hdr.length = sizeof(raw->hdr) + raw->hdr.num_attrs * sizeof(raw->attrs[0]);
	return ioctl(fd, RDMA_VERBS_IOCTL, &raw->hdr) ? errno : 0;
}

/* A write command through write(): legacy when command has no EXTENDED flag. */
__attribute__((unused))
static int uverbs_raw_write(int fd, uint32_t command, const void *req, size_t in, size_t out)
{
	uint8_t buffer[UVERBS_RAW_WRITE_BYTES] = { 0 };
	struct ib_uverbs_cmd_hdr *hdr = (void *)buffer;
	size_t bytes = sizeof(*hdr) + in;

	hdr->command = command;
	hdr->in_words = bytes / 4;
	hdr->out_words = out / 4;
	memcpy(hdr + 1, req, in);
	return write(fd, buffer, bytes) == (ssize_t)bytes ? 0 : errno;
}

/* The same command through ioctl(): resp may be NULL. */
__attribute__((unused))
static int uverbs_raw_invoke(int fd, uint32_t command, const void *req, size_t in, void *resp,
			     size_t out)
{
	struct uverbs_raw raw;
	uint64_t data = (uintptr_t)req;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	uverbs_raw_add(&raw, UVERBS_ATTR_WRITE_CMD, 8, command);
	if (in <= sizeof(data))
		memcpy(&data, req, in);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_IN, in, data);
	if (out)
		uverbs_raw_add(&raw, UVERBS_ATTR_CORE_OUT, out, (uintptr_t)resp);
	return uverbs_raw_go(fd, &raw);
}

/*
 * Some drivers insist on telling something of their own with a context or a PD, others refuse to be
 * asked: the first answer says which.
 */
static int uverbs_raw_go_either(int fd, struct uverbs_raw *raw)
{
	static uint8_t driver_out[256];
	int ret = uverbs_raw_go(fd, raw);

	if (ret != EINVAL)
		return ret;
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, sizeof(driver_out), (uintptr_t)driver_out);
	return uverbs_raw_go(fd, raw);
}

#include "uverbs_raw_begin.h"

#endif
