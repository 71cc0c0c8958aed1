// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Memory for a driver's counters (struct rdma_hw_stats): drivers allocate, sysfs reads. */
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

/*
 * rdma_alloc_hw_stats_struct - room for @num_counters counters
 * @descs: names and flags, which outlive the struct; optional counters begin disabled
 * @lifespan: how long values stay fresh, in milliseconds
 */
struct rdma_hw_stats *rdma_alloc_hw_stats_struct(const struct rdma_stat_desc *descs,
						 int num_counters, unsigned long lifespan)
{
	struct rdma_hw_stats *stats;
	int i;

	if (num_counters < 0)
		return NULL;
	stats = kzalloc(struct_size(stats, value, num_counters), GFP_KERNEL);
	if (!stats)
		return NULL;
	stats->is_disabled = bitmap_zalloc(num_counters, GFP_KERNEL);
	if (!stats->is_disabled) {
		kfree(stats);
		return NULL;
	}
	for (i = 0; i < num_counters; i++)
		if (descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			set_bit(i, stats->is_disabled);
	stats->descs = descs;
	stats->num_counters = num_counters;
	stats->lifespan = msecs_to_jiffies(lifespan);
	mutex_init(&stats->lock);
	return stats;
}
EXPORT_SYMBOL(rdma_alloc_hw_stats_struct);

/*
 * rdma_free_hw_stats_struct - the reverse; NULL is fine
 */
void rdma_free_hw_stats_struct(struct rdma_hw_stats *stats)
{
	if (!stats)
		return;
	bitmap_free(stats->is_disabled);
	kfree(stats);
}
EXPORT_SYMBOL(rdma_free_hw_stats_struct);
