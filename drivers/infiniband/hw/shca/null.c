// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * null.c - the region that is nowhere: a device has one, and its key, which every process learns
 * with its context, is what ibv_alloc_null_mr() hands out.  device.c calls in.
 *
 * What is read through it comes from the kernel's page of zeroes, what is written goes to a page
 * that nothing reads.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "null.h"
#include "verbs_mr.h"

static int describe(struct shca_dev *dev, struct shca_region *region)
{
	int err;

	init_completion(&region->idle);
	region->blocks = kvmalloc_array(2, sizeof(*region->blocks), GFP_KERNEL);
	if (!region->blocks)
		return -ENOMEM;
	region->blocks[0] = page_address(ZERO_PAGE(0));
	region->blocks[1] = page_address(dev->null_sink);
	region->eng.dev = dev->eng;
	region->eng.blocks = region->blocks;
	region->eng.block_shift = PAGE_SHIFT;
	region->eng.identity = true;
	region->eng.null = true;
	region->eng.length = U64_MAX;
	region->eng.access = ENG_ACCESS_LOCAL_WRITE;
	err = shca_verbs_mr_alloc_key(dev, &region->eng.key);
	if (err)
		return err;
	err = eng_mr_publish(&region->eng);
	if (err)
		shca_numbers_free(&dev->keys, region->eng.key >> 8);
	return err;
}

int shca_null_create(struct shca_dev *dev)
{
	struct shca_region *region = kzalloc(sizeof(*region), GFP_KERNEL);
	int err = -ENOMEM;

	dev->null_sink = alloc_page(GFP_KERNEL);
	if (region && dev->null_sink)
		err = describe(dev, region);
	if (!err) {
		dev->null = region;
		return 0;
	}
	if (region)
		shca_verbs_mr_free_region(region);
	if (dev->null_sink)
		__free_page(dev->null_sink);
	return err;
}

void shca_null_destroy(struct shca_dev *dev)
{
	shca_verbs_mr_retire_region(dev, dev->null);
	__free_page(dev->null_sink);
}
