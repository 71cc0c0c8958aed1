// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Pools of regions for registration by work requests, one list per use of a QP. Storage protocols
 * and rw.c take one per transfer and give it back; qp->mr_lock makes that safe in soft interrupts.
 */
#include <linux/module.h>
#include <rdma/mr_pool.h>

#include "core_priv.h"

/*
 * ib_mr_pool_get - the first free region of @list, NULL when all are in use
 */
struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list)
{
	struct ib_mr *mr;
	unsigned long flags;

	spin_lock_irqsave(&qp->mr_lock, flags);
	mr = list_first_entry_or_null(list, struct ib_mr, qp_entry);
	if (mr) {
		list_del(&mr->qp_entry);
		qp->mrs_used++;
	}
	spin_unlock_irqrestore(&qp->mr_lock, flags);
	return mr;
}
EXPORT_SYMBOL(ib_mr_pool_get);

void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->mr_lock, flags);
	list_add(&mr->qp_entry, list);
	qp->mrs_used--;
	spin_unlock_irqrestore(&qp->mr_lock, flags);
}
EXPORT_SYMBOL(ib_mr_pool_put);

static struct ib_mr *make(struct ib_qp *qp, enum ib_mr_type type, u32 max_num_sg,
			  u32 max_num_meta_sg)
{
	if (type == IB_MR_TYPE_INTEGRITY)
		return ib_alloc_mr_integrity(qp->pd, max_num_sg, max_num_meta_sg);
	return ib_alloc_mr(qp->pd, type, max_num_sg);
}

/*
 * ib_mr_pool_init - @nr regions, or none and an error
 */
int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr, enum ib_mr_type type,
		    u32 max_num_sg, u32 max_num_meta_sg)
{
	unsigned long flags;
	struct ib_mr *mr;
	int i;

	for (i = 0; i < nr; i++) {
		mr = make(qp, type, max_num_sg, max_num_meta_sg);
		if (IS_ERR(mr)) {
			ib_mr_pool_destroy(qp, list);
			return PTR_ERR(mr);
		}
		spin_lock_irqsave(&qp->mr_lock, flags);
		list_add_tail(&mr->qp_entry, list);
		spin_unlock_irqrestore(&qp->mr_lock, flags);
	}
	return 0;
}
EXPORT_SYMBOL(ib_mr_pool_init);

/*
 * ib_mr_pool_destroy - every region is back, and nothing is in flight that names one
 */
void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list)
{
	struct ib_mr *mr, *next;
	unsigned long flags;
	LIST_HEAD(doomed);

	spin_lock_irqsave(&qp->mr_lock, flags);
	list_splice_init(list, &doomed);
	spin_unlock_irqrestore(&qp->mr_lock, flags);
	list_for_each_entry_safe(mr, next, &doomed, qp_entry) {
		list_del(&mr->qp_entry);
		ib_dereg_mr(mr);
	}
}
EXPORT_SYMBOL(ib_mr_pool_destroy);
