/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * headers.h - bytes of the headers on a RoCEv2 wire, and big-endian access to them.
 *
 * Read by the rooms that know packets and by the one that makes up a GRH; knows no QP.
 */
#ifndef ENG_HEADERS_H
#define ENG_HEADERS_H

#include <shca_env.h>

enum eng_header_bytes {
	ENG_IPV4_BYTES		= 20,
	ENG_IPV6_BYTES		= 40,
	ENG_UDP_BYTES		= 8,
	ENG_BTH_BYTES		= 12,
	ENG_RETH_BYTES		= 16,
	ENG_ATOMIC_ETH_BYTES	= 28,
	ENG_AETH_BYTES		= 4,
	ENG_ATOMIC_ACK_BYTES	= 8,
	ENG_IMM_BYTES		= 4,
	ENG_IETH_BYTES		= 4,
	ENG_DETH_BYTES		= 8,
	ENG_XRCETH_BYTES	= 4,
	ENG_ICRC_BYTES		= 4,
};

static inline void eng_put_be16(u8 *at, u32 v)
{
	at[0] = v >> 8 & 0xff;
	at[1] = v & 0xff;
}

static inline void eng_put_be32(u8 *at, u32 v)
{
	eng_put_be16(at, v >> 16);
	eng_put_be16(at + 2, v);
}

static inline void eng_put_be64(u8 *at, u64 v)
{
	eng_put_be32(at, (u32)(v >> 32));
	eng_put_be32(at + 4, (u32)v);
}

static inline u32 eng_get_be32(const u8 *at)
{
	return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3];
}

static inline u64 eng_get_be64(const u8 *at)
{
	return (u64)eng_get_be32(at) << 32 | eng_get_be32(at + 4);
}

#endif
