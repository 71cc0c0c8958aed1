// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address handles: create and destroy.
 *
 * dispatch.c calls in; ib_core, which also resolves the destination's MAC address, goes out.
 */
#include "call.h"
#include "defs.h"

static int ah_read_attr(struct ib_device *device, const struct ib_uverbs_ah_attr *from,
			struct rdma_ah_attr *to)
{
	if (!rdma_is_port_valid(device, from->port_num))
		return -EINVAL;
	to->type = rdma_ah_find_type(device, from->port_num);
	rdma_ah_set_make_grd(to, false);
	rdma_ah_set_dlid(to, from->dlid);
	rdma_ah_set_sl(to, from->sl);
	rdma_ah_set_path_bits(to, from->src_path_bits);
	rdma_ah_set_static_rate(to, from->static_rate);
	rdma_ah_set_port_num(to, from->port_num);
	if (from->is_global) {
		rdma_ah_set_grh(to, NULL, from->grh.flow_label, from->grh.sgid_index,
				from->grh.hop_limit, from->grh.traffic_class);
		rdma_ah_set_dgid_raw(to, (void *)from->grh.dgid);
	} else {
		rdma_ah_set_ah_flags(to, 0);
	}
	return 0;
}

static int ah_create(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_ah_resp resp = {};
	struct ib_uverbs_create_ah cmd;
	struct rdma_ah_attr attr = {};
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	struct ib_ah *ah;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_AH);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	ret = ah_read_attr(uverbs_call_device(attrs), &cmd.attr, &attr);
	if (ret)
		return ret;
	pd = uverbs_call_pd(attrs, cmd.pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	ah = rdma_create_user_ah(pd, &attr, &attrs->driver_udata);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	ah->uobject = uobj;
	uobj->user_handle = cmd.user_handle;
	uobj->object = ah;
	uverbs_call_created(attrs, uobj);
	resp.ah_handle = uobj->id;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int ah_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	return rdma_destroy_ah_user(uobj->object, RDMA_DESTROY_AH_SLEEPABLE,
				    &attrs->driver_udata);
}

static int ah_destroy_write(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_ah cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_call_destroy(attrs, UVERBS_OBJECT_AH, cmd.ah_handle));
}

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	UVERBS_METHOD_AH_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_AH_HANDLE, UVERBS_OBJECT_AH, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(UVERBS_OBJECT_AH, UVERBS_TYPE_ALLOC_IDR(ah_destroy),
			    &UVERBS_METHOD(UVERBS_METHOD_AH_DESTROY));

const struct uapi_definition uverbs_ah_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_AH,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_CREATE_AH, ah_create,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_create_ah,
							  struct ib_uverbs_create_ah_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(create_user_ah)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DESTROY_AH, ah_destroy_write,
				     UVERBS_IO_REQ(struct ib_uverbs_destroy_ah),
				     UAPI_DEF_METHOD_NEEDS_FN(destroy_ah))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_AH, UAPI_DEF_OBJ_NEEDS_FN(destroy_ah)),
	{}
};
