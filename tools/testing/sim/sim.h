/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * sim.h - a small world: hosts, applications in pairs and groups, one thread, virtual time.
 *
 * One seed decides everything.  model.c knows what was promised and judges every completion, every
 * event and every byte; traffic.c and trouble.c act; net.c carries packets; run.c turns the wheel.
 */
#ifndef SIM_H
#define SIM_H

#include <stdio.h>
#include "config.h"
#include "host.h"
#include "keys.h"
#include "loop.h"
#include "memory.h"
#include "net.h"

enum {
	MAX_HOSTS = 4,
	MAX_PAIRS = 6,
	MAX_DATAGRAMS = 4,
	MAX_ENDS = 2 * MAX_PAIRS + MAX_DATAGRAMS,
	XRC_QUEUES = 2,
	MAX_DEPTH = 32,
	MESSAGES = 4 * MAX_DEPTH,	/* more than can be on their way and unpolled */
	TAGS = 16384,		/* unreliable messages that are remembered */
	QKEY = 0x11111,
	GRH_BYTES = 40,
};

/* Values of enum ibv_wc_status, and one of our own. */
enum {
	OK = 0, LOC_LEN = 1, LOC_QP_OP = 2, LOC_PROT = 4, FLUSH = 5, BIND_ERR = 6, REM_INV = 9,
	REM_ACCESS = 10, REM_OP = 11, RETRY_EXC = 12, RNR_EXC = 13,
};

struct request {
	u64 id;
	u8 opcode;
	u8 expect;		/* status, if nothing happens before */
	bool signaled;
	u32 length;
	u32 message;		/* its number among those that take a receive */
	u64 before, after;	/* of the word, for atomics */
	struct end *to;		/* of a datagram, NULL: the group */
	u32 queue;		/* XRC: which one of the peer's */
	struct sim_key *key;	/* that it uses or changes, and its number */
	u32 rkey;
	struct sim_key *own;	/* its memory is named with, and its number */
	u32 lkey;
};

struct receive {
	u64 id;
	u32 length;
	u8 expect;
	bool posted;
};

/* Receives and their memory: of one end, or of all that share an SRQ. */
struct inbox {
	struct sim_memory *mem;
	struct sim_mr *mr;
	struct receive r[MAX_DEPTH];
	u32 posted, done;
	bool flawed;		/* a receive that must fail was posted */
	bool deregistered;	/* the region of some is gone */
};

/* A message of an unreliable service, found by its immediate. */
struct tag {
	u64 id;
	struct end *from, *to;	/* NULL: everybody */
	u32 length;
	u8 opcode;
	u32 qpn;		/* it came from */
	u32 seen;		/* by ends, 1 << index */
};

struct end {
	struct world *w;
	u32 index;
	enum eng_qp_type type;
	enum eng_xrc xrc;	/* the initiator sends, the target receives */
	bool wire;
	struct sim_host *host;
	struct end *peer;
	struct sim_qp *qp;
	struct sim_cq cq;
	struct sim_srq *srq;
	struct sim_memory mem;
	struct sim_mr *local, *remote, *readonly;	/* the last one: peers may only read */
	struct inbox own, *in;
	/* Of an XRC target: its queues, each with a part of the inbox, and the region of it. */
	struct sim_srq xsrq[XRC_QUEUES];
	struct inbox xin;
	struct sim_mr *xmr;
	struct sim_key keys[SIM_KEYS];
	u32 sges, max_inline;

	/* The model.  Requests from kept to sent are remembered, those to send_done are over. */
	struct request sends[MAX_DEPTH];
	u32 sent, send_done, kept;
	u32 told, heard;	/* messages sent, and messages received from the peer */
	u32 acked;		/* messages told whose request succeeded */
	struct request messages[MESSAGES];
	u64 word;		/* what the peer's word will be when all atomics are done */
	u64 last_tag;		/* newest unreliable message that was received */
	bool failed;		/* an error was polled, or made by ourselves */
	bool reported;		/* an error was polled: the rest is flushed */
	bool may_err;		/* something was done that takes this QP to ERR, now or later */
	u32 excuses;		/* 1 << status: what may happen without a fault of the engine */
	u32 access;		/* ENG_ACCESS_* granted to the peer */
	u8 rnr_retry, retry_cnt;
};

struct world {
	struct sim_config cfg;
	struct sim_rng rng;
	struct sim_loop loop;
	struct sim_net net;
	struct sim_host host[MAX_HOSTS];
	struct end end[MAX_ENDS];
	u32 ends;
	struct sim_srq srq[MAX_HOSTS];
	struct sim_memory srq_mem[MAX_HOSTS];
	struct inbox shared[MAX_HOSTS];
	struct tag tags[TAGS];
	u32 next_qpn, next_srqn;
	u64 next_id, next_receive;
	u32 steps_left;
	u64 features;		/* as drawn; those of cfg stop when the run settles */
	bool lossy;		/* retries may be exhausted by what the network does */
	bool settling;		/* no new requests, no new trouble */
	bool silent;		/* no new receives either */
	bool hostile;		/* errors are what is asked for: the fuzzers' world */
	bool trace;
	u64 completions, messages, errors, flushed, again, unreliable_sent, unreliable_heard;
	const char *wrong;
};

void sim_fail(struct world *w, const struct end *e, const char *why);
void sim_trace(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct sim_ah {
	struct eng_ah eng;	/* first: it is freed by this */
	u32 host;		/* where to */
};

/* host.c */
void sim_ah_publish(struct eng_ah *ah);

/* world.c */
void sim_world_init(struct world *w, const struct sim_config *cfg, bool trace);
void sim_world_fini(struct world *w);
/* A QP, fresh, in RESET. */
void sim_world_make_qp(struct end *e);
/* From RESET to RTS, the peer's too. */
void sim_world_connect(struct end *e);
void sim_world_make_keys(struct end *e);
/* Tells the QP which link it has now. */
void sim_world_link(struct end *e);
/* Number of the address handle from @e to @to, NULL: to the group. */
u32 sim_world_ahn(struct end *e, const struct end *to);

/* model.c */
void sim_model_posted(struct end *e, struct request *r);
void sim_model_received(struct end *e, u32 index, const struct receive *r);
/* Receives that fail are among those of @e's queue. */
void sim_model_flaw(struct end *e);
void sim_model_event(struct end *e, enum eng_event event);
void sim_model_poll(struct end *e);
/* Both queues are empty, or their work is lost: what may have happened, did it happen in order? */
void sim_model_close(struct end *e);
void sim_model_forget(struct end *e);
/* All bytes of everybody. */
void sim_model_check_memory(struct world *w);
/* @e's QP, and by its silence the peer's, may fail from now on. */
void sim_model_excuse(struct end *e, u8 status);
/* What @e posted may be refused for its key. */
void sim_model_excuse_refusal(struct end *e);

/* trouble.c */
void sim_trouble_make(struct world *w);
/* Ends that failed are flushed, judged, and begin again. */
void sim_trouble_renew(struct end *e);

/* run.c */
bool sim_run(struct world *w);
/* What the loop said is next.  False: a step of the applications. */
bool sim_run_event(struct world *w, const struct sim_event *event);

#endif
