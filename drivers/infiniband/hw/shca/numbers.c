// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * numbers.c - hands out names for objects.  Called by the verbs_* rooms when they create and
 * destroy; nothing goes out from here.
 *
 * Numbers are given out in turn, so that a name comes back as late as possible: a stale QP number
 * or key meets nobody for millions of creations.  A key carries eight bits more.  They count the
 * laps of the allocator: the same index can only come again in a later lap, and so under another
 * tag (until the 256th lap).  A creation that races with the end of a lap may take the tag of
 * either lap; an index given out on both sides of the end was free in between, and the tag of the
 * second is then newer or equal only if 16 million creations happened meanwhile.
 */
#include <linux/random.h>

#include "numbers.h"

#define KEY_TAG_BITS	8

void shca_numbers_init(struct shca_numbers *numbers, u32 first, u32 last)
{
	/* The flag tells the table which lock to let go of when it has to wait for memory. */
	xa_init_flags(&numbers->table, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	numbers->first = first;
	numbers->last = last;
	numbers->next = first;
	numbers->laps = get_random_u32();
}

int shca_numbers_alloc(struct shca_numbers *numbers, void *value, u32 *number, gfp_t gfp)
{
	struct xa_limit limit = XA_LIMIT(numbers->first, numbers->last);
	unsigned long flags;
	int ret;

	/* Address handles of kernel consumers come and go in soft interrupts, and under locks. */
	if (gfpflags_allow_blocking(gfp)) {
		ret = xa_alloc_cyclic_bh(&numbers->table, number, value, limit, &numbers->next,
					 gfp);
	} else {
		xa_lock_irqsave(&numbers->table, flags);
		ret = __xa_alloc_cyclic(&numbers->table, number, value, limit, &numbers->next,
					gfp);
		xa_unlock_irqrestore(&numbers->table, flags);
	}
	if (ret == 1) {
		WRITE_ONCE(numbers->laps, READ_ONCE(numbers->laps) + 1);
		ret = 0;
	}
	return ret;
}

int shca_numbers_claim(struct shca_numbers *numbers, void *value, u32 number, gfp_t gfp)
{
	WARN_ON_ONCE(number >= numbers->first);
	return xa_insert_bh(&numbers->table, number, value, gfp);
}

int shca_numbers_alloc_key(struct shca_numbers *numbers, u32 *key, gfp_t gfp)
{
	u32 index;
	int err = shca_numbers_alloc(numbers, NULL, &index, gfp);

	if (err)
		return err;
	*key = index << KEY_TAG_BITS | (READ_ONCE(numbers->laps) & ((1 << KEY_TAG_BITS) - 1));
	return 0;
}

void shca_numbers_free(struct shca_numbers *numbers, u32 number)
{
	xa_erase_bh(&numbers->table, number);
}

void shca_numbers_destroy(struct shca_numbers *numbers)
{
	WARN_ON(!xa_empty(&numbers->table));
	xa_destroy(&numbers->table);
}
