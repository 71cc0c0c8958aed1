// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * sge.c - local keys become references for as long as a message needs them.
 *
 * Called by the requester at each emission and by the receive side when a message has arrived;
 * released when the frame is home, or when the receive is complete.
 */
#include "sge.h"
#include "mr.h"

bool eng_sge_resolve(struct eng_dev *dev, const struct eng_pd *pd, struct eng_seg *segs, u64 need,
		     u32 access)
{
	struct eng_seg *seg;

	/* The caller knows that the elements hold @need bytes, so this ends inside the list. */
	for (seg = segs; need; seg++) {
		if (!seg->length)
			continue;
		seg->mr = eng_mr_get(dev, pd, seg->key, access, seg->addr, seg->length);
		if (env_unlikely(!seg->mr)) {
			eng_sge_release(segs, (u32)(seg - segs));
			return false;
		}
		need -= need < seg->length ? need : seg->length;
	}
	return true;
}

void eng_sge_release(struct eng_seg *segs, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (!segs[i].mr)
			continue;
		eng_mr_put(segs[i].mr);
		segs[i].mr = NULL;
	}
}
