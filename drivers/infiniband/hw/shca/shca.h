/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shca.h - the private face of shca.ko: its objects, its rooms, who locks what and why the end of
 * an object is safe.  Included by every file of this folder, by no other.
 *
 * Lock order, outermost first:
 *	newlink mutex (link.c)
 *	  shca_qp.groups_mutex, shca_qp.mutex	control operations on one QP, its attributes
 *	  devices mutex (route.c)		changes of the list of devices
 *	  sockets mutex (udp_socket.c)		sockets of all namespaces
 *	    QP ownership (engine)		never two at a time
 *	      engine leaf locks, shca_qp.{sq,rq}_lock, shca_srq.lock, shca_cq.poll_lock
 *						none nests in another
 *
 * Teardown.  Each line names who may still look at an object and why that ends.
 *
 * QP: the engine refers to it from run queues, from frames in inboxes, from the timer and from
 *   doorbell calls, always by a counted reference.  shca_qp_destroy() sets closing (no timer is
 *   armed any more), lets the engine unpublish it (no doorbell and no peer finds it any more) and
 *   take its frames home, cancels the timer, drops its own reference and sleeps until qp_idle: the
 *   last of the above has let go.  Only then do rings, numbers and the ib_qp go.  The engine's part
 *   is freed by RCU, because lookups read it before they count.
 * CQ, SRQ, PD: ib_core refuses to destroy them while a QP counts on them, and the engine reaches
 *   them through QPs only, which by then are idle.  An XRC SRQ is found by number and counted for
 *   one step of a QP: destroy hides the number, waits for srq_idle, and then for RCU readers.
 * MR, MW: references are held by frames that carry its segments and by chunked copies; retire hides
 *   the key and stops copies at the next chunk, dereg sleeps until mr_idle, then unpins.  A bound
 *   window uses the blocks of its MR, which is not deregistered before (eng_mr_seal()).
 * Path: counted by its QP or AH and by the buffer being built; freed by RCU, for those who look.
 * Sockets: see udp_socket.c.  A QP that waits for room in them is counted by their list, which its
 *   destruction has emptied.  Received packets count buffers only; the engine holds them in a QP.
 * AH: has a life of its own (destroy may not sleep): counted by lookups, freed by ah_idle and RCU.
 * Ring memory: kernel side goes with its object; user mappings hold page references of their own.
 * Doorbell fd: may outlive its context and the device.  It counts the engine device until the
 *   context ends and answers EIO after; the QP of a ring under way is counted, so its destruction
 * waits. Engine device: counted by the ib device, by doorbells, by AHs and by QPs that have it as
 *   peer.  It outlives the ib device, empty and with its port down, until the last of them is gone.
 * ib device: ib_core calls dealloc_driver after all clients left, so all objects above are gone.
 * Module: open contexts, doorbell files and kernel clients count on it; module exit unregisters all
 *   devices and flushes the worker queues.
 */
#ifndef SHCA_H
#define SHCA_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/shca-abi.h>

#include "engine/engine.h"
#include "numbers.h"
#include "ring_memory.h"
#include "udp_tx.h"
#include "wire_stats.h"

enum shca_limits {
	SHCA_PORT		= 1,
	SHCA_GID_TABLE_LEN	= 256,
	SHCA_MAX_QP		= 1 << 20,
	SHCA_MAX_CQ		= 1 << 20,
	SHCA_MAX_SRQ		= 1 << 20,
	SHCA_MAX_PD		= 1 << 20,
	SHCA_MAX_AH		= 1 << 20,
	SHCA_MAX_MR		= 1 << 22,	/* regions and windows */
	SHCA_MAX_FAST_PAGES	= 1024,		/* of a fast registration */
	SHCA_MAX_RD_ATOMIC	= ENG_MAX_RD_ATOMIC,
	SHCA_MAX_MCAST_GRP	= 8192,
	SHCA_MAX_MCAST_QP	= 4096,		/* per group */
	SHCA_FIRST_QPN		= 16,
};

struct shca_dev {
	struct ib_device ib;
	struct eng_dev *eng;		/* own life time, see above */
	struct net_device *netdev;	/* held until dealloc_driver */
	struct page *doorbell_page;	/* struct shca_doorbell_page, shown to every context */
	struct list_head route_link;	/* route.c, while routed */
	bool routed;
	struct shca_numbers qpns;	/* with the shca_qp as value */
	struct shca_numbers srqns, ahns, keys;
	u32 port_active;		/* bool: what the last event said */
	struct shca_udp *udp;		/* the wire of the netdev's namespace */
	struct list_head udp_link;	/* udp_socket.c */
	struct shca_wire_stats __percpu *wire_stats;
};

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

struct shca_mw {
	struct ib_mw ib;
	struct shca_region *region;
};

struct shca_ah_body;

struct shca_ah {
	struct ib_ah ib;
	struct shca_ah_body *body;	/* own life time: the engine may still look at it */
};

static inline struct shca_dev *shca_dev_of(struct ib_device *ib)
{
	return container_of(ib, struct shca_dev, ib);
}

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

/* The last word of a room: what it puts into the device's operations. */
extern const struct ib_device_ops shca_verbs_device_ops, shca_verbs_context_ops, shca_verbs_mr_ops,
	shca_verbs_mw_ops, shca_verbs_fast_ops, shca_verbs_xrcd_ops,
	shca_verbs_cq_ops, shca_verbs_qp_ops, shca_verbs_srq_ops, shca_verbs_ah_ops,
	shca_post_ops, shca_hw_counters_ops;
extern const struct uapi_definition shca_doorbell_defs[];
extern const struct eng_ops shca_runner_eng_ops;

#endif
