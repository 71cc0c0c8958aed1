// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * recvq.c - the receive queue of a QP, and the receive that a message is being written to.
 *
 * Called by the responder.  An entry is copied out once, then its slot in the ring is free.  A
 * receive stays held when its message did not get to its end, as on a wire where the rest of the
 * packets is missing; the next message uses it, or the flush returns it.
 */
#include "recvq.h"
#include "ring.h"
#include "state.h"

struct eng_seg *eng_recvq_segs(struct eng_qp *qp)
{
	return (struct eng_seg *)(qp->recv + 1);
}

void eng_recvq_load(struct eng_recv *recv, const struct eng_ring *ring, u32 max_sge)
{
	const u8 *entry = eng_ring_entry(ring->entries, ring->count, ring->stride, ring->cons);
	struct eng_seg *segs = (struct eng_seg *)(recv + 1);
	struct shca_recv_wqe head;
	struct shca_sge sge;
	u32 i;

	eng_ring_copy_out(&head, entry, sizeof(head) / 8);
	recv->wr_id = head.wr_id;
	recv->bad = head.count > max_sge;
	recv->segs = recv->bad ? 0 : head.count;
	recv->total = 0;
	for (i = 0; i < recv->segs; i++) {
		eng_ring_copy_out(&sge, entry + SHCA_RECV_WQE_HEAD + i * sizeof(sge),
				  sizeof(sge) / 8);
		segs[i].addr = sge.addr;
		segs[i].length = sge.length;
		segs[i].key = sge.lkey;
		segs[i].mr = NULL;
		recv->total += sge.length;
	}
}

enum eng_taken eng_recvq_take(struct eng_qp *qp, u64 min_bytes)
{
	struct eng_ring *ring = &qp->rq;
	u32 ready;

	if (qp->recv->held)
		return qp->recv->total < min_bytes ? ENG_RECV_SHORT : ENG_RECV_TAKEN;
	if (qp->srq)
		return eng_srq_take(qp, min_bytes);
	if (!ring->count || !qp->shared || qp->recv_broken)
		return ENG_RECV_EMPTY;
	ready = eng_ring_ready(env_load_acquire(&qp->shared->rq_prod), ring->cons);
	if (!ready)
		return ENG_RECV_EMPTY;
	if (env_unlikely(ready > ring->count)) {
		qp->recv_broken = true;
		eng_state_error_event(qp, ENG_EVENT_QP_FATAL);
		return ENG_RECV_BROKEN;
	}
	eng_recvq_load(qp->recv, ring, qp->max_recv_sge);
	if (qp->recv->total < min_bytes && !qp->recv->bad)
		return ENG_RECV_SHORT;
	qp->recv->held = true;
	qp->recv->wqe_count = ++ring->cons;
	env_store_release(&qp->shared->rq_cons, ring->cons);
	return ENG_RECV_TAKEN;
}

bool eng_recvq_ready(struct eng_qp *qp)
{
	if (qp->recv->held)
		return true;
	if (qp->srq)
		return eng_srq_ready(qp->srq);
	return qp->rq.count && qp->shared && !qp->recv_broken &&
	       env_load_acquire(&qp->shared->rq_prod) != qp->rq.cons;
}

void eng_recvq_complete(struct eng_qp *qp, struct eng_completion *c)
{
	qp->recv->held = false;
	if (env_unlikely(!qp->recv_cq))
		return;			/* of an XRC SRQ that is gone */
	c->wr_id = qp->recv->wr_id;
	c->wqe_count = qp->recv->wqe_count;
	c->srq = qp->srq != NULL;
	eng_cq_complete(qp, qp->recv_cq, c);
}
