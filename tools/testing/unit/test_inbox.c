// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_inbox.c - what goes into an inbox comes out in the same order, and nothing goes into a
 * closed one.
 */
#include "inbox.h"
#include "tap.h"

static struct eng_item items[8], *inbox;
static struct eng_list list;

/* Items first..last travel together; the chain leads from the newest to the oldest. */
static struct eng_chain chain(u32 first, u32 last)
{
	u32 i;

	for (i = first; i <= last; i++)
		items[i].next = i == first ? NULL : &items[i - 1];
	return (struct eng_chain){ &items[last], &items[first] };
}

static void test_order(void)
{
	u32 i;

	CHECK(eng_inbox_push(&inbox, chain(0, 0)));
	CHECK(eng_inbox_push(&inbox, chain(1, 3)));
	eng_inbox_take(&inbox, &list);
	CHECK(eng_inbox_push(&inbox, chain(4, 5)));
	CHECK(eng_list_pop(&list) == &items[0]);
	eng_inbox_take(&inbox, &list);
	eng_list_add(&list, &items[6]);
	for (i = 1; i < 7; i++)
		CHECK(eng_list_pop(&list) == &items[i]);
	CHECK(!eng_list_pop(&list));
	eng_inbox_take(&inbox, &list);
	CHECK(!eng_list_pop(&list));
	eng_list_add(&list, &items[7]);
	CHECK(eng_list_pop(&list) == &items[7]);
}

/* Closing takes the rest; after that a push fails and changes nothing. */
static void test_close(void)
{
	struct eng_item *before;

	CHECK(eng_inbox_push(&inbox, chain(0, 1)));
	eng_inbox_close(&inbox, &list);
	before = inbox;
	CHECK(!eng_inbox_push(&inbox, chain(2, 3)));
	CHECK(inbox == before);
	CHECK(eng_list_pop(&list) == &items[0]);
	CHECK(eng_list_pop(&list) == &items[1]);
	CHECK(!eng_list_pop(&list));
	inbox = NULL;
}

static const struct tap_test tests[] = {
	{ "order", test_order },
	{ "closed", test_close },
};

TAP_MAIN(tests)
