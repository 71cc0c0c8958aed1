// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * bench.c - nanoseconds of the engine per operation, one thread, no system call.
 *
 * "one" posts, rings, polls one request at a time (the latency path); "burst" posts 16 before it
 * rings.  Arguments: a divisor of the number of rounds, the number of one case.  Figures of one
 * machine compare with each other only.
 */
#include <time.h>
#include "pair.h"

static u32 divide = 1;		/* of the number of rounds: for runs under an instrument */

static double ns_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void poll_all(struct host_cq *cq, u32 n)
{
	struct shca_cqe wc;

	while (n)
		if (host_poll(cq, &wc)) {
			if (wc.status)
				abort();
			n--;
		}
}

struct bench_case {
	const char *name;
	u8 opcode;
	u32 length, burst;
	u8 flags;
};

static const struct bench_case cases[] = {
	{ "write", WR_WRITE, 8, 1, 0 },
	{ "write inline", WR_WRITE, 8, 1, SHCA_SEND_INLINE },
	{ "write", WR_WRITE, 8, 16, 0 },
	{ "write inline", WR_WRITE, 8, 16, SHCA_SEND_INLINE },
	{ "write", WR_WRITE, 64, 16, 0 },
	{ "send", WR_SEND, 8, 1, 0 },
	{ "send inline", WR_SEND, 8, 1, SHCA_SEND_INLINE },
	{ "send", WR_SEND, 64, 16, 0 },
	{ "read", WR_READ, 8, 1, 0 },
	{ "read", WR_READ, 8, 16, 0 },
	{ "fetch and add", WR_FAA, 8, 1, 0 },
	{ "write", WR_WRITE, 4096, 16, 0 },
	{ "write", WR_WRITE, 65536, 16, 0 },
	{ "read", WR_READ, 65536, 16, 0 },
};

static void run(struct pair *p, const struct bench_case *what)
{
	u32 length = what->length, burst = what->burst;
	u8 opcode = what->opcode, flags = what->flags;
	u32 total = (length > 4096 ? 20000 : 1000000) / divide, i, k;
	struct host_wr wr = pair_wr(p, opcode, 1, length);
	bool recv = opcode == WR_SEND || opcode == WR_WRITE_IMM;
	static u8 buf[256];
	double start, ns;

	if (flags & SHCA_SEND_INLINE)
		wr.addr = buf;
	wr.flags |= flags;
	wr.raddr = (wr.raddr + 7) & ~7ull;
	start = ns_now();
	for (i = 0; i < total; i += burst) {
		for (k = 0; k < burst; k++) {
			if (recv)
				pair_recv(p, 1, 0, length);
			host_put_send(&p->a, &wr);
		}
		if (!env_read(p->a.shared->running))
			host_doorbell(&p->a);
		while (env_read(p->a.shared->sq_cons) != p->a.sq_prod)
			host_work();
		poll_all(&p->acq, burst);
		if (recv)
			poll_all(&p->bcq, burst);
	}
	ns = (ns_now() - start) / total;
	printf("%-24s %7u B  burst %2u  %8.1f ns", what->name, length, burst, ns);
	if (length >= 4096)
		printf("  %6.2f GB/s", length / ns);
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct pair p;
	int only = -1;
	u32 i;

	if (argc > 1)
		divide = (u32)strtoul(argv[1], NULL, 0);
	if (argc > 2)
		only = atoi(argv[2]);
	pair_init(&p);
	p.amr.eng.iova -= 24;
	p.bmr.eng.iova -= 24;
	p.amr.eng.first_offset = p.bmr.eng.first_offset = 0;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (only < 0 || only == (int)i)
			run(&p, &cases[i]);
	pair_fini(&p);
	return 0;
}
