/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What every verb_*.c declares: one table each, chained together in uapi.c in this order.
 */
#ifndef _UVERBS_DEFS_H
#define _UVERBS_DEFS_H

struct uapi_definition;

extern const struct uapi_definition uverbs_context_defs[];
extern const struct uapi_definition uverbs_device_defs[];
extern const struct uapi_definition uverbs_gid_defs[];
extern const struct uapi_definition uverbs_pd_defs[];
extern const struct uapi_definition uverbs_mr_defs[];
extern const struct uapi_definition uverbs_mw_defs[];
extern const struct uapi_definition uverbs_dm_defs[];
extern const struct uapi_definition uverbs_comp_channel_defs[];
extern const struct uapi_definition uverbs_async_event_defs[];
extern const struct uapi_definition uverbs_cq_defs[];
extern const struct uapi_definition uverbs_qp_defs[];
extern const struct uapi_definition uverbs_srq_defs[];
extern const struct uapi_definition uverbs_ah_defs[];
extern const struct uapi_definition uverbs_mcast_defs[];
extern const struct uapi_definition uverbs_xrcd_defs[];

#endif
