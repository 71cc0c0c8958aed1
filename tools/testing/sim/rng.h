/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * rng.h - the only source of chance in a run.
 *
 * Each purpose has a stream of its own, so that switching faults off leaves the traffic as it was
 * for as long as the faults do not matter to it.
 */
#ifndef SIM_RNG_H
#define SIM_RNG_H

#include <shca_env.h>

struct sim_rng {
	u64 state;
};

/* A step of splitmix64. */
static inline u64 sim_rng_next(struct sim_rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline void sim_rng_seed(struct sim_rng *rng, u64 seed, u64 stream)
{
	rng->state = seed * 0x2545f4914f6cdd1dull + stream;
	rng->state = sim_rng_next(rng);
}

/* 0 <= result < @below. */
static inline u32 sim_rng_below(struct sim_rng *rng, u32 below)
{
	return (u32)((sim_rng_next(rng) >> 32) * below >> 32);
}

/* From @low to @high, both included. */
static inline u32 sim_rng_range(struct sim_rng *rng, u32 low, u32 high)
{
	return low + sim_rng_below(rng, high - low + 1);
}

static inline bool sim_rng_ppm(struct sim_rng *rng, u32 ppm)
{
	return ppm && sim_rng_below(rng, 1000000) < ppm;
}

static inline bool sim_rng_one_in(struct sim_rng *rng, u32 n)
{
	return !sim_rng_below(rng, n);
}

#endif
