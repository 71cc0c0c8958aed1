// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_helpers.c - rates, strings, keys, fork tracking (C082, C285..C291, G063, G146..G148). */
#include <string.h>
#include "fake.h"
#include "tap.h"

static void test_rates(void)
{
	static const enum ibv_rate with_mult[] = {
		IBV_RATE_2_5_GBPS, IBV_RATE_5_GBPS, IBV_RATE_10_GBPS, IBV_RATE_20_GBPS,
		IBV_RATE_28_GBPS, IBV_RATE_30_GBPS, IBV_RATE_40_GBPS, IBV_RATE_50_GBPS,
		IBV_RATE_60_GBPS, IBV_RATE_80_GBPS, IBV_RATE_120_GBPS, IBV_RATE_400_GBPS,
		IBV_RATE_600_GBPS, IBV_RATE_800_GBPS, IBV_RATE_1200_GBPS,
	};
	unsigned int i;

	for (i = 0; i < SHIM_ARRAY_SIZE(with_mult); i++)
		CHECK_EQ(mult_to_ibv_rate(ibv_rate_to_mult(with_mult[i])), with_mult[i]);
	for (i = IBV_RATE_2_5_GBPS; i <= IBV_RATE_1200_GBPS; i++)
		CHECK_EQ(mbps_to_ibv_rate(ibv_rate_to_mbps(i)), i);
	CHECK_EQ(ibv_rate_to_mult(IBV_RATE_5_GBPS), 2);
	CHECK_EQ(ibv_rate_to_mbps(IBV_RATE_5_GBPS), 5000);
	CHECK_EQ(ibv_rate_to_mult(IBV_RATE_100_GBPS), -1);
	CHECK_EQ(ibv_rate_to_mult(IBV_RATE_MAX), -1);
	CHECK_EQ(ibv_rate_to_mbps(99), -1);
	CHECK_EQ(mult_to_ibv_rate(-1), IBV_RATE_MAX);
	CHECK_EQ(mult_to_ibv_rate(3), IBV_RATE_MAX);
	CHECK_EQ(mbps_to_ibv_rate(4999), IBV_RATE_MAX);
}

static void test_strings(void)
{
	int a, b;

	for (a = IBV_EVENT_CQ_ERR; a <= IBV_EVENT_WQ_FATAL; a++)
		for (b = 0; b < a; b++)
			CHECK(strcmp(ibv_event_type_str(a), ibv_event_type_str(b)));
	for (a = IBV_PORT_NOP; a <= IBV_PORT_ACTIVE_DEFER; a++)
		for (b = 0; b < a; b++)
			CHECK(strcmp(ibv_port_state_str(a), ibv_port_state_str(b)));
	for (a = IBV_NODE_CA; a <= IBV_NODE_UNSPECIFIED; a++)
		for (b = IBV_NODE_UNKNOWN; b < a; b++)
			CHECK(strcmp(ibv_node_type_str(a), ibv_node_type_str(b)) || !b || a == b);
	for (a = -1; a <= 100; a++) {
		CHECK(ibv_wc_status_str(a) && ibv_wc_status_str(a)[0]);
		CHECK(ibv_event_type_str(a) && ibv_node_type_str(a) && ibv_port_state_str(a));
	}
}

static void test_keys(void)
{
	CHECK_EQ(ibv_inc_rkey(0x12345600), 0x12345601);
	CHECK_EQ(ibv_inc_rkey(0x123456ff), 0x12345600);
	CHECK_EQ(ibv_inc_rkey(0xffffffff), 0xffffff00);
}

/* Overlapping ranges keep a page out of fork until the last one goes; nothing is left over. */
static void test_fork(void)
{
	char *base = (char *)0x10000000;
	unsigned int i, seed = 1;
	struct { uint32_t at, len; } r[64];

	CHECK_EQ(ibv_fork_init(), 0);
	if (ibv_is_fork_initialized() != IBV_FORK_ENABLED) {
		printf("# the kernel copies pinned pages: nothing to track\n");
		return;
	}
	fake.dontfork = fake.dofork = 0;
	CHECK_EQ(shim_fork_exclude(base + 100, 4096), 0);	/* pages 0 and 1 */
	CHECK_EQ(shim_fork_exclude(base + 4096, 8192), 0);	/* pages 1 and 2 */
	CHECK_EQ(shim_fork_include(base + 100, 4096), 0);
	CHECK_EQ(fake.dofork, 1);
	CHECK_EQ(shim_fork_include(base + 4096, 8192), 0);
	CHECK_EQ(fake.dofork, 3);
	fake.dofork = 0;
	for (i = 0; i < 64; i++) {
		seed = seed * 1103515245 + 12345;
		r[i].at = (seed >> 8) % 100;
		r[i].len = 1 + (seed >> 16) % 20;
		CHECK_EQ(shim_fork_exclude(base + r[i].at * 4096, r[i].len * 4096), 0);
	}
	for (i = 0; i < 64; i++)
		CHECK_EQ(shim_fork_include(base + r[i].at * 4096, r[i].len * 4096), 0);
	/* Each page that was covered is given back exactly once. */
	{
		uint8_t covered[128] = { 0 };
		unsigned int pages = 0, p;

		for (i = 0; i < 64; i++)
			memset(covered + r[i].at, 1, r[i].len);
		for (p = 0; p < 128; p++)
			pages += covered[p];
		CHECK_EQ(fake.dofork, pages);
	}
}

static const struct tap_test tests[] = {
	{ "rates", test_rates },
	{ "words for enums", test_strings },
	{ "keys of windows", test_keys },
	{ "pages kept out of fork", test_fork },
};

TAP_MAIN(tests)
