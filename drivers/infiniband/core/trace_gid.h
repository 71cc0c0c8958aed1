/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints of the GID tables ("rdma_core_gid" in tracefs): an entry becomes live, goes out of
 * service, its slot becomes free. gid.c fires them, trace_gid.c instantiates them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdma_core_gid

#if !defined(_CORE_TRACE_GID_H) || defined(TRACE_HEADER_MULTI_READ)
#define _CORE_TRACE_GID_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>

DECLARE_EVENT_CLASS(core_gid_class,
	TP_PROTO(const struct ib_gid_attr *attr),
	TP_ARGS(attr),
	TP_STRUCT__entry(
		__string(dev, dev_name(&attr->device->dev))
		__field(u32, port)
		__field(u16, index)
		__field(u8, type)
		__array(u8, gid, sizeof(union ib_gid))
	),
	TP_fast_assign(
		__assign_str(dev, dev_name(&attr->device->dev));
		__entry->port = attr->port_num;
		__entry->index = attr->index;
		__entry->type = attr->gid_type;
		memcpy(__entry->gid, &attr->gid, sizeof(union ib_gid));
	),
	TP_printk("%s port=%u index=%u type=%u gid=%pI6c", __get_str(dev), __entry->port,
		  __entry->index, __entry->type, __entry->gid)
);

DEFINE_EVENT(core_gid_class, core_gid_live,
	TP_PROTO(const struct ib_gid_attr *attr),
	TP_ARGS(attr));

DEFINE_EVENT(core_gid_class, core_gid_retired,
	TP_PROTO(const struct ib_gid_attr *attr),
	TP_ARGS(attr));

DEFINE_EVENT(core_gid_class, core_gid_freed,
	TP_PROTO(const struct ib_gid_attr *attr),
	TP_ARGS(attr));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_gid
#include <trace/define_trace.h>
