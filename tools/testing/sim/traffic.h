/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * traffic.h - what applications post, and a request that is being made up.
 */
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "sim.h"

/* What requests are, whatever they do. */
enum sim_wr_trait {
	SIM_WR_RECEIVE	= 1 << 0,	/* takes a receive of the peer's */
	SIM_WR_WRITES	= 1 << 1,
	SIM_WR_FETCHES	= 1 << 2,
	SIM_WR_ATOMIC	= 1 << 3,
	SIM_WR_IMM	= 1 << 4,
	SIM_WR_LOCAL	= 1 << 5,	/* nothing is sent */
};

/* Has the opcode one of these traits? */
bool sim_wr_is(u8 opcode, u32 traits);

struct draft {
	struct request r;
	struct post_wr wr;
	struct shca_sge sge[8];
	u64 addr;
	u32 lkey;
	u32 target;		/* where it goes in the peer's arena */
	struct shca_bind_ops bind;
	struct sim_key next;	/* what becomes of r.key */
	u8 bytes[256];
};

/* All but an XRC target. */
bool sim_traffic_sends(const struct end *e);
/* Which of an XRC target's queues a place in its inbox belongs to. */
u32 sim_traffic_queue(const struct end *e, u32 index);
void sim_traffic_send(struct end *e);
/* A signalled request, so that everything before it is reported. */
void sim_traffic_mark(struct end *e);
void sim_traffic_receive(struct end *e, u32 count);
void sim_traffic_ring(struct end *e);

#endif
