/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shca_env.h - what the engine's primitives mean in a user-space program: threads, mutexes and the
 * compiler's atomics, all visible to ASan, UBSan and TSan.
 *
 * The same words as in the kernel's file of this name.  RCU is a reader-writer lock: a writer that
 * got it once has waited for all readers.
 */
#ifndef SHCA_ENV_H
#define SHCA_ENV_H

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
/* As in the kernel and in __u64. */
typedef unsigned long long u64;
typedef long long s64;

#define ENV_ENOMEM	ENOMEM
#define ENV_EBUSY	EBUSY
#define ENV_EINVAL	EINVAL

#define ENV_ASSERT(cond)	assert(cond)
#define ENV_STATIC_ASSERT(cond)	_Static_assert(cond, #cond)
#define env_likely(x)		__builtin_expect(!!(x), 1)
#define env_unlikely(x)		__builtin_expect(!!(x), 0)
#define env_container(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define env_read(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define env_write(x, v)		__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define env_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define env_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#ifdef __SANITIZE_THREAD__
/* TSan knows no fences: a dummy read-modify-write of one word orders everybody instead. */
extern u32 env_fence_word;
#define env_mb()		((void)__atomic_fetch_add(&env_fence_word, 0, __ATOMIC_SEQ_CST))
#define env_wmb()		env_mb()
#else
#define env_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define env_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#endif
#define env_cmpxchg(p, old, new) __sync_val_compare_and_swap(p, old, new)
#define env_xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define env_fetch_add(p, v)	__atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define env_prefetch(p)		__builtin_prefetch(p)

#define env_memset(p, c, n)	memset(p, c, n)
#define env_memcmp(a, b, n)	memcmp(a, b, n)
#define env_memcpy(d, s, n)	memcpy(d, s, n)
/* CRC-32 of Ethernet, reflected, neither preset nor inverted. */
u32 env_crc32(u32 crc, const u8 *p, u32 n);

struct env_ref {
	u32 count;
};

static inline void env_ref_init(struct env_ref *ref)
{
	__atomic_store_n(&ref->count, 1, __ATOMIC_RELAXED);
}

static inline void env_ref_get(struct env_ref *ref)
{
	u32 old = __atomic_fetch_add(&ref->count, 1, __ATOMIC_RELAXED);

	assert(old > 0);
	(void)old;
}

static inline bool env_ref_get_unless_zero(struct env_ref *ref)
{
	u32 old = __atomic_load_n(&ref->count, __ATOMIC_RELAXED);

	do {
		if (!old)
			return false;
	} while (!__atomic_compare_exchange_n(&ref->count, &old, old + 1, true,
					      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
	return true;
}

static inline bool env_ref_put(struct env_ref *ref)
{
	u32 old = __atomic_fetch_sub(&ref->count, 1, __ATOMIC_ACQ_REL);

	assert(old > 0);
	return old == 1;
}

struct env_lock {
	pthread_mutex_t mutex;
	u32 held;
};

static inline void env_lock_init(struct env_lock *l)
{
	pthread_mutex_init(&l->mutex, NULL);
	l->held = 0;
}

static inline void env_lock(struct env_lock *l)
{
	pthread_mutex_lock(&l->mutex);
	l->held = 1;
}

static inline void env_unlock(struct env_lock *l)
{
	l->held = 0;
	pthread_mutex_unlock(&l->mutex);
}

#define env_lock_held(l)	assert((l)->held)

#ifdef ENV_NO_RCU
/* Benchmarks of one thread: read sections cost nothing in the kernel. */
static inline void env_rcu_lock(void) { }
static inline void env_rcu_unlock(void) { }
static inline void env_rcu_wait(void) { }
#else
extern pthread_rwlock_t env_rcu;

static inline void env_rcu_lock(void)
{
	pthread_rwlock_rdlock(&env_rcu);
}

static inline void env_rcu_unlock(void)
{
	pthread_rwlock_unlock(&env_rcu);
}

/* What a host calls before it frees what readers may see. */
static inline void env_rcu_wait(void)
{
	pthread_rwlock_wrlock(&env_rcu);
	pthread_rwlock_unlock(&env_rcu);
}
#endif

/* Two levels for 24-bit indices; leaves are made on demand and live as long as the table. */
enum { ENV_TABLE_LEAF = 4096 };

struct env_table {
	pthread_mutex_t mutex;
	void **leaves[ENV_TABLE_LEAF];
};

void env_table_init(struct env_table *table);
void env_table_destroy(struct env_table *table);
int env_table_insert(struct env_table *table, u32 index, void *entry);
#define env_table_insert_now	env_table_insert
void env_table_erase(struct env_table *table, u32 index);
void env_table_replace(struct env_table *table, u32 index, void *entry);
void *env_table_next(struct env_table *table, u32 *index);

static inline void *env_table_find(struct env_table *table, u32 index)
{
	void **leaf;

	if (index >= ENV_TABLE_LEAF * ENV_TABLE_LEAF)
		return NULL;
	leaf = __atomic_load_n(&table->leaves[index / ENV_TABLE_LEAF], __ATOMIC_ACQUIRE);
	return leaf ? __atomic_load_n(&leaf[index % ENV_TABLE_LEAF], __ATOMIC_ACQUIRE) : NULL;
}

void *env_alloc(u32 bytes);
void env_free(void *mem);
/* Allocations of the engine that were not freed. */
long env_alloc_balance(void);

static inline void env_relax(u32 round)
{
	if (round < 64)
		sched_yield();
	else
		usleep(50);
}

#include "trace_none.h"

#endif
