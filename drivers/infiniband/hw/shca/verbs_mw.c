// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_mw.c - memory windows: makes and ends their keys.  ib_uverbs calls in; what a window shows
 * is the business of work requests (engine/key.c).
 */
#include "verbs_mr.h"
#include "trace.h"
#include "udata.h"

static struct shca_mw *mw_of(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct shca_mw, ib);
}

static int alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct shca_dev *dev = shca_dev_of(ibmw->device);
	struct shca_region *region;
	u32 key;
	int err = shca_udata_check_empty(udata);

	if (!err)
		err = shca_verbs_mr_alloc_key(dev, &key);
	if (err)
		return err;
	region = shca_verbs_mr_alloc_region(ibmw->pd, key, 0);
	if (IS_ERR(region)) {
		err = PTR_ERR(region);
		goto free_key;
	}
	region->eng.kind = ibmw->type == IB_MW_TYPE_1 ? ENG_KEY_WINDOW1 : ENG_KEY_WINDOW2;
	err = eng_mr_publish(&region->eng);
	if (err)
		goto free_region;
	mw_of(ibmw)->region = region;
	ibmw->rkey = key;
	trace_shca_create("mw", key);
	return 0;

free_region:
	shca_verbs_mr_free_region(region);
free_key:
	shca_numbers_free(&dev->keys, key >> 8);
	return err;
}

/* A bound window is unbound by this (G058). */
static int dealloc_mw(struct ib_mw *ibmw)
{
	trace_shca_destroy("mw", ibmw->rkey);
	shca_verbs_mr_retire_region(shca_dev_of(ibmw->device), mw_of(ibmw)->region);
	return 0;
}

const struct ib_device_ops shca_verbs_mw_ops = {
	.alloc_mw = alloc_mw,
	.dealloc_mw = dealloc_mw,
	INIT_RDMA_OBJ_SIZE(ib_mw, shca_mw, ib),
};
