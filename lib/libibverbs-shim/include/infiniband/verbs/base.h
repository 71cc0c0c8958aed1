/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* base.h - part of <infiniband/verbs.h>: what the other parts lean on. */
#ifndef INFINIBAND_VERBS_BASE_H
#define INFINIBAND_VERBS_BASE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <linux/types.h>
#include <infiniband/verbs_api.h>

struct ibv_ah;
struct ibv_comp_channel;
struct ibv_context;
struct ibv_counters;
struct ibv_cq;
struct ibv_device;
struct ibv_flow;
struct ibv_flow_action;
struct ibv_mr;
struct ibv_pd;
struct ibv_qp;
struct ibv_srq;
struct ibv_td;
struct ibv_wq;
struct ibv_xrcd;

/* The value depends on the arguments alone. */
#ifndef __attribute_const
#define __attribute_const __attribute__((const))
#endif

/* Does a struct of sz bytes, as the caller has it, reach as far as field fld? */
#define vext_field_avail(type, fld, sz) (offsetof(type, fld) < (sz))

/* ibv_context.abi_compat of a context that is the tail of a struct verbs_context. */
#ifdef __cplusplus
#define __VERBS_ABI_IS_EXTENDED ((void *)std::numeric_limits<uintptr_t>::max())
#else
#define __VERBS_ABI_IS_EXTENDED ((void *)UINTPTR_MAX)
#endif

/* A global identifier, in the order of the wire. */
union ibv_gid {
	uint8_t raw[16];
	struct {
		__be64 subnet_prefix;
		__be64 interface_id;
	} global;
};

enum ibv_gid_type {
	IBV_GID_TYPE_IB,
	IBV_GID_TYPE_ROCE_V1,
	IBV_GID_TYPE_ROCE_V2,
};

/* One entry of a port's GID table. */
struct ibv_gid_entry {
	union ibv_gid gid;
	uint32_t gid_index;
	uint32_t port_num;
	uint32_t gid_type;	/* enum ibv_gid_type */
	uint32_t ndev_ifindex;	/* interface that owns the address, 0: none */
};

/* What ibv_is_fork_initialized() finds. */
enum ibv_fork_status {
	IBV_FORK_DISABLED,	/* a fork may corrupt registered memory */
	IBV_FORK_ENABLED,	/* ibv_fork_init() did it */
	IBV_FORK_UNNEEDED,	/* the kernel copies pinned pages */
};

/*
 * Makes fork() safe for registered memory (errno).  To be called before the first registration,
 * else EINVAL; a no-op where the kernel does it.  The variables RDMAV_FORK_SAFE and
 * IBV_FORK_SAFE have the same effect, and RDMAV_HUGEPAGES_SAFE respects huge pages.
 */
int ibv_fork_init(void);
enum ibv_fork_status ibv_is_fork_initialized(void);

#endif
