// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * I/O mappings of a file: vm_ops for what drivers map with rdma_user_mmap_io(). The memory manager
 * calls in at fork, split, unmap and fault; disassociate.c calls in to zap. ib_core links each
 * mapping into ib_uverbs_file.umap when it is made.
 *
 * A zapped mapping stays in its process: reads and writes go to a page of ordinary memory that has
 * nothing to do with the device, so a program that polls a doorbell page meets no signal.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uverbs.h"

static struct ib_uverbs_file *umap_file(const struct vm_area_struct *vma)
{
	return vma->vm_file->private_data;
}

static void umap_drop(struct rdma_umap_priv *priv)
{
	if (priv->entry)
		rdma_user_mmap_entry_put(priv->entry);
	kfree(priv);
}

/* The mapping shows nothing of the device from now on. Under mmap_lock or before anyone runs. */
static void umap_blank(struct vm_area_struct *vma)
{
	vma->vm_private_data = NULL;
	zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}

/* Fork and split: the new vma begins as a copy, with the old one's private data. */
static void umap_open(struct vm_area_struct *vma)
{
	struct ib_uverbs_file *ufile = umap_file(vma);
	struct rdma_umap_priv *old = vma->vm_private_data;
	struct srcu_struct *srcu = &ufile->device->disassociate_srcu;
	struct rdma_umap_priv *priv;
	int key;

	if (!old)
		return;
	key = srcu_read_lock(srcu);
	/* Once the device is gone the old one is, or is about to be, zapped: never copy it. */
	if (!srcu_dereference(ufile->device->ib_dev, srcu))
		goto blank;
	priv = kzalloc(sizeof(*priv), GFP_KERNEL);
	if (!priv)
		goto blank;
	rdma_umap_priv_init(priv, vma, old->entry);
	srcu_read_unlock(srcu, key);
	return;

blank:
	srcu_read_unlock(srcu, key);
	umap_blank(vma);
}

static void umap_close(struct vm_area_struct *vma)
{
	struct ib_uverbs_file *ufile = umap_file(vma);
	struct rdma_umap_priv *priv;

	mutex_lock(&ufile->umap.lock);
	priv = vma->vm_private_data;
	if (priv) {
		list_del(&priv->list);
		vma->vm_private_data = NULL;
	}
	mutex_unlock(&ufile->umap.lock);
	/* The driver's mmap_free() may run here, so the lock is not held. An entry still ours
	 * keeps the removal of the device waiting: uverbs_umap_zap() takes what it finds unclosed.
	 */
	if (priv)
		umap_drop(priv);
}

/* Only after a zap, or for a copy that could not be made, is there a fault to answer. */
static vm_fault_t umap_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct ib_uverbs_file *ufile = umap_file(vma);
	vm_fault_t ret = 0;

	if (vma->vm_private_data)
		return VM_FAULT_SIGBUS;
	if (!(vma->vm_flags & (VM_WRITE | VM_MAYWRITE))) {
		vmf->page = ZERO_PAGE(vmf->address);
		get_page(vmf->page);
		return 0;
	}
	mutex_lock(&ufile->umap.lock);
	if (!ufile->removed_page)
		ufile->removed_page = alloc_page(vmf->gfp_mask | __GFP_ZERO);
	if (ufile->removed_page) {
		vmf->page = ufile->removed_page;
		get_page(vmf->page);
	} else {
		ret = VM_FAULT_OOM;
	}
	mutex_unlock(&ufile->umap.lock);
	return ret;
}

const struct vm_operations_struct uverbs_umap_ops = {
	.open = umap_open,
	.close = umap_close,
	.fault = umap_fault,
};

/* The process of the first mapping, with a reference on its address space; NULL when it exits. */
static struct mm_struct *first_mm(struct ib_uverbs_file *ufile)
{
	struct rdma_umap_priv *priv;
	struct mm_struct *mm;

	lockdep_assert_held(&ufile->umap.lock);
	priv = list_first_entry(&ufile->umap.maps, struct rdma_umap_priv, list);
	mm = priv->vma->vm_mm;
	return mmget_not_zero(mm) ? mm : NULL;
}

/*
 * No thread of an exiting process can touch the mapping, and its vma is closed without our help
 * soon. Only the entry must not wait for that: its driver is leaving.
 */
static struct rdma_user_mmap_entry *take_exiting(struct ib_uverbs_file *ufile)
{
	struct rdma_user_mmap_entry *entry;
	struct rdma_umap_priv *priv;

	lockdep_assert_held(&ufile->umap.lock);
	priv = list_first_entry(&ufile->umap.maps, struct rdma_umap_priv, list);
	list_del_init(&priv->list);
	entry = priv->entry;
	priv->entry = NULL;
	return entry;
}

static void zap_mm(struct ib_uverbs_file *ufile, struct mm_struct *mm)
{
	struct rdma_umap_priv *priv, *next;
	LIST_HEAD(gone);

	mmap_write_lock(mm);
	mutex_lock(&ufile->umap.lock);
	list_for_each_entry_safe(priv, next, &ufile->umap.maps, list) {
		struct vm_area_struct *vma = priv->vma;

		if (vma->vm_mm != mm)
			continue;
		list_move(&priv->list, &gone);
		umap_blank(vma);
	}
	mutex_unlock(&ufile->umap.lock);
	mmap_write_unlock(mm);
	list_for_each_entry_safe(priv, next, &gone, list)
		umap_drop(priv);
}

/*
 * Called with no system call inside, so no mapping is added but by fork of one that is in the list,
 * which umap_open() refuses. Each round takes at least one mapping off the list.
 */
void uverbs_umap_zap(struct ib_uverbs_file *ufile)
{
	struct rdma_user_mmap_entry *entry;
	struct mm_struct *mm;

	lockdep_assert_held(&ufile->teardown_lock);
	mutex_lock(&ufile->umap.lock);
	while (!list_empty(&ufile->umap.maps)) {
		mm = first_mm(ufile);
		entry = mm ? NULL : take_exiting(ufile);
		/* mmap_lock comes before umap.lock, and mmap_free() is the driver's. */
		mutex_unlock(&ufile->umap.lock);
		if (mm) {
			zap_mm(ufile, mm);
			mmput(mm);
		} else if (entry) {
			rdma_user_mmap_entry_put(entry);
		}
		mutex_lock(&ufile->umap.lock);
	}
	mutex_unlock(&ufile->umap.lock);
}
