/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * domain.h - protection, parent, thread and XRC domains behind the public structs.
 *
 * Part of shim.h, for both halves of the library: cmd_pd.c and cmd_xrcd.c make them, whoever
 * makes an object under one looks at it.
 */
#ifndef SHIM_DOMAIN_H
#define SHIM_DOMAIN_H

struct shim_td {
	struct ibv_td ibv;
	int users;		/* atomic: parent domains */
};

/* A protection domain; a parent domain borrows the handle of the one it stands on. */
struct shim_pd {
	struct ibv_pd ibv;
	struct shim_pd *parent;	/* NULL: a plain PD */
	struct shim_td *td;	/* NULL: objects are shared between threads */
	/* Of a parent domain; NULL: the library's own. */
	void *(*alloc)(struct ibv_pd *pd, void *context, size_t size, size_t alignment,
		       uint64_t resource_type);
	void (*free)(struct ibv_pd *pd, void *context, void *mem, uint64_t resource_type);
	void *context;
	int users;		/* atomic: parent domains on it, null regions, objects of a parent
				 * domain
				 */
};

/* What a program's allocator is asked for: the low half of its resource_type. */
enum shim_resource {
	SHIM_RESOURCE_QP = 1,
	SHIM_RESOURCE_CQ = 2,
	SHIM_RESOURCE_SRQ = 3,
};

/* An XRC domain. */
struct shim_xrcd {
	struct ibv_xrcd ibv;
	uint32_t handle;
};

static inline struct shim_xrcd *shim_xrcd(struct ibv_xrcd *xrcd)
{
	return shim_container_of(xrcd, struct shim_xrcd, ibv);
}

static inline struct shim_pd *shim_pd(struct ibv_pd *pd)
{
	return shim_container_of(pd, struct shim_pd, ibv);
}

/* Objects that die before their parent domain does; a plain PD is the kernel's to guard. */
static inline void shim_pd_get(struct ibv_pd *pd)
{
	if (pd && shim_pd(pd)->parent)
		__atomic_add_fetch(&shim_pd(pd)->users, 1, __ATOMIC_RELAXED);
}

static inline void shim_pd_put(struct ibv_pd *pd)
{
	if (pd && shim_pd(pd)->parent)
		__atomic_sub_fetch(&shim_pd(pd)->users, 1, __ATOMIC_RELAXED);
}

#endif
