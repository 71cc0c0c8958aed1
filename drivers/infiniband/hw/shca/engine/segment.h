/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * segment.h - pieces of memory as work requests name them, and a place inside a list of them.
 *
 * Known to the engine's rooms and, through wire.h, to the host that sends packets.
 */
#ifndef ENG_SEGMENT_H
#define ENG_SEGMENT_H

#include <shca_env.h>

struct eng_mr;

/* A piece of memory.  With a region it is checked and referenced; without, addr is a pointer. */
struct eng_seg {
	u64 addr;		/* as work requests name it */
	u32 length;		/* bytes; 0: an empty element */
	u32 key;
	struct eng_mr *mr;	/* a reference, or NULL */
};

struct eng_cursor {
	const struct eng_seg *seg;
	u32 segs;		/* left, the present one included */
	u32 offset;		/* bytes into the present one */
};

#endif
