// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Walks a DMA-mapped scatter list in blocks of one power-of-two size (rdma_for_each_block()), for
 * drivers that tell a device its pages.
 */
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include <rdma/iter.h>

void __rdma_block_iter_start(struct ib_block_iter *iter, struct scatterlist *sglist,
			     unsigned int nents, unsigned long pgsz)
{
	memset(iter, 0, sizeof(*iter));
	iter->__sg = sglist;
	iter->__sg_nents = nents;
	/* The size is a power of two; the iterator keeps which. */
	iter->__pg_bit = __fls(pgsz);
}
EXPORT_SYMBOL(__rdma_block_iter_start);

bool __rdma_block_iter_next(struct ib_block_iter *iter)
{
	unsigned int step;

	if (!iter->__sg_nents || !iter->__sg)
		return false;

	iter->__dma_addr = sg_dma_address(iter->__sg) + iter->__sg_advance;
	/* The first block of an entry may begin in its middle; the next ones are aligned. */
	step = BIT_ULL(iter->__pg_bit) - (iter->__dma_addr & (BIT_ULL(iter->__pg_bit) - 1));
	if (sg_dma_len(iter->__sg) - iter->__sg_advance > step) {
		iter->__sg_advance += step;
	} else {
		iter->__sg_advance = 0;
		iter->__sg = sg_next(iter->__sg);
		iter->__sg_nents--;
	}
	return true;
}
EXPORT_SYMBOL(__rdma_block_iter_next);
