// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ring_memory.c - the pages that rings live in.  The rooms of QP, CQ and SRQ create and destroy
 * them; a process maps them through the command file, with the offset it was told.
 *
 * A ring page has one reference of the driver and one of each user mapping, so a mapping that
 * outlives its object, its context or the device keeps its own old pages and nobody else's.  The
 * doorbell page is different: its mapping goes through rdma_user_mmap_io(), which ib_uverbs
 * replaces by a zero page when the device is removed.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ring_memory.h"
#include "shca.h"

/* Up to here rings are physically contiguous: one allocation, and no vmalloc area per QP. */
#define CONTIGUOUS_MAX_BYTES	(8 * PAGE_SIZE)

static int alloc_pages_for(struct shca_ring_memory *mem)
{
	/* How much is a user's choice, and an error is answer enough: no line in the kernel log. */
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;

	if (mem->bytes <= CONTIGUOUS_MAX_BYTES) {
		gfp_t light = mem->bytes > PAGE_SIZE ? __GFP_NORETRY : 0;

		mem->vaddr = alloc_pages_exact(mem->bytes, gfp | light);
		mem->contiguous = mem->vaddr;
	}
	if (!mem->vaddr)
		mem->vaddr = __vmalloc(mem->bytes, gfp);
	return mem->vaddr ? 0 : -ENOMEM;
}

static void free_pages_of(struct shca_ring_memory *mem)
{
	if (mem->contiguous)
		free_pages_exact(mem->vaddr, mem->bytes);
	else
		vfree(mem->vaddr);
	kfree(mem);
}

struct page *shca_ring_memory_page(const struct shca_ring_memory *mem, size_t index)
{
	void *addr = mem->vaddr + index * PAGE_SIZE;

	return mem->contiguous ? virt_to_page(addr) : vmalloc_to_page(addr);
}

struct shca_mmap_info shca_ring_memory_info(const struct shca_ring_memory *mem)
{
	return (struct shca_mmap_info) {
		.offset = rdma_user_mmap_get_offset(&mem->entry),
		.size = mem->bytes,
	};
}

struct shca_ring_memory *shca_ring_memory_create(struct ib_ucontext *context, size_t bytes,
						 struct shca_mmap_info *info)
{
	struct shca_ring_memory *mem = kzalloc(sizeof(*mem), GFP_KERNEL_ACCOUNT);
	int err;

	if (!mem)
		return ERR_PTR(-ENOMEM);
	mem->bytes = PAGE_ALIGN(bytes);
	err = alloc_pages_for(mem);
	if (err)
		goto free_mem;
	if (context) {
		err = rdma_user_mmap_entry_insert(context, &mem->entry, mem->bytes);
		if (err)
			goto free_pages;
		mem->mapped = true;
	}
	if (context && info)
		*info = shca_ring_memory_info(mem);
	return mem;

free_pages:
	free_pages_of(mem);
	return ERR_PTR(err);
free_mem:
	kfree(mem);
	return ERR_PTR(err);
}

void shca_ring_memory_destroy(struct shca_ring_memory *mem)
{
	if (mem->mapped)
		rdma_user_mmap_entry_remove(&mem->entry);
	else
		free_pages_of(mem);
}

void shca_ring_memory_free_entry(struct rdma_user_mmap_entry *entry)
{
	struct shca_ucontext *context = container_of(entry->ucontext, struct shca_ucontext, ib);

	/* The doorbell page belongs to the device. */
	if (entry != &context->doorbell_entry)
		free_pages_of(container_of(entry, struct shca_ring_memory, entry));
}

static int map_ring(struct shca_ring_memory *mem, struct vm_area_struct *vma)
{
	size_t index, count = mem->bytes >> PAGE_SHIFT;
	int err;

	vma->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
	for (index = 0; index < count; index++) {
		err = vm_insert_page(vma, vma->vm_start + index * PAGE_SIZE,
				     shca_ring_memory_page(mem, index));
		if (err)
			return err;
	}
	return 0;
}

static int map_doorbell(struct shca_ucontext *context, struct vm_area_struct *vma,
			struct rdma_user_mmap_entry *entry)
{
	struct shca_dev *dev = shca_dev_of(context->ib.device);

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vma->vm_flags &= ~VM_MAYWRITE;
	return rdma_user_mmap_io(&context->ib, vma, page_to_pfn(dev->doorbell_page), PAGE_SIZE,
				 vma->vm_page_prot, entry);
}

int shca_ring_memory_mmap(struct ib_ucontext *ibcontext, struct vm_area_struct *vma)
{
	struct shca_ucontext *context = container_of(ibcontext, struct shca_ucontext, ib);
	struct rdma_user_mmap_entry *entry;
	int err = -EINVAL;

	if ((vma->vm_flags & VM_EXEC) || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/* Demands that offset and size are those of one entry. */
	entry = rdma_user_mmap_entry_get(ibcontext, vma);
	if (!entry)
		return -EINVAL;
	vma->vm_flags &= ~VM_MAYEXEC;
	if (entry == &context->doorbell_entry)
		err = map_doorbell(context, vma, entry);
	else
		err = map_ring(container_of(entry, struct shca_ring_memory, entry), vma);
	rdma_user_mmap_entry_put(entry);
	return err;
}
