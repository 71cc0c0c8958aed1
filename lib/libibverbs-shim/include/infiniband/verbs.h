/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * <infiniband/verbs.h> - the RDMA verbs.
 *
 * The one header that programs include.  It is the same interface as that of rdma-core 44: every
 * type has the same layout, every constant the same value, every function the same prototype, so
 * that programs built against either run on either.  The parts below each hold one noun; none of
 * them is to be included alone by a program.
 *
 * Return values come in four forms, and each function says which is its own:
 *   errno     0, or a positive errno value (most often left in errno as well)
 *   -1        0, or -1 with errno
 *   pointer   an object, or NULL with errno
 *   own       described at the function
 * A verb that a device does not have answers EOPNOTSUPP.  Every verb may be called by any thread
 * at any time; an object must not be used by anybody once somebody destroys it.
 */
#ifndef INFINIBAND_VERBS_H
#define INFINIBAND_VERBS_H

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <linux/types.h>
#include <infiniband/verbs_api.h>

#ifdef __cplusplus
#include <limits>
extern "C" {
#endif

#include <infiniband/verbs/base.h>
#include <infiniband/verbs/port.h>
#include <infiniband/verbs/device.h>
#include <infiniband/verbs/device_ex.h>
#include <infiniband/verbs/pd.h>
#include <infiniband/verbs/mr.h>
#include <infiniband/verbs/ah.h>
#include <infiniband/verbs/cq.h>
#include <infiniband/verbs/cq_ex.h>
#include <infiniband/verbs/event.h>
#include <infiniband/verbs/srq.h>
#include <infiniband/verbs/qp.h>
#include <infiniband/verbs/qp_attr.h>
#include <infiniband/verbs/wq.h>
#include <infiniband/verbs/wr.h>
#include <infiniband/verbs/qp_ex.h>
#include <infiniband/verbs/flow.h>
#include <infiniband/verbs/counters.h>
#include <infiniband/verbs/context.h>
#include <infiniband/verbs/calls_device.h>
#include <infiniband/verbs/calls_memory.h>
#include <infiniband/verbs/calls_queue.h>
#include <infiniband/verbs/calls_post.h>
#include <infiniband/verbs/calls_flow.h>

#ifdef __cplusplus
}
#endif

#include <infiniband/xrc.h>

#endif
