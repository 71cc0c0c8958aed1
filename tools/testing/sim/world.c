// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * world.c - builds the devices and connections of a run, moves time, rings doorbells.
 *
 * Called by traffic.c and main.c; calls the engine through the unit tests' host.
 */
#include "sim.h"

enum { QKEY = 77, ACCESS = ENG_ACCESS_LOCAL_WRITE | ENG_ACCESS_REMOTE_WRITE |
	ENG_ACCESS_REMOTE_READ | ENG_ACCESS_REMOTE_ATOMIC };

u32 sim_rnd(struct world *w, u32 below)
{
	w->seed = w->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((w->seed >> 33) % below);
}

static void end_init(struct world *w, struct end *e, enum eng_qp_type type, u32 index)
{
	struct host_qp_init init = {
		.type = type, .scq = &e->cq, .rcq = &e->cq, .sq = DEPTH, .rq = DEPTH,
		.send_sge = 1 + sim_rnd(w, 4), .recv_sge = 1 + sim_rnd(w, 4),
		.max_inline = sim_rnd(w, 2) ? 256 : 0,
	};

	e->type = type;
	e->index = index;
	e->host = &w->host[sim_rnd(w, DEVICES)];
	host_cq_init(e->host, &e->cq, 64);
	host_mr_init(e->host, &e->mr, (3 * DEPTH + 1) * SLICE, ACCESS);
	host_qp_init(e->host, &e->qp, &init);
}

static void ahs_init(struct world *w)
{
	u32 from, to;

	for (from = 0; from < DEVICES; from++)
		for (to = 0; to < DEVICES; to++) {
			struct eng_ah *ah = &w->ah[from][to];

			ah->dev = &w->host[from].dev;
			ah->peer = &w->host[to].dev;
			ah->pd = w->host[from].pd;
			ah->ahn = 1 + to;
			ah->grh[0] = 0x60;
			if (eng_ah_publish(ah))
				abort();
		}
}

void sim_world_init(struct world *w, u64 seed)
{
	u32 i;

	memset(w, 0, sizeof(*w));
	w->seed = seed * 2654435761u + 12345;
	host_now = 1;
	for (i = 0; i < DEVICES; i++)
		host_init(&w->host[i]);
	for (i = 0; i < ENDS; i++)
		end_init(w, &w->end[i], i < ENDS - 2 ? ENG_QPT_RC : ENG_QPT_UC, i);
	for (i = 0; i < ENDS; i++)
		w->end[i].peer = &w->end[i ^ 1];
	for (i = 0; i < ENDS; i += 2)
		sim_world_connect(w, &w->end[i]);
	ahs_init(w);
	for (i = 0; i < DATAGRAM_ENDS; i++) {
		end_init(w, &w->ud[i], ENG_QPT_UD, i);
		w->ud[i].peer = &w->ud[(i + 1) % DATAGRAM_ENDS];
		host_ud_ready(&w->ud[i].qp, QKEY);
	}
}

void sim_world_fini(struct world *w)
{
	u32 i, k;

	for (i = 0; i < ENDS; i++)
		host_qp_fini(&w->end[i].qp);
	for (i = 0; i < DATAGRAM_ENDS; i++)
		host_qp_fini(&w->ud[i].qp);
	for (i = 0; i < ENDS + DATAGRAM_ENDS; i++) {
		struct end *e = i < ENDS ? &w->end[i] : &w->ud[i - ENDS];

		host_mr_fini(&e->mr);
		host_cq_fini(&e->cq);
	}
	for (i = 0; i < DEVICES; i++)
		for (k = 0; k < DEVICES; k++)
			eng_ah_retire(&w->ah[i][k]);
	for (i = 0; i < DEVICES; i++)
		host_fini(&w->host[i]);
}

/* Both ends of a connection, from whatever state they are in. */
void sim_world_connect(struct world *w, struct end *e)
{
	u32 i, k;

	for (i = 0; i < 2; i++, e = e->peer) {
		host_state(&e->qp, ENG_QPS_RESET);
		sim_model_reset(e);
		for (k = 0; k < DEVICES; k++)
			e->excuses |= w->host[k].dev.port_up ? 0 : 1u << RETRY_EXC;
	}
	host_connect(&e->qp, &e->peer->qp);
	for (i = 0; i < 2; i++, e = e->peer) {
		struct eng_qp_attr attr = {
			.rnr_retry = sim_rnd(w, 4) ? 7 : (u8)sim_rnd(w, 4),
			.min_rnr_timer = (u8)(1 + sim_rnd(w, 20)),
			.retry_cnt = 1 + (u8)sim_rnd(w, 7),
			.timeout = (u8)sim_rnd(w, 16),
			.max_rd_atomic = (u8)(1 + sim_rnd(w, ENG_MAX_RD_ATOMIC)),
		};

		e->rnr_retry = attr.rnr_retry;
		eng_qp_modify(e->qp.eng, &attr, ENG_QP_RNR_RETRY | ENG_QP_MIN_RNR_TIMER |
			      ENG_QP_RETRY_CNT | ENG_QP_TIMEOUT | ENG_QP_MAX_QP_RD_ATOMIC);
		*(u64 *)host_mr_at(&e->mr, (u32)(sim_model_word(e) - e->mr.eng.iova)) = 0;
	}
}

void sim_world_ring(struct end *e, u32 bytes, u32 wqes)
{
	struct eng_runq rq;

	if (!bytes) {
		eng_kick(NULL, e->qp.eng);
		return;
	}
	eng_runq_init(&rq);
	rq.bytes_left = bytes;
	rq.wqes_left = wqes;
	eng_kick(&rq, e->qp.eng);
	eng_run(&rq);
}

static struct end *end_at(struct world *w, u32 i)
{
	return i < ENDS ? &w->end[i] : &w->ud[i - ENDS];
}

bool sim_world_pass_time(struct world *w)
{
	u64 next = ENG_NO_DEADLINE;
	u32 i;

	for (i = 0; i < ENDS; i++)
		if (w->end[i].qp.deadline < next)
			next = w->end[i].qp.deadline;
	if (next == ENG_NO_DEADLINE)
		return false;
	if (next > host_now)
		host_now = next;
	for (i = 0; i < ENDS; i++) {
		struct end *e = end_at(w, i);

		if (e->qp.deadline > host_now)
			continue;
		e->qp.deadline = ENG_NO_DEADLINE;
		eng_kick(NULL, e->qp.eng);
	}
	return true;
}

void sim_world_ports(struct world *w, bool up)
{
	u32 i;

	for (i = 0; i < DEVICES; i++)
		w->host[i].dev.port_up = up || sim_rnd(w, 2);
}
