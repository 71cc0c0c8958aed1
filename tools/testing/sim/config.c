// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * config.c - draws a run's configuration from its seed.
 *
 * Called by main.c; everybody else reads the result.
 */
#include "config.h"
#include <stdio.h>
#include "rng.h"

static const struct {
	const char *name;
	u32 percent;
} features[SIM_FEATURE_COUNT] = {
#define X(id, name, percent) { name, percent },
	SIM_FEATURES(X)
#undef X
};

const char *sim_feature_name(u32 feature)
{
	return features[feature].name;
}

bool sim_features_parse(const char *list, u64 *result)
{
	u32 i;

	while (*list) {
		size_t n = strcspn(list, ",");

		for (i = 0; i < SIM_FEATURE_COUNT; i++)
			if (strlen(features[i].name) == n && !strncmp(features[i].name, list, n))
				break;
		if (i == SIM_FEATURE_COUNT)
			return false;
		*result |= 1ull << i;
		list += n;
		list += *list == ',';
	}
	return true;
}

void sim_features_print(u64 set)
{
	u32 i;

	for (i = 0; i < SIM_FEATURE_COUNT; i++)
		if (set >> i & 1)
			printf("%s%s", features[i].name, set >> i > 1 ? "," : "");
}

static u32 pick(struct sim_rng *rng, const u32 *values, u32 count)
{
	return values[sim_rng_below(rng, count)];
}

#define PICK(rng, ...) pick(rng, (const u32[]){ __VA_ARGS__ }, \
	sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32))

static void draw_features(struct sim_config *cfg, struct sim_rng *rng,
			  const struct sim_options *options)
{
	const u64 talk = 1ull << SIM_SEND | 1ull << SIM_WRITE | 1ull << SIM_READ |
			 1ull << SIM_ATOMIC;
	u32 i;

	for (i = 0; i < SIM_FEATURE_COUNT; i++)
		if (sim_rng_below(rng, 100) < features[i].percent)
			cfg->features |= 1ull << i;
	/* Every third run is quiet: there nothing is excused. */
	if (sim_rng_one_in(rng, 3))
		cfg->features &= ~(2ull * (1ull << SIM_PORT) - 1);
	cfg->features |= options->with;
	cfg->features &= ~options->without;
	if (!(cfg->features & talk))
		cfg->features |= 1ull << SIM_SEND;
}

static void draw_faults(struct sim_config *cfg, struct sim_rng *rng)
{
	cfg->dup_ppm = PICK(rng, 1000, 10000, 100000);
	cfg->reorder_ppm = PICK(rng, 1000, 20000, 200000);
	cfg->delay_ppm = PICK(rng, 100, 1000, 5000);
	cfg->corrupt_ppm = PICK(rng, 100, 1000, 10000);
	cfg->loss_ppm = sim_has(cfg, SIM_HEAVY) ? PICK(rng, 50000, 100000, 300000) :
						  PICK(rng, 100, 1000, 5000);
	cfg->mask = sim_rng_next(rng) & (sim_rng_one_in(rng, 2) ? sim_rng_next(rng) : ~0ull);
	cfg->mask_at = sim_rng_below(rng, 500);
	cfg->trouble_ppm = PICK(rng, 500, 2000, 10000);
}

void sim_config_draw(struct sim_config *cfg, u64 seed, const struct sim_options *options)
{
	struct sim_rng rng;

	memset(cfg, 0, sizeof(*cfg));
	sim_rng_seed(&rng, seed, 1);
	cfg->seed = seed;
	draw_features(cfg, &rng, options);
	draw_faults(cfg, &rng);
	cfg->steps = PICK(&rng, 500, 1500, 3000);
	cfg->way = PICK(&rng, SIM_DIRECT, SIM_WIRE, SIM_WIRE, SIM_MIXED, SIM_MIXED);
	cfg->hosts = sim_rng_range(&rng, 1, 4);
	cfg->pairs = sim_rng_range(&rng, 1, 5);
	cfg->datagrams = sim_has(cfg, SIM_UD) ? sim_rng_range(&rng, 2, 4) : 0;
	cfg->depth = PICK(&rng, 4, 16, 16, 32);
	cfg->path_mtu = PICK(&rng, 256, 512, 1024, 2048, 4096);
	cfg->slice = PICK(&rng, 1024, 4096, 8192, 20000);
	cfg->think_ns = PICK(&rng, 200, 2000, 2000, 20000);
	cfg->work_ns = PICK(&rng, 1, 5000, 50000);
	cfg->latency_ns = PICK(&rng, 1, 2000, 20000);
	cfg->jitter_ns = PICK(&rng, 1, 1000, 10000);
	cfg->small = sim_rng_below(&rng, 3);
	if (options->steps)
		cfg->steps = options->steps;
	if (options->way >= 0)
		cfg->way = (enum sim_way)options->way;
}
