// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_fast.c - fast registration of kernel consumers: a region whose pages a consumer lists and a
 * work request puts in force.  ib_core calls in, map_mr_sg in any context; engine/key.c executes.
 *
 * A region has room for two lists of pages, so that a list can be written while the last users of
 * the one before are still letting go.
 */
#include <linux/log2.h>
#include <linux/mm.h>

#include "verbs_mr.h"
#include "trace.h"

static struct shca_mr *mr_of(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct shca_mr, ib);
}

static struct ib_mr *alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct shca_dev *dev = shca_dev_of(pd->device);
	struct shca_region *region;
	struct ib_mr *mr;
	u32 key;
	int err;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > SHCA_MAX_FAST_PAGES)
		return ERR_PTR(-EINVAL);
	err = shca_verbs_mr_alloc_key(dev, &key);
	if (err)
		return ERR_PTR(err);
	region = shca_verbs_mr_alloc_region(pd, key, 0);
	if (IS_ERR(region)) {
		mr = ERR_CAST(region);
		goto free_key;
	}
	region->eng.kind = ENG_KEY_FAST;
	region->blocks = kvcalloc(2 * max_num_sg, sizeof(*region->blocks),
				  GFP_KERNEL | __GFP_NOWARN);
	if (!region->blocks) {
		shca_verbs_mr_free_region(region);
		mr = ERR_PTR(-ENOMEM);
		goto free_key;
	}
	mr = shca_verbs_mr_make(dev, region);
	if (IS_ERR(mr))
		goto free_key;
	mr_of(mr)->max_pages = max_num_sg;
	return mr;

free_key:
	shca_numbers_free(&dev->keys, key >> 8);
	return mr;
}

/* Called by ib_sg_to_pages(): addresses are kernel pointers, as the device has no DMA device. */
static int set_page(struct ib_mr *ibmr, u64 addr)
{
	struct shca_mr *mr = mr_of(ibmr);

	if (mr->pages == mr->max_pages)
		return -ENOMEM;
	mr->list[mr->pages++] = (u8 *)(uintptr_t)addr;
	return 0;
}

static int map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		     unsigned int *sg_offset)
{
	struct shca_mr *mr = mr_of(ibmr);
	struct shca_region *region = mr->region;
	int mapped;

	if (!is_power_of_2(ibmr->page_size))
		return -EINVAL;
	mr->pages = 0;
	mr->list = region->blocks;
	if (region->eng.blocks == (u8 *const *)mr->list)
		mr->list += mr->max_pages;
	mapped = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset, set_page);
	if (mapped < 0)
		return mapped;
	region->eng.plan = (struct eng_mr_plan) {
		.blocks = mr->list,
		.length = ibmr->length,
		.first_offset = ibmr->iova & (ibmr->page_size - 1),
		.block_shift = ilog2(ibmr->page_size),
	};
	return mapped;
}

const struct ib_device_ops shca_verbs_fast_ops = {
	.alloc_mr = alloc_mr,
	.map_mr_sg = map_mr_sg,
};
