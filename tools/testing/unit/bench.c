// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * bench.c - nanoseconds of the engine per operation, one thread, no system call.
 *
 * "one" posts, rings, polls one request at a time (the latency path); "burst" posts 16 before it
 * rings.  Figures of one machine compare with each other only.
 */
#include <time.h>
#include "pair.h"

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

static void run(struct pair *p, const char *name, u8 opcode, u32 length, u32 burst, u8 flags)
{
	u32 total = length > 4096 ? 20000 : 1000000, i, k;
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
	printf("%-24s %7u B  burst %2u  %8.1f ns", name, length, burst, ns);
	if (length >= 4096)
		printf("  %6.2f GB/s", length / ns);
	printf("\n");
}

int main(void)
{
	static struct pair p;

	pair_init(&p);
	p.amr.eng.iova -= 24;
	p.bmr.eng.iova -= 24;
	p.amr.eng.first_offset = p.bmr.eng.first_offset = 0;
	run(&p, "write", WR_WRITE, 8, 1, 0);
	run(&p, "write inline", WR_WRITE, 8, 1, SHCA_SEND_INLINE);
	run(&p, "write", WR_WRITE, 8, 16, 0);
	run(&p, "write inline", WR_WRITE, 8, 16, SHCA_SEND_INLINE);
	run(&p, "write", WR_WRITE, 64, 16, 0);
	run(&p, "send", WR_SEND, 8, 1, 0);
	run(&p, "send inline", WR_SEND, 8, 1, SHCA_SEND_INLINE);
	run(&p, "send", WR_SEND, 64, 16, 0);
	run(&p, "read", WR_READ, 8, 1, 0);
	run(&p, "read", WR_READ, 8, 16, 0);
	run(&p, "fetch and add", WR_FAA, 8, 1, 0);
	run(&p, "write", WR_WRITE, 4096, 16, 0);
	run(&p, "write", WR_WRITE, 65536, 16, 0);
	run(&p, "read", WR_READ, 65536, 16, 0);
	pair_fini(&p);
	return 0;
}
