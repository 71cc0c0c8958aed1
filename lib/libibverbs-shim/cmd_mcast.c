// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_mcast.c - attaching UD QPs to multicast groups.  Called by programs. */
#include <errno.h>
#include <string.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

/* Both commands take the same request. */
static int command(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid, uint32_t command_id)
{
	struct ib_uverbs_attach_mcast req = { .qp_handle = qp->handle, .mlid = lid };
	struct shim_write cmd = { .command = command_id, .in = &req, .in_len = sizeof(req) };

	_Static_assert(sizeof(req) == sizeof(struct ib_uverbs_detach_mcast), "one layout");
	memcpy(req.gid, gid->raw, sizeof(req.gid));
	return shim_error_set(shim_ioctl_write(qp->context, &cmd, NULL));
}

SHIM_EXPORT int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return command(qp, gid, lid, IB_USER_VERBS_CMD_ATTACH_MCAST);
}

SHIM_EXPORT int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return command(qp, gid, lid, IB_USER_VERBS_CMD_DETACH_MCAST);
}
