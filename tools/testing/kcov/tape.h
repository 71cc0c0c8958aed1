/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * tape.h - where a program's decisions come from: a row of bytes, so that whoever changes a byte
 * changes one decision, and whoever plays the same bytes again makes the same calls. Behind its end
 * everything is zero, which means "nothing special".
 */
#ifndef FUZZ_TAPE_H
#define FUZZ_TAPE_H

#include <stdbool.h>
#include <stdint.h>

#define TAPE_BYTES 256

struct tape {
	uint16_t bytes;
	uint16_t at;
	uint8_t data[TAPE_BYTES];
};

extern struct tape tape;

static inline bool tape_ended(void)
{
	return tape.at >= tape.bytes;
}

static inline uint8_t tape_u8(void)
{
	return tape_ended() ? 0 : tape.data[tape.at++];
}

static inline uint32_t tape_below(uint32_t n)
{
	return n ? tape_u8() % n : 0;
}

static inline uint64_t tape_bytes(unsigned int n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | tape_u8();
	return value;
}

/* A number that is often one of those where things change. */
static inline uint64_t tape_number(void)
{
	static const uint64_t edges[] = {
		0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 1023, 1024,
		4095, 4096, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffff000, 0xffffffffffffffff,
	};
	uint8_t how = tape_u8();

	if (how < 192)
		return edges[how % (sizeof(edges) / sizeof(edges[0]))];
	return tape_bytes(1u << (how & 3));
}

#endif
