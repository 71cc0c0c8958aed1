// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Mappings of device memory into user space. Drivers call rdma_user_mmap_io() from their mmap
 * operation; each mapping is put on the list of its file, where ib_uverbs finds it when the device
 * goes and the mapping must be zapped. core_uverbs.h says what the two modules share.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

static struct core_umap_file *umap_file(const struct vm_area_struct *vma)
{
	/* struct ib_uverbs_file begins with it. */
	return vma->vm_file->private_data;
}

void rdma_umap_priv_init(struct rdma_umap_priv *priv, struct vm_area_struct *vma,
			 struct rdma_user_mmap_entry *entry)
{
	struct core_umap_file *file = umap_file(vma);

	priv->vma = vma;
	if (entry) {
		kref_get(&entry->ref);
		priv->entry = entry;
	}
	vma->vm_private_data = priv;

	mutex_lock(&file->lock);
	list_add(&priv->list, &file->maps);
	mutex_unlock(&file->lock);
}
EXPORT_SYMBOL(rdma_umap_priv_init);

/*
 * rdma_user_mmap_io - map device memory, tracked
 * @entry: the mmap entry it belongs to, which gets a reference; may be NULL
 *
 * Only from a driver's mmap operation as ib_uverbs calls it. -EINVAL unless the mapping is shared
 * and of that size.
 */
int rdma_user_mmap_io(struct ib_ucontext *ucontext, struct vm_area_struct *vma, unsigned long pfn,
		      unsigned long size, pgprot_t prot, struct rdma_user_mmap_entry *entry)
{
	struct rdma_umap_priv *priv;

	if (!(vma->vm_flags & VM_SHARED) || vma->vm_end - vma->vm_start != size)
		return -EINVAL;
	if (WARN_ON(!vma->vm_file ||
		    vma->vm_file->private_data != (void *)ucontext->ufile))
		return -EINVAL;

	priv = kzalloc(sizeof(*priv), GFP_KERNEL);
	if (!priv)
		return -ENOMEM;
	vma->vm_page_prot = prot;
	if (io_remap_pfn_range(vma, vma->vm_start, pfn, size, prot)) {
		kfree(priv);
		return -EAGAIN;
	}
	rdma_umap_priv_init(priv, vma, entry);
	return 0;
}
EXPORT_SYMBOL(rdma_user_mmap_io);
