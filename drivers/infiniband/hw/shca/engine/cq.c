// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cq.c - completion queues: entries, overrun, arming, resize.
 *
 * Called by whoever finishes a work request, with the QP owned; the host sets rings.  Notifications
 * and events go out after the lock is dropped.
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
	cq->mod_count = 0;
	cq->mod_us = 0;
	cq->timing = false;
	cq->held = 0;
	cq->held_match = 0;
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

	env_lock_held(&cq->lock);
	cons = env_read(cq->shared->cons);
	/* A consumer index that lies would make us copy for ever: the consumer's own loss. */
	if (cq->prod - cons > cq->count)
		cons = cq->prod;
	if (cq->prod - cons > count)
		return -ENV_EINVAL;
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
	return 0;
}

static ENG_INLINE void write_entry(struct eng_cq *cq, u32 qpn, const struct eng_completion *c)
{
	u32 index = cq->prod;
	struct shca_cqe *cqe = (struct shca_cqe *)(cq->entries +
		(u64)(index & (cq->count - 1)) * sizeof(struct shca_cqe));

	env_lock_held(&cq->lock);
	cqe->wr_id = c->wr_id;
	cqe->qpn = qpn;
	cqe->byte_len = c->byte_len;
	cqe->ex = c->ex;
	cqe->src_qp = c->src_qp;
	cqe->wc_flags = c->wc_flags;
	cqe->vendor_err = 0;
	cqe->wqe_count = c->wqe_count;
	cqe->status = c->status;
	cqe->opcode = c->opcode;
	cqe->pkey_index = 0;
	cqe->sl = c->sl;
	cqe->srq = c->srq;
	env_store_release(&cqe->lap, (index >> cq->log2_count) + 1);
	cq->prod = index + 1;
	env_write(cq->shared->prod, index + 1);
}

/* True: not yet an event for this entry. */
static ENG_COLD bool hold_back(struct eng_cq *cq, u32 match)
{
	cq->held_match = cq->held++ ? cq->held_match | match : match;
	return !cq->mod_count || cq->held < cq->mod_count;
}

/* C135 to C138: errors and solicited receives are solicited, nothing else is. */
static ENG_INLINE bool take_arm(struct eng_cq *cq, const struct eng_completion *c)
{
	u32 match = SHCA_CQ_ARM_ANY, arm;

	env_mb();
	arm = env_read(cq->shared->arm);
	if (env_likely(!arm))
		return false;
	if (c->solicited || c->status != ENG_WC_SUCCESS)
		match |= SHCA_CQ_ARM_SOLICITED;
	else if (env_unlikely(cq->mod_count | cq->mod_us) && hold_back(cq, match))
		return false;
	cq->held = 0;
	return arm & match && env_xchg(&cq->shared->arm, 0) & match;
}

enum pushed { PUSHED, PUSHED_ARMED, PUSHED_HELD, OVERRAN_NOW, OVERRAN_BEFORE };

static ENG_INLINE enum pushed push(struct eng_cq *cq, u32 qpn, const struct eng_completion *c)
{
	enum pushed result;

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
		result = take_arm(cq, c) ? PUSHED_ARMED : PUSHED;
		if (env_unlikely(cq->held && cq->mod_us && !cq->timing)) {
			cq->timing = true;
			result = PUSHED_HELD;
		}
	}
	env_unlock(&cq->lock);
	return result;
}

void eng_cq_complete(struct eng_qp *qp, struct eng_cq *cq, const struct eng_completion *c)
{
	enum pushed result;

	if (env_unlikely(!qp->shared))
		return;
	result = push(cq, qp->qpn, c);
	if (env_likely(result <= PUSHED_HELD)) {
		env_trace_completion(qp->qpn, c->wr_id, c->status, c->opcode);
		if (env_unlikely(result == PUSHED_ARMED))
			cq->dev->ops->cq_notify(cq);
		else if (env_unlikely(result == PUSHED_HELD))
			cq->dev->ops->cq_timer(cq, env_read(cq->mod_us));
		return;
	}
	if (result == OVERRAN_NOW)
		cq->dev->ops->cq_event(cq, ENG_EVENT_CQ_ERR);
	eng_state_error(qp);
}

void eng_cq_moderate(struct eng_cq *cq, u16 count, u16 us)
{
	env_lock(&cq->lock);
	/* An event for each entry is what there is without moderation. */
	cq->mod_count = count > 1 ? count : 0;
	env_write(cq->mod_us, us);
	env_unlock(&cq->lock);
	/* Whoever waits for entries that were held back hears of them now. */
	eng_cq_expired(cq);
}

void eng_cq_expired(struct eng_cq *cq)
{
	bool notify;

	env_lock(&cq->lock);
	cq->timing = false;
	notify = cq->held && env_read(cq->shared->arm) & cq->held_match &&
		 env_xchg(&cq->shared->arm, 0) & cq->held_match;
	cq->held = 0;
	env_unlock(&cq->lock);
	if (notify)
		cq->dev->ops->cq_notify(cq);
}
