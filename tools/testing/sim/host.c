// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * host.c - the simulated hosts: the engine's callbacks, rings, doorbells, workers.
 *
 * Called by world, traffic and run; calls the engine as shca.ko does.  What the engine gave up is
 * freed between two events: that is this world's grace period, and ASan sees who comes later.
 */
#include "host.h"
#include "sim.h"

enum { KEYS = 65535 };		/* that a host has had before it begins again */

/* The one world of the moment: where the engine waits it does not say for whom. */
static struct world *current;
static struct { void **list; u32 count, room; } graves;
static long objects;

static void bury(void *mem)
{
	if (graves.count == graves.room) {
		graves.room = graves.room ? 2 * graves.room : 64;
		graves.list = realloc(graves.list, graves.room * sizeof(void *));
		if (!graves.list)
			abort();
	}
	graves.list[graves.count++] = mem;
}

void sim_host_reap(void)
{
	while (graves.count)
		free(graves.list[--graves.count]);
}

long sim_host_balance(void)
{
	return objects + env_alloc_balance();
}

static void *zalloc(size_t bytes)
{
	void *mem = NULL;

	if (posix_memalign(&mem, 64, bytes ? bytes : 64))
		abort();
	memset(mem, 0, bytes);
	return mem;
}

/* ---- callbacks ---- */

static struct sim_host *host_of(struct eng_dev *dev)
{
	return env_container(dev, struct sim_host, dev);
}

static void on_defer(struct eng_qp *eng)
{
	struct sim_qp *qp = eng_qp_host(eng);
	struct sim_host *host = qp->host;
	struct world *w = host->world;

	assert(!qp->listed);
	qp->listed = true;
	qp->list_next = host->deferred;
	host->deferred = qp;
	if (host->worker_due)
		return;
	host->worker_due = true;
	sim_loop_add(&w->loop, (struct sim_event){
		.at = w->loop.now + sim_rng_below(&w->loop.rng, w->cfg.work_ns),
		.kind = SIM_EVENT_WORKER,
		.object = host,
	});
}

static u64 on_now(struct eng_dev *dev)
{
	return host_of(dev)->world->loop.now;
}

static void on_arm(struct eng_qp *eng, u64 deadline, u64 late)
{
	struct sim_qp *qp = eng_qp_host(eng);

	/* As late as it may be. */
	if (deadline != ENG_NO_DEADLINE)
		deadline += late;
	if (deadline == qp->deadline)
		return;
	qp->deadline = deadline;
	if (deadline == ENG_NO_DEADLINE)
		return;
	sim_loop_add(&qp->host->world->loop, (struct sim_event){
		.at = deadline,
		.kind = SIM_EVENT_TIMER,
		.number = qp->qpn,
		.object = qp->host,
	});
}

static void on_cq_notify(struct eng_cq *eng)
{
	(void)eng;
}

static void on_cq_event(struct eng_cq *eng, enum eng_event event)
{
	struct world *w = host_of(eng->dev)->world;

	if (!w->hostile)
		sim_fail(w, NULL, "a CQ overran");
	(void)event;
}

static void on_qp_event(struct eng_qp *eng, enum eng_event event)
{
	struct sim_qp *qp = eng_qp_host(eng);

	sim_model_event(qp->owner, event);
}

static void on_srq_event(struct eng_srq *eng, enum eng_event event)
{
	if (event == ENG_EVENT_SRQ_ERR)
		sim_fail(host_of(eng->dev)->world, NULL, "an SRQ broke");
}

static void on_srq_idle(struct eng_srq *eng)
{
	(void)eng;
	objects--;
}

static void on_mr_idle(struct eng_mr *eng)
{
	objects--;
	bury(env_container(eng, struct sim_mr, eng));
}

static void on_qp_idle(struct eng_qp *eng)
{
	struct sim_qp *qp = eng_qp_host(eng);

	objects--;
	qp->idle = true;
	bury(qp->sq);
	bury(qp->rq);
	bury(qp->shared);
	bury(qp->eng);
	bury(qp);
}

static void on_ah_idle(struct eng_ah *ah)
{
	objects--;
	bury(ah);
}

static void on_dev_idle(struct eng_dev *dev)
{
	host_of(dev)->gone = true;
}

static const struct eng_ops ops = {
	.defer = on_defer,
	.now = on_now,
	.arm = on_arm,
	.cq_notify = on_cq_notify,
	.cq_event = on_cq_event,
	.qp_event = on_qp_event,
	.srq_event = on_srq_event,
	.srq_idle = on_srq_idle,
	.transmit = sim_net_transmit,
	.transmit_end = sim_net_transmit_end,
	.transmit_alone = sim_net_transmit_alone,
	.packet_span = sim_net_packet_span,
	.packet_keep = sim_net_packet_keep,
	.packet_done = sim_net_packet_done,
	.mr_idle = on_mr_idle,
	.qp_idle = on_qp_idle,
	.ah_idle = on_ah_idle,
	.dev_idle = on_dev_idle,
};

void sim_host_init(struct sim_host *host, struct world *w, u32 index)
{
	current = w;
	host->world = w;
	host->index = index;
	eng_dev_init(&host->dev, &ops);
	host->dev.port_up = 1;
	host->dev.port_mtu = 4096;
	host->pd = (struct eng_pd *)&host->pd;
	host->other_pd = (struct eng_pd *)&host->other_pd;
	host->xrcd = (const struct eng_xrcd *)&host->xrcd;
	host->next_key = sim_rng_range(&w->rng, 1, 60000);
}

bool sim_host_fini(struct sim_host *host)
{
	eng_dev_put(&host->dev);
	return host->gone;
}

/* ---- workers ---- */

void sim_host_work(struct sim_host *host, u32 bytes, u32 wqes)
{
	struct sim_qp *list = host->deferred, *next;
	struct eng_runq rq;

	host->deferred = NULL;
	for (next = list; next; next = next->list_next)
		next->listed = false;
	eng_runq_init(&rq);
	rq.bytes_left = bytes;
	rq.wqes_left = wqes;
	for (; list; list = next) {
		next = list->list_next;
		eng_runq_adopt(&rq, list->eng);
	}
	eng_run(&rq);
}

/* The engine waits for what others have in hand: all workers go on meanwhile. */
void sim_host_relax(u32 round)
{
	u32 i;

	if (round > 100000) {
		printf("# the engine waits for ever\n");
		abort();
	}
	for (i = 0; i < current->cfg.hosts; i++)
		if (current->host[i].deferred)
			sim_host_work(&current->host[i], ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
}

void sim_qp_ring(struct sim_qp *qp, u32 bytes, u32 wqes)
{
	struct eng_runq rq;

	if (!bytes) {
		eng_kick(NULL, qp->eng);
		return;
	}
	eng_runq_init(&rq);
	rq.bytes_left = bytes;
	rq.wqes_left = wqes;
	eng_kick(&rq, qp->eng);
	eng_run(&rq);
}

void sim_qp_timer(struct sim_qp *qp, u64 deadline)
{
	if (qp->deadline != deadline)
		return;		/* armed for another time meanwhile */
	qp->deadline = ENG_NO_DEADLINE;
	eng_expire(qp->eng);
}

/* ---- completion queues ---- */

void sim_cq_init(struct sim_host *host, struct sim_cq *cq, u32 count)
{
	cq->count = count;
	cq->cons = 0;
	cq->shared = zalloc(sizeof(*cq->shared));
	cq->entries = zalloc(count * sizeof(*cq->entries));
	eng_cq_init(&cq->eng, &host->dev);
	eng_cq_set_ring(&cq->eng, cq->shared, (u8 *)cq->entries, count);
}

void sim_cq_fini(struct sim_cq *cq)
{
	free(cq->shared);
	free(cq->entries);
}

void sim_cq_resize(struct sim_cq *cq, u32 count)
{
	struct shca_cq_shared *shared = zalloc(sizeof(*shared));
	struct shca_cqe *entries = zalloc(count * sizeof(*entries));
	int err;

	env_lock(&cq->eng.lock);
	err = eng_cq_resize(&cq->eng, shared, (u8 *)entries, count);
	env_unlock(&cq->eng.lock);
	if (err) {
		free(shared);
		free(entries);
		return;
	}
	bury(cq->shared);
	bury(cq->entries);
	cq->shared = shared;
	cq->entries = entries;
	cq->count = count;
}

bool sim_cq_poll(struct sim_cq *cq, struct shca_cqe *wc)
{
	u32 shift = (u32)__builtin_ctz(cq->count);
	struct shca_cqe *cqe = &cq->entries[cq->cons & (cq->count - 1)];

	if (env_load_acquire(&cqe->lap) != (cq->cons >> shift) + 1)
		return false;
	*wc = *cqe;
	cq->cons++;
	env_store_release(&cq->shared->cons, cq->cons);
	return true;
}

/* ---- receive queues ---- */

void sim_srq_init(struct sim_host *host, struct sim_srq *srq, u32 count, u32 sges)
{
	srq->count = count;
	srq->stride = (SHCA_RECV_WQE_HEAD + sges * 16 + 63) & ~63u;
	srq->shared = zalloc(sizeof(*srq->shared));
	srq->entries = zalloc((size_t)count * srq->stride);
	eng_srq_init(&srq->eng, &host->dev);
	srq->eng.shared = srq->shared;
	srq->eng.ring = (struct eng_ring){ srq->entries, count, srq->stride, 0 };
	srq->eng.pd = host->pd;
	srq->eng.max_sge = sges;
}

void sim_srq_publish(struct sim_host *host, struct sim_srq *srq, struct sim_cq *cq, u32 srqn)
{
	srq->eng.srqn = srqn;
	srq->eng.xrcd = host->xrcd;
	srq->eng.cq = &cq->eng;
	if (eng_srq_publish(&srq->eng))
		abort();
	objects++;
}

void sim_srq_fini(struct sim_srq *srq)
{
	if (srq->eng.xrcd)
		eng_srq_retire(&srq->eng);
	free(srq->shared);
	free(srq->entries);
}

void sim_srq_resize(struct sim_srq *srq, u32 count)
{
	struct shca_srq_shared *shared = zalloc(sizeof(*shared));
	u8 *entries = zalloc((size_t)count * srq->stride);
	struct eng_ring ring = { entries, count, srq->stride, 0 };
	int err;

	env_lock(&srq->eng.lock);
	err = eng_srq_resize(&srq->eng, shared, ring);
	env_unlock(&srq->eng.lock);
	if (err) {
		free(shared);
		free(entries);
		return;
	}
	bury(srq->shared);
	bury(srq->entries);
	srq->shared = shared;
	srq->entries = entries;
	srq->count = count;
}

void sim_srq_recv(struct sim_srq *srq, u64 wr_id, const struct shca_sge *sge, u32 count)
{
	post_recv_wqe(srq->entries + (size_t)(srq->prod & (srq->count - 1)) * srq->stride,
		      wr_id, sge, count);
	env_store_release(&srq->shared->prod, ++srq->prod);
}

void sim_qp_recv(struct sim_qp *qp, u64 wr_id, const struct shca_sge *sge, u32 count)
{
	post_recv_wqe(qp->rq + (size_t)(qp->rq_prod & (qp->rq_count - 1)) * qp->rq_stride,
		      wr_id, sge, count);
	env_store_release(&qp->shared->rq_prod, ++qp->rq_prod);
	if (env_read(qp->shared->state) == ENG_QPS_ERR)
		sim_qp_ring(qp, ENG_BUDGET_BYTES, ENG_BUDGET_WQES);
}

/* ---- regions ---- */

/* Numbers come again in worlds that last long, those of the fuzzers. */
static u32 next_key(struct sim_host *host)
{
	do
		host->next_key = host->next_key % KEYS + 1;
	while (env_table_find(&host->dev.mrs, host->next_key));
	return host->next_key << 8;
}

struct sim_mr *sim_mr_new(struct sim_host *host, struct sim_memory *m, u32 at, u32 length)
{
	struct sim_mr *mr = zalloc(sizeof(*mr));

	mr->eng.dev = &host->dev;
	mr->eng.pd = host->pd;
	mr->eng.key = next_key(host) | (at & 0xff);
	mr->eng.iova = m->base + at;
	mr->eng.length = length;
	mr->eng.blocks = m->blocks + at / 4096;
	mr->eng.block_shift = 12;
	mr->eng.first_offset = at % 4096;
	return mr;
}

void sim_mr_publish(struct sim_mr *mr, u32 access)
{
	mr->eng.access = access;
	if (eng_mr_publish(&mr->eng))
		abort();
	objects++;
}

void sim_mr_free(struct sim_mr *mr)
{
	eng_mr_retire(&mr->eng);
}

struct sim_mr *sim_key_new(struct sim_host *host, u8 kind)
{
	struct sim_mr *mr = zalloc(sizeof(*mr));

	mr->eng.dev = &host->dev;
	mr->eng.pd = host->pd;
	mr->eng.key = next_key(host) | 0x5a;
	mr->eng.kind = kind;
	sim_mr_publish(mr, 0);
	return mr;
}

void sim_ah_publish(struct eng_ah *ah)
{
	if (eng_ah_publish(ah))
		abort();
	objects++;
}

/* ---- queue pairs ---- */

static void make_rings(struct sim_qp *qp, struct eng_qp_config *cfg, u32 depth)
{
	u32 payload = cfg->max_send_sge * 16 + 16;

	if (payload < cfg->max_inline)
		payload = cfg->max_inline;
	qp->sq_count = cfg->xrc == ENG_XRC_TGT ? 0 : depth;
	qp->rq_count = cfg->srq || cfg->xrc ? 0 : depth;
	qp->sq_stride = (SHCA_SEND_WQE_HEAD + payload + 63) & ~63u;
	qp->rq_stride = (SHCA_RECV_WQE_HEAD + cfg->max_recv_sge * 16 + 63) & ~63u;
	qp->shared = zalloc(sizeof(*qp->shared));
	qp->sq = zalloc((size_t)qp->sq_count * qp->sq_stride);
	qp->rq = zalloc((size_t)qp->rq_count * qp->rq_stride);
	cfg->shared = qp->shared;
	cfg->sq = (struct eng_ring){ qp->sq, qp->sq_count, qp->sq_stride, 0 };
	cfg->rq = (struct eng_ring){ qp->rq, qp->rq_count, qp->rq_stride, 0 };
}

struct sim_qp *sim_qp_new(struct sim_host *host, u32 qpn, const struct sim_qp_init *init)
{
	struct sim_qp *qp = zalloc(sizeof(*qp));
	struct eng_qp_config cfg = {
		.type = init->type,
		.xrc = init->xrc,
		.xrcd = init->xrc == ENG_XRC_TGT ? host->xrcd : NULL,
		.qpn = qpn,
		.pd = init->xrc == ENG_XRC_TGT ? NULL : host->pd,
		.send_cq = init->xrc == ENG_XRC_TGT ? NULL : &init->cq->eng,
		.recv_cq = init->xrc ? NULL : &init->cq->eng,
		.srq = init->srq ? &init->srq->eng : NULL,
		.max_send_sge = init->sges,
		.max_recv_sge = init->sges,
		.max_inline = init->max_inline,
	};

	qp->host = host;
	qp->qpn = qpn;
	qp->deadline = ENG_NO_DEADLINE;
	make_rings(qp, &cfg, init->depth);
	qp->eng = eng_qp_init(zalloc(eng_qp_struct_bytes + eng_qp_private_bytes(&cfg)),
			      &host->dev, &cfg);
	eng_qp_set_host(qp->eng, qp);
	if (eng_qp_publish(qp->eng))
		abort();
	objects++;
	return qp;
}

void sim_qp_free(struct sim_qp *qp)
{
	sim_host_relax(0);
	qp->destroyed = true;
	eng_qp_destroy(qp->eng);
}

int sim_qp_state(struct sim_qp *qp, enum eng_qp_state state)
{
	struct eng_qp_attr attr = { .state = state };
	int err = eng_qp_modify(qp->eng, &attr, ENG_QP_STATE);

	if (!err && state == ENG_QPS_RESET)
		qp->sq_prod = qp->rq_prod = 0;
	return err;
}

void sim_qp_send(struct sim_qp *qp, const struct post_wr *wr)
{
	post_send_wqe(qp->sq + (size_t)(qp->sq_prod & (qp->sq_count - 1)) * qp->sq_stride, wr);
	env_store_release(&qp->shared->sq_prod, ++qp->sq_prod);
}
