// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Protection domains: alloc and dealloc. dispatch.c calls in; out go the driver and ib_core.
 */
#include <linux/slab.h>
#include <rdma/ib_user_verbs.h>

#include "call.h"
#include "defs.h"

static struct ib_pd *pd_create(struct uverbs_attr_bundle *attrs, struct ib_uobject *uobj)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_pd *pd;
	int ret;

	pd = rdma_zalloc_drv_obj(ibdev, ib_pd);
	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->device = ibdev;
	pd->uobject = uobj;
	atomic_set(&pd->usecnt, 0);
	rdma_restrack_new(&pd->res, RDMA_RESTRACK_PD);
	rdma_restrack_set_name(&pd->res, NULL);
	ret = ibdev->ops.alloc_pd(pd, &attrs->driver_udata);
	if (ret) {
		rdma_restrack_put(&pd->res);
		kfree(pd);
		return ERR_PTR(ret);
	}
	rdma_restrack_add(&pd->res);
	return pd;
}

static int alloc_pd(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ib_uverbs_alloc_pd cmd;
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_PD);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	pd = pd_create(attrs, uobj);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	uobj->object = pd;
	uverbs_call_created(attrs, uobj);
	resp.pd_handle = uobj->id;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

static int dealloc_pd(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_dealloc_pd cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_call_destroy(attrs, UVERBS_OBJECT_PD, cmd.pd_handle));
}

static int pd_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *pd = uobj->object;

	/* Stable: whoever raises it holds the uobject shared, and we hold it alone. */
	if (atomic_read(&pd->usecnt))
		return -EBUSY;
	return ib_dealloc_pd_user(pd, &attrs->driver_udata);
}

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	UVERBS_METHOD_PD_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_PD_HANDLE, UVERBS_OBJECT_PD, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(UVERBS_OBJECT_PD, UVERBS_TYPE_ALLOC_IDR(pd_destroy),
			    &UVERBS_METHOD(UVERBS_METHOD_PD_DESTROY));

const struct uapi_definition uverbs_pd_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_PD,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_ALLOC_PD, alloc_pd,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_alloc_pd,
							  struct ib_uverbs_alloc_pd_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(alloc_pd)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DEALLOC_PD, dealloc_pd,
				     UVERBS_IO_REQ(struct ib_uverbs_dealloc_pd),
				     UAPI_DEF_METHOD_NEEDS_FN(dealloc_pd))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_PD, UAPI_DEF_OBJ_NEEDS_FN(dealloc_pd)),
	{}
};
