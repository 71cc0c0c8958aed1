// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The completion channel as an object: creation and its place in the tables.
 *
 * dispatch.c calls in; what the file descriptor does afterwards is in events_comp.c.
 */
#include "call.h"
#include "defs.h"

static int comp_channel_create(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_comp_channel_resp resp = {};
	struct ib_uverbs_create_comp_channel cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_COMP_CHANNEL);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uverbs_events_comp_init(container_of(uobj, struct ib_uverbs_completion_event_file, uobj));
	uverbs_call_created(attrs, uobj);
	resp.fd = uobj->id;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_OBJECT(
	UVERBS_OBJECT_COMP_CHANNEL,
	UVERBS_TYPE_ALLOC_FD(sizeof(struct ib_uverbs_completion_event_file),
			     uverbs_events_comp_destroy, &uverbs_events_comp_fops,
			     "[infinibandevent]", O_RDONLY));

const struct uapi_definition uverbs_comp_channel_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_COMP_CHANNEL,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, comp_channel_create,
				     UVERBS_IO_RESP(struct ib_uverbs_create_comp_channel,
						    struct ib_uverbs_create_comp_channel_resp))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_COMP_CHANNEL),
	{}
};
