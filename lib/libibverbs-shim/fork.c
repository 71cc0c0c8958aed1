// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fork.c - keeps registered memory out of the copy-on-write of fork().
 *
 * Called by programs (ibv_fork_init), by device.c (the environment) and by cmd_mr.c for each
 * registration.  Kernels that copy pinned pages at fork need none of this, and say so over
 * netlink; on others the pages of a region are marked MADV_DONTFORK until the last region over
 * them is gone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shim.h"

enum fork_state {
	STATE_OFF,		/* ibv_fork_init() was not called */
	STATE_TRACKING,
	STATE_UNNEEDED,		/* the kernel copies pinned pages */
};

/* Pages [start, end) that refs regions cover; the list is sorted, without overlap and gapless
 * neighbours of equal refs are one segment.
 */
struct segment {
	uintptr_t start;
	uintptr_t end;
	unsigned int refs;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* All of it protected by mutex; state and too_late are also peeked at without. */
static enum fork_state state;
static bool too_late;		/* memory was registered while the state was off */
static bool huge_pages;		/* ask the kernel for the page size of each region */
static uintptr_t page_size;	/* bytes */
static struct segment *segments;
static size_t segment_count, segment_room;

static pthread_once_t env_once = PTHREAD_ONCE_INIT;

/* MADV_DONTFORK is what everything rests on: try it (G062). */
static int probe_madvise(void)
{
	void *page;
	int err = 0;

	page = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return ENOMEM;
	if (madvise(page, page_size, MADV_DONTFORK) || madvise(page, page_size, MADV_DOFORK))
		err = ENOSYS;
	munmap(page, page_size);
	return err;
}

static int init_locked(void)
{
	int err;

	if (state != STATE_OFF)
		return 0;
	if (shim_discover_copy_on_fork()) {
		state = STATE_UNNEEDED;
		return 0;
	}
	if (too_late)
		return EINVAL;
	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	huge_pages = getenv("RDMAV_HUGEPAGES_SAFE") != NULL;
	err = probe_madvise();
	if (!err)
		__atomic_store_n(&state, STATE_TRACKING, __ATOMIC_RELEASE);
	return err;
}

SHIM_EXPORT int ibv_fork_init(void)
{
	int err;

	pthread_mutex_lock(&mutex);
	err = init_locked();
	pthread_mutex_unlock(&mutex);
	return shim_error_set(err);
}

SHIM_EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	enum ibv_fork_status status;

	pthread_mutex_lock(&mutex);
	if (state == STATE_OFF)
		status = shim_discover_copy_on_fork() ? IBV_FORK_UNNEEDED : IBV_FORK_DISABLED;
	else
		status = state == STATE_TRACKING ? IBV_FORK_ENABLED : IBV_FORK_UNNEEDED;
	pthread_mutex_unlock(&mutex);
	return status;
}

static bool variable_set(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "0");
}

static void read_env(void)
{
	if (!variable_set("RDMAV_FORK_SAFE") && !variable_set("IBV_FORK_SAFE"))
		return;
	if (ibv_fork_init())
		fprintf(stderr, "libibverbs: fork support was asked for and is not to be had\n");
}

void shim_fork_init_from_env(void)
{
	pthread_once(&env_once, read_env);
}

/* The page size behind an address, from the listing of the process's mappings (G063). */
static uintptr_t real_page_size(uintptr_t addr)
{
	uintptr_t size = page_size;
	unsigned long start, end, kib;
	bool inside = false;
	char line[512];
	FILE *maps;

	maps = fopen("/proc/self/smaps", "re");
	if (!maps)
		return size;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = addr >= start && addr < end;
		else if (inside && sscanf(line, "KernelPageSize: %lu kB", &kib) == 1) {
			size = kib * 1024;
			break;
		}
	}
	fclose(maps);
	return size;
}

static bool round_range(void *addr, size_t length, uintptr_t *start, uintptr_t *end)
{
	uintptr_t size = huge_pages ? real_page_size((uintptr_t)addr) : page_size;

	*start = (uintptr_t)addr & ~(size - 1);
	*end = ((uintptr_t)addr + length + size - 1) & ~(size - 1);
	return length && *end > *start;
}

/* Index of the first segment that ends behind addr. */
static size_t find_segment(uintptr_t addr)
{
	size_t low = 0, high = segment_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (segments[mid].end > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Room for count more segments, so that what follows cannot fail in the middle. */
static int reserve(size_t count)
{
	size_t room = segment_count + count;
	struct segment *grown;

	if (room <= segment_room)
		return 0;
	room += room / 2;
	grown = realloc(segments, room * sizeof(*grown));
	if (!grown)
		return ENOMEM;
	segments = grown;
	segment_room = room;
	return 0;
}

static void insert(size_t at, uintptr_t start, uintptr_t end, unsigned int refs)
{
	memmove(&segments[at + 1], &segments[at], (segment_count - at) * sizeof(*segments));
	segments[at] = (struct segment){ .start = start, .end = end, .refs = refs };
	segment_count++;
}

static void drop(size_t at)
{
	segment_count--;
	memmove(&segments[at], &segments[at + 1], (segment_count - at) * sizeof(*segments));
}

/* Makes addr the border of segments when it lies inside one. */
static void split(uintptr_t addr)
{
	size_t i = find_segment(addr);

	if (i < segment_count && segments[i].start < addr) {
		insert(i, segments[i].start, addr, segments[i].refs);
		segments[i + 1].start = addr;
	}
}

static void merge(size_t from, uintptr_t end)
{
	size_t i = from ? from - 1 : 0;

	while (i + 1 < segment_count && segments[i].start <= end) {
		if (segments[i].end == segments[i + 1].start &&
		    segments[i].refs == segments[i + 1].refs) {
			segments[i].end = segments[i + 1].end;
			drop(i + 1);
		} else {
			i++;
		}
	}
}

/* The number of segments that a range can add: its borders and the gaps between the others. */
static size_t new_segments(uintptr_t start, uintptr_t end)
{
	size_t i, overlapping = 0;

	for (i = find_segment(start); i < segment_count && segments[i].start < end; i++)
		overlapping++;
	return overlapping + 3;
}

static void count_up(uintptr_t start, uintptr_t end)
{
	uintptr_t at = start;
	size_t i, first;

	split(start);
	split(end);
	first = i = find_segment(start);
	while (at < end) {
		if (i == segment_count || segments[i].start > at) {
			uintptr_t gap_end = i < segment_count && segments[i].start < end ?
				segments[i].start : end;

			insert(i, at, gap_end, 1);
		} else {
			segments[i].refs++;
		}
		at = segments[i++].end;
	}
	merge(first, end);
}

/* Pages that no region covers any more go back; their errors count, but stop nothing. */
static int count_down(uintptr_t start, uintptr_t end)
{
	size_t i, first;
	int err = 0;

	split(start);
	split(end);
	first = i = find_segment(start);
	while (i < segment_count && segments[i].start < end) {
		if (--segments[i].refs) {
			i++;
			continue;
		}
		if (madvise((void *)segments[i].start, segments[i].end - segments[i].start,
			    MADV_DOFORK))
			err = errno;
		drop(i);
	}
	merge(first, end);
	return err;
}

static int exclude_locked(uintptr_t start, uintptr_t end)
{
	int err = reserve(new_segments(start, end));

	if (err)
		return err;
	count_up(start, end);
	if (madvise((void *)start, end - start, MADV_DONTFORK)) {
		err = errno;
		count_down(start, end);
	}
	return err;
}

int shim_fork_exclude(void *addr, size_t length)
{
	uintptr_t start, end;
	int err = 0;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != STATE_TRACKING) {
		if (!__atomic_load_n(&too_late, __ATOMIC_RELAXED))
			__atomic_store_n(&too_late, true, __ATOMIC_RELAXED);
		return 0;
	}
	pthread_mutex_lock(&mutex);
	if (round_range(addr, length, &start, &end))
		err = exclude_locked(start, end);
	pthread_mutex_unlock(&mutex);
	return err;
}

int shim_fork_include(void *addr, size_t length)
{
	uintptr_t start, end;
	int err = 0;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != STATE_TRACKING)
		return 0;
	pthread_mutex_lock(&mutex);
	if (round_range(addr, length, &start, &end)) {
		err = reserve(2);
		if (!err)
			err = count_down(start, end);
	}
	pthread_mutex_unlock(&mutex);
	return err;
}

/* Both return -1 with errno on failure. */
SHIM_EXPORT int ibv_dontfork_range(void *base, size_t size)
{
	return shim_error_set(shim_fork_exclude(base, size)) ? -1 : 0;
}

SHIM_EXPORT int ibv_dofork_range(void *base, size_t size)
{
	return shim_error_set(shim_fork_include(base, size)) ? -1 : 0;
}
