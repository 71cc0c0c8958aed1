/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * shca-abi.h - what the shca driver, its engine and its user-space provider agree on.
 *
 * One header for three readers: shca.ko fills the udata structs and maps the rings, the engine
 * reads WQEs and writes CQEs, the library does the opposite.  Everything is little endian host
 * order unless a field is declared __be*; all structs have the same layout for 32- and 64-bit
 * programs.  Every offset is pinned by tools/testing/abi, in kernel and in user space.
 *
 * Trust: all ring memory is writable by the process that maps it.  The kernel side copies each
 * WQE out once, checks the copy, and keeps every index it relies on in private memory.  What the
 * kernel writes into the rings (running, state, consumer, CQEs) is information for the process;
 * a process that scribbles over it can only confuse itself.
 */
#ifndef SHCA_ABI_USER_H
#define SHCA_ABI_USER_H

#include <linux/types.h>

/* RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID and driver_id of ioctl headers: 'shca' in ASCII. */
#define SHCA_DRIVER_ID		0x73686361U
/* Version of this file; RDMA_NLDEV_ATTR_CHARDEV_ABI and uverbsN/abi_version. */
#define SHCA_ABI_VERSION	1

/* Alignment of WQEs in send and receive rings, and the size of a CQE, in bytes. */
#define SHCA_WQE_UNIT		64
/* Bytes before the SGE list or the inline data of a send WQE, and before the SGEs of a receive. */
#define SHCA_SEND_WQE_HEAD	32
#define SHCA_RECV_WQE_HEAD	16

/* Limits of WQEs, that is, of what any create call may ask for. */
#define SHCA_MAX_SGE		32
#define SHCA_MAX_INLINE		992	/* bytes; head + inline data fill at most 16 units */
#define SHCA_MAX_QP_WR		32768	/* per send or receive queue */
#define SHCA_MAX_SRQ_WR		32768
#define SHCA_MAX_CQE		131072

/* ---- udata of control verbs ------------------------------------------------------------ */

/*
 * A region of memory to be mapped: mmap(cmd_fd, size, PROT_READ | PROT_WRITE, MAP_SHARED, offset).
 * Ring pages stay readable after their object and even the device are gone.
 */
struct shca_mmap_info {
	__aligned_u64	offset;		/* for mmap(), page aligned */
	__u32		size;		/* bytes, page aligned */
	__u32		reserved;	/* zero */
};

/* Response tail of GET_CONTEXT. */
struct shca_alloc_ucontext_resp {
	struct shca_mmap_info doorbell_page;	/* struct shca_doorbell_page, mapped read-only */
	__u32		max_inline;	/* SHCA_MAX_INLINE of this driver */
	__u32		max_sge;
	__u32		null_lkey;	/* reads as zeroes, drops what is written; 0: none */
	__u32		max_rate;	/* of a QP's rate limit, kbit/s; 0: there is none */
};

/*
 * The same for a process that was handed the descriptor: driver attribute of the method
 * UVERBS_METHOD_QUERY_CONTEXT, output.  The number is that of a driver's first attribute.
 */
#define SHCA_ATTR_QUERY_CONTEXT_RESP	0x1000

/* Where a ring lies inside its mapping. */
struct shca_ring_info {
	__u32		offset;		/* of entry 0, bytes from the start of the mapping */
	__u32		entries;	/* power of two; 0: no such ring */
	__u32		stride;		/* bytes from one entry to the next, multiple of SHCA_WQE_UNIT */
	__u32		reserved;	/* zero */
};

/* Response tail of CREATE_QP: one mapping begins with struct shca_qp_shared, rings follow. */
struct shca_create_qp_resp {
	struct shca_mmap_info map;
	struct shca_ring_info sq;
	struct shca_ring_info rq;	/* entries 0 when the QP uses an SRQ */
	__u32		max_inline;	/* bytes, granted */
	__u32		reserved;	/* zero */
};

/* Response tail of CREATE_CQ and RESIZE_CQ: mapping begins with struct shca_cq_shared. */
struct shca_create_cq_resp {
	struct shca_mmap_info map;
	struct shca_ring_info ring;
};

/* Response tail of CREATE_SRQ and, after a resize, of MODIFY_SRQ: struct shca_srq_shared first. */
struct shca_create_srq_resp {
	struct shca_mmap_info map;
	struct shca_ring_info ring;
	__u32		srqn;
	__u32		reserved;	/* zero */
};

/*
 * MODIFY_SRQ has no response in the uAPI; the driver writes the new ring of a resize to the
 * address given here, as the last thing that can fail.
 */
struct shca_modify_srq_req {
	__aligned_u64	resp_addr;	/* of struct shca_create_srq_resp, user memory */
};

/*
 * Driver attribute of the method UVERBS_METHOD_DM_ALLOC, output: device memory is plain memory, to
 * be mapped and copied to and from.
 */
#define SHCA_ATTR_ALLOC_DM_RESP	0x1000

struct shca_alloc_dm_resp {
	struct shca_mmap_info map;
};

/* Driver method of UVERBS_OBJECT_DM, for a process that was handed the descriptor and a handle. */
#define SHCA_METHOD_DM_QUERY		0x1000
#define SHCA_ATTR_DM_QUERY_HANDLE	0x1000	/* DM, mandatory */
#define SHCA_ATTR_DM_QUERY_RESP		0x1001	/* output, mandatory */

struct shca_query_dm_resp {
	struct shca_mmap_info map;
	__aligned_u64	length;		/* bytes, as allocated */
};

/* Response tail of CREATE_AH: the name of the AH in UD send WQEs. */
struct shca_create_ah_resp {
	__u32		ahn;
	__u32		reserved;	/* zero */
};

/* ---- the doorbell ---------------------------------------------------------------------- */

/*
 * Read-only page of the user context, mapped at shca_alloc_ucontext_resp.doorbell_page.  When the
 * device is removed the mapping is zapped and reads as zero.
 */
struct shca_doorbell_page {
	__u32		live;		/* SHCA_DOORBELL_LIVE while the device exists, else 0 */
	__u32		reserved[15];
};

#define SHCA_DOORBELL_LIVE	0x6c697665U

/*
 * Driver object: the doorbell file descriptor, made by an ioctl method of the uverbs device.  The
 * numbers below are (1 << UVERBS_ID_NS_SHIFT) based, as rdma/ib_user_ioctl_cmds.h demands.
 */
#define SHCA_OBJECT_DOORBELL		0x1000
#define SHCA_METHOD_DOORBELL_ALLOC	0x1000
#define SHCA_ATTR_DOORBELL_ALLOC_FD	0x1000	/* new FD, mandatory */

/*
 * ioctl(doorbell_fd, SHCA_IOC_DOORBELL, qpn): work was published on that QP's send queue (or on
 * its receive queue while qp_shared.state says ERR).  The argument is the 24-bit QP number by
 * value.  The engine runs in the caller, bounded; 0, or EINVAL (no QP of this context has that
 * number), or EIO (device removed).
 */
#define SHCA_IOC_DOORBELL		0x5301	/* _IO('S', 1) */

/*
 * Protocol of the send doorbell.  Each line of the left column pairs with its right neighbour:
 *
 *	library					engine (owner of the QP)
 *	write WQEs				running = 1
 *	store-release sq_prod			load-acquire sq_prod; copy WQEs out; work
 *	full barrier				running = 0; full barrier
 *	if (!running) ioctl(doorbell)		load-acquire sq_prod again; new: running = 1, go on
 *
 * If the library saw running == 1, its sq_prod is visible to the engine's second look.  The receive
 * queue has no doorbell: the engine looks at rq_prod when a message needs a receive.  Only in state
 * ERR is somebody needed to flush late receives:
 *
 *	write WQE, store-release rq_prod	state = ERR; full barrier
 *	full barrier; if state == ERR ioctl	load-acquire rq_prod; flush
 */

/* ---- shared heads of rings ------------------------------------------------------------- */

/* Head of a QP's mapping; the lines have one writer each. */
struct shca_qp_shared {
	/* line 0, written by the process */
	__u32		sq_prod;	/* free running count of published send WQEs */
	__u32		rsvd0[15];
	/* line 1, written by the process */
	__u32		rq_prod;	/* free running count of published receive WQEs */
	__u32		rsvd1[15];
	/* line 2, written by the kernel */
	__u32		running;	/* nonzero: the engine will look at sq_prod again by itself */
	__u32		state;		/* enum ib_qp_state as the engine sees it */
	__u32		sq_cons;	/* send WQEs copied out so far */
	__u32		rq_cons;	/* receive WQEs copied out so far */
	__u32		rsvd2[12];
	__u32		rsvd3[16];
};

struct shca_srq_shared {
	/* line 0, written by the process */
	__u32		prod;		/* free running count of published receive WQEs */
	__u32		rsvd0[15];
	/* line 1, written by the kernel */
	__u32		cons;		/* WQEs copied out so far: their slots may be reused */
	__u32		rsvd1[15];
};

/* Bits of shca_cq_shared.arm. */
#define SHCA_CQ_ARM_SOLICITED	1U
#define SHCA_CQ_ARM_ANY		2U

/*
 * Arming: the process sets bits of arm with an atomic OR, then a full barrier, then polls once
 * more.  The engine publishes a CQE, full barrier, reads arm; if it matches it swaps in 0 and
 * notifies the completion channel.
 */
struct shca_cq_shared {
	/* line 0, written by the process (arm also by the kernel: swapped to 0) */
	__u32		cons;		/* free running count of CQEs taken */
	__u32		arm;		/* SHCA_CQ_ARM_* */
	__u32		rsvd0[14];
	/* line 1, written by the kernel */
	__u32		prod;		/* free running count of CQEs published */
	__u32		overrun;	/* nonzero: the CQ overran and is dead */
	__u32		rsvd1[14];
};

/* ---- work queue entries ---------------------------------------------------------------- */

struct shca_sge {
	__aligned_u64	addr;
	__u32		length;		/* bytes; 0 is an empty element */
	__u32		lkey;
};

/* Bits of shca_send_wqe.flags, values as enum ibv_send_flags. */
#define SHCA_SEND_FENCE		0x01
#define SHCA_SEND_SIGNALED	0x02
#define SHCA_SEND_SOLICITED	0x04
#define SHCA_SEND_INLINE	0x08

/*
 * Send WQE.  Opcodes are those of enum ib_uverbs_wr_opcode.  After the head follow count SGEs or,
 * with SHCA_SEND_INLINE, count bytes of data.  Atomics carry struct shca_atomic_ops first and the
 * SGE after it.  BIND_MW carries struct shca_bind_ops and no SGE: ex is the new rkey, remote.rkey
 * the one that the window has.  LOCAL_INV has ex alone.
 */
struct shca_send_wqe {
	__aligned_u64	wr_id;		/* opaque, comes back in the CQE */
	__u8		opcode;
	__u8		flags;
	__u16		count;		/* SGEs, or inline bytes with SHCA_SEND_INLINE */
	__u32		ex;		/* immediate (__be32 in memory), rkey to invalidate or bind */
	union {
		struct {
			__aligned_u64	addr;
			__u32		rkey;
			__u32		xrc_srqn;	/* XRC: the SRQ at the peer; else zero */
		} remote;		/* RDMA and atomics */
		struct {
			__u32		qpn;
			__u32		qkey;
			__u32		ahn;	/* shca_create_ah_resp.ahn */
			__u32		reserved;
		} ud;
	};
};

struct shca_atomic_ops {
	__aligned_u64	compare_add;
	__aligned_u64	swap;
};

/* BIND_MW.  Length 0 with lkey 0 unbinds a window of type 1. */
struct shca_bind_ops {
	__aligned_u64	addr;
	__aligned_u64	length;
	__u32		lkey;		/* of the region */
	__u32		access;		/* enum ib_access_flags */
};

/* Receive WQE of RQ and SRQ; count SGEs follow. */
struct shca_recv_wqe {
	__aligned_u64	wr_id;
	__u32		count;
	__u32		reserved;
};

/*
 * Completion.  The consumer expects at index i of a ring of 2^n entries the lap (i >> n) + 1; the
 * field is written last, with release order.  Status and opcode have the values of enum ibv_wc_*.
 */
struct shca_cqe {
	__aligned_u64	wr_id;
	__u32		qpn;
	__u32		byte_len;
	__u32		ex;		/* immediate (__be32 in memory) or invalidated rkey */
	__u32		src_qp;		/* UD */
	__u32		wc_flags;	/* enum ibv_wc_flags */
	__u32		vendor_err;
	__u32		wqe_count;	/* free running: WQEs of that queue up to and with this one */
	__u8		status;
	__u8		opcode;		/* bit 7 set: of a receive */
	__u16		pkey_index;
	__u8		sl;
	__u8		srq;		/* nonzero: of a receive that came from an SRQ */
	__u8		reserved0[2];
	__u32		reserved1[4];
	__u32		lap;
};

#endif
