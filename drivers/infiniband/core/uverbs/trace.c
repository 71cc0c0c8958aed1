// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The one place where the tracepoints of trace.h get their bodies. */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "trace.h"
