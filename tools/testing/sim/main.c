// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * main.c - runs worlds: sim [first seed [number of seeds [steps]]].
 *
 * Prints TAP.  A failure names its seed, which alone replays it.
 */
#include "sim.h"

/* True: everything was kept. */
static bool run(u64 seed, u32 steps, u64 totals[3])
{
	static struct world w;
	u32 i;

	sim_world_init(&w, seed);
	for (i = 0; i < steps && !w.wrong; i++)
		sim_traffic_step(&w);
	if (!w.wrong)
		sim_traffic_settle(&w);
	if (w.wrong) {
		printf("# seed %llu, step %u: %s\n", seed, i, w.wrong);
		return false;
	}
	totals[0] += w.completions;
	totals[1] += w.errors;
	totals[2] += w.flushed;
	sim_world_fini(&w);
	return true;
}

int main(int argc, char **argv)
{
	u64 first = argc > 1 ? strtoull(argv[1], NULL, 0) : (u64)getpid() * 1000;
	u32 seeds = argc > 2 ? (u32)atoi(argv[2]) : 50;
	u32 steps = argc > 3 ? (u32)atoi(argv[3]) : 3000;
	u64 totals[3] = { 0 };
	bool good = true;
	u32 i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..1\n# seeds %llu to %llu, %u steps each\n", first, first + seeds - 1, steps);
	for (i = 0; i < seeds && good; i++)
		good = run(first + i, steps, totals);
	printf("# %llu completions, %llu errors, %llu flushed\n", totals[0], totals[1], totals[2]);
	printf("%sok 1 - every request came back once, in order, with its bytes\n",
	       good ? "" : "not ");
	return !good;
}
