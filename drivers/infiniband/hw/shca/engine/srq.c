// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * srq.c - shared receive queues: taking, the limit event, resize.
 *
 * Called by recvq.c with a QP owned, by the host for limit and resize.  The lock covers copying one
 * entry out; events go out after it is dropped.
 */
#include "recvq.h"
#include "ring.h"
#include "state.h"

void eng_srq_init(struct eng_srq *srq, struct eng_dev *dev)
{
	srq->dev = dev;
	env_lock_init(&srq->lock);
	srq->limit = 0;
	srq->broken = false;
}

static u32 ready_of(const struct eng_srq *srq)
{
	return eng_ring_ready(env_load_acquire(&srq->shared->prod), srq->ring.cons);
}

bool eng_srq_ready(struct eng_srq *srq)
{
	u32 ready;

	env_lock(&srq->lock);
	ready = srq->broken ? 0 : ready_of(srq);
	env_unlock(&srq->lock);
	return ready != 0;
}

static enum eng_taken take_locked(struct eng_qp *qp, struct eng_srq *srq, u64 min_bytes,
				  bool *below)
{
	u32 ready = srq->broken ? 0 : ready_of(srq);

	env_lock_held(&srq->lock);
	if (!ready)
		return ENG_RECV_EMPTY;
	if (env_unlikely(ready > srq->ring.count)) {
		srq->broken = true;
		return ENG_RECV_BROKEN;
	}
	eng_recvq_load(qp->recv, &srq->ring, srq->max_sge);
	if (qp->recv->total < min_bytes && !qp->recv->bad)
		return ENG_RECV_SHORT;
	qp->recv->held = true;
	qp->recv->wqe_count = ++srq->ring.cons;
	env_store_release(&srq->shared->cons, srq->ring.cons);
	/* C210 to C212: below, not at, the limit; one event, then disarmed. */
	if (ready - 1 < srq->limit) {
		srq->limit = 0;
		*below = true;
	}
	return ENG_RECV_TAKEN;
}

enum eng_taken eng_srq_take(struct eng_qp *qp, u64 min_bytes)
{
	struct eng_srq *srq = qp->srq;
	bool below = false;
	enum eng_taken taken;

	env_lock(&srq->lock);
	taken = take_locked(qp, srq, min_bytes, &below);
	env_unlock(&srq->lock);
	if (below)
		srq->dev->ops->srq_event(srq, ENG_EVENT_SRQ_LIMIT_REACHED);
	if (env_unlikely(taken == ENG_RECV_BROKEN)) {
		srq->dev->ops->srq_event(srq, ENG_EVENT_SRQ_ERR);
		eng_state_error(qp);
	}
	return taken;
}

void eng_srq_set_limit(struct eng_srq *srq, u32 limit)
{
	env_lock(&srq->lock);
	srq->limit = limit;
	env_unlock(&srq->lock);
}

u32 eng_srq_limit(struct eng_srq *srq)
{
	u32 limit;

	env_lock(&srq->lock);
	limit = srq->limit;
	env_unlock(&srq->lock);
	return limit;
}

int eng_srq_resize(struct eng_srq *srq, struct shca_srq_shared *shared, struct eng_ring ring)
{
	u32 ready, i;

	env_lock_held(&srq->lock);
	ready = ready_of(srq);
	if (srq->broken || ready > srq->ring.count || ready > ring.count ||
	    ring.stride != srq->ring.stride)
		return -ENV_EINVAL;
	ring.cons = srq->ring.cons;
	for (i = ring.cons; i != ring.cons + ready; i++)
		env_memcpy(ring.entries + (u64)(i & (ring.count - 1)) * ring.stride,
			   eng_ring_entry(srq->ring.entries, srq->ring.count, ring.stride, i),
			   ring.stride);
	env_write(shared->cons, ring.cons);
	env_store_release(&shared->prod, ring.cons + ready);
	srq->shared = shared;
	srq->ring = ring;
	return 0;
}
