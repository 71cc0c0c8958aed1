/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * trace_none.h - tracepoints of the engine where nobody listens.
 *
 * Part of shca_env.h, apart for its length.
 */
#ifndef SHCA_TRACE_NONE_H
#define SHCA_TRACE_NONE_H

static inline void env_trace_post(u32 qpn, u64 wr_id, u8 opcode, u32 length)
{
	(void)qpn, (void)wr_id, (void)opcode, (void)length;
}

static inline void env_trace_frame(u32 src_qpn, u32 dest_qpn, u8 op, u32 psn, u32 length)
{
	(void)src_qpn, (void)dest_qpn, (void)op, (void)psn, (void)length;
}

static inline void env_trace_completion(u32 qpn, u64 wr_id, u8 status, u8 opcode)
{
	(void)qpn, (void)wr_id, (void)status, (void)opcode;
}

static inline void env_trace_state(u32 qpn, u8 from, u8 to)
{
	(void)qpn, (void)from, (void)to;
}

#endif
