// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Multicast: attaching UD QPs to groups. The driver keeps the groups. */
#include <linux/module.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* On Ethernet there are no LIDs, so whatever is given does. */
static bool lid_is_multicast(u16 lid)
{
	return lid >= be16_to_cpu(IB_MULTICAST_LID_BASE) && lid != be16_to_cpu(IB_LID_PERMISSIVE);
}

static bool port_takes(const struct ib_qp *qp, u32 port, u16 lid)
{
	return rdma_port_get_link_layer(qp->device, port) == IB_LINK_LAYER_ETHERNET ||
	       lid_is_multicast(lid);
}

/* A QP that has left RESET has a port; else all ports must be content. */
static bool lid_ok(const struct ib_qp *qp, u16 lid)
{
	u32 port;

	if (rdma_is_port_valid(qp->device, qp->port))
		return port_takes(qp, qp->port, lid);
	rdma_for_each_port(qp->device, port)
		if (!port_takes(qp, port, lid))
			return false;
	return true;
}

static int check(const struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	if (!rdma_is_multicast_addr((struct in6_addr *)gid->raw) || qp->qp_type != IB_QPT_UD)
		return -EINVAL;
	return lid_ok(qp, lid) ? 0 : -EINVAL;
}

int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret;

	if (!qp->device->ops.attach_mcast)
		return -EOPNOTSUPP;
	ret = check(qp, gid, lid);
	if (ret)
		return ret;
	ret = qp->device->ops.attach_mcast(qp, gid, lid);
	if (!ret)
		atomic_inc(&qp->usecnt);
	return ret;
}
EXPORT_SYMBOL(ib_attach_mcast);

int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret;

	if (!qp->device->ops.detach_mcast)
		return -EOPNOTSUPP;
	ret = check(qp, gid, lid);
	if (ret)
		return ret;
	ret = qp->device->ops.detach_mcast(qp, gid, lid);
	if (!ret)
		atomic_dec(&qp->usecnt);
	return ret;
}
EXPORT_SYMBOL(ib_detach_mcast);
