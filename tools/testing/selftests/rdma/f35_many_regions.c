// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F35: very many small registrations with fork support on. They cost no mappings of
 * the process where the kernel copies pinned pages at a fork, so none fails with ENOMEM; and a
 * child comes and goes in the middle of it.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define REGIONS		30000
#define REGION_BYTES	128
#define LIMIT_MS	25000	/* a slow machine makes fewer */

static struct ibv_mr *regions[REGIONS];

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int lines = 0, c;

	while (maps && (c = fgetc(maps)) != EOF)
		lines += c == '\n';
	if (maps)
		fclose(maps);
	return lines;
}

int main(void)
{
	int made, before, after, status = -1, bad = 0, i;
	double start;
	struct fixture f;
	pid_t child;
	char *heap;

	if (ibv_fork_init())
		tap_bail("fork init");
	fixture_open(&f);
	heap = malloc((size_t)REGIONS * 2 * REGION_BYTES);
	if (!heap)
		tap_bail("memory");
	memset(heap, 1, (size_t)REGIONS * 2 * REGION_BYTES);
	before = mappings();
	/* Every other piece, so that pages hold registered and other data side by side. */
	start = now_ms();
	for (made = 0; made < REGIONS && now_ms() - start < LIMIT_MS; made++) {
		regions[made] = ibv_reg_mr(f.pd, heap + (size_t)made * 2 * REGION_BYTES,
					   REGION_BYTES, IBV_ACCESS_LOCAL_WRITE);
		if (!regions[made])
			break;
	}
	after = mappings();
	tap_ok(made == REGIONS || now_ms() - start >= LIMIT_MS, "%d small regions are registered",
	       made);
	if (ibv_is_fork_initialized() == IBV_FORK_UNNEEDED)
		tap_ok(after < before + 100, "they cost no mappings: %d before, %d after", before,
		       after);
	else
		tap_skip("this kernel needs mappings for it");
	child = fork();
	if (!child) {
		for (i = 0; i < REGIONS * 2; i++)
			bad += heap[(size_t)i * REGION_BYTES] != 1;
		_exit(bad ? 1 : 0);
	}
	tap_ok(waitpid(child, &status, 0) == child && !status, "a child reads all of it");
	for (i = 0; i < made; i++)
		bad += ibv_dereg_mr(regions[i]) != 0;
	tap_is(bad, 0, "all are deregistered");
	free(heap);
	fixture_close(&f);
	return tap_end();
}
