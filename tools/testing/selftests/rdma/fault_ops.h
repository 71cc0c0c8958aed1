/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A sweep: an operation with its first possible failure made to happen, then its second, until it
 * gets through without; of very many, a sample. An operation that reports an error has changed
 * nothing: there are as many objects and descriptors and as much is pinned as before, and it does
 * at once what it does when nothing is in its way. The programs fault_* bring tables of operations.
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
	unsigned int command, flags, object, id, list;
};

static const struct operation *now;	/* the one that is swept */

/* What became of a sweep. */
struct sweep {
	int want;		/* what the operation says when nothing is in its way: 0 or errno */
	unsigned int tried, wrong, survived;
};

/* It said @ret, with or without a failure: nothing may have changed, and nothing be in its way. */
static int sweep_failed(struct sweep *s, unsigned int n, bool hit, int ret,
			const struct count *before)
{
	struct count after = count_all();

	if ((!hit && ret != s->want) || (!count_same(before, &after) && ret != ENOBUFS)) {
		tap_note("%s, failure %u%s: errno %d", now->name, n, hit ? "" : " not met", ret);
		count_note("before", before);
		count_note("after", &after);
		s->wrong++;
	}
	/* ENOBUFS: perhaps all done, of which netlink could not tell. */
	if (ret == ENOBUFS)
		return ret;
	ret = now->act();
	if (ret != s->want && ret != ENOBUFS) {
		tap_note("%s: errno %d after failure %u, not %d", now->name, ret, n, s->want);
		s->wrong++;
	}
	return ret;
}

/* The next failure is the n-th. Returns false when the operation ran without. */
static bool sweep_step(struct sweep *s, unsigned int n)
{
	struct count before;
	bool hit;
	int ret;

	if (now->prepare && now->prepare()) {
		tap_note("%s: cannot be prepared before failure %u: errno %d", now->name, n, errno);
		s->wrong++;
		return false;
	}
	before = count_all();
	failure_arm(n);
	errno = 0;
	ret = now->act();
	hit = failure_disarm();
	if (ret || s->want)
		ret = sweep_failed(s, n, hit, ret, &before);
	else if (hit)
		s->survived++;
	if (!ret && now->undo && now->undo()) {
		tap_note("%s: cannot be undone after failure %u", now->name, n);
		s->wrong++;
	}
	if (now->restore && now->restore()) {
		tap_note("%s: cannot be restored after failure %u", now->name, n);
		s->wrong++;
	}
	return hit;
}

static const char *door(void)
{
	return failure_by_write ? " by write()" : "";
}

/*
 * False where the operation's ground cannot be laid. What the device refuses is swept all the same:
 * the way to the refusal can fail, too. The write door is swept by what goes through it.
 */
static bool sweep_try(int *want)
{
	unsigned long before = failure_writes;
	int ret = now->prepare ? now->prepare() : 0;

	if (ret) {
		tap_skip("%s%s: not on this device (errno %d)", now->name, door(), ret);
	} else {
		errno = 0;
		*want = now->act();
		if (!*want && now->undo)
			now->undo();
	}
	if (now->restore)
		now->restore();
	return !ret && (!failure_by_write || failure_writes != before);
}

static void sweep(const struct operation *op)
{
	struct count before, after;
	struct sweep s = { 0 };
	unsigned int n;

	now = op;
	if (!sweep_try(&s.want))
		return;
	seen_now = op->name;
	before = count_all();
	for (n = 1; n < MAX_FAILURES && s.wrong < 5; n += n < EACH_UNTIL ? 1 : 1 + n / 16) {
		if (!sweep_step(&s, n))
			break;
		s.tried++;
	}
	after = count_all();
	seen_now = NULL;
	if (s.want && !s.tried && !s.wrong) {
		tap_skip("%s%s: refused before the kernel (errno %d)", op->name, door(), s.want);
		return;
	}
	tap_ok(!s.wrong && n < MAX_FAILURES, "%s%s: %u failures, %u of them without consequence%s",
	       op->name, door(), s.tried, s.survived, s.want ? ", on the way to a refusal" : "");
	if (!tap_ok(count_same(&before, &after), "%s%s: all is as before", op->name, door())) {
		count_note("before", &before);
		count_note("after", &after);
	}
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
