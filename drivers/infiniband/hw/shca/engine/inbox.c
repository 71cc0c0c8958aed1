// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * inbox.c - an inbox is a list that anybody pushes to and only the owner takes, as a whole.
 *
 * Pushing is one compare-and-swap, so it is also the full barrier between the frame and the look
 * at the run word that follows (run.c).  No frame is allocated for it: each lives in a send slot
 * of its source, so an inbox holds at most the windows of those who send to it, and all of them
 * come home.  Pushers are under RCU, which keeps the memory of a QP that is just being destroyed.
 */
#include "inbox.h"

/* The list of a destroyed QP: an address that is no frame. */
#define CLOSED	((struct eng_frame *)1)

bool eng_inbox_push(struct eng_qp *qp, struct eng_chain chain)
{
	struct eng_frame *head = env_read(qp->inbox);
	struct eng_frame *seen;

	for (;;) {
		if (env_unlikely(head == CLOSED))
			return false;
		chain.oldest->next = head;
		seen = env_cmpxchg(&qp->inbox, head, chain.newest);
		if (env_likely(seen == head))
			return true;
		head = seen;
	}
}

static void append_reversed(struct eng_qp *qp, struct eng_frame *newest)
{
	struct eng_frame *oldest_first = NULL;
	struct eng_frame *next, *last = newest;

	if (env_likely(newest && !newest->next && !qp->in)) {
		qp->in = qp->in_last = newest;
		return;
	}
	for (; newest; newest = next) {
		next = newest->next;
		newest->next = oldest_first;
		oldest_first = newest;
	}
	if (!oldest_first)
		return;
	if (qp->in)
		qp->in_last->next = oldest_first;
	else
		qp->in = oldest_first;
	qp->in_last = last;
}

void eng_inbox_take(struct eng_qp *qp)
{
	/* Whoever pushed before this look and found us busy set AGAIN: nothing is missed. */
	if (env_read(qp->inbox))
		append_reversed(qp, env_xchg(&qp->inbox, NULL));
}

void eng_inbox_close(struct eng_qp *qp)
{
	append_reversed(qp, env_xchg(&qp->inbox, CLOSED));
}

void eng_inbox_append(struct eng_qp *qp, struct eng_frame *frame)
{
	frame->next = NULL;
	if (qp->in)
		qp->in_last->next = frame;
	else
		qp->in = frame;
	qp->in_last = frame;
}

struct eng_frame *eng_inbox_pop(struct eng_qp *qp)
{
	struct eng_frame *frame = qp->in;

	if (frame)
		qp->in = frame->next;
	return frame;
}
