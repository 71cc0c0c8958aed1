// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_srq.c - shared receive queues: create, modify, query, destroy.
 *
 * Called by programs; the rings are the data half's (shca_srq.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

/* What an SRQ of an XRC domain has beyond a basic one: both NULL there. */
struct xrc_part {
	struct ibv_xrcd *xrcd;
	struct ibv_cq *cq;
};

static int command_create(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  const struct xrc_part *xrc, const struct shim_udata *udata)
{
	uint32_t max_wr = 0, max_sge = 0, number = 0;
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, srq->context, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	made = shim_ioctl_new(&cmd, UVERBS_ATTR_CREATE_SRQ_HANDLE);
	shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, srq->pd->handle);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, (uintptr_t)srq);
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_CREATE_SRQ_MAX_WR, attr->max_wr);
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, attr->max_sge);
	/* srq_limit is irrelevant at creation and must not arm the event (C204). */
	shim_ioctl_in_u32(&cmd, UVERBS_ATTR_CREATE_SRQ_LIMIT, 0);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_CREATE_SRQ_TYPE,
			  xrc->xrcd ? IB_UVERBS_SRQT_XRC : IB_UVERBS_SRQT_BASIC);
	if (xrc->xrcd) {
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE,
				  shim_xrcd(xrc->xrcd)->handle);
		shim_ioctl_object(&cmd, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, xrc->cq->handle);
		/* Has to be taken; the driver tells it for every kind (shca_srq_number()). */
		shim_ioctl_out(&cmd, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, &number, sizeof(number));
	}
	shim_ioctl_fd(&cmd, UVERBS_ATTR_CREATE_SRQ_EVENT_FD, srq->context->async_fd);
	shim_ioctl_out(&cmd, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &max_wr, sizeof(max_wr));
	shim_ioctl_out(&cmd, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &max_sge, sizeof(max_sge));
	shim_ioctl_udata(&cmd, udata);
	err = shim_ioctl_run(&cmd);
	if (err)
		return err;
	srq->handle = shim_ioctl_made(made);
	attr->max_wr = max_wr;
	attr->max_sge = max_sge;
	return 0;
}

static int command_destroy(struct ibv_srq *srq, struct ib_uverbs_destroy_srq_resp *resp)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, UVERBS_ATTR_DESTROY_SRQ_HANDLE,
		UVERBS_ATTR_DESTROY_SRQ_RESP,
	};

	return shim_ioctl_destroy(srq->context, &what, srq->handle, resp, sizeof(*resp));
}

static struct ibv_srq *create(struct ibv_pd *pd, struct ibv_srq_init_attr *init,
			      const struct xrc_part *xrc)
{
	struct ibv_srq_attr granted = init->attr;
	struct ib_uverbs_destroy_srq_resp resp;
	struct shim_udata udata = { .in = NULL };
	struct ibv_srq *srq;
	int err;

	srq = shca_srq_alloc(shim_context(pd->context), pd, &udata);
	if (!srq) {
		errno = ENOMEM;
		return NULL;
	}
	srq->context = pd->context;
	srq->srq_context = init->srq_context;
	srq->pd = pd;
	shim_events_init(&srq->mutex, &srq->cond);
	err = command_create(srq, &granted, xrc, &udata);
	if (err)
		goto out_free;
	err = shca_srq_start(srq, &granted);
	if (err)
		goto out_destroy;
	init->attr.max_wr = granted.max_wr;
	init->attr.max_sge = granted.max_sge;
	return srq;

out_destroy:
	command_destroy(srq, &resp);
out_free:
	shca_srq_free(srq);
	errno = err;
	return NULL;
}

SHIM_EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
	static const struct xrc_part none;

	return create(pd, init, &none);
}

/* The header sends basic SRQs without a mark to ibv_create_srq(); tag matching is not there. */
struct ibv_srq *shim_srq_create_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	const uint32_t known = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			       IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	enum ibv_srq_type type = attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? attr->srq_type :
									     IBV_SRQT_BASIC;
	struct xrc_part xrc = { .xrcd = NULL };
	int err = 0;

	if (attr->comp_mask & ~known || (type != IBV_SRQT_BASIC && type != IBV_SRQT_XRC))
		err = EOPNOTSUPP;
	else if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd ||
		 attr->pd->context != context)
		err = EINVAL;
	else if (type == IBV_SRQT_XRC &&
		 (attr->comp_mask != known || !attr->xrcd || !attr->cq ||
		  attr->xrcd->context != context || attr->cq->context != context))
		err = EINVAL;
	if (shim_error_set(err))
		return NULL;
	if (type == IBV_SRQT_XRC) {
		xrc.xrcd = attr->xrcd;
		xrc.cq = attr->cq;
	}
	return create(attr->pd, (struct ibv_srq_init_attr *)attr, &xrc);
}

SHIM_EXPORT int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ib_uverbs_modify_srq req = {
		.srq_handle = srq->handle,
		.attr_mask = (uint32_t)mask,
		.max_wr = attr->max_wr,
		.srq_limit = attr->srq_limit,
	};
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_MODIFY_SRQ,
		.in = &req, .in_len = sizeof(req),
	};
	struct shim_udata udata = { .in = NULL };
	int err;

	if (mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
		return shim_error_set(EINVAL);
	if (!(mask & IBV_SRQ_MAX_WR))
		return shim_error_set(shim_ioctl_write(srq->context, &cmd, NULL));
	shca_srq_resize_begin(srq, &udata);
	err = shim_ioctl_write(srq->context, &cmd, &udata);
	return shim_error_set(shca_srq_resize_end(srq, err, attr->max_wr));
}

SHIM_EXPORT int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ib_uverbs_query_srq req = { .srq_handle = srq->handle };
	struct ib_uverbs_query_srq_resp resp = { .max_wr = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_SRQ,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	int err = shim_ioctl_write(srq->context, &cmd, NULL);

	if (err)
		return shim_error_set(err);
	attr->max_wr = resp.max_wr;
	attr->max_sge = resp.max_sge;
	attr->srq_limit = resp.srq_limit;
	return 0;
}

SHIM_EXPORT int ibv_destroy_srq(struct ibv_srq *srq)
{
	struct ib_uverbs_destroy_srq_resp resp;
	int err = command_destroy(srq, &resp);

	if (err)
		return shim_error_set(err);
	shim_events_wait(&srq->mutex, &srq->cond, &srq->events_completed, resp.events_reported);
	shca_srq_free(srq);
	return 0;
}
