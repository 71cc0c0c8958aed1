// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * "DMA mapping" for software devices: the address is the kernel's own. The other ib_dma_*() calls
 * of such devices are inline in <rdma/ib_verbs.h>.
 */
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents)
{
	struct scatterlist *entry;
	int i;

	for_each_sg(sg, entry, nents, i) {
		sg_dma_address(entry) = (uintptr_t)sg_virt(entry);
		sg_dma_len(entry) = entry->length;
	}
	return nents;
}
EXPORT_SYMBOL(ib_dma_virt_map_sg);
