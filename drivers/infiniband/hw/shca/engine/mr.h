/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * mr.h - looking up memory regions by key.
 */
#ifndef ENG_MR_H
#define ENG_MR_H

#include "objects.h"
#include "private.h"

/*
 * The region that a QP used last for one purpose.  Valid under RCU as long as no region of the
 * device was retired since: memory of a retired one lives for a grace period after the generation
 * moved.
 */
struct eng_mr_cache {
	struct eng_mr *mr;
	u64 generation;		/* 0: nothing is cached */
	u32 key;
};

struct eng_mr_want {
	u64 addr;
	u32 length;
	u32 key;
	u32 access;		/* ENG_ACCESS_LOCAL: as lkey */
	u32 qpn;		/* that the peer names the key to; of no matter for lkeys */
};

/*
 * A reference to the region that want.key names, if it belongs to @pd, grants all of
 * want.access and holds [want.addr, want.addr + want.length); else NULL.
 */
ENG_PRIVATE struct eng_mr *eng_mr_get(struct eng_dev *dev, struct eng_mr_cache *cache,
				      const struct eng_pd *pd, struct eng_mr_want want);
ENG_PRIVATE void eng_mr_put(struct eng_mr *mr);

#endif
