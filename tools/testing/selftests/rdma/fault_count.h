/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How many objects and devices there are, as netlink counts them: what a call that failed must
 * not have changed.
 */
#ifndef SELFTEST_FAULT_COUNT_H
#define SELFTEST_FAULT_COUNT_H

#include "fixture.h"
#include "res_count.h"

#define LINK		"kvfault0"
#define NETDEV		"kvfault"

static struct fixture f;
static struct nldev nl;
static uint32_t dev_index;

static void add_device(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	const char *name = "";
	uint32_t index = 0;
	uint32_t *found = arg;

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME)
			name = mnl_attr_get_str(attr);
	}
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

/* All objects of the device that netlink counts, and all devices. */
static uint64_t objects(void)
{
	uint32_t found[2];
	uint64_t sum = 0;

	nldev_begin(&nl, RDMA_NLDEV_CMD_RES_GET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	if (nldev_send(&nl, res_add_summary, &sum) || list_devices(found))
		tap_bail("resource summary");
	return sum + found[0];
}

#endif
