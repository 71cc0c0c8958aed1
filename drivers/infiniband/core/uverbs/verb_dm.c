// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Device memory: alloc and free; verb_mr.c registers it. dispatch.c calls in; the driver, which
 * answers through attributes of its own, goes out.
 */
#include "call.h"
#include "defs.h"

static int UVERBS_HANDLER(UVERBS_METHOD_DM_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_ALLOC_DM_HANDLE);
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_dm_alloc_attr attr = {};
	struct ib_dm *dm;
	int ret;

	if (!ibdev->ops.alloc_dm)
		return -EOPNOTSUPP;
	ret = uverbs_copy_from(&attr.length, attrs, UVERBS_ATTR_ALLOC_DM_LENGTH);
	if (!ret)
		ret = uverbs_copy_from(&attr.alignment, attrs, UVERBS_ATTR_ALLOC_DM_ALIGNMENT);
	if (ret)
		return ret;
	dm = ibdev->ops.alloc_dm(ibdev, attrs->context, &attr, attrs);
	if (IS_ERR(dm))
		return PTR_ERR(dm);
	dm->device = ibdev;
	dm->length = attr.length;
	dm->uobject = uobj;
	atomic_set(&dm->usecnt, 0);
	uobj->object = dm;
	uverbs_call_created(attrs, uobj);
	return 0;
}

static int dm_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *dm = uobj->object;

	/* Its regions; at the end of the file they are destroyed first. */
	if (atomic_read(&dm->usecnt))
		return -EBUSY;
	return dm->device->ops.dealloc_dm(dm, attrs);
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_DM_ALLOC,
	UVERBS_ATTR_IDR(UVERBS_ATTR_ALLOC_DM_HANDLE, UVERBS_OBJECT_DM, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_ALLOC_DM_LENGTH, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	UVERBS_METHOD_DM_FREE,
	UVERBS_ATTR_IDR(UVERBS_ATTR_FREE_DM_HANDLE, UVERBS_OBJECT_DM, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(UVERBS_OBJECT_DM, UVERBS_TYPE_ALLOC_IDR(dm_destroy),
			    &UVERBS_METHOD(UVERBS_METHOD_DM_ALLOC),
			    &UVERBS_METHOD(UVERBS_METHOD_DM_FREE));

const struct uapi_definition uverbs_dm_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_DM, UAPI_DEF_OBJ_NEEDS_FN(dealloc_dm)),
	{}
};
