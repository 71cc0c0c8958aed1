/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * memory.h - the memory of one application, and a second copy of what it must contain.
 *
 * An arena is cut into slots with guards between them: one per request for what is sent or
 * fetched, one per receive, one per request of the peer's.  Every byte is either as in the shadow
 * copy, or it belongs to a slot whose change was promised by a request that is not finished.  So
 * whatever is written outside a permitted range is found, be it by guards, by slots at rest, or by
 * the part of a slot that a message does not reach.
 *
 * The pages of an arena lie in random order, as pinned memory does.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "rng.h"

enum sim_area {
	SIM_OUT,	/* source of SEND and WRITE, sink of READ and atomics */
	SIM_IN,		/* receives */
	SIM_TARGET,	/* what the peer writes and reads */
	SIM_WORD,	/* one slot: the peer's atomics */
	SIM_AREAS,
};

enum sim_promise {
	SIM_REST,	/* as in the shadow */
	SIM_MAYBE,	/* each byte is still the old one, or that of the pattern */
	SIM_ANY,	/* a message may be arriving */
};

/* How much of a promise has come true. */
enum sim_seen { SIM_SEEN_OLD, SIM_SEEN_NEW, SIM_SEEN_EITHER, SIM_SEEN_PART, SIM_SEEN_ALIEN };

struct sim_slot {
	enum sim_promise promise;
	u32 length;
	u64 seed;
};

struct sim_memory {
	u32 depth, slice, stride, pages;
	u8 *real;		/* pages in random order, one more at each end */
	u8 *shadow;		/* in order */
	u8 **blocks;		/* page of the arena to its memory */
	u64 base;		/* address of byte 0 in work requests */
	struct sim_slot *slots;
};

void sim_memory_init(struct sim_memory *m, u32 depth, u32 slice, struct sim_rng *rng);
void sim_memory_fini(struct sim_memory *m);

/* Offset in the arena; + m->base is the address that a work request names. */
u32 sim_memory_at(const struct sim_memory *m, enum sim_area area, u32 index);
u32 sim_memory_bytes(const struct sim_memory *m);

/* Bytes of a pattern, any number of them. */
void sim_memory_pattern(u8 *to, u32 length, u64 seed);
/* The application itself writes @length bytes of a pattern. */
void sim_memory_put(struct sim_memory *m, enum sim_area area, u32 index, u32 length, u64 seed);
void sim_memory_read(const struct sim_memory *m, u32 at, void *to, u32 length);
void sim_memory_write(struct sim_memory *m, u32 at, const void *from, u32 length);

void sim_memory_promise(struct sim_memory *m, enum sim_area area, u32 index,
			struct sim_slot promise);
enum sim_seen sim_memory_seen(const struct sim_memory *m, enum sim_area area, u32 index);
/* The promise is over, whatever became of it: what is there now is what must stay there. */
void sim_memory_adopt(struct sim_memory *m, enum sim_area area, u32 index);
/* Do @length bytes from @skip on hold the pattern, and is the rest of the slot as it was? */
bool sim_memory_holds(const struct sim_memory *m, enum sim_area area, u32 index, u32 skip,
		      struct sim_slot what);
bool sim_memory_rest_kept(const struct sim_memory *m, enum sim_area area, u32 index, u32 from);

/* Everything; false: something was written that nobody allowed, at offset @at. */
bool sim_memory_check(const struct sim_memory *m, u32 *at);

#endif
