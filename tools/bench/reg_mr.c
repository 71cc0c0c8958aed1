// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * reg_mr - what registering memory costs, printed as "name<TAB>size<TAB>value<TAB>unit".
 *
 *   reg_mr [DEVICE]
 *
 * For each size the best of many rounds of registering and deregistering a range that is resident
 * already, so that neither page faults nor whoever else uses the CPU are measured: in small pages,
 * and in huge ones where the kernel has them.
 */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define RUN_US		500000.0	/* per figure */
#define MIN_ROUNDS	4		/* however long they take */

static const size_t sizes[] = { 4096, 65536, 1 << 20, 64 << 20, 1 << 30 };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *resident(size_t bytes, int advice)
{
	char *addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (addr == MAP_FAILED)
		fail("mmap");
	madvise(addr, bytes, advice);
	memset(addr, 1, bytes);
	return addr;
}

static void measure(struct ibv_pd *pd, const char *pages, void *addr, size_t bytes)
{
	double best_reg_us = 1e12, best_dereg_us = 1e12, start_us = now_us(), t0, t1, t2;
	struct ibv_mr *mr;
	int rounds;

	for (rounds = 0; rounds < MIN_ROUNDS || now_us() - start_us < RUN_US; rounds++) {
		t0 = now_us();
		mr = ibv_reg_mr(pd, addr, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
		if (!mr)
			fail("ibv_reg_mr");
		t1 = now_us();
		if (ibv_dereg_mr(mr))
			fail("ibv_dereg_mr");
		t2 = now_us();
		if (t1 - t0 < best_reg_us)
			best_reg_us = t1 - t0;
		if (t2 - t1 < best_dereg_us)
			best_dereg_us = t2 - t1;
	}
	printf("reg_%s\t%zu\t%.2f\tus\n", pages, bytes, best_reg_us);
	printf("dereg_%s\t%zu\t%.2f\tus\n", pages, bytes, best_dereg_us);
	fflush(stdout);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	for (int i = 0; list && list[i] && !context; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	if (!context)
		fail("no such RDMA device");
	return context;
}

int main(int argc, char **argv)
{
	struct ibv_context *context = open_device(argc > 1 ? argv[1] : getenv("KV_DEV"));
	struct ibv_pd *pd = ibv_alloc_pd(context);
	size_t largest = sizes[sizeof(sizes) / sizeof(*sizes) - 1];
	void *addr;

	if (!pd)
		fail("ibv_alloc_pd");
	addr = resident(largest, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		measure(pd, "small_pages", addr, sizes[i]);
	munmap(addr, largest);
	addr = resident(largest, MADV_HUGEPAGE);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		measure(pd, "huge_pages", addr, sizes[i]);
	munmap(addr, largest);
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
	return 0;
}
