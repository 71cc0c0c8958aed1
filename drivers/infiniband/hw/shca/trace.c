// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * trace.c - the one place where the tracepoints of trace.h are made.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
