// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Scatter lists into memory regions: ib_map_mr_sg() for consumers, and ib_sg_to_pages(), which
 * drivers use to cut a list into pages of the region's size.
 */
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/*
 * ib_map_mr_sg - map the longest prefix of a DMA-mapped list that fits one region
 * @sg_offset: where in the first entry to begin; on return where in the next one to go on
 *
 * Returns how many entries were mapped in full, or -errno.
 */
int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		 unsigned int *sg_offset, unsigned int page_size)
{
	if (!mr->device->ops.map_mr_sg)
		return -EOPNOTSUPP;
	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg(mr, sg, sg_nents, sg_offset);
}
EXPORT_SYMBOL(ib_map_mr_sg);

/*
 * ib_map_mr_sg_pi - the same with a second list of protection information
 */
int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
		    unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size)
{
	if (!mr->device->ops.map_mr_sg_pi || WARN_ON_ONCE(mr->type != IB_MR_TYPE_INTEGRITY))
		return -EOPNOTSUPP;
	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg_pi(mr, data_sg, data_sg_nents, data_sg_offset,
					    meta_sg, meta_sg_nents, meta_sg_offset);
}
EXPORT_SYMBOL(ib_map_mr_sg_pi);

/* What has been laid out so far. */
struct page_walk {
	struct ib_mr *mr;
	int (*set_page)(struct ib_mr *mr, u64 addr);
	u64 end;	/* address behind the last byte laid out */
};

static u64 page_start(const struct ib_mr *mr, u64 addr)
{
	return addr & ~((u64)mr->page_size - 1);
}

/* An entry fits behind the last one when it goes on where that ended, or both at page borders. */
static bool fits(const struct page_walk *walk, u64 addr)
{
	if (addr == walk->end)
		return true;
	return page_start(walk->mr, addr) == addr && page_start(walk->mr, walk->end) == walk->end;
}

/* Lays out [addr, end); returns the address up to which the driver took pages. */
static u64 lay_out(struct page_walk *walk, u64 addr, u64 end, bool first, int *error)
{
	struct ib_mr *mr = walk->mr;
	u64 page = page_start(mr, addr);

	/* The page in which the last entry ended and this one begins is there already. */
	if (!first && addr == walk->end && page != addr)
		page += mr->page_size;
	for (; page < end; page += mr->page_size) {
		*error = walk->set_page(mr, page);
		if (*error < 0)
			return max(page, addr);
	}
	return end;
}

/*
 * ib_sg_to_pages - cut a DMA-mapped list into pages of mr->page_size
 * @sg_offset_p: where in the first entry to begin (may be NULL); on return how much of the entry
 *	after the mapped ones was mapped as well
 * @set_page: takes one page address; an error ends the walk
 *
 * Stops in front of a gap, which one region cannot hold. Sets mr->iova and mr->length. Returns the
 * number of entries mapped in full; an error only when nothing was mapped.
 */
int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents,
		   unsigned int *sg_offset_p, int (*set_page)(struct ib_mr *, u64))
{
	unsigned int offset = sg_offset_p ? *sg_offset_p : 0;
	struct page_walk walk = { .mr = mr, .set_page = set_page };
	struct scatterlist *sg;
	int error = 0;
	int i;

	if (unlikely(sg_nents <= 0 || offset > sg_dma_len(&sgl[0])))
		return -EINVAL;
	mr->iova = sg_dma_address(&sgl[0]) + offset;
	mr->length = 0;

	for_each_sg(sgl, sg, sg_nents, i) {
		u64 addr = sg_dma_address(sg) + offset;
		u64 end = sg_dma_address(sg) + sg_dma_len(sg);
		u64 done;

		if (i && !fits(&walk, addr))
			break;
		done = lay_out(&walk, addr, end, i == 0, &error);
		mr->length += done - addr;
		if (done != end || error < 0) {
			offset = done - sg_dma_address(sg);
			if (sg_offset_p)
				*sg_offset_p = offset;
			return i || offset ? i : error;
		}
		walk.end = end;
		offset = 0;
	}
	if (sg_offset_p)
		*sg_offset_p = 0;
	return i;
}
EXPORT_SYMBOL(ib_sg_to_pages);
