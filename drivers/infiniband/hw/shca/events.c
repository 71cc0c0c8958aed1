// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * events.c - hands completions and asynchronous events of objects to whoever made the object.  The
 * engine calls in, without a lock held; the handlers of ib_uverbs or of a kernel consumer go out.
 */
#include "events.h"
#include "shca.h"

static_assert((int)ENG_EVENT_CQ_ERR == (int)IB_EVENT_CQ_ERR);
static_assert((int)ENG_EVENT_QP_FATAL == (int)IB_EVENT_QP_FATAL);
static_assert((int)ENG_EVENT_QP_REQ_ERR == (int)IB_EVENT_QP_REQ_ERR);
static_assert((int)ENG_EVENT_QP_ACCESS_ERR == (int)IB_EVENT_QP_ACCESS_ERR);
static_assert((int)ENG_EVENT_COMM_EST == (int)IB_EVENT_COMM_EST);
static_assert((int)ENG_EVENT_SQ_DRAINED == (int)IB_EVENT_SQ_DRAINED);
static_assert((int)ENG_EVENT_SRQ_ERR == (int)IB_EVENT_SRQ_ERR);
static_assert((int)ENG_EVENT_SRQ_LIMIT_REACHED == (int)IB_EVENT_SRQ_LIMIT_REACHED);
static_assert((int)ENG_EVENT_QP_LAST_WQE_REACHED == (int)IB_EVENT_QP_LAST_WQE_REACHED);

void shca_events_cq_notify(struct eng_cq *eng)
{
	struct ib_cq *cq = &container_of(eng, struct shca_cq, eng)->ib;

	if (cq->comp_handler)
		cq->comp_handler(cq, cq->cq_context);
}

void shca_events_cq(struct eng_cq *eng, enum eng_event type)
{
	struct ib_cq *cq = &container_of(eng, struct shca_cq, eng)->ib;
	struct ib_event event = {
		.device = cq->device,
		.element.cq = cq,
		.event = (enum ib_event_type)type,
	};

	if (cq->event_handler)
		cq->event_handler(&event, cq->cq_context);
}

void shca_events_qp(struct eng_qp *eng, enum eng_event type)
{
	struct shca_qp *host = eng_qp_host(eng);
	struct ib_qp *qp = &host->ib;
	struct ib_event event = {
		.device = qp->device,
		.element.qp = qp,
		.event = (enum ib_event_type)type,
	};

	if (qp->event_handler)
		qp->event_handler(&event, qp->qp_context);
}

void shca_events_srq(struct eng_srq *eng, enum eng_event type)
{
	struct ib_srq *srq = &container_of(eng, struct shca_srq, eng)->ib;
	struct ib_event event = {
		.device = srq->device,
		.element.srq = srq,
		.event = (enum ib_event_type)type,
	};

	if (srq->event_handler)
		srq->event_handler(&event, srq->srq_context);
}
