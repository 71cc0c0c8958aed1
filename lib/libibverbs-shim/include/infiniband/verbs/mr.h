/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mr.h - part of <infiniband/verbs.h>: memory regions, windows, memory of the device. */
#ifndef INFINIBAND_VERBS_MR_H
#define INFINIBAND_VERBS_MR_H

#include <infiniband/verbs/base.h>

/* Local read is always allowed.  Remote write and atomics need local write. */
enum ibv_access_flags {
	IBV_ACCESS_LOCAL_WRITE = 1,
	IBV_ACCESS_REMOTE_WRITE = (1 << 1),
	IBV_ACCESS_REMOTE_READ = (1 << 2),
	IBV_ACCESS_REMOTE_ATOMIC = (1 << 3),
	IBV_ACCESS_MW_BIND = (1 << 4),
	IBV_ACCESS_ZERO_BASED = (1 << 5),
	IBV_ACCESS_ON_DEMAND = (1 << 6),
	IBV_ACCESS_HUGETLB = (1 << 7),
	IBV_ACCESS_RELAXED_ORDERING = IBV_ACCESS_OPTIONAL_FIRST,
};

struct ibv_mr {
	struct ibv_context *context;
	struct ibv_pd *pd;
	void *addr;
	size_t length;
	uint32_t handle;
	uint32_t lkey;	/* for work requests of our own */
	uint32_t rkey;	/* for the peer's */
};

enum ibv_rereg_mr_flags {
	IBV_REREG_MR_CHANGE_TRANSLATION = (1 << 0),
	IBV_REREG_MR_CHANGE_PD = (1 << 1),
	IBV_REREG_MR_CHANGE_ACCESS = (1 << 2),
	IBV_REREG_MR_FLAGS_SUPPORTED = ((IBV_REREG_MR_CHANGE_ACCESS << 1) - 1),
};

/* What became of the region when ibv_rereg_mr() failed; it is to be deregistered in any case. */
enum ibv_rereg_mr_err_code {
	IBV_REREG_MR_ERR_INPUT = -1,	/* arguments refused; works as before */
	IBV_REREG_MR_ERR_DONT_FORK_NEW = -2,	/* new range stays shared; works as before */
	IBV_REREG_MR_ERR_DO_FORK_OLD = -3,	/* done, but the old range is kept from fork */
	IBV_REREG_MR_ERR_CMD = -4,	/* not to be used any more */
	/* likewise, and the new range is kept from fork */
	IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW = -5,
};

struct ibv_mw_bind_info {
	struct ibv_mr *mr;
	uint64_t addr;
	uint64_t length;
	unsigned int mw_access_flags;	/* enum ibv_access_flags */
};

enum ibv_mw_type {
	IBV_MW_TYPE_1 = 1,	/* bound by ibv_bind_mw() */
	IBV_MW_TYPE_2 = 2,	/* bound by a send request */
};

struct ibv_mw {
	struct ibv_context *context;
	struct ibv_pd *pd;
	uint32_t rkey;
	uint32_t handle;
	enum ibv_mw_type type;
};

struct ibv_alloc_dm_attr {
	size_t length;	/* bytes */
	uint32_t log_align_req;	/* log2 of the alignment */
	uint32_t comp_mask;
};

enum ibv_dm_mask {
	IBV_DM_MASK_HANDLE = 1 << 0,
};

struct ibv_dm {
	struct ibv_context *context;
	int (*memcpy_to_dm)(struct ibv_dm *dm, uint64_t dm_offset, const void *host_addr,
			    size_t length);
	int (*memcpy_from_dm)(void *host_addr, struct ibv_dm *dm, uint64_t dm_offset,
			      size_t length);
	uint32_t comp_mask;
	uint32_t handle;
};

/* Registers length bytes from addr (pointer). iova: what the peer calls the first byte. */
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				unsigned int access);
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			       int access);
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				 uint64_t iova, int fd, int access);

/* own: 0 or an enum ibv_rereg_mr_err_code; the keys may change. */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access);

/* errno */
int ibv_dereg_mr(struct ibv_mr *mr);

/* For regions and device memory of another process; pointer. */
struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle);
void ibv_unimport_mr(struct ibv_mr *mr);
struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t dm_handle);
void ibv_unimport_dm(struct ibv_dm *dm);

/* A fresh key for the next bind of a window: the low byte counts up, the rest stays. */
static inline uint32_t ibv_inc_rkey(uint32_t rkey)
{
	return (rkey & ~0xffU) | ((rkey + 1) & 0xffU);
}

/*
 * Flags of the optional range may be masked out, which only ibv_reg_mr_iova2() does; so calls
 * whose flags are constants without them stay with the older symbol.
 */
__attribute__((__always_inline__)) static inline struct ibv_mr *
__ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, unsigned int access,
	     int is_access_const)
{
	return is_access_const && !(access & IBV_ACCESS_OPTIONAL_RANGE) ?
		ibv_reg_mr(pd, addr, length, (int)access) :
		ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, access);
}

#define ibv_reg_mr(pd, addr, length, access) \
	__ibv_reg_mr(pd, addr, length, access, \
		     __builtin_constant_p(((int)(access) & IBV_ACCESS_OPTIONAL_RANGE) == 0))

__attribute__((__always_inline__)) static inline struct ibv_mr *
__ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		  unsigned int access, int is_access_const)
{
	return is_access_const && !(access & IBV_ACCESS_OPTIONAL_RANGE) ?
		ibv_reg_mr_iova(pd, addr, length, iova, (int)access) :
		ibv_reg_mr_iova2(pd, addr, length, iova, access);
}

#define ibv_reg_mr_iova(pd, addr, length, iova, access) \
	__ibv_reg_mr_iova(pd, addr, length, iova, access, \
			  __builtin_constant_p(((access) & IBV_ACCESS_OPTIONAL_RANGE) == 0))

#endif
