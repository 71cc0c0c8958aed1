/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* calls_queue.h - part of <infiniband/verbs.h>: queues made and changed through the table. */
#ifndef INFINIBAND_VERBS_CALLS_QUEUE_H
#define INFINIBAND_VERBS_CALLS_QUEUE_H

#include <errno.h>
#include <infiniband/verbs/context.h>
#include <infiniband/verbs/srq.h>
#include <infiniband/verbs/wq.h>

/* pointer */
static inline struct ibv_cq_ex *ibv_create_cq_ex(struct ibv_context *context,
						 struct ibv_cq_init_attr_ex *cq_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, create_cq_ex);

	if (v)
		return v->create_cq_ex(context, cq_attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct verbs_context *v = verbs_get_ctx_op(cq->context, modify_cq);

	return v ? v->modify_cq(cq, attr) : EOPNOTSUPP;
}

/* pointer; basic queues are those of ibv_create_srq(). */
static inline struct ibv_srq *ibv_create_srq_ex(struct ibv_context *context,
						struct ibv_srq_init_attr_ex *srq_init_attr_ex)
{
	struct verbs_context *v = verbs_get_ctx_op(context, create_srq_ex);
	uint32_t mask = srq_init_attr_ex->comp_mask;
	int basic = !(mask & IBV_SRQ_INIT_ATTR_TYPE) ||
		    srq_init_attr_ex->srq_type == IBV_SRQT_BASIC;

	if (basic && (mask & ~(uint32_t)IBV_SRQ_INIT_ATTR_TYPE) == IBV_SRQ_INIT_ATTR_PD)
		return ibv_create_srq(srq_init_attr_ex->pd,
				      (struct ibv_srq_init_attr *)srq_init_attr_ex);
	if (v)
		return v->create_srq_ex(context, srq_init_attr_ex);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno; host order. */
static inline int ibv_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	struct verbs_context *v = verbs_get_ctx_op(srq->context, get_srq_num);

	return v ? v->get_srq_num(srq, srq_num) : EOPNOTSUPP;
}

/* pointer; with nothing but a PD it is ibv_create_qp(). */
static inline struct ibv_qp *ibv_create_qp_ex(struct ibv_context *context,
					      struct ibv_qp_init_attr_ex *qp_init_attr_ex)
{
	struct verbs_context *v = verbs_get_ctx_op(context, create_qp_ex);

	if (qp_init_attr_ex->comp_mask == IBV_QP_INIT_ATTR_PD)
		return ibv_create_qp(qp_init_attr_ex->pd,
				     (struct ibv_qp_init_attr *)qp_init_attr_ex);
	if (v)
		return v->create_qp_ex(context, qp_init_attr_ex);
	errno = EOPNOTSUPP;
	return NULL;
}

/* A QP that somebody made in an XRC domain (pointer). */
static inline struct ibv_qp *ibv_open_qp(struct ibv_context *context,
					 struct ibv_qp_open_attr *qp_open_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, open_qp);

	if (v)
		return v->open_qp(context, qp_open_attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
{
	struct verbs_context *v = verbs_get_ctx_op(qp->context, modify_qp_rate_limit);

	return v ? v->modify_qp_rate_limit(qp, attr) : EOPNOTSUPP;
}

/* pointer; max_wr and max_sge are raised to what was granted. */
static inline struct ibv_wq *ibv_create_wq(struct ibv_context *context,
					   struct ibv_wq_init_attr *wq_init_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, create_wq);
	struct ibv_wq *wq = NULL;

	if (v)
		wq = v->create_wq(context, wq_init_attr);
	else
		errno = EOPNOTSUPP;
	if (!wq)
		return NULL;
	wq->wq_context = wq_init_attr->wq_context;
	wq->events_completed = 0;
	pthread_mutex_init(&wq->mutex, NULL);
	pthread_cond_init(&wq->cond, NULL);
	return wq;
}

/* errno */
static inline int ibv_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *wq_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(wq->context, modify_wq);

	return v ? v->modify_wq(wq, wq_attr) : EOPNOTSUPP;
}

/* errno: EBUSY while a table holds it. */
static inline int ibv_destroy_wq(struct ibv_wq *wq)
{
	struct verbs_context *v = verbs_get_ctx_op(wq->context, destroy_wq);

	return v ? v->destroy_wq(wq) : EOPNOTSUPP;
}

/* pointer */
static inline struct ibv_rwq_ind_table *
ibv_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *init_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, create_rwq_ind_table);

	if (v)
		return v->create_rwq_ind_table(context, init_attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_destroy_rwq_ind_table(struct ibv_rwq_ind_table *rwq_ind_table)
{
	struct verbs_context *v = verbs_get_ctx_op(rwq_ind_table->context, destroy_rwq_ind_table);

	return v ? v->destroy_rwq_ind_table(rwq_ind_table) : EOPNOTSUPP;
}

#endif
