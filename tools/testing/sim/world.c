// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * world.c - builds and takes down what a run consists of: hosts, ends, keys, connections.
 *
 * Called by run.c, and by trouble.c when something is made again.
 */
#include "sim.h"

enum {
	REMOTE = ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ | ENG_ACCESS_REMOTE_ATOMIC,
	ATTRS = ENG_QP_STATE | ENG_QP_ACCESS_FLAGS | ENG_QP_PATH_MTU | ENG_QP_DEST_QPN |
		ENG_QP_RQ_PSN | ENG_QP_SQ_PSN | ENG_QP_MAX_QP_RD_ATOMIC |
		ENG_QP_MAX_DEST_RD_ATOMIC | ENG_QP_MIN_RNR_TIMER | ENG_QP_TIMEOUT |
		ENG_QP_RETRY_CNT | ENG_QP_RNR_RETRY | ENG_QP_PEER,
	AH_WIRE = 8, AH_GROUP = 16,
};

static bool make_wire(struct world *w)
{
	return w->cfg.way == SIM_WIRE || (w->cfg.way == SIM_MIXED && sim_rng_below(&w->rng, 2));
}

void sim_world_make_keys(struct end *e)
{
	u32 at = sim_memory_at(&e->mem, SIM_TARGET, 0);
	u32 end = sim_memory_bytes(&e->mem);

	e->local = sim_mr_new(e->host, &e->mem, 0, end);
	sim_mr_publish(e->local, ENG_ACCESS_LOCAL_WRITE);
	e->remote = sim_mr_new(e->host, &e->mem, at, end - at);
	sim_mr_publish(e->remote, ENG_ACCESS_LOCAL_WRITE | REMOTE | ENG_ACCESS_MW_BIND);
	e->readonly = sim_mr_new(e->host, &e->mem, 0, end);
	sim_mr_publish(e->readonly, ENG_ACCESS_REMOTE_READ);
	e->own.mr = e->local;
}

void sim_world_make_qp(struct end *e)
{
	struct world *w = e->w;
	struct sim_qp_init init = {
		.type = e->type,
		.xrc = e->xrc,
		.cq = &e->cq,
		.srq = e->xrc ? NULL : e->srq,
		.depth = w->cfg.depth,
		.sges = e->sges,
		.max_inline = e->max_inline,
	};

	e->qp = sim_qp_new(e->host, w->next_qpn, &init);
	e->qp->owner = e;
	/* 0 and 1 are special, and 0xffffff stands for a group. */
	if (++w->next_qpn >= 0xffffff)
		w->next_qpn = 2;
}

/* Its receives are found by number, whoever of the domain the message comes from. */
static void make_queues(struct end *e)
{
	u32 i;

	for (i = 0; i < XRC_QUEUES; i++) {
		sim_srq_init(e->host, &e->xsrq[i], e->w->cfg.depth, 1);
		sim_srq_publish(e->host, &e->xsrq[i], &e->cq, e->w->next_srqn++);
	}
	e->xmr = sim_mr_new(e->host, &e->mem, 0, sim_memory_bytes(&e->mem));
	sim_mr_publish(e->xmr, ENG_ACCESS_LOCAL_WRITE);
	e->srq = &e->xsrq[0];
	e->in = &e->xin;
	e->xin.mem = &e->mem;
	e->xin.mr = e->xmr;
}

static void end_init(struct world *w, enum eng_qp_type type, enum eng_xrc xrc, bool wire)
{
	struct end *e = &w->end[w->ends];
	const struct sim_config *cfg = &w->cfg;

	e->w = w;
	e->index = w->ends++;
	e->type = type;
	e->xrc = xrc;
	e->wire = wire;
	e->host = &w->host[sim_rng_below(&w->rng, cfg->hosts)];
	e->sges = sim_has(cfg, SIM_SGES) ? sim_rng_range(&w->rng, 1, 5) : 1;
	e->max_inline = sim_has(cfg, SIM_INLINE) ? 64 * sim_rng_range(&w->rng, 1, 4) : 0;
	sim_memory_init(&e->mem, cfg->depth, cfg->slice, &w->rng);
	sim_world_make_keys(e);
	sim_cq_init(e->host, &e->cq, 4 * cfg->depth);
	e->own.mem = &e->mem;
	e->in = &e->own;
	if (xrc == ENG_XRC_TGT) {
		make_queues(e);
	} else if (!xrc && sim_has(cfg, SIM_SRQ) && sim_rng_below(&w->rng, 2)) {
		e->srq = &w->srq[e->host->index];
		e->in = &w->shared[e->host->index];
	}
	sim_world_make_qp(e);
}

static void srqs_init(struct world *w)
{
	u32 i;

	for (i = 0; i < w->cfg.hosts && sim_has(&w->cfg, SIM_SRQ); i++) {
		struct sim_memory *m = &w->srq_mem[i];

		sim_memory_init(m, w->cfg.depth, w->cfg.slice, &w->rng);
		sim_srq_init(&w->host[i], &w->srq[i], w->cfg.depth, 1);
		w->shared[i].mem = m;
		w->shared[i].mr = sim_mr_new(&w->host[i], m, 0, sim_memory_bytes(m));
		sim_mr_publish(w->shared[i].mr, ENG_ACCESS_LOCAL_WRITE);
	}
}

u32 sim_world_ahn(struct end *e, const struct end *to)
{
	u32 way = e->wire ? AH_WIRE : 0;

	if (!to)
		return 1 + AH_GROUP + way + (e->wire ? 0 : sim_rng_below(&e->w->rng,
									 e->w->cfg.hosts));
	return 1 + way + to->host->index;
}

static void make_ah(struct world *w, u32 from, u32 to, u32 kind)
{
	struct sim_ah *ah = calloc(1, sizeof(*ah));
	u8 ip[GRH_BYTES];
	u32 bytes;

	ah->host = to;
	ah->eng.dev = &w->host[from].dev;
	ah->eng.pd = w->host[from].pd;
	ah->eng.ahn = 1 + kind + to;
	ah->eng.multicast = kind & AH_GROUP;
	/* Lengths are filled in for each datagram. */
	bytes = sim_net_header(w, from, kind & AH_GROUP ? SIM_NET_GROUP : to, 0, ip);
	memcpy(ah->eng.grh + GRH_BYTES - bytes, ip, bytes);
	sim_net_group(w, ah->eng.mgid);
	if (kind & AH_WIRE)
		ah->eng.wire = true;
	else
		ah->eng.peer = &w->host[to].dev;
	sim_ah_publish(&ah->eng);
}

static void ahs_init(struct world *w)
{
	u32 from, to, kind;

	for (from = 0; from < w->cfg.hosts; from++)
		for (to = 0; to < w->cfg.hosts; to++)
			for (kind = 0; kind < 32; kind += 8)
				make_ah(w, from, to, kind);
}

static void ahs_fini(struct world *w)
{
	u32 from, to, kind;

	for (from = 0; from < w->cfg.hosts; from++)
		for (to = 0; to < w->cfg.hosts; to++)
			for (kind = 0; kind < 32; kind += 8)
				eng_ah_retire(env_table_find(&w->host[from].dev.ahs,
							     1 + kind + to));
}

void sim_world_init(struct world *w, const struct sim_config *cfg, bool trace)
{
	u32 i;

	memset(w, 0, sizeof(*w));
	w->cfg = *cfg;
	w->features = cfg->features;
	w->trace = trace;
	w->steps_left = cfg->steps;
	sim_rng_seed(&w->rng, cfg->seed, 3);
	sim_loop_init(&w->loop, cfg->seed);
	sim_net_init(w);
	/* What can eat several retries in a row. */
	w->lossy = sim_has(cfg, SIM_HEAVY) ? sim_features_lose(cfg->features) :
		   cfg->features & (1ull << SIM_PARTITION | 1ull << SIM_MASK | 1ull << SIM_DELAY);
	w->next_qpn = sim_rng_below(&w->rng, 2) ? 0xfffff0 : sim_rng_range(&w->rng, 2, 0xfffffe);
	w->next_srqn = sim_rng_range(&w->rng, 1, 1000);
	w->next_id = 1 + sim_rng_below(&w->rng, 1u << 30);
	for (i = 0; i < cfg->hosts; i++)
		sim_host_init(&w->host[i], w, i);
	srqs_init(w);
	ahs_init(w);
	for (i = 0; i < cfg->pairs; i++) {
		enum eng_qp_type type = sim_has(cfg, SIM_UC) && sim_rng_one_in(&w->rng, 4) ?
					ENG_QPT_UC : ENG_QPT_RC;
		bool xrc = type == ENG_QPT_RC && sim_has(cfg, SIM_XRC) &&
			   sim_rng_one_in(&w->rng, 3);
		bool wire = make_wire(w);

		end_init(w, type, xrc ? ENG_XRC_INI : ENG_XRC_NONE, wire);
		end_init(w, type, xrc ? ENG_XRC_TGT : ENG_XRC_NONE, wire);
		w->end[2 * i].peer = &w->end[2 * i + 1];
		w->end[2 * i + 1].peer = &w->end[2 * i];
		sim_world_connect(&w->end[2 * i]);
	}
	for (i = 0; i < cfg->datagrams; i++) {
		end_init(w, ENG_QPT_UD, ENG_XRC_NONE, make_wire(w));
		w->end[w->ends - 1].peer = &w->end[w->ends - 1];
		sim_world_connect(&w->end[w->ends - 1]);
	}
}

static void end_fini(struct end *e)
{
	sim_qp_free(e->qp);
	sim_keys_free(e);
	if (e->xmr)
		sim_mr_free(e->xmr);
	sim_mr_free(e->local);
	sim_mr_free(e->remote);
	sim_mr_free(e->readonly);
}

void sim_world_fini(struct world *w)
{
	struct sim_event event;
	u32 i, k;

	for (i = 0; i < w->ends; i++)
		end_fini(&w->end[i]);
	for (i = 0; i < w->cfg.hosts && sim_has(&w->cfg, SIM_SRQ); i++)
		sim_mr_free(w->shared[i].mr);
	ahs_fini(w);
	while (sim_loop_next(&w->loop, &event))
		if (event.kind == SIM_EVENT_PACKET)
			sim_net_drop(event.object);
	sim_host_reap();
	for (i = 0; i < w->ends; i++) {
		sim_memory_fini(&w->end[i].mem);
		for (k = 0; k < XRC_QUEUES && w->end[i].xmr; k++)
			sim_srq_fini(&w->end[i].xsrq[k]);
		sim_cq_fini(&w->end[i].cq);
	}
	for (i = 0; i < w->cfg.hosts; i++) {
		if (sim_has(&w->cfg, SIM_SRQ)) {
			sim_srq_fini(&w->srq[i]);
			sim_memory_fini(&w->srq_mem[i]);
		}
		w->again += eng_dev_counter(&w->host[i].dev, ENG_CNT_TX_AGAIN);
		if (!sim_host_fini(&w->host[i]))
			sim_fail(w, NULL, "a device is still referenced");
	}
	sim_loop_fini(&w->loop);
	if (sim_host_balance() || w->net.alive) {
		printf("# %ld objects, %ld packets\n", sim_host_balance(), w->net.alive);
		sim_fail(w, NULL, "memory did not come back");
	}
}

static u32 any_psn(struct world *w)
{
	if (sim_has(&w->cfg, SIM_WRAP))
		return (0xffffff - sim_rng_below(&w->rng, 40)) & 0xffffff;
	return sim_rng_below(&w->rng, 0x1000000);
}

/* Without heavy faults nothing that the network does can exhaust the retries. */
static void draw_retries(struct end *e, struct eng_qp_attr *attr)
{
	struct world *w = e->w;
	bool finite = sim_has(&w->cfg, SIM_RNR);

	attr->rnr_retry = finite && sim_rng_below(&w->rng, 2) ? (u8)sim_rng_below(&w->rng, 7) : 7;
	attr->min_rnr_timer = (u8)sim_rng_range(&w->rng, 1, 16);
	attr->retry_cnt = w->lossy ? (u8)sim_rng_below(&w->rng, 8) : 7;
	attr->timeout = (u8)(w->lossy ? sim_rng_range(&w->rng, 8, 15) :
					sim_rng_range(&w->rng, 13, 16));
	e->rnr_retry = attr->rnr_retry;
	e->retry_cnt = attr->retry_cnt;
	if (e->rnr_retry != 7)
		sim_model_excuse(e, RNR_EXC);
	if ((w->lossy && e->wire) || !e->host->dev.port_up || !e->peer->host->dev.port_up)
		sim_model_excuse(e, RETRY_EXC);
}

static void fill_link(const struct end *e, struct eng_qp_attr *attr)
{
	sim_net_gid(e->w, e->host->index, attr->sgid);
	sim_net_gid(e->w, e->peer->host->index, attr->dgid);
	attr->wire = e->wire;
	if (!e->wire) {
		attr->peer = &e->peer->host->dev;
		eng_dev_get(attr->peer);
	}
}

void sim_world_link(struct end *e)
{
	struct eng_qp_attr attr = { .state = ENG_QPS_RESET };

	fill_link(e, &attr);
	if (eng_qp_modify(e->qp->eng, &attr, ENG_QP_PEER))
		sim_fail(e->w, e, "another link was refused");
}

static void connect_one(struct end *e, u32 psn, u32 peer_psn, u8 rd_atomic)
{
	struct world *w = e->w;
	struct eng_qp_attr attr = {
		.state = ENG_QPS_RTR,
		.access = e->access,
		.path_mtu = w->cfg.path_mtu,
		.dest_qpn = e->peer->qp->qpn,
		.rq_psn = peer_psn,
		.sq_psn = psn,
		.max_rd_atomic = rd_atomic,
		.max_dest_rd_atomic = rd_atomic,
	};

	draw_retries(e, &attr);
	fill_link(e, &attr);
	if (eng_qp_modify(e->qp->eng, &attr, ATTRS))
		sim_fail(w, e, "RTR was refused");
}

static void make_datagram_ready(struct end *e)
{
	struct eng_qp_attr attr = { .qkey = QKEY };
	u8 group[16];

	eng_qp_modify(e->qp->eng, &attr, ENG_QP_QKEY);
	sim_qp_state(e->qp, ENG_QPS_INIT);
	sim_qp_state(e->qp, ENG_QPS_RTR);
	sim_qp_state(e->qp, ENG_QPS_RTS);
	sim_net_group(e->w, group);
	if (sim_has(&e->w->cfg, SIM_MCAST))
		eng_mcast_attach(e->qp->eng, group);
}

void sim_world_connect(struct end *e)
{
	struct world *w = e->w;
	u32 psn[2] = { any_psn(w), any_psn(w) }, i;
	u8 rd_atomic = (u8)sim_rng_range(&w->rng, 1, ENG_MAX_RD_ATOMIC);
	struct end *both[2] = { e, e->peer };

	for (i = 0; i < 1u + (e->peer != e); i++) {
		both[i]->access = REMOTE;
		if (sim_has(&w->cfg, SIM_BAD_OP) && sim_rng_one_in(&w->rng, 4))
			both[i]->access &= ~(u32)ENG_ACCESS_REMOTE_ATOMIC;
		if (both[i]->in->flawed)
			sim_model_excuse(both[i], FLUSH);
		sim_keys_renew(both[i]);
	}
	if (e->type == ENG_QPT_UD) {
		make_datagram_ready(e);
		return;
	}
	for (i = 0; i < 2; i++)
		sim_qp_state(both[i]->qp, ENG_QPS_INIT);
	for (i = 0; i < 2; i++)
		connect_one(both[i], psn[i], psn[!i], rd_atomic);
	for (i = 0; i < 2; i++) {
		u64 word = sim_rng_next(&w->rng);

		sim_qp_state(both[i]->qp, ENG_QPS_RTS);
		/* What the peer's atomics begin with. */
		sim_memory_write(&both[!i]->mem, sim_memory_at(&both[!i]->mem, SIM_WORD, 0),
				 &word, 8);
		both[i]->word = word;
	}
}
