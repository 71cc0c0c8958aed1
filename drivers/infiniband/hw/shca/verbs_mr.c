// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_mr.c - registers memory: pins it, describes it to the engine as blocks of kernel addresses,
 * and gives it a key.  ib_core calls in, ib_umem does the pinning, the engine looks keys up.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "verbs_mr.h"
#include "trace.h"
#include "udata.h"

/* Largest block: beyond it a region has more than one. */
#define MAX_BLOCK_SHIFT	30

#define ACCESS_KNOWN (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
		      IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ACCESS_HUGETLB | \
		      IB_ACCESS_OPTIONAL)

static_assert((int)ENG_ACCESS_LOCAL_WRITE == (int)IB_ACCESS_LOCAL_WRITE);
static_assert((int)ENG_ACCESS_REMOTE_WRITE == (int)IB_ACCESS_REMOTE_WRITE);
static_assert((int)ENG_ACCESS_REMOTE_READ == (int)IB_ACCESS_REMOTE_READ);
static_assert((int)ENG_ACCESS_REMOTE_ATOMIC == (int)IB_ACCESS_REMOTE_ATOMIC);
static_assert((int)ENG_ACCESS_MW_BIND == (int)IB_ACCESS_MW_BIND);

#define ACCESS_ENGINE (ENG_ACCESS_LOCAL_WRITE | ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ | \
		       ENG_ACCESS_REMOTE_ATOMIC | ENG_ACCESS_MW_BIND)

/* What a region is made from. */
struct mr_range {
	u64 start;			/* user address */
	u64 length;			/* bytes */
	u64 iova;			/* address that work requests use for start */
	int access;
};

static struct shca_mr *mr_of(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct shca_mr, ib);
}

void shca_verbs_mr_idle(struct eng_mr *eng)
{
	complete(&container_of(eng, struct shca_region, eng)->idle);
}

/*
 * Pinned pages come as stretches that are contiguous in the kernel's view too.  Blocks need not be
 * aligned to anything in it, so the largest block is the largest power of two that divides the
 * distances between the ends of stretches, and block 0 begins where the first end falls on the
 * grid.
 */
static u32 best_block_shift(struct ib_umem *umem, u64 *first_end)
{
	struct sg_table *sgt = &umem->sgt_append.sgt;
	struct scatterlist *sg;
	u64 end = 0, distances = 0;
	int i;

	*first_end = 0;
	for_each_sgtable_sg(sgt, sg, i) {
		end += sg->length;
		if (!i)
			*first_end = end;
		else if (i + 1 < (int)sgt->orig_nents)
			distances |= end - *first_end;
	}
	if (sgt->orig_nents == 1)
		return min_t(u32, max_t(u32, order_base_2(end), PAGE_SHIFT), MAX_BLOCK_SHIFT);
	return distances ? min_t(u32, __ffs64(distances), MAX_BLOCK_SHIFT) : MAX_BLOCK_SHIFT;
}

/* Fills @blocks; the first may begin in front of the first stretch, where nobody will look. */
static void list_blocks(struct ib_umem *umem, u8 **blocks, u32 shift, u64 lead)
{
	u64 block_bytes = 1ULL << shift, grid = lead;
	struct scatterlist *sg;
	int i;

	/* grid: where on the blocks' axis the stretch begins. */
	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		u8 *start = page_address(sg_page(sg));
		u64 at = grid & ~(block_bytes - 1);

		for (; at < grid + sg->length; at += block_bytes)
			blocks[at >> shift] = start + (s64)(at - grid);
		grid += sg->length;
	}
}

static int describe_umem(struct shca_region *region, u64 start)
{
	struct sg_table *sgt = &region->umem->sgt_append.sgt;
	u64 first_end, lead, span = 0, count;
	struct scatterlist *sg;
	u32 shift;
	int i;

	for_each_sgtable_sg(sgt, sg, i)
		span += sg->length;
	shift = best_block_shift(region->umem, &first_end);
	lead = sgt->orig_nents == 1 ? 0 : -first_end & ((1ULL << shift) - 1);
	count = (lead + span + (1ULL << shift) - 1) >> shift;

	region->blocks = kvmalloc_array(count, sizeof(*region->blocks),
					GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!region->blocks)
		return -ENOMEM;
	list_blocks(region->umem, region->blocks, shift, lead);
	region->eng.blocks = region->blocks;
	region->eng.block_shift = shift;
	region->eng.first_offset = lead + (start & ~PAGE_MASK);
	return 0;
}

struct shca_region *shca_verbs_mr_alloc_region(struct ib_pd *pd, u32 key, int access)
{
	struct shca_region *region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);

	if (!region)
		return ERR_PTR(-ENOMEM);
	init_completion(&region->idle);
	region->eng.dev = shca_dev_of(pd->device)->eng;
	region->eng.pd = shca_pd_identity(pd);
	region->eng.key = key;
	region->eng.access = access & ACCESS_ENGINE;
	return region;
}

void shca_verbs_mr_free_region(struct shca_region *region)
{
	if (region->umem)
		ib_umem_release(region->umem);
	kvfree(region->blocks);
	kfree_rcu(region, rcu);
}

static struct shca_region *make_user_region(struct ib_pd *pd, u32 key, const struct mr_range *range)
{
	struct shca_dev *dev = shca_dev_of(pd->device);
	struct shca_region *region;
	int err;

	if (range->access & ~ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	if (!range->length || range->length > dev->ib.attrs.max_mr_size ||
	    range->iova + range->length - 1 < range->iova)
		return ERR_PTR(-EINVAL);
	region = shca_verbs_mr_alloc_region(pd, key, range->access);
	if (IS_ERR(region))
		return region;
	region->eng.iova = range->iova;
	region->eng.length = range->length;
	region->umem = ib_umem_get(pd->device, range->start, range->length, range->access);
	if (IS_ERR(region->umem)) {
		err = PTR_ERR(region->umem);
		region->umem = NULL;
	} else {
		err = describe_umem(region, range->start);
	}
	if (err) {
		shca_verbs_mr_free_region(region);
		return ERR_PTR(err);
	}
	return region;
}

struct ib_mr *shca_verbs_mr_make(struct shca_dev *dev, struct shca_region *region)
{
	struct shca_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	int err = mr ? eng_mr_publish(&region->eng) : -ENOMEM;

	if (err) {
		kfree(mr);
		shca_verbs_mr_free_region(region);
		return ERR_PTR(err);
	}
	mr->region = region;
	mr->ib.lkey = region->eng.key;
	mr->ib.rkey = region->eng.key;
	mr->ib.iova = region->eng.iova;
	mr->ib.length = region->eng.length;
	trace_shca_create("mr", region->eng.key);
	return &mr->ib;
}

int shca_verbs_mr_alloc_key(struct shca_dev *dev, u32 *key)
{
	int err = shca_numbers_alloc_key(&dev->keys, key, GFP_KERNEL);

	return err == -EBUSY ? -ENOMEM : err;
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				 int access, struct ib_udata *udata)
{
	const struct mr_range range = { start, length, virt_addr, access };
	struct shca_dev *dev = shca_dev_of(pd->device);
	struct shca_region *region;
	struct ib_mr *mr;
	u32 key;
	int err = shca_udata_check_empty(udata);

	if (!err)
		err = shca_verbs_mr_alloc_key(dev, &key);
	if (err)
		return ERR_PTR(err);
	region = make_user_region(pd, key, &range);
	mr = IS_ERR(region) ? ERR_CAST(region) : shca_verbs_mr_make(dev, region);
	if (IS_ERR(mr))
		shca_numbers_free(&dev->keys, key >> 8);
	return mr;
}

static void wait_and_free(struct shca_region *region)
{
	wait_for_completion(&region->idle);
	shca_verbs_mr_free_region(region);
}

/*
 * The new meaning of the key is made whole before it takes the place of the old one, so a failure
 * changes nothing, and a work request meets either the one or the other.
 */
static struct ib_mr *rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				   u64 virt_addr, int access, struct ib_pd *pd,
				   struct ib_udata *udata)
{
	struct shca_mr *mr = mr_of(ibmr);
	struct shca_region *old = mr->region, *region;
	struct mr_range range = { start, length, virt_addr, access };
	int err = shca_udata_check_empty(udata);

	if (err)
		return ERR_PTR(err);
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (!old->umem)
		return ERR_PTR(-EINVAL);
	if (!(flags & IB_MR_REREG_TRANS)) {
		range.start = old->umem->address;
		range.length = old->umem->length;
		range.iova = old->eng.iova;
	}
	if (!(flags & IB_MR_REREG_ACCESS))
		range.access = old->eng.access & ACCESS_ENGINE;
	region = make_user_region(flags & IB_MR_REREG_PD ? pd : ibmr->pd, old->eng.key, &range);
	if (IS_ERR(region))
		return ERR_CAST(region);
	/* G023: a window's view of the memory would go with it. */
	err = eng_mr_seal(&old->eng);
	if (err) {
		shca_verbs_mr_free_region(region);
		return ERR_PTR(err);
	}
	eng_mr_replace(&old->eng, &region->eng);
	mr->region = region;
	ibmr->iova = region->eng.iova;
	ibmr->length = region->eng.length;
	wait_and_free(old);
	return NULL;
}

void shca_verbs_mr_retire_region(struct shca_dev *dev, struct shca_region *region)
{
	u32 index = region->eng.key >> 8;

	eng_mr_retire(&region->eng);
	wait_and_free(region);
	shca_numbers_free(&dev->keys, index);
}

static int dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct shca_dev *dev = shca_dev_of(ibmr->device);
	struct shca_mr *mr = mr_of(ibmr);
	/* C069, G023: not while windows are bound to it. */
	int err = eng_mr_seal(&mr->region->eng);

	if (err)
		return err;
	trace_shca_destroy("mr", mr->region->eng.key);
	shca_verbs_mr_retire_region(dev, mr->region);
	kfree(mr);
	return 0;
}

/* Kernel consumers: addresses are kernel pointers, because the device has no DMA device. */
static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	struct shca_dev *dev = shca_dev_of(pd->device);
	struct shca_region *region;
	struct ib_mr *mr;
	u32 key;
	int err;

	if (access & ~ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	err = shca_verbs_mr_alloc_key(dev, &key);
	if (err)
		return ERR_PTR(err);
	region = shca_verbs_mr_alloc_region(pd, key, access);
	if (!IS_ERR(region)) {
		region->eng.identity = true;
		region->eng.length = U64_MAX;
	}
	mr = IS_ERR(region) ? ERR_CAST(region) : shca_verbs_mr_make(dev, region);
	if (IS_ERR(mr))
		shca_numbers_free(&dev->keys, key >> 8);
	return mr;
}

const struct ib_device_ops shca_verbs_mr_ops = {
	.reg_user_mr = reg_user_mr,
	.rereg_user_mr = rereg_user_mr,
	.dereg_mr = dereg_mr,
	.get_dma_mr = get_dma_mr,
};
