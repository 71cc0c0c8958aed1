// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * usermem.c - user memory for the doors: one piece, of exactly the input's length.
 *
 * Called by the code under test through the names of <linux/uaccess.h>.  Other addresses fault.
 * With @usermem_moves set, what was read once is another byte the next time, as when a second
 * thread of the program writes meanwhile.
 */
#include "usermem.h"

static u8 *memory;
static size_t bytes;
static u8 moves;

void usermem_set(const u8 *data, size_t size, u8 changes)
{
	free(memory);
	memory = malloc(size ? size : 1);
	if (!memory)
		abort();
	memcpy(memory, data, size);
	bytes = size;
	moves = changes;
}

/* Where user address @at is, or NULL when not all of @n bytes are there. */
static u8 *find(const void *at, size_t n)
{
	unsigned long offset = (unsigned long)at - USERMEM_BASE;

	if (offset > bytes || n > bytes - offset)
		return NULL;
	return memory + offset;
}

unsigned long copy_from_user(void *to, const void *from, size_t n)
{
	u8 *at = find(from, n);
	size_t i;

	if (!n)
		return 0;
	if (!at) {
		/* As in the kernel: nothing of what was there before stays. */
		memset(to, 0, n);
		return n;
	}
	memcpy(to, at, n);
	for (i = 0; moves && i < n; i += 7)
		at[i] ^= moves;
	return 0;
}

unsigned long copy_to_user(void *to, const void *from, size_t n)
{
	u8 *at = find(to, n);

	if (!n)
		return 0;
	if (!at)
		return n;
	memcpy(at, from, n);
	return 0;
}

unsigned long clear_user(void *to, size_t n)
{
	u8 *at = find(to, n);

	if (!n)
		return 0;
	if (!at)
		return n;
	memset(at, 0, n);
	return 0;
}

int check_zeroed_user(const void *from, size_t n)
{
	u8 *at = find(from, n);

	if (!n)
		return 1;
	if (!at)
		return -EFAULT;
	return !memchr_inv(at, 0, n);
}

bool access_ok(const void *at, size_t n)
{
	return (unsigned long)at < 1ul << 47 && n < 1ul << 47;
}
