// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The async event file as an object: creation and its place in the tables.
 *
 * dispatch.c calls in; GET_CONTEXT (verb_context.c) makes one too. What the file descriptor does
 * afterwards is in events_async.c.
 */
#include "call.h"
#include "defs.h"

static int UVERBS_HANDLER(UVERBS_METHOD_ASYNC_EVENT_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE);
	struct ib_uverbs_async_event_file *file =
		container_of(uobj, struct ib_uverbs_async_event_file, uobj);

	uverbs_events_async_init(file);
	uverbs_call_created(attrs, uobj);
	uverbs_file_set_default_async(attrs->ufile, file);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_ASYNC_EVENT_ALLOC,
	UVERBS_ATTR_FD(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, UVERBS_OBJECT_ASYNC_EVENT,
		       UVERBS_ACCESS_NEW, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(
	UVERBS_OBJECT_ASYNC_EVENT,
	UVERBS_TYPE_ALLOC_FD(sizeof(struct ib_uverbs_async_event_file),
			     uverbs_events_async_destroy, &uverbs_events_async_fops,
			     "[infinibandevent]", O_RDONLY),
	&UVERBS_METHOD(UVERBS_METHOD_ASYNC_EVENT_ALLOC));

const struct uapi_definition uverbs_async_event_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_ASYNC_EVENT),
	{}
};
