// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * hold.c - packets that came before their turn wait for what is missing in front of them.
 *
 * Called by arrival.c.  The packet itself is kept, not its effect: nothing is written and nobody is
 * told before its turn, so order is what it is without losses.  What waits is ordered by PSN, each
 * number once and no further ahead than a sender's window, which bounds it; and the host may refuse
 * to keep more.
 */
#include "hold.h"
#include "inbox.h"
#include "psn.h"

enum eng_held eng_hold_keep(struct eng_qp *qp, struct eng_list *held, struct eng_packet *packet,
			    u32 psn, u32 next)
{
	s32 ahead = eng_psn_diff(psn, next);
	struct eng_item **at = &held->first;

	if (ahead <= 0 || ahead >= ENG_SEND_WINDOW_MAX)
		return ENG_HELD_NOT;
	if (held->first && eng_psn_diff(psn, eng_item_packet(held->last)->psn) > 0)
		at = &held->last->next;
	while (*at && eng_psn_diff(psn, eng_item_packet(*at)->psn) > 0)
		at = &(*at)->next;
	if (*at && eng_item_packet(*at)->psn == psn)
		return ENG_HELD_TWICE;
	if (!qp->dev->ops->packet_keep(packet))
		return ENG_HELD_NOT;
	packet->psn = psn;
	packet->held = true;
	packet->item.next = *at;
	if (!*at)
		held->last = &packet->item;
	*at = &packet->item;
	qp->counters[ENG_CNT_RX_HELD]++;
	(void)env_fetch_add(&qp->packets_waiting, -1ull);
	return ENG_HELD;
}

struct eng_packet *eng_hold_from(const struct eng_list *held, u32 psn)
{
	struct eng_item *item;

	for (item = held->first; item; item = item->next) {
		struct eng_packet *packet = eng_item_packet(item);

		if (eng_psn_diff(packet->psn, psn) >= 0)
			return packet;
	}
	return NULL;
}
