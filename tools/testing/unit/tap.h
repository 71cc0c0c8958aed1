/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * tap.h - results of unit tests, one line each.
 *
 * A test is a function; CHECK() inside it fails it and leaves it.  Included once per program.
 */
#ifndef UNIT_TAP_H
#define UNIT_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool tap_failed;
static int tap_failures;

#define CHECK(cond) do { \
	if (!(cond)) { \
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
		tap_failed = true; \
		return; \
	} \
} while (0)

#define CHECK_EQ(a, b) do { \
	unsigned long long va_ = (unsigned long long)(a), vb_ = (unsigned long long)(b); \
	if (va_ != vb_) { \
		printf("# %s:%d: %s is %llu (%#llx), not %llu (%#llx)\n", __FILE__, __LINE__, \
		       #a, va_, va_, vb_, vb_); \
		tap_failed = true; \
		return; \
	} \
} while (0)

/* For helpers called by tests: true when the test has failed already. */
#define CHECK_SUB(call) do { \
	call; \
	if (tap_failed) { \
		printf("# ... from %s:%d\n", __FILE__, __LINE__); \
		return; \
	} \
} while (0)

/* How often something is repeated: where these tests run in a slow kernel, fewer times. */
#define TAP_MANY(n) (n)

struct tap_test {
	const char *name;
	void (*run)(void);
};

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
