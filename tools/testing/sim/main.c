// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * main.c - runs seeds, each a world of its own, and says how to see a failure again.
 *
 *	sim [--seed N] [--seeds N] [--seconds N] [--steps N] [--way direct|wire|mixed]
 *	    [--with a,b] [--without a,b] [--trace] [--no-shrink]
 *
 * Prints TAP.  Seeds run in a child, so that an assertion, a sanitizer's report or a hang costs
 * one seed and names it.  A failure is run again with ever fewer features and steps; what is left
 * is the line to start with.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include "sim.h"

enum {
	CHUNK = 50,		/* seeds per child */
	SEED_SECONDS = 120,	/* a seed that takes longer hangs; it usually takes milliseconds */
	SHRINK_STEPS = 100,
};

/* Shared with the children. */
struct progress {
	u64 seed;
	bool failed;
	u64 runs, completions, messages, errors, flushed, packets, lost, doubled, late, damaged;
	u64 refused, kept, again, unreliable_sent, unreliable_heard, virtual_ns;
};

static struct progress *progress;
static struct sim_options options = { .way = -1 };
static u64 first_seed, seeds = 50, seconds;
static bool no_shrink;

static void add_totals(const struct world *w)
{
	progress->runs++;
	progress->completions += w->completions;
	progress->messages += w->messages;
	progress->errors += w->errors;
	progress->flushed += w->flushed;
	progress->packets += w->net.carried;
	progress->lost += w->net.lost;
	progress->doubled += w->net.doubled;
	progress->late += w->net.late;
	progress->damaged += w->net.damaged;
	progress->refused += w->net.refused;
	progress->kept += w->net.kept;
	progress->again += w->again;
	progress->unreliable_sent += w->unreliable_sent;
	progress->unreliable_heard += w->unreliable_heard;
	progress->virtual_ns += w->loop.now;
}

/* In a child.  Everything of a seed, from nothing to nothing. */
static bool run_seed(u64 seed)
{
	static struct world w;
	struct sim_config cfg;
	bool good;

	sim_config_draw(&cfg, seed, &options);
	if (options.trace) {
		printf("# %u steps, %u hosts, path MTU %u, features ", cfg.steps, cfg.hosts,
		       cfg.path_mtu);
		sim_features_print(cfg.features);
		printf("\n");
	}
	progress->seed = seed;
	alarm(SEED_SECONDS);
	sim_world_init(&w, &cfg, options.trace);
	good = sim_run(&w);
	if (good)
		add_totals(&w);
	return good;
}

/* Runs [from, from + count) in a child; true: all good. */
static bool run_chunk(u64 from, u64 count, bool quiet)
{
	int status;
	pid_t pid;
	u64 i;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("fork");
		exit(2);
	}
	if (!pid) {
		bool good = true;

		if (quiet && (!freopen("/dev/null", "w", stdout) ||
			      !freopen("/dev/null", "w", stderr)))
			exit(2);
		for (i = 0; i < count && good; i++)
			good = run_seed(from + i);
		fflush(stdout);
		_exit(!good);
	}
	waitpid(pid, &status, 0);
	if (!quiet && WIFSIGNALED(status))
		printf("# seed %llu: ended by signal %d (%s)\n", progress->seed, WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool still_fails(u64 seed, const struct sim_options *try)
{
	struct sim_options keep = options;
	bool fails;

	options = *try;
	options.trace = false;
	fails = !run_chunk(seed, 1, true);
	options = keep;
	return fails;
}

/* Takes away whatever the failure does not need. */
static void shrink(u64 seed)
{
	struct sim_options best = options;
	struct sim_config cfg;
	u32 i;

	for (i = 0; i < SIM_FEATURE_COUNT; i++) {
		struct sim_options try = best;

		sim_config_draw(&cfg, seed, &best);
		if (!sim_has(&cfg, (enum sim_feature)i))
			continue;
		try.without |= 1ull << i;
		if (still_fails(seed, &try))
			best = try;
	}
	sim_config_draw(&cfg, seed, &best);
	for (i = cfg.steps / 2; i >= SHRINK_STEPS; i /= 2) {
		struct sim_options try = best;

		try.steps = i;
		if (!still_fails(seed, &try))
			break;
		best = try;
	}
	printf("# smaller: sim --seed %llu --trace", seed);
	if (best.way >= 0)
		printf(" --way %s", (const char *[]){ "direct", "wire", "mixed" }[best.way]);
	if (best.steps)
		printf(" --steps %u", best.steps);
	if (best.with) {
		printf(" --with ");
		sim_features_print(best.with);
	}
	if (best.without) {
		printf(" --without ");
		sim_features_print(best.without);
	}
	printf("\n");
}

/* Of all children so far: other programs on the machine do not count. */
static u64 cpu_ms(void)
{
	struct rusage use;

	getrusage(RUSAGE_CHILDREN, &use);
	return (u64)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 +
	       (u64)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
}

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000 + (u64)ts.tv_nsec / 1000000;
}

static bool run_all(void)
{
	u64 start = now_ms(), done = 0;

	while (seconds ? now_ms() - start < seconds * 1000 : done < seeds) {
		u64 count = !seconds && seeds - done < CHUNK ? seeds - done : CHUNK;

		if (!run_chunk(first_seed + done, count, false)) {
			printf("# again: sim --seed %llu\n", progress->seed);
			if (!no_shrink)
				shrink(progress->seed);
			return false;
		}
		done += count;
	}
	printf("# %llu runs: %llu messages, %llu completions, %llu errors, %llu flushed\n",
	       progress->runs, progress->messages, progress->completions, progress->errors,
	       progress->flushed);
	printf("# %llu packets carried, %llu lost, %llu doubled, %llu late, %llu damaged, "
	       "%llu refused, %llu kept for later, %llu sent again\n", progress->packets,
	       progress->lost, progress->doubled, progress->late, progress->damaged,
	       progress->refused, progress->kept, progress->again);
	printf("# %llu of %llu unreliable messages heard; %llu s of virtual time\n",
	       progress->unreliable_heard, progress->unreliable_sent,
	       progress->virtual_ns / 1000000000);
	printf("# %llu messages per second of a CPU, in %llu s\n",
	       progress->messages * 1000 / (cpu_ms() + 1), (now_ms() - start) / 1000);
	return true;
}

static void usage(void)
{
	u32 i;

	fprintf(stderr, "sim [--seed N] [--seeds N] [--seconds N] [--steps N]\n"
		"    [--way direct|wire|mixed] [--with LIST] [--without LIST] [--trace] [--no-shrink]\n"
		"Without --seed the first seed is a fresh one.  A LIST is made of:");
	for (i = 0; i < SIM_FEATURE_COUNT; i++)
		fprintf(stderr, " %s", sim_feature_name(i));
	fprintf(stderr, "\n");
	exit(2);
}

static int way_of(const char *name)
{
	static const char *const names[] = { "direct", "wire", "mixed" };
	int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(name, names[i]))
			return i;
	usage();
	return -1;
}

static void parse(int argc, char **argv)
{
	struct timespec ts;
	int i;

	clock_gettime(CLOCK_REALTIME, &ts);
	first_seed = ((u64)ts.tv_sec * 1000000 + (u64)ts.tv_nsec / 1000) % 1000000000 * 1000;
	for (i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--trace")) {
			options.trace = true;
			continue;
		}
		if (!strcmp(argv[i], "--no-shrink")) {
			no_shrink = true;
			continue;
		}
		if (++i >= argc)
			usage();
		if (!strcmp(argv[i - 1], "--seed")) {
			first_seed = strtoull(value, NULL, 0);
			seeds = 1;
		} else if (!strcmp(argv[i - 1], "--seeds")) {
			seeds = strtoull(value, NULL, 0);
		} else if (!strcmp(argv[i - 1], "--seconds")) {
			seconds = strtoull(value, NULL, 0);
		} else if (!strcmp(argv[i - 1], "--steps")) {
			options.steps = (u32)strtoul(value, NULL, 0);
		} else if (!strcmp(argv[i - 1], "--way")) {
			options.way = way_of(value);
		} else if (strcmp(argv[i - 1], "--with") ||
			   !sim_features_parse(value, &options.with)) {
			if (strcmp(argv[i - 1], "--without") ||
			    !sim_features_parse(value, &options.without))
				usage();
		}
	}
}

int main(int argc, char **argv)
{
	bool good;

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return 2;
	if (seconds)
		printf("1..1\n# seeds from %llu, %llu s\n", first_seed, seconds);
	else
		printf("1..1\n# seeds %llu to %llu\n", first_seed, first_seed + seeds - 1);
	good = run_all();
	printf("%sok 1 - every request came back once, in order, with its bytes\n",
	       good ? "" : "not ");
	return !good;
}
