// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Suite of strings.c: each event and status has words of its own, everything else the same ones. */
#include <kunit/test.h>

#include "strings.c"

static void test_events(struct kunit *test)
{
	const char *other = ib_event_msg(IB_EVENT_WQ_FATAL + 1);
	int a, b;

	KUNIT_EXPECT_STREQ(test, other, "unrecognized event");
	KUNIT_EXPECT_PTR_EQ(test, ib_event_msg(-1), other);
	for (a = 0; a <= IB_EVENT_WQ_FATAL; a++) {
		KUNIT_EXPECT_STRNEQ(test, ib_event_msg(a), other);
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, ib_event_msg(a), ib_event_msg(b));
	}
}

static void test_statuses(struct kunit *test)
{
	const char *other = ib_wc_status_msg(IB_WC_GENERAL_ERR + 1);
	int a, b;

	KUNIT_EXPECT_STREQ(test, other, "unrecognized status");
	KUNIT_EXPECT_STREQ(test, ib_wc_status_msg(IB_WC_SUCCESS), "success");
	for (a = 0; a <= IB_WC_GENERAL_ERR; a++) {
		KUNIT_EXPECT_STRNEQ(test, ib_wc_status_msg(a), other);
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, ib_wc_status_msg(a), ib_wc_status_msg(b));
	}
}

static struct kunit_case strings_cases[] = {
	KUNIT_CASE(test_events),
	KUNIT_CASE(test_statuses),
	{ }
};

static struct kunit_suite strings_suite = {
	.name = "core_strings",
	.test_cases = strings_cases,
};
kunit_test_suite(strings_suite);
