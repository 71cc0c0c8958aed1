/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A sweep: an operation with its first possible failure made to happen, then its second, until it
 * gets through without; of very many, a sample. An operation that reports an error has changed
 * nothing: there are as many objects as before, and it succeeds at once when nothing is in its
 * way. The programs fault_* bring tables of operations.
 */
#ifndef SELFTEST_FAULT_OPS_H
#define SELFTEST_FAULT_OPS_H

#include "fault_count.h"
#include "fault_nth.h"

#define MAX_FAILURES	20000	/* more in one call is a loop that does not end */
#define EACH_UNTIL	64	/* from there on a sample: making a link has thousands */

struct operation {
	const char *name;
	int (*prepare)(void);	/* never hit */
	int (*act)(void);	/* 0 or errno */
	int (*undo)(void);	/* after an act that succeeded */
	int (*restore)(void);	/* undoes prepare; may find it undone */
	/* For operations that differ in a request only. */
	unsigned int command, flags, object, id;
};

static const struct operation *now;	/* the one that is swept */

/* The next failure is the n-th. Returns false when the operation ran without. */
static bool sweep_step(const struct operation *op, unsigned int n, unsigned int *wrong,
		       unsigned int *survived)
{
	uint64_t before, after;
	bool hit;
	int ret;

	if (op->prepare && op->prepare()) {
		tap_note("%s: cannot be prepared before failure %u: errno %d", op->name, n, errno);
		++*wrong;
		return false;
	}
	before = objects();
	failure_arm(n);
	errno = 0;
	ret = op->act();
	hit = failure_disarm();
	if (ret) {
		after = objects();
		if (!hit || (after != before && ret != ENOBUFS)) {
			tap_note("%s, failure %u: errno %d, objects %llu, then %llu", op->name, n,
				 ret, (unsigned long long)before, (unsigned long long)after);
			++*wrong;
		}
		/* Nothing in its way any more, nothing half done. ENOBUFS: perhaps all done. */
		if (ret != ENOBUFS)
			ret = op->act();
		if (ret && ret != ENOBUFS) {
			tap_note("%s: fails after failure %u: errno %d", op->name, n, ret);
			++*wrong;
		}
	} else if (hit) {
		++*survived;
	}
	if (!ret && op->undo && op->undo()) {
		tap_note("%s: cannot be undone after failure %u", op->name, n);
		++*wrong;
	}
	if (op->restore && op->restore()) {
		tap_note("%s: cannot be restored after failure %u", op->name, n);
		++*wrong;
	}
	return hit;
}

static const char *door(void)
{
	return failure_by_write ? " by write()" : "";
}

/* The write door is swept by what goes through it. */
static bool supported(const struct operation *op)
{
	unsigned long before = failure_writes;
	int ret = op->prepare ? op->prepare() : 0;

	if (!ret)
		ret = op->act();
	if (ret)
		tap_skip("%s%s: not on this device (errno %d)", op->name, door(), ret);
	else if (op->undo)
		op->undo();
	if (op->restore)
		op->restore();
	return !ret && (!failure_by_write || failure_writes != before);
}

static void sweep(const struct operation *op)
{
	unsigned int n, tried = 0, wrong = 0, survived = 0;
	uint64_t before;

	now = op;
	if (!supported(op))
		return;
	before = objects();
	for (n = 1; n < MAX_FAILURES && wrong < 5; n += n < EACH_UNTIL ? 1 : 1 + n / 16, tried++)
		if (!sweep_step(op, n, &wrong, &survived))
			break;
	tap_ok(!wrong && n < MAX_FAILURES, "%s%s: %u failures, %u of them without consequence",
	       op->name, door(), tried, survived);
	tap_is(objects(), before, "%s%s: as many objects as before", op->name, door());
}

/* False where there is nothing to sweep; says so. */
__attribute__((unused))
static bool sweep_begin(void)
{
	const char *core = getenv("KV_CORE");
	uint32_t found[2];

	if (!failures_ready()) {
		printf("1..0 # SKIP this kernel has no fault injection\n");
		return false;
	}
	if (core && strcmp(core, "ours")) {
		printf("1..0 # SKIP the stock core is not what is tested\n");
		return false;
	}
	fixture_open(&f);
	nldev_open(&nl);
	if (list_devices(found))
		tap_bail("list of devices");
	return true;
}

/* All of a table, or the one that is called @only. */
__attribute__((unused))
static void sweep_table(const struct operation *table, size_t count, const char *only)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!only || !strcmp(only, table[i].name))
			sweep(&table[i]);
}

#endif
