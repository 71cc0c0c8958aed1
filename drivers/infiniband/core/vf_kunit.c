// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Suite of vf.c: each call reaches the driver with what it was given, or says there is none. */
#include <kunit/test.h>

#include "vf.c"

static int asked_vf;
static u32 asked_port;
static u64 asked_for;

static int note(int vf, u32 port, u64 what)
{
	asked_vf = vf;
	asked_port = port;
	asked_for = what;
	return 40 + vf;
}

static int set_link_state(struct ib_device *dev, int vf, u32 port, int state)
{
	return note(vf, port, state);
}

static int get_config(struct ib_device *dev, int vf, u32 port, struct ifla_vf_info *ivf)
{
	return note(vf, port, (uintptr_t)ivf);
}

static int get_stats(struct ib_device *dev, int vf, u32 port, struct ifla_vf_stats *stats)
{
	return note(vf, port, (uintptr_t)stats);
}

static int set_guid(struct ib_device *dev, int vf, u32 port, u64 guid, int type)
{
	return note(vf, port, guid + type);
}

static int get_guid(struct ib_device *dev, int vf, u32 port, struct ifla_vf_guid *node,
		    struct ifla_vf_guid *of_port)
{
	return note(vf, port, (uintptr_t)node ^ (uintptr_t)of_port);
}

#define EXPECT_CALL(call, vf, port, what) do {				\
		KUNIT_EXPECT_EQ(test, call, 40 + (vf));			\
		KUNIT_EXPECT_EQ(test, asked_vf, vf);			\
		KUNIT_EXPECT_EQ(test, asked_port, (u32)(port));		\
		KUNIT_EXPECT_EQ(test, asked_for, (u64)(what));		\
	} while (0)

static void test_calls(struct kunit *test)
{
	struct ib_device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	struct ifla_vf_guid node, port;
	struct ifla_vf_stats stats;
	struct ifla_vf_info info;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	dev->ops.set_vf_link_state = set_link_state;
	dev->ops.get_vf_config = get_config;
	dev->ops.get_vf_stats = get_stats;
	dev->ops.set_vf_guid = set_guid;
	dev->ops.get_vf_guid = get_guid;
	EXPECT_CALL(ib_set_vf_link_state(dev, 1, 2, 3), 1, 2, 3);
	EXPECT_CALL(ib_get_vf_config(dev, 2, 3, &info), 2, 3, (uintptr_t)&info);
	EXPECT_CALL(ib_get_vf_stats(dev, 3, 4, &stats), 3, 4, (uintptr_t)&stats);
	EXPECT_CALL(ib_set_vf_guid(dev, 4, 5, 1ULL << 60, 7), 4, 5, (1ULL << 60) + 7);
	EXPECT_CALL(ib_get_vf_guid(dev, 5, 6, &node, &port), 5, 6,
		    (uintptr_t)&node ^ (uintptr_t)&port);
}

static void test_none(struct kunit *test)
{
	struct ib_device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_EXPECT_EQ(test, ib_set_vf_link_state(dev, 0, 1, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ib_get_vf_config(dev, 0, 1, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ib_get_vf_stats(dev, 0, 1, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ib_set_vf_guid(dev, 0, 1, 0, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ib_get_vf_guid(dev, 0, 1, NULL, NULL), -EOPNOTSUPP);
}

static struct kunit_case vf_cases[] = {
	KUNIT_CASE(test_calls),
	KUNIT_CASE(test_none),
	{ }
};

static struct kunit_suite vf_suite = {
	.name = "core_vf",
	.test_cases = vf_cases,
};
kunit_test_suite(vf_suite);
