/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * checks.h - what a unit test is, and the checks in it: one that fails, fails the test and leaves
 * it.
 *
 * Included by tap.h, of which there is one for user space and one for the kernel; it says where we
 * are (TAP_FILE) and how something is said (TAP_SAY).
 */
#ifndef UNIT_CHECKS_H
#define UNIT_CHECKS_H

static bool tap_failed;

#define CHECK(cond) do { \
	if (!(cond)) { \
		TAP_SAY("# %s:%d: %s\n", TAP_FILE, __LINE__, #cond); \
		tap_failed = true; \
		return; \
	} \
} while (0)

#define CHECK_EQ(a, b) do { \
	unsigned long long va_ = (unsigned long long)(a), vb_ = (unsigned long long)(b); \
	if (va_ != vb_) { \
		TAP_SAY("# %s:%d: %s is %llu (%#llx), not %llu (%#llx)\n", TAP_FILE, __LINE__, \
			#a, va_, va_, vb_, vb_); \
		tap_failed = true; \
		return; \
	} \
} while (0)

/* For helpers called by tests: true when the test has failed already. */
#define CHECK_SUB(call) do { \
	call; \
	if (tap_failed) { \
		TAP_SAY("# ... from %s:%d\n", TAP_FILE, __LINE__); \
		return; \
	} \
} while (0)

struct tap_test {
	const char *name;
	void (*run)(void);
};

#endif
