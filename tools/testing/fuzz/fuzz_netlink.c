// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fuzz_netlink.c - answers of the kernel that are not what the library expects.
 *
 * An input is cut into datagrams: headers with the sequence number and port that libmnl checks, so
 * that what follows is really parsed, then attributes made of the input's bytes.  The library's
 * discover.c runs over the real libmnl; only the socket is ours (linked over mnl_socket_*).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include "shim.h"

enum { PORT = 77, DATAGRAMS = 12 };

static const uint8_t *bytes;
static size_t left;
static uint32_t last_seq;
static unsigned int datagrams;

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags);
int __wrap_mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid);
unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *nl);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size);
ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size);
int __wrap_mnl_socket_close(struct mnl_socket *nl);

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags)
{
	static char socket;

	(void)bus;
	(void)flags;
	return (struct mnl_socket *)&socket;
}

int __wrap_mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	(void)groups;
	(void)pid;
	return 0;
}

unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return PORT;
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size)
{
	(void)nl;
	last_seq = ((const struct nlmsghdr *)req)->nlmsg_seq;
	return (ssize_t)size;
}

int __wrap_mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	return 0;
}

static unsigned int take(void)
{
	if (!left)
		return 0;
	left--;
	return *bytes++;
}

/* An attribute of a type that is looked at, of a length that may fit; what is left of the room. */
static size_t put_attr(char *at, size_t room)
{
	static const uint16_t types[] = {
		RDMA_NLDEV_ATTR_DEV_INDEX, RDMA_NLDEV_ATTR_DEV_NAME, RDMA_NLDEV_ATTR_NODE_GUID,
		RDMA_NLDEV_ATTR_DEV_NODE_TYPE, RDMA_NLDEV_ATTR_CHARDEV,
		RDMA_NLDEV_ATTR_CHARDEV_NAME, RDMA_NLDEV_ATTR_CHARDEV_ABI,
		RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 0,
	};
	unsigned int type = types[take() % 10], kind = take(), i;
	uint16_t length = (uint16_t)(kind & 0x80 ? take() : (kind & 15));
	struct nlattr attr = { .nla_type = (uint16_t)type };

	if (room < sizeof(attr) + 256)
		return 0;
	/* Mostly as long as it says. */
	attr.nla_len = (uint16_t)(sizeof(attr) + length + (kind == 0x7f ? take() * 257 : 0));
	if (kind == 0x7e)
		attr.nla_len = (uint16_t)take();
	memcpy(at, &attr, sizeof(attr));
	for (i = 0; i < length; i++)
		at[sizeof(attr) + i] = (char)take();
	return MNL_ALIGN(sizeof(attr) + length);
}

static size_t put_message(char *at, size_t room)
{
	static const uint16_t types[] = {
		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), NLMSG_DONE, NLMSG_ERROR,
		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV), NLMSG_NOOP,
	};
	unsigned int how = take(), attrs = how >> 4;
	struct nlmsghdr head = {
		.nlmsg_type = types[how % 5],
		.nlmsg_flags = NLM_F_MULTI,
		.nlmsg_seq = last_seq,
		.nlmsg_pid = PORT,
	};
	size_t length = sizeof(head), n;

	for (; attrs && left; attrs--, length += n) {
		n = put_attr(at + length, room - length);
		if (!n)
			break;
	}
	head.nlmsg_len = (uint32_t)length;
	if ((how & 15) == 15)
		head.nlmsg_len = take() | take() << 8;
	memcpy(at, &head, sizeof(head));
	return MNL_ALIGN(length);
}

ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	size_t length = 0;
	char *copy;

	(void)nl;
	if (!left || ++datagrams > DATAGRAMS)
		return 0;
	/* In memory of its own first: the library's buffer is larger than what the kernel sent. */
	copy = calloc(1, size);
	if (!copy)
		abort();
	do
		length += put_message(copy + length, size - length);
	while (left && take() & 1 && size - length > 1024);
	memcpy(buf, copy, length);
	free(copy);
	return (ssize_t)length;
}

/* sysfs says what it likes, too. */
const char *ibv_get_sysfs_path(void)
{
	return "/sys-of-nobody";
}

int shim_sysfs_read(const char *dir, const char *file, char *buf, size_t size)
{
	size_t length = take() % size, i;

	(void)dir;
	(void)file;
	for (i = 0; i < length; i++)
		buf[i] = (char)take();
	buf[length] = '\0';
	return (int)take() & 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shim_device **devices;
	int count, i;

	bytes = data;
	left = size;
	datagrams = 0;
	if (!shim_discover_devices(&devices, &count)) {
		for (i = 0; i < count; i++) {
			if (strnlen(devices[i]->ibv.name, IBV_SYSFS_NAME_MAX) ==
			    IBV_SYSFS_NAME_MAX)
				abort();
			free(devices[i]);
		}
		free(devices);
	}
	shim_discover_copy_on_fork();
	return 0;
}
