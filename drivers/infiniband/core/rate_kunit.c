// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Suite of rate.c: what is true of all static rates, and a few by hand (IBTA vol. 1, table 224). */
#include <kunit/test.h>

#include "rate.c"

static void test_known(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ib_rate_to_mult(IB_RATE_2_5_GBPS), 1);
	KUNIT_EXPECT_EQ(test, ib_rate_to_mult(IB_RATE_120_GBPS), 48);
	KUNIT_EXPECT_EQ(test, mult_to_ib_rate(4), IB_RATE_10_GBPS);
	KUNIT_EXPECT_EQ(test, ib_rate_to_mbps(IB_RATE_10_GBPS), 10000);
	KUNIT_EXPECT_EQ(test, ib_rate_to_mbps(IB_RATE_14_GBPS), 14062);
	/* 4 lanes of 25.78125 Gb/s. */
	KUNIT_EXPECT_EQ(test, ib_rate_to_mbps(IB_RATE_100_GBPS), 103125);
}

/* Each rate of the user interface has a multiple, which leads to a rate of the same speed. */
static void test_all(struct kunit *test)
{
	int rate, mult, mbps;

	for (rate = IB_RATE_2_5_GBPS; rate <= IB_RATE_600_GBPS; rate++) {
		mult = ib_rate_to_mult(rate);
		mbps = ib_rate_to_mbps(rate);
		KUNIT_EXPECT_GT_MSG(test, mult, 0, "rate %d", rate);
		KUNIT_EXPECT_EQ_MSG(test, ib_rate_to_mult(mult_to_ib_rate(mult)), mult,
				    "rate %d", rate);
		/* The multiple is of the nominal speed, which differs by the encoding. */
		KUNIT_EXPECT_LE_MSG(test, abs(mbps - 2500 * mult), mbps / 14, "rate %d", rate);
	}
}

static void test_none(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ib_rate_to_mult(IB_RATE_PORT_CURRENT), -1);
	KUNIT_EXPECT_EQ(test, ib_rate_to_mbps(IB_RATE_PORT_CURRENT), -1);
	KUNIT_EXPECT_EQ(test, ib_rate_to_mult(IB_RATE_600_GBPS + 40), -1);
	KUNIT_EXPECT_EQ(test, mult_to_ib_rate(3), IB_RATE_PORT_CURRENT);
	KUNIT_EXPECT_EQ(test, mult_to_ib_rate(-1), IB_RATE_PORT_CURRENT);
}

static struct kunit_case rate_cases[] = {
	KUNIT_CASE(test_known),
	KUNIT_CASE(test_all),
	KUNIT_CASE(test_none),
	{ }
};

static struct kunit_suite rate_suite = {
	.name = "core_rate",
	.test_cases = rate_cases,
};
kunit_test_suite(rate_suite);
