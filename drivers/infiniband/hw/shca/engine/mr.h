/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * mr.h - looking up memory regions by key.
 */
#ifndef ENG_MR_H
#define ENG_MR_H

#include "objects.h"

/*
 * A reference to the region that @key names, if it belongs to @pd, grants all of @access and
 * holds [@addr, @addr + @length); else NULL.
 */
struct eng_mr *eng_mr_get(struct eng_dev *dev, const struct eng_pd *pd, u32 key, u32 access,
			  u64 addr, u64 length);
void eng_mr_put(struct eng_mr *mr);

#endif
