// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cmd_ah.c - address handles.
 *
 * Called by programs; the number that UD work requests name an AH by comes back in the driver's
 * part of the answer and is kept by the data half (shca_ah.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/ib_user_verbs.h>
#include "ioctl.h"

static void fill_attr(struct ib_uverbs_ah_attr *to, const struct ibv_ah_attr *from)
{
	to->dlid = from->dlid;
	to->sl = from->sl;
	to->src_path_bits = from->src_path_bits;
	to->static_rate = from->static_rate;
	to->is_global = from->is_global;
	to->port_num = from->port_num;
	if (!from->is_global)
		return;
	memcpy(to->grh.dgid, from->grh.dgid.raw, sizeof(to->grh.dgid));
	to->grh.flow_label = from->grh.flow_label;
	to->grh.sgid_index = from->grh.sgid_index;
	to->grh.hop_limit = from->grh.hop_limit;
	to->grh.traffic_class = from->grh.traffic_class;
}

SHIM_EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ib_uverbs_create_ah req = { .pd_handle = pd->handle };
	struct ib_uverbs_create_ah_resp resp = { .ah_handle = 0 };
	struct shim_write cmd = {
		.command = IB_USER_VERBS_CMD_CREATE_AH,
		.in = &req, .in_len = sizeof(req), .out = &resp, .out_len = sizeof(resp),
	};
	struct shim_udata udata = { .in = NULL };
	struct ibv_ah *ah;

	ah = shca_ah_alloc(&udata);
	if (!ah) {
		errno = ENOMEM;
		return NULL;
	}
	req.user_handle = (uintptr_t)ah;
	fill_attr(&req.attr, attr);
	if (shim_error_set(shim_ioctl_write(pd->context, &cmd, &udata))) {
		shca_ah_free(ah);
		return NULL;
	}
	ah->context = pd->context;
	ah->pd = pd;
	ah->handle = resp.ah_handle;
	shim_pd_get(pd);
	return ah;
}

SHIM_EXPORT int ibv_destroy_ah(struct ibv_ah *ah)
{
	static const struct shim_destroy what = {
		UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, UVERBS_ATTR_DESTROY_AH_HANDLE, 0,
	};
	int err = shim_ioctl_destroy(ah->context, &what, ah->handle, NULL, 0);

	if (!err) {
		shim_pd_put(ah->pd);
		shca_ah_free(ah);
	}
	return shim_error_set(err);
}
