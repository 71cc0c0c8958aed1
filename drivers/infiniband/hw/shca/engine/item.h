/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * item.h - the link that frames and packets begin with, and how it makes lists of them.
 */
#ifndef ENG_ITEM_H
#define ENG_ITEM_H

#include <shca_env.h>

struct eng_item {
	struct eng_item *next;
};

/* What travels together, linked from the newest to the oldest. */
struct eng_chain {
	struct eng_item *newest, *oldest;
};

/* What waits for its turn, oldest first; @last says something while there is a first. */
struct eng_list {
	struct eng_item *first, *last;
};

#endif
