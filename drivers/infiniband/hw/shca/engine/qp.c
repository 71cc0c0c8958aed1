// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * qp.c - making queue pairs and finding them.
 *
 * Called by the host.  A QP lives in memory of the host's: the struct, then slots, then the receive
 * at hand, then results of atomics.
 */
#include "key.h"
#include "mcast.h"
#include "types.h"

const u32 eng_qp_struct_bytes = (sizeof(struct eng_qp) + 63) & ~63u;

static u32 round_up_64(u32 bytes)
{
	return (bytes + 63) & ~63u;
}

static u32 slot_bytes(const struct eng_qp_config *cfg)
{
	u32 segs = cfg->max_send_sge * (u32)sizeof(struct eng_seg);
	u32 data = (cfg->max_inline + 7) & ~7u;

	if (data < sizeof(struct eng_key_change))
		data = sizeof(struct eng_key_change);
	return round_up_64((u32)sizeof(struct eng_slot) + (segs > data ? segs : data));
}

/* How many slots fit: a power of two from ENG_WINDOW_MIN to @window. */
static u32 fit_slots(u32 window, u32 each, u32 bytes)
{
	while (window > ENG_WINDOW_MIN && window * each > bytes)
		window /= 2;
	return window;
}

static u32 window_of(const struct eng_qp_config *cfg)
{
	return fit_slots(ENG_WINDOW_MAX, slot_bytes(cfg), ENG_WINDOW_BYTES);
}

static u32 recv_bytes(const struct eng_qp_config *cfg)
{
	u32 sges = cfg->srq ? cfg->srq->max_sge : cfg->max_recv_sge;

	if (cfg->xrc == ENG_XRC_TGT)
		sges = SHCA_MAX_SGE;	/* of whatever SRQ */
	return round_up_64((u32)sizeof(struct eng_recv) + sges * (u32)sizeof(struct eng_seg));
}

static u32 result_bytes(const struct eng_qp_config *cfg)
{
	return cfg->type == ENG_QPT_RC ? ENG_MAX_RD_ATOMIC * (u32)sizeof(struct eng_result) : 0;
}

u32 eng_qp_private_bytes(const struct eng_qp_config *cfg)
{
	return window_of(cfg) * slot_bytes(cfg) + recv_bytes(cfg) + result_bytes(cfg);
}

static u8 *own_slots(struct eng_qp *qp)
{
	return (u8 *)qp + eng_qp_struct_bytes;
}

static void set_slots(struct eng_qp *qp, u8 *slots, u32 window)
{
	u32 i;

	qp->slots = slots;
	qp->window = window;
	for (i = 0; i < window; i++)
		eng_qp_slot(qp, i)->frame.src = qp;
}

void eng_qp_widen(struct eng_qp *qp)
{
	u32 window = fit_slots(ENG_WIDE_MAX, qp->slot_bytes, ENG_WIDE_BYTES);
	u8 *more;

	if (qp->slots != own_slots(qp) || window <= qp->window)
		return;
	more = env_alloc(window * qp->slot_bytes);
	if (more)
		set_slots(qp, more, window);
}

void eng_qp_narrow(struct eng_qp *qp)
{
	if (qp->slots == own_slots(qp))
		return;
	env_free(qp->slots);
	set_slots(qp, own_slots(qp),
		  fit_slots(ENG_WINDOW_MAX, qp->slot_bytes, ENG_WINDOW_BYTES));
}

static void set_layout(struct eng_qp *qp, const struct eng_qp_config *cfg)
{
	u8 *at = own_slots(qp);

	qp->slot_bytes = slot_bytes(cfg);
	set_slots(qp, at, window_of(cfg));
	at += qp->window * qp->slot_bytes;
	qp->recv = (struct eng_recv *)at;
	at += recv_bytes(cfg);
	qp->results = (struct eng_result *)at;
}

struct eng_qp *eng_qp_init(void *mem, struct eng_dev *dev, const struct eng_qp_config *cfg)
{
	struct eng_qp *qp = mem;

	env_ref_init(&qp->refs);
	qp->dev = dev;
	qp->qpn = cfg->qpn;
	qp->type = (u8)cfg->type;
	qp->xrc = (u8)cfg->xrc;
	qp->xrcd = cfg->xrcd;
	qp->slot_flags = cfg->sig_all ? ENG_SLOT_SIGNALED : 0;
	qp->slot_mask = ENG_SLOT_SIGNALED | (cfg->type == ENG_QPT_RC ? ENG_SLOT_FENCE : 0);
	qp->pd = cfg->pd;
	qp->send_cq = cfg->send_cq;
	qp->recv_cq = cfg->recv_cq;
	qp->srq = cfg->srq;
	qp->shared = cfg->shared;
	qp->sq.ring = cfg->sq;
	qp->sq.ring.cons = 0;
	qp->rq = cfg->rq;
	qp->rq.cons = 0;
	qp->max_send_sge = cfg->max_send_sge;
	qp->max_recv_sge = cfg->max_recv_sge;
	qp->max_inline = cfg->max_inline;
	qp->mtu_shift = 12;
	qp->alarm.at = ENG_NO_DEADLINE;
	set_layout(qp, cfg);
	return qp;
}

void eng_qp_set_host(struct eng_qp *qp, void *host)
{
	qp->host = host;
}

void *eng_qp_host(const struct eng_qp *qp)
{
	return qp->host;
}

struct eng_dev *eng_qp_dev(const struct eng_qp *qp)
{
	return qp->dev;
}

u32 eng_qp_qpn(const struct eng_qp *qp)
{
	return qp->qpn;
}

int eng_qp_publish(struct eng_qp *qp)
{
	return env_table_insert(&qp->dev->qps, qp->qpn, qp);
}

struct eng_qp *eng_qp_find(struct eng_dev *dev, u32 qpn)
{
	struct eng_qp *qp;

	env_rcu_lock();
	qp = env_table_find(&dev->qps, qpn);
	if (qp && !env_ref_get_unless_zero(&qp->refs))
		qp = NULL;
	env_rcu_unlock();
	return qp;
}

void eng_qp_get(struct eng_qp *qp)
{
	env_ref_get(&qp->refs);
}

void eng_qp_put(struct eng_qp *qp)
{
	if (env_ref_put(&qp->refs))
		qp->dev->ops->qp_idle(qp);
}
