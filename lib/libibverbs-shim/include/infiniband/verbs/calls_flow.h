/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* calls_flow.h - part of <infiniband/verbs.h>: flows, their actions and counters. */
#ifndef INFINIBAND_VERBS_CALLS_FLOW_H
#define INFINIBAND_VERBS_CALLS_FLOW_H

#include <errno.h>
#include <infiniband/verbs/context.h>
#include <infiniband/verbs/counters.h>
#include <infiniband/verbs/flow.h>

/* pointer */
static inline struct ibv_flow *ibv_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *flow)
{
	struct verbs_context *v = verbs_get_ctx_op(qp->context, ibv_create_flow);

	if (v)
		return v->ibv_create_flow(qp, flow);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_destroy_flow(struct ibv_flow *flow_id)
{
	struct verbs_context *v = verbs_get_ctx_op(flow_id->context, ibv_destroy_flow);

	return v ? v->ibv_destroy_flow(flow_id) : EOPNOTSUPP;
}

/* Encrypts or decrypts what a rule matched (pointer). */
static inline struct ibv_flow_action *
ibv_create_flow_action_esp(struct ibv_context *ctx, struct ibv_flow_action_esp_attr *esp)
{
	struct verbs_context *v = verbs_get_ctx_op(ctx, create_flow_action_esp);

	if (v)
		return v->create_flow_action_esp(ctx, esp);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_modify_flow_action_esp(struct ibv_flow_action *action,
					     struct ibv_flow_action_esp_attr *esp)
{
	struct verbs_context *v = verbs_get_ctx_op(action->context, modify_flow_action_esp);

	return v ? v->modify_flow_action_esp(action, esp) : EOPNOTSUPP;
}

/* errno: EBUSY while a rule uses it. */
static inline int ibv_destroy_flow_action(struct ibv_flow_action *action)
{
	struct verbs_context *v = verbs_get_ctx_op(action->context, destroy_flow_action);

	return v ? v->destroy_flow_action(action) : EOPNOTSUPP;
}

/* pointer */
static inline struct ibv_counters *ibv_create_counters(struct ibv_context *context,
						       struct ibv_counters_init_attr *init_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, create_counters);

	if (v)
		return v->create_counters(context, init_attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* errno */
static inline int ibv_destroy_counters(struct ibv_counters *counters)
{
	struct verbs_context *v = verbs_get_ctx_op(counters->context, destroy_counters);

	return v ? v->destroy_counters(counters) : EOPNOTSUPP;
}

/* errno; flow may be NULL until the flow exists. */
static inline int ibv_attach_counters_point_flow(struct ibv_counters *counters,
						 struct ibv_counter_attach_attr *attr,
						 struct ibv_flow *flow)
{
	struct verbs_context *v = verbs_get_ctx_op(counters->context, attach_counters_point_flow);

	return v ? v->attach_counters_point_flow(counters, attr, flow) : EOPNOTSUPP;
}

/* errno; flags: enum ibv_read_counters_flags */
static inline int ibv_read_counters(struct ibv_counters *counters, uint64_t *counters_value,
				    uint32_t ncounters, uint32_t flags)
{
	struct verbs_context *v = verbs_get_ctx_op(counters->context, read_counters);

	return v ? v->read_counters(counters, counters_value, ncounters, flags) : EOPNOTSUPP;
}

#endif
