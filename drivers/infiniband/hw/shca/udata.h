/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * udata.h - the driver's tails of commands: no input is defined unless said, output is cut to what
 * the process has room for.
 */
#ifndef SHCA_UDATA_H
#define SHCA_UDATA_H

#include <rdma/ib_verbs.h>

/* Bytes that we know nothing of must be zero. */
static inline int shca_udata_check_empty(struct ib_udata *udata)
{
	if (udata && udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EINVAL;
	return 0;
}

static inline int shca_udata_respond(struct ib_udata *udata, void *resp, size_t bytes)
{
	return ib_copy_to_udata(udata, resp, min(bytes, udata->outlen));
}

#endif
