/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints of ib_core ("rdma_core_objects" in tracefs): objects made and destroyed, QP state
 * changes asked for, events delivered. trace.c instantiates them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdma_core_objects

#if !defined(_CORE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _CORE_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>

DECLARE_EVENT_CLASS(core_object_class,
	TP_PROTO(const struct ib_device *dev, const char *kind, u32 id, int ret),
	TP_ARGS(dev, kind, id, ret),
	TP_STRUCT__entry(
		__string(dev, dev_name(&dev->dev))
		__string(kind, kind)
		__field(u32, id)
		__field(int, ret)
	),
	TP_fast_assign(
		__assign_str(dev, dev_name(&dev->dev));
		__assign_str(kind, kind);
		__entry->id = id;
		__entry->ret = ret;
	),
	TP_printk("%s %s id=%u ret=%d", __get_str(dev), __get_str(kind), __entry->id, __entry->ret)
);

DEFINE_EVENT(core_object_class, core_object_create,
	TP_PROTO(const struct ib_device *dev, const char *kind, u32 id, int ret),
	TP_ARGS(dev, kind, id, ret));

DEFINE_EVENT(core_object_class, core_object_destroy,
	TP_PROTO(const struct ib_device *dev, const char *kind, u32 id, int ret),
	TP_ARGS(dev, kind, id, ret));

TRACE_EVENT(core_qp_modify,
	TP_PROTO(const struct ib_qp *qp, const struct ib_qp_attr *attr, int mask, int ret),
	TP_ARGS(qp, attr, mask, ret),
	TP_STRUCT__entry(
		__string(dev, dev_name(&qp->device->dev))
		__field(u32, qpn)
		__field(int, state)
		__field(u32, mask)
		__field(int, ret)
	),
	TP_fast_assign(
		__assign_str(dev, dev_name(&qp->device->dev));
		__entry->qpn = qp->qp_num;
		__entry->state = mask & IB_QP_STATE ? attr->qp_state : -1;
		__entry->mask = mask;
		__entry->ret = ret;
	),
	TP_printk("%s qpn=0x%x state=%d mask=0x%x ret=%d", __get_str(dev), __entry->qpn,
		  __entry->state, __entry->mask, __entry->ret)
);

TRACE_EVENT(core_event,
	TP_PROTO(const struct ib_device *dev, const struct ib_event *event),
	TP_ARGS(dev, event),
	TP_STRUCT__entry(
		__string(dev, dev_name(&dev->dev))
		__field(int, event)
		__field(u32, port)
	),
	TP_fast_assign(
		__assign_str(dev, dev_name(&dev->dev));
		__entry->event = event->event;
		__entry->port = event->element.port_num;
	),
	TP_printk("%s event=%d port=%u", __get_str(dev), __entry->event, __entry->port)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
