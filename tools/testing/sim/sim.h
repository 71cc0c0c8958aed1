/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * sim.h - a small world of devices and connections in one thread and virtual time.
 *
 * One seed decides everything: who posts what, whose doorbell is answered when and with which
 * budget, when time passes, which port goes down.  model.c knows what was promised and judges every
 * completion; a run ends when everything that was posted came back, once, in order.
 */
#ifndef SIM_H
#define SIM_H

#include "host.h"

enum {
	DEVICES = 2,
	CONNECTIONS = 5,	/* the last one is UC, the others RC */
	ENDS = 2 * CONNECTIONS,
	DATAGRAM_ENDS = 3,
	DEPTH = 16,		/* requests per queue */
	SLICE = 8192,		/* bytes of memory that one request may use */
	MESSAGES = 256,		/* remembered per direction; more than can be on their way */
};

enum { OK = 0, LOC_PROT = 4, FLUSH = 5, REM_ACCESS = 10, RETRY_EXC = 12, RNR_EXC = 13 };

struct request {
	u64 id;
	u8 opcode;
	bool signaled;
	bool bad_key;		/* must fail with REM_ACCESS */
	u32 length;
	u64 add;
};

struct end {
	struct host_qp qp;
	struct host_cq cq;
	struct host_mr mr;	/* DEPTH slices to send from, to receive to, to be written to */
	struct host *host;
	struct end *peer;
	enum eng_qp_type type;
	u32 index;

	/* The model: rings of what was posted. */
	struct request sends[DEPTH];
	u32 sent, send_done;
	u64 recvs[DEPTH];
	u32 received, recv_done;
	struct request messages[MESSAGES];	/* that take a receive at the peer, in order */
	u32 told, heard;
	u64 counter;		/* what the peer's additions have made of our word */
	bool failed;		/* it is, or will be, in ERR */
	bool reported;		/* an error was polled; all that follows is flushed */
	u32 excuses;		/* 1 << status: errors that this world may cause */
	u32 rnr_retry;
};

struct world {
	u64 seed;
	struct host host[DEVICES];
	struct end end[ENDS];
	struct end ud[DATAGRAM_ENDS];
	struct eng_ah ah[DEVICES][DEVICES];	/* from, to */
	u32 outages;
	u64 next_id;
	u64 completions, flushed, errors;
	const char *wrong;
};

u32 sim_rnd(struct world *w, u32 below);
void sim_fail(struct world *w, const struct end *e, const char *why);

/* world.c */
void sim_world_init(struct world *w, u64 seed);
void sim_world_fini(struct world *w);
void sim_world_connect(struct world *w, struct end *e);
/* Runs @e's doorbell with the given budget; 0: hands it to the worker. */
void sim_world_ring(struct end *e, u32 bytes, u32 wqes);
/* Time passes until the next deadline; false: there is none. */
bool sim_world_pass_time(struct world *w);
void sim_world_ports(struct world *w, bool up);

/* model.c */
void sim_model_posted(struct end *e, const struct request *r);
void sim_model_reset(struct end *e);
/* Polls and judges. */
void sim_model_poll(struct world *w, struct end *e);
bool sim_model_idle(const struct end *e);
u64 sim_model_source(const struct end *e, u32 slot);
u64 sim_model_sink(const struct end *e, u32 slot);
u64 sim_model_target(const struct end *e, u32 slot);
u64 sim_model_word(const struct end *e);

/* traffic.c */
void sim_traffic_step(struct world *w);
/* Stops causing trouble and lets everything finish. */
void sim_traffic_settle(struct world *w);

#endif
