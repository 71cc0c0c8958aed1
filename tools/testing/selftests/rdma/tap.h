/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The few lines of TAP that the self-tests print: one result per check, the plan at the end.
 * Everything is in a header because each test is one file.
 */
#ifndef SELFTEST_TAP_H
#define SELFTEST_TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int tap_results, tap_failures;

/* One result. Returns ok, so that a test can stop where going on makes no sense. */
__attribute__((format(printf, 2, 3), unused))
static bool tap_ok(bool ok, const char *format, ...)
{
	va_list args;

	printf("%sok %u - ", ok ? "" : "not ", ++tap_results);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	if (!ok)
		tap_failures++;
	return ok;
}

/* The same for two numbers that have to agree: the wrong one is named. */
__attribute__((format(printf, 3, 4), unused))
static bool tap_is(long long got, long long want, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	tap_ok(got == want, "%s", what);
	if (got != want)
		printf("#   got %lld, expected %lld\n", got, want);
	return got == want;
}

__attribute__((format(printf, 1, 2), unused))
static void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

__attribute__((format(printf, 1, 2), unused))
static void tap_skip(const char *format, ...)
{
	va_list args;

	printf("ok %u - # SKIP ", ++tap_results);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* For checks of what stock modules do otherwise: skips them there ($KV_CORE), and says so. */
__attribute__((unused))
static bool tap_skip_on_stock(const char *what)
{
	const char *core = getenv("KV_CORE");

	if (!core || strcmp(core, "stock"))
		return false;
	tap_skip("stock differs: %s", what);
	return true;
}

/* The test's exit status: return tap_end() from main. */
__attribute__((unused))
static int tap_end(void)
{
	printf("1..%u\n", tap_results);
	return tap_failures ? 1 : 0;
}

/* Something the test needs for itself is missing: nothing was shown. */
__attribute__((format(printf, 1, 2), noreturn, unused))
static void tap_bail(const char *format, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" (%s)\n", strerror(errno));
	exit(99);
}

#endif
