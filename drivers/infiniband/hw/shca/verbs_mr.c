// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_mr.c - registers memory: pins it, describes it to the engine as blocks of kernel addresses,
 * and gives it a key.  ib_core calls in, ib_umem does the pinning, the engine looks keys up.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "shca.h"
#include "trace.h"
#include "udata.h"
#include "verbs_mr.h"

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

static struct shca_mr *mr_of(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct shca_mr, ib);
}

void shca_verbs_mr_idle(struct eng_mr *eng)
{
	complete(&container_of(eng, struct shca_mr, eng)->idle);
}

/*
 * Pinned pages come as stretches that are contiguous in the kernel's view too.  Blocks need not be
 * aligned to anything in it, so the largest block is the largest power of two that divides the
 * distances between the ends of stretches, and block 0 begins where the first end falls on the grid.
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

static int describe_umem(struct shca_mr *mr, struct ib_umem *umem, u64 start)
{
	u64 first_end, lead, span = 0, count;
	struct scatterlist *sg;
	u32 shift;
	int i;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i)
		span += sg->length;
	shift = best_block_shift(umem, &first_end);
	lead = umem->sgt_append.sgt.orig_nents == 1 ? 0 : -first_end & ((1ULL << shift) - 1);
	count = (lead + span + (1ULL << shift) - 1) >> shift;

	mr->blocks = kvmalloc_array(count, sizeof(*mr->blocks), GFP_KERNEL_ACCOUNT);
	if (!mr->blocks)
		return -ENOMEM;
	list_blocks(umem, mr->blocks, shift, lead);
	mr->eng.blocks = mr->blocks;
	mr->eng.block_shift = shift;
	mr->eng.first_offset = lead + (start & ~PAGE_MASK);
	return 0;
}

static struct shca_mr *alloc_mr_struct(struct ib_pd *pd, u32 access)
{
	struct shca_dev *dev = shca_dev_of(pd->device);
	struct shca_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = shca_numbers_alloc_key(&dev->keys, &mr->eng.key, GFP_KERNEL);
	if (err) {
		kfree(mr);
		return ERR_PTR(err == -EBUSY ? -ENOMEM : err);
	}
	init_completion(&mr->idle);
	mr->eng.dev = dev->eng;
	mr->eng.pd = shca_pd_identity(pd);
	mr->eng.access = access & ACCESS_ENGINE;
	mr->ib.lkey = mr->eng.key;
	mr->ib.rkey = mr->eng.key;
	return mr;
}

/* The key is free, nobody of the engine refers to the region. */
static void free_mr_struct(struct shca_dev *dev, struct shca_mr *mr)
{
	shca_numbers_free(&dev->keys, mr->eng.key >> 8);
	if (mr->umem)
		ib_umem_release(mr->umem);
	kvfree(mr->blocks);
	kfree_rcu(mr, rcu);
}

static struct ib_mr *publish(struct shca_dev *dev, struct shca_mr *mr)
{
	int err = eng_mr_publish(&mr->eng);

	if (err) {
		free_mr_struct(dev, mr);
		return ERR_PTR(err);
	}
	trace_shca_create("mr", mr->eng.key);
	return &mr->ib;
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				 int access, struct ib_udata *udata)
{
	struct shca_dev *dev = shca_dev_of(pd->device);
	struct ib_umem *umem;
	struct shca_mr *mr;
	int err = shca_udata_check_empty(udata);

	if (err)
		return ERR_PTR(err);
	if (access & ~ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || length > dev->ib.attrs.max_mr_size || virt_addr + length - 1 < virt_addr)
		return ERR_PTR(-EINVAL);
	umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	mr = alloc_mr_struct(pd, access);
	if (IS_ERR(mr)) {
		ib_umem_release(umem);
		return ERR_CAST(mr);
	}
	mr->umem = umem;
	mr->eng.iova = virt_addr;
	mr->eng.length = length;
	mr->ib.iova = virt_addr;
	mr->ib.length = length;
	err = describe_umem(mr, umem, start);
	if (err) {
		free_mr_struct(dev, mr);
		return ERR_PTR(err);
	}
	return publish(dev, mr);
}

/*
 * A changed region is a new one under a new key, which ib_uverbs puts in the place of the old one:
 * a key never means two things, and a failure leaves the old region as it was.
 */
static struct ib_mr *rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				   u64 virt_addr, int access, struct ib_pd *pd,
				   struct ib_udata *udata)
{
	struct shca_mr *old = mr_of(ibmr);

	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (!old->umem)
		return ERR_PTR(-EINVAL);
	if (!(flags & IB_MR_REREG_TRANS)) {
		start = old->umem->address;
		length = old->umem->length;
		virt_addr = old->eng.iova;
	}
	if (!(flags & IB_MR_REREG_ACCESS))
		access = old->eng.access;
	return reg_user_mr(flags & IB_MR_REREG_PD ? pd : ibmr->pd, start, length, virt_addr, access,
			   udata);
}

static int dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct shca_mr *mr = mr_of(ibmr);

	trace_shca_destroy("mr", mr->eng.key);
	eng_mr_retire(&mr->eng);
	wait_for_completion(&mr->idle);
	free_mr_struct(shca_dev_of(ibmr->device), mr);
	return 0;
}

/* Kernel consumers: addresses are kernel pointers, because the device has no DMA device. */
static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	struct shca_mr *mr;

	if (access & ~ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	mr = alloc_mr_struct(pd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->eng.identity = true;
	mr->eng.length = U64_MAX;
	return publish(shca_dev_of(pd->device), mr);
}

const struct ib_device_ops shca_verbs_mr_ops = {
	.reg_user_mr = reg_user_mr,
	.rereg_user_mr = rereg_user_mr,
	.dereg_mr = dereg_mr,
	.get_dma_mr = get_dma_mr,
};
