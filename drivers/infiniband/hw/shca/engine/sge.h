/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * sge.h - from elements of a work request to segments that may be copied.
 */
#ifndef ENG_SGE_H
#define ENG_SGE_H

#include "types.h"

/*
 * Takes references for the elements that the first @need bytes reach; all of them must belong to
 * @pd and grant @access.  False: none is held.
 */
ENG_PRIVATE bool eng_sge_resolve(struct eng_qp *qp, const struct eng_pd *pd, struct eng_seg *segs,
				 u64 need, u32 access);

/* Which bytes of a list, and what for. */
struct eng_sge_range {
	u32 offset, length;
	u32 access;
};

/*
 * The same for the elements that @range touches, if the list is that long; @at is where it begins.
 */
ENG_PRIVATE bool eng_sge_resolve_range(struct eng_qp *qp, const struct eng_pd *pd,
				       struct eng_cursor *at, struct eng_sge_range range);
ENG_PRIVATE void eng_sge_release(struct eng_seg *segs, u32 count);

#endif
