/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * psn.h - arithmetic of 24-bit packet sequence numbers.
 *
 * Used by requester and responder; knows no QP.
 */
#ifndef ENG_PSN_H
#define ENG_PSN_H

#include <shca_env.h>
#include "limits.h"

static inline u32 eng_psn_add(u32 psn, u32 n)
{
	return (psn + n) & ENG_PSN_MASK;
}

/* How far @a is ahead of @b: negative when behind; half of the circle each (IBTA 9.7.2). */
static inline s32 eng_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/* PSNs that a message of @length bytes takes: one per packet of the path MTU, at least one. */
static inline u32 eng_psn_count(u32 length, u32 mtu_shift)
{
	if (env_likely(length <= 1u << mtu_shift))
		return 1;
	return (u32)(((u64)length + (1u << mtu_shift) - 1) >> mtu_shift);
}

#endif
