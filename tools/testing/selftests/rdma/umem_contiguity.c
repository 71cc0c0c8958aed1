// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that neighbouring pages become one entry of a region's scatterlist: a region in huge pages
 * has no more entries than it has huge pages, up to 1 GiB. The kernel itself is asked, by a probe
 * on the return of ib_umem_get(); where it has no probes this is a skip.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

#define TRACING		"/sys/kernel/tracing"
#define HUGE_BYTES	(2ul << 20)
/* Offsets in struct ib_umem of kernel 6.1, which lockdep would change. */
#define PROBE		"r:kverbs/umem ib_umem_get length=+24($retval):u64 entries=+88($retval):u32"

static struct fixture f;

static bool tracing_write(const char *file, const char *text)
{
	char path[128];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), TRACING "/%s", file);
	fd = open(path, O_WRONLY | O_APPEND);
	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

/* Entries of the region of that length which was registered last, -1 when the trace has none. */
static long traced_entries(size_t bytes)
{
	FILE *trace = fopen(TRACING "/trace", "r");
	unsigned long length, entries;
	long found = -1;
	char line[512];
	const char *at;

	while (trace && fgets(line, sizeof(line), trace)) {
		at = strstr(line, "length=");
		if (at && sscanf(at, "length=%lu entries=%lu", &length, &entries) == 2 &&
		    length == bytes)
			found = entries;
	}
	if (trace)
		fclose(trace);
	return found;
}

/* KiB of this process in huge pages. */
static unsigned long huge_kib(void)
{
	FILE *smaps = fopen("/proc/self/smaps_rollup", "r");
	unsigned long kib = 0;
	char line[128];

	while (smaps && fgets(line, sizeof(line), smaps))
		if (sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			break;
	if (smaps)
		fclose(smaps);
	return kib;
}

static void test_size(size_t bytes)
{
	unsigned long before = huge_kib(), pages = bytes / HUGE_BYTES;
	char *map = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = (char *)(((uintptr_t)map + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	struct ibv_mr *mr;
	long entries;

	if (map == MAP_FAILED)
		tap_bail("mmap");
	madvise(at, bytes, MADV_HUGEPAGE);
	memset(at, 1, bytes);
	if ((huge_kib() - before) * 1024 < bytes) {
		tap_skip("the machine has not %lu huge pages", pages);
	} else {
		mr = ibv_reg_mr(f.pd, at, bytes, IBV_ACCESS_LOCAL_WRITE);
		tap_ok(mr, "%zu MiB register", bytes >> 20);
		entries = traced_entries(bytes);
		tap_ok(entries > 0 && (unsigned long)entries <= pages,
		       "they are %ld entries for %lu huge pages", entries, pages);
		if (mr)
			tap_is(ibv_dereg_mr(mr), 0, "and deregister");
	}
	munmap(map, bytes + HUGE_BYTES);
}

int main(void)
{
	fixture_open(&f);
	if (!access("/proc/lockdep", F_OK)) {
		tap_skip("struct ib_umem is not what the probe knows");
		return tap_end();
	}
	if (!tracing_write("kprobe_events", PROBE "\n") ||
	    !tracing_write("events/kverbs/umem/enable", "1")) {
		tap_skip("no probes in this kernel");
		return tap_end();
	}
	test_size(HUGE_BYTES);
	test_size(64ul << 20);
	test_size(1ul << 30);
	tracing_write("events/kverbs/umem/enable", "0");
	tracing_write("kprobe_events", "-:kverbs/umem\n");
	fixture_close(&f);
	return tap_end();
}
