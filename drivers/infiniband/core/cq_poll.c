// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues that the core polls for kernel consumers: in softirq, on a work queue, or when
 * the consumer asks. Each completion goes to the done() of its work request's ib_cqe.
 *
 * The race between the last poll and the next interrupt is closed by req_notify with
 * IB_CQ_REPORT_MISSED_EVENTS: when it says that something may have been missed, polling goes on.
 */
#include <linux/list.h>
#include <linux/irq_poll.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "trace.h"

/* Completions taken from the driver at once, and those handled before others get the CPU. */
#define POLL_BATCH 16
#define POLL_BUDGET_SOFTIRQ 256
#define POLL_BUDGET_WORK 65536

/* Declared by <rdma/ib_verbs.h>, not exported. */
struct workqueue_struct *ib_comp_wq;
struct workqueue_struct *ib_comp_unbound_wq;

#define NOTIFY_FLAGS (IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS)

/* What the moderation steps through, from no delay to much: microseconds and completions. */
static const struct {
	u16 usec;
	u16 comps;
} dim_steps[RDMA_DIM_PARAMS_NUM_PROFILES] = {
	{ 1, 1 }, { 1, 4 }, { 2, 4 }, { 2, 8 }, { 4, 8 }, { 16, 8 }, { 16, 16 }, { 32, 16 },
	{ 32, 32 },
};

static void apply_dim_step(struct work_struct *work)
{
	struct dim *dim = container_of(work, struct dim, work);
	struct ib_cq *cq = dim->priv;

	dim->state = DIM_START_MEASURE;
	cq->device->ops.modify_cq(cq, dim_steps[dim->profile_ix].comps,
				  dim_steps[dim->profile_ix].usec);
}

/* Adaptive moderation is a nicety: without memory the CQ works without it. */
static void start_dim(struct ib_cq *cq)
{
	struct dim *dim;

	if (!cq->device->ops.modify_cq || !cq->device->use_cq_dim ||
	    cq->poll_ctx == IB_POLL_DIRECT)
		return;
	dim = kzalloc(sizeof(*dim), GFP_KERNEL);
	if (!dim)
		return;
	dim->state = DIM_START_MEASURE;
	dim->tune_state = DIM_GOING_RIGHT;
	dim->profile_ix = RDMA_DIM_START_PROFILE;
	dim->priv = cq;
	INIT_WORK(&dim->work, apply_dim_step);
	cq->dim = dim;
}

static void stop_dim(struct ib_cq *cq)
{
	if (!cq->dim)
		return;
	cancel_work_sync(&cq->dim->work);
	kfree(cq->dim);
}

static void handle(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->wr_cqe)
		wc->wr_cqe->done(cq, wc);
	else
		WARN_ON_ONCE(wc->status == IB_WC_SUCCESS);
}

/* Polls until the CQ is empty or the budget (-1: none) is used up; returns how many. */
static int process(struct ib_cq *cq, int budget, struct ib_wc *wcs, int batch)
{
	int completed = 0;
	int want, got, i;

	do {
		want = budget < 0 ? batch : min(batch, budget - completed);
		got = ib_poll_cq(cq, want, wcs);
		for (i = 0; i < got; i++)
			handle(cq, &wcs[i]);
		completed += max(got, 0);
	} while (got == batch && (budget < 0 || completed < budget));
	return completed;
}

/*
 * ib_process_cq_direct - poll a CQ of IB_POLL_DIRECT in the caller's context
 *
 * The caller sees to it that nobody else polls at the same time.
 */
int ib_process_cq_direct(struct ib_cq *cq, int budget)
{
	struct ib_wc wcs[POLL_BATCH];

	return process(cq, budget, wcs, POLL_BATCH);
}
EXPORT_SYMBOL(ib_process_cq_direct);

static void complete_direct(struct ib_cq *cq, void *private)
{
	WARN_ONCE(1, "completion event for a CQ that is polled directly\n");
}

static int poll_softirq(struct irq_poll *iop, int budget)
{
	struct ib_cq *cq = container_of(iop, struct ib_cq, iop);
	struct dim *dim = cq->dim;
	int completed;

	completed = process(cq, budget, cq->wc, POLL_BATCH);
	if (completed < budget) {
		irq_poll_complete(&cq->iop);
		if (ib_req_notify_cq(cq, NOTIFY_FLAGS) > 0)
			irq_poll_sched(&cq->iop);
	}
	if (dim)
		rdma_dim(dim, completed);
	return completed;
}

static void complete_softirq(struct ib_cq *cq, void *private)
{
	irq_poll_sched(&cq->iop);
}

static void poll_work(struct work_struct *work)
{
	struct ib_cq *cq = container_of(work, struct ib_cq, work);
	int completed;

	completed = process(cq, POLL_BUDGET_WORK, cq->wc, POLL_BATCH);
	if (completed >= POLL_BUDGET_WORK || ib_req_notify_cq(cq, NOTIFY_FLAGS) > 0)
		queue_work(cq->comp_wq, &cq->work);
	else if (cq->dim)
		rdma_dim(cq->dim, completed);
}

static void complete_workqueue(struct ib_cq *cq, void *private)
{
	queue_work(cq->comp_wq, &cq->work);
}

static void start_polling(struct ib_cq *cq)
{
	switch (cq->poll_ctx) {
	case IB_POLL_DIRECT:
		cq->comp_handler = complete_direct;
		return;
	case IB_POLL_SOFTIRQ:
		cq->comp_handler = complete_softirq;
		irq_poll_init(&cq->iop, POLL_BUDGET_SOFTIRQ, poll_softirq);
		break;
	case IB_POLL_WORKQUEUE:
	case IB_POLL_UNBOUND_WORKQUEUE:
		cq->comp_handler = complete_workqueue;
		INIT_WORK(&cq->work, poll_work);
		cq->comp_wq = cq->poll_ctx == IB_POLL_WORKQUEUE ? ib_comp_wq : ib_comp_unbound_wq;
		break;
	}
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
}

static void stop_polling(struct ib_cq *cq)
{
	switch (cq->poll_ctx) {
	case IB_POLL_DIRECT:
		break;
	case IB_POLL_SOFTIRQ:
		irq_poll_disable(&cq->iop);
		break;
	case IB_POLL_WORKQUEUE:
	case IB_POLL_UNBOUND_WORKQUEUE:
		cancel_work_sync(&cq->work);
		break;
	}
}

struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *private, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller)
{
	struct ib_cq_init_attr attr = { .cqe = nr_cqe, .comp_vector = comp_vector };
	struct ib_cq *cq;
	int ret = -ENOMEM;

	if (poll_ctx > IB_POLL_DIRECT)
		return ERR_PTR(-EINVAL);
	cq = rdma_zalloc_drv_obj(dev, ib_cq);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->device = dev;
	cq->cq_context = private;
	cq->poll_ctx = poll_ctx;
	cq->comp_vector = comp_vector;
	atomic_set(&cq->usecnt, 0);
	cq->wc = kmalloc_array(POLL_BATCH, sizeof(*cq->wc), GFP_KERNEL);
	if (!cq->wc)
		goto free_cq;

	rdma_restrack_new(&cq->res, RDMA_RESTRACK_CQ);
	rdma_restrack_set_name(&cq->res, caller);
	ret = dev->ops.create_cq(cq, &attr, NULL);
	if (ret)
		goto free_wc;
	start_dim(cq);
	start_polling(cq);
	rdma_restrack_add(&cq->res);
	trace_core_object_create(dev, "cq", cq->res.id, 0);
	return cq;

free_wc:
	rdma_restrack_put(&cq->res);
	kfree(cq->wc);
free_cq:
	kfree(cq);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(__ib_alloc_cq);

/*
 * __ib_alloc_cq_any - a CQ on whichever completion vector is next
 */
struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *private, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller)
{
	static atomic_t next_vector;
	int vectors = min_t(int, dev->num_comp_vectors, num_online_cpus());
	int vector = 0;

	if (vectors > 1)
		vector = (u32)atomic_inc_return(&next_vector) % vectors;
	return __ib_alloc_cq(dev, private, nr_cqe, vector, poll_ctx, caller);
}
EXPORT_SYMBOL(__ib_alloc_cq_any);

/*
 * ib_free_cq - end a CQ of ib_alloc_cq(); no queue may report to it any more
 */
void ib_free_cq(struct ib_cq *cq)
{
	int ret;

	if (WARN_ON_ONCE(atomic_read(&cq->usecnt)) || WARN_ON_ONCE(cq->cqe_used))
		return;
	stop_polling(cq);
	stop_dim(cq);
	rdma_restrack_begin_del(&cq->res);
	if (cq->device->ops.pre_destroy_cq) {
		ret = cq->device->ops.pre_destroy_cq(cq);
		cq->device->ops.post_destroy_cq(cq);
	} else {
		ret = cq->device->ops.destroy_cq(cq, NULL);
	}
	WARN_ONCE(ret, "the driver keeps a kernel CQ: %d\n", ret);
	trace_core_object_destroy(cq->device, "cq", cq->res.id, ret);
	rdma_restrack_commit_del(&cq->res);
	kfree(cq->wc);
	kfree(cq);
}
EXPORT_SYMBOL(ib_free_cq);

int core_cq_poll_init(void)
{
	ib_comp_wq = alloc_workqueue("ib-comp-wq", WQ_HIGHPRI | WQ_MEM_RECLAIM | WQ_SYSFS, 0);
	if (!ib_comp_wq)
		return -ENOMEM;
	ib_comp_unbound_wq = alloc_workqueue("ib-comp-unb-wq",
					     WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM | WQ_SYSFS,
					     WQ_UNBOUND_MAX_ACTIVE);
	if (!ib_comp_unbound_wq) {
		destroy_workqueue(ib_comp_wq);
		return -ENOMEM;
	}
	return 0;
}

void core_cq_poll_exit(void)
{
	destroy_workqueue(ib_comp_unbound_wq);
	destroy_workqueue(ib_comp_wq);
}
