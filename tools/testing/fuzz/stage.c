// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * stage.c - the world that packets and rings are fuzzed in.
 *
 * Called by fuzz_packet.c and fuzz_ring.c; built from the simulator's hosts, network and memory.
 * The model does not judge here, since hostile input may legally cause any status.
 */
#include "stage.h"

enum { DEPTH = 4, SLICE = 512, MTU = 256, LONG_RUN = 24 };

struct world stage;
static bool built;
static u32 touched;		/* ends, 1 << index */

/* A seed whose draw has the connections in the wanted kinds. */
static bool as_wanted(void)
{
	static const struct {
		enum eng_qp_type type;
		enum eng_xrc xrc;
		bool wire;
	} wanted[STAGE_ENDS] = {
		[STAGE_RC]	= { ENG_QPT_RC, ENG_XRC_NONE, true },
		[STAGE_UC]	= { ENG_QPT_UC, ENG_XRC_NONE, true },
		[STAGE_DIRECT]	= { ENG_QPT_RC, ENG_XRC_NONE, false },
		[STAGE_XRC]	= { ENG_QPT_RC, ENG_XRC_INI, true },
		[STAGE_UD]	= { ENG_QPT_UD, ENG_XRC_NONE, true },
		[STAGE_UD + 1]	= { ENG_QPT_UD, ENG_XRC_NONE, true },
	};
	u32 i;

	/* The other ends of connections are like them. */
	for (i = 0; i < STAGE_ENDS; i++)
		if (wanted[i].type && (stage.end[i].type != wanted[i].type ||
				       stage.end[i].xrc != wanted[i].xrc ||
				       stage.end[i].wire != wanted[i].wire))
			return false;
	return true;
}

/* Bytes that peers may write: the whole region of the targets, guards between them included. */
static void promise_all(struct end *e)
{
	struct sim_memory *m = &e->mem;
	u32 i;

	for (i = 0; i < DEPTH; i++) {
		sim_memory_promise(m, SIM_TARGET, i, (struct sim_slot){ SIM_ANY, m->stride, 0 });
		sim_memory_promise(m, SIM_OUT, i, (struct sim_slot){ SIM_REST, 0, 0 });
		sim_memory_promise(m, SIM_IN, i, (struct sim_slot){ SIM_REST, 0, 0 });
	}
	sim_memory_promise(m, SIM_WORD, 0, (struct sim_slot){ SIM_ANY, m->stride, 0 });
}

static void build(void)
{
	struct sim_options options = { .way = SIM_MIXED };
	struct sim_config cfg;
	u64 seed;

	/* The first one that fits, as long as draws stay what they are. */
	for (seed = 2885;; seed++) {
		sim_config_draw(&cfg, seed, &options);
		cfg.features = 1ull << SIM_UC | 1ull << SIM_UD | 1ull << SIM_MCAST |
			       1ull << SIM_INLINE | 1ull << SIM_SGES | 1ull << SIM_XRC |
			       1ull << SIM_WINDOWS | 1ull << SIM_FASTREG;
		cfg.hosts = 2;
		cfg.pairs = 4;
		cfg.datagrams = 2;
		cfg.depth = DEPTH;
		cfg.slice = SLICE;
		cfg.path_mtu = MTU;
		cfg.latency_ns = cfg.jitter_ns = cfg.work_ns = 100;
		sim_world_init(&stage, &cfg, false);
		if (as_wanted())
			break;
		sim_world_fini(&stage);
	}
	built = true;
	stage.hostile = true;
	for (touched = 0; touched < STAGE_ENDS; touched++)
		promise_all(&stage.end[touched]);
	touched = ~0u;
}

static void drop_events(void)
{
	struct sim_event event;

	while (sim_loop_next(&stage.loop, &event))
		if (event.kind == SIM_EVENT_PACKET)
			sim_net_drop(event.object);
		else if (event.kind == SIM_EVENT_WORKER)
			((struct sim_host *)event.object)->worker_due = false;
	stage.loop.now = 1000;
	memset(stage.net.last, 0, sizeof(stage.net.last));
}

static void empty_queues(struct end *e)
{
	u32 i;

	for (i = 0; e->xmr && i < XRC_QUEUES; i++) {
		struct sim_srq *srq = &e->xsrq[i];

		memset(srq->shared, 0, sizeof(*srq->shared));
		srq->prod = srq->eng.ring.cons = 0;
		srq->eng.broken = false;
	}
}

static void refresh(struct end *e)
{
	u32 i;

	sim_qp_state(e->qp, ENG_QPS_RESET);
	/* It may have overrun, and the process may have lied about what it polled. */
	memset(e->cq.shared, 0, sizeof(*e->cq.shared));
	memset(e->cq.entries, 0, e->cq.count * sizeof(*e->cq.entries));
	e->cq.cons = 0;
	eng_cq_init(&e->cq.eng, &e->host->dev);
	eng_cq_set_ring(&e->cq.eng, e->cq.shared, (u8 *)e->cq.entries, e->cq.count);
	for (i = 0; i < DEPTH; i++) {
		sim_memory_adopt(&e->mem, SIM_OUT, i);
		sim_memory_adopt(&e->mem, SIM_IN, i);
		sim_memory_adopt(&e->mem, SIM_TARGET, i);
	}
	sim_memory_adopt(&e->mem, SIM_WORD, 0);
	sim_model_forget(e);
	empty_queues(e);
	promise_all(e);
}

void stage_begin(void)
{
	u32 i;

	if (!built)
		build();
	sim_host_relax(0);
	for (i = 0; i < STAGE_ENDS; i++)
		if (touched >> i & 1)
			refresh(&stage.end[i]);
	drop_events();
	sim_host_relax(0);
	sim_host_reap();
	sim_rng_seed(&stage.rng, 7, 7);
	sim_rng_seed(&stage.loop.rng, 7, 7);
	sim_rng_seed(&stage.net.rng, 7, 7);
	for (i = 0; i < STAGE_ENDS; i++)
		if (touched >> i & 1 && stage.end[i].peer >= &stage.end[i])
			sim_world_connect(&stage.end[i]);
	touched = 0;
}

struct end *stage_end(u32 index)
{
	struct end *e = &stage.end[index % STAGE_ENDS];

	touched |= 1u << e->index | 1u << e->peer->index;
	return e;
}

void stage_run(u32 events, bool timers)
{
	struct sim_event event;

	while (events-- && stage.loop.count &&
	       (timers || stage.loop.heap[0].kind != SIM_EVENT_TIMER) &&
	       sim_loop_next(&stage.loop, &event)) {
		sim_host_reap();
		sim_run_event(&stage, &event);
	}
}

void stage_post_receive(struct end *e)
{
	struct sim_srq *srq = e->xmr ? &e->xsrq[e->own.posted & 1] : NULL;
	u32 taken = srq ? srq->shared->cons : e->qp->shared->rq_cons;
	u32 posted = srq ? srq->prod : e->own.posted;
	u32 index = e->own.posted % DEPTH;
	struct shca_sge sge;

	if (e->xrc == ENG_XRC_INI || posted - taken >= DEPTH)
		return;
	e->own.posted++;
	sge = (struct shca_sge){ e->mem.base + sim_memory_at(&e->mem, SIM_IN, index),
				 SLICE + GRH_BYTES, e->local->eng.key };
	sim_memory_promise(&e->mem, SIM_IN, index,
			   (struct sim_slot){ SIM_ANY, SLICE + GRH_BYTES, 0 });
	if (srq)
		sim_srq_recv(srq, 1ull << 63 | index, &sge, 1);
	else
		sim_qp_recv(e->qp, 1ull << 63 | index, &sge, 1);
}

u32 stage_key(const struct end *e, u32 which)
{
	const struct sim_mr *mr = e->keys[which % SIM_KEYS].mr;

	return mr ? mr->eng.key : 0;
}

struct shca_bind_ops stage_bind(const struct end *e, u32 bits)
{
	struct eng_mr *fast = e->keys[SIM_KEY_FAST].mr ? &e->keys[SIM_KEY_FAST].mr->eng : NULL;
	u32 at = sim_memory_at(&e->mem, SIM_TARGET, bits & 3);
	u32 length = (bits & 0x80 ? 8 : SLICE) * (bits >> 2 & 1);

	/* The host's part; a process cannot have it changed while the key is in use. */
	if (fast && fast->dead && !fast->plan.length)
		fast->plan = (struct eng_mr_plan) { e->mem.blocks + at / 4096, SLICE, at % 4096,
						    12 };
	return (struct shca_bind_ops) {
		.addr = e->mem.base + at,
		.length = length,
		.lkey = length ? e->remote->eng.key : 0,
		.access = (bits >> 3 & 7) << 1 | (bits & 0x40 ? ENG_ACCESS_ZERO_BASED : 0),
	};
}

/* A request that changes a key of one's own, or that of a peer. */
static void make_change(struct end *e, struct end *peer, struct post_wr *wr,
			struct shca_bind_ops *bind, struct stage_input *in)
{
	u32 which = stage_u8(in);

	wr->imm = stage_key(wr->opcode == WR_SEND_INV ? peer : e, which);
	if (wr->opcode != WR_BIND && wr->opcode != WR_REG)
		return;
	wr->rkey = wr->imm;
	wr->imm = (wr->rkey & ~0xffu) | ((wr->rkey + 1) & 0xff);
	*bind = stage_bind(e, stage_u8(in));
	wr->bind = bind;
}

static void make_address(struct end *peer, struct post_wr *wr, u32 slot, u8 key)
{
	bool atomic = sim_wr_is(wr->opcode, SIM_WR_ATOMIC);

	wr->raddr = peer->mem.base + sim_memory_at(&peer->mem, atomic ? SIM_WORD : SIM_TARGET,
						   atomic ? 0 : slot);
	wr->rkey = key & 4 ? stage_key(peer, key) : peer->remote->eng.key;
	wr->srqn = peer->xsrq[key & 1].eng.srqn;
}

void stage_post_send(struct end *e, struct stage_input *in)
{
	static const u8 opcodes[] = {
		WR_WRITE, WR_WRITE_IMM, WR_SEND, WR_SEND_IMM, WR_READ, WR_CAS, WR_FAA,
		WR_LOCAL_INV, WR_BIND, WR_SEND_INV, WR_REG,
	};
	struct end *peer = e->type == ENG_QPT_UD ? &stage.end[STAGE_UD + (stage_u8(in) & 1)] :
						   e->peer;
	u32 slot = e->qp->sq_prod % DEPTH;
	u32 length = stage_u16(in) % (SLICE + 1);
	struct shca_sge sge = { e->mem.base + sim_memory_at(&e->mem, SIM_OUT, slot), length,
				e->local->eng.key };
	struct post_wr wr = {
		.wr_id = slot,
		.opcode = opcodes[stage_u8(in) % sizeof(opcodes)],
		.flags = stage_u8(in) & (SHCA_SEND_SIGNALED | SHCA_SEND_FENCE),
		.sge = &sge,
		.num_sge = 1,
		.imm = 0x12345678,
	};
	struct shca_bind_ops bind;

	if (!sim_traffic_sends(e) || e->qp->sq_prod - e->qp->shared->sq_cons >= DEPTH)
		return;
	make_address(peer, &wr, slot, stage_u8(in));
	if (sim_wr_is(wr.opcode, SIM_WR_LOCAL) || wr.opcode == WR_SEND_INV)
		make_change(e, peer, &wr, &bind, in);
	if (sim_wr_is(wr.opcode, SIM_WR_LOCAL))
		wr.num_sge = 0;
	if (sim_wr_is(wr.opcode, SIM_WR_ATOMIC))
		sge.length = 8;
	if (sim_wr_is(wr.opcode, SIM_WR_FETCHES))
		sim_memory_promise(&e->mem, SIM_OUT, slot,
				   (struct sim_slot){ SIM_ANY, SLICE, 0 });
	if (e->type == ENG_QPT_UD) {
		wr.ahn = sim_world_ahn(e, peer);
		wr.qpn = peer->qp->qpn;
		wr.qkey = QKEY;
	}
	sim_qp_send(e->qp, &wr);
	sim_qp_ring(e->qp, ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
}

void stage_finish(void)
{
	u32 i, at;

	stage_run(LONG_RUN, true);
	for (i = 0; i < STAGE_ENDS; i++)
		if (touched >> i & 1 && !sim_memory_check(&stage.end[i].mem, &at)) {
			fprintf(stderr, "end %u: written at offset %u\n", i, at);
			abort();
		}
	if (stage.wrong) {
		fprintf(stderr, "%s\n", stage.wrong);
		abort();
	}
}
