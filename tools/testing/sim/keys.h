/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * keys.h - keys that work requests give a meaning and take it away again: memory windows and fast
 * registration.
 *
 * Each end of a reliable connection has one of each kind.  It binds or registers them to a part of
 * what its peer may reach; the peer uses them when it was told that this succeeded, and either side
 * invalidates them.
 */
#ifndef SIM_KEYS_H
#define SIM_KEYS_H

#include "memory.h"

struct end;
struct draft;
struct request;
struct sim_mr;

enum { SIM_KEY_WINDOW1, SIM_KEY_WINDOW2, SIM_KEY_FAST, SIM_KEYS };

/* Makes a key that is none; not one that may be next. */
enum { WRONG_TAG = 0x80 };

enum sim_key_state {
	SIM_KEY_NONE,		/* no meaning: whoever names it is refused */
	SIM_KEY_POSTED,		/* the request that gives it one is not finished */
	SIM_KEY_VALID,
	SIM_KEY_ENDING,		/* an invalidation is not finished, of either side */
};

struct sim_key {
	struct sim_mr *mr;	/* NULL: the run has no such keys */
	enum sim_key_state state;
	u32 number, old;	/* what it is, or will be; and what it was last, 0: nothing */
	u64 iova;
	u32 at, length, access;	/* the part of the arena */
	u32 users, readers;	/* requests and READs of the peer that are not finished */
	u32 locals;		/* requests of the owner's that name it as their memory */
};

/* Fresh keys without a meaning; nothing is on its way any more. */
void sim_keys_renew(struct end *e);
void sim_keys_free(struct end *e);
/* Before the region that windows are bound to goes: they go first, if the engine insists. */
void sim_keys_release_region(struct end *e);

/* Completes a draft of a request that changes a key; false: none is in the state for it. */
bool sim_keys_draft(struct end *e, struct draft *d);
/* The same with a flaw; false: not for this one. */
bool sim_keys_flaw_change(struct end *e, struct draft *d);
/* Has @d use a key of the peer's instead of its region; false: there is none that fits. */
bool sim_keys_use(struct end *e, struct draft *d);
/* Has @d name an own registration as its memory, if there is one that fits. */
void sim_keys_use_own(struct end *e, struct draft *d);
/* As sim_keys_use() for one that must not do. */
bool sim_keys_misuse(struct end *e, struct draft *d);

/* A request is posted, is finished, a receive tells that @number was invalidated. */
void sim_keys_posted(struct end *e, const struct draft *d);
void sim_keys_finished(const struct request *r, u8 status);
bool sim_keys_invalidated(struct end *e, u32 number);	/* false: that was not asked for */

#endif
