/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How many objects there are, as netlink counts them: what must not change, or must come back.
 */
#ifndef SELFTEST_RES_COUNT_H
#define SELFTEST_RES_COUNT_H

#include "nldev_raw.h"

/* Adds what one device's summary counts, of all kinds, to the uint64_t at @arg. */
static void res_add_summary(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr, *entry, *member;
	uint64_t *sum = arg;

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) != RDMA_NLDEV_ATTR_RES_SUMMARY)
			continue;
		mnl_attr_for_each_nested(entry, attr)
			mnl_attr_for_each_nested(member, entry)
				if (mnl_attr_get_type(member) ==
				    RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR)
					*sum += mnl_attr_get_u64(member);
	}
}

/* All objects of all devices. */
__attribute__((unused))
static uint64_t res_objects(struct nldev *nl)
{
	uint64_t sum = 0;

	nldev_begin(nl, RDMA_NLDEV_CMD_RES_GET, NLM_F_DUMP);
	if (nldev_send(nl, res_add_summary, &sum))
		tap_bail("resource summary");
	return sum;
}

#endif
