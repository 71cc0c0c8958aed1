// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_inbox.c - frames come out of an inbox in the order in which they went in, and none goes into
 * a closed one.
 */
#include "inbox.h"
#include "pair.h"
#include "tap.h"

static struct eng_frame frames[8];

/* Frames first..last travel together; the chain leads from the newest to the oldest. */
static struct eng_chain chain(u32 first, u32 last)
{
	u32 i;

	for (i = first; i <= last; i++)
		frames[i].next = i == first ? NULL : &frames[i - 1];
	return (struct eng_chain){ &frames[last], &frames[first] };
}

static void test_order(void)
{
	struct pair p;
	u32 i;

	pair_init(&p);
	CHECK(eng_inbox_push(p.a.eng, chain(0, 0)));
	CHECK(eng_inbox_push(p.a.eng, chain(1, 3)));
	eng_inbox_take(p.a.eng);
	CHECK(eng_inbox_push(p.a.eng, chain(4, 5)));
	CHECK(eng_inbox_pop(p.a.eng) == &frames[0]);
	eng_inbox_take(p.a.eng);
	eng_inbox_append(p.a.eng, &frames[6]);
	for (i = 1; i < 7; i++)
		CHECK(eng_inbox_pop(p.a.eng) == &frames[i]);
	CHECK(!eng_inbox_pop(p.a.eng));
	eng_inbox_take(p.a.eng);
	CHECK(!eng_inbox_pop(p.a.eng));
	pair_fini(&p);
}

/* Closing takes the rest; after that a push fails and changes nothing. */
static void test_close(void)
{
	struct pair p;
	struct eng_frame *before;

	pair_init(&p);
	CHECK(eng_inbox_push(p.a.eng, chain(0, 1)));
	eng_inbox_close(p.a.eng);
	before = p.a.eng->inbox;
	CHECK(!eng_inbox_push(p.a.eng, chain(2, 3)));
	CHECK(p.a.eng->inbox == before);
	CHECK(eng_inbox_pop(p.a.eng) == &frames[0]);
	CHECK(eng_inbox_pop(p.a.eng) == &frames[1]);
	CHECK(!eng_inbox_pop(p.a.eng));
	/* The pair ends with an open one. */
	p.a.eng->inbox = NULL;
	pair_fini(&p);
}

static const struct tap_test tests[] = {
	{ "order", test_order },
	{ "closed", test_close },
};

TAP_MAIN(tests)
