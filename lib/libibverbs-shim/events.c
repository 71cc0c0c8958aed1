// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * events.c - completion channels and asynchronous events.
 *
 * Called by programs.  An event is one read() from a descriptor; it names the object by the
 * pointer that was given as the user handle when the object was made.  The object counts the
 * acknowledged events, and its destroy waits until the count has reached what the kernel says
 * it handed out (G079).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

void shim_events_init(pthread_mutex_t *mutex, pthread_cond_t *cond)
{
	pthread_mutex_init(mutex, NULL);
	pthread_cond_init(cond, NULL);
}

void shim_events_wait(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *done,
		      uint32_t reported)
{
	pthread_mutex_lock(mutex);
	while (*done != reported)
		pthread_cond_wait(cond, mutex);
	pthread_mutex_unlock(mutex);
}

static void acknowledge(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *done,
			unsigned int count)
{
	pthread_mutex_lock(mutex);
	*done += count;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(mutex);
}

/* One whole record, or -1 with errno; a channel delivers records undivided. */
static int read_record(int fd, void *record, size_t size)
{
	ssize_t len = read(fd, record, size);

	if (len == (ssize_t)size)
		return 0;
	if (len >= 0)
		errno = EIO;
	return -1;
}

SHIM_EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ib_uverbs_create_comp_channel req = { .response = 0 };
	struct ib_uverbs_create_comp_channel_resp resp = { .fd = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	struct ibv_comp_channel *channel;

	channel = calloc(1, sizeof(*channel));
	if (!channel) {
		errno = ENOMEM;
		return NULL;
	}
	if (shim_error_set(shim_ioctl_write(context, &cmd, NULL))) {
		free(channel);
		return NULL;
	}
	channel->context = context;
	channel->fd = (int)resp.fd;
	return channel;
}

void shim_events_channel_get(struct ibv_comp_channel *channel)
{
	pthread_mutex_lock(&channel->context->mutex);
	channel->refcnt++;
	pthread_mutex_unlock(&channel->context->mutex);
}

void shim_events_channel_put(struct ibv_comp_channel *channel)
{
	pthread_mutex_lock(&channel->context->mutex);
	channel->refcnt--;
	pthread_mutex_unlock(&channel->context->mutex);
}

/* EBUSY while a CQ is associated with the channel (C105). */
SHIM_EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct ibv_context *context = channel->context;
	int busy;

	pthread_mutex_lock(&context->mutex);
	busy = channel->refcnt;
	pthread_mutex_unlock(&context->mutex);
	if (busy)
		return shim_error_set(EBUSY);
	close(channel->fd);
	free(channel);
	return 0;
}

SHIM_EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
				 void **cq_context)
{
	struct ib_uverbs_comp_event_desc event;

	if (read_record(channel->fd, &event, sizeof(event)))
		return -1;
	*cq = (struct ibv_cq *)(uintptr_t)event.cq_handle;
	*cq_context = (*cq)->cq_context;
	return 0;
}

SHIM_EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	if (nevents)
		acknowledge(&cq->mutex, &cq->cond, &cq->comp_events_completed, nevents);
}

/* Which member of the union an event fills (C151..C153, G081). */
enum element {
	ELEMENT_PORT,
	ELEMENT_QP,
	ELEMENT_CQ,
	ELEMENT_SRQ,
	ELEMENT_WQ,
};

static const uint8_t element_of[] = {
	[IBV_EVENT_CQ_ERR]		= ELEMENT_CQ,
	[IBV_EVENT_QP_FATAL]		= ELEMENT_QP,
	[IBV_EVENT_QP_REQ_ERR]		= ELEMENT_QP,
	[IBV_EVENT_QP_ACCESS_ERR]	= ELEMENT_QP,
	[IBV_EVENT_COMM_EST]		= ELEMENT_QP,
	[IBV_EVENT_SQ_DRAINED]		= ELEMENT_QP,
	[IBV_EVENT_PATH_MIG]		= ELEMENT_QP,
	[IBV_EVENT_PATH_MIG_ERR]	= ELEMENT_QP,
	[IBV_EVENT_SRQ_ERR]		= ELEMENT_SRQ,
	[IBV_EVENT_SRQ_LIMIT_REACHED]	= ELEMENT_SRQ,
	[IBV_EVENT_QP_LAST_WQE_REACHED]	= ELEMENT_QP,
	[IBV_EVENT_WQ_FATAL]		= ELEMENT_WQ,
};

static enum element find_element(enum ibv_event_type type)
{
	return (unsigned int)type < SHIM_ARRAY_SIZE(element_of) ? element_of[type] : ELEMENT_PORT;
}

SHIM_EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct ib_uverbs_async_event_desc desc;
	void *object;

	if (read_record(context->async_fd, &desc, sizeof(desc)))
		return -1;
	memset(event, 0, sizeof(*event));
	event->event_type = desc.event_type;
	object = (void *)(uintptr_t)desc.element;
	switch (find_element(event->event_type)) {
	case ELEMENT_QP:
		event->element.qp = object;
		break;
	case ELEMENT_CQ:
		event->element.cq = object;
		break;
	case ELEMENT_SRQ:
		event->element.srq = object;
		break;
	case ELEMENT_WQ:
		event->element.wq = object;
		break;
	case ELEMENT_PORT:
		event->element.port_num = (int)desc.element;
		break;
	}
	return 0;
}

SHIM_EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct ibv_srq *srq = event->element.srq;
	struct ibv_qp *qp = event->element.qp;
	struct ibv_cq *cq = event->element.cq;
	struct ibv_wq *wq = event->element.wq;

	switch (find_element(event->event_type)) {
	case ELEMENT_QP:
		acknowledge(&qp->mutex, &qp->cond, &qp->events_completed, 1);
		break;
	case ELEMENT_CQ:
		acknowledge(&cq->mutex, &cq->cond, &cq->async_events_completed, 1);
		break;
	case ELEMENT_SRQ:
		acknowledge(&srq->mutex, &srq->cond, &srq->events_completed, 1);
		break;
	case ELEMENT_WQ:
		acknowledge(&wq->mutex, &wq->cond, &wq->events_completed, 1);
		break;
	case ELEMENT_PORT:
		break;
	}
}
