// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues that several kernel consumers share: per device and poll context a list of
 * CQs, each with cqe_used of its entries promised. A consumer takes and returns entries, never a
 * CQ. Freed only with the device.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* The least size of a pooled CQ, so that it is worth sharing. */
#define POOL_CQ_CQES 1024
/* How often a consumer tries again when others were quicker. */
#define POOL_GET_ROUNDS 16

void core_cq_pool_init(struct ib_device *dev)
{
	int i;

	spin_lock_init(&dev->cq_pools_lock);
	for (i = 0; i < ARRAY_SIZE(dev->cq_pools); i++)
		INIT_LIST_HEAD(&dev->cq_pools[i]);
}

/* All clients are gone, so nobody takes or returns entries any more. */
void core_cq_pool_cleanup(struct ib_device *dev)
{
	struct ib_cq *cq, *next;
	int i;

	for (i = 0; i < ARRAY_SIZE(dev->cq_pools); i++) {
		list_for_each_entry_safe(cq, next, &dev->cq_pools[i], pool_entry) {
			WARN_ON(cq->cqe_used);
			list_del(&cq->pool_entry);
			cq->shared = false;
			ib_free_cq(cq);
		}
	}
}

static void free_list(struct list_head *list)
{
	struct ib_cq *cq, *next;

	list_for_each_entry_safe(cq, next, list, pool_entry) {
		cq->shared = false;
		ib_free_cq(cq);
	}
}

/* One new CQ for each completion vector, or none. */
static int grow(struct ib_device *dev, unsigned int nr_cqe, enum ib_poll_context ctx)
{
	unsigned int vectors = min_t(unsigned int, dev->num_comp_vectors, num_online_cpus());
	unsigned int cqes = min_t(unsigned int, dev->attrs.max_cqe, max(nr_cqe, POOL_CQ_CQES));
	LIST_HEAD(fresh);
	struct ib_cq *cq;
	unsigned int i;

	for (i = 0; i < max(vectors, 1U); i++) {
		cq = ib_alloc_cq(dev, NULL, cqes, i, ctx);
		if (IS_ERR(cq)) {
			free_list(&fresh);
			return PTR_ERR(cq);
		}
		cq->shared = true;
		list_add_tail(&cq->pool_entry, &fresh);
	}
	spin_lock_irq(&dev->cq_pools_lock);
	list_splice(&fresh, &dev->cq_pools[ctx]);
	spin_unlock_irq(&dev->cq_pools_lock);
	return 0;
}

static struct ib_cq *take(struct ib_device *dev, unsigned int nr_cqe, unsigned int vector,
			  enum ib_poll_context ctx)
{
	struct ib_cq *found = NULL;
	struct ib_cq *cq;

	spin_lock_irq(&dev->cq_pools_lock);
	list_for_each_entry(cq, &dev->cq_pools[ctx], pool_entry) {
		if (cq->comp_vector != vector || cq->cqe_used + nr_cqe > cq->cqe)
			continue;
		cq->cqe_used += nr_cqe;
		found = cq;
		break;
	}
	spin_unlock_irq(&dev->cq_pools_lock);
	return found;
}

/*
 * ib_cq_pool_get - room for @nr_cqe completions in a shared CQ
 * @comp_vector_hint: preferred vector; negative: any
 *
 * Returned with ib_cq_pool_put() of the same number.
 */
struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe, int comp_vector_hint,
			     enum ib_poll_context poll_ctx)
{
	static atomic_t next_vector;
	unsigned int vectors = min_t(unsigned int, dev->num_comp_vectors, num_online_cpus());
	unsigned int vector;
	struct ib_cq *cq;
	int round;
	int ret;

	if (poll_ctx > IB_POLL_LAST_POOL_TYPE) {
		WARN_ON_ONCE(poll_ctx > IB_POLL_LAST_POOL_TYPE);
		return ERR_PTR(-EINVAL);
	}
	if (nr_cqe > dev->attrs.max_cqe)
		return ERR_PTR(-EINVAL);
	vector = comp_vector_hint < 0 ? atomic_inc_return(&next_vector) : comp_vector_hint;
	vector %= max(vectors, 1U);

	/* Each round adds a CQ with room, which others may take first. */
	for (round = 0; round < POOL_GET_ROUNDS; round++) {
		cq = take(dev, nr_cqe, vector, poll_ctx);
		if (cq)
			return cq;
		ret = grow(dev, nr_cqe, poll_ctx);
		if (ret)
			return ERR_PTR(ret);
	}
	return ERR_PTR(-EAGAIN);
}
EXPORT_SYMBOL(ib_cq_pool_get);

/*
 * ib_cq_pool_put - give the room back
 */
void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe)
{
	unsigned long flags;

	if (WARN_ON_ONCE(nr_cqe > cq->cqe_used))
		return;
	spin_lock_irqsave(&cq->device->cq_pools_lock, flags);
	cq->cqe_used -= nr_cqe;
	spin_unlock_irqrestore(&cq->device->cq_pools_lock, flags);
}
EXPORT_SYMBOL(ib_cq_pool_put);
