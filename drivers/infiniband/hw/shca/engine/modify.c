// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * modify.c - control operations: modify, query, destroy, detach.
 *
 * Called by the host in task context, one at a time per QP.  Each owns the QP while it works, so
 * the data path sees states and attributes change between two steps only.
 */
#include "arrival.h"
#include "completer.h"
#include "inbox.h"
#include "link.h"
#include "mcast.h"
#include "recvq.h"
#include "requester.h"
#include "responder.h"
#include "retry.h"
#include "run.h"
#include "sender.h"
#include "sge.h"
#include "state.h"

/* Everything that arrived is turned away or taken home. */
static void turn_away(struct eng_qp *qp, struct eng_runq *rq)
{
	struct eng_item *item;

	eng_responder_abort(qp, rq);
	eng_arrival_drop(qp);
	while ((item = eng_list_pop(&qp->in))) {
		struct eng_frame *frame = eng_item_frame(item);

		if (frame->flags & ENG_FRAME_REPLY)
			eng_completer_home(qp, frame);
		else
			eng_link_reply(qp, rq, frame, ENG_REPLY_LOST);
	}
	eng_link_flush_replies(qp, rq);
}

/*
 * Waits until all frames of an owned QP are home.  Each is in a hand that lets go of it in bounded
 * time: a run queue, a worker's list (which we overtake where we can), or another one that waits
 * here and turns it away.
 */
static void recall(struct eng_qp *qp)
{
	struct eng_runq rq;
	u32 round;

	for (round = 0;; round++) {
		eng_runq_init(&rq);
		eng_inbox_take(&qp->inbox, &qp->in);
		turn_away(qp, &rq);
		eng_run(&rq);
		if (!qp->sq.away)
			return;
		eng_runq_init(&rq);
		eng_link_nudge(qp, &rq);
		eng_run(&rq);
		env_relax(round);
	}
}

static void forget_queues(struct eng_qp *qp)
{
	struct eng_recv *recv = qp->recv;

	eng_retry_stop(qp);
	qp->sq.una = qp->sq.nxt = qp->sq.tail = qp->sq.begun = 0;
	qp->sq.una_done = qp->sq.nxt_done = 0;
	qp->sq.fetching = 0;
	qp->sq.ssn = 0;
	qp->sq.running = false;
	qp->sq.ring.cons = 0;
	qp->sq.broken = false;
	qp->sq.failed = false;
	eng_sge_release(eng_recvq_segs(qp), recv->segs);
	recv->held = false;
	recv->segs = 0;
	qp->rq.cons = 0;
	qp->recv_broken = false;
	qp->srq_last_raised = false;
	qp->resp.msn = 0;
	qp->resp.nak_sent = false;
	qp->resp.established = false;
	env_memset(&qp->wire, 0, sizeof(qp->wire));
	qp->wired = false;
	env_memset(qp->results, 0, qp->type == ENG_QPT_RC ?
		   ENG_MAX_RD_ATOMIC * sizeof(*qp->results) : 0);
}

static void set_peer(struct eng_qp *qp, struct eng_dev *peer)
{
	struct eng_dev *old = qp->attr.peer;

	qp->attr.peer = peer;
	if (old)
		eng_dev_put(old);
}

/* Requests that were sent the old way go the new one, as after a loss. */
static void set_link(struct eng_qp *qp, const struct eng_qp_attr *attr)
{
	if (qp->attr.wire || attr->wire)
		eng_requester_go_back(qp);
	qp->sq.una_done = qp->sq.nxt_done = 0;
	eng_arrival_forget(qp);
	set_peer(qp, attr->peer);
	qp->attr.wire = attr->wire && !attr->peer && qp->type != ENG_QPT_UD;
	env_memcpy(qp->attr.sgid, attr->sgid, sizeof(qp->attr.sgid));
	env_memcpy(qp->attr.dgid, attr->dgid, sizeof(qp->attr.dgid));
	if (qp->attr.wire) {
		qp->wired = true;
		if (qp->type == ENG_QPT_RC && qp->sq.una == qp->sq.tail && !qp->sq.away)
			eng_qp_widen(qp);
	}
	eng_sender_start(qp);
}

static void to_reset(struct eng_qp *qp)
{
	eng_state_set(qp, ENG_QPS_RESET);
	recall(qp);
	forget_queues(qp);
	eng_qp_narrow(qp);
	set_peer(qp, NULL);
	qp->attr.wire = false;
	qp->attr.rate_limit = 0;
	qp->pace_next = 0;
	if (qp->shared) {
		env_write(qp->shared->sq_prod, 0);
		env_write(qp->shared->rq_prod, 0);
		env_write(qp->shared->running, 0);
		env_write(qp->shared->sq_cons, 0);
		env_write(qp->shared->rq_cons, 0);
	}
}

static void to_state(struct eng_qp *qp, enum eng_qp_state state)
{
	if (state == ENG_QPS_RESET) {
		to_reset(qp);
		return;
	}
	if (state == ENG_QPS_SQD)
		qp->drain_raised = false;
	if (state == ENG_QPS_RTS)
		qp->sq.failed = false;
	if (state == ENG_QPS_RTS && eng_state(qp) == ENG_QPS_RTR)
		qp->resp.established = true;
	eng_state_set(qp, state);
}

static u32 shift_of(u32 mtu)
{
	u32 shift = 8;

	while (shift < 12 && 1u << shift < mtu)
		shift++;
	return shift;
}

static void set_path(struct eng_qp *qp, const struct eng_qp_attr *attr, u32 mask)
{
	if (mask & ENG_QP_PATH_MTU) {
		qp->attr.path_mtu = attr->path_mtu;
		qp->mtu_shift = shift_of(attr->path_mtu);
	}
	if (mask & ENG_QP_DEST_QPN)
		qp->attr.dest_qpn = attr->dest_qpn & 0xffffff;
	if (mask & ENG_QP_RQ_PSN) {
		qp->attr.rq_psn = attr->rq_psn & ENG_PSN_MASK;
		qp->resp.epsn = qp->attr.rq_psn;
	}
	if (mask & ENG_QP_SQ_PSN) {
		qp->attr.sq_psn = attr->sq_psn & ENG_PSN_MASK;
		qp->sq.psn = qp->attr.sq_psn;
		qp->wire.out.max_psn = qp->wire.out.acked = qp->attr.sq_psn;
	}
	if (mask & ENG_QP_PEER)
		set_link(qp, attr);
}

static void set_limits(struct eng_qp *qp, const struct eng_qp_attr *attr, u32 mask)
{
	struct eng_qp_attr *own = &qp->attr;

	if (mask & ENG_QP_EN_SQD_ASYNC_NOTIFY)
		own->sqd_notify = attr->sqd_notify;
	if (mask & ENG_QP_ACCESS_FLAGS)
		own->access = attr->access;
	if (mask & ENG_QP_RATE_LIMIT)
		qp->attr.rate_limit = attr->rate_limit;
	if (mask & ENG_QP_QKEY)
		own->qkey = attr->qkey;
	if (mask & ENG_QP_TIMEOUT)
		own->timeout = attr->timeout & 31;
	if (mask & ENG_QP_RETRY_CNT)
		own->retry_cnt = attr->retry_cnt;
	if (mask & ENG_QP_RNR_RETRY)
		own->rnr_retry = attr->rnr_retry;
	if (mask & ENG_QP_MIN_RNR_TIMER)
		own->min_rnr_timer = attr->min_rnr_timer & 31;
	if (mask & ENG_QP_MAX_QP_RD_ATOMIC)
		own->max_rd_atomic = attr->max_rd_atomic;
	if (mask & ENG_QP_MAX_DEST_RD_ATOMIC)
		own->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & (ENG_QP_RETRY_CNT | ENG_QP_RNR_RETRY))
		eng_retry_progress(qp);
}

enum {
	TO_RESET = 1 << ENG_QPS_RESET,
	TO_INIT = 1 << ENG_QPS_INIT,
	TO_RTR = 1 << ENG_QPS_RTR,
	TO_RTS = 1 << ENG_QPS_RTS,
	TO_SQD = 1 << ENG_QPS_SQD,
	TO_ERR = 1 << ENG_QPS_ERR,
};

/*
 * IBTA vol. 1, 10.3.1 (G088).  The host has judged the transition and its attributes already, but
 * an error may have moved the QP since it asked.
 */
static const u8 next_states[ENG_QPS_COUNT] = {
	[ENG_QPS_RESET]	= TO_RESET | TO_INIT,
	[ENG_QPS_INIT]	= TO_RESET | TO_ERR | TO_INIT | TO_RTR,
	[ENG_QPS_RTR]	= TO_RESET | TO_ERR | TO_RTS,
	[ENG_QPS_RTS]	= TO_RESET | TO_ERR | TO_RTS | TO_SQD,
	[ENG_QPS_SQD]	= TO_RESET | TO_ERR | TO_RTS | TO_SQD,
	[ENG_QPS_SQE]	= TO_RESET | TO_ERR | TO_RTS,
	[ENG_QPS_ERR]	= TO_RESET | TO_ERR,
};

int eng_qp_modify(struct eng_qp *qp, const struct eng_qp_attr *attr, u32 mask)
{
	int err = 0;

	eng_run_own(qp);
	if (mask & ENG_QP_STATE && !(next_states[eng_state(qp)] >> attr->state & 1)) {
		err = -ENV_EINVAL;
	} else {
		set_limits(qp, attr, mask);
		set_path(qp, attr, mask);
		if (mask & ENG_QP_STATE && attr->state != eng_state(qp))
			to_state(qp, attr->state);
	}
	eng_run_disown(qp);
	return err;
}

enum eng_qp_state eng_qp_query(struct eng_qp *qp, struct eng_qp_attr *attr, bool *sq_draining)
{
	enum eng_qp_state state;

	eng_run_own(qp);
	state = eng_state(qp);
	if (attr)
		*attr = qp->attr;
	if (sq_draining)
		*sq_draining = state == ENG_QPS_SQD && qp->sq.una != qp->sq.begun;
	eng_run_disown(qp);
	return state;
}

/* Counters of QPs that are gone stay in the device's sums. */
static void retire_counters(struct eng_qp *qp)
{
	u32 i;

	env_lock(&qp->dev->counter_lock);
	for (i = 0; i < ENG_CNT_OF_QPS; i++)
		qp->dev->retired[i] += qp->counters[i];
	env_unlock(&qp->dev->counter_lock);
}

void eng_qp_destroy(struct eng_qp *qp)
{
	struct eng_runq rq;

	env_table_erase(&qp->dev->qps, qp->qpn);
	(void)env_fetch_add(&qp->dev->qp_generation, 1);
	if (qp->type == ENG_QPT_UD)
		eng_mcast_forget(qp->dev, qp->qpn);
	eng_run_own(qp);
	eng_state_set(qp, ENG_QPS_RESET);
	recall(qp);
	eng_runq_init(&rq);
	eng_inbox_close(&qp->inbox, &qp->in);
	turn_away(qp, &rq);
	eng_arrival_close(qp);
	eng_run(&rq);
	forget_queues(qp);
	eng_qp_narrow(qp);
	qp->shared = NULL;
	set_peer(qp, NULL);
	eng_run_kill(qp);
	retire_counters(qp);
	eng_qp_put(qp);
}

void eng_qp_detach_rings(struct eng_qp *qp)
{
	eng_run_own(qp);
	env_write(qp->shared, NULL);
	eng_state_set(qp, ENG_QPS_ERR);
	recall(qp);
	forget_queues(qp);
	qp->sq.ring.count = 0;
	qp->rq.count = 0;
	eng_run_disown(qp);
}
