// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions of user memory: register, re-register, deregister, query, advise, and regions of a
 * dma-buf. dispatch.c calls in; out go the driver (which pins through umem.c) and ib_core.
 */
#include <rdma/ib_user_verbs.h>

#include "call.h"
#include "defs.h"

/* The device address may differ from the process's, but not within a page. */
static bool offsets_agree(u64 start, u64 iova)
{
	return ((start ^ iova) & ~PAGE_MASK) == 0;
}

/* What the driver leaves to us; the region holds its domain from here on. */
static void mr_init(struct ib_mr *mr, struct ib_uobject *uobj, struct ib_pd *pd, u64 iova,
		    u64 length)
{
	mr->device = pd->device;
	mr->pd = pd;
	mr->type = IB_MR_TYPE_USER;
	mr->dm = NULL;
	mr->sig_attrs = NULL;
	mr->uobject = uobj;
	mr->iova = iova;
	mr->length = length;
	atomic_inc(&pd->usecnt);
	rdma_restrack_new(&mr->res, RDMA_RESTRACK_MR);
	rdma_restrack_set_name(&mr->res, NULL);
	rdma_restrack_add(&mr->res);
	uobj->object = mr;
}

static int reg_mr(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ib_uverbs_reg_mr cmd;
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	struct ib_mr *mr;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!offsets_agree(cmd.start, cmd.hca_va))
		return -EINVAL;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_MR);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	ret = ib_check_mr_access(ibdev, cmd.access_flags);
	if (ret)
		return ret;
	pd = uverbs_call_pd(attrs, cmd.pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	mr = ibdev->ops.reg_user_mr(pd, cmd.start, cmd.length, cmd.hca_va, cmd.access_flags,
				    &attrs->driver_udata);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	mr_init(mr, uobj, pd, cmd.hca_va, cmd.length);
	uverbs_call_created(attrs, uobj);
	resp.lkey = mr->lkey;
	resp.rkey = mr->rkey;
	resp.mr_handle = uobj->id;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

/* The driver changed the region where it is: now it is ours to agree. */
static void rereg_in_place(struct ib_mr *mr, struct ib_pd *new_pd,
			   const struct ib_uverbs_rereg_mr *cmd)
{
	struct ib_pd *old_pd = mr->pd;

	if (cmd->flags & IB_MR_REREG_PD) {
		atomic_inc(&new_pd->usecnt);
		mr->pd = new_pd;
		/* A netlink dump may be reading the old domain through the region. */
		rdma_restrack_sync(&mr->res);
		atomic_dec(&old_pd->usecnt);
	}
	if (cmd->flags & IB_MR_REREG_TRANS) {
		mr->iova = cmd->hca_va;
		mr->length = cmd->length;
	}
}

/* The driver made another region instead: it takes the old one's place behind the handle. */
static int rereg_replace(struct uverbs_attr_bundle *attrs, struct ib_mr *old, struct ib_mr *new,
			 struct ib_pd *pd, const struct ib_uverbs_rereg_mr *cmd)
{
	bool moved = cmd->flags & IB_MR_REREG_TRANS;
	struct ib_uobject *uobj = old->uobject;
	int ret;

	mr_init(new, uobj, pd, moved ? cmd->hca_va : old->iova,
		moved ? cmd->length : old->length);
	ret = ib_dereg_mr_user(old, &attrs->driver_udata);
	if (!ret)
		return 0;
	uobj->object = old;
	WARN_ON(ib_dereg_mr_user(new, &attrs->driver_udata));
	return ret;
}

static int check_rereg(struct ib_device *ibdev, const struct ib_uverbs_rereg_mr *cmd)
{
	if (!cmd->flags)
		return -EINVAL;
	if (cmd->flags & ~(u32)IB_MR_REREG_SUPPORTED)
		return -EOPNOTSUPP;
	if (cmd->flags & IB_MR_REREG_TRANS && !offsets_agree(cmd->start, cmd->hca_va))
		return -EINVAL;
	if (cmd->flags & IB_MR_REREG_ACCESS)
		return ib_check_mr_access(ibdev, cmd->access_flags);
	return 0;
}

static int rereg_mr(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ib_uverbs_rereg_mr cmd;
	struct ib_mr *mr, *new_mr;
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (!ret)
		ret = check_rereg(ibdev, &cmd);
	if (ret)
		return ret;
	uobj = uverbs_call_get(attrs, UVERBS_OBJECT_MR, cmd.mr_handle, UVERBS_ACCESS_WRITE);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	mr = uobj->object;
	/* Device memory cannot become user memory. */
	if (mr->dm)
		return -EINVAL;
	pd = mr->pd;
	if (cmd.flags & IB_MR_REREG_PD) {
		pd = uverbs_call_pd(attrs, cmd.pd_handle);
		if (IS_ERR(pd))
			return PTR_ERR(pd);
	}
	ret = uverbs_call_answerable(attrs);
	if (ret)
		return ret;
	new_mr = ibdev->ops.rereg_user_mr(mr, cmd.flags, cmd.start, cmd.length, cmd.hca_va,
					  cmd.access_flags, pd, &attrs->driver_udata);
	if (IS_ERR(new_mr))
		return PTR_ERR(new_mr);
	if (new_mr) {
		ret = rereg_replace(attrs, mr, new_mr, pd, &cmd);
		if (ret)
			return ret;
		mr = new_mr;
	} else {
		rereg_in_place(mr, pd, &cmd);
	}
	resp.lkey = mr->lkey;
	resp.rkey = mr->rkey;
	return uverbs_call_done(uverbs_call_respond(attrs, &resp, sizeof(resp)));
}

static int dereg_mr(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_dereg_mr cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_call_destroy(attrs, UVERBS_OBJECT_MR, cmd.mr_handle));
}

static int mr_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	return ib_dereg_mr_user(uobj->object, &attrs->driver_udata);
}

static int UVERBS_HANDLER(UVERBS_METHOD_ADVISE_MR)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *pd = uverbs_attr_get_obj(attrs, UVERBS_ATTR_ADVISE_MR_PD_HANDLE);
	enum ib_uverbs_advise_mr_advice advice;
	struct ib_sge *list;
	u32 flags;
	int ret, count;

	/* Our declaration says ib_uverbs_sge, the driver is handed ib_sge. */
	BUILD_BUG_ON(sizeof(struct ib_sge) != sizeof(struct ib_uverbs_sge));
	if (!pd->device->ops.advise_mr)
		return -EOPNOTSUPP;
	ret = uverbs_get_const(&advice, attrs, UVERBS_ATTR_ADVISE_MR_ADVICE);
	if (ret)
		return ret;
	ret = uverbs_get_flags32(&flags, attrs, UVERBS_ATTR_ADVISE_MR_FLAGS,
				 IB_UVERBS_ADVISE_MR_FLAG_FLUSH);
	if (ret)
		return ret;
	count = uverbs_attr_ptr_get_array_size(attrs, UVERBS_ATTR_ADVISE_MR_SGE_LIST,
					       sizeof(struct ib_sge));
	if (count <= 0)
		return count ?: -EINVAL;
	list = uverbs_attr_get_alloced_ptr(attrs, UVERBS_ATTR_ADVISE_MR_SGE_LIST);
	return pd->device->ops.advise_mr(pd, advice, flags, list, count, attrs);
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_MR)(struct uverbs_attr_bundle *attrs)
{
	struct ib_mr *mr = uverbs_attr_get_obj(attrs, UVERBS_ATTR_QUERY_MR_HANDLE);
	int ret;

	ret = uverbs_copy_to(attrs, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &mr->lkey, sizeof(mr->lkey));
	if (ret)
		return ret;
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &mr->rkey, sizeof(mr->rkey));
	if (ret)
		return ret;
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->length,
			     sizeof(mr->length));
	if (ret)
		return ret;
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->iova, sizeof(mr->iova));
	return IS_UVERBS_COPY_ERR(ret) ? ret : 0;
}

static int UVERBS_HANDLER(UVERBS_METHOD_DM_MR_REG)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_REG_DM_MR_HANDLE);
	struct ib_pd *pd = uverbs_attr_get_obj(attrs, UVERBS_ATTR_REG_DM_MR_PD_HANDLE);
	struct ib_dm *dm = uverbs_attr_get_obj(attrs, UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	struct ib_dm_mr_attr attr = {};
	struct ib_mr *mr;
	int ret;

	if (!pd->device->ops.reg_dm_mr)
		return -EOPNOTSUPP;
	ret = uverbs_copy_from(&attr.offset, attrs, UVERBS_ATTR_REG_DM_MR_OFFSET);
	if (!ret)
		ret = uverbs_copy_from(&attr.length, attrs, UVERBS_ATTR_REG_DM_MR_LENGTH);
	if (!ret)
		ret = uverbs_get_flags32(&attr.access_flags, attrs,
					 UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS,
					 IB_ACCESS_SUPPORTED);
	if (!ret)
		ret = ib_check_mr_access(pd->device, attr.access_flags);
	if (ret)
		return ret;
	/* There is no address of the process's that it could have. */
	if (!(attr.access_flags & IB_ZERO_BASED))
		return -EINVAL;
	if (attr.offset > dm->length || attr.length > dm->length - attr.offset)
		return -EINVAL;
	mr = pd->device->ops.reg_dm_mr(pd, dm, &attr, attrs);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	mr_init(mr, uobj, pd, 0, attr.length);
	mr->type = IB_MR_TYPE_DM;
	mr->dm = dm;
	atomic_inc(&dm->usecnt);
	uverbs_call_created(attrs, uobj);
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &mr->lkey, sizeof(mr->lkey));
	if (ret)
		return ret;
	return uverbs_copy_to(attrs, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &mr->rkey, sizeof(mr->rkey));
}

struct dmabuf_args {
	u64 offset, length, iova;
	u32 fd, access;
};

static int dmabuf_args_get(struct uverbs_attr_bundle *attrs, struct ib_device *ibdev,
			   struct dmabuf_args *args)
{
	int ret;

	ret = uverbs_copy_from(&args->offset, attrs, UVERBS_ATTR_REG_DMABUF_MR_OFFSET);
	if (!ret)
		ret = uverbs_copy_from(&args->length, attrs, UVERBS_ATTR_REG_DMABUF_MR_LENGTH);
	if (!ret)
		ret = uverbs_copy_from(&args->iova, attrs, UVERBS_ATTR_REG_DMABUF_MR_IOVA);
	if (ret)
		return ret;
	if (!offsets_agree(args->offset, args->iova))
		return -EINVAL;
	ret = uverbs_copy_from(&args->fd, attrs, UVERBS_ATTR_REG_DMABUF_MR_FD);
	if (!ret)
		ret = uverbs_get_flags32(&args->access, attrs,
					 UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
					 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ |
					 IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC |
					 IB_ACCESS_RELAXED_ORDERING);
	return ret ?: ib_check_mr_access(ibdev, args->access);
}

static int UVERBS_HANDLER(UVERBS_METHOD_REG_DMABUF_MR)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_REG_DMABUF_MR_HANDLE);
	struct ib_pd *pd = uverbs_attr_get_obj(attrs, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE);
	struct ib_device *ibdev = pd->device;
	struct dmabuf_args args;
	struct ib_mr *mr;
	int ret;

	if (!ibdev->ops.reg_user_mr_dmabuf)
		return -EOPNOTSUPP;
	ret = dmabuf_args_get(attrs, ibdev, &args);
	if (ret)
		return ret;
	mr = ibdev->ops.reg_user_mr_dmabuf(pd, args.offset, args.length, args.iova, args.fd,
					   args.access, &attrs->driver_udata);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	mr_init(mr, uobj, pd, args.iova, args.length);
	uverbs_call_created(attrs, uobj);
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, &mr->lkey,
			     sizeof(mr->lkey));
	if (ret)
		return ret;
	return uverbs_copy_to(attrs, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &mr->rkey,
			      sizeof(mr->rkey));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_ADVISE_MR,
	UVERBS_ATTR_IDR(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, UVERBS_OBJECT_PD, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_ADVISE_MR_ADVICE, enum ib_uverbs_advise_mr_advice,
			     UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_ADVISE_MR_FLAGS, enum ib_uverbs_advise_mr_flag,
			     UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_ADVISE_MR_SGE_LIST,
			   UVERBS_ATTR_MIN_SIZE(sizeof(struct ib_uverbs_sge)), UA_MANDATORY,
			   UA_ALLOC_AND_COPY));

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_MR,
	UVERBS_ATTR_IDR(UVERBS_ATTR_QUERY_MR_HANDLE, UVERBS_OBJECT_MR, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_IOVA, UVERBS_ATTR_TYPE(u64), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_DM_MR_REG,
	UVERBS_ATTR_IDR(UVERBS_ATTR_REG_DM_MR_HANDLE, UVERBS_OBJECT_MR, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_REG_DM_MR_OFFSET, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_REG_DM_MR_LENGTH, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_IDR(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, UVERBS_OBJECT_PD, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, enum ib_access_flags),
	UVERBS_ATTR_IDR(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, UVERBS_OBJECT_DM, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_REG_DMABUF_MR,
	UVERBS_ATTR_IDR(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, UVERBS_OBJECT_MR, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_IDR(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, UVERBS_OBJECT_PD, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	/* A plain number to the programs that there are, not a UVERBS_ATTR_RAW_FD of no length. */
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_REG_DMABUF_MR_FD, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, enum ib_access_flags),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	UVERBS_METHOD_MR_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_MR_HANDLE, UVERBS_OBJECT_MR, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(UVERBS_OBJECT_MR, UVERBS_TYPE_ALLOC_IDR(mr_destroy),
			    &UVERBS_METHOD(UVERBS_METHOD_ADVISE_MR),
			    &UVERBS_METHOD(UVERBS_METHOD_DM_MR_REG),
			    &UVERBS_METHOD(UVERBS_METHOD_QUERY_MR),
			    &UVERBS_METHOD(UVERBS_METHOD_REG_DMABUF_MR),
			    &UVERBS_METHOD(UVERBS_METHOD_MR_DESTROY));

const struct uapi_definition uverbs_mr_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_MR,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_REG_MR, reg_mr,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_reg_mr,
							  struct ib_uverbs_reg_mr_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(reg_user_mr)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_REREG_MR, rereg_mr,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_rereg_mr,
							  struct ib_uverbs_rereg_mr_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(rereg_user_mr)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DEREG_MR, dereg_mr,
				     UVERBS_IO_REQ(struct ib_uverbs_dereg_mr),
				     UAPI_DEF_METHOD_NEEDS_FN(dereg_mr))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_MR, UAPI_DEF_OBJ_NEEDS_FN(dereg_mr)),
	{}
};
