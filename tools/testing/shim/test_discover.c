// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_discover.c - the device list against a kernel of the test's own, which answers rdma netlink
 * here instead of the socket (field cases F43 and F46): a device of another driver, of an ABI one
 * higher or lower, or without a character device is left out, the others are not affected; a
 * warning names both versions, when it is asked for; listing again and again costs nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include <rdma/shca-abi.h>
#include "fake.h"
#include "tap.h"

#define MANY	10000

/* A device as the kernel would tell of it. */
struct told {
	const char *name;
	uint32_t driver_id;
	uint64_t abi;
	bool no_chardev;
};

static struct {
	struct told devices[8];
	unsigned int count;
	int open_err;		/* the socket cannot be had */
	int dump_err;		/* the list is refused */
	struct nlmsghdr asked;
	uint32_t asked_index;
	bool answered;
	int sockets;		/* open */
} net;

/* Nobody looks into it. */
static int socket_stands_for;

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	(void)flags;
	if (bus != NETLINK_RDMA || net.open_err) {
		errno = net.open_err ? net.open_err : EINVAL;
		return NULL;
	}
	net.sockets++;
	return (struct mnl_socket *)&socket_stands_for;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	(void)groups;
	(void)pid;
	return 0;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	net.sockets--;
	return 0;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return 77;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t len)
{
	const struct nlmsghdr *msg = req;
	const struct nlattr *attr;

	(void)nl;
	net.asked = *msg;
	net.answered = false;
	net.asked_index = 0;
	mnl_attr_for_each(attr, msg, 0)
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
			net.asked_index = mnl_attr_get_u32(attr);
	return (ssize_t)len;
}

static struct nlmsghdr *answer(char *at, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *msg = mnl_nlmsg_put_header(at);

	msg->nlmsg_type = type;
	msg->nlmsg_flags = flags;
	msg->nlmsg_seq = net.asked.nlmsg_seq;
	msg->nlmsg_pid = 77;
	return msg;
}

static size_t end(char *at, int err)
{
	struct nlmsghdr *msg = answer(at, NLMSG_ERROR, 0);
	struct nlmsgerr *body = mnl_nlmsg_put_extra_header(msg, sizeof(*body));

	body->error = -err;
	body->msg = net.asked;
	return msg->nlmsg_len;
}

static size_t answer_list(char *at)
{
	size_t used = 0;
	unsigned int i;

	if (net.dump_err)
		return end(at, net.dump_err);
	for (i = 0; i < net.count; i++) {
		struct nlmsghdr *msg = answer(at + used, net.asked.nlmsg_type, NLM_F_MULTI);

		mnl_attr_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, i + 1);
		mnl_attr_put_strz(msg, RDMA_NLDEV_ATTR_DEV_NAME, net.devices[i].name);
		mnl_attr_put_u64(msg, RDMA_NLDEV_ATTR_NODE_GUID, 0x0200000000000001ull + i);
		mnl_attr_put_u8(msg, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, IBV_NODE_CA);
		used += NLMSG_ALIGN(msg->nlmsg_len);
	}
	return used + answer(at + used, NLMSG_DONE, NLM_F_MULTI)->nlmsg_len;
}

static size_t answer_chardev(char *at)
{
	const struct told *told = &net.devices[net.asked_index - 1];
	struct nlmsghdr *msg;

	if (net.asked_index < 1 || net.asked_index > net.count || told->no_chardev)
		return end(at, ENODEV);
	msg = answer(at, net.asked.nlmsg_type, 0);
	mnl_attr_put_strz(msg, RDMA_NLDEV_ATTR_CHARDEV_NAME, "uverbs9");
	mnl_attr_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV, 0xe7c0);
	mnl_attr_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV_ABI, told->abi);
	mnl_attr_put_u32(msg, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, told->driver_id);
	return NLMSG_ALIGN(msg->nlmsg_len) + end(at + NLMSG_ALIGN(msg->nlmsg_len), 0);
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t len)
{
	(void)nl;
	if (net.answered || len < 8192) {
		errno = net.answered ? EAGAIN : ENOSPC;
		return -1;
	}
	net.answered = true;
	if (RDMA_NL_GET_OP(net.asked.nlmsg_type) == RDMA_NLDEV_CMD_GET)
		return (ssize_t)answer_list(buf);
	if (RDMA_NL_GET_OP(net.asked.nlmsg_type) == RDMA_NLDEV_CMD_GET_CHARDEV)
		return (ssize_t)answer_chardev(buf);
	return (ssize_t)end(buf, EOPNOTSUPP);
}

static void tell(const struct told *devices, unsigned int count)
{
	memset(&net, 0, sizeof(net));
	memcpy(net.devices, devices, count * sizeof(*devices));
	net.count = count;
}

static const struct told mixed[] = {
	{ "older", SHCA_DRIVER_ID, SHCA_ABI_VERSION - 1, false },
	{ "first", SHCA_DRIVER_ID, SHCA_ABI_VERSION, false },
	{ "newer", SHCA_DRIVER_ID, SHCA_ABI_VERSION + 1, false },
	{ "other", 17, SHCA_ABI_VERSION, false },
	{ "nodev", SHCA_DRIVER_ID, SHCA_ABI_VERSION, true },
	{ "second", SHCA_DRIVER_ID, SHCA_ABI_VERSION, false },
};

static void test_left_out(void)
{
	struct ibv_device **list;
	int count = -1;

	tell(mixed, 6);
	errno = 0;
	list = ibv_get_device_list(&count);
	CHECK(list && count == 2 && list[0] && list[1] && !list[2]);
	CHECK_EQ(errno, 0);
	CHECK(!strcmp(ibv_get_device_name(list[0]), "first"));
	CHECK(!strcmp(ibv_get_device_name(list[1]), "second"));
	CHECK_EQ(ibv_get_device_index(list[1]), 6);
	CHECK(ibv_get_device_guid(list[0]) != 0);
	CHECK(!strcmp(list[0]->dev_name, "uverbs9"));
	ibv_free_device_list(list);
	CHECK_EQ(net.sockets, 0);
}

/* What a listing writes to standard error. */
static size_t warnings(char *text, size_t size)
{
	char name[] = "/tmp/test_discover.XXXXXX";
	int fd = mkstemp(name), saved = dup(2);
	struct ibv_device **list;
	ssize_t len;

	unlink(name);
	dup2(fd, 2);
	list = ibv_get_device_list(NULL);
	dup2(saved, 2);
	close(saved);
	ibv_free_device_list(list);
	len = pread(fd, text, size - 1, 0);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

static void test_warnings(void)
{
	char text[4096], versions[64];

	tell(mixed, 6);
	unsetenv("IBV_SHOW_WARNINGS");
	CHECK_EQ(warnings(text, sizeof(text)), 0);
	setenv("IBV_SHOW_WARNINGS", "1", 1);
	CHECK(warnings(text, sizeof(text)) > 0);
	unsetenv("IBV_SHOW_WARNINGS");
	snprintf(versions, sizeof(versions), "ABI version is %u, this library knows %u",
		 SHCA_ABI_VERSION + 1, SHCA_ABI_VERSION);
	CHECK(strstr(text, "newer") && strstr(text, versions));
	CHECK(strstr(text, "older") && strstr(text, "other"));
	CHECK(!strstr(text, "first") && !strstr(text, "second"));
}

static void test_none(void)
{
	int count = -1;

	tell(mixed, 6);
	net.open_err = EPROTONOSUPPORT;
	CHECK(!ibv_get_device_list(&count) && errno == ENOSYS && count == 0);
	net.open_err = EMFILE;
	CHECK(!ibv_get_device_list(&count) && errno == EMFILE && count == 0);
	net.open_err = 0;
	net.dump_err = EPERM;
	CHECK(!ibv_get_device_list(NULL) && errno == EPERM);
	CHECK_EQ(net.sockets, 0);
}

/* An opened device outlives its list; nothing is left of ten thousand of them (ASan looks). */
static void test_many(void)
{
	struct ibv_device **list;
	int i, count;

	tell(mixed, 6);
	for (i = 0; i < MANY; i++) {
		list = ibv_get_device_list(&count);
		CHECK(list && count == 2);
		ibv_free_device_list(list);
	}
	CHECK_EQ(net.sockets, 0);
	ibv_free_device_list(NULL);
}

static const struct tap_test tests[] = {
	{ "F46: what does not fit is left out, the rest is there", test_left_out },
	{ "F46: warnings name both versions, when asked for", test_warnings },
	{ "F43: no support and no list, with the right errno", test_none },
	{ "F43: ten thousand lists", test_many },
};

TAP_MAIN(tests)
