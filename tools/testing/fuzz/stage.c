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
		bool wire;
	} wanted[STAGE_ENDS] = {
		{ ENG_QPT_RC, true }, { ENG_QPT_RC, true },
		{ ENG_QPT_UC, true }, { ENG_QPT_UC, true },
		{ ENG_QPT_RC, false }, { ENG_QPT_RC, false },
		{ ENG_QPT_UD, true }, { ENG_QPT_UD, true },
	};
	u32 i;

	for (i = 0; i < STAGE_ENDS; i++)
		if (stage.end[i].type != wanted[i].type || stage.end[i].wire != wanted[i].wire)
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
	for (seed = 506;; seed++) {
		sim_config_draw(&cfg, seed, &options);
		cfg.features = 1ull << SIM_UC | 1ull << SIM_UD | 1ull << SIM_MCAST |
			       1ull << SIM_INLINE | 1ull << SIM_SGES;
		cfg.hosts = 2;
		cfg.pairs = 3;
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
	struct shca_sge sge;
	u32 index = e->own.posted % DEPTH;

	if (e->own.posted - e->qp->shared->rq_cons >= DEPTH)
		return;
	e->own.posted++;
	sge = (struct shca_sge){ e->mem.base + sim_memory_at(&e->mem, SIM_IN, index),
				 SLICE + GRH_BYTES, e->local->eng.key };
	sim_memory_promise(&e->mem, SIM_IN, index,
			   (struct sim_slot){ SIM_ANY, SLICE + GRH_BYTES, 0 });
	sim_qp_recv(e->qp, 1ull << 63 | index, &sge, 1);
}

void stage_post_send(struct end *e, struct stage_input *in)
{
	struct end *peer = e->type == ENG_QPT_UD ? &stage.end[STAGE_UD + (stage_u8(in) & 1)] :
						   e->peer;
	u32 slot = e->qp->sq_prod % DEPTH;
	u32 length = stage_u16(in) % (SLICE + 1);
	struct shca_sge sge = { e->mem.base + sim_memory_at(&e->mem, SIM_OUT, slot), length,
				e->local->eng.key };
	struct post_wr wr = {
		.wr_id = slot,
		.opcode = stage_u8(in) % 7,
		.flags = stage_u8(in) & (SHCA_SEND_SIGNALED | SHCA_SEND_FENCE),
		.sge = &sge,
		.num_sge = 1,
		.imm = 0x12345678,
		.raddr = peer->mem.base + sim_memory_at(&peer->mem, SIM_TARGET, slot),
		.rkey = peer->remote->eng.key,
	};

	if (e->qp->sq_prod - e->qp->shared->sq_cons >= DEPTH)
		return;
	if (wr.opcode >= WR_CAS) {
		wr.raddr = peer->mem.base + sim_memory_at(&peer->mem, SIM_WORD, 0);
		sge.length = 8;
	}
	if (wr.opcode >= WR_READ)
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
