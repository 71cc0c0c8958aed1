/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * objects.h - what the driver keeps beside each object of ib_core's.
 *
 * Part of shca.h, apart only for its length; the proofs of their ends stand there.
 */
#ifndef SHCA_OBJECTS_H
#define SHCA_OBJECTS_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/shca-abi.h>

#include "engine/engine.h"
#include "ring_memory.h"
#include "udp_tx.h"

struct shca_ucontext {
	struct ib_ucontext ib;
	u64 id;				/* never reused: doorbells compare it, not the pointer */
	struct rdma_user_mmap_entry doorbell_entry;
};

struct shca_pd {
	struct ib_pd ib;
};

struct shca_xrcd {
	struct ib_xrcd ib;
};

struct shca_cq {
	struct ib_cq ib;
	struct eng_cq eng;
	struct shca_ring_memory *mem;
	spinlock_t poll_lock;		/* kernel consumers: the three below */
	u32 cons;
	struct shca_cq_shared *shared;
	struct shca_cqe *entries;
	struct hrtimer mod_timer;	/* moderation: the work follows */
	struct work_struct mod_work;
};

struct shca_srq {
	struct ib_srq ib;
	struct eng_srq eng;
	struct shca_ring_memory *mem;
	struct completion idle;		/* XRC */
	struct mutex mutex;		/* one modify at a time */
	u32 srqn;
	u32 max_wr, max_sge;
	spinlock_t lock;		/* kernel consumers: prod */
	u32 prod;
};

struct shca_qp {
	struct ib_qp ib;
	struct eng_qp *eng;
	struct shca_qp_block *block;	/* the allocation that eng lies in */
	struct shca_ring_memory *mem;
	u64 context_id;			/* shca_ucontext.id, 0: of the kernel */
	struct hrtimer timer;
	u32 closing;			/* bool: no timer may be armed any more */
	struct llist_node deferred;	/* runner.c: owned by whoever deferred it */
	struct llist_node blocked;	/* udp_tx.c: owned by who set is_blocked */
	u32 is_blocked;			/* bool */
	struct shca_tx tx;		/* of the engine's owner of the QP */
	struct completion idle;

	struct mutex groups_mutex;	/* groups */
	struct list_head groups;	/* groups.c */

	struct mutex mutex;		/* the stored attributes below, and modify as a whole */
	struct ib_qp_attr attr;		/* as last set; state comes from the engine */
	struct ib_qp_cap cap;
	enum ib_sig_type sig_type;
	struct eng_dev *peer;		/* what the engine was told; identity only */
	bool on_wire;			/* the same */
	bool forced;			/* to the wire, whatever is local */
	struct shca_path __rcu *path;	/* counted; replaced under the mutex */

	struct shca_ring_info sq, rq;
	spinlock_t sq_lock;		/* kernel consumers: sq_prod */
	u32 sq_prod, sq_done;
	spinlock_t rq_lock;		/* kernel consumers: rq_prod */
	u32 rq_prod, rq_done;
};

struct shca_region;

struct shca_mr {
	struct ib_mr ib;
	struct shca_region *region;	/* what the key means now; re-registration changes it */
	/* Fast registration: the list of pages that map_mr_sg writes. */
	u8 **list;
	u32 pages, max_pages;
};

struct shca_dm {
	struct ib_dm ib;
	struct shca_ring_memory *mem;
};

struct shca_mw {
	struct ib_mw ib;
	struct shca_region *region;
};

struct shca_ah_body;

struct shca_ah {
	struct ib_ah ib;
	struct shca_ah_body *body;	/* own life time: the engine may still look at it */
};

static inline struct shca_ucontext *shca_ucontext_of(struct ib_udata *udata)
{
	return rdma_udata_to_drv_context(udata, struct shca_ucontext, ib);
}

static inline const struct eng_xrcd *shca_xrcd_identity(const struct ib_xrcd *xrcd)
{
	return (const struct eng_xrcd *)xrcd;
}

static inline const struct eng_pd *shca_pd_identity(const struct ib_pd *pd)
{
	return (const struct eng_pd *)pd;
}

#endif
