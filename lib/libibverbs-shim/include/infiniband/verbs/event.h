/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* event.h - part of <infiniband/verbs.h>: asynchronous events. */
#ifndef INFINIBAND_VERBS_EVENT_H
#define INFINIBAND_VERBS_EVENT_H

#include <infiniband/verbs/base.h>

enum ibv_event_type {
	IBV_EVENT_CQ_ERR,
	IBV_EVENT_QP_FATAL,
	IBV_EVENT_QP_REQ_ERR,
	IBV_EVENT_QP_ACCESS_ERR,
	IBV_EVENT_COMM_EST,
	IBV_EVENT_SQ_DRAINED,
	IBV_EVENT_PATH_MIG,
	IBV_EVENT_PATH_MIG_ERR,
	IBV_EVENT_DEVICE_FATAL,
	IBV_EVENT_PORT_ACTIVE,
	IBV_EVENT_PORT_ERR,
	IBV_EVENT_LID_CHANGE,
	IBV_EVENT_PKEY_CHANGE,
	IBV_EVENT_SM_CHANGE,
	IBV_EVENT_SRQ_ERR,
	IBV_EVENT_SRQ_LIMIT_REACHED,
	IBV_EVENT_QP_LAST_WQE_REACHED,
	IBV_EVENT_CLIENT_REREGISTER,
	IBV_EVENT_GID_CHANGE,
	IBV_EVENT_WQ_FATAL,
};

/* One member of element counts: cq for CQ_ERR, srq for SRQ_*, wq for WQ_FATAL, qp for QP_*,
 * COMM_EST, SQ_DRAINED and PATH_*, port_num for the others; none for DEVICE_FATAL.
 */
struct ibv_async_event {
	union {
		struct ibv_cq *cq;
		struct ibv_qp *qp;
		struct ibv_srq *srq;
		struct ibv_wq *wq;
		int port_num;
	} element;
	enum ibv_event_type event_type;
};

/* Waits for the next event of the context (-1); async_fd can be polled for it. */
int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event);

/* Each event taken has to be acknowledged: destroying its object waits for that. */
void ibv_ack_async_event(struct ibv_async_event *event);

/* A word for the event, never NULL. */
const char *ibv_event_type_str(enum ibv_event_type event);

#endif
