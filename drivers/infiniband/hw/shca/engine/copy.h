/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * copy.h - segments of memory, and moving bytes from one list of them to another.
 *
 * The responder sets a move up and runs it, if need be in several portions.  Knows MRs, no QP.
 */
#ifndef ENG_COPY_H
#define ENG_COPY_H

#include <shca_env.h>
#include "private.h"
#include "segment.h"

struct eng_move {
	struct eng_cursor dst, src;
	u32 left;		/* bytes */
};

enum eng_moved { ENG_MOVE_DONE, ENG_MOVE_MORE, ENG_MOVE_DST_GONE, ENG_MOVE_SRC_GONE };

/* Stores ascend; aligned 8-byte stores do not tear; the last byte is stored last. */
ENG_PRIVATE void eng_copy_bytes(u8 *dst, const u8 *src, u32 n);
/* Moves at most *@budget bytes, which it decreases.  Both lists must hold move->left bytes. */
ENG_PRIVATE enum eng_moved eng_copy_run(struct eng_move *move, u32 *budget);
/* The pointer behind @length contiguous bytes of @seg at 0, NULL when they are not contiguous. */
ENG_PRIVATE u8 *eng_copy_pointer(const struct eng_seg *seg, u32 length);
/*
 * The whole move at once, if it is small, inside the first element and block on both sides, and
 * both regions live.  False: nothing was done.
 */
ENG_PRIVATE bool eng_copy_quick(const struct eng_seg *dst, const struct eng_seg *src, u32 length);

#endif
