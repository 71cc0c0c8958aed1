/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pd.h - part of <infiniband/verbs.h>: protection, thread, parent and XRC domains. */
#ifndef INFINIBAND_VERBS_PD_H
#define INFINIBAND_VERBS_PD_H

#include <infiniband/verbs/base.h>

struct ibv_pd {
	struct ibv_context *context;
	uint32_t handle;
};

/* A promise that its objects are used by one thread at a time. */
struct ibv_td_init_attr {
	uint32_t comp_mask;	/* 0 */
};

struct ibv_td {
	struct ibv_context *context;
};

enum ibv_parent_domain_init_attr_mask {
	IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS = 1 << 0,
	IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT = 1 << 1,
};

#define IBV_ALLOCATOR_USE_DEFAULT ((void *)-1)

/* A PD and what objects made under it have in common. */
struct ibv_parent_domain_init_attr {
	struct ibv_pd *pd;	/* must be there */
	struct ibv_td *td;	/* may be NULL */
	uint32_t comp_mask;
	void *(*alloc)(struct ibv_pd *pd, void *pd_context, size_t size, size_t alignment,
		       uint64_t resource_type);
	void (*free)(struct ibv_pd *pd, void *pd_context, void *ptr, uint64_t resource_type);
	void *pd_context;
};

enum ibv_xrcd_init_attr_mask {
	IBV_XRCD_INIT_ATTR_FD = 1 << 0,
	IBV_XRCD_INIT_ATTR_OFLAGS = 1 << 1,
	IBV_XRCD_INIT_ATTR_RESERVED = 1 << 2,
};

struct ibv_xrcd_init_attr {
	uint32_t comp_mask;
	int fd;	/* of the inode that names the domain; -1: private */
	int oflags;	/* O_CREAT, O_EXCL */
};

struct ibv_xrcd {
	struct ibv_context *context;
};

/* pointer */
struct ibv_pd *ibv_alloc_pd(struct ibv_context *context);

/* errno: EBUSY while an MR, QP, SRQ, AH or window belongs to it. */
int ibv_dealloc_pd(struct ibv_pd *pd);

/* For domains of another process; pointer. */
struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle);
void ibv_unimport_pd(struct ibv_pd *pd);

#endif
