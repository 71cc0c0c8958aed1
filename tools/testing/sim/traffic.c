// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * traffic.c - random verbs, random scheduling, random trouble.
 *
 * Called by main.c, a step at a time.  Everything comes from the world's seed.
 */
#include "sim.h"

void sim_fail(struct world *w, const struct end *e, const char *why)
{
	if (w->wrong)
		return;
	w->wrong = why;
	printf("# type %d, end %u: %s\n", (int)e->type, e->index, why);
}

static struct end *any(struct world *w)
{
	u32 i = sim_rnd(w, ENDS + DATAGRAM_ENDS);

	return i < ENDS ? &w->end[i] : &w->ud[i - ENDS];
}

static void post_recv(struct world *w, struct end *e)
{
	u64 id = 1ull << 63 | w->next_id++;

	if (e->received - e->recv_done == DEPTH)
		return;
	e->recvs[e->received % DEPTH] = id;
	host_recv(&e->qp, id, sim_model_sink(e, e->received), SLICE, e->mr.eng.key);
	e->received++;
}

static u8 any_opcode(struct world *w, enum eng_qp_type type)
{
	/* Where messages may be lost they carry their number. */
	static const u8 ops[] = { WR_SEND_IMM, WR_WRITE, WR_WRITE_IMM, WR_SEND, WR_READ, WR_FAA };

	return ops[sim_rnd(w, type == ENG_QPT_RC ? 6 : type == ENG_QPT_UC ? 3 : 1)];
}

static u32 any_length(struct world *w, u32 max)
{
	switch (sim_rnd(w, 4)) {
	case 0: return sim_rnd(w, 65);
	case 1: return 8 * sim_rnd(w, 33);
	default: return sim_rnd(w, max);
	}
}

static void address(struct world *w, struct end *e, struct host_wr *wr, const struct request *r)
{
	struct end *peer = e->peer;

	if (e->type == ENG_QPT_UD) {
		wr->ahn = 1 + (u32)(peer->host - w->host);
		wr->qpn = peer->qp.qpn;
		wr->qkey = 77;
		return;
	}
	wr->raddr = r->opcode == WR_FAA ? sim_model_word(peer) : sim_model_target(peer, e->sent);
	wr->rkey = peer->mr.eng.key + r->bad_key;
}

static void post_send(struct world *w, struct end *e)
{
	struct request r = { .id = w->next_id++, .opcode = any_opcode(w, e->type) };
	static u8 inline_bytes[256];
	struct host_wr wr = { 0 };
	u32 i;

	if (e->sent - e->send_done == DEPTH || e->told - e->heard > MESSAGES - DEPTH)
		return;
	r.length = r.opcode == WR_FAA ? 8 : any_length(w, e->type == ENG_QPT_UD ? 4096 : SLICE);
	r.add = 1 + sim_rnd(w, 1000);
	/* The last free entry is signalled, so that the queue can always be recovered. */
	r.signaled = sim_rnd(w, 4) || e->sent - e->send_done > DEPTH - 3;
	r.bad_key = e->type == ENG_QPT_RC && r.opcode != WR_SEND && r.opcode != WR_SEND_IMM &&
		    r.length && !sim_rnd(w, 200);
	wr.wr_id = r.id;
	wr.opcode = r.opcode;
	wr.imm = (u32)r.id;
	wr.flags = (r.signaled ? SHCA_SEND_SIGNALED : 0) |
		   (sim_rnd(w, 8) ? 0 : SHCA_SEND_FENCE);
	wr.addr = (void *)(unsigned long)sim_model_source(e, e->sent);
	wr.length = r.length;
	wr.lkey = e->mr.eng.key;
	wr.compare_add = r.add;
	address(w, e, &wr, &r);
	i = e->sent % DEPTH * SLICE;
	sim_model_posted(e, &r);
	if (r.opcode < WR_READ && r.length <= 100 && e->qp.sq_stride >= 256 && sim_rnd(w, 2)) {
		u32 k;

		for (k = 0; k < r.length; k++)
			inline_bytes[k] = *host_mr_at(&e->mr, i + k);
		wr.flags |= SHCA_SEND_INLINE;
		wr.addr = inline_bytes;
	}
	host_put_send(&e->qp, &wr);
}

static void ring(struct world *w, struct end *e)
{
	u32 kind = sim_rnd(w, 6);

	if (e->qp.shared->running)
		return;		/* as the library: somebody will look */
	if (kind == 0)
		sim_world_ring(e, 0, 0);
	else if (kind == 1)
		sim_world_ring(e, 1 + sim_rnd(w, 3000), 1 + sim_rnd(w, 4));
	else
		sim_world_ring(e, ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
}

/* A connection that failed is polled empty and begins again. */
static void renew(struct world *w, struct end *e)
{
	u32 i;

	if (e->type == ENG_QPT_UD || !(e->failed || e->peer->failed))
		return;
	/* First everything comes back: both ends in ERR, both queues flushed. */
	for (i = 0; i < 2; i++, e = e->peer) {
		e->excuses = ~0u;
		host_state(&e->qp, ENG_QPS_ERR);
	}
	host_work();
	for (i = 0; i < 2; i++, e = e->peer) {
		sim_model_poll(w, e);
		/* Those that were done before the error, and silently. */
		while (!e->reported && e->send_done != e->sent &&
		       !e->sends[e->send_done % DEPTH].signaled)
			e->send_done++;
		if (e->sent != e->send_done || e->received != e->recv_done)
			sim_fail(w, e, "not everything was flushed");
	}
	sim_world_connect(w, e);
}

static void trouble(struct world *w)
{
	struct end *e = any(w);
	u32 i;

	switch (sim_rnd(w, 6)) {
	case 0:
		w->outages++;
		for (i = 0; i < ENDS; i++)
			w->end[i].excuses |= 1u << RETRY_EXC;
		sim_world_ports(w, false);
		break;
	case 1:
		sim_world_ports(w, true);
		break;
	case 2:
		if (e->type == ENG_QPT_UD)
			break;
		e->excuses = e->peer->excuses = ~0u;
		host_state(&e->qp, ENG_QPS_ERR);
		e->failed = e->failed || e->sent != e->send_done || e->received != e->recv_done;
		break;
	case 3:
		if (e->type == ENG_QPT_RC && !e->failed && host_query(&e->qp) == ENG_QPS_RTS) {
			host_state(&e->qp, ENG_QPS_SQD);
			host_state(&e->qp, ENG_QPS_RTS);
		}
		break;
	case 4:
		if (e->type != ENG_QPT_UD) {
			host_state(&e->qp, ENG_QPS_RESET);
			sim_world_connect(w, e);
		}
		break;
	default:
		break;
	}
}

void sim_traffic_step(struct world *w)
{
	struct end *e = any(w);
	u32 n;

	/* Without a receive a finite rnr_retry runs out, and a peer in ERR answers nothing. */
	if (e->rnr_retry != 7)
		e->excuses |= 1u << RNR_EXC;
	if (e->peer->failed)
		e->excuses |= 1u << RETRY_EXC;
	switch (sim_rnd(w, 10)) {
	case 0: case 1: case 2:
		for (n = sim_rnd(w, 6); n; n--)
			post_send(w, e);
		if (sim_rnd(w, 8))
			ring(w, e);
		break;
	case 3: case 4:
		for (n = sim_rnd(w, 6); n; n--)
			post_recv(w, e);
		break;
	case 5:
		ring(w, e);
		break;
	case 6:
		host_work();
		break;
	case 7:
		sim_world_pass_time(w);
		break;
	case 8:
		sim_model_poll(w, e);
		renew(w, e);
		break;
	default:
		if (!sim_rnd(w, 20))
			trouble(w);
	}
}

static bool settle_once(struct world *w)
{
	bool done = true;
	u32 i, n;

	for (i = 0; i < ENDS + DATAGRAM_ENDS; i++) {
		struct end *e = i < ENDS ? &w->end[i] : &w->ud[i - ENDS];

		sim_model_poll(w, e);
		renew(w, e);
		for (n = 0; n < 4; n++)
			post_recv(w, e);
		if (!e->qp.shared->running)
			sim_world_ring(e, ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
		sim_model_poll(w, e);
		done &= sim_model_idle(e);
	}
	host_work();
	sim_world_pass_time(w);
	return done;
}

void sim_traffic_settle(struct world *w)
{
	u32 round, i;

	sim_world_ports(w, true);
	for (round = 0; round < 2000 && !w->wrong; round++)
		if (settle_once(w) && round > 3)
			break;
	if (round == 2000)
		sim_fail(w, &w->end[0], "did not come to rest");
	for (i = 0; i < ENDS && !w->wrong; i++) {
		struct end *e = &w->end[i];
		u64 word = *(u64 *)host_mr_at(&e->mr, (u32)(sim_model_word(e) - e->mr.eng.iova));

		/* Unsignalled additions at the very end are done but not reported. */
		if (e->peer->sent == e->peer->send_done && word != e->counter)
			sim_fail(w, e, "additions lost or doubled");
	}
}
