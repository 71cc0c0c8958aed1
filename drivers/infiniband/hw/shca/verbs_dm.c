// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_dm.c - device memory: pages that the process maps, copies to and from, and registers.
 * ib_uverbs calls in.  The software device's memory is the host's; there is a fixed amount per
 * device.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "verbs_mr.h"
#include "trace.h"

static struct shca_dm *dm_of(struct ib_dm *ibdm)
{
	return container_of(ibdm, struct shca_dm, ib);
}

/* Takes @bytes of the device's amount. */
static int charge(struct shca_dev *dev, u64 bytes)
{
	if (atomic64_add_return(bytes, &dev->dm_bytes) <= SHCA_MAX_DM_BYTES)
		return 0;
	atomic64_sub(bytes, &dev->dm_bytes);
	return -ENOMEM;
}

static int answer(struct uverbs_attr_bundle *attrs, const struct shca_mmap_info *map)
{
	struct shca_alloc_dm_resp resp = { .map = *map };

	return uverbs_copy_to_struct_or_zero(attrs, SHCA_ATTR_ALLOC_DM_RESP, &resp, sizeof(resp));
}

/* attr->alignment is a power of two's logarithm; pages are as far as it goes. */
static struct ib_dm *alloc_dm(struct ib_device *ib, struct ib_ucontext *context,
			      struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	struct shca_dev *dev = shca_dev_of(ib);
	struct shca_mmap_info map = {};
	struct shca_dm *dm;
	int err;

	if (!attr->length || attr->length > SHCA_MAX_DM_BYTES || attr->alignment > PAGE_SHIFT)
		return ERR_PTR(-EINVAL);
	dm = kzalloc(sizeof(*dm), GFP_KERNEL_ACCOUNT);
	if (!dm)
		return ERR_PTR(-ENOMEM);
	err = charge(dev, PAGE_ALIGN(attr->length));
	if (err)
		goto free_dm;
	dm->mem = shca_ring_memory_create(context, attr->length, &map);
	if (IS_ERR(dm->mem)) {
		err = PTR_ERR(dm->mem);
		goto uncharge;
	}
	err = answer(attrs, &map);
	if (err)
		goto destroy_mem;
	trace_shca_create("dm", (u32)attr->length);
	return &dm->ib;

destroy_mem:
	shca_ring_memory_destroy(dm->mem);
uncharge:
	atomic64_sub(PAGE_ALIGN(attr->length), &dev->dm_bytes);
free_dm:
	kfree(dm);
	return ERR_PTR(err);
}

/* Mappings of the process keep their pages; regions are gone (usecnt). */
static int dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs)
{
	struct shca_dm *dm = dm_of(ibdm);
	u64 bytes = dm->mem->bytes;

	trace_shca_destroy("dm", ibdm->length);
	shca_ring_memory_destroy(dm->mem);
	atomic64_sub(bytes, &shca_dev_of(ibdm->device)->dm_bytes);
	kfree(dm);
	return 0;
}

/* A process that was handed the command file learns what its maker was told. */
static int query_dm(struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *ibdm = uverbs_attr_get_obj(attrs, SHCA_ATTR_DM_QUERY_HANDLE);
	struct shca_query_dm_resp resp;

	if (IS_ERR(ibdm))
		return PTR_ERR(ibdm);
	resp = (struct shca_query_dm_resp) {
		.map = shca_ring_memory_info(dm_of(ibdm)->mem),
		.length = ibdm->length,
	};
	return uverbs_copy_to_struct_or_zero(attrs, SHCA_ATTR_DM_QUERY_RESP, &resp, sizeof(resp));
}

static int describe(struct shca_region *region, const struct shca_ring_memory *mem,
		    const struct ib_dm_mr_attr *attr)
{
	size_t first = attr->offset >> PAGE_SHIFT;
	size_t count = PAGE_ALIGN((attr->offset & ~PAGE_MASK) + attr->length) >> PAGE_SHIFT;
	size_t i;

	region->blocks = kvmalloc_array(count, sizeof(*region->blocks),
					GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!region->blocks)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		region->blocks[i] = page_address(shca_ring_memory_page(mem, first + i));
	region->eng.blocks = region->blocks;
	region->eng.block_shift = PAGE_SHIFT;
	region->eng.first_offset = attr->offset & ~PAGE_MASK;
	region->eng.length = attr->length;
	return 0;
}

/* Addresses are offsets into the region, which may be empty: ib_uverbs wants IB_ZERO_BASED. */
static struct ib_mr *reg_dm_mr(struct ib_pd *pd, struct ib_dm *ibdm, struct ib_dm_mr_attr *attr,
			       struct uverbs_attr_bundle *attrs)
{
	struct shca_dev *dev = shca_dev_of(pd->device);
	struct shca_region *region;
	struct ib_mr *mr;
	u32 key;
	int err;

	err = shca_verbs_mr_alloc_key(dev, &key);
	if (err)
		return ERR_PTR(err);
	region = shca_verbs_mr_alloc_region(pd, key, attr->access_flags);
	if (IS_ERR(region)) {
		mr = ERR_CAST(region);
		goto free_key;
	}
	err = describe(region, dm_of(ibdm)->mem, attr);
	if (err) {
		shca_verbs_mr_free_region(region);
		mr = ERR_PTR(err);
		goto free_key;
	}
	mr = shca_verbs_mr_make(dev, region);
	if (IS_ERR(mr))
		goto free_key;
	return mr;

free_key:
	shca_numbers_free(&dev->keys, key >> 8);
	return mr;
}

static const struct uverbs_attr_def *const alloc_attrs[] = {
	UVERBS_ATTR_PTR_OUT(SHCA_ATTR_ALLOC_DM_RESP, UVERBS_ATTR_TYPE(struct shca_alloc_dm_resp),
			    UA_MANDATORY),
};

static const struct uverbs_method_def alloc_method = {
	.id = UVERBS_METHOD_DM_ALLOC,
	.num_attrs = ARRAY_SIZE(alloc_attrs),
	.attrs = &alloc_attrs,
};

static const struct uverbs_attr_def *const query_attrs[] = {
	UVERBS_ATTR_IDR(SHCA_ATTR_DM_QUERY_HANDLE, UVERBS_OBJECT_DM, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(SHCA_ATTR_DM_QUERY_RESP,
			    UVERBS_ATTR_STRUCT(struct shca_query_dm_resp, length), UA_MANDATORY),
};

static const struct uverbs_method_def query_method = {
	.id = SHCA_METHOD_DM_QUERY,
	.handler = query_dm,
	.num_attrs = ARRAY_SIZE(query_attrs),
	.attrs = &query_attrs,
};

static const struct uverbs_method_def *const methods[] = { &alloc_method, &query_method };

static const struct uverbs_object_def object = {
	.id = UVERBS_OBJECT_DM,
	.num_methods = ARRAY_SIZE(methods),
	.methods = &methods,
};

const struct uapi_definition shca_verbs_dm_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &object),
	{}
};

const struct ib_device_ops shca_verbs_dm_ops = {
	.alloc_dm = alloc_dm,
	.dealloc_dm = dealloc_dm,
	.reg_dm_mr = reg_dm_mr,
};
