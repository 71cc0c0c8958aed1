/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * mutate.h - between the library and the kernel: system calls to the device that say, by the tape's
 * will, something else than the library meant.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mutate_mapping {
	void *at;
	size_t bytes;
};

enum { MUTATE_MAPPINGS = 64 };

/* Calls that reached the device, and how many of them were changed. */
struct mutate_counts {
	unsigned long calls, changed, failed;
};

extern bool mutate_armed;
extern struct mutate_counts *mutate_counts;	/* shared by all children */
extern struct mutate_mapping mutate_mappings[MUTATE_MAPPINGS];
extern unsigned int mutate_mapped;

/* Needs one page with nothing behind it; false: no memory. */
bool mutate_begin(void);

#endif
