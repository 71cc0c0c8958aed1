/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Declaring: each verb_*.c ends in one array of struct uapi_definition named uverbs_<noun>_defs,
 * chained together in uapi.c in the order below. Write commands use DECLARE_UVERBS_WRITE(_EX) with
 * one of the UVERBS_IO_* sizes.
 */
#ifndef _UVERBS_DEFS_H
#define _UVERBS_DEFS_H

#include <rdma/uverbs_ioctl.h>

/*
 * The header's own forms initialise .write as a whole and then parts of it again, which sparse
 * reports as an entry that is defined twice. These name each part once; used alike.
 */
#undef DECLARE_UVERBS_WRITE
#define DECLARE_UVERBS_WRITE(_command_num, _func, _cmd_desc, ...) \
	{ \
		.kind = UAPI_DEF_WRITE, \
		.scope = UAPI_SCOPE_OBJECT, \
		.write.command_num = _command_num, \
		.func_write = _func, \
		_cmd_desc, \
	}, \
	##__VA_ARGS__
#undef DECLARE_UVERBS_WRITE_EX
#define DECLARE_UVERBS_WRITE_EX(_command_num, _func, _cmd_desc, ...) \
	{ \
		.kind = UAPI_DEF_WRITE, \
		.scope = UAPI_SCOPE_OBJECT, \
		.write.is_ex = 1, \
		.write.command_num = _command_num, \
		.func_write = _func, \
		_cmd_desc, \
	}, \
	##__VA_ARGS__

/*
 * Sizes of a write command: RESP has a response, UDATA lets driver data follow. The legacy ones
 * begin with the response pointer. EX_* name the last member a caller must at least know; what is
 * missing behind it reads as zero, what is more must be zero.
 */
#define UVERBS_IO_REQ(_req) \
	.write.req_size = sizeof(_req) + BUILD_BUG_ON_ZERO(sizeof(_req) > 255)
#define UVERBS_IO_REQ_UDATA(_req) \
	UVERBS_IO_REQ(_req), .write.has_udata = 1
#define UVERBS_IO_RESP(_req, _resp) \
	UVERBS_IO_REQ(_req), \
	.write.has_resp = 1 + BUILD_BUG_ON_ZERO(offsetof(_req, response) != 0), \
	.write.resp_size = sizeof(_resp) + BUILD_BUG_ON_ZERO(sizeof(_resp) > 255)
#define UVERBS_IO_RESP_UDATA(_req, _resp) \
	UVERBS_IO_RESP(_req, _resp), .write.has_udata = 1
#define UVERBS_IO_EX_REQ(_req, _req_last) \
	.write.req_size = offsetofend(_req, _req_last) + \
			  BUILD_BUG_ON_ZERO(offsetofend(_req, _req_last) > 255)
#define UVERBS_IO_EX_REQ_UDATA(_req, _req_last) \
	UVERBS_IO_EX_REQ(_req, _req_last), .write.has_udata = 1
#define UVERBS_IO_EX_RESP(_req, _req_last, _resp, _resp_last) \
	UVERBS_IO_EX_REQ(_req, _req_last), .write.has_resp = 1, \
	.write.resp_size = offsetofend(_resp, _resp_last) + \
			   BUILD_BUG_ON_ZERO(offsetofend(_resp, _resp_last) > 255)
#define UVERBS_IO_EX_RESP_UDATA(_req, _req_last, _resp, _resp_last) \
	UVERBS_IO_EX_RESP(_req, _req_last, _resp, _resp_last), .write.has_udata = 1

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
