// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows: alloc and dealloc (binding is a work request). dispatch.c calls in; out goes the
 * driver.
 */
#include <linux/slab.h>
#include <rdma/ib_user_verbs.h>

#include "call.h"
#include "defs.h"

static struct ib_mw *mw_create(struct uverbs_attr_bundle *attrs, struct ib_uobject *uobj,
			       struct ib_pd *pd, enum ib_mw_type type)
{
	struct ib_device *ibdev = pd->device;
	struct ib_mw *mw;
	int ret;

	mw = rdma_zalloc_drv_obj(ibdev, ib_mw);
	if (!mw)
		return ERR_PTR(-ENOMEM);
	mw->device = ibdev;
	mw->pd = pd;
	mw->uobject = uobj;
	mw->type = type;
	ret = ibdev->ops.alloc_mw(mw, &attrs->driver_udata);
	if (ret) {
		kfree(mw);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	return mw;
}

static int alloc_mw(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ib_uverbs_alloc_mw cmd;
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	struct ib_mw *mw;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.mw_type != IB_MW_TYPE_1 && cmd.mw_type != IB_MW_TYPE_2)
		return -EINVAL;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_MW);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	pd = uverbs_call_pd(attrs, cmd.pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	mw = mw_create(attrs, uobj, pd, cmd.mw_type);
	if (IS_ERR(mw))
		return PTR_ERR(mw);
	uobj->object = mw;
	uverbs_call_created(attrs, uobj);
	resp.rkey = mw->rkey;
	resp.mw_handle = uobj->id;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int dealloc_mw(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_dealloc_mw cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_call_destroy(attrs, UVERBS_OBJECT_MW, cmd.mw_handle));
}

static int mw_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_mw *mw = uobj->object;
	struct ib_pd *pd = mw->pd;
	int ret;

	ret = mw->device->ops.dealloc_mw(mw);
	if (ret)
		return ret;
	atomic_dec(&pd->usecnt);
	kfree(mw);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	UVERBS_METHOD_MW_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_MW_HANDLE, UVERBS_OBJECT_MW, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(UVERBS_OBJECT_MW, UVERBS_TYPE_ALLOC_IDR(mw_destroy),
			    &UVERBS_METHOD(UVERBS_METHOD_MW_DESTROY));

const struct uapi_definition uverbs_mw_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_MW,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_ALLOC_MW, alloc_mw,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_alloc_mw,
							  struct ib_uverbs_alloc_mw_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(alloc_mw)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DEALLOC_MW, dealloc_mw,
				     UVERBS_IO_REQ(struct ib_uverbs_dealloc_mw),
				     UAPI_DEF_METHOD_NEEDS_FN(dealloc_mw))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_MW, UAPI_DEF_OBJ_NEEDS_FN(dealloc_mw)),
	{}
};
