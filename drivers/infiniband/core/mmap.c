// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Mmap entries: which offsets of a user context's file a driver offers for mmap(). A driver inserts
 * an entry, tells user space its offset, finds it again in its mmap operation, and gets mmap_free()
 * when the entry was removed and the last mapping is gone.
 *
 * Every page offset of an entry's range points to it in ucontext->mmap_xa. References: one belongs
 * to the driver until rdma_user_mmap_entry_remove(), one to each mapping. Changes of the table are
 * serialised by its xa_lock; finding a free range and filling it, which may sleep for memory, by
 * range_mutex.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* Ranges are looked for when objects are made, which is not a hot path: one mutex for all. */
static DEFINE_MUTEX(range_mutex);

/* The first free offset at or after @start; the array keeps marks of what is free. */
static unsigned long next_free(struct xarray *xa, unsigned long start, u32 max)
{
	XA_STATE(xas, xa, start);

	xas_lock(&xas);
	xas_find_marked(&xas, max, XA_FREE_MARK);
	xas_unlock(&xas);
	return xas.xa_node == XAS_RESTART ? (unsigned long)max + 1 : xas.xa_index;
}

/* The first range of npages free offsets in [min, max]. */
static int find_range(struct xarray *xa, u32 npages, u32 min, u32 max, u32 *first)
{
	unsigned long start = next_free(xa, min, max), taken;

	lockdep_assert_held(&range_mutex);
	while (start <= max && npages - 1 <= max - start) {
		taken = start;
		if (!xa_find(xa, &taken, start + npages - 1, XA_PRESENT)) {
			*first = start;
			return 0;
		}
		start = next_free(xa, taken + 1, max);
	}
	return -ENOMEM;
}

static int fill_range(struct xarray *xa, struct rdma_user_mmap_entry *entry)
{
	u32 i;
	int ret;

	lockdep_assert_held(&range_mutex);
	for (i = 0; i < entry->npages; i++) {
		ret = xa_insert(xa, entry->start_pgoff + i, entry, GFP_KERNEL);
		if (ret)
			goto undo;
	}
	return 0;
undo:
	while (i-- > 0)
		xa_erase(xa, entry->start_pgoff + i);
	return ret;
}

/*
 * rdma_user_mmap_entry_insert_range - offer @length bytes at some offset in [min, max] pages
 *
 * The entry is part of a struct of the driver's. -ENOMEM also means that no range is free.
 */
int rdma_user_mmap_entry_insert_range(struct ib_ucontext *ucontext,
				      struct rdma_user_mmap_entry *entry, size_t length,
				      u32 min_pgoff, u32 max_pgoff)
{
	size_t npages = DIV_ROUND_UP(length, PAGE_SIZE);
	u32 first;
	int ret;

	if (!entry)
		return -EINVAL;
	if (!npages || npages > U32_MAX)
		return -ENOMEM;
	kref_init(&entry->ref);
	entry->ucontext = ucontext;
	entry->npages = npages;
	entry->driver_removed = false;

	mutex_lock(&range_mutex);
	ret = find_range(&ucontext->mmap_xa, npages, min_pgoff, max_pgoff, &first);
	if (!ret) {
		entry->start_pgoff = first;
		ret = fill_range(&ucontext->mmap_xa, entry);
	}
	mutex_unlock(&range_mutex);
	return ret;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_insert_range);

int rdma_user_mmap_entry_insert(struct ib_ucontext *ucontext, struct rdma_user_mmap_entry *entry,
				size_t length)
{
	return rdma_user_mmap_entry_insert_range(ucontext, entry, length, 0, U32_MAX);
}
EXPORT_SYMBOL(rdma_user_mmap_entry_insert);

/*
 * rdma_user_mmap_entry_get_pgoff - the entry that begins at an offset, with a reference
 *
 * NULL when there is none, or the driver has removed it.
 */
struct rdma_user_mmap_entry *rdma_user_mmap_entry_get_pgoff(struct ib_ucontext *ucontext,
							    unsigned long pgoff)
{
	struct rdma_user_mmap_entry *entry;

	if (pgoff > U32_MAX)
		return NULL;
	xa_lock(&ucontext->mmap_xa);
	entry = xa_load(&ucontext->mmap_xa, pgoff);
	if (entry && (entry->start_pgoff != pgoff || entry->driver_removed ||
		      !kref_get_unless_zero(&entry->ref)))
		entry = NULL;
	xa_unlock(&ucontext->mmap_xa);
	return entry;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_get_pgoff);

/*
 * rdma_user_mmap_entry_get - the entry that a mapping covers exactly, with a reference
 */
struct rdma_user_mmap_entry *rdma_user_mmap_entry_get(struct ib_ucontext *ucontext,
						      struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;

	if (!(vma->vm_flags & VM_SHARED))
		return NULL;
	entry = rdma_user_mmap_entry_get_pgoff(ucontext, vma->vm_pgoff);
	if (entry && entry->npages << PAGE_SHIFT != vma->vm_end - vma->vm_start) {
		rdma_user_mmap_entry_put(entry);
		entry = NULL;
	}
	return entry;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_get);

static void release_entry(struct kref *kref)
{
	struct rdma_user_mmap_entry *entry = container_of(kref, struct rdma_user_mmap_entry, ref);
	struct ib_ucontext *ucontext = entry->ucontext;
	size_t i;

	xa_lock(&ucontext->mmap_xa);
	for (i = 0; i < entry->npages; i++)
		__xa_erase(&ucontext->mmap_xa, entry->start_pgoff + i);
	xa_unlock(&ucontext->mmap_xa);
	if (ucontext->device->ops.mmap_free)
		ucontext->device->ops.mmap_free(entry);
}

void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry)
{
	kref_put(&entry->ref, release_entry);
}
EXPORT_SYMBOL(rdma_user_mmap_entry_put);

/*
 * rdma_user_mmap_entry_remove - no new mappings; mmap_free() follows when the last one is gone
 */
void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry)
{
	if (!entry)
		return;
	xa_lock(&entry->ucontext->mmap_xa);
	entry->driver_removed = true;
	xa_unlock(&entry->ucontext->mmap_xa);
	kref_put(&entry->ref, release_entry);
}
EXPORT_SYMBOL(rdma_user_mmap_entry_remove);
