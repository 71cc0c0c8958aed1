/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kernel.h - as much of the kernel's headers as the two doors of ib_uverbs need in a program.
 *
 * Included before everything else; the names of <linux/...> that the doors include are empty files
 * made by the Makefile, while <rdma/uverbs_*.h> and the uapi headers are the kernel's own.  User
 * memory is usermem.c's: a piece of the input at a made-up address, which changes between two looks
 * if the input says so.
 */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;
typedef unsigned int gfp_t;
#define __user
#define __force
#define __rcu
#define __must_check
#define noinline __attribute__((__noinline__))
#define __uninitialized
#define __malloc
#define __aligned(n) __attribute__((aligned(n)))
#define fallthrough __attribute__((fallthrough))
#define static_assert(cond) _Static_assert(cond, #cond)
#define EXPORT_SYMBOL(name) struct export_of_ ## name
#define ENOIOCTLCMD 515
#define U32_MAX UINT32_MAX
#define PAGE_SIZE 4096UL
#define offset_in_page(at) ((unsigned long)(at) & (PAGE_SIZE - 1))
#define IS_ENABLED(option) 1
#define BITS_PER_LONG 64

#define BIT(n) (1UL << (n))
#define GENMASK(h, l) ((~0UL << (l)) & (~0UL >> (63 - (h))))
#define BUILD_BUG_ON(cond) _Static_assert(!(cond), #cond)
#define BUILD_BUG_ON_ZERO(cond) ((int)sizeof(struct { int : -!!(cond); }))
#define WARN_ON(cond) ({ bool warn_ = !!(cond); if (warn_) abort(); warn_; })
#define WARN_ON_ONCE(cond) WARN_ON(cond)
#define ALIGN(n, to) (((n) + (to) - 1) & ~((size_t)(to) - 1))
#define min(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define min_t(type, a, b) ({ type a_ = (a), b_ = (b); a_ < b_ ? a_ : b_; })
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define offsetofend(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define check_add_overflow(a, b, sum) __builtin_add_overflow(a, b, sum)
#define check_mul_overflow(a, b, product) __builtin_mul_overflow(a, b, product)
#define is_signed_type(type) (((type)(-1)) < (type)1)
#define type_max(type) ((type)(is_signed_type(type) ? \
	~0ULL >> (65 - 8 * sizeof(type)) : ~0ULL >> (64 - 8 * sizeof(type))))
#define type_min(type) ((type)(is_signed_type(type) ? -type_max(type) - 1 : 0))
#define unlikely(x) __builtin_expect(!!(x), 0)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define srcu_dereference(p, srcu) ((void)(srcu), (p))

static inline size_t size_add(size_t a, size_t b)
{
	return a + b < a ? SIZE_MAX : a + b;
}

static inline size_t array_size(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}
#define struct_size(p, member, n) \
	size_add(sizeof(*(p)), array_size(n, sizeof((p)->member[0])))

static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *p) { return (long)p; }
static inline bool IS_ERR(const void *p) { return (unsigned long)p >= -4095UL; }
static inline void *ERR_CAST(const void *p) { return (void *)p; }

#define DECLARE_BITMAP(name, bits) unsigned long name[((bits) + 63) / 64]
static inline bool test_bit(unsigned int n, const unsigned long *map)
{
	return map[n / 64] >> n % 64 & 1;
}

static inline void __set_bit(unsigned int n, unsigned long *map)
{
	map[n / 64] |= 1UL << n % 64;
}

/* Maps of this user have at most one word. */
static inline bool bitmap_subset(const unsigned long *sub, const unsigned long *of, u32 bits)
{
	return !(sub[0] & ~of[0] & (bits < 64 ? (1UL << bits) - 1 : ~0UL));
}
#define for_each_set_bit(i, map, bits) \
	for ((i) = 0; (i) < (bits); (i)++) \
		if (test_bit(i, map))

#define GFP_KERNEL 0u
#define GFP_KERNEL_ACCOUNT 0u
#define __GFP_ACCOUNT 0u
#define __GFP_NOWARN 0u
#define __GFP_ZERO 1u
static inline void *kmalloc(size_t bytes, gfp_t flags) { return malloc(bytes); }
static inline void *kzalloc(size_t bytes, gfp_t flags) { return calloc(1, bytes); }
static inline void *kvmalloc(size_t bytes, gfp_t flags)
{
	return bytes > 1 << 20 ? NULL : flags & __GFP_ZERO ? calloc(1, bytes) : malloc(bytes);
}
static inline void kfree(const void *p) { free((void *)p); }
static inline void kvfree(const void *p) { free((void *)p); }
static inline void *memchr_inv(const void *at, int byte, size_t n)
{
	const u8 *p = at;

	for (; n; n--, p++)
		if (*p != (u8)byte)
			return (void *)p;
	return NULL;
}

/* usermem.c */
unsigned long copy_from_user(void *to, const void *from, size_t n);
unsigned long copy_to_user(void *to, const void *from, size_t n);
unsigned long clear_user(void *to, size_t n);
int check_zeroed_user(const void *from, size_t n);
bool access_ok(const void *at, size_t n);
#define get_user(value, at) ({ \
	copy_from_user(&(value), at, sizeof(value)) ? -EFAULT : 0; })
#define put_user(value, at) ({ \
	__typeof__(*(at)) v_ = (value); \
	copy_to_user(at, &v_, sizeof(v_)) ? -EFAULT : 0; })
#define user_read_access_begin(at, n) access_ok(at, n)
#define user_read_access_end() ((void)0)
#define unsafe_get_user(value, at, label) do { \
	if (get_user(value, at)) \
		goto label; \
} while (0)
#define u64_to_user_ptr(x) ((void *)(unsigned long)(x))

struct list_head { struct list_head *next, *prev; };
struct rb_root { void *node; };
struct xarray { void *head; };
struct kref { int count; };
struct cdev { int unused; };
struct device { int unused; };
struct srcu_struct { int unused; };
struct completion { int unused; };
struct mutex { int unused; };
struct rcu_head { int unused; };
struct page;
struct module;
struct file;
struct inode;
struct fasync_struct;
struct file_operations;
struct vm_area_struct;
struct vm_operations_struct;
struct poll_table_struct;
struct sk_buff;
typedef struct { int unused; } spinlock_t, wait_queue_head_t;
typedef struct { int count; } refcount_t, atomic_t;
static inline void kref_get(struct kref *ref) { ref->count++; }

#include "verbs.h"

#endif
