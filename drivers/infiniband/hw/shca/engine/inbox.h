/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * inbox.h - what others push to a QP, and the QP's own list of it.
 */
#ifndef ENG_INBOX_H
#define ENG_INBOX_H

#include "item.h"
#include "private.h"

/* Anybody's.  False: closed, and nothing was taken. */
ENG_PRIVATE bool eng_inbox_push(struct eng_item **inbox, struct eng_chain chain);
/* The owner's: moves all that arrived behind @list. */
ENG_PRIVATE void eng_inbox_take(struct eng_item **inbox, struct eng_list *list);
/* The same, and nothing can be pushed any more. */
ENG_PRIVATE void eng_inbox_close(struct eng_item **inbox, struct eng_list *list);

/* Lists of the owner's. */
ENG_PRIVATE void eng_list_add(struct eng_list *list, struct eng_item *item);
/* @newest and what it leads to. */
ENG_PRIVATE void eng_list_add_chain(struct eng_list *list, struct eng_item *newest);
/* NULL: empty. */
ENG_PRIVATE struct eng_item *eng_list_pop(struct eng_list *list);

#endif
