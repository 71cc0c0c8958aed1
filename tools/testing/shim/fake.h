/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * fake.h - the kernel, as far as the library can tell.
 *
 * Linked over ioctl(), mmap(), munmap() and madvise().  Commands on FAKE_CMD_FD are answered
 * from tables of a few lines; rings are plain memory that a test plays the engine on.  What the
 * library sent last can be looked at.
 */
#ifndef SHIM_FAKE_H
#define SHIM_FAKE_H

#include "shca.h"
#include "ioctl.h"

#define FAKE_CMD_FD	1000
#define FAKE_DOORBELL_FD 1001

/* Counts what the library did; set err to let the next commands fail. */
extern struct fake {
	int err;			/* errno of the next commands, 0: they succeed */
	unsigned int commands;
	uint16_t object, method;	/* of the last command */
	uint32_t write_command;		/* ... of INVOKE_WRITE */
	unsigned int doorbells;
	uint32_t doorbell_qpn;
	int doorbell_err;
	unsigned int dontfork, dofork;	/* pages */
	unsigned int madvises;		/* calls */
	int dontfork_err, dofork_err;	/* errno of the next ones */
	uint32_t next_qpn;
	uint32_t extra_entries;		/* granted beyond what was asked for */
	struct shim_ioctl last;		/* the last command buffer, as it came */
	unsigned int resizes;
} fake;

/*
 * The engine's own view of the one CQ that a test resizes: the library learns of a new ring
 * later than the engine does.
 */
extern struct fake_ring {
	pthread_mutex_t lock;		/* held while the engine writes, and while a ring moves */
	struct shca_cq_shared *shared;	/* NULL: no such CQ */
	struct shca_cqe *entries;
	uint32_t count;
	uint32_t prod;
} fake_ring;

struct fake_context {
	struct shim_context shim;
	struct shim_pd pd;
	struct shim_device device;
};

/* An open context without a device node. */
struct fake_context *fake_open(void);
void fake_close(struct fake_context *fc);
struct ibv_cq *fake_cq(struct fake_context *fc, int cqe);
struct ibv_qp *fake_qp(struct fake_context *fc, enum ibv_qp_type type, struct ibv_cq *cq,
		       struct ibv_qp_cap *cap, int sig_all);
/* Plays the engine: a state, a completion. */
void fake_set_state(struct ibv_qp *qp, enum ibv_qp_state state);
void fake_ring_watch(struct ibv_cq *cq);
/* False: the ring is full, try again. */
bool fake_ring_complete(uint32_t qpn, uint64_t wr_id, uint32_t wqe_count);
void fake_complete(struct ibv_cq *cq, uint32_t qpn, uint64_t wr_id, uint8_t opcode,
		   uint32_t wqe_count);

#endif
