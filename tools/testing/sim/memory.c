// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * memory.c - arenas, their shadows, and what may differ between the two.
 *
 * Called by the model, which makes promises and judges them, and by the world, which makes arenas.
 */
#include "memory.h"

enum {
	PAGE = 4096,
	GUARD = 72,		/* bytes between slots; moves their starts through all alignments */
	LEAD = 24,		/* before the first one */
	GRH = 40,
	GUARD_BYTE = 0xa5,
	LONGEST = 65536,
};

static u32 slots_of(const struct sim_memory *m)
{
	return SIM_WORD * m->depth + 1;
}

static u32 slot_number(const struct sim_memory *m, enum sim_area area, u32 index)
{
	return area == SIM_WORD ? SIM_WORD * m->depth :
				  (u32)area * m->depth + (index & (m->depth - 1));
}

static struct sim_slot *slot_of(const struct sim_memory *m, enum sim_area area, u32 index)
{
	return &m->slots[slot_number(m, area, index)];
}

u32 sim_memory_at(const struct sim_memory *m, enum sim_area area, u32 index)
{
	return LEAD + slot_number(m, area, index) * m->stride;
}

u32 sim_memory_bytes(const struct sim_memory *m)
{
	return LEAD + slots_of(m) * m->stride;
}

static u8 *calloc_pages(u32 pages)
{
	u8 *mem = NULL;

	if (posix_memalign((void **)&mem, PAGE, (size_t)pages * PAGE))
		abort();
	memset(mem, GUARD_BYTE, (size_t)pages * PAGE);
	return mem;
}

void sim_memory_init(struct sim_memory *m, u32 depth, u32 slice, struct sim_rng *rng)
{
	u32 i;

	m->depth = depth;
	m->slice = slice;
	m->stride = ((slice + GRH + 7) & ~7u) + GUARD;
	m->pages = (sim_memory_bytes(m) + GUARD + PAGE - 1) / PAGE;
	m->real = calloc_pages(m->pages + 2);
	m->shadow = calloc_pages(m->pages);
	m->blocks = calloc(m->pages, sizeof(*m->blocks));
	m->slots = calloc(slots_of(m), sizeof(*m->slots));
	/* Aligned to 8, as atomics need it; near the top of the address space now and then. */
	m->base = sim_rng_one_in(rng, 4) ? 0ull - (u64)m->pages * PAGE :
					   (sim_rng_next(rng) >> 8) & ~7ull;
	for (i = 0; i < m->pages; i++) {
		u32 other = sim_rng_below(rng, i + 1);

		m->blocks[i] = m->blocks[other];
		m->blocks[other] = m->real + (size_t)(i + 1) * PAGE;
	}
}

void sim_memory_fini(struct sim_memory *m)
{
	free(m->real);
	free(m->shadow);
	free(m->blocks);
	free(m->slots);
}

static u32 chunk(u32 at, u32 left)
{
	u32 room = PAGE - at % PAGE;

	return left < room ? left : room;
}

void sim_memory_read(const struct sim_memory *m, u32 at, void *to, u32 length)
{
	u8 *out = to;
	u32 n;

	for (; length; length -= n, at += n, out += n) {
		n = chunk(at, length);
		memcpy(out, m->blocks[at / PAGE] + at % PAGE, n);
	}
}

void sim_memory_write(struct sim_memory *m, u32 at, const void *from, u32 length)
{
	const u8 *in = from;
	u32 n;

	memcpy(m->shadow + at, from, length);
	for (; length; length -= n, at += n, in += n) {
		n = chunk(at, length);
		memcpy(m->blocks[at / PAGE] + at % PAGE, in, n);
	}
}

static bool same(const struct sim_memory *m, u32 at, const u8 *bytes, u32 length)
{
	u32 n;

	for (; length; length -= n, at += n, bytes += n) {
		n = chunk(at, length);
		if (memcmp(m->blocks[at / PAGE] + at % PAGE, bytes, n))
			return false;
	}
	return true;
}

void sim_memory_pattern(u8 *to, u32 length, u64 seed)
{
	u64 word = seed * 0x9e3779b97f4a7c15ull;

	for (; length >= 8; length -= 8, to += 8) {
		memcpy(to, &word, 8);
		word = (word << 7 | word >> 57) + 0x632be59bd9b4e019ull;
	}
	memcpy(to, &word, length);
}

void sim_memory_put(struct sim_memory *m, enum sim_area area, u32 index, u32 length, u64 seed)
{
	static u8 bytes[LONGEST];

	sim_memory_pattern(bytes, length, seed);
	sim_memory_write(m, sim_memory_at(m, area, index), bytes, length);
}

void sim_memory_promise(struct sim_memory *m, enum sim_area area, u32 index,
			struct sim_slot promise)
{
	*slot_of(m, area, index) = promise;
}

enum sim_seen sim_memory_seen(const struct sim_memory *m, enum sim_area area, u32 index)
{
	static u8 want[LONGEST], is[LONGEST];
	const struct sim_slot *slot = slot_of(m, area, index);
	u32 at = sim_memory_at(m, area, index);
	bool old, new;
	u32 i;

	sim_memory_pattern(want, slot->length, slot->seed);
	new = same(m, at, want, slot->length);
	old = same(m, at, m->shadow + at, slot->length);
	if (new || old)
		return new && old ? SIM_SEEN_EITHER : new ? SIM_SEEN_NEW : SIM_SEEN_OLD;
	sim_memory_read(m, at, is, slot->length);
	for (i = 0; i < slot->length; i++)
		if (is[i] != want[i] && is[i] != m->shadow[at + i])
			return SIM_SEEN_ALIEN;
	return SIM_SEEN_PART;
}

void sim_memory_adopt(struct sim_memory *m, enum sim_area area, u32 index)
{
	struct sim_slot *slot = slot_of(m, area, index);
	u32 at = sim_memory_at(m, area, index);

	/* At rest nothing may have changed, so there is nothing to take over. */
	if (slot->promise != SIM_REST)
		sim_memory_read(m, at, m->shadow + at, slot->length);
	slot->promise = SIM_REST;
}

bool sim_memory_holds(const struct sim_memory *m, enum sim_area area, u32 index, u32 skip,
		      struct sim_slot what)
{
	static u8 want[LONGEST];

	sim_memory_pattern(want, what.length, what.seed);
	return same(m, sim_memory_at(m, area, index) + skip, want, what.length);
}

bool sim_memory_rest_kept(const struct sim_memory *m, enum sim_area area, u32 index, u32 from)
{
	u32 at = sim_memory_at(m, area, index) + from;

	return same(m, at, m->shadow + at, m->stride - from);
}

static bool slot_kept(const struct sim_memory *m, u32 number)
{
	enum sim_area area = (enum sim_area)(number / m->depth);
	u32 index = number % m->depth;
	const struct sim_slot *slot = &m->slots[number];

	if (slot->promise == SIM_REST)
		return sim_memory_rest_kept(m, area, index, 0);
	if (slot->promise == SIM_MAYBE && sim_memory_seen(m, area, index) == SIM_SEEN_ALIEN)
		return false;
	return sim_memory_rest_kept(m, area, index, slot->length);
}

static bool all_guard(const u8 *page)
{
	static u8 guard[PAGE];

	if (!guard[0])
		memset(guard, GUARD_BYTE, PAGE);
	return !memcmp(page, guard, PAGE);
}

bool sim_memory_check(const struct sim_memory *m, u32 *at)
{
	u32 i;

	for (i = 0; i < slots_of(m); i++) {
		*at = LEAD + i * m->stride;
		if (!slot_kept(m, i))
			return false;
	}
	*at = ~0u;
	return same(m, 0, m->shadow, LEAD) && all_guard(m->real) &&
	       all_guard(m->real + (size_t)(m->pages + 1) * PAGE) &&
	       same(m, sim_memory_bytes(m), m->shadow + sim_memory_bytes(m),
		    m->pages * PAGE - sim_memory_bytes(m));
}
