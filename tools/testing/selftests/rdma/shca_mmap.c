// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_mmap.c - mapping rings in every wrong way gives a clean error, and a mapping that outlives
 * its queue or is raced by its destruction stays harmless (field case F25).
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "shca_raw.h"

#define RACE_ROUNDS	2000

static int try_map(int fd, uint64_t offset, size_t size, int prot, int flags, void **at)
{
	void *mapped = mmap(NULL, size, prot, flags, fd, offset);

	if (mapped == MAP_FAILED)
		return errno;
	if (at)
		*at = mapped;
	else
		munmap(mapped, size);
	return 0;
}

static void wrong_ways(const struct raw *raw)
{
	const int rw = PROT_READ | PROT_WRITE;
	struct shca_mmap_info *map;
	struct raw_cq cq;
	int err;

	if (raw_create_cq(raw, &cq, 100))
		tap_bail("create CQ");
	map = &cq.resp.shca.map;
	tap_is(try_map(raw->fd, map->offset + 4096, map->size, rw, MAP_SHARED, NULL), EINVAL,
	       "an offset inside a ring is no offset");
	tap_is(try_map(raw->fd, map->offset, map->size + 4096, rw, MAP_SHARED, NULL), EINVAL,
	       "a mapping larger than the ring is refused");
	tap_is(try_map(raw->fd, map->offset, 4096, rw, MAP_SHARED, NULL),
	       map->size == 4096 ? 0 : EINVAL, "a part of a ring is refused");
	tap_is(try_map(raw->fd, 1ull << 40, 4096, rw, MAP_SHARED, NULL), EINVAL,
	       "an offset that nobody gave out is refused");
	tap_is(try_map(raw->fd, map->offset, map->size, rw, MAP_PRIVATE, NULL), EINVAL,
	       "a private mapping is refused");
	err = try_map(raw->fd, map->offset, map->size, rw | PROT_EXEC, MAP_SHARED, NULL);
	tap_ok(err == EINVAL || err == EPERM || err == EACCES, "an executable mapping is refused");
	tap_is(try_map(raw->fd, map->offset, map->size, rw, MAP_SHARED, NULL), 0,
	       "the right way works");
	raw_destroy_cq(raw, cq.resp.ib.cq_handle);
	tap_is(try_map(raw->fd, map->offset, map->size, rw, MAP_SHARED, NULL), EINVAL,
	       "the offset of a destroyed queue is refused");
}

static void doorbell_page(const struct raw *raw)
{
	const struct shca_mmap_info *map = &raw->ctx.shca.doorbell_page;
	struct shca_doorbell_page *page;

	tap_is(try_map(raw->fd, map->offset, map->size, PROT_READ | PROT_WRITE, MAP_SHARED, NULL),
	       EPERM, "the doorbell page cannot be mapped for writing");
	if (!tap_is(try_map(raw->fd, map->offset, map->size, PROT_READ, MAP_SHARED,
			    (void **)&page), 0, "the doorbell page can be mapped for reading"))
		return;
	tap_is(page->live, SHCA_DOORBELL_LIVE, "the doorbell page says that the device lives");
	tap_is(mprotect(page, map->size, PROT_READ | PROT_WRITE) ? errno : 0, EACCES,
	       "write access cannot be added later");
	munmap(page, map->size);
}

static void foreign_context(const struct raw *raw)
{
	struct raw other;
	struct raw_cq cq;

	raw_open(&other);
	if (raw_create_cq(raw, &cq, 5000))
		tap_bail("create CQ");
	tap_is(try_map(other.fd, cq.resp.shca.map.offset, cq.resp.shca.map.size,
		       PROT_READ | PROT_WRITE, MAP_SHARED, NULL), EINVAL,
	       "another open of the device cannot map the ring");
	close(other.doorbell);
	close(other.fd);
	raw_destroy_cq(raw, cq.resp.ib.cq_handle);
}

/* The pages of a destroyed queue stay the process's own: nobody else writes there. */
static void outlives(const struct raw *raw)
{
	struct shca_mmap_info map;
	struct raw_cq cq, next;
	uint8_t *at;
	size_t i;
	bool same = true;

	raw_make_cq(raw, &cq, 200);
	map = cq.resp.shca.map;
	at = (uint8_t *)cq.shared;
	memset(at, 0x5a, map.size);
	raw_destroy_cq(raw, cq.resp.ib.cq_handle);
	raw_make_cq(raw, &next, 200);
	memset(next.shared, 0xa5, next.resp.shca.map.size);
	for (i = 0; i < map.size; i++)
		same = same && at[i] == 0x5a;
	tap_ok(same, "a mapping that outlives its queue keeps its own pages");
	tap_ok(mremap(at, map.size, map.size + 4096, MREMAP_MAYMOVE) == MAP_FAILED,
	       "it cannot be grown");
	tap_is(munmap(at + 4096, map.size - 4096), 0, "a part of it can be unmapped");
	munmap(at, 4096);
	munmap(next.shared, next.resp.shca.map.size);
	raw_destroy_cq(raw, next.resp.ib.cq_handle);
}

static volatile uint32_t race_handle, race_go, race_stop;
static const struct raw *race_raw;

static void *destroyer(void *arg)
{
	uint32_t seen = 0;

	(void)arg;
	while (!race_stop) {
		if (race_go == seen)
			continue;
		seen = race_go;
		raw_destroy_cq(race_raw, race_handle);
	}
	return NULL;
}

/* Maps while another thread destroys: a good mapping or EINVAL, never anything else. */
static void race(const struct raw *raw)
{
	unsigned int i, good = 0, refused = 0, other = 0;
	pthread_t thread;

	race_raw = raw;
	pthread_create(&thread, NULL, destroyer, NULL);
	for (i = 0; i < RACE_ROUNDS; i++) {
		struct raw_cq cq;
		void *at = NULL;
		int err;

		if (raw_create_cq(raw, &cq, 64))
			tap_bail("create CQ in the race");
		race_handle = cq.resp.ib.cq_handle;
		race_go = i + 1;
		err = try_map(raw->fd, cq.resp.shca.map.offset, cq.resp.shca.map.size,
			      PROT_READ | PROT_WRITE, MAP_SHARED, &at);
		if (!err) {
			memset(at, 0xff, cq.resp.shca.map.size);
			munmap(at, cq.resp.shca.map.size);
			good++;
		} else if (err == EINVAL) {
			refused++;
		} else {
			other++;
		}
		/* Whoever came too late for this round has to end before the next. */
		while (raw_destroy_cq(raw, cq.resp.ib.cq_handle) == EBUSY)
			;
	}
	race_stop = 1;
	pthread_join(thread, NULL);
	tap_note("%u mapped, %u refused", good, refused);
	tap_is(other, 0, "a mapping that races with destruction works or is refused");
}

/* Dropping pages loses them to this process alone: it finds SIGBUS, zeroes or its own. */
static void dropped(const struct raw *raw)
{
	struct raw_cq cq;
	int status = 0;
	pid_t child;

	raw_make_cq(raw, &cq, 64);
	memset(cq.shared, 0x5a, cq.resp.shca.map.size);
	raw_destroy_cq(raw, cq.resp.ib.cq_handle);
	child = fork();
	if (!child) {
		if (madvise(cq.shared, cq.resp.shca.map.size, MADV_DONTNEED))
			_exit(0);
		/* The old page, or a fresh one of zeroes. */
		_exit(*(volatile uint8_t *)cq.shared == 0x5a || !*(volatile uint8_t *)cq.shared ?
		      0 : 1);
	}
	waitpid(child, &status, 0);
	tap_ok((WIFEXITED(status) && !WEXITSTATUS(status)) ||
	       (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS),
	       "madvise(DONTNEED) shows nobody else's page");
}

/* A child inherits the mapping and exits with it. */
static void forked(const struct raw *raw)
{
	struct raw_cq cq;
	int status = 0;
	pid_t child;

	raw_make_cq(raw, &cq, 64);
	child = fork();
	if (!child) {
		memset(cq.shared, 0x11, 64);
		_exit(0);
	}
	waitpid(child, &status, 0);
	tap_ok(WIFEXITED(status) && !WEXITSTATUS(status),
	       "a child can touch and leave the mapping");
	/* Left mapped and alive: the process exits with it. */
}

int main(void)
{
	struct raw raw;

	raw_open(&raw);
	wrong_ways(&raw);
	doorbell_page(&raw);
	foreign_context(&raw);
	outlives(&raw);
	dropped(&raw);
	race(&raw);
	forked(&raw);
	return tap_end();
}
