// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How a driver hands over its operations: ib_set_device_ops() merges a table into the device's, so
 * that a driver can compose its device from several tables.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* Two drivers in one device: the sizes must agree, else the objects of one are too small. */
static void merge_size(size_t *dst, size_t src)
{
	if (!src)
		return;
	WARN_ON(*dst && *dst != src);
	*dst = src;
}

static void merge_identity(struct ib_device_ops *dst, const struct ib_device_ops *src)
{
	if (src->driver_id != RDMA_DRIVER_UNKNOWN) {
		WARN_ON(dst->driver_id != RDMA_DRIVER_UNKNOWN &&
			dst->driver_id != src->driver_id);
		dst->driver_id = src->driver_id;
	}
	if (src->owner) {
		WARN_ON(dst->owner && dst->owner != src->owner);
		dst->owner = src->owner;
	}
	if (src->uverbs_abi_ver)
		dst->uverbs_abi_ver = src->uverbs_abi_ver;
	if (src->uverbs_no_driver_id_binding)
		dst->uverbs_no_driver_id_binding = 1;
}

static void merge_sizes(struct ib_device_ops *dst, const struct ib_device_ops *src)
{
	merge_size(&dst->size_ib_ah, src->size_ib_ah);
	merge_size(&dst->size_ib_counters, src->size_ib_counters);
	merge_size(&dst->size_ib_cq, src->size_ib_cq);
	merge_size(&dst->size_ib_mw, src->size_ib_mw);
	merge_size(&dst->size_ib_pd, src->size_ib_pd);
	merge_size(&dst->size_ib_qp, src->size_ib_qp);
	merge_size(&dst->size_ib_rwq_ind_table, src->size_ib_rwq_ind_table);
	merge_size(&dst->size_ib_srq, src->size_ib_srq);
	merge_size(&dst->size_ib_ucontext, src->size_ib_ucontext);
	merge_size(&dst->size_ib_xrcd, src->size_ib_xrcd);
}

/*
 * Between these two members the table holds pointers and nothing else, so a merge can walk it
 * slot by slot: a slot that is empty takes what the other table has, a filled one stays.
 */
#define FIRST_SLOT offsetof(struct ib_device_ops, device_group)
#define SLOTS_END offsetof(struct ib_device_ops, size_ib_ah)

static void merge_pointers(struct ib_device_ops *dst, const struct ib_device_ops *src)
{
	void **to = (void *)dst + FIRST_SLOT;
	void *const *from = (const void *)src + FIRST_SLOT;
	size_t i;

	BUILD_BUG_ON(FIRST_SLOT % sizeof(void *));
	BUILD_BUG_ON((SLOTS_END - FIRST_SLOT) % sizeof(void *));
	BUILD_BUG_ON(offsetofend(struct ib_device_ops, get_numa_node) != SLOTS_END);
	for (i = 0; i < (SLOTS_END - FIRST_SLOT) / sizeof(void *); i++)
		if (!to[i])
			to[i] = from[i];
}

/*
 * ib_set_device_ops - add the operations of @ops to the device's
 *
 * What the device has already stays. Called before ib_register_device().
 */
void ib_set_device_ops(struct ib_device *dev, const struct ib_device_ops *ops)
{
	merge_identity(&dev->ops, ops);
	merge_pointers(&dev->ops, ops);
	merge_sizes(&dev->ops, ops);
}
EXPORT_SYMBOL(ib_set_device_ops);
