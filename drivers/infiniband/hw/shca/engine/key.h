/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * key.h - keys whose meaning work requests change: memory windows and fast registration.
 */
#ifndef ENG_KEY_H
#define ENG_KEY_H

#include "types.h"

/* A local work request as decoded; lies behind its slot. */
struct eng_key_change {
	u64 addr, length;
	u32 key;		/* to be changed; its index counts */
	u32 new_key;
	u32 lkey;		/* of the region that a window is bound to */
	u32 access;		/* ENG_ACCESS_*, ENG_ACCESS_ZERO_BASED */
};

/* Somebody still uses the old meaning; the QP is kicked when that ends. */
#define ENG_KEY_WAIT	0x100u

/* Does what the local work request in @slot says: an enum eng_status, or ENG_KEY_WAIT. */
ENG_PRIVATE u32 eng_key_execute(struct eng_qp *qp, struct eng_slot *slot);
/* May the peer of @qp take the meaning of @key away?  IBTA vol. 1, 10.6.7.2.6. */
ENG_PRIVATE bool eng_key_revocable(struct eng_qp *qp, u32 key);
/* Takes it away; nothing happens when it is gone already. */
ENG_PRIVATE void eng_key_revoke(struct eng_qp *qp, u32 key);
/* The last user of a meaning that was taken away has let go. */
ENG_PRIVATE void eng_key_closed(struct eng_mr *mr);
/* eng_mr_retire() of such a key. */
ENG_PRIVATE void eng_key_retire(struct eng_mr *mr);

static inline struct eng_key_change *eng_slot_change(struct eng_slot *slot)
{
	return (struct eng_key_change *)(slot + 1);
}

#endif
