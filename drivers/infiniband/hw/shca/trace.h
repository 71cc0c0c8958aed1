/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * trace.h - tracepoints: what the engine took, moved and completed, and which objects came and
 * went. The engine reaches the first four through its environment header; off, each costs a patched
 * jump.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM shca

#if !defined(SHCA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SHCA_TRACE_H

#include <linux/tracepoint.h>

/* A send work request was taken out of its ring. */
TRACE_EVENT(shca_post,
	TP_PROTO(u32 qpn, u64 wr_id, u8 opcode, u32 length),
	TP_ARGS(qpn, wr_id, opcode, length),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u8, opcode)
		__field(u32, length)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->wr_id = wr_id;
		__entry->opcode = opcode;
		__entry->length = length;
	),
	TP_printk("qpn=%u wr_id=%#llx opcode=%u length=%u", __entry->qpn, __entry->wr_id,
		  __entry->opcode, __entry->length)
);

/* A frame went on its way. */
TRACE_EVENT(shca_frame,
	TP_PROTO(u32 src_qpn, u32 dest_qpn, u8 op, u32 psn, u32 length),
	TP_ARGS(src_qpn, dest_qpn, op, psn, length),
	TP_STRUCT__entry(
		__field(u32, src_qpn)
		__field(u32, dest_qpn)
		__field(u8, op)
		__field(u32, psn)
		__field(u32, length)
	),
	TP_fast_assign(
		__entry->src_qpn = src_qpn;
		__entry->dest_qpn = dest_qpn;
		__entry->op = op;
		__entry->psn = psn;
		__entry->length = length;
	),
	TP_printk("qpn=%u to=%u op=%u psn=%u length=%u", __entry->src_qpn, __entry->dest_qpn,
		  __entry->op, __entry->psn, __entry->length)
);

/* An entry was written into a completion queue. */
TRACE_EVENT(shca_completion,
	TP_PROTO(u32 qpn, u64 wr_id, u8 status, u8 opcode),
	TP_ARGS(qpn, wr_id, status, opcode),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u8, status)
		__field(u8, opcode)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->wr_id = wr_id;
		__entry->status = status;
		__entry->opcode = opcode;
	),
	TP_printk("qpn=%u wr_id=%#llx status=%u opcode=%#x", __entry->qpn, __entry->wr_id,
		  __entry->status, __entry->opcode)
);

/* A QP changed its state, by verb or by error. */
TRACE_EVENT(shca_state,
	TP_PROTO(u32 qpn, u8 from, u8 to),
	TP_ARGS(qpn, from, to),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u8, from)
		__field(u8, to)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("qpn=%u %u -> %u", __entry->qpn, __entry->from, __entry->to)
);

DECLARE_EVENT_CLASS(shca_object,
	TP_PROTO(const char *kind, u32 number),
	TP_ARGS(kind, number),
	TP_STRUCT__entry(
		__string(kind, kind)
		__field(u32, number)
	),
	TP_fast_assign(
		__assign_str(kind, kind);
		__entry->number = number;
	),
	TP_printk("%s %#x", __get_str(kind), __entry->number)
);

/* @number: QP, SRQ or AH number, memory key, entries of a CQ. */
DEFINE_EVENT(shca_object, shca_create,
	TP_PROTO(const char *kind, u32 number), TP_ARGS(kind, number));
DEFINE_EVENT(shca_object, shca_destroy,
	TP_PROTO(const char *kind, u32 number), TP_ARGS(kind, number));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
