// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Draining a QP of a kernel consumer: move it to the error state, post a marker behind everything,
 * and wait for the marker to be flushed. Everything before it has completed then.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* How long to sleep between two polls of a CQ that nobody else polls, in jiffies. */
#define DRAIN_POLL_INTERVAL (HZ / 10)

struct marker {
	struct ib_cqe cqe;
	struct completion done;
};

static void marker_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct marker *marker = container_of(wc->wr_cqe, struct marker, cqe);

	complete(&marker->done);
}

static void init_marker(struct marker *marker)
{
	marker->cqe.done = marker_done;
	init_completion(&marker->done);
}

static void wait_for_marker(struct marker *marker, struct ib_cq *cq)
{
	if (cq->poll_ctx != IB_POLL_DIRECT) {
		wait_for_completion(&marker->done);
		return;
	}
	while (!wait_for_completion_timeout(&marker->done, DRAIN_POLL_INTERVAL))
		ib_process_cq_direct(cq, -1);
}

static int move_to_error(struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

static void drain_sq(struct ib_qp *qp)
{
	struct marker marker;
	struct ib_rdma_wr wr = {
		.wr = { .opcode = IB_WR_RDMA_WRITE, .wr_cqe = &marker.cqe },
	};
	int ret;

	init_marker(&marker);
	ret = move_to_error(qp);
	if (!ret)
		ret = ib_post_send(qp, &wr.wr, NULL);
	if (WARN_ONCE(ret, "cannot drain a send queue: %d\n", ret))
		return;
	wait_for_marker(&marker, qp->send_cq);
}

static void drain_rq(struct ib_qp *qp)
{
	struct marker marker;
	struct ib_recv_wr wr = { .wr_cqe = &marker.cqe };
	int ret;

	init_marker(&marker);
	ret = move_to_error(qp);
	if (!ret)
		ret = ib_post_recv(qp, &wr, NULL);
	if (WARN_ONCE(ret, "cannot drain a receive queue: %d\n", ret))
		return;
	wait_for_marker(&marker, qp->recv_cq);
}

/*
 * ib_drain_sq - returns when every send work request has completed
 *
 * The CQ has room for one more completion, is one of ib_alloc_cq(), and nobody posts meanwhile.
 */
void ib_drain_sq(struct ib_qp *qp)
{
	if (qp->device->ops.drain_sq)
		qp->device->ops.drain_sq(qp);
	else
		drain_sq(qp);
}
EXPORT_SYMBOL(ib_drain_sq);

/*
 * ib_drain_rq - the same for receives
 */
void ib_drain_rq(struct ib_qp *qp)
{
	if (qp->device->ops.drain_rq)
		qp->device->ops.drain_rq(qp);
	else
		drain_rq(qp);
}
EXPORT_SYMBOL(ib_drain_rq);

/*
 * ib_drain_qp - both; receives of an SRQ are not the QP's to drain
 */
void ib_drain_qp(struct ib_qp *qp)
{
	ib_drain_sq(qp);
	if (!qp->srq)
		ib_drain_rq(qp);
}
EXPORT_SYMBOL(ib_drain_qp);
