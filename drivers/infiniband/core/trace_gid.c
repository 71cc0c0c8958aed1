// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Instantiates the tracepoints of trace_gid.h. */
#define CREATE_TRACE_POINTS
#include "trace_gid.h"
