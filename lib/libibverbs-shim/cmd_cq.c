// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_cq.c - completion queues: create, resize, destroy.
 *
 * Called by programs; the rings are the data half's (shca_cq.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

#define SUPPORTED_FLAGS (IBV_CREATE_CQ_ATTR_SINGLE_THREADED)

static int command_create(struct ibv_cq *cq, const struct ibv_cq_init_attr_ex *attr,
			  const struct shim_udata *udata)
{
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	uint32_t granted = 0;
	int err;

	shim_ioctl_init(&cmd, cq->context, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	made = shim_ioctl_new(&cmd, UVERBS_ATTR_CREATE_CQ_HANDLE);
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_CREATE_CQ_CQE, attr->cqe);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, (uintptr_t)cq);
	if (attr->channel)
		shim_ioctl_fd(&cmd, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, attr->channel->fd);
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, attr->comp_vector);
	shim_ioctl_out(&cmd, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &granted, sizeof(granted));
	shim_ioctl_fd(&cmd, UVERBS_ATTR_CREATE_CQ_EVENT_FD, cq->context->async_fd);
	shim_ioctl_udata(&cmd, udata);
	err = shim_ioctl_run(&cmd);
	cq->handle = shim_ioctl_made(made);
	cq->cqe = (int)granted;
	return err;
}

static int command_destroy(struct ibv_cq *cq, struct ib_uverbs_destroy_cq_resp *resp)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, UVERBS_ATTR_DESTROY_CQ_HANDLE,
		UVERBS_ATTR_DESTROY_CQ_RESP,
	};

	return shim_ioctl_destroy(cq->context, &what, cq->handle, resp, sizeof(*resp));
}

static struct ibv_cq *create(struct ibv_context *context, const struct ibv_cq_init_attr_ex *attr,
			     bool extended)
{
	struct ib_uverbs_destroy_cq_resp resp;
	struct shim_udata udata = { .in = NULL };
	struct ibv_cq *cq;
	int err;

	if (attr->channel && attr->channel->context != context) {
		errno = EINVAL;
		return NULL;
	}
	cq = shca_cq_alloc(shim_context(context), attr, extended, &udata);
	if (!cq) {
		errno = ENOMEM;
		return NULL;
	}
	cq->context = context;
	cq->channel = attr->channel;
	cq->cq_context = attr->cq_context;
	shim_events_init(&cq->mutex, &cq->cond);
	err = command_create(cq, attr, &udata);
	if (err)
		goto out_free;
	err = shca_cq_start(cq);
	if (err)
		goto out_destroy;
	if (attr->channel)
		shim_events_channel_get(attr->channel);
	return cq;

out_destroy:
	command_destroy(cq, &resp);
out_free:
	shca_cq_free(cq);
	errno = err;
	return NULL;
}

SHIM_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
					 struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)cqe,
		.cq_context = cq_context,
		.channel = channel,
		.comp_vector = (uint32_t)comp_vector,
	};

	/* A negative number is no huge one. */
	if (cqe < 1 || comp_vector < 0 || comp_vector >= context->num_comp_vectors) {
		errno = EINVAL;
		return NULL;
	}
	return create(context, &attr, false);
}

static int check_ex(struct ibv_context *context, const struct ibv_cq_init_attr_ex *attr)
{
	const uint32_t known = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;

	if (attr->comp_mask & ~known || attr->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS)
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) && (attr->flags & ~SUPPORTED_FLAGS))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) &&
	    (!attr->parent_domain || attr->parent_domain->context != context ||
	     !shim_pd(attr->parent_domain)->parent))
		return EINVAL;
	return 0;
}

struct ibv_cq_ex *shim_cq_create_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	int err = check_ex(context, attr);

	if (!err && (attr->cqe < 1 || attr->cqe > INT32_MAX ||
		     attr->comp_vector >= (uint32_t)context->num_comp_vectors))
		err = EINVAL;
	if (err) {
		errno = err;
		return NULL;
	}
	return (struct ibv_cq_ex *)create(context, attr, true);
}

SHIM_EXPORT int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	struct ib_uverbs_resize_cq req = { .cq_handle = cq->handle, .cqe = (uint32_t)cqe };
	struct ib_uverbs_resize_cq_resp resp = { .cqe = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_RESIZE_CQ,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	struct shim_udata udata = { .in = NULL };
	int err;

	if (cqe < 1)
		return shim_error_set(EINVAL);
	shca_cq_resize_begin(cq, &udata);
	err = shim_ioctl_write(cq->context, &cmd, &udata);
	return shim_error_set(shca_cq_resize_end(cq, err, (int)resp.cqe));
}

/* Moderation is all that a CQ lets itself be told (G083). */
int shim_cq_modify(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct ib_uverbs_ex_modify_cq req = {
		.cq_handle = cq->handle,
		.attr_mask = attr->attr_mask,
		.attr = { attr->moderate.cq_count, attr->moderate.cq_period },
	};
	struct shim_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_CQ | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		.in = &req, .in_len = sizeof(req),
	};

	if (attr->attr_mask != IBV_CQ_ATTR_MODERATE)
		return shim_error_set(EINVAL);
	return shim_error_set(shim_ioctl_write(cq->context, &cmd, NULL));
}

/* Waits for the acknowledgements of events that were taken (C146, C161). */
SHIM_EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct ib_uverbs_destroy_cq_resp resp;
	int err = command_destroy(cq, &resp);

	if (err)
		return shim_error_set(err);
	shim_events_wait(&cq->mutex, &cq->cond, &cq->comp_events_completed,
			 resp.comp_events_reported);
	shim_events_wait(&cq->mutex, &cq->cond, &cq->async_events_completed,
			 resp.async_events_reported);
	if (cq->channel)
		shim_events_channel_put(cq->channel);
	shca_cq_free(cq);
	return 0;
}
