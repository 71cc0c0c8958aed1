// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address vectors (struct rdma_ah_attr): checks, copies, and the references they hold on a source
 * GID (grh.sgid_attr). Whoever owns an address owns that reference.
 */
#include <linux/module.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/*
 * rdma_destroy_ah_attr - drop the reference an address holds
 */
void rdma_destroy_ah_attr(struct rdma_ah_attr *attr)
{
	if (!attr->grh.sgid_attr)
		return;
	rdma_put_gid_attr(attr->grh.sgid_attr);
	attr->grh.sgid_attr = NULL;
}
EXPORT_SYMBOL(rdma_destroy_ah_attr);

/*
 * rdma_copy_ah_attr - both own a reference afterwards
 */
void rdma_copy_ah_attr(struct rdma_ah_attr *dest, const struct rdma_ah_attr *src)
{
	*dest = *src;
	if (dest->grh.sgid_attr)
		rdma_hold_gid_attr(dest->grh.sgid_attr);
}
EXPORT_SYMBOL(rdma_copy_ah_attr);

/*
 * rdma_replace_ah_attr - what @old held is dropped
 */
void rdma_replace_ah_attr(struct rdma_ah_attr *old, const struct rdma_ah_attr *new)
{
	rdma_destroy_ah_attr(old);
	rdma_copy_ah_attr(old, new);
}
EXPORT_SYMBOL(rdma_replace_ah_attr);

/*
 * rdma_move_ah_attr - the reference changes hands
 */
void rdma_move_ah_attr(struct rdma_ah_attr *dest, struct rdma_ah_attr *src)
{
	rdma_destroy_ah_attr(dest);
	*dest = *src;
	src->grh.sgid_attr = NULL;
}
EXPORT_SYMBOL(rdma_move_ah_attr);

/*
 * rdma_move_grh_sgid_attr - set the global route; the reference on @sgid_attr changes hands
 */
void rdma_move_grh_sgid_attr(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
			     u8 hop_limit, u8 traffic_class, const struct ib_gid_attr *sgid_attr)
{
	rdma_ah_set_grh(attr, dgid, flow_label, sgid_attr->index, hop_limit, traffic_class);
	attr->grh.sgid_attr = sgid_attr;
}
EXPORT_SYMBOL(rdma_move_grh_sgid_attr);

static int check(struct ib_device *dev, const struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *sgid_attr = attr->grh.sgid_attr;

	if (!rdma_is_port_valid(dev, attr->port_num))
		return -EINVAL;
	/* RoCE and OPA have no address without a GID. */
	if ((rdma_is_grh_required(dev, attr->port_num) ||
	     attr->type == RDMA_AH_ATTR_TYPE_ROCE) && !(attr->ah_flags & IB_AH_GRH))
		return -EINVAL;
	if (!sgid_attr)
		return 0;
	/* A kernel consumer gave a reference of its own: it must be the GID he names. */
	if (sgid_attr->index != attr->grh.sgid_index || sgid_attr->port_num != attr->port_num)
		return -EINVAL;
	return 0;
}

int core_ah_fill_sgid(struct ib_device *dev, struct rdma_ah_attr *attr,
		      const struct ib_gid_attr **old_sgid)
{
	const struct ib_gid_attr *sgid_attr;
	int ret;

	*old_sgid = attr->grh.sgid_attr;
	ret = check(dev, attr);
	if (ret)
		return ret;
	if (!(attr->ah_flags & IB_AH_GRH) || attr->grh.sgid_attr)
		return 0;
	sgid_attr = rdma_get_gid_attr(dev, attr->port_num, attr->grh.sgid_index);
	if (IS_ERR(sgid_attr))
		return PTR_ERR(sgid_attr);
	attr->grh.sgid_attr = sgid_attr;
	return 0;
}

void core_ah_unfill_sgid(struct rdma_ah_attr *attr, const struct ib_gid_attr *old_sgid)
{
	if (attr->grh.sgid_attr == old_sgid)
		return;
	rdma_destroy_ah_attr(attr);
	attr->grh.sgid_attr = old_sgid;
}

void core_ah_keep_sgid(const struct rdma_ah_attr *attr, const struct ib_gid_attr **kept)
{
	const struct ib_gid_attr *sgid = NULL, *old;

	if ((attr->ah_flags & IB_AH_GRH) && attr->grh.sgid_attr) {
		sgid = attr->grh.sgid_attr;
		rdma_hold_gid_attr(sgid);
	}
	old = xchg(kept, sgid);
	if (old)
		rdma_put_gid_attr(old);
}
