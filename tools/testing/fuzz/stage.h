/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * stage.h - a small simulated world that stays up while a fuzzer plays inputs in it.
 *
 * Two hosts: reliable, extended and unreliable connections on the wire, a reliable one on the
 * direct link, two datagram QPs; windows and fast registrations on the reliable ones.  Each input
 * finds them fresh.  Whatever happens, memory that no region with the right permission and no
 * posted receive covers must stay as it is.
 */
#ifndef FUZZ_STAGE_H
#define FUZZ_STAGE_H

#include "traffic.h"

enum {
	STAGE_RC = 0, STAGE_UC = 2, STAGE_DIRECT = 4, STAGE_XRC = 6, STAGE_UD = 8,
	STAGE_ENDS = 10,
};

extern struct world stage;

/* The bytes of an input; zero when they are used up. */
struct stage_input {
	const u8 *at;
	size_t left;
};

static inline u8 stage_u8(struct stage_input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static inline u32 stage_u16(struct stage_input *in)
{
	u32 low = stage_u8(in);

	return low | (u32)stage_u8(in) << 8;
}

static inline u32 stage_u32(struct stage_input *in)
{
	u32 low = stage_u16(in);

	return low | stage_u16(in) << 16;
}

void stage_begin(void);
/* Says what an input touches: those ends are made fresh again. */
struct end *stage_end(u32 index);
/* Runs what is due, at most @events of it; timers too, if @timers. */
void stage_run(u32 events, bool timers);
/* Number of a window or fast registration of @e's, as it is now. */
u32 stage_key(const struct end *e, u32 which);
/* Gives such a key a meaning: a part of what peers may write anyway. */
struct shca_bind_ops stage_bind(const struct end *e, u32 bits);
void stage_post_send(struct end *e, struct stage_input *in);
void stage_post_receive(struct end *e);
/* Everything comes to rest; aborts when memory was written that nobody allowed. */
void stage_finish(void);

#endif
