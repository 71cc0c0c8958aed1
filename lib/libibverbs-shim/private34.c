// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * private34.c - names that the direct-access libraries of two vendors bind to when they load.
 *
 * perftest links libmlx5 and libefa, whose plug-in halves import these names of version
 * IBVERBS_PRIVATE_34, bound at load time.  Plug-ins do not plug into this library: registering
 * one does nothing, and so nobody calls the rest.  ibv_query_gid_type(), of the same version and
 * used by programs, lives in query.c.
 */
#include <errno.h>
#include "shim.h"

/* Read by plug-ins only. */
extern bool verbs_allow_disassociate_destroy;
SHIM_EXPORT bool verbs_allow_disassociate_destroy;

void verbs_register_driver_34(const void *ops);
SHIM_EXPORT void verbs_register_driver_34(const void *ops)
{
	(void)ops;
}

/* Three kinds of answers: an errno value, a pointer, none. */
static int refuse_int(void) __attribute__((used));
static int refuse_int(void)
{
	errno = EOPNOTSUPP;
	return EOPNOTSUPP;
}

static void *refuse_pointer(void) __attribute__((used));
static void *refuse_pointer(void)
{
	errno = EOPNOTSUPP;
	return NULL;
}

static void ignore(void) __attribute__((used));
static void ignore(void)
{
}

#define SAME_AS(target) __attribute__((alias(target), visibility("default")))

void __verbs_log(void) SAME_AS("ignore");
void verbs_init_cq(void) SAME_AS("ignore");
void verbs_set_ops(void) SAME_AS("ignore");
void verbs_uninit_context(void) SAME_AS("ignore");
void *_verbs_init_and_alloc_context(void) SAME_AS("refuse_pointer");
void *verbs_open_device(void) SAME_AS("refuse_pointer");
int execute_ioctl(void) SAME_AS("refuse_int");
int ibv_cmd_advise_mr(void) SAME_AS("refuse_int");
int ibv_cmd_alloc_dm(void) SAME_AS("refuse_int");
int ibv_cmd_alloc_mw(void) SAME_AS("refuse_int");
int ibv_cmd_alloc_pd(void) SAME_AS("refuse_int");
int ibv_cmd_attach_mcast(void) SAME_AS("refuse_int");
int ibv_cmd_close_xrcd(void) SAME_AS("refuse_int");
int ibv_cmd_create_ah(void) SAME_AS("refuse_int");
int ibv_cmd_create_counters(void) SAME_AS("refuse_int");
int ibv_cmd_create_cq_ex(void) SAME_AS("refuse_int");
int ibv_cmd_create_flow(void) SAME_AS("refuse_int");
int ibv_cmd_create_flow_action_esp(void) SAME_AS("refuse_int");
int ibv_cmd_create_qp_ex(void) SAME_AS("refuse_int");
int ibv_cmd_create_qp_ex2(void) SAME_AS("refuse_int");
int ibv_cmd_create_rwq_ind_table(void) SAME_AS("refuse_int");
int ibv_cmd_create_srq(void) SAME_AS("refuse_int");
int ibv_cmd_create_srq_ex(void) SAME_AS("refuse_int");
int ibv_cmd_create_wq(void) SAME_AS("refuse_int");
int ibv_cmd_dealloc_mw(void) SAME_AS("refuse_int");
int ibv_cmd_dealloc_pd(void) SAME_AS("refuse_int");
int ibv_cmd_dereg_mr(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_ah(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_counters(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_cq(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_flow(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_flow_action(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_qp(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_rwq_ind_table(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_srq(void) SAME_AS("refuse_int");
int ibv_cmd_destroy_wq(void) SAME_AS("refuse_int");
int ibv_cmd_detach_mcast(void) SAME_AS("refuse_int");
int ibv_cmd_free_dm(void) SAME_AS("refuse_int");
int ibv_cmd_get_context(void) SAME_AS("refuse_int");
int ibv_cmd_modify_cq(void) SAME_AS("refuse_int");
int ibv_cmd_modify_flow_action_esp(void) SAME_AS("refuse_int");
int ibv_cmd_modify_qp(void) SAME_AS("refuse_int");
int ibv_cmd_modify_qp_ex(void) SAME_AS("refuse_int");
int ibv_cmd_modify_srq(void) SAME_AS("refuse_int");
int ibv_cmd_modify_wq(void) SAME_AS("refuse_int");
int ibv_cmd_open_qp(void) SAME_AS("refuse_int");
int ibv_cmd_open_xrcd(void) SAME_AS("refuse_int");
int ibv_cmd_query_context(void) SAME_AS("refuse_int");
int ibv_cmd_query_device_any(void) SAME_AS("refuse_int");
int ibv_cmd_query_mr(void) SAME_AS("refuse_int");
int ibv_cmd_query_port(void) SAME_AS("refuse_int");
int ibv_cmd_query_qp(void) SAME_AS("refuse_int");
int ibv_cmd_query_srq(void) SAME_AS("refuse_int");
int ibv_cmd_read_counters(void) SAME_AS("refuse_int");
int ibv_cmd_reg_dm_mr(void) SAME_AS("refuse_int");
int ibv_cmd_reg_dmabuf_mr(void) SAME_AS("refuse_int");
int ibv_cmd_reg_mr(void) SAME_AS("refuse_int");
int ibv_cmd_rereg_mr(void) SAME_AS("refuse_int");
int ibv_cmd_resize_cq(void) SAME_AS("refuse_int");
