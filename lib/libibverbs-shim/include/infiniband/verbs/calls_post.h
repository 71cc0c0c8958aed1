/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * calls_post.h - part of <infiniband/verbs.h>: the data path.
 *
 * The post calls take a list and stop at the first request whose fault is seen at once (errno;
 * *bad_wr is that request, the ones before it are posted).  ENOMEM: the queue is full.
 */
#ifndef INFINIBAND_VERBS_CALLS_POST_H
#define INFINIBAND_VERBS_CALLS_POST_H

#include <errno.h>
#include <infiniband/verbs/context.h>
#include <infiniband/verbs/srq.h>
#include <infiniband/verbs/wq.h>

static inline int ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
				struct ibv_send_wr **bad_wr)
{
	return qp->context->ops.post_send(qp, wr, bad_wr);
}

static inline int ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
				struct ibv_recv_wr **bad_wr)
{
	return qp->context->ops.post_recv(qp, wr, bad_wr);
}

static inline int ibv_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr,
				    struct ibv_recv_wr **bad_recv_wr)
{
	return srq->context->ops.post_srq_recv(srq, recv_wr, bad_recv_wr);
}

static inline int ibv_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *recv_wr,
				   struct ibv_recv_wr **bad_recv_wr)
{
	return wq->post_recv(wq, recv_wr, bad_recv_wr);
}

static inline int ibv_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
				   struct ibv_ops_wr **bad_op)
{
	struct verbs_context *v = verbs_get_ctx_op(srq->context, post_srq_ops);

	if (v)
		return v->post_srq_ops(srq, op, bad_op);
	*bad_op = op;
	return EOPNOTSUPP;
}

/* own: the number of completions, oldest first; fewer than asked: the CQ is empty; < 0: broken. */
static inline int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	return cq->context->ops.poll_cq(cq, num_entries, wc);
}

/* One event for the next completion, or the next solicited or failed one (errno). Poll after. */
static inline int ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return cq->context->ops.req_notify_cq(cq, solicited_only);
}

#endif
