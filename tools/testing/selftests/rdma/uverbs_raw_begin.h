/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What most tests without a library begin with: a context, a PD, and the end of an object.
 * Part of uverbs_raw.h, which includes it.
 */
#ifndef SELFTEST_UVERBS_RAW_BEGIN_H
#define SELFTEST_UVERBS_RAW_BEGIN_H

__attribute__((unused))
static int uverbs_raw_get_context(int fd)
{
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	return uverbs_raw_go_either(fd, &raw);
}

__attribute__((unused))
static int uverbs_raw_alloc_pd(int fd, uint32_t *handle)
{
	struct ib_uverbs_alloc_pd_resp resp = { 0 };
	struct uverbs_raw raw;
	int ret;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	uverbs_raw_add(&raw, UVERBS_ATTR_WRITE_CMD, 8, IB_USER_VERBS_CMD_ALLOC_PD);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_IN, sizeof(struct ib_uverbs_alloc_pd), 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_OUT, sizeof(resp), (uintptr_t)&resp);
	ret = uverbs_raw_go_either(fd, &raw);
	*handle = resp.pd_handle;
	return ret;
}

/* Destroys by a native destroy method whose only attribute is the handle. */
__attribute__((unused))
static int uverbs_raw_destroy(int fd, uint16_t object, uint16_t method, uint64_t handle)
{
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, object, method);
	uverbs_raw_add(&raw, 0, 0, handle);
	return uverbs_raw_go(fd, &raw);
}

/* A descriptor with a context and a PD: what most tests begin with. */
__attribute__((unused))
static int uverbs_raw_begin(uint32_t *pd)
{
	int fd = uverbs_raw_open();

	errno = uverbs_raw_get_context(fd);
	if (errno)
		tap_bail("get context");
	errno = uverbs_raw_alloc_pd(fd, pd);
	if (errno)
		tap_bail("alloc PD");
	return fd;
}

#endif
