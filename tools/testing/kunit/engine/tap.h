/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * tap.h - the user-space tests' words for results, as a KUnit suite: one suite per file, whose only
 * case has each test of the file as a parameter.
 */
#ifndef KUNIT_TAP_H
#define KUNIT_TAP_H

#include <kunit/test.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <stdlib.h>

#define TAP_FILE KBUILD_BASENAME
#define TAP_SAY(...) pr_info(__VA_ARGS__)
#include "checks.h"

#define TAP_MANY(n) ((n) / 20)

static void tap_run_one(struct kunit *kunit)
{
	const struct tap_test *test = kunit->param_value;

	tap_failed = false;
	test->run();
	cond_resched();
	if (tap_failed)
		KUNIT_FAIL(kunit, "%s", test->name);
}

#define TAP_MAIN(tests) \
static const void *tap_next(const void *prev, char *text) \
{ \
	const struct tap_test *next = prev ? (const struct tap_test *)prev + 1 : (tests); \
	if (next == (tests) + ARRAY_SIZE(tests)) \
		return NULL; \
	strscpy(text, next->name, KUNIT_PARAM_DESC_SIZE); \
	return next; \
} \
static struct kunit_case tap_cases[] = { KUNIT_CASE_PARAM(tap_run_one, tap_next), {} }; \
static struct kunit_suite tap_suite = { \
	.name = "engine_" KBUILD_BASENAME, \
	.test_cases = tap_cases, \
}; \
kunit_test_suite(tap_suite);

#endif
