// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues: create (basic, XRC, tag matching), modify, query, destroy. Posting to one
 * through the kernel is in verb_post.c.
 *
 * dispatch.c calls in; the driver, ib_core and the async events go out.
 */
#include "call.h"
#include "defs.h"
#include "objects.h"

/* An SRQ to be made, whichever door asked for it. attr.attr comes back with the real sizes. */
struct srq_create_args {
	struct ib_usrq_object *obj;
	struct ib_uverbs_async_event_file *async;	/* NULL: nobody is told */
	struct ib_uobject *xrcd;			/* NULL unless of type XRC */
	struct ib_pd *pd;
	u64 user_handle;
	struct ib_srq_init_attr attr;
};

static void srq_event(struct ib_event *event, void *context)
{
	uverbs_events_async_raise(&event->element.srq->uobject->uevent, event->event);
}

/* The body of all three ways to make an SRQ. */
static struct ib_srq *srq_create(struct uverbs_attr_bundle *attrs, struct srq_create_args *args)
{
	struct ib_usrq_object *obj = args->obj;
	struct ib_srq *srq;

	obj->uevent.uobject.user_handle = args->user_handle;
	mutex_init(&obj->modify_lock);
	obj->uxrcd = args->xrcd ? uverbs_objects_xrcd_use(args->xrcd) : NULL;
	uverbs_events_async_attach(&obj->uevent, args->async);
	args->attr.event_handler = srq_event;
	srq = ib_create_srq_user(args->pd, &args->attr, obj, &attrs->driver_udata);
	if (IS_ERR(srq)) {
		uverbs_events_async_detach(&obj->uevent);
		uverbs_objects_xrcd_unuse(obj->uxrcd);
		return srq;
	}
	obj->uevent.uobject.object = srq;
	uverbs_call_created(attrs, &obj->uevent.uobject);
	return srq;
}

static int srq_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	struct ib_usrq_object *obj = uverbs_objects_srq(uobj);
	int ret = ib_destroy_srq_user(uobj->object, &attrs->driver_udata);

	if (ret)
		return ret;
	uverbs_objects_xrcd_unuse(obj->uxrcd);
	uverbs_events_async_detach(&obj->uevent);
	return 0;
}

/* What does the type need beside a PD? */
static int srq_find_parts(struct uverbs_attr_bundle *attrs, struct srq_create_args *args,
			  const struct ib_uverbs_create_xsrq *cmd)
{
	switch (args->attr.srq_type) {
	case IB_SRQT_BASIC:
		break;
	case IB_SRQT_XRC:
		args->xrcd = uverbs_call_get(attrs, UVERBS_OBJECT_XRCD, cmd->xrcd_handle,
					     UVERBS_ACCESS_READ);
		if (IS_ERR(args->xrcd))
			return -EINVAL;
		args->attr.ext.xrc.xrcd = args->xrcd->object;
		if (!args->attr.ext.xrc.xrcd)
			return -EINVAL;
		break;
	case IB_SRQT_TM:
		args->attr.ext.tag_matching.max_num_tags = cmd->max_num_tags;
		break;
	default:
		break;	/* the driver's to refuse */
	}
	if (ib_srq_has_cq(args->attr.srq_type)) {
		args->attr.ext.cq = uverbs_call_cq(attrs, cmd->cq_handle);
		if (IS_ERR(args->attr.ext.cq))
			return PTR_ERR(args->attr.ext.cq);
	}
	args->pd = uverbs_call_pd(attrs, cmd->pd_handle);
	return PTR_ERR_OR_ZERO(args->pd);
}

/* The write door: the extended struct says everything the legacy one does. */
static int srq_create_write(struct uverbs_attr_bundle *attrs,
			    const struct ib_uverbs_create_xsrq *cmd)
{
	struct srq_create_args args = {
		.user_handle = cmd->user_handle,
		.attr.srq_type = cmd->srq_type,
		.attr.attr.max_wr = cmd->max_wr,
		.attr.attr.max_sge = cmd->max_sge,
		.attr.attr.srq_limit = cmd->srq_limit,
	};
	struct ib_uverbs_create_srq_resp resp = {};
	struct ib_uobject *uobj;
	struct ib_srq *srq;
	int ret;

	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_SRQ);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	args.obj = uverbs_objects_srq(uobj);
	args.async = uverbs_events_async_default(attrs);
	ret = srq_find_parts(attrs, &args, cmd);
	if (ret)
		return ret;
	srq = srq_create(attrs, &args);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	resp.srq_handle = uobj->id;
	resp.max_wr = args.attr.attr.max_wr;
	resp.max_sge = args.attr.attr.max_sge;
	if (srq->srq_type == IB_SRQT_XRC)
		resp.srqn = srq->ext.xrc.srq_num;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int srq_create_legacy(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_xsrq xcmd = { .srq_type = IB_SRQT_BASIC };
	struct ib_uverbs_create_srq cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	xcmd.user_handle = cmd.user_handle;
	xcmd.pd_handle = cmd.pd_handle;
	xcmd.max_wr = cmd.max_wr;
	xcmd.max_sge = cmd.max_sge;
	xcmd.srq_limit = cmd.srq_limit;
	return srq_create_write(attrs, &xcmd);
}

static int srq_create_xsrq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_xsrq cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return srq_create_write(attrs, &cmd);
}

static int srq_read_sizes(struct uverbs_attr_bundle *attrs, struct srq_create_args *args)
{
	int ret;

	ret = uverbs_copy_from(&args->attr.attr.max_sge, attrs, UVERBS_ATTR_CREATE_SRQ_MAX_SGE);
	if (!ret)
		ret = uverbs_copy_from(&args->attr.attr.max_wr, attrs,
				       UVERBS_ATTR_CREATE_SRQ_MAX_WR);
	if (!ret)
		ret = uverbs_copy_from(&args->attr.attr.srq_limit, attrs,
				       UVERBS_ATTR_CREATE_SRQ_LIMIT);
	if (!ret)
		ret = uverbs_copy_from(&args->user_handle, attrs,
				       UVERBS_ATTR_CREATE_SRQ_USER_HANDLE);
	return ret ? ret : uverbs_get_const(&args->attr.srq_type, attrs,
					    UVERBS_ATTR_CREATE_SRQ_TYPE);
}

/* What the type needs, and nothing that another type would need. */
static int srq_read_parts(struct uverbs_attr_bundle *attrs, struct srq_create_args *args)
{
	int ret;

	args->pd = uverbs_attr_get_obj(attrs, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE);
	if (ib_srq_has_cq(args->attr.srq_type)) {
		args->attr.ext.cq = uverbs_attr_get_obj(attrs, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE);
		if (IS_ERR(args->attr.ext.cq))
			return PTR_ERR(args->attr.ext.cq);
	}
	switch (args->attr.srq_type) {
	case IB_SRQT_BASIC:
		return 0;
	case IB_SRQT_XRC:
		args->xrcd = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE);
		if (IS_ERR(args->xrcd))
			return PTR_ERR(args->xrcd);
		args->attr.ext.xrc.xrcd = args->xrcd->object;
		return 0;
	case IB_SRQT_TM:
		ret = uverbs_copy_from(&args->attr.ext.tag_matching.max_num_tags, attrs,
				       UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS);
		return ret;
	default:
		return -EINVAL;
	}
}

static int UVERBS_HANDLER(UVERBS_METHOD_SRQ_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_SRQ_HANDLE);
	struct srq_create_args args = {
		.obj = uverbs_objects_srq(uobj),
		.async = uverbs_events_async_chosen(attrs, UVERBS_ATTR_CREATE_SRQ_EVENT_FD),
	};
	struct ib_srq *srq;
	int ret;

	ret = srq_read_sizes(attrs, &args);
	if (!ret)
		ret = srq_read_parts(attrs, &args);
	if (ret)
		return ret;
	srq = srq_create(attrs, &args);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &args.attr.attr.max_wr,
			     sizeof(args.attr.attr.max_wr));
	if (!ret)
		ret = uverbs_copy_to(attrs, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE,
				     &args.attr.attr.max_sge, sizeof(args.attr.attr.max_sge));
	if (!ret && srq->srq_type == IB_SRQT_XRC)
		ret = uverbs_copy_to(attrs, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
				     &srq->ext.xrc.srq_num, sizeof(srq->ext.xrc.srq_num));
	return ret;
}

/* As with a CQ that is resized, rdma_rxe looks into a queue that another call may free. */
static int srq_modify(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_modify_srq cmd;
	struct ib_srq_attr attr = {};
	struct ib_srq *srq;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	srq = uverbs_call_srq(attrs, cmd.srq_handle);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	attr.max_wr = cmd.max_wr;
	attr.srq_limit = cmd.srq_limit;
	mutex_lock(&srq->uobject->modify_lock);
	ret = srq->device->ops.modify_srq(srq, &attr, cmd.attr_mask, &attrs->driver_udata);
	mutex_unlock(&srq->uobject->modify_lock);
	return ret;
}

static int srq_query(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_srq_resp resp = {};
	struct ib_uverbs_query_srq cmd;
	struct ib_srq_attr attr = {};
	struct ib_srq *srq;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	srq = uverbs_call_srq(attrs, cmd.srq_handle);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ret = ib_query_srq(srq, &attr);
	if (ret)
		return ret;
	resp.max_wr = attr.max_wr;
	resp.max_sge = attr.max_sge;
	resp.srq_limit = attr.srq_limit;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int srq_destroy_write(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_srq_resp resp = {};
	struct ib_uverbs_destroy_srq cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_destroy(attrs, UVERBS_OBJECT_SRQ, cmd.srq_handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.events_reported = uverbs_objects_srq(uobj)->uevent.events_reported;
	return uverbs_call_done(uverbs_call_respond(attrs, &resp, sizeof(resp)));
}

static int UVERBS_HANDLER(UVERBS_METHOD_SRQ_DESTROY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_DESTROY_SRQ_HANDLE);
	struct ib_uverbs_destroy_srq_resp resp = {
		.events_reported = uverbs_objects_srq(uobj)->uevent.events_reported,
	};

	return uverbs_copy_to(attrs, UVERBS_ATTR_DESTROY_SRQ_RESP, &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_SRQ_CREATE,
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_SRQ_HANDLE, UVERBS_OBJECT_SRQ, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, UVERBS_OBJECT_PD, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_CREATE_SRQ_TYPE, enum ib_uverbs_srq_type, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, UVERBS_ATTR_TYPE(u64),
			   UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, UVERBS_OBJECT_XRCD,
			UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, UVERBS_OBJECT_CQ, UVERBS_ACCESS_READ,
			UA_OPTIONAL),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, UVERBS_ATTR_TYPE(u32),
			   UA_OPTIONAL),
	UVERBS_ATTR_FD(UVERBS_ATTR_CREATE_SRQ_EVENT_FD, UVERBS_OBJECT_ASYNC_EVENT,
		       UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, UVERBS_ATTR_TYPE(u32),
			    UA_OPTIONAL),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_SRQ_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_OBJECT_SRQ,
			UVERBS_ACCESS_DESTROY, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_DESTROY_SRQ_RESP,
			    UVERBS_ATTR_TYPE(struct ib_uverbs_destroy_srq_resp), UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(
	UVERBS_OBJECT_SRQ,
	UVERBS_TYPE_ALLOC_IDR_SZ(sizeof(struct ib_usrq_object), srq_destroy),
	&UVERBS_METHOD(UVERBS_METHOD_SRQ_CREATE), &UVERBS_METHOD(UVERBS_METHOD_SRQ_DESTROY));

const struct uapi_definition uverbs_srq_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_SRQ,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_CREATE_SRQ, srq_create_legacy,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_create_srq,
							  struct ib_uverbs_create_srq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(create_srq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_CREATE_XSRQ, srq_create_xsrq,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_create_xsrq,
							  struct ib_uverbs_create_srq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(create_srq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DESTROY_SRQ, srq_destroy_write,
				     UVERBS_IO_RESP(struct ib_uverbs_destroy_srq,
						    struct ib_uverbs_destroy_srq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(destroy_srq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_MODIFY_SRQ, srq_modify,
				     UVERBS_IO_REQ_UDATA(struct ib_uverbs_modify_srq),
				     UAPI_DEF_METHOD_NEEDS_FN(modify_srq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_QUERY_SRQ, srq_query,
				     UVERBS_IO_RESP(struct ib_uverbs_query_srq,
						    struct ib_uverbs_query_srq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(query_srq))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_SRQ, UAPI_DEF_OBJ_NEEDS_FN(destroy_srq)),
	{}
};
