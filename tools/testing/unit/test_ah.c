// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_ah.c - address handles: whose they are, and when they end.
 */
#include "ah.h"
#include "pair.h"
#include "tap.h"

static void make(struct host *host, struct eng_ah *ah, u32 ahn)
{
	memset(ah, 0, sizeof(*ah));
	ah->dev = &host->dev;
	ah->pd = host->pd;
	ah->ahn = ahn;
}

static void test_lookup(void)
{
	struct eng_ah one, two;
	struct pair p;

	pair_init(&p);
	make(&p.host, &one, 1);
	make(&p.host, &two, 1);
	CHECK_EQ(eng_ah_publish(&one), 0);
	CHECK_EQ(eng_ah_publish(&two), -ENV_EBUSY);
	CHECK(!eng_ah_get(&p.host.dev, p.host.pd, 2));
	CHECK(!eng_ah_get(&p.host.dev, p.host.pd2, 1));
	CHECK(eng_ah_get(&p.host.dev, p.host.pd, 1) == &one);
	eng_ah_put(&one);
	eng_ah_retire(&one);
	CHECK(!eng_ah_get(&p.host.dev, p.host.pd, 1));
	pair_fini(&p);
}

/* A datagram under way keeps its handle, the number is free at once. */
static void test_end(void)
{
	struct eng_ah old, fresh;
	struct pair p;
	u32 idle;

	pair_init(&p);
	idle = host_idle_ahs;
	make(&p.host, &old, 7);
	make(&p.host, &fresh, 7);
	CHECK_EQ(eng_ah_publish(&old), 0);
	CHECK(eng_ah_get(&p.host.dev, p.host.pd, 7) == &old);
	eng_ah_retire(&old);
	CHECK_EQ(host_idle_ahs, idle);
	CHECK_EQ(eng_ah_publish(&fresh), 0);
	CHECK(eng_ah_get(&p.host.dev, p.host.pd, 7) == &fresh);
	eng_ah_put(&old);
	CHECK_EQ(host_idle_ahs, idle + 1);
	eng_ah_put(&fresh);
	eng_ah_retire(&fresh);
	CHECK_EQ(host_idle_ahs, idle + 2);
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "lookup", test_lookup },
	{ "end", test_end },
};

TAP_MAIN(tests)
