/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_main.h - a ping-pong program from its command line to its figures. */
#ifndef PP_MAIN_H
#define PP_MAIN_H

#include "pingpong.h"

static inline double pp_now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static inline void pp_report(const struct pp_options *o, double messages, double seconds)
{
	double bytes = 2 * messages * o->size;

	printf("%.0f bytes in %.2f seconds = %.2f Mbit/sec\n", bytes, seconds,
	       bytes * 8 / seconds / 1e6);
	printf("%.0f iters in %.2f seconds = %.2f usec/iter\n", messages, seconds,
	       seconds * 1e6 / messages);
}

static inline int pp_main(int argc, char **argv, const struct pp_kind *kind)
{
	struct pp_run run = { .sent = 0 };
	struct pp p = { .kind = kind };
	int end = pp_parse(argc, argv, kind, &p.o);
	double start;
	bool ok;

	if (end)
		return end - 1;
	srand((unsigned int)getpid());
	ok = pp_make(&p) && pp_introduce(&p, pp_ready);
	start = pp_now();
	ok = ok && pp_play(&p, &run);
	if (ok)
		pp_report(&p.o, p.o.iterations, pp_now() - start);
	if (ok && run.stamps > 1)
		printf("%llu completions over %llu ticks of the device's clock\n",
		       (unsigned long long)run.stamps,
		       (unsigned long long)(run.last_tick - run.first_tick));
	if (!pp_unmake(&p) && ok)
		ok = pp_fail("destroy");
	return !ok;
}

#endif
