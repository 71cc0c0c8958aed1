/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shca_ring.h - index arithmetic, barriers and the lock of rings in user memory.
 *
 * All indices are free running 32-bit counts; an entry lies at (index & mask) * stride.  Each
 * barrier has a name here and its partner in the engine, see shca-abi.h.
 */
#ifndef SHCA_RING_H
#define SHCA_RING_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define SHCA_CACHE_LINE	64	/* bytes */
#define SHCA_SPIN_LIMIT	64	/* tries before the processor is given away */

/*
 * A lock that costs one atomic exchange when nobody contends.  Holders only write a few cache
 * lines and make no system call, so waiters spin shortly and then yield; what takes longer (a
 * resize) closes a gate instead, see shca_gate.c.  Objects that one thread owns (thread domains)
 * switch the lock off.
 */
struct shca_lock {
	uint32_t held;
	bool off;
	bool closed;		/* protected by the lock: the ring is being moved, shca_gate.c */
};

static inline void shca_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}

static inline void shca_lock_wait(struct shca_lock *lock)
{
	unsigned int tries = 0;

	while (__atomic_load_n(&lock->held, __ATOMIC_RELAXED) ||
	       __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE)) {
		if (++tries % SHCA_SPIN_LIMIT)
			shca_cpu_relax();
		else
			sched_yield();
	}
}

static inline void shca_lock(struct shca_lock *lock)
{
	if (lock->off)
		return;
	if (__builtin_expect(__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) != 0, 0))
		shca_lock_wait(lock);
}

static inline void shca_unlock(struct shca_lock *lock)
{
	if (!lock->off)
		__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

/* What was written before becomes visible no later than the count itself. */
static inline void shca_publish(uint32_t *count, uint32_t value)
{
	__atomic_store_n(count, value, __ATOMIC_RELEASE);
}

/* What is read after is at least as new as the count. */
static inline uint32_t shca_observe(const uint32_t *count)
{
	return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

/* A word that the other side may change at any time and that orders nothing. */
static inline uint32_t shca_peek(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Between a published count and a look at the other side's word, on both sides. */
static inline void shca_full_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The lap that makes the CQE at a count valid in a ring of 2^order entries. */
static inline uint32_t shca_cqe_lap(uint32_t count, uint32_t order)
{
	return (count >> order) + 1;
}

#endif
