// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * key.c - memory windows and fast registration: keys whose meaning work requests give and take.
 *
 * Called by the requester (BIND_MW, LOCAL_INV, REG_MR at their turn in the send queue) and by the
 * responder (SEND with invalidate).  The host makes and ends the keys, mr.c looks them up.
 *
 * Such a key is one struct eng_mr for its whole life.  While it has a meaning the state is VALID
 * and one reference, the base, stands for that; every user of the meaning holds another.  Whoever
 * moves VALID to CLOSING drops the base; the last reference makes the key FREE.  Only in FREE, when
 * nobody can get a reference, may the description be written, by whoever moves it to CHANGING.  So
 * a reader takes its reference first and judges afterwards.
 *
 * A bound window counts on its region (mr->windows), which cannot be deregistered meanwhile, and
 * uses the region's list of blocks.
 *
 * A work request that must wait for the last user leaves its QP in mr->waiter, counted; there is
 * room for one, and a second one fails as if the key were in use.
 */
#include "key.h"
#include "cq.h"
#include "mr.h"

enum { FREE, CHANGING, VALID, CLOSING, GONE };

#define REMOTE_RIGHTS	(ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ | \
			 ENG_ACCESS_REMOTE_ATOMIC)

/* The memory is there until the grace period after the callback: under RCU, or by the host. */
static void finish_retired(struct eng_mr *mr)
{
	if (env_read(mr->retired) && env_cmpxchg(&mr->state, FREE, GONE) == FREE)
		mr->dev->ops->mr_idle(mr);
}

static void uncount_window(struct eng_mr *region)
{
	u32 old = env_read(region->windows), seen;

	while ((seen = env_cmpxchg(&region->windows, old, old - 1)) != old)
		old = seen;
}

static bool count_window(struct eng_mr *region)
{
	u32 old = env_read(region->windows), seen;

	while (old < ENG_MR_SEALED - 1) {
		seen = env_cmpxchg(&region->windows, old, old + 1);
		if (seen == old)
			return true;
		old = seen;
	}
	return false;
}

void eng_key_closed(struct eng_mr *mr)
{
	struct eng_mr *region = mr->parent;
	struct eng_qp *waiter;

	env_rcu_lock();
	mr->parent = NULL;
	if (region)
		uncount_window(region);
	env_store_release(&mr->state, FREE);
	/* Pairs with the barrier of wait_for_users(): it sees FREE, or we see the waiter. */
	env_mb();
	waiter = env_xchg(&mr->waiter, NULL);
	if (waiter) {
		eng_kick(NULL, waiter);
		eng_qp_put(waiter);
	}
	finish_retired(mr);
	env_rcu_unlock();
}

void eng_key_retire(struct eng_mr *mr)
{
	u32 round = 0, state;

	env_write(mr->retired, 1);
	env_mb();
	/* CHANGING lasts for a few instructions of another thread. */
	while ((state = env_cmpxchg(&mr->state, VALID, CLOSING)) == CHANGING)
		env_relax(round++);
	if (state == VALID) {
		env_write(mr->dead, 1);
		eng_mr_put(mr);
	} else {
		finish_retired(mr);
	}
}

/* Under RCU.  The key's struct whatever it means now, if it is of one of @kinds and of our PD. */
static struct eng_mr *find_key(struct eng_qp *qp, u32 key, u32 kinds)
{
	struct eng_mr *mr = env_table_find(&qp->dev->mrs, key >> 8);

	return mr && kinds >> mr->kind & 1 && mr->pd == qp->pd ? mr : NULL;
}

/*
 * Under RCU.  A reference to a key that invalidation may end: a type 2 window bound by this QP or a
 * fast registration (IBTA vol. 1, 10.6.7.2.6: type 1 windows and regions cannot be invalidated).
 */
static struct eng_mr *get_revocable(struct eng_qp *qp, u32 key)
{
	struct eng_mr *mr = find_key(qp, key, 1u << ENG_KEY_WINDOW2 | 1u << ENG_KEY_FAST);

	if (!mr || !env_ref_get_unless_zero(&mr->refs))
		return NULL;
	if (mr->key == key && !env_read(mr->dead) && (!mr->qpn || mr->qpn == qp->qpn))
		return mr;
	eng_mr_put(mr);
	return NULL;
}

/* Takes the meaning away.  False: somebody else did, or there was none. */
static bool close_key(struct eng_mr *mr)
{
	if (env_cmpxchg(&mr->state, VALID, CLOSING) != VALID)
		return false;
	env_write(mr->dead, 1);
	eng_mr_put(mr);
	return true;
}

bool eng_key_revocable(struct eng_qp *qp, u32 key)
{
	struct eng_mr *mr;

	env_rcu_lock();
	mr = get_revocable(qp, key);
	if (mr)
		eng_mr_put(mr);
	env_rcu_unlock();
	return mr != NULL;
}

void eng_key_revoke(struct eng_qp *qp, u32 key)
{
	struct eng_mr *mr;

	env_rcu_lock();
	mr = get_revocable(qp, key);
	if (mr) {
		close_key(mr);
		eng_mr_put(mr);
	}
	env_rcu_unlock();
}

/* 0: nobody uses the old meaning any more; ENG_KEY_WAIT: the kick comes; or a status. */
static u32 wait_for_users(struct eng_mr *mr, struct eng_qp *qp)
{
	struct eng_qp *other;

	if (env_load_acquire(&mr->state) != CLOSING)
		return 0;
	eng_qp_get(qp);
	other = env_cmpxchg(&mr->waiter, NULL, qp);
	if (other) {
		eng_qp_put(qp);
		return other == qp ? ENG_KEY_WAIT : ENG_WC_MW_BIND_ERR;
	}
	if (env_load_acquire(&mr->state) == CLOSING)
		return ENG_KEY_WAIT;
	if (env_cmpxchg(&mr->waiter, qp, NULL) == qp)
		eng_qp_put(qp);
	return 0;
}

static u32 local_invalidate(struct eng_qp *qp, struct eng_slot *slot,
			    const struct eng_key_change *change)
{
	struct eng_mr *mr;

	if (!(slot->flags & ENG_SLOT_BEGUN)) {
		mr = get_revocable(qp, change->key);
		if (!mr)
			return ENG_WC_MW_BIND_ERR;
		slot->flags |= ENG_SLOT_BEGUN;
		close_key(mr);
		eng_mr_put(mr);
	}
	/* Whoever has the index now: while it is not closing, our key is gone. */
	mr = find_key(qp, change->key, ~0u);
	return mr ? wait_for_users(mr, qp) : 0;
}

/*
 * IBTA vol. 1, 10.6.7.2.1 to 10.6.7.2.3: the region must be of the same PD, allow binding, hold the
 * range, and be locally writable when the window lets others write.
 */
static bool may_bind(const struct eng_mr *region, const struct eng_qp *qp,
		     const struct eng_key_change *change)
{
	u32 need = ENG_ACCESS_MW_BIND;

	if (change->access & (ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_ATOMIC))
		need |= ENG_ACCESS_LOCAL_WRITE;
	return region->kind == ENG_KEY_REGION && !region->identity && region->pd == qp->pd &&
	       region->key == change->lkey && (region->access & need) == need &&
	       change->addr >= region->iova && change->length <= region->length &&
	       change->addr - region->iova <= region->length - change->length;
}

/* Under RCU.  The region to bind to, counted; NULL: it may not be bound to. */
static struct eng_mr *count_region(struct eng_qp *qp, const struct eng_key_change *change)
{
	struct eng_mr *region = env_table_find(&qp->dev->mrs, change->lkey >> 8);
	bool counted;

	if (!region || !env_ref_get_unless_zero(&region->refs))
		return NULL;
	counted = may_bind(region, qp, change) && count_window(region);
	eng_mr_put(region);
	return counted ? region : NULL;
}

/* FREE to CHANGING, alone; 0 or what to answer. */
static u32 begin_change(struct eng_mr *mr, struct eng_qp *qp)
{
	u32 refused = wait_for_users(mr, qp);

	if (!refused && env_cmpxchg(&mr->state, FREE, CHANGING) != FREE)
		refused = ENG_WC_MW_BIND_ERR;
	return refused;
}

/* The description is complete: publishes it. */
static void end_change(struct eng_mr *mr, u32 key)
{
	mr->key = key;
	env_write(mr->dead, 0);
	/* Pairs with the order in which readers look: reference, then description. */
	env_wmb();
	env_ref_init(&mr->refs);
	env_store_release(&mr->state, VALID);
}

static void describe_window(struct eng_mr *window, struct eng_mr *region, const struct eng_qp *qp,
			    const struct eng_key_change *change)
{
	window->parent = region;
	window->access = change->access & REMOTE_RIGHTS;
	window->iova = change->access & ENG_ACCESS_ZERO_BASED ? 0 : change->addr;
	window->length = change->length;
	window->blocks = region->blocks;
	window->block_shift = region->block_shift;
	window->first_offset = change->addr - region->iova + region->first_offset;
	window->qpn = window->kind == ENG_KEY_WINDOW2 ? qp->qpn : 0;
}

/* What can be judged before anything is touched. */
static bool sound(const struct eng_mr *window, const struct eng_key_change *change)
{
	/* The index is the window's; only the tag is the consumer's. */
	if ((change->key ^ change->new_key) >> 8)
		return false;
	if (change->access & ~(REMOTE_RIGHTS | ENG_ACCESS_ZERO_BASED))
		return false;
	if (window->kind == ENG_KEY_WINDOW2)
		return change->length;
	/* Type 1: addresses are those of the region, and a new meaning has a new key. */
	return !(change->access & ENG_ACCESS_ZERO_BASED) && change->new_key != change->key;
}

static u32 bind(struct eng_qp *qp, const struct eng_key_change *change)
{
	struct eng_mr *window = find_key(qp, change->key,
					 1u << ENG_KEY_WINDOW1 | 1u << ENG_KEY_WINDOW2);
	struct eng_mr *region = NULL;
	u32 refused;

	if (!window || !sound(window, change))
		return ENG_WC_MW_BIND_ERR;
	/* Binding a type 1 window again ends its old meaning (10.6.7.2.2). */
	if (window->kind == ENG_KEY_WINDOW1)
		close_key(window);
	refused = begin_change(window, qp);
	if (refused)
		return refused;
	if (change->length) {
		region = count_region(qp, change);
		if (!region) {
			env_store_release(&window->state, FREE);
			return ENG_WC_MW_BIND_ERR;
		}
		describe_window(window, region, qp, change);
		end_change(window, change->new_key);
		return ENG_WC_SUCCESS;
	}
	window->key = change->new_key;
	env_store_release(&window->state, FREE);
	return ENG_WC_SUCCESS;
}

static u32 fast_register(struct eng_qp *qp, const struct eng_key_change *change)
{
	struct eng_mr *mr = find_key(qp, change->key, 1u << ENG_KEY_FAST);
	u32 refused;

	if (!mr || (change->key ^ change->new_key) >> 8)
		return ENG_WC_MW_BIND_ERR;
	refused = begin_change(mr, qp);
	if (refused)
		return refused;
	if (!mr->plan.length) {
		env_store_release(&mr->state, FREE);
		return ENG_WC_MW_BIND_ERR;
	}
	mr->blocks = mr->plan.blocks;
	mr->block_shift = mr->plan.block_shift;
	mr->first_offset = mr->plan.first_offset;
	mr->iova = change->addr;
	mr->length = mr->plan.length;
	mr->access = (change->access & (REMOTE_RIGHTS | ENG_ACCESS_LOCAL_WRITE)) |
		     ENG_ACCESS_LOCAL;
	end_change(mr, change->new_key);
	return ENG_WC_SUCCESS;
}

u32 eng_key_execute(struct eng_qp *qp, struct eng_slot *slot)
{
	const struct eng_key_change *change = eng_slot_change(slot);
	u32 result;

	env_rcu_lock();
	if (slot->frame.op == ENG_OP_LOCAL_INV)
		result = local_invalidate(qp, slot, change);
	else if (slot->frame.op == ENG_OP_BIND)
		result = bind(qp, change);
	else
		result = fast_register(qp, change);
	env_rcu_unlock();
	return result;
}
