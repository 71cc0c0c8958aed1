// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues: create, resize, moderate, destroy, and the slow way of polling and arming
 * for drivers that do not map their queues.
 *
 * dispatch.c calls in; the driver, ib_core and the event rooms go out.
 */
#include "call.h"
#include "defs.h"

/* A CQ to be made, whichever door asked for it. */
struct cq_create_args {
	struct ib_ucq_object *obj;
	struct ib_uverbs_completion_event_file *channel;	/* NULL: polling only */
	struct ib_uverbs_async_event_file *async;		/* NULL: nobody is told */
	u64 user_handle;
	struct ib_cq_init_attr attr;
};

static struct ib_ucq_object *cq_object(struct ib_uobject *uobj)
{
	return container_of(uobj, struct ib_ucq_object, uevent.uobject);
}

static void cq_event(struct ib_event *event, void *context)
{
	uverbs_events_async_raise(&event->element.cq->uobject->uevent, event->event);
}

static void cq_detach_events(struct ib_ucq_object *obj)
{
	uverbs_events_comp_detach(obj);
	uverbs_events_async_detach(&obj->uevent);
}

static int cq_check(struct uverbs_attr_bundle *attrs, const struct ib_cq_init_attr *attr)
{
	int max_cqe = uverbs_call_device(attrs)->attrs.max_cqe;

	return !attr->cqe || (max_cqe > 0 && attr->cqe > max_cqe) ? -EINVAL : 0;
}

static bool cq_vector_exists(const struct uverbs_attr_bundle *attrs, u32 vector)
{
	return vector < attrs->ufile->device->num_comp_vectors;
}

static struct ib_cq *cq_alloc(struct ib_device *device, struct ib_ucq_object *obj)
{
	struct ib_cq *cq = rdma_zalloc_drv_obj(device, ib_cq);

	if (!cq)
		return NULL;
	cq->device = device;
	cq->uobject = obj;
	cq->comp_handler = uverbs_events_comp_handler;
	cq->event_handler = cq_event;
	cq->cq_context = obj->comp.file;
	atomic_set(&cq->usecnt, 0);
	rdma_restrack_new(&cq->res, RDMA_RESTRACK_CQ);
	rdma_restrack_set_name(&cq->res, NULL);
	return cq;
}

/* The body of all three ways to make a CQ. The caller answers with cq->cqe. */
static struct ib_cq *cq_create(struct uverbs_attr_bundle *attrs, struct cq_create_args *args)
{
	struct ib_device *device = uverbs_call_device(attrs);
	struct ib_ucq_object *obj = args->obj;
	struct ib_cq *cq;
	int ret;

	ret = cq_check(attrs, &args->attr);
	if (ret)
		return ERR_PTR(ret);
	obj->uevent.uobject.user_handle = args->user_handle;
	mutex_init(&obj->resize_lock);
	uverbs_events_comp_attach(obj, args->channel);
	uverbs_events_async_attach(&obj->uevent, args->async);
	cq = cq_alloc(device, obj);
	if (!cq) {
		ret = -ENOMEM;
		goto detach;
	}
	ret = device->ops.create_cq(cq, &args->attr, &attrs->driver_udata);
	if (ret)
		goto free;
	obj->uevent.uobject.object = cq;
	rdma_restrack_add(&cq->res);
	uverbs_call_created(attrs, &obj->uevent.uobject);
	return cq;

free:
	rdma_restrack_put(&cq->res);
	kfree(cq);
detach:
	cq_detach_events(obj);
	return ERR_PTR(ret);
}

static int cq_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	int ret = ib_destroy_cq_user(uobj->object, &attrs->driver_udata);

	if (ret)
		return ret;
	cq_detach_events(cq_object(uobj));
	return 0;
}

/* The write door: the struct of the extended command says everything the legacy one does. */
static struct ib_cq *cq_create_write(struct uverbs_attr_bundle *attrs,
				     const struct ib_uverbs_ex_create_cq *cmd)
{
	struct cq_create_args args = {
		.user_handle = cmd->user_handle,
		.attr.cqe = cmd->cqe,
		.attr.comp_vector = cmd->comp_vector,
		.attr.flags = cmd->flags,
	};
	struct ib_uobject *uobj;

	if (!cq_vector_exists(attrs, cmd->comp_vector))
		return ERR_PTR(-EINVAL);
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_CQ);
	if (IS_ERR(uobj))
		return ERR_CAST(uobj);
	args.obj = cq_object(uobj);
	if (cmd->comp_channel >= 0) {
		uobj = uverbs_call_get(attrs, UVERBS_OBJECT_COMP_CHANNEL, cmd->comp_channel,
				       UVERBS_ACCESS_READ);
		if (IS_ERR(uobj))
			return ERR_CAST(uobj);
		args.channel = container_of(uobj, struct ib_uverbs_completion_event_file, uobj);
	}
	args.async = uverbs_events_async_default(attrs);
	return cq_create(attrs, &args);
}

/* A caller of the legacy command that has room for it is given the whole answer, too. */
static int cq_create_answer(struct uverbs_attr_bundle *attrs,
			    const struct ib_uverbs_ex_create_cq *cmd)
{
	struct ib_uverbs_ex_create_cq_resp resp = {};
	struct ib_cq *cq = cq_create_write(attrs, cmd);

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	resp.base.cq_handle = cq->uobject->uevent.uobject.id;
	resp.base.cqe = cq->cqe;
	resp.response_length = uverbs_call_response_length(attrs, sizeof(resp));
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int cq_create_legacy(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_cq ex = {};
	struct ib_uverbs_create_cq cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ex.user_handle = cmd.user_handle;
	ex.cqe = cmd.cqe;
	ex.comp_vector = cmd.comp_vector;
	ex.comp_channel = cmd.comp_channel;
	return cq_create_answer(attrs, &ex);
}

static int cq_create_ex(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_cq cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return -EINVAL;
	return cq_create_answer(attrs, &cmd);
}

static int UVERBS_HANDLER(UVERBS_METHOD_CQ_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *channel =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	struct cq_create_args args = {
		.obj = cq_object(uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_CQ_HANDLE)),
		.async = uverbs_events_async_chosen(attrs, UVERBS_ATTR_CREATE_CQ_EVENT_FD),
	};
	struct ib_cq *cq;
	int ret;

	ret = uverbs_copy_from(&args.attr.comp_vector, attrs, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR);
	if (!ret)
		ret = uverbs_copy_from(&args.attr.cqe, attrs, UVERBS_ATTR_CREATE_CQ_CQE);
	if (!ret)
		ret = uverbs_copy_from(&args.user_handle, attrs,
				       UVERBS_ATTR_CREATE_CQ_USER_HANDLE);
	if (!ret)
		ret = uverbs_get_flags32(&args.attr.flags, attrs, UVERBS_ATTR_CREATE_CQ_FLAGS,
					 IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |
					 IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN);
	if (!ret && !cq_vector_exists(attrs, args.attr.comp_vector))
		ret = -EINVAL;
	if (ret)
		return ret;
	if (!IS_ERR(channel))
		args.channel = container_of(channel, struct ib_uverbs_completion_event_file, uobj);
	cq = cq_create(attrs, &args);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	return uverbs_copy_to(attrs, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cq->cqe, sizeof(cq->cqe));
}

/* rdma_rxe looks into a queue before it locks it: another resize must not free it meanwhile. */
static int cq_resize(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_resize_cq_resp resp = {};
	struct ib_uverbs_resize_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!cmd.cqe || cmd.cqe > INT_MAX)
		return -EINVAL;
	cq = uverbs_call_cq(attrs, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = uverbs_call_answerable(attrs);
	if (ret)
		return ret;
	mutex_lock(&cq->uobject->resize_lock);
	ret = cq->device->ops.resize_cq(cq, cmd.cqe, &attrs->driver_udata);
	resp.cqe = cq->cqe;
	mutex_unlock(&cq->uobject->resize_lock);
	if (ret)
		return ret;
	return uverbs_call_done(uverbs_call_respond(attrs, &resp, sizeof(resp)));
}

static int cq_modify(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!cmd.attr_mask || cmd.reserved)
		return -EINVAL;
	if (cmd.attr_mask != IB_CQ_MODERATE)
		return -EOPNOTSUPP;
	cq = uverbs_call_cq(attrs, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	return rdma_set_cq_moderation(cq, cmd.attr.cq_count, cmd.attr.cq_period);
}

static int cq_req_notify(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_req_notify_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	cq = uverbs_call_cq(attrs, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = ib_req_notify_cq(cq, cmd.solicited_only ? IB_CQ_SOLICITED : IB_CQ_NEXT_COMP);
	/* A positive value would be "there are entries already", which nobody asked for. */
	return min(ret, 0);
}

static void cq_describe_wc(const struct ib_cq *cq, const struct ib_wc *wc,
			   struct ib_uverbs_wc *uwc)
{
	memset(uwc, 0, sizeof(*uwc));
	uwc->wr_id = wc->wr_id;
	uwc->status = wc->status;
	uwc->opcode = wc->opcode;
	uwc->vendor_err = wc->vendor_err;
	uwc->byte_len = wc->byte_len;
	uwc->ex.imm_data = wc->ex.imm_data;
	uwc->qp_num = wc->qp ? wc->qp->qp_num : 0;
	uwc->src_qp = wc->src_qp;
	uwc->wc_flags = wc->wc_flags;
	uwc->pkey_index = wc->pkey_index;
	uwc->slid = (u16)wc->slid;
	uwc->sl = wc->sl;
	uwc->dlid_path_bits = wc->dlid_path_bits;
	uwc->port_num = wc->port_num;
}

/* How many completions the caller left room for behind the header of the answer. */
static u32 cq_poll_room(const struct uverbs_attr_bundle *attrs)
{
	size_t head = sizeof(struct ib_uverbs_poll_cq_resp);

	if (attrs->ucore.outlen < head)
		return 0;
	return (attrs->ucore.outlen - head) / sizeof(struct ib_uverbs_wc);
}

/*
 * One at a time from the driver to the user: a completion that cannot be copied out is lost, so
 * at most one is. The answer's header is written last, when the count is known.
 */
static int cq_poll(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_poll_cq_resp resp = {};
	struct ib_uverbs_wc __user *out;
	struct ib_uverbs_poll_cq cmd;
	struct ib_uverbs_wc uwc;
	struct ib_wc wc = {};
	struct ib_cq *cq;
	u32 max;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	cq = uverbs_call_cq(attrs, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	max = min(cmd.ne, cq_poll_room(attrs));
	out = attrs->ucore.outbuf + sizeof(resp);
	while (resp.count < max) {
		ret = ib_poll_cq(cq, 1, &wc);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		cq_describe_wc(cq, &wc, &uwc);
		if (copy_to_user(&out[resp.count], &uwc, sizeof(uwc)))
			return -EFAULT;
		resp.count++;
		cond_resched();
	}
	/* Only the header: respond() would clear what follows it. */
	if (copy_to_user(attrs->ucore.outbuf, &resp, sizeof(resp)))
		return -EFAULT;
	return 0;
}

static void cq_event_counts(struct ib_uobject *uobj, struct ib_uverbs_destroy_cq_resp *resp)
{
	struct ib_ucq_object *obj = cq_object(uobj);

	resp->comp_events_reported = obj->comp.reported;
	resp->async_events_reported = obj->uevent.events_reported;
}

static int cq_destroy_write(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_cq_resp resp = {};
	struct ib_uverbs_destroy_cq cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_destroy(attrs, UVERBS_OBJECT_CQ, cmd.cq_handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	cq_event_counts(uobj, &resp);
	return uverbs_call_done(uverbs_call_respond(attrs, &resp, sizeof(resp)));
}

static int UVERBS_HANDLER(UVERBS_METHOD_CQ_DESTROY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_cq_resp resp = {};

	cq_event_counts(uverbs_attr_get_uobject(attrs, UVERBS_ATTR_DESTROY_CQ_HANDLE), &resp);
	return uverbs_copy_to(attrs, UVERBS_ATTR_DESTROY_CQ_RESP, &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_CQ_CREATE,
	UVERBS_ATTR_IDR(UVERBS_ATTR_CREATE_CQ_HANDLE, UVERBS_OBJECT_CQ, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_CQ_CQE, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, UVERBS_ATTR_TYPE(u64),
			   UA_MANDATORY),
	UVERBS_ATTR_FD(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, UVERBS_OBJECT_COMP_CHANNEL,
		       UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, UVERBS_ATTR_TYPE(u32),
			   UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_CREATE_CQ_FLAGS, enum ib_uverbs_ex_create_cq_flags),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY),
	UVERBS_ATTR_FD(UVERBS_ATTR_CREATE_CQ_EVENT_FD, UVERBS_OBJECT_ASYNC_EVENT,
		       UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_CQ_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_OBJECT_CQ, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_DESTROY_CQ_RESP,
			    UVERBS_ATTR_TYPE(struct ib_uverbs_destroy_cq_resp), UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(
	UVERBS_OBJECT_CQ,
	UVERBS_TYPE_ALLOC_IDR_SZ(sizeof(struct ib_ucq_object), cq_destroy),
	&UVERBS_METHOD(UVERBS_METHOD_CQ_CREATE), &UVERBS_METHOD(UVERBS_METHOD_CQ_DESTROY));

const struct uapi_definition uverbs_cq_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_CQ,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_CREATE_CQ, cq_create_legacy,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_create_cq,
							  struct ib_uverbs_create_cq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(create_cq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DESTROY_CQ, cq_destroy_write,
				     UVERBS_IO_RESP(struct ib_uverbs_destroy_cq,
						    struct ib_uverbs_destroy_cq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(destroy_cq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_POLL_CQ, cq_poll,
				     UVERBS_IO_RESP(struct ib_uverbs_poll_cq,
						    struct ib_uverbs_poll_cq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(poll_cq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, cq_req_notify,
				     UVERBS_IO_REQ(struct ib_uverbs_req_notify_cq),
				     UAPI_DEF_METHOD_NEEDS_FN(req_notify_cq)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_RESIZE_CQ, cq_resize,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_resize_cq,
							  struct ib_uverbs_resize_cq_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(resize_cq)),
		DECLARE_UVERBS_WRITE_EX(IB_USER_VERBS_EX_CMD_CREATE_CQ, cq_create_ex,
					UVERBS_IO_EX_RESP_UDATA(struct ib_uverbs_ex_create_cq,
								reserved,
								struct ib_uverbs_ex_create_cq_resp,
								response_length),
					UAPI_DEF_METHOD_NEEDS_FN(create_cq)),
		DECLARE_UVERBS_WRITE_EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ, cq_modify,
					UVERBS_IO_EX_REQ(struct ib_uverbs_ex_modify_cq, reserved),
					UAPI_DEF_METHOD_NEEDS_FN(modify_cq))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_CQ, UAPI_DEF_OBJ_NEEDS_FN(destroy_cq)),
	{}
};
