// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * limits - what the machine itself can do, printed as "name<TAB>size<TAB>value<TAB>unit".
 *
 * No verb is called: these are the ceilings that the figures of an RDMA device are read
 * against. memcpy is one core copying between two buffers that fit the last-level cache no
 * better than a real transfer does; the null system call is what a doorbell cannot beat.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ARENA_BYTES	(8U << 20)	/* each of source and destination */
#define RUN_NS		200000000ULL	/* per figure */
#define BATCH		64		/* operations between looks at the clock */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* MB/s of memcpy in pieces of that size, walking through the whole arena. */
static double copy_rate(char *to, const char *from, size_t size)
{
	uint64_t start = now_ns(), end, bytes = 0;
	size_t at = 0;

	do {
		for (int i = 0; i < BATCH; i++) {
			memcpy(to + at, from + at, size);
			/* The compiler may not drop or merge the copies. */
			__asm__ volatile("" : : "r"(to) : "memory");
			bytes += size;
			at = at + 2 * size <= ARENA_BYTES ? at + size : 0;
		}
		end = now_ns();
	} while (end - start < RUN_NS);
	return (double)bytes * 1000.0 / (double)(end - start);
}

static double call_cost_us(void)
{
	uint64_t start = now_ns(), end, calls = 0;

	do {
		for (int i = 0; i < BATCH; i++)
			syscall(SYS_getppid);
		calls += BATCH;
		end = now_ns();
	} while (end - start < RUN_NS);
	return (double)(end - start) / 1000.0 / (double)calls;
}

int main(void)
{
	static const size_t sizes[] = { 8, 64, 512, 4096, 65536, 1048576 };
	char *to = aligned_alloc(4096, ARENA_BYTES), *from = aligned_alloc(4096, ARENA_BYTES);

	if (!to || !from) {
		perror("limits: memory");
		return 1;
	}
	memset(to, 1, ARENA_BYTES);
	memset(from, 2, ARENA_BYTES);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		printf("memcpy\t%zu\t%.2f\tMB/s\n", sizes[i], copy_rate(to, from, sizes[i]));
	printf("syscall\t0\t%.3f\tus\n", call_cost_us());
	free(to);
	free(from);
	return 0;
}
