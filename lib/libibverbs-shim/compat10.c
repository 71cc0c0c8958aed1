// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * compat10.c - the names that programs of 2006 bind to, with version IBVERBS_1.0.
 *
 * Bound by the loader only: nobody who compiles today reaches them.  The structs of that time
 * (a device had no operations, a context no verbs_context around it) are not supported, so there
 * is no device for such a program: its list is empty, and it ends as on a host without one.  No
 * other call can be reached with an object then; each refuses in the manner of its verb.
 */
#include <errno.h>
#include <stdlib.h>
#include "shim.h"

struct ibv_device **shim_compat10_get_list(int *num_devices);
void shim_compat10_free_list(struct ibv_device **list);
void *shim_compat10_no_object(void);
int shim_compat10_error(void);
int shim_compat10_minus_one(void);
uint64_t shim_compat10_zero(void);
void shim_compat10_nothing(void);

SHIM_EXPORT struct ibv_device **shim_compat10_get_list(int *num_devices)
{
	if (num_devices)
		*num_devices = 0;
	return calloc(1, sizeof(struct ibv_device *));
}

SHIM_EXPORT void shim_compat10_free_list(struct ibv_device **list)
{
	free(list);
}

SHIM_EXPORT void *shim_compat10_no_object(void)
{
	errno = EOPNOTSUPP;
	return NULL;
}

SHIM_EXPORT int shim_compat10_error(void)
{
	errno = EOPNOTSUPP;
	return EOPNOTSUPP;
}

SHIM_EXPORT int shim_compat10_minus_one(void)
{
	errno = EOPNOTSUPP;
	return -1;
}

SHIM_EXPORT uint64_t shim_compat10_zero(void)
{
	return 0;
}

SHIM_EXPORT void shim_compat10_nothing(void)
{
}

#define OLD(name, target) __asm__(".symver " target "," name "@IBVERBS_1.0")

OLD("ibv_get_device_list", "shim_compat10_get_list");
OLD("ibv_free_device_list", "shim_compat10_free_list");
OLD("ibv_get_device_guid", "shim_compat10_zero");
OLD("ibv_ack_async_event", "shim_compat10_nothing");
OLD("ibv_ack_cq_events", "shim_compat10_nothing");
OLD("ibv_alloc_pd", "shim_compat10_no_object");
OLD("ibv_create_ah", "shim_compat10_no_object");
OLD("ibv_create_cq", "shim_compat10_no_object");
OLD("ibv_create_qp", "shim_compat10_no_object");
OLD("ibv_create_srq", "shim_compat10_no_object");
OLD("ibv_get_device_name", "shim_compat10_no_object");
OLD("ibv_open_device", "shim_compat10_no_object");
OLD("ibv_reg_mr", "shim_compat10_no_object");
OLD("ibv_get_async_event", "shim_compat10_minus_one");
OLD("ibv_get_cq_event", "shim_compat10_minus_one");
OLD("ibv_query_gid", "shim_compat10_minus_one");
OLD("ibv_query_pkey", "shim_compat10_minus_one");
OLD("ibv_attach_mcast", "shim_compat10_error");
OLD("ibv_close_device", "shim_compat10_error");
OLD("ibv_dealloc_pd", "shim_compat10_error");
OLD("ibv_dereg_mr", "shim_compat10_error");
OLD("ibv_destroy_ah", "shim_compat10_error");
OLD("ibv_destroy_cq", "shim_compat10_error");
OLD("ibv_destroy_qp", "shim_compat10_error");
OLD("ibv_destroy_srq", "shim_compat10_error");
OLD("ibv_detach_mcast", "shim_compat10_error");
OLD("ibv_modify_qp", "shim_compat10_error");
OLD("ibv_modify_srq", "shim_compat10_error");
OLD("ibv_query_device", "shim_compat10_error");
OLD("ibv_query_port", "shim_compat10_error");
OLD("ibv_query_qp", "shim_compat10_error");
OLD("ibv_query_srq", "shim_compat10_error");
OLD("ibv_resize_cq", "shim_compat10_error");

/* Plug-ins of before 2009 announced themselves by this one; none of them can be served. */
__asm__(".symver shim_compat10_nothing,ibv_register_driver@IBVERBS_1.1");
