/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * hold.h - packets that came before their turn.
 */
#ifndef ENG_HOLD_H
#define ENG_HOLD_H

#include "types.h"

enum eng_held {
	ENG_HELD_NOT,		/* too far ahead, or the host has no room */
	ENG_HELD_TWICE,		/* it is here already */
	ENG_HELD,
};

/*
 * Keeps @packet, whose number is @psn, while the turn is at @next; else it remains the caller's.
 */
ENG_PRIVATE enum eng_held eng_hold_keep(struct eng_qp *qp, struct eng_list *held,
					struct eng_packet *packet, u32 psn, u32 next);

static inline struct eng_packet *eng_hold_first(const struct eng_list *held)
{
	return held->first ? eng_item_packet(held->first) : NULL;
}

/* The first one that is not in front of @psn; NULL: none. */
ENG_PRIVATE struct eng_packet *eng_hold_from(const struct eng_list *held, u32 psn);

/* Is the packet here whose turn it is? */
static inline bool eng_hold_ready(const struct eng_list *held, u32 next)
{
	return env_unlikely(held->first != NULL) && eng_hold_first(held)->psn == next;
}

#endif
