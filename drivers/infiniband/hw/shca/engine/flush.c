// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * flush.c - completes what an error left behind: both queues in ERR, the send queue in SQE.
 *
 * Called by the step of an owned QP.  Each queue is flushed in order, unsignalled requests included
 * (IBTA vol. 1, 10.3.1.4 and 10.3.1.6; G097).  A request whose frame is still away is reported
 * when it is home, since its memory may be in use until then.
 */
#include "flush.h"
#include "cq.h"
#include "recvq.h"
#include "requester.h"
#include "ring.h"
#include "sge.h"
#include "state.h"
#include "xrc.h"

static void flush_send_entry(struct eng_qp *qp)
{
	struct eng_ring *ring = &qp->sq.ring;
	struct eng_completion c = { .status = ENG_WC_WR_FLUSH_ERR };
	struct shca_send_wqe head;

	eng_ring_copy_out(&head, eng_ring_entry(ring->entries, ring->count, ring->stride,
						ring->cons), sizeof(head) / 8);
	c.wr_id = head.wr_id;
	c.opcode = eng_opcode_wc(head.opcode);
	c.wqe_count = ++ring->cons;
	eng_cq_complete(qp, qp->send_cq, &c);
}

static bool flush_sends(struct eng_qp *qp, struct eng_runq *rq)
{
	u32 ready;

	for (; qp->sq.una != qp->sq.tail; rq->wqes_left--) {
		if (eng_qp_slot(qp, qp->sq.una)->flags & ENG_SLOT_AWAY)
			return false;
		if (!rq->wqes_left)
			return true;
		qp->sq.failed = true;
		eng_requester_finish(qp, ENG_WC_WR_FLUSH_ERR);
	}
	ready = eng_requester_ready(qp);
	for (; ready && rq->wqes_left; ready--, rq->wqes_left--)
		flush_send_entry(qp);
	if (qp->shared)
		env_store_release(&qp->shared->sq_cons, qp->sq.ring.cons);
	return ready != 0;
}

static void flush_receive(struct eng_qp *qp)
{
	struct eng_completion c = {
		.status = ENG_WC_WR_FLUSH_ERR,
		.opcode = ENG_WC_RECV,
	};

	eng_sge_release(eng_recvq_segs(qp), qp->recv->segs);
	eng_recvq_complete(qp, &c);
}

static bool flush_receives(struct eng_qp *qp, struct eng_runq *rq)
{
	if (eng_xrc_target(qp)) {
		eng_xrc_flush(qp);
		return false;
	}
	if (qp->recv->held)
		flush_receive(qp);
	if (qp->srq) {
		/* The SRQ's own entries stay for its other QPs. */
		if (!qp->srq_last_raised) {
			qp->srq_last_raised = true;
			qp->dev->ops->qp_event(qp, ENG_EVENT_QP_LAST_WQE_REACHED);
		}
		return false;
	}
	while (rq->wqes_left) {
		if (eng_recvq_take(qp, 0) != ENG_RECV_TAKEN)
			return false;
		flush_receive(qp);
		rq->wqes_left--;
	}
	return eng_recvq_ready(qp);
}

bool eng_flush_run(struct eng_qp *qp, struct eng_runq *rq)
{
	bool more;

	if (!qp->shared)
		return false;
	qp->retry.wait = ENG_WAIT_NONE;
	eng_requester_stop_running(qp);
	more = flush_sends(qp, rq);
	if (eng_state(qp) == ENG_QPS_ERR && flush_receives(qp, rq))
		more = true;
	return more;
}
