// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * host.c - the host of the engine's unit tests.
 *
 * Called by test programs; calls the engine as shca.ko and the library do.  Ring memory is
 * malloc'd, so ASan sees every access beyond it.
 */
#include "host.h"
#include "cable.h"

u64 host_now;
struct host_event host_events[HOST_EVENTS];
u32 host_event_count;
u32 host_idle_devs, host_idle_ahs;

static struct host_qp *deferred;
static pthread_mutex_t deferred_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t event_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_defer(struct eng_qp *eng)
{
	struct host_qp *qp = eng_qp_host(eng);

	pthread_mutex_lock(&deferred_lock);
	assert(!qp->in_list);
	qp->in_list = 1;
	qp->list_next = deferred;
	env_write(deferred, qp);
	pthread_mutex_unlock(&deferred_lock);
}

static u64 on_now(struct eng_dev *dev)
{
	(void)dev;
	return env_read(host_now);
}

static void on_arm(struct eng_qp *eng, u64 deadline, u64 late)
{
	struct host_qp *qp = eng_qp_host(eng);

	/* As late as it may be. */
	env_write(qp->deadline, deadline == ENG_NO_DEADLINE ? deadline : deadline + late);
}

static void on_cq_notify(struct eng_cq *eng)
{
	struct host_cq *cq = env_container(eng, struct host_cq, eng);

	__atomic_fetch_add(&cq->notified, 1, __ATOMIC_RELAXED);
}

static void note(const void *object, enum eng_event event)
{
	pthread_mutex_lock(&event_lock);
	if (host_event_count < HOST_EVENTS) {
		host_events[host_event_count].object = object;
		host_events[host_event_count++].event = event;
	}
	pthread_mutex_unlock(&event_lock);
}

static void on_cq_timer(struct eng_cq *eng, u32 us)
{
	env_container(eng, struct host_cq, eng)->timer_us = us;
}

static void on_cq_event(struct eng_cq *cq, enum eng_event event)
{
	note(cq, event);
}

static void on_qp_event(struct eng_qp *qp, enum eng_event event)
{
	note(qp, event);
}

static void on_srq_event(struct eng_srq *srq, enum eng_event event)
{
	note(srq, event);
}

static void on_mr_idle(struct eng_mr *eng)
{
	struct host_mr *mr = env_container(eng, struct host_mr, eng);

	env_store_release(&mr->idle, 1);
}

static void on_srq_idle(struct eng_srq *eng)
{
	struct host_srq *srq = env_container(eng, struct host_srq, eng);

	env_store_release(&srq->idle, 1);
}

static void on_qp_idle(struct eng_qp *eng)
{
	struct host_qp *qp = eng_qp_host(eng);

	env_store_release(&qp->idle, 1);
}

static void on_ah_idle(struct eng_ah *ah)
{
	(void)ah;
	__atomic_fetch_add(&host_idle_ahs, 1, __ATOMIC_RELAXED);
}

static void on_dev_idle(struct eng_dev *dev)
{
	struct host *host = env_container(dev, struct host, dev);

	host->gone = true;
	host_idle_devs++;
}

static const struct eng_ops ops = {
	.defer = on_defer,
	.now = on_now,
	.arm = on_arm,
	.cq_notify = on_cq_notify,
	.cq_event = on_cq_event,
	.cq_timer = on_cq_timer,
	.qp_event = on_qp_event,
	.srq_event = on_srq_event,
	.transmit = cable_transmit,
	.transmit_end = cable_transmit_end,
	.transmit_alone = cable_transmit_alone,
	.packet_span = cable_span,
	.packet_keep = cable_packet_keep,
	.packet_done = cable_packet_done,
	.mr_idle = on_mr_idle,
	.srq_idle = on_srq_idle,
	.qp_idle = on_qp_idle,
	.ah_idle = on_ah_idle,
	.dev_idle = on_dev_idle,
};

u32 host_event_find(const void *object, enum eng_event event)
{
	u32 i, n = 0;

	for (i = 0; i < host_event_count; i++)
		n += host_events[i].object == object && host_events[i].event == event;
	return n;
}

void host_init(struct host *host)
{
	memset(host, 0, sizeof(*host));
	eng_dev_init(&host->dev, &ops);
	host->dev.port_up = 1;
	host->dev.port_mtu = 4096;
	host->pd = (struct eng_pd *)&host->pd;
	host->pd2 = (struct eng_pd *)&host->pd2;
	host->next_qpn = 0x100;
	host->next_key = 7;
	host_event_count = 0;
}

void host_fini(struct host *host)
{
	eng_dev_put(&host->dev);
	assert(host->gone);
}

static void *zalloc(size_t bytes)
{
	void *mem = NULL;

	if (posix_memalign(&mem, 64, bytes ? bytes : 64))
		abort();
	memset(mem, 0, bytes);
	return mem;
}

void host_cq_init(struct host *host, struct host_cq *cq, u32 count)
{
	memset(cq, 0, sizeof(*cq));
	cq->count = count;
	cq->shared = zalloc(sizeof(*cq->shared));
	cq->entries = zalloc(count * sizeof(*cq->entries));
	eng_cq_init(&cq->eng, &host->dev);
	eng_cq_set_ring(&cq->eng, cq->shared, (u8 *)cq->entries, count);
}

void host_cq_resize(struct host_cq *cq, u32 count, int expect)
{
	struct shca_cq_shared *shared = zalloc(sizeof(*shared));
	struct shca_cqe *entries = zalloc(count * sizeof(*entries));
	int err;

	env_lock(&cq->eng.lock);
	err = eng_cq_resize(&cq->eng, shared, (u8 *)entries, count);
	env_unlock(&cq->eng.lock);
	assert(err == expect);
	if (err) {
		free(shared);
		free(entries);
		return;
	}
	free(cq->shared);
	free(cq->entries);
	cq->shared = shared;
	cq->entries = entries;
	cq->count = count;
}

void host_cq_fini(struct host_cq *cq)
{
	free(cq->shared);
	free(cq->entries);
}

bool host_poll(struct host_cq *cq, struct shca_cqe *wc)
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

void host_srq_init(struct host *host, struct host_srq *srq, u32 count, u32 sges)
{
	memset(srq, 0, sizeof(*srq));
	srq->count = count;
	srq->stride = (SHCA_RECV_WQE_HEAD + sges * 16 + 63) & ~63u;
	srq->shared = zalloc(sizeof(*srq->shared));
	srq->entries = zalloc((size_t)count * srq->stride);
	eng_srq_init(&srq->eng, &host->dev);
	srq->eng.shared = srq->shared;
	srq->eng.ring.entries = srq->entries;
	srq->eng.ring.count = count;
	srq->eng.ring.stride = srq->stride;
	srq->eng.pd = host->pd;
	srq->eng.max_sge = sges;
}

void host_srq_fini(struct host_srq *srq)
{
	free(srq->shared);
	free(srq->entries);
}

enum { BLOCK = 4096, IOVA_GAP = 0x10000 };

void host_mr_init(struct host *host, struct host_mr *mr, u32 bytes, u32 access)
{
	u32 n = (bytes + BLOCK - 1) / BLOCK + 1, i;
	u8 **blocks = calloc(n + 1, sizeof(*blocks));

	memset(mr, 0, sizeof(*mr));
	mr->mem = zalloc((size_t)n * BLOCK);
	/* Pairs of pages are swapped, so that every second boundary is a jump. */
	for (i = 0; i < n; i++)
		blocks[i] = mr->mem + (size_t)((i ^ 2) < n ? i ^ 2 : i) * BLOCK;
	mr->eng.dev = &host->dev;
	mr->eng.pd = host->pd;
	mr->eng.key = host->next_key++ << 8 | 0x5a;
	mr->eng.access = access;
	mr->eng.iova = 0x7f0000000000ull + host->next_key * 0x100000000ull + 24;
	mr->eng.length = bytes;
	mr->eng.blocks = blocks;
	mr->eng.block_shift = 12;
	mr->eng.first_offset = 24;
	if (eng_mr_publish(&mr->eng))
		abort();
}

void host_mr_fini(struct host_mr *mr)
{
	if (!mr->eng.dead)
		eng_mr_retire(&mr->eng);
	while (!env_load_acquire(&mr->idle))
		env_relax(0);
	env_rcu_wait();
	free((void *)mr->eng.blocks);
	free(mr->mem);
}

u64 host_mr_addr(const struct host_mr *mr, u32 offset)
{
	return mr->eng.iova + offset;
}

u8 *host_mr_at(struct host_mr *mr, u32 offset)
{
	u32 at = mr->eng.first_offset + offset;

	return mr->eng.blocks[at / BLOCK] + at % BLOCK;
}

static u8 pattern(u32 offset, u32 seed)
{
	return (u8)((offset * 2654435761u + seed) >> 13);
}

void host_mr_fill(struct host_mr *mr, u32 offset, u32 bytes, u32 seed)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		*host_mr_at(mr, offset + i) = pattern(i, seed);
}

bool host_mr_check(struct host_mr *mr, u32 offset, u32 bytes, u32 seed)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		if (*host_mr_at(mr, offset + i) != pattern(i, seed))
			return false;
	return true;
}

static void make_rings(struct host_qp *qp, struct eng_qp_config *cfg)
{
	u32 payload = cfg->max_send_sge * 16 + 16;

	if (payload < cfg->max_inline)
		payload = cfg->max_inline;
	qp->sq_stride = (SHCA_SEND_WQE_HEAD + payload + 63) & ~63u;
	qp->rq_stride = (SHCA_RECV_WQE_HEAD + cfg->max_recv_sge * 16 + 63) & ~63u;
	qp->shared = zalloc(sizeof(*qp->shared));
	qp->sq = zalloc((size_t)qp->sq_count * qp->sq_stride);
	qp->rq = zalloc((size_t)qp->rq_count * qp->rq_stride);
	cfg->shared = qp->shared;
	cfg->sq = (struct eng_ring){ qp->sq, qp->sq_count, qp->sq_stride, 0 };
	cfg->rq = (struct eng_ring){ qp->rq, qp->rq_count, qp->rq_stride, 0 };
}

void host_qp_init(struct host *host, struct host_qp *qp, const struct host_qp_init *init)
{
	struct eng_qp_config cfg = {
		.type = init->type,
		.xrc = init->xrc,
		.xrcd = init->xrcd,
		.pd = init->xrc == ENG_XRC_TGT ? NULL : host->pd,
		.send_cq = init->xrc == ENG_XRC_TGT ? NULL : &init->scq->eng,
		.recv_cq = init->xrc ? NULL : &init->rcq->eng,
		.srq = init->srq ? &init->srq->eng : NULL,
		.max_send_sge = init->send_sge ? init->send_sge : 1,
		.max_recv_sge = init->recv_sge ? init->recv_sge : 1,
		.max_inline = init->max_inline,
		.sig_all = init->sig_all,
	};

	memset(qp, 0, sizeof(*qp));
	qp->host = host;
	qp->scq = init->scq;
	qp->rcq = init->rcq;
	qp->sq_count = init->sq;
	qp->rq_count = init->rq;
	qp->deadline = ENG_NO_DEADLINE;
	qp->qpn = cfg.qpn = __atomic_fetch_add(&host->next_qpn, 1, __ATOMIC_RELAXED);
	make_rings(qp, &cfg);
	qp->eng = eng_qp_init(zalloc(eng_qp_struct_bytes + eng_qp_private_bytes(&cfg)),
			      &host->dev, &cfg);
	eng_qp_set_host(qp->eng, qp);
	if (eng_qp_publish(qp->eng))
		abort();
}

static void run_list_once(struct eng_runq *rq)
{
	struct host_qp *list, *next;

	pthread_mutex_lock(&deferred_lock);
	list = deferred;
	env_write(deferred, NULL);
	for (next = list; next; next = next->list_next)
		next->in_list = 0;
	pthread_mutex_unlock(&deferred_lock);
	for (; list; list = next) {
		next = list->list_next;
		eng_runq_adopt(rq, list->eng);
	}
}

u32 host_work(void)
{
	struct eng_runq rq;
	u32 n = 0;

	while (env_read(deferred)) {
		eng_runq_init(&rq);
		run_list_once(&rq);
		eng_run(&rq);
		n++;
	}
	return n;
}

void host_qp_fini(struct host_qp *qp)
{
	/* Single-threaded tests have nobody else to empty the worker's list. */
	host_work();
	eng_qp_destroy(qp->eng);
	while (!env_load_acquire(&qp->idle))
		env_relax(0);
	env_rcu_wait();
	free(qp->eng);
	free(qp->shared);
	free(qp->sq);
	free(qp->rq);
}

void host_qp_attr(struct host_qp *qp, const struct host_qp *peer, struct eng_qp_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->access = ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ | ENG_ACCESS_REMOTE_ATOMIC;
	attr->path_mtu = 1024;
	attr->dest_qpn = peer->qpn;
	attr->rq_psn = peer->qpn * 7919;
	attr->sq_psn = qp->qpn * 7919;
	attr->max_rd_atomic = attr->max_dest_rd_atomic = ENG_MAX_RD_ATOMIC;
	attr->min_rnr_timer = 12;
	attr->timeout = 14;
	attr->retry_cnt = 7;
	attr->rnr_retry = 7;
	attr->peer = &peer->host->dev;
}

void host_state(struct host_qp *qp, enum eng_qp_state state)
{
	struct eng_qp_attr attr = { .state = state };
	int err = eng_qp_modify(qp->eng, &attr, ENG_QP_STATE);

	if (!err && state == ENG_QPS_RESET)
		qp->sq_prod = qp->rq_prod = 0;
}

static void connect_one(struct host_qp *qp, const struct host_qp *peer)
{
	struct eng_qp_attr attr;

	host_qp_attr(qp, peer, &attr);
	host_state(qp, ENG_QPS_INIT);
	attr.state = ENG_QPS_RTR;
	eng_dev_get(attr.peer);
	eng_qp_modify(qp->eng, &attr, ENG_QP_STATE | HOST_ALL_ATTRS);
}

void host_connect(struct host_qp *a, struct host_qp *b)
{
	connect_one(a, b);
	if (b != a)
		connect_one(b, a);
	host_state(a, ENG_QPS_RTS);
	if (b != a)
		host_state(b, ENG_QPS_RTS);
}

void host_ud_ready(struct host_qp *qp, u32 qkey)
{
	struct eng_qp_attr attr = { .qkey = qkey };

	eng_qp_modify(qp->eng, &attr, ENG_QP_QKEY);
	host_state(qp, ENG_QPS_INIT);
	host_state(qp, ENG_QPS_RTR);
	host_state(qp, ENG_QPS_RTS);
}

enum eng_qp_state host_query(struct host_qp *qp)
{
	struct eng_qp_attr attr;
	bool draining;

	return eng_qp_query(qp->eng, &attr, &draining);
}

void host_put_send(struct host_qp *qp, const struct host_wr *wr)
{
	u8 *at = qp->sq + (size_t)(qp->sq_prod & (qp->sq_count - 1)) * qp->sq_stride;
	struct shca_sge one = { (u64)(unsigned long)wr->addr, wr->length, wr->lkey };
	struct post_wr post = {
		.wr_id = wr->wr_id,
		.opcode = wr->opcode,
		.flags = wr->flags,
		.imm = wr->imm,
		.sge = wr->sge ? wr->sge : &one,
		.num_sge = wr->sge || !wr->addr ? wr->num_sge : 1,
		.inline_data = wr->addr,
		.inline_length = wr->length,
		.raddr = wr->raddr,
		.rkey = wr->rkey,
		.srqn = wr->srqn,
		.compare_add = wr->compare_add,
		.swap = wr->swap,
		.qpn = wr->qpn,
		.qkey = wr->qkey,
		.ahn = wr->ahn,
		.bind = wr->bind,
	};

	post_send_wqe(at, &post);
	env_store_release(&qp->shared->sq_prod, ++qp->sq_prod);
}

void host_doorbell(struct host_qp *qp)
{
	struct eng_runq rq;

	eng_runq_init(&rq);
	eng_kick(&rq, qp->eng);
	eng_run(&rq);
}

void host_send(struct host_qp *qp, const struct host_wr *wr)
{
	host_put_send(qp, wr);
	env_mb();
	if (!env_read(qp->shared->running))
		host_doorbell(qp);
}

void host_recv_sges(struct host_qp *qp, u64 wr_id, const struct shca_sge *sge, u32 count)
{
	post_recv_wqe(qp->rq + (size_t)(qp->rq_prod & (qp->rq_count - 1)) * qp->rq_stride,
		      wr_id, sge, count);
	env_store_release(&qp->shared->rq_prod, ++qp->rq_prod);
	env_mb();
	if (env_read(qp->shared->state) == ENG_QPS_ERR)
		host_doorbell(qp);
}

void host_recv(struct host_qp *qp, u64 wr_id, u64 addr, u32 length, u32 lkey)
{
	struct shca_sge sge = { addr, length, lkey };

	host_recv_sges(qp, wr_id, &sge, 1);
}

void host_srq_recv(struct host_srq *srq, u64 wr_id, u64 addr, u32 length, u32 lkey)
{
	struct shca_sge sge = { addr, length, lkey };

	post_recv_wqe(srq->entries + (size_t)(srq->prod & (srq->count - 1)) * srq->stride,
		      wr_id, &sge, 1);
	env_store_release(&srq->shared->prod, ++srq->prod);
}

bool host_tick(struct host_qp *qp)
{
	u64 deadline = env_read(qp->deadline);

	if (deadline == ENG_NO_DEADLINE)
		return false;
	qp->deadline = ENG_NO_DEADLINE;
	if (deadline > host_now)
		host_now = deadline;
	eng_expire(qp->eng);
	host_work();
	return true;
}
