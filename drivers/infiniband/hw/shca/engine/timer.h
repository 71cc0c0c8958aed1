/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * timer.h - what happens to a reliable sender as time passes.
 */
#ifndef ENG_TIMER_H
#define ENG_TIMER_H

#include "types.h"

/* A packet leaves; it is one whose acknowledge tells the round trip time when @sample. */
ENG_PRIVATE void eng_timer_sent(struct eng_qp *qp, u32 psn, bool sample);
/* @packets more are acknowledged, the last of them @psn. */
ENG_PRIVATE void eng_timer_progress(struct eng_qp *qp, u32 psn, u32 packets);
/* Packet @oldest of those in flight is known to be lost.  False: that was known before. */
ENG_PRIVATE bool eng_timer_lost(struct eng_qp *qp, u32 oldest);
/* Everything from the oldest packet on goes again. */
ENG_PRIVATE void eng_timer_go_back(struct eng_qp *qp);
/* Both. */
ENG_PRIVATE void eng_timer_recover(struct eng_qp *qp);
/* The oldest packets went again: if they are lost, that must be noticed without a NAK. */
ENG_PRIVATE void eng_timer_repaired(struct eng_qp *qp);
/* A step: is a deadline over? */
ENG_PRIVATE void eng_timer_tick(struct eng_qp *qp);
/* The end of a step: whatever is in flight has a deadline. */
ENG_PRIVATE void eng_timer_rest(struct eng_qp *qp);
/* The time of this step. */
ENG_PRIVATE u64 eng_timer_now(struct eng_qp *qp);

#endif
