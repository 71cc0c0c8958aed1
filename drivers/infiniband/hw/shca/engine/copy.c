// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * copy.c - moves the bytes.
 *
 * Called by the responder with segments whose regions are referenced.  No lock is held.  Between
 * chunks of ENG_COPY_CHUNK bytes it looks whether one of the regions is being deregistered, so
 * that deregistration waits for one chunk at most.
 *
 * Order of stores is what programs poll on: ascending, the last byte last.  Stores go through
 * env_write(), which also keeps the compiler from calling memcpy(), whose order nobody promises.
 */
#include "copy.h"
#include "engine.h"

static void copy_words(u8 *dst, const u8 *src, u32 words)
{
	u64 *to = (u64 *)dst;
	u64 v[8];
	u32 i;

	if (((unsigned long)src & 7) == 0) {
		const u64 *from = (const u64 *)src;

		for (; words >= 8; words -= 8, from += 8, to += 8) {
			for (i = 0; i < 8; i++)
				v[i] = env_read(from[i]);
			for (i = 0; i < 8; i++)
				env_write(to[i], v[i]);
		}
		for (; words; words--)
			env_write(*to++, env_read(*from++));
		return;
	}
	for (; words >= 8; words -= 8, src += 64, to += 8) {
		__builtin_memcpy(v, src, 64);
		for (i = 0; i < 8; i++)
			env_write(to[i], v[i]);
	}
	for (; words; words--, src += 8, to++) {
		__builtin_memcpy(v, src, 8);
		env_write(*to, v[0]);
	}
}

void eng_copy_bytes(u8 *dst, const u8 *src, u32 n)
{
	u32 words;

	for (; n > 1 && ((unsigned long)dst & 7); n--)
		env_write(*dst++, env_read(*src++));
	words = n >> 3;
	if (words && !((unsigned long)dst & 7)) {
		/* The last word is the last store when nothing follows it. */
		if (!(n & 7)) {
			copy_words(dst, src, words - 1);
			env_wmb();
			copy_words(dst + 8ul * (words - 1), src + 8ul * (words - 1), 1);
			return;
		}
		copy_words(dst, src, words);
		dst += 8ul * words;
		src += 8ul * words;
		n &= 7;
	}
	for (; n > 1; n--)
		env_write(*dst++, env_read(*src++));
	if (n) {
		env_wmb();
		env_write(*dst, env_read(*src));
	}
}

/* Pointer to @seg at @offset; *@len, a wish, shrinks to what is contiguous. */
static u8 *span(const struct eng_seg *seg, u32 offset, u32 *len)
{
	const struct eng_mr *mr = seg->mr;
	u64 at, size;
	u64 block;
	u64 room;

	if (!mr || mr->identity)
		return (u8 *)(unsigned long)(seg->addr + offset);
	at = seg->addr - mr->iova + mr->first_offset + offset;
	size = 1ull << mr->block_shift;
	block = at >> mr->block_shift;
	room = size - (at & (size - 1));
	at &= size - 1;
	if (env_likely(room >= *len))
		return mr->blocks[block] + at;
	at += (u64)(unsigned long)mr->blocks[block];
	/* Neighbouring blocks are often neighbours in memory too. */
	while (room < *len && mr->blocks[block + 1] == mr->blocks[block] + size) {
		room += size;
		block++;
	}
	if (room < *len)
		*len = (u32)room;
	return (u8 *)(unsigned long)at;
}

u8 *eng_copy_pointer(const struct eng_seg *seg, u32 length)
{
	u32 len = length;
	u8 *p = span(seg, 0, &len);

	return len == length ? p : NULL;
}

static u32 cursor_room(struct eng_cursor *c)
{
	while (c->segs && c->offset == c->seg->length) {
		c->seg++;
		c->segs--;
		c->offset = 0;
	}
	ENV_ASSERT(c->segs);
	return c->segs ? c->seg->length - c->offset : 0;
}

static bool gone(const struct eng_cursor *c)
{
	return c->seg->mr && env_read(c->seg->mr->dead);
}

enum eng_moved eng_copy_run(struct eng_move *move, u32 *budget)
{
	while (move->left) {
		u32 src_room = cursor_room(&move->src);
		u32 dst_room = cursor_room(&move->dst);
		u32 n = move->left;
		u8 *to, *from;

		if (!*budget)
			return ENG_MOVE_MORE;
		if (n > src_room)
			n = src_room;
		if (n > dst_room)
			n = dst_room;
		if (n > *budget)
			n = *budget;
		if (n > ENG_COPY_CHUNK)
			n = ENG_COPY_CHUNK;
		if (env_unlikely(!n))
			return ENG_MOVE_SRC_GONE;
		if (env_unlikely(gone(&move->dst)))
			return ENG_MOVE_DST_GONE;
		if (env_unlikely(gone(&move->src)))
			return ENG_MOVE_SRC_GONE;
		from = span(move->src.seg, move->src.offset, &n);
		to = span(move->dst.seg, move->dst.offset, &n);
		eng_copy_bytes(to, from, n);
		move->src.offset += n;
		move->dst.offset += n;
		move->left -= n;
		*budget -= n;
	}
	return ENG_MOVE_DONE;
}
