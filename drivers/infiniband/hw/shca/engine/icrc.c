// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * icrc.c - the invariant CRC of RoCEv2, as far as headers of the network make it special.
 *
 * Called by hosts that build or check packets.  Knows bytes only.  IBTA annex A17.3.3: the CRC is
 * that of Ethernet, over eight bytes of ones (where a local route header would be), IP, UDP, and
 * everything from the BTH on, with those fields as ones that change on the way: traffic class, flow
 * label and hop limit of IPv6; type of service, time to live and checksum of IPv4; the checksum of
 * UDP; the reserved byte of the BTH that carries congestion marks.
 */
#include "headers.h"
#include "wire.h"

enum { LRH = 8 };

static u32 mask_ipv4(u8 *ip)
{
	ip[1] = 0xff;
	ip[8] = 0xff;
	ip[10] = ip[11] = 0xff;
	return ENG_IPV4_BYTES;
}

static u32 mask_ipv6(u8 *ip)
{
	ip[0] |= 0x0f;
	ip[1] = ip[2] = ip[3] = 0xff;
	ip[7] = 0xff;
	return ENG_IPV6_BYTES;
}

u32 eng_icrc_net(const u8 *net, const u8 *udp)
{
	u8 pseudo[LRH + ENG_IPV6_BYTES + ENG_UDP_BYTES];
	u8 *at = pseudo;

	env_memset(at, 0xff, LRH);
	at += LRH;
	if (net[0] >> 4 == 6) {
		env_memcpy(at, net, ENG_IPV6_BYTES);
		at += mask_ipv6(at);
	} else {
		env_memcpy(at, net, ENG_IPV4_BYTES);
		at += mask_ipv4(at);
	}
	env_memcpy(at, udp, ENG_UDP_BYTES);
	at[6] = at[7] = 0xff;
	at += ENG_UDP_BYTES;
	return env_crc32(~0u, pseudo, (u32)(at - pseudo));
}

u32 eng_icrc_bth(u32 crc, u8 *bth, u32 bytes)
{
	u8 congestion = bth[4];

	bth[4] = 0xff;
	crc = env_crc32(crc, bth, bytes);
	bth[4] = congestion;
	return crc;
}
