/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shca_env.h - what the engine's primitives mean inside the kernel.
 *
 * The engine includes <shca_env.h> and nothing else of its surroundings; the user-space tests have
 * a file of the same name with the same words.  Nothing here knows the engine.
 *
 * Context: all engine locks are taken in task context only (eng_run(), control operations), so
 * they are plain spinlocks.  What may come from interrupts, eng_kick() without a run queue, takes
 * no lock.  Objects that the engine looks up by number (QPs, MRs, AHs) are read under RCU: the
 * host frees their memory after a grace period.
 */
#ifndef SHCA_ENV_H
#define SHCA_ENV_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/crc32.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/cmpxchg.h>
#include "shca_env_table.h"
#include "trace.h"

#define ENV_ENOMEM	ENOMEM
#define ENV_EBUSY	EBUSY
#define ENV_EINVAL	EINVAL

/* Our own bugs: report once and go on. */
#define ENV_ASSERT(cond)	((void)WARN_ON_ONCE(!(cond)))
#define ENV_STATIC_ASSERT(cond)	static_assert(cond)
#define env_likely(x)		likely(x)
#define env_unlikely(x)		unlikely(x)
#define env_container(ptr, type, member)	container_of(ptr, type, member)

/* One access, not torn, not repeated. */
#define env_read(x)		READ_ONCE(x)
#define env_write(x, v)		WRITE_ONCE(x, v)
#define env_load_acquire(p)	smp_load_acquire(p)
#define env_store_release(p, v)	smp_store_release(p, v)
#define env_mb()		smp_mb()
#define env_wmb()		smp_wmb()
/* Full barriers; the old value comes back. */
#define env_cmpxchg(p, old, new)	cmpxchg(p, old, new)
#define env_xchg(p, v)			xchg(p, v)
/* On a u64. */
#define env_fetch_add(p, v)		((u64)atomic64_fetch_add((s64)(v), (atomic64_t *)(p)))
#define env_prefetch(p)			__builtin_prefetch(p)

#define env_memset(p, c, n)	memset(p, c, n)
#define env_memcmp(a, b, n)	memcmp(a, b, n)
#define env_memcpy(d, s, n)	memcpy(d, s, n)
/* CRC-32 of Ethernet, reflected, neither preset nor inverted. */
#define env_crc32(crc, p, n)	crc32_le(crc, p, n)

struct env_ref {
	refcount_t count;
};

static inline void env_ref_init(struct env_ref *ref)
{
	refcount_set(&ref->count, 1);
}

static inline void env_ref_get(struct env_ref *ref)
{
	refcount_inc(&ref->count);
}

static inline bool env_ref_get_unless_zero(struct env_ref *ref)
{
	bool got = refcount_inc_not_zero(&ref->count);

	smp_acquire__after_ctrl_dep();	/* what it protects is read after it was taken */
	return got;
}

/* True for the last one. */
static inline bool env_ref_put(struct env_ref *ref)
{
	return refcount_dec_and_test(&ref->count);
}

struct env_lock {
	spinlock_t lock;
};

/* A macro, so that each place is a lock class of its own. */
#define env_lock_init(l)	spin_lock_init(&(l)->lock)

static inline void env_lock(struct env_lock *l) __acquires(l)
{
	spin_lock(&l->lock);
	__acquire(l);
}

static inline void env_unlock(struct env_lock *l) __releases(l)
{
	__release(l);
	spin_unlock(&l->lock);
}

#define env_lock_held(l)	lockdep_assert_held(&(l)->lock)

static inline void env_rcu_lock(void)
{
	rcu_read_lock();
}

static inline void env_rcu_unlock(void)
{
	rcu_read_unlock();
}

static inline void *env_alloc(u32 bytes)
{
	return kzalloc(bytes, GFP_KERNEL_ACCOUNT);
}

static inline void env_free(void *mem)
{
	kfree(mem);
}

/* One round of waiting for another thread, @round counts from 0; may sleep. */
static inline void env_relax(u32 round)
{
	if (round < 64) {
		cpu_relax();
		cond_resched();
	} else {
		usleep_range(20, 200);
	}
}

static inline void env_trace_post(u32 qpn, u64 wr_id, u8 opcode, u32 length)
{
	trace_shca_post(qpn, wr_id, opcode, length);
}

static inline void env_trace_frame(u32 src_qpn, u32 dest_qpn, u8 op, u32 psn, u32 length)
{
	trace_shca_frame(src_qpn, dest_qpn, op, psn, length);
}

static inline void env_trace_completion(u32 qpn, u64 wr_id, u8 status, u8 opcode)
{
	trace_shca_completion(qpn, wr_id, status, opcode);
}

static inline void env_trace_state(u32 qpn, u8 from, u8 to)
{
	trace_shca_state(qpn, from, to);
}

#endif
