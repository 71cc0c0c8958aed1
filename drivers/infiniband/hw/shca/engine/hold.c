// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * hold.c - packets that came before their turn wait for what is missing in front of them.
 *
 * Called by arrival.c.  The packet itself is kept, not its effect: nothing is written and nobody is
 * told before its turn, so order is what it is without losses.  What waits is ordered by PSN, each
 * number once and no further ahead than a sender's window, which bounds it; it stays counted among
 * the packets of the QP, and the host may refuse to keep more of them.
 */
#include "hold.h"
#include "inbox.h"
#include "psn.h"

bool eng_hold_keep(struct eng_qp *qp, struct eng_list *held, struct eng_packet *packet, u32 psn,
		   u32 next)
{
	s32 ahead = eng_psn_diff(psn, next);
	struct eng_item **at = &held->first;

	if (ahead <= 0 || ahead >= ENG_SEND_WINDOW_MAX)
		return false;
	if (held->first && eng_psn_diff(psn, env_container(held->last, struct eng_packet,
							   item)->psn) > 0)
		at = &held->last->next;
	while (*at && eng_psn_diff(psn, env_container(*at, struct eng_packet, item)->psn) > 0)
		at = &(*at)->next;
	if (*at && env_container(*at, struct eng_packet, item)->psn == psn)
		return false;
	if (!qp->dev->ops->packet_keep(packet))
		return false;
	packet->psn = psn;
	packet->held = true;
	packet->item.next = *at;
	if (!*at)
		held->last = &packet->item;
	*at = &packet->item;
	return true;
}
