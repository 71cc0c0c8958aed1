// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * sge.c - local keys become references for as long as a message needs them.
 *
 * Called by the requester at each emission and by the receive side when a message has arrived;
 * released when the frame is home, or when the receive is complete.
 */
#include "sge.h"
#include "mr.h"

static bool resolve_one(struct eng_qp *qp, const struct eng_pd *pd, struct eng_seg *seg, u32 access)
{
	struct eng_mr_want want = {
		.addr = seg->addr,
		.length = seg->length,
		.key = seg->key,
		.access = access | ENG_ACCESS_LOCAL,
	};

	seg->mr = eng_mr_get(qp->dev, &qp->local_mr, pd, want);
	return seg->mr != NULL;
}

static bool resolve_many(struct eng_qp *qp, const struct eng_pd *pd, struct eng_seg *segs,
			 u64 need, u32 access)
{
	struct eng_seg *seg;

	/* The caller knows that the elements hold @need bytes, so this ends inside the list. */
	for (seg = segs; need; seg++) {
		if (!seg->length)
			continue;
		if (env_unlikely(!resolve_one(qp, pd, seg, access))) {
			eng_sge_release(segs, (u32)(seg - segs));
			return false;
		}
		need -= need < seg->length ? need : seg->length;
	}
	return true;
}

bool eng_sge_resolve(struct eng_qp *qp, const struct eng_pd *pd, struct eng_seg *segs, u64 need,
		     u32 access)
{
	if (!need)
		return true;
	if (env_likely(segs->length >= need))
		return resolve_one(qp, pd, segs, access);
	return resolve_many(qp, pd, segs, need, access);
}

/* @at comes in as the whole list. */
bool eng_sge_resolve_range(struct eng_qp *qp, const struct eng_pd *pd, struct eng_cursor *at,
			   struct eng_sge_range range)
{
	struct eng_seg *first, *seg;
	u32 count, left = range.length;

	for (; at->segs && range.offset >= at->seg->length; at->seg++, at->segs--)
		range.offset -= at->seg->length;
	at->offset = range.offset;
	/* The list is its owner's, who lets us have it for this. */
	first = (struct eng_seg *)at->seg;
	for (seg = first, count = at->segs; left && count; seg++, count--) {
		u32 room = seg->length - range.offset;

		range.offset = 0;
		if (!room)
			continue;
		if (!resolve_one(qp, pd, seg, range.access))
			break;
		left -= left < room ? left : room;
	}
	if (left)
		eng_sge_release(first, (u32)(seg - first));
	return !left;
}

void eng_sge_release(struct eng_seg *segs, u32 count)
{
	for (; count; count--, segs++) {
		if (!segs->mr)
			continue;
		eng_mr_put(segs->mr);
		segs->mr = NULL;
	}
}
