// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_icrc.c - the invariant CRC against values computed by another program (Python's zlib, from
 * the text of IBTA annex A17), and that exactly the variant fields do not matter to it.
 */
#include "cable.h"
#include "tap.h"

enum { SPORT = 0xc0de, QPN = 0x11, PSN = 0xabcdef };

struct wire_bytes {
	u8 net[40], udp[8], body[12 + 64 + 4];
	u32 net_bytes, body_bytes;
};

static void put(u8 *at, u32 v, u32 bytes)
{
	while (bytes--) {
		at[bytes] = (u8)v;
		v >>= 8;
	}
}

/* A SEND ONLY of @n bytes from host 1 to host 2. */
static void make(struct wire_bytes *w, u32 family, u32 n)
{
	u32 pad = -n & 3, i;

	memset(w, 0, sizeof(*w));
	w->body_bytes = 12 + n + pad;
	w->body[0] = 0x04;
	w->body[1] = (u8)(0x40 | pad << 4);
	put(w->body + 2, 0xffff, 2);
	w->body[4] = 0x65;			/* congestion marks and reserved bits */
	put(w->body + 5, QPN, 3);
	put(w->body + 8, 0x80000000 | PSN, 4);
	for (i = 0; i < n; i++)
		w->body[12 + i] = (u8)(i * 7 + 3);
	put(w->udp, SPORT, 2);
	put(w->udp + 2, ENG_WIRE_UDP_PORT, 2);
	put(w->udp + 4, 8 + w->body_bytes + 4, 2);
	put(w->udp + 6, 0x5555, 2);
	if (family == 6) {
		w->net_bytes = 40;
		put(w->net, 0x602abcde, 4);
		put(w->net + 4, 8 + w->body_bytes + 4, 2);
		w->net[6] = 17;
		w->net[7] = 64;
		w->net[8] = w->net[24] = 0xfd;
		w->net[23] = 1;
		w->net[39] = 2;
		return;
	}
	w->net_bytes = 20;
	put(w->net, 0x4502, 2);
	put(w->net + 2, 20 + 8 + w->body_bytes + 4, 2);
	put(w->net + 4, 0x12344000, 4);
	put(w->net + 8, 0x4011abcd, 4);
	put(w->net + 12, 0x0a000001, 4);
	put(w->net + 16, 0x0a000002, 4);
}

static u32 icrc(struct wire_bytes *w)
{
	return ~eng_icrc_bth(eng_icrc_net(w->net, w->udp), w->body, w->body_bytes);
}

/* F08: payloads of every length modulo four, whose pad is part of what is covered. */
static void test_vectors(void)
{
	static const struct {
		u32 family, bytes;
		u8 icrc[4];
	} vectors[] = {
		{ 4, 0, { 0x99, 0xdc, 0xfd, 0x5c } },
		{ 4, 1, { 0x86, 0xd6, 0x1f, 0xf0 } },
		{ 4, 2, { 0x1f, 0xcc, 0xea, 0xb9 } },
		{ 4, 3, { 0xde, 0x4e, 0x94, 0x26 } },
		{ 4, 4, { 0xc7, 0x49, 0x9a, 0x71 } },
		{ 4, 64, { 0x63, 0x94, 0xfc, 0xe3 } },
		{ 6, 0, { 0x4a, 0x19, 0xad, 0x04 } },
		{ 6, 1, { 0x5f, 0xeb, 0xe5, 0x93 } },
		{ 6, 2, { 0xc6, 0xf1, 0x10, 0xda } },
		{ 6, 3, { 0x07, 0x73, 0x6e, 0x45 } },
		{ 6, 4, { 0x1e, 0x74, 0x60, 0x12 } },
		{ 6, 64, { 0x9e, 0xd7, 0x88, 0xdb } },
	};
	struct wire_bytes w;
	u32 i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const u8 *v = vectors[i].icrc;

		make(&w, vectors[i].family, vectors[i].bytes);
		CHECK_EQ(icrc(&w), v[0] | v[1] << 8 | v[2] << 16 | (u32)v[3] << 24);
	}
}

static bool variant(const struct wire_bytes *w, u32 byte, u32 bit)
{
	if (w->net_bytes == 20)
		return byte == 1 || byte == 8 || byte == 10 || byte == 11;
	/* The version stays, the traffic class begins in the same byte. */
	return (byte == 0 && bit < 4) || (byte >= 1 && byte <= 3) || byte == 7;
}

/* Flips each bit of a packet: the value changes, but for the variant fields. */
static void flip_all(u32 family)
{
	struct wire_bytes w;
	u32 before, i;

	make(&w, family, 13);
	before = icrc(&w);
	for (i = 0; i < 8 * w.net_bytes; i++) {
		/* The version bits choose the layout. */
		if (i / 8 == 0 && i % 8 >= 4)
			continue;
		w.net[i / 8] ^= 1 << i % 8;
		CHECK_EQ(icrc(&w) == before, variant(&w, i / 8, i % 8));
		w.net[i / 8] ^= 1 << i % 8;
	}
	for (i = 0; i < 64; i++) {
		w.udp[i / 8] ^= 1 << i % 8;
		CHECK_EQ(icrc(&w) == before, i / 8 >= 6);
		w.udp[i / 8] ^= 1 << i % 8;
	}
	for (i = 0; i < 8 * w.body_bytes; i++) {
		w.body[i / 8] ^= 1 << i % 8;
		CHECK_EQ(icrc(&w) == before, i / 8 == 4);
		w.body[i / 8] ^= 1 << i % 8;
	}
}

static void test_variant_fields(void)
{
	CHECK_SUB(flip_all(4));
	CHECK_SUB(flip_all(6));
}

static const struct tap_test tests[] = {
	{ "F08: values of another program, every pad", test_vectors },
	{ "variant fields, and only they, do not count", test_variant_fields },
};

TAP_MAIN(tests)
