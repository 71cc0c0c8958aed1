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
 *	      engine leaf locks, shca_qp.{sq,rq}_lock
 *		shca_srq.lock, shca_cq.poll_lock
 *			of kernel consumers, who may be in softirq: inside the engine's lock while a
 *			ring changes, else alone
 *
 * Teardown.  Each line names who may still look at an object and why that ends.
 *
 * QP: the engine refers to it from run queues, from frames in inboxes, from the timer and from
 *   doorbell calls, always by a counted reference.  shca_qp_destroy() sets closing (no timer is
 *   armed any more), lets the engine unpublish it (no doorbell and no peer finds it any more) and
 *   take its frames home, cancels the timer, drops its own reference and sleeps until qp_idle: the
 *   last of the above has let go.  Only then do rings, numbers and the ib_qp go.  The engine's part
 *   is freed by RCU, because lookups read it before they count.
 * CQ: its timer and work are stopped by destroy, behind which nobody starts them.
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
#include "objects.h"
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
	SHCA_MAX_MODERATION	= 0xffff,	/* entries, and microseconds */
	SHCA_MAX_DM_BYTES	= 16 << 20,	/* device memory of one device */
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
	struct shca_region *null;	/* null.c */
	struct page *null_sink;
	atomic64_t dm_bytes;		/* verbs_dm.c: in use */
};

static inline struct shca_dev *shca_dev_of(struct ib_device *ib)
{
	return container_of(ib, struct shca_dev, ib);
}

/* The last word of a room: what it puts into the device's operations. */
extern const struct ib_device_ops shca_verbs_device_ops, shca_verbs_context_ops, shca_verbs_mr_ops,
	shca_verbs_mw_ops, shca_verbs_fast_ops, shca_verbs_xrcd_ops, shca_verbs_dm_ops,
	shca_verbs_cq_ops, shca_verbs_qp_ops, shca_verbs_srq_ops, shca_verbs_ah_ops,
	shca_post_ops, shca_hw_counters_ops;
extern const struct uapi_definition shca_doorbell_defs[], shca_verbs_context_defs[],
	shca_verbs_dm_defs[];
extern const struct eng_ops shca_runner_eng_ops;

#endif
