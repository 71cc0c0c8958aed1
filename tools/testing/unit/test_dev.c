// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_dev.c - the life of a device, and what it counts.
 */
#include "pair.h"
#include "tap.h"

/* The last reference ends it, whoever has that. */
static void test_references(void)
{
	struct host host;

	host_init(&host);
	eng_dev_get(&host.dev);
	eng_dev_put(&host.dev);
	CHECK(!host.gone);
	host_fini(&host);
}

/* A QP keeps the device of its peer. */
static void test_peer_keeps(void)
{
	struct host other;
	struct pair p;

	pair_init(&p);
	host_init(&other);
	eng_dev_get(&other.dev);
	eng_qp_modify(p.a.eng, &(struct eng_qp_attr){ .peer = &other.dev }, ENG_QP_PEER);
	eng_dev_put(&other.dev);
	CHECK(!other.gone);
	host_state(&p.a, ENG_QPS_RESET);
	CHECK(other.gone);
	pair_fini(&p);
}

/* Sums go over QPs that are there and those that were. */
static void test_counters(void)
{
	struct host_wr wr;
	struct pair p;
	u64 frames;

	pair_init(&p);
	wr = pair_wr(&p, WR_WRITE, 1, 100);
	host_send(&p.a, &wr);
	host_send(&p.a, &wr);
	frames = eng_dev_counter(&p.host.dev, ENG_CNT_FRAMES);
	CHECK_EQ(frames, 2);
	CHECK_EQ(eng_dev_counter(&p.host.dev, ENG_CNT_BYTES), 200);
	CHECK_EQ(eng_dev_counter(&p.host.dev, ENG_CNT_RX_NO_QP), 0);
	host_qp_fini(&p.a);
	CHECK_EQ(eng_dev_counter(&p.host.dev, ENG_CNT_FRAMES), 2);
	host_qp_fini(&p.b);
	CHECK_EQ(eng_dev_counter(&p.host.dev, ENG_CNT_BYTES), 200);
	host_mr_fini(&p.amr);
	host_mr_fini(&p.bmr);
	host_cq_fini(&p.acq);
	host_cq_fini(&p.bcq);
	host_fini(&p.host);
}

/* Each counter has a name of its own, in the letters that sysfs files have. */
static void test_names(void)
{
	u32 i, k;

	for (i = 0; i < ENG_CNT_COUNT; i++) {
		const char *name = eng_counter_name(i);

		CHECK(name && *name);
		CHECK_EQ(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		for (k = 0; k < i; k++)
			CHECK(strcmp(name, eng_counter_name(k)));
	}
	CHECK(!eng_counter_name(ENG_CNT_COUNT));
}

static const struct tap_test tests[] = {
	{ "references", test_references },
	{ "a peer keeps its device", test_peer_keeps },
	{ "counters", test_counters },
	{ "names of counters", test_names },
};

TAP_MAIN(tests)
