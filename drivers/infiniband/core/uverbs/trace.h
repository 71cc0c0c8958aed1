/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints: the life of each object and each call of a method, under events/ib_uverbs.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_uverbs

#if !defined(_UVERBS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UVERBS_TRACE_H

#include <linux/tracepoint.h>
#include "uverbs.h"

DECLARE_EVENT_CLASS(uverbs_object,
	TP_PROTO(const struct ib_uobject *uobj),
	TP_ARGS(uobj),
	TP_STRUCT__entry(
		__field(u32, kind)
		__field(int, id)
		__field(int, devnum)
		__field(const void *, uobj)
	),
	TP_fast_assign(
		__entry->kind = uobj->uapi_object->id;
		__entry->id = uobj->id;
		__entry->devnum = uobj->ufile->device->devnum;
		__entry->uobj = uobj;
	),
	TP_printk("uverbs%d kind=%u id=%d uobj=%p", __entry->devnum, __entry->kind, __entry->id,
		  __entry->uobj)
);

DEFINE_EVENT(uverbs_object, uverbs_object_begin,
	TP_PROTO(const struct ib_uobject *uobj), TP_ARGS(uobj));
DEFINE_EVENT(uverbs_object, uverbs_object_commit,
	TP_PROTO(const struct ib_uobject *uobj), TP_ARGS(uobj));
DEFINE_EVENT(uverbs_object, uverbs_object_abort,
	TP_PROTO(const struct ib_uobject *uobj), TP_ARGS(uobj));

TRACE_EVENT(uverbs_object_destroy,
	TP_PROTO(const struct ib_uobject *uobj, int why, int ret),
	TP_ARGS(uobj, why, ret),
	TP_STRUCT__entry(
		__field(u32, kind)
		__field(int, id)
		__field(int, devnum)
		__field(int, why)
		__field(int, ret)
		__field(const void *, uobj)
	),
	TP_fast_assign(
		__entry->kind = uobj->uapi_object->id;
		__entry->id = uobj->id;
		__entry->devnum = uobj->ufile->device->devnum;
		__entry->why = why;
		__entry->ret = ret;
		__entry->uobj = uobj;
	),
	TP_printk("uverbs%d kind=%u id=%d uobj=%p why=%s ret=%d", __entry->devnum, __entry->kind,
		  __entry->id, __entry->uobj,
		  __print_symbolic(__entry->why,
				   { RDMA_REMOVE_DESTROY, "destroy" },
				   { RDMA_REMOVE_CLOSE, "close" },
				   { RDMA_REMOVE_DRIVER_REMOVE, "removal" },
				   { RDMA_REMOVE_ABORT, "abort" },
				   { RDMA_REMOVE_DRIVER_FAILURE, "forced" }),
		  __entry->ret)
);

/* door: 'i' ioctl, 'w' write, 'x' extended write */
TRACE_EVENT(uverbs_method,
	TP_PROTO(int devnum, char door, u32 object, u32 method, int ret),
	TP_ARGS(devnum, door, object, method, ret),
	TP_STRUCT__entry(
		__field(int, devnum)
		__field(char, door)
		__field(u32, object)
		__field(u32, method)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->devnum = devnum;
		__entry->door = door;
		__entry->object = object;
		__entry->method = method;
		__entry->ret = ret;
	),
	TP_printk("uverbs%d door=%c object=%u method=%u ret=%d", __entry->devnum, __entry->door,
		  __entry->object, __entry->method, __entry->ret)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
