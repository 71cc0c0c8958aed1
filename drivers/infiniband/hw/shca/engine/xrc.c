// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * xrc.c - extended reliable connections: numbers of SRQs, and the SRQ that a message names (IBTA
 * vol. 1, annex A14).
 *
 * The host publishes and retires SRQs, the responder enters and leaves them.  An SRQ is found under
 * RCU and then counted, for one step of one QP; retire hides the number, the host waits for the
 * last step.
 */
#include "xrc.h"
#include "cq.h"
#include "recvq.h"
#include "sge.h"

int eng_srq_publish(struct eng_srq *srq)
{
	env_ref_init(&srq->refs);
	return env_table_insert(&srq->dev->srqs, srq->srqn, srq);
}

static void put(struct eng_srq *srq)
{
	if (env_ref_put(&srq->refs))
		srq->dev->ops->srq_idle(srq);
}

void eng_srq_retire(struct eng_srq *srq)
{
	env_table_erase(&srq->dev->srqs, srq->srqn);
	put(srq);
}

void eng_xrc_enter(struct eng_qp *qp, u32 srqn)
{
	struct eng_srq *srq;

	env_rcu_lock();
	srq = env_table_find(&qp->dev->srqs, srqn);
	if (srq && (srq->xrcd != qp->xrcd || !env_ref_get_unless_zero(&srq->refs)))
		srq = NULL;
	env_rcu_unlock();
	if (!srq)
		return;
	qp->srq = srq;
	qp->recv_cq = srq->cq;
	qp->pd = srq->pd;
}

void eng_xrc_leave(struct eng_qp *qp)
{
	struct eng_srq *srq = qp->srq;

	if (!srq)
		return;
	qp->srq = NULL;
	qp->recv_cq = NULL;
	qp->pd = NULL;
	put(srq);
}

bool eng_xrc_fits(const struct eng_qp *qp, const struct eng_frame *frame)
{
	if (!qp->srq)
		return false;
	return !(frame->flags & ENG_FRAME_CONT) || !qp->recv->held || frame->srqn == qp->xrc_srqn;
}

void eng_xrc_taken(struct eng_qp *qp)
{
	qp->xrc_srqn = qp->srq->srqn;
}

void eng_xrc_tidy(struct eng_qp *qp)
{
	u32 srqn = qp->srq->srqn;

	if (!qp->recv->held || qp->xrc_srqn == srqn)
		return;
	eng_xrc_leave(qp);
	eng_xrc_flush(qp);
	eng_xrc_enter(qp, srqn);
}

void eng_xrc_flush(struct eng_qp *qp)
{
	struct eng_completion c = {
		.status = ENG_WC_WR_FLUSH_ERR,
		.opcode = ENG_WC_RECV,
	};

	if (!qp->recv->held)
		return;
	eng_sge_release(eng_recvq_segs(qp), qp->recv->segs);
	eng_xrc_enter(qp, qp->xrc_srqn);
	eng_recvq_complete(qp, &c);
	eng_xrc_leave(qp);
}
