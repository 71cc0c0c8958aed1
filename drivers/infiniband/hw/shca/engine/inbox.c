// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * inbox.c - an inbox is a list that anybody pushes to and only the owner takes, as a whole.
 *
 * A QP has one for frames and one for packets.  Pushing is one compare-and-swap, so it is also the
 * full barrier between the item and the look at the run word that follows (run.c).  Nothing is
 * allocated for it: frames live in send slots of their source, so an inbox holds at most the
 * windows of those who send to it, and all of them come home; packets are the host's, and counted
 * (arrival.c).  Pushers are under RCU, which keeps the memory of a QP that is just being destroyed.
 */
#include "inbox.h"

/* The inbox of a destroyed QP: an address that is no item. */
#define CLOSED	((struct eng_item *)1)

bool eng_inbox_push(struct eng_item **inbox, struct eng_chain chain)
{
	struct eng_item *head = env_read(*inbox);
	struct eng_item *seen;

	for (;;) {
		if (env_unlikely(head == CLOSED))
			return false;
		chain.oldest->next = head;
		seen = env_cmpxchg(inbox, head, chain.newest);
		if (env_likely(seen == head))
			return true;
		head = seen;
	}
}

void eng_list_add_chain(struct eng_list *list, struct eng_item *newest)
{
	struct eng_item *oldest_first = NULL;
	struct eng_item *next, *last = newest;

	if (env_likely(newest && !newest->next && !list->first)) {
		list->first = list->last = newest;
		return;
	}
	for (; newest; newest = next) {
		next = newest->next;
		newest->next = oldest_first;
		oldest_first = newest;
	}
	if (!oldest_first)
		return;
	if (list->first)
		list->last->next = oldest_first;
	else
		list->first = oldest_first;
	list->last = last;
}

void eng_inbox_take(struct eng_item **inbox, struct eng_list *list)
{
	/* Whoever pushed before this look and found us busy set AGAIN: nothing is missed. */
	if (env_read(*inbox))
		eng_list_add_chain(list, env_xchg(inbox, NULL));
}

void eng_inbox_close(struct eng_item **inbox, struct eng_list *list)
{
	eng_list_add_chain(list, env_xchg(inbox, CLOSED));
}

void eng_list_add(struct eng_list *list, struct eng_item *item)
{
	item->next = NULL;
	if (list->first)
		list->last->next = item;
	else
		list->first = item;
	list->last = item;
}

struct eng_item *eng_list_pop(struct eng_list *list)
{
	struct eng_item *item = list->first;

	if (item)
		list->first = item->next;
	return item;
}
