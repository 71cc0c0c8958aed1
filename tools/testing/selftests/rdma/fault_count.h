/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a call that failed must not have changed: how many objects and devices there are, as netlink
 * counts them, how many descriptors this process has, and how much of its memory is pinned.
 */
#ifndef SELFTEST_FAULT_COUNT_H
#define SELFTEST_FAULT_COUNT_H

#include <dirent.h>

#include "fixture.h"
#include "memlock.h"
#include "res_count.h"

#define LINK		"kvfault0"
#define NETDEV		"kvfault"

static struct fixture f;
static struct nldev nl;
static uint32_t dev_index;

/* Looks for a device by its name. */
struct named {
	const char *name;
	uint32_t index;
};

static const char *name_and_index(const struct nlmsghdr *nlh, uint32_t *index)
{
	const struct nlattr *attr;
	const char *name = "";

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
			*index = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME)
			name = mnl_attr_get_str(attr);
	}
	return name;
}

__attribute__((unused))
static void find_named(const struct nlmsghdr *nlh, void *arg)
{
	struct named *want = arg;
	uint32_t index = 0;

	if (!strcmp(name_and_index(nlh, &index), want->name))
		want->index = index;
}

static void add_device(const struct nlmsghdr *nlh, void *arg)
{
	uint32_t index = 0;
	const char *name = name_and_index(nlh, &index);
	uint32_t *found = arg;

	if (!strcmp(name, LINK))
		found[1] = index + 1;
	if (!strcmp(name, ibv_get_device_name(f.ctx->device)))
		dev_index = index;
	found[0]++;
}

/* How many devices there are, and, one higher, the index of LINK. */
static int list_devices(uint32_t found[2])
{
	memset(found, 0, 2 * sizeof(*found));
	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	return nldev_send(&nl, add_device, found);
}

struct count {
	uint64_t objects;	/* of the device, and devices */
	unsigned int descriptors;
	long pinned_kib;
};

static unsigned int count_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (d && readdir(d))
		n++;
	if (!d || closedir(d))
		tap_bail("/proc/self/fd");
	return n;
}

static struct count count_all(void)
{
	struct count c = { .descriptors = count_descriptors(), .pinned_kib = pinned_kib() };
	uint32_t found[2];

	if (c.pinned_kib < 0)
		tap_bail("/proc/self/status");
	nldev_begin(&nl, RDMA_NLDEV_CMD_RES_GET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	if (nldev_send(&nl, res_add_summary, &c.objects) || list_devices(found))
		tap_bail("resource summary");
	c.objects += found[0];
	return c;
}

static bool count_same(const struct count *a, const struct count *b)
{
	return a->objects == b->objects && a->descriptors == b->descriptors &&
	       a->pinned_kib == b->pinned_kib;
}

static void count_note(const char *when, const struct count *c)
{
	tap_note("%s: %llu objects, %u descriptors, %ld KiB pinned", when,
		 (unsigned long long)c->objects, c->descriptors, c->pinned_kib);
}

#endif
