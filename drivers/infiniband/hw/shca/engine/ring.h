/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ring.h - reading rings that a process may scribble over.
 *
 * The producer index is read once and judged; entries are copied out by 8-byte loads, once.
 * Knows no QP.
 */
#ifndef ENG_RING_H
#define ENG_RING_H

#include <shca_env.h>

/* Entries published but not taken: 0 to count; anything larger is a lie of the producer's. */
static inline u32 eng_ring_ready(u32 prod, u32 cons)
{
	return prod - cons;
}

static inline const u8 *eng_ring_entry(const u8 *entries, u32 count, u32 stride, u32 index)
{
	return entries + (u64)(index & (count - 1)) * stride;
}

/* Copies @words 8-byte words out of shared memory; each is loaded exactly once. */
static inline void eng_ring_copy_out(void *to, const u8 *from, u32 words)
{
	const u64 *src = (const u64 *)from;
	u8 *dst = to;
	u64 word;
	u32 i;

	/* Where the number is known the loop costs more than what it does. */
#pragma GCC unroll 8
	for (i = 0; i < words; i++, dst += 8) {
		word = env_read(src[i]);
		__builtin_memcpy(dst, &word, 8);
	}
}

#endif
