// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * discover.c - asks the kernel, over rdma netlink, which devices exist.
 *
 * Called by device.c for each list and by fork.c once.  A device belongs to the list when its
 * uverbs character device says our driver id and our ABI version; sysfs supplies the node type
 * and the paths that programs like to see.  Whether the device node can be opened is found out
 * by ibv_open_device(), so that one bad node does not hide the others.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include <rdma/shca-abi.h>
#include "shim.h"

/* Devices looked at in one listing; far above what a host can hold. */
#define MAX_DEVICES 4096

/* What one netlink answer says; strings point into the answer. */
struct answer {
	uint32_t index;
	const char *name;
	uint64_t node_guid;
	uint8_t node_type;
	const char *cdev_name;
	uint64_t cdev;
	uint64_t abi;
	uint32_t driver_id;
	uint8_t copy_on_fork;
	unsigned int seen;	/* SEEN_* */
};

enum {
	SEEN_INDEX	= 1 << 0,
	SEEN_NAME	= 1 << 1,
	SEEN_CDEV	= 1 << 2,
	SEEN_CDEV_NAME	= 1 << 3,
	SEEN_ABI	= 1 << 4,
	SEEN_DRIVER	= 1 << 5,
	SEEN_COPY_ON_FORK = 1 << 6,
	SEEN_NODE_TYPE	= 1 << 7,
};

struct listing {
	struct shim_device **devices;
	int count;
	int err;
};

static uint64_t number(const struct nlattr *attr)
{
	switch (mnl_attr_get_payload_len(attr)) {
	case sizeof(uint64_t):
		return mnl_attr_get_u64(attr);
	case sizeof(uint32_t):
		return mnl_attr_get_u32(attr);
	case sizeof(uint8_t):
		return mnl_attr_get_u8(attr);
	default:
		return 0;
	}
}

static const char *text(const struct nlattr *attr)
{
	return mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0 ? NULL : mnl_attr_get_str(attr);
}

static int take_attr(const struct nlattr *attr, void *data)
{
	struct answer *a = data;

	switch (mnl_attr_get_type(attr)) {
	case RDMA_NLDEV_ATTR_DEV_INDEX:
		a->index = (uint32_t)number(attr);
		a->seen |= SEEN_INDEX;
		break;
	case RDMA_NLDEV_ATTR_DEV_NAME:
		a->name = text(attr);
		a->seen |= a->name ? SEEN_NAME : 0;
		break;
	case RDMA_NLDEV_ATTR_NODE_GUID:
		a->node_guid = number(attr);
		break;
	case RDMA_NLDEV_ATTR_DEV_NODE_TYPE:
		a->node_type = (uint8_t)number(attr);
		a->seen |= SEEN_NODE_TYPE;
		break;
	case RDMA_NLDEV_ATTR_CHARDEV:
		a->cdev = number(attr);
		a->seen |= SEEN_CDEV;
		break;
	case RDMA_NLDEV_ATTR_CHARDEV_NAME:
		a->cdev_name = text(attr);
		a->seen |= a->cdev_name ? SEEN_CDEV_NAME : 0;
		break;
	case RDMA_NLDEV_ATTR_CHARDEV_ABI:
		a->abi = number(attr);
		a->seen |= SEEN_ABI;
		break;
	case RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID:
		a->driver_id = (uint32_t)number(attr);
		a->seen |= SEEN_DRIVER;
		break;
	case RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK:
		a->copy_on_fork = (uint8_t)number(attr);
		a->seen |= SEEN_COPY_ON_FORK;
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

/*
 * Do the lengths of the messages stay within the datagram? libmnl compares them as signed numbers,
 * so one of 2 GiB and more passes there.
 */
static bool lengths_fit(const char *buf, size_t len)
{
	struct nlmsghdr head;
	size_t step;

	for (; len >= sizeof(head); buf += step, len -= step) {
		memcpy(&head, buf, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > len)
			return false;
		step = MNL_ALIGN((size_t)head.nlmsg_len);
		if (step >= len)
			return true;
	}
	return true;
}

/* One question and its answers; 0 or an errno value. Each answer goes to take. */
static int ask(struct mnl_socket *nl, struct nlmsghdr *msg, mnl_cb_t take, void *data)
{
	char buf[16384];
	static unsigned int last_seq;
	unsigned int port = mnl_socket_get_portid(nl);
	ssize_t len;
	int rc;

	msg->nlmsg_seq = __atomic_add_fetch(&last_seq, 1, __ATOMIC_RELAXED);
	if (mnl_socket_sendto(nl, msg, msg->nlmsg_len) < 0)
		return errno;
	do {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len <= 0)
			return len ? errno : EIO;
		if (!lengths_fit(buf, (size_t)len))
			return EBADMSG;
		rc = mnl_cb_run(buf, (size_t)len, msg->nlmsg_seq, port, take, data);
	} while (rc > MNL_CB_STOP);
	return rc < 0 ? errno : 0;
}

static struct nlmsghdr *question(char *buf, uint16_t op, uint16_t flags)
{
	struct nlmsghdr *msg = mnl_nlmsg_put_header(buf);

	msg->nlmsg_type = (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op);
	msg->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	return msg;
}

static struct mnl_socket *open_netlink(void)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_RDMA, SOCK_CLOEXEC);

	if (nl && mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0) {
		mnl_socket_close(nl);
		nl = NULL;
	}
	return nl;
}

static int keep_device(const struct nlmsghdr *msg, void *data)
{
	struct answer a = { .index = 0 };
	struct listing *list = data;
	struct shim_device *dev;

	mnl_attr_parse(msg, 0, take_attr, &a);
	if ((a.seen & (SEEN_INDEX | SEEN_NAME)) != (SEEN_INDEX | SEEN_NAME))
		return MNL_CB_OK;
	if (list->count >= MAX_DEVICES)
		return MNL_CB_OK;
	dev = calloc(1, sizeof(*dev));
	if (!dev) {
		list->err = ENOMEM;
		return MNL_CB_OK;
	}
	dev->refs = 1;
	dev->index = (int)a.index;
	dev->node_guid = (__be64)a.node_guid;
	dev->ibv.node_type = a.seen & SEEN_NODE_TYPE ? a.node_type : IBV_NODE_UNKNOWN;
	snprintf(dev->ibv.name, sizeof(dev->ibv.name), "%s", a.name);
	list->devices[list->count++] = dev;
	return MNL_CB_OK;
}

static void warn(const char *name, const char *why, unsigned long theirs, unsigned long ours)
{
	if (secure_getenv("IBV_SHOW_WARNINGS"))
		fprintf(stderr, "libibverbs: %s left out: its %s is %lu, this library knows %lu\n",
			name, why, theirs, ours);
}

static int take_chardev(const struct nlmsghdr *msg, void *data)
{
	struct answer a = { .index = 0 };
	struct shim_device *dev = data;

	mnl_attr_parse(msg, 0, take_attr, &a);
	if (!(a.seen & SEEN_CDEV_NAME) || !(a.seen & SEEN_DRIVER))
		return MNL_CB_OK;
	if (a.driver_id != SHCA_DRIVER_ID) {
		warn(dev->ibv.name, "driver id", a.driver_id, SHCA_DRIVER_ID);
		return MNL_CB_OK;
	}
	if (!(a.seen & SEEN_ABI) || a.abi != SHCA_ABI_VERSION) {
		warn(dev->ibv.name, "ABI version", a.abi, SHCA_ABI_VERSION);
		return MNL_CB_OK;
	}
	dev->cdev = a.seen & SEEN_CDEV ? (dev_t)a.cdev : 0;
	snprintf(dev->ibv.dev_name, sizeof(dev->ibv.dev_name), "%s", a.cdev_name);
	return MNL_CB_OK;
}

/* Leaves dev_name empty when the device is none of ours. */
static void find_chardev(struct mnl_socket *nl, struct shim_device *dev)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *msg = question(buf, RDMA_NLDEV_CMD_GET_CHARDEV, NLM_F_ACK);

	mnl_attr_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)dev->index);
	mnl_attr_put_strz(msg, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
	if (ask(nl, msg, take_chardev, dev))
		dev->ibv.dev_name[0] = '\0';
}

static __be64 guid_from_sysfs(const char *dir)
{
	unsigned int part[4];
	char line[32];

	if (shim_sysfs_read(dir, "node_guid", line, sizeof(line)) ||
	    sscanf(line, "%4x:%4x:%4x:%4x", &part[0], &part[1], &part[2], &part[3]) != 4)
		return 0;
	return htobe64((uint64_t)part[0] << 48 | (uint64_t)part[1] << 32 |
		       (uint64_t)part[2] << 16 | part[3]);
}

static void describe(struct shim_device *dev)
{
	const char *sysfs = ibv_get_sysfs_path();
	struct ibv_device *ibv = &dev->ibv;
	char line[64];

	if (snprintf(ibv->dev_path, sizeof(ibv->dev_path), "%s/class/infiniband_verbs/%s", sysfs,
		     ibv->dev_name) >= (int)sizeof(ibv->dev_path))
		ibv->dev_path[0] = '\0';
	if (snprintf(ibv->ibdev_path, sizeof(ibv->ibdev_path), "%s/class/infiniband/%s", sysfs,
		     ibv->name) >= (int)sizeof(ibv->ibdev_path))
		ibv->ibdev_path[0] = '\0';
	if ((int)ibv->node_type < IBV_NODE_CA || ibv->node_type > IBV_NODE_UNSPECIFIED) {
		ibv->node_type = IBV_NODE_UNKNOWN;
		if (!shim_sysfs_read(ibv->ibdev_path, "node_type", line, sizeof(line)) &&
		    atoi(line) >= IBV_NODE_CA && atoi(line) <= IBV_NODE_UNSPECIFIED)
			ibv->node_type = atoi(line);
	}
	ibv->transport_type = ibv->node_type == IBV_NODE_UNKNOWN ? IBV_TRANSPORT_UNKNOWN :
								   IBV_TRANSPORT_IB;
	/* The netlink value is a host number, the verbs value is in network order. */
	dev->node_guid = dev->node_guid ? htobe64(dev->node_guid) :
					  guid_from_sysfs(ibv->ibdev_path);
}

/* ENOSYS when the kernel has sysfs, but nothing that serves verbs. */
static int kernel_support(void)
{
	char path[IBV_SYSFS_PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/class", ibv_get_sysfs_path());
	if (access(path, F_OK))
		return 0;
	strcat(path, "/infiniband_verbs");
	return access(path, F_OK) ? ENOSYS : 0;
}

static void keep_ours(struct mnl_socket *nl, struct listing *list)
{
	int i, kept = 0;

	for (i = 0; i < list->count; i++) {
		struct shim_device *dev = list->devices[i];

		find_chardev(nl, dev);
		if (!dev->ibv.dev_name[0]) {
			free(dev);
			continue;
		}
		describe(dev);
		list->devices[kept++] = dev;
	}
	list->devices[kept] = NULL;
	list->count = kept;
}

int shim_discover_devices(struct shim_device ***out, int *count)
{
	struct listing list = { .count = 0 };
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct mnl_socket *nl;
	int err;

	nl = open_netlink();
	if (!nl)
		return errno == EPROTONOSUPPORT ? ENOSYS : errno;
	list.devices = calloc(MAX_DEVICES + 1, sizeof(*list.devices));
	if (!list.devices) {
		mnl_socket_close(nl);
		return ENOMEM;
	}
	err = ask(nl, question(buf, RDMA_NLDEV_CMD_GET, NLM_F_DUMP), keep_device, &list);
	if (!err)
		err = list.err;
	keep_ours(nl, &list);
	mnl_socket_close(nl);
	if (!err && !list.count)
		err = kernel_support();
	if (err) {
		while (list.count)
			free(list.devices[--list.count]);
		free(list.devices);
		return err;
	}
	*out = list.devices;
	*count = list.count;
	return 0;
}

static int take_sys(const struct nlmsghdr *msg, void *data)
{
	struct answer a = { .index = 0 };

	mnl_attr_parse(msg, 0, take_attr, &a);
	*(bool *)data = (a.seen & SEEN_COPY_ON_FORK) && a.copy_on_fork;
	return MNL_CB_OK;
}

/* Does the kernel copy pinned pages at fork, so that nothing has to be excluded? */
bool shim_discover_copy_on_fork(void)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct mnl_socket *nl = open_netlink();
	bool copies = false;

	if (!nl)
		return false;
	if (ask(nl, question(buf, RDMA_NLDEV_CMD_SYS_GET, NLM_F_ACK), take_sys, &copies))
		copies = false;
	mnl_socket_close(nl);
	return copies;
}
