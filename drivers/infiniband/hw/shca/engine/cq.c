// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cq.c - completion queues: entries, overrun, arming, resize.
 *
 * Called by whoever finishes a work request, with the QP owned; the host sets rings.  Notification
 * is gathered per step of a QP and goes out once, after all entries are visible.
 *
 * Barrier pairs.  Entry: lap is stored with release, the consumer loads it with acquire.  Arming:
 * here the entry, full barrier, look at arm; there arm, full barrier, one more poll.
 */
#include "cq.h"
#include "state.h"

void eng_cq_init(struct eng_cq *cq, struct eng_dev *dev)
{
	cq->dev = dev;
	env_lock_init(&cq->lock);
	cq->shared = NULL;
	cq->entries = NULL;
	cq->count = 0;
	cq->log2_count = 0;
	cq->prod = 0;
	cq->dead = false;
}

static u32 log2_of(u32 count)
{
	u32 n = 0;

	while (count > 1) {
		count >>= 1;
		n++;
	}
	return n;
}

void eng_cq_set_ring(struct eng_cq *cq, struct shca_cq_shared *shared, u8 *entries, u32 count)
{
	env_lock(&cq->lock);
	cq->shared = shared;
	cq->entries = entries;
	cq->count = count;
	cq->log2_count = log2_of(count);
	env_unlock(&cq->lock);
}

static void move_entries(struct eng_cq *cq, u32 cons, u8 *entries, u32 count)
{
	u32 shift = log2_of(count);
	u32 i;

	for (i = cons; i != cq->prod; i++) {
		const u8 *from = cq->entries +
			(u64)(i & (cq->count - 1)) * sizeof(struct shca_cqe);
		struct shca_cqe *to = (struct shca_cqe *)(entries +
			(u64)(i & (count - 1)) * sizeof(struct shca_cqe));

		env_memcpy(to, from, sizeof(*to));
		env_store_release(&to->lap, (i >> shift) + 1);
	}
}

int eng_cq_resize(struct eng_cq *cq, struct shca_cq_shared *shared, u8 *entries, u32 count)
{
	u32 cons, arm;

	env_lock(&cq->lock);
	cons = env_read(cq->shared->cons);
	/* A consumer index that lies would make us copy for ever: the consumer's own loss. */
	if (cq->prod - cons > cq->count)
		cons = cq->prod;
	if (cq->prod - cons > count) {
		env_unlock(&cq->lock);
		return -ENV_EINVAL;
	}
	move_entries(cq, cons, entries, count);
	arm = env_xchg(&cq->shared->arm, 0);
	env_write(shared->cons, cons);
	env_write(shared->arm, arm);
	env_write(shared->overrun, cq->dead);
	env_store_release(&shared->prod, cq->prod);
	cq->shared = shared;
	cq->entries = entries;
	cq->count = count;
	cq->log2_count = log2_of(count);
	env_unlock(&cq->lock);
	return 0;
}

static void write_entry(struct eng_cq *cq, u32 qpn, const struct eng_completion *c)
{
	u32 index = cq->prod;
	struct shca_cqe *cqe = (struct shca_cqe *)(cq->entries +
		(u64)(index & (cq->count - 1)) * sizeof(struct shca_cqe));

	env_lock_held(&cq->lock);
	env_write(cqe->wr_id, c->wr_id);
	env_write(cqe->qpn, qpn);
	env_write(cqe->byte_len, c->byte_len);
	env_write(cqe->ex, c->ex);
	env_write(cqe->src_qp, c->src_qp);
	env_write(cqe->wc_flags, c->wc_flags);
	env_write(cqe->vendor_err, 0);
	env_write(cqe->wqe_count, c->wqe_count);
	env_write(cqe->status, c->status);
	env_write(cqe->opcode, c->opcode);
	env_write(cqe->pkey_index, 0);
	env_write(cqe->sl, c->sl);
	env_store_release(&cqe->lap, (index >> cq->log2_count) + 1);
	cq->prod = index + 1;
	env_store_release(&cq->shared->prod, index + 1);
}

enum pushed { PUSHED, OVERRAN_NOW, OVERRAN_BEFORE };

static enum pushed push(struct eng_cq *cq, u32 qpn, const struct eng_completion *c)
{
	enum pushed result = PUSHED;

	env_lock(&cq->lock);
	if (env_unlikely(cq->dead)) {
		result = OVERRAN_BEFORE;
	} else if (env_unlikely(cq->prod - env_read(cq->shared->cons) >= cq->count)) {
		/* Full, or a consumer index from the future: IBTA vol. 1, 11.6.3.1, CQ overrun. */
		cq->dead = true;
		env_write(cq->shared->overrun, 1);
		result = OVERRAN_NOW;
	} else {
		write_entry(cq, qpn, c);
	}
	env_unlock(&cq->lock);
	return result;
}

/* False: the CQ is dead, and the QP is in ERR because of it. */
static bool report(struct eng_qp *qp, struct eng_cq *cq, const struct eng_completion *c)
{
	enum pushed result;

	if (env_unlikely(!qp->shared))
		return false;
	result = push(cq, qp->qpn, c);
	if (env_likely(result == PUSHED)) {
		env_trace_completion(qp->qpn, c->wr_id, c->status, c->opcode);
		return true;
	}
	if (result == OVERRAN_NOW)
		cq->dev->ops->cq_event(cq, ENG_EVENT_CQ_ERR);
	eng_state_error(qp);
	return false;
}

/* C135 to C138: errors and solicited receives are solicited, nothing else is. */
static void owe(u8 *owed, const struct eng_completion *c)
{
	if (c->solicited || c->status != ENG_WC_SUCCESS)
		*owed = ENG_NOTIFY_SOLICITED;
	else if (*owed == ENG_NOTIFY_NONE)
		*owed = ENG_NOTIFY_ANY;
}

void eng_cq_complete_send(struct eng_qp *qp, const struct eng_completion *c)
{
	if (report(qp, qp->send_cq, c))
		owe(&qp->notify_send, c);
}

void eng_cq_complete_recv(struct eng_qp *qp, const struct eng_completion *c)
{
	if (report(qp, qp->recv_cq, c))
		owe(&qp->notify_recv, c);
}

static bool take_arm(struct eng_cq *cq, u8 owed)
{
	u32 match = SHCA_CQ_ARM_ANY;
	bool taken = false;

	if (owed == ENG_NOTIFY_SOLICITED)
		match |= SHCA_CQ_ARM_SOLICITED;
	/* The lock keeps the ring's head from being replaced by a resize. */
	env_lock(&cq->lock);
	if (env_read(cq->shared->arm) & match)
		taken = env_xchg(&cq->shared->arm, 0) & match;
	env_unlock(&cq->lock);
	return taken;
}

static void tell(struct eng_cq *cq, u8 *owed)
{
	if (take_arm(cq, *owed))
		cq->dev->ops->cq_notify(cq);
	*owed = ENG_NOTIFY_NONE;
}

void eng_cq_notify(struct eng_qp *qp)
{
	if (!qp->notify_send && !qp->notify_recv)
		return;
	env_mb();
	if (qp->notify_send)
		tell(qp->send_cq, &qp->notify_send);
	if (qp->notify_recv)
		tell(qp->recv_cq, &qp->notify_recv);
}
