// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fuzz_ring.c - a process that writes anything to its rings, at any time, and rings its doorbell.
 *
 * An input is a list of acts: whole work requests with some odd bytes, plain bytes anywhere in the
 * shared memory of a QP or CQ, doorbells with small budgets, time.  The process owns the even ends;
 * their memory is theirs to spoil, that of the odd ends is not.
 */
#include "stage.h"

enum { ACTS = 32 };

struct region {
	u8 *at;
	size_t bytes;
};

/* What the process has mapped of @e. */
static struct region mapped(struct end *e, u32 which)
{
	struct sim_qp *qp = e->qp;

	switch (which % 6) {
	case 0:
		return (struct region){ (u8 *)qp->shared, sizeof(*qp->shared) };
	case 1:
		return (struct region){ qp->rq, (size_t)qp->rq_count * qp->rq_stride };
	case 2:
		return (struct region){ (u8 *)e->cq.shared, sizeof(*e->cq.shared) };
	case 3:
		return (struct region){ (u8 *)e->cq.entries,
					e->cq.count * sizeof(*e->cq.entries) };
	default:
		return (struct region){ qp->sq, (size_t)qp->sq_count * qp->sq_stride };
	}
}

static void scribble(struct end *e, struct stage_input *in)
{
	struct region r = mapped(e, stage_u8(in));
	u32 at = stage_u16(in), n;

	for (n = 1 + stage_u8(in) % 16; n; n--)
		if (r.bytes)	/* XRC: no receive queue */
			r.at[at++ % r.bytes] = stage_u8(in);
}

/* A work request that makes sense but for what the input wants otherwise. */
static void write_request(struct end *e, struct stage_input *in)
{
	u32 slot = stage_u8(in) % e->qp->sq_count;
	u8 *at = e->qp->sq + (size_t)slot * e->qp->sq_stride;
	struct shca_send_wqe head = {
		.wr_id = slot,
		.opcode = stage_u8(in) % 16,
		.flags = stage_u8(in) & 15,
		.count = stage_u8(in) % 6,
		.ex = stage_u8(in),
		.remote.addr = e->peer->mem.base + sim_memory_at(&e->peer->mem, SIM_TARGET, slot) +
			       (int8_t)stage_u8(in),
		.remote.rkey = e->peer->remote->eng.key,
	};
	u32 i;

	if (head.opcode == WR_BIND || head.opcode == WR_LOCAL_INV || head.opcode == WR_SEND_INV) {
		head.remote.rkey = stage_key(e, head.ex);
		head.ex = stage_key(head.opcode == WR_SEND_INV ? e->peer : e, head.ex);
		head.ex += head.opcode == WR_BIND;
	} else if (head.ex & 0x80) {
		head.remote.rkey = stage_key(e->peer, head.ex);
	}
	head.remote.xrc_srqn = e->peer->xsrq[slot & 1].eng.srqn;
	if (e->type == ENG_QPT_UD) {
		head.ud.qpn = stage.end[STAGE_UD + (slot & 1)].qp->qpn;
		head.ud.qkey = QKEY;
		head.ud.ahn = sim_world_ahn(e, &stage.end[STAGE_UD + (slot & 1)]);
	}
	memcpy(at, &head, sizeof(head));
	if (head.opcode == WR_BIND) {
		struct shca_bind_ops ops = stage_bind(e, stage_u8(in));

		memcpy(at + sizeof(head), &ops, sizeof(ops));
		return;
	}
	for (i = 0; i < 3 && sizeof(head) + 16 * (i + 1) <= e->qp->sq_stride; i++) {
		struct shca_sge sge = {
			e->mem.base + sim_memory_at(&e->mem, SIM_OUT, slot),
			stage_u16(in) % 700, e->local->eng.key,
		};

		memcpy(at + sizeof(head) + 16 * i, &sge, sizeof(sge));
	}
}

static void publish(struct end *e, struct stage_input *in)
{
	struct shca_qp_shared *shared = e->qp->shared;
	u32 more = stage_u8(in);

	if (more & 0x80)
		shared->sq_prod = stage_u32(in);
	else
		shared->sq_prod += more & 7;
	if (more & 0x40)
		shared->rq_prod += more & 7;
}

static void ring(struct end *e, struct stage_input *in)
{
	u32 bytes = stage_u8(in);

	if (bytes < 128)
		sim_qp_ring(e->qp, ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
	else
		sim_qp_ring(e->qp, (bytes & 127) * 8, 1 + stage_u8(in) % 4);
}

static void act(struct stage_input *in)
{
	u8 what = stage_u8(in);
	struct end *e = stage_end((what >> 4) * 2u);

	switch (what % 10) {
	case 0: case 1: case 2:
		write_request(e, in);
		publish(e, in);
		break;
	case 3: case 4:
		scribble(e, in);
		break;
	case 5: case 6:
		ring(e, in);
		break;
	case 7:
		stage_post_receive(e->peer);
		break;
	case 8:
		stage_run(1u + stage_u8(in) % 8, stage_u8(in) & 1);
		break;
	default:
		sim_qp_state(e->qp, (enum eng_qp_state)(stage_u8(in) % ENG_QPS_COUNT));
	}
}

/* The process may do to its own memory what it likes. */
static void spoil(void)
{
	u32 i, k;

	for (i = 0; i < STAGE_ENDS; i += 2)
		for (k = 0; k < stage.cfg.depth; k++) {
			struct sim_memory *m = &stage.end[i].mem;
			struct sim_slot all = { SIM_ANY, m->stride, 0 };

			sim_memory_promise(m, SIM_OUT, k, all);
			sim_memory_promise(m, SIM_IN, k, all);
		}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct stage_input in = { data, size };
	u32 i;

	stage_begin();
	spoil();
	for (i = 0; i < ACTS && in.left; i++)
		act(&in);
	stage_finish();
	return 0;
}
