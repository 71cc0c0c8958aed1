// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast groups of a QP: attach, detach, and leaving all of them when the QP goes.
 *
 * Attachments are no objects with handles; they are listed with their QP, so that attaching twice
 * is known to be one attachment and that none survives the QP. dispatch.c and the QP's room call
 * in; ib_core goes out.
 *
 * One call at a time reaches a device: rdma_rxe finds a group and joins it in two steps, and a QP
 * that joins a group whose last member leaves in between can neither leave it nor be destroyed.
 */
#include <linux/slab.h>

#include "call.h"
#include "defs.h"
#include "objects.h"

struct mcast_attachment {
	struct list_head node;		/* in ib_uqp_object.mcast_list */
	union ib_gid gid;
	u16 lid;
};

void uverbs_mcast_init(struct ib_uqp_object *obj)
{
	INIT_LIST_HEAD(&obj->mcast_list);
}

static struct mutex *mcast_lock(const struct ib_uqp_object *obj)
{
	return &obj->uevent.uobject.ufile->device->mcast_lock;
}

static bool has_lids(struct ib_device *dev)
{
	return rdma_port_get_link_layer(dev, rdma_start_port(dev)) != IB_LINK_LAYER_ETHERNET;
}

static struct mcast_attachment *mcast_find(const struct ib_qp *qp, const u8 *gid, u16 lid,
					   bool any_lid)
{
	struct mcast_attachment *att;

	lockdep_assert_held(mcast_lock(qp->uobject));
	list_for_each_entry(att, &qp->uobject->mcast_list, node) {
		if ((any_lid || att->lid == lid) &&
		    !memcmp(att->gid.raw, gid, sizeof(att->gid.raw)))
			return att;
	}
	return NULL;
}

/*
 * Where there are no LIDs, a driver knows one membership whatever LID was given, and ends it with
 * the first detachment; a second entry could never be undone and would keep the QP for ever.
 */
static int mcast_attach_locked(struct ib_qp *qp, const struct ib_uverbs_attach_mcast *cmd)
{
	struct mcast_attachment *att;
	int ret;

	if (mcast_find(qp, cmd->gid, cmd->mlid, !has_lids(qp->device)))
		return 0;
	att = kzalloc(sizeof(*att), GFP_KERNEL);
	if (!att)
		return -ENOMEM;
	att->lid = cmd->mlid;
	memcpy(att->gid.raw, cmd->gid, sizeof(att->gid.raw));
	ret = ib_attach_mcast(qp, &att->gid, att->lid);
	if (ret)
		kfree(att);
	else
		list_add_tail(&att->node, &qp->uobject->mcast_list);
	return ret;
}

static int mcast_detach_locked(struct ib_qp *qp, const struct ib_uverbs_detach_mcast *cmd)
{
	struct mcast_attachment *att = mcast_find(qp, cmd->gid, cmd->mlid, false);
	int ret;

	if (!att)
		return -EINVAL;
	ret = ib_detach_mcast(qp, &att->gid, att->lid);
	if (ret)
		return ret;
	list_del(&att->node);
	kfree(att);
	return 0;
}

static int mcast_attach(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_attach_mcast cmd;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uverbs_call_qp(attrs, cmd.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(mcast_lock(qp->uobject));
	ret = mcast_attach_locked(qp, &cmd);
	mutex_unlock(mcast_lock(qp->uobject));
	return ret;
}

static int mcast_detach(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_detach_mcast cmd;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uverbs_call_qp(attrs, cmd.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(mcast_lock(qp->uobject));
	ret = mcast_detach_locked(qp, &cmd);
	mutex_unlock(mcast_lock(qp->uobject));
	return ret;
}

/*
 * Called with the QP held exclusively, before it is destroyed: its list is ours without the lock. A
 * handle opened on somebody else's QP (XRC) has no attachments of its own.
 */
int uverbs_mcast_leave(struct ib_qp *qp, struct ib_uqp_object *obj, enum rdma_remove_reason why)
{
	struct mcast_attachment *att, *next;

	if (list_empty(&obj->mcast_list))
		return 0;
	if (uverbs_call_may_fail(why))
		return -EBUSY;
	mutex_lock(mcast_lock(obj));
	list_for_each_entry_safe(att, next, &obj->mcast_list, node) {
		ib_detach_mcast(qp, &att->gid, att->lid);
		list_del(&att->node);
		kfree(att);
	}
	mutex_unlock(mcast_lock(obj));
	return 0;
}

const struct uapi_definition uverbs_mcast_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_QP,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_ATTACH_MCAST, mcast_attach,
				     UVERBS_IO_REQ(struct ib_uverbs_attach_mcast),
				     UAPI_DEF_METHOD_NEEDS_FN(attach_mcast),
				     UAPI_DEF_METHOD_NEEDS_FN(detach_mcast)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_DETACH_MCAST, mcast_detach,
				     UVERBS_IO_REQ(struct ib_uverbs_detach_mcast),
				     UAPI_DEF_METHOD_NEEDS_FN(detach_mcast))),
	{}
};
