// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * runner.c - executes the engine, and is what the engine calls back.  Doorbells and control verbs
 * run it in their own context; timers, kernel consumers and used-up budgets go to a worker.
 *
 * The engine only ever runs in process context, so its locks are plain spinlocks.  What may come
 * from any context is eng_kick() without a run queue, and that ends in defer() below.
 */
#include <linux/llist.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "runner.h"
#include "device.h"
#include "events.h"
#include "shca.h"
#include "udp_rx.h"
#include "verbs_ah.h"
#include "verbs_mr.h"
#include "verbs_cq.h"
#include "verbs_qp.h"
#include "verbs_srq.h"

/* QPs that one worker takes on before it looks at the clock of the scheduler. */
#define WORKER_BATCH	32

/* One per CPU, so that CPUs do not share a list; its work may run anywhere. */
struct runner {
	struct llist_head deferred;	/* of shca_qp.deferred */
	struct work_struct work;
};

static DEFINE_PER_CPU(struct runner, runners);
/* Any CPU's, and that of who queues. */
static struct workqueue_struct *worker, *local_worker;

/* The run word of a QP lets it be deferred once at a time, which makes its list node ours. */
static void defer(struct eng_qp *eng)
{
	struct shca_qp *qp = eng_qp_host(eng);
	struct runner *runner = raw_cpu_ptr(&runners);

	if (llist_add(&qp->deferred, &runner->deferred))
		queue_work(worker, &runner->work);
}

static void work(struct work_struct *work)
{
	struct runner *runner = container_of(work, struct runner, work);
	struct llist_node *node, *next;
	struct eng_runq rq;
	unsigned int batch = 0;

	/* Bounded: each entry holds a reference on a QP, and the list is emptied once. */
	node = llist_reverse_order(llist_del_all(&runner->deferred));
	eng_runq_init(&rq);
	llist_for_each_safe(node, next, node) {
		eng_runq_adopt(&rq, container_of(node, struct shca_qp, deferred)->eng);
		if (++batch % WORKER_BATCH && next)
			continue;
		eng_run(&rq);
		eng_runq_init(&rq);
		cond_resched();
	}
}

void shca_runner_run(struct eng_qp *qp)
{
	struct eng_runq rq;

	eng_runq_init(&rq);
	eng_kick(&rq, qp);
	eng_run(&rq);
}

void shca_runner_drain(struct llist_node *lanes)
{
	struct eng_runq rq;

	eng_runq_init(&rq);
	shca_udp_rx_drain(lanes, &rq);
	eng_run(&rq);
}

void shca_runner_queue(struct work_struct *work)
{
	queue_work(worker, work);
}

void shca_runner_queue_local(struct work_struct *work)
{
	queue_work(local_worker, work);
}

void shca_runner_flush(void)
{
	flush_workqueue(worker);
	flush_workqueue(local_worker);
}

static u64 now(struct eng_dev *dev)
{
	return ktime_get_ns();
}

static void arm(struct eng_qp *eng, u64 deadline_ns, u64 late_ns)
{
	struct shca_qp *qp = eng_qp_host(eng);

	if (READ_ONCE(qp->closing))
		return;
	if (deadline_ns == ENG_NO_DEADLINE)
		hrtimer_try_to_cancel(&qp->timer);
	else
		hrtimer_start_range_ns(&qp->timer, ns_to_ktime(deadline_ns), late_ns,
				       HRTIMER_MODE_ABS);
}

const struct eng_ops shca_runner_eng_ops = {
	.defer = defer,
	.now = now,
	.arm = arm,
	.cq_notify = shca_events_cq_notify,
	.cq_event = shca_events_cq,
	.cq_timer = shca_verbs_cq_timer,
	.qp_event = shca_events_qp,
	.srq_event = shca_events_srq,
	.transmit = shca_udp_tx_transmit,
	.transmit_end = shca_udp_tx_end,
	.transmit_alone = shca_udp_tx_alone,
	.packet_span = shca_udp_rx_span,
	.packet_keep = shca_udp_rx_keep,
	.packet_done = shca_udp_rx_done,
	.mr_idle = shca_verbs_mr_idle,
	.srq_idle = shca_verbs_srq_idle,
	.qp_idle = shca_verbs_qp_idle,
	.ah_idle = shca_verbs_ah_idle,
	.dev_idle = shca_device_engine_idle,
};

static void stop_workers(void)
{
	if (worker)
		destroy_workqueue(worker);
	if (local_worker)
		destroy_workqueue(local_worker);
}

int shca_runner_start(void)
{
	int cpu;

	worker = alloc_workqueue("shca", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	local_worker = alloc_workqueue("shca_local", WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (!worker || !local_worker) {
		stop_workers();
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		struct runner *runner = per_cpu_ptr(&runners, cpu);

		init_llist_head(&runner->deferred);
		INIT_WORK(&runner->work, work);
	}
	return 0;
}

void shca_runner_stop(void)
{
	stop_workers();
	/* Engine devices and queue pairs are freed by RCU, without code of ours. */
}
