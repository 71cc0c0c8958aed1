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

/* Sources need not be aligned; a load of eight bytes costs the same on the machines we know. */
static ENG_INLINE u64 load(const u8 *src, bool aligned)
{
	u64 v;

	if (aligned)
		return env_read(*(const u64 *)src);
	__builtin_memcpy(&v, src, 8);
	return v;
}

/* Unrolled by hand: compilers that are not to optimise for speed leave the loop alone. */
static ENG_INLINE void copy_blocks(u8 *dst, const u8 *src, u32 words, bool aligned)
{
	u64 *to = (u64 *)dst;

	for (; words >= 8; words -= 8, src += 64, to += 8) {
		u64 a = load(src, aligned), b = load(src + 8, aligned);
		u64 c = load(src + 16, aligned), d = load(src + 24, aligned);
		u64 e = load(src + 32, aligned), f = load(src + 40, aligned);
		u64 g = load(src + 48, aligned), h = load(src + 56, aligned);

		env_write(to[0], a);
		env_write(to[1], b);
		env_write(to[2], c);
		env_write(to[3], d);
		env_write(to[4], e);
		env_write(to[5], f);
		env_write(to[6], g);
		env_write(to[7], h);
	}
	for (; words; words--, src += 8, to++)
		env_write(*to, load(src, aligned));
}

static void copy_words(u8 *dst, const u8 *src, u32 words)
{
	if (((unsigned long)src & 7) == 0)
		copy_blocks(dst, src, words, true);
	else
		copy_blocks(dst, src, words, false);
}

static void copy_singly(u8 *dst, const u8 *src, u32 n)
{
	for (; n; n--)
		env_write(*dst++, env_read(*src++));
}

void eng_copy_bytes(u8 *dst, const u8 *src, u32 n)
{
	u32 head = (u32)-(unsigned long)dst & 7;
	u32 last;

	if (!n)
		return;
	if (head >= n)
		head = n - 1;
	copy_singly(dst, src, head);
	dst += head;
	src += head;
	n -= head;
	/* The last store is a word when nothing follows it. */
	last = n & 7 ? 1 : 8;
	if (((unsigned long)dst & 7) == 0 && n > last) {
		u32 words = (n - last) >> 3;

		copy_words(dst, src, words);
		dst += 8ul * words;
		src += 8ul * words;
		n -= 8 * words;
	}
	if (n == 8 && ((unsigned long)dst & 7) == 0) {
		env_wmb();
		copy_words(dst, src, 1);
		return;
	}
	copy_singly(dst, src, n - 1);
	env_wmb();
	copy_singly(dst + n - 1, src + n - 1, 1);
}

/* A null region has one page for all addresses, and the sources' is not the destinations'. */
static ENG_COLD u8 *null_span(const struct eng_mr *mr, u64 at, bool to, u32 *len)
{
	u32 within = (u32)at & ((1u << mr->block_shift) - 1);

	if (*len > (1u << mr->block_shift) - within)
		*len = (1u << mr->block_shift) - within;
	return mr->blocks[to] + within;
}

/* Pointer to @seg at @offset; *@len, a wish, shrinks to what is contiguous. @to: for writing. */
static u8 *span(const struct eng_seg *seg, u32 offset, u32 *len, bool to)
{
	const struct eng_mr *mr = seg->mr;
	u64 at, size;
	u64 block;
	u64 room;

	if (!mr || mr->identity) {
		if (env_unlikely(mr && mr->null))
			return null_span(mr, seg->addr + offset, to, len);
		return (u8 *)(unsigned long)(seg->addr + offset);
	}
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
	u8 *p = span(seg, 0, &len, true);

	return len == length ? p : NULL;
}

/* As span(), for what lies in one block. */
static ENG_INLINE u8 *near(const struct eng_seg *seg, u32 length)
{
	const struct eng_mr *mr = seg->mr;
	u64 at, within, size;

	if (!mr)
		return (u8 *)(unsigned long)seg->addr;
	if (env_unlikely(mr->identity || env_read(mr->dead)))
		return NULL;
	at = seg->addr - mr->iova + mr->first_offset;
	size = 1ull << mr->block_shift;
	within = at & (size - 1);
	if (env_unlikely(within + length > size))
		return NULL;
	return mr->blocks[at >> mr->block_shift] + within;
}

bool eng_copy_quick(const struct eng_seg *dst, const struct eng_seg *src, u32 length)
{
	u8 *to;
	const u8 *from;

	if (length > ENG_COPY_CHUNK || dst->length < length || src->length < length)
		return false;
	to = near(dst, length);
	from = near(src, length);
	if (!to || !from)
		return false;
	if (length == 8 && (((unsigned long)to | (unsigned long)from) & 7) == 0)
		env_write(*(u64 *)to, env_read(*(const u64 *)from));
	else
		eng_copy_bytes(to, from, length);
	return true;
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

u32 eng_tx_next(struct eng_tx *tx, const u8 **at, u32 max)
{
	u32 room = cursor_room(&tx->payload);
	u32 n = max < room ? max : room;

	if (!n)
		return 0;
	*at = span(tx->payload.seg, tx->payload.offset, &n, false);
	tx->payload.offset += n;
	return n;
}

static bool gone(const struct eng_seg *seg)
{
	return seg->mr && env_read(seg->mr->dead);
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
		if (env_unlikely(gone(move->dst.seg)))
			return ENG_MOVE_DST_GONE;
		if (env_unlikely(gone(move->src.seg)))
			return ENG_MOVE_SRC_GONE;
		from = span(move->src.seg, move->src.offset, &n, false);
		to = span(move->dst.seg, move->dst.offset, &n, true);
		eng_copy_bytes(to, from, n);
		move->src.offset += n;
		move->dst.offset += n;
		move->left -= n;
		*budget -= n;
	}
	return ENG_MOVE_DONE;
}
