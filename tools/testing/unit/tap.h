/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * tap.h - results of unit tests, one line each.
 *
 * Included once per program; what a test is stands in checks.h.
 */
#ifndef UNIT_TAP_H
#define UNIT_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define TAP_FILE __FILE__
#define TAP_SAY(...) printf(__VA_ARGS__)
#include "checks.h"

static int tap_failures;

/* How often something is repeated: where these tests run in a slow kernel, fewer times. */
#define TAP_MANY(n) (n)

static int tap_main(const struct tap_test *tests, unsigned int count)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%u\n", count);
	for (i = 0; i < count; i++) {
		tap_failed = false;
		tests[i].run();
		tap_failures += tap_failed;
		printf("%s %u - %s\n", tap_failed ? "not ok" : "ok", i + 1, tests[i].name);
	}
	return tap_failures != 0;
}

#define TAP_MAIN(tests) int main(void) { \
	return tap_main(tests, sizeof(tests) / sizeof((tests)[0])); }

#endif
