/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * trace.h - shca.ko's tracepoints of the engine, which here trace nothing.
 */
#ifndef KUNIT_TRACE_H
#define KUNIT_TRACE_H

#include <linux/types.h>

static inline void trace_shca_post(u32 qpn, u64 wr_id, u8 opcode, u32 length) { }
static inline void trace_shca_frame(u32 src, u32 dest, u8 op, u32 psn, u32 length) { }
static inline void trace_shca_completion(u32 qpn, u64 wr_id, u8 status, u8 opcode) { }
static inline void trace_shca_state(u32 qpn, u8 from, u8 to) { }

#endif
