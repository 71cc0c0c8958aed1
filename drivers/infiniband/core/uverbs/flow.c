// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a flow rule refers to: the counters and flow actions that must outlive it. Drivers with flow
 * steering collect them here while they parse a rule, and give them back with it.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <rdma/uverbs_std_types.h>

struct ib_uflow_resources *flow_resources_alloc(size_t num_specs)
{
	struct ib_uflow_resources *res = kzalloc(sizeof(*res), GFP_KERNEL);

	if (!res)
		return NULL;
	if (!num_specs)
		return res;
	/* Each spec is at most one of the two; which is known only as they are parsed. */
	res->counters = kcalloc(num_specs, sizeof(*res->counters), GFP_KERNEL);
	res->collection = kcalloc(num_specs, sizeof(*res->collection), GFP_KERNEL);
	if (!res->counters || !res->collection) {
		ib_uverbs_flow_resources_free(res);
		return NULL;
	}
	res->max = num_specs;
	return res;
}
EXPORT_SYMBOL(flow_resources_alloc);

void flow_resources_add(struct ib_uflow_resources *uflow_res, enum ib_flow_spec_type type,
			void *ibobj)
{
	struct ib_flow_action *action = ibobj;
	struct ib_counters *counters = ibobj;

	if (WARN_ON(uflow_res->num >= uflow_res->max))
		return;
	switch (type) {
	case IB_FLOW_SPEC_ACTION_HANDLE:
		atomic_inc(&action->usecnt);
		uflow_res->collection[uflow_res->collection_num++] = action;
		break;
	case IB_FLOW_SPEC_ACTION_COUNT:
		atomic_inc(&counters->usecnt);
		uflow_res->counters[uflow_res->counters_num++] = counters;
		break;
	default:
		WARN_ON(1);
		return;
	}
	uflow_res->num++;
}
EXPORT_SYMBOL(flow_resources_add);

void ib_uverbs_flow_resources_free(struct ib_uflow_resources *uflow_res)
{
	size_t i;

	if (!uflow_res)
		return;
	for (i = 0; i < uflow_res->collection_num; i++)
		atomic_dec(&uflow_res->collection[i]->usecnt);
	for (i = 0; i < uflow_res->counters_num; i++)
		atomic_dec(&uflow_res->counters[i]->usecnt);
	kfree(uflow_res->collection);
	kfree(uflow_res->counters);
	kfree(uflow_res);
}
EXPORT_SYMBOL(ib_uverbs_flow_resources_free);
