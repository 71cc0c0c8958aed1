/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * stdlib.h - what the engine's tests use of libc, in words of the kernel. Included by each of them.
 */
#ifndef KUNIT_STDLIB_H
#define KUNIT_STDLIB_H

/* First: it has members called free. */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <pthread.h>

/* <linux/key.h>'s, without CONFIG_KEYS; a test has one of its own. */
#undef key_init

/* A test that cannot go on. */
#define assert(cond)	BUG_ON(!(cond))
#define abort()		BUG()
#define printf(...)	pr_info(__VA_ARGS__)
#define sched_yield()	cond_resched()
#define usleep(us)	usleep_range(us, 2 * (us))
#define getpid()	1
#define getenv(name)	((char *)NULL)

/* Packets are made under the scene's lock. */
#define malloc(bytes) \
	((bytes) <= 2 * PAGE_SIZE ? kmalloc(bytes, GFP_ATOMIC) : kvmalloc(bytes, GFP_KERNEL))
#define calloc(n, bytes) \
	((n) * (bytes) <= 2 * PAGE_SIZE ? kcalloc(n, bytes, GFP_ATOMIC) : \
					  kvcalloc(n, bytes, GFP_KERNEL))
#define free(mem)		kvfree(mem)

/* Slabs of a power of two are aligned to their size. */
static inline int posix_memalign(void **mem, size_t align, size_t bytes)
{
	*mem = kvmalloc(roundup_pow_of_two(max(align, bytes)), GFP_KERNEL);
	return *mem ? 0 : -ENOMEM;
}

static unsigned int rand_state __maybe_unused = 1;

static inline void srand(unsigned int seed)
{
	rand_state = seed;
}

/* Any sequence will do; the low bits of this one repeat too soon. */
static inline int rand(void)
{
	rand_state = rand_state * 1103515245 + 12345;
	return rand_state >> 8;
}

static inline unsigned long strtoul(const char *text, char **end, int base)
{
	return simple_strtoul(text, end, base);
}

static inline unsigned long long strtoull(const char *text, char **end, int base)
{
	return simple_strtoull(text, end, base);
}

/* One thread runs the tests, so nobody reads what it frees. */
static inline void env_rcu_wait(void)
{
}

/* KASAN and kmemleak count here. */
static inline long env_alloc_balance(void)
{
	return 0;
}

#endif
