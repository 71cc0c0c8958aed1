// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The user context: GET_CONTEXT through both doors, QUERY_CONTEXT, and the list of a context's
 * handles. dispatch.c calls in; out go the driver's alloc_ucontext and the resource tracker. What
 * ends a context is uverbs_uobject_teardown().
 */
#include <linux/slab.h>
#include <rdma/ib_user_verbs.h>

#include "call.h"
#include "defs.h"

#define CORE_SUPPORT ((u64)IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS)

static void context_free(struct ib_ucontext *ucontext)
{
	rdma_restrack_put(&ucontext->res);
	xa_destroy(&ucontext->mmap_xa);
	kfree(ucontext);
}

/* The memory and the driver's part, invisible to others until context_publish(). */
static struct ib_ucontext *context_create(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_ucontext *ucontext;
	int ret;

	lockdep_assert_held(&attrs->ufile->context_lock);
	if (attrs->ufile->ucontext)
		return ERR_PTR(-EINVAL);
	ucontext = rdma_zalloc_drv_obj(ibdev, ib_ucontext);
	if (!ucontext)
		return ERR_PTR(-ENOMEM);
	ucontext->device = ibdev;
	ucontext->ufile = attrs->ufile;
	xa_init_flags(&ucontext->mmap_xa, XA_FLAGS_ALLOC);
	rdma_restrack_new(&ucontext->res, RDMA_RESTRACK_CTX);
	rdma_restrack_set_name(&ucontext->res, NULL);

	ret = ib_rdmacg_try_charge(&ucontext->cg_obj, ibdev, RDMACG_RESOURCE_HCA_HANDLE);
	if (ret)
		goto free;
	/* Drivers find the context behind their udata. */
	attrs->context = ucontext;
	ret = ibdev->ops.alloc_ucontext(ucontext, &attrs->driver_udata);
	if (ret)
		goto uncharge;
	return ucontext;

uncharge:
	attrs->context = NULL;
	ib_rdmacg_uncharge(&ucontext->cg_obj, ibdev, RDMACG_RESOURCE_HCA_HANDLE);
free:
	context_free(ucontext);
	return ERR_PTR(ret);
}

static void context_undo(struct uverbs_attr_bundle *attrs, struct ib_ucontext *ucontext)
{
	struct ib_device *ibdev = ucontext->device;

	ibdev->ops.dealloc_ucontext(ucontext);
	ib_rdmacg_uncharge(&ucontext->cg_obj, ibdev, RDMACG_RESOURCE_HCA_HANDLE);
	context_free(ucontext);
	attrs->context = NULL;
}

static void context_publish(struct uverbs_attr_bundle *attrs, struct ib_ucontext *ucontext)
{
	rdma_restrack_add(&ucontext->res);
	/* Pairs with the acquire in uverbs_dispatch_begin() and ib_uverbs_get_ucontext_file(). */
	smp_store_release(&attrs->ufile->ucontext, ucontext);
}

/* The legacy command also opens an async event fd, which becomes the context's default. */
static int answer_legacy(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_get_context_resp resp = {};
	struct ib_uverbs_async_event_file *events;
	struct ib_uobject *uobj;
	int ret;

	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_ASYNC_EVENT);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.async_fd = uobj->id;
	resp.num_comp_vectors = attrs->ufile->device->num_comp_vectors;
	/* Before the event file hears of the device: undoing that needs the context. */
	ret = uverbs_call_respond(attrs, &resp, sizeof(resp));
	if (ret)
		return ret;
	events = container_of(uobj, struct ib_uverbs_async_event_file, uobj);
	uverbs_events_async_init(events);
	uverbs_call_created(attrs, uobj);
	uverbs_file_set_default_async(attrs->ufile, events);
	return 0;
}

static int get_context_write(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_get_context cmd;
	struct ib_ucontext *ucontext;
	int ret;

	/* It asks for nothing; what a newer one might ask for is refused. */
	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	mutex_lock(&attrs->ufile->context_lock);
	ucontext = context_create(attrs);
	if (IS_ERR(ucontext)) {
		ret = PTR_ERR(ucontext);
		goto unlock;
	}
	ret = answer_legacy(attrs);
	if (ret)
		context_undo(attrs, ucontext);
	else
		context_publish(attrs, ucontext);
unlock:
	mutex_unlock(&attrs->ufile->context_lock);
	return ret;
}

static int answer_vectors_and_support(struct uverbs_attr_bundle *attrs, u16 vectors_id,
				      u16 support_id)
{
	u32 vectors = attrs->ufile->device->num_comp_vectors;
	u64 support = CORE_SUPPORT;
	int ret;

	ret = uverbs_copy_to(attrs, vectors_id, &vectors, sizeof(vectors));
	if (IS_UVERBS_COPY_ERR(ret))
		return ret;
	ret = uverbs_copy_to(attrs, support_id, &support, sizeof(support));
	return IS_UVERBS_COPY_ERR(ret) ? ret : 0;
}

static int UVERBS_HANDLER(UVERBS_METHOD_GET_CONTEXT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ucontext;
	int ret;

	ret = answer_vectors_and_support(attrs, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
					 UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT);
	if (ret)
		return ret;
	mutex_lock(&attrs->ufile->context_lock);
	ucontext = context_create(attrs);
	if (!IS_ERR(ucontext))
		context_publish(attrs, ucontext);
	mutex_unlock(&attrs->ufile->context_lock);
	return PTR_ERR_OR_ZERO(ucontext);
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_CONTEXT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ucontext = ib_uverbs_get_ucontext(attrs);
	int ret;

	if (IS_ERR(ucontext))
		return PTR_ERR(ucontext);
	if (!ucontext->device->ops.query_ucontext)
		return -EOPNOTSUPP;
	ret = answer_vectors_and_support(attrs, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
					 UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT);
	if (ret)
		return ret;
	return ucontext->device->ops.query_ucontext(ucontext, attrs);
}

/* As many handles of one kind as the caller has room for. */
static u32 gather_handles(struct ib_uverbs_file *ufile, u16 object_id, u32 *handles, u32 room)
{
	struct ib_uobject *uobj;
	u32 count = 0;

	spin_lock_irq(&ufile->objects_lock);
	list_for_each_entry(uobj, &ufile->objects, list) {
		if (count == room)
			break;
		if (uobj_get_object_id(uobj) == object_id)
			handles[count++] = uobj->id;
	}
	spin_unlock_irq(&ufile->objects_lock);
	return count;
}

static int UVERBS_HANDLER(UVERBS_METHOD_INFO_HANDLES)(struct uverbs_attr_bundle *attrs)
{
	u32 *handles, room, count;
	u16 object_id;
	int ret;

	ret = uverbs_get_const(&object_id, attrs, UVERBS_ATTR_INFO_OBJECT_ID);
	if (ret)
		return ret;
	ret = uverbs_attr_ptr_get_array_size(attrs, UVERBS_ATTR_INFO_HANDLES_LIST,
					     sizeof(*handles));
	if (ret < 0)
		return ret;
	room = ret;
	handles = uverbs_kcalloc(attrs, room, sizeof(*handles));
	if (IS_ERR(handles))
		return PTR_ERR(handles);
	count = gather_handles(attrs->ufile, object_id, handles, room);
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_INFO_HANDLES_LIST, handles,
			     count * sizeof(*handles));
	if (ret)
		return ret;
	return uverbs_copy_to(attrs, UVERBS_ATTR_INFO_TOTAL_HANDLES, &count, sizeof(count));
}

/* The handler lives with the door that it opens. */
static int UVERBS_HANDLER(UVERBS_METHOD_INVOKE_WRITE)(struct uverbs_attr_bundle *attrs)
{
	return uverbs_ioctl_invoke_write(attrs);
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_INVOKE_WRITE,
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_WRITE_CMD, enum ib_uverbs_write_cmds, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CORE_IN, UVERBS_ATTR_MIN_SIZE(sizeof(u32)), UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CORE_OUT, UVERBS_ATTR_MIN_SIZE(0), UA_OPTIONAL),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_GET_CONTEXT,
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
			    UVERBS_ATTR_TYPE(u32), UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT,
			    UVERBS_ATTR_TYPE(u64), UA_OPTIONAL),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_CONTEXT,
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
			    UVERBS_ATTR_TYPE(u32), UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT,
			    UVERBS_ATTR_TYPE(u64), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_INFO_HANDLES,
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_INFO_OBJECT_ID, enum uverbs_default_objects,
			     UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_INFO_TOTAL_HANDLES, UVERBS_ATTR_TYPE(u32), UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_INFO_HANDLES_LIST, UVERBS_ATTR_MIN_SIZE(sizeof(u32)),
			    UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_DEVICE,
	&UVERBS_METHOD(UVERBS_METHOD_INVOKE_WRITE),
	&UVERBS_METHOD(UVERBS_METHOD_GET_CONTEXT),
	&UVERBS_METHOD(UVERBS_METHOD_QUERY_CONTEXT),
	&UVERBS_METHOD(UVERBS_METHOD_INFO_HANDLES));

const struct uapi_definition uverbs_context_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_DEVICE,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_GET_CONTEXT, get_context_write,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_get_context,
							  struct ib_uverbs_get_context_resp))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_DEVICE),
	{}
};
