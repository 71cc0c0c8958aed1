/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * cable_raw.h - packets that tests write byte by byte, as a stranger or a broken peer would.
 */
#ifndef UNIT_CABLE_RAW_H
#define UNIT_CABLE_RAW_H

#include "cable_pair.h"

static inline void raw_put(struct cable_packet *k, u64 v, u32 bytes)
{
	for (; bytes; bytes--)
		k->bytes[k->length++] = (u8)(v >> 8 * (bytes - 1));
}

/* A BTH for @to, from @from's host. */
static inline void raw_bth(struct cable_packet *k, const struct host_qp *from,
			   const struct host_qp *to, u8 opcode, u32 psn)
{
	memset(k, 0, sizeof(*k));
	cable_gid(from->host, k->src);
	cable_gid(to->host, k->dst);
	raw_put(k, opcode, 1);
	raw_put(k, 0x40, 1);
	raw_put(k, 0xffff, 2);
	raw_put(k, to->qpn, 4);
	raw_put(k, 0x80000000 | (psn & 0xffffff), 4);
}

static inline void raw_reth(struct cable_packet *k, u64 va, u32 rkey, u32 length)
{
	raw_put(k, va, 8);
	raw_put(k, rkey, 4);
	raw_put(k, length, 4);
}

static inline void raw_atomic(struct cable_packet *k, u64 va, u32 rkey, u64 swap, u64 compare)
{
	raw_put(k, va, 8);
	raw_put(k, rkey, 4);
	raw_put(k, swap, 8);
	raw_put(k, compare, 8);
}

static inline void raw_aeth(struct cable_packet *k, u8 syndrome, u32 msn)
{
	raw_put(k, (u32)syndrome << 24 | msn, 4);
}

/* @n bytes of @fill, padded to words, as the BTH is told. */
static inline void raw_payload(struct cable_packet *k, u32 n, u8 fill)
{
	memset(k->bytes + k->length, fill, n);
	k->length += (n + 3) & ~3u;
	k->bytes[1] = (u8)((k->bytes[1] & ~0x30) | (-n & 3) << 4);
}

#endif
