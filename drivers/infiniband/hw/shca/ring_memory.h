/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ring_memory.h - zeroed pages for rings, seen by the kernel and mapped by one process.
 */
#ifndef SHCA_RING_MEMORY_H
#define SHCA_RING_MEMORY_H

#include <rdma/ib_verbs.h>
#include <rdma/shca-abi.h>

struct shca_dev;

struct shca_ring_memory {
	void *vaddr;
	size_t bytes;				/* whole pages */
	bool contiguous;			/* from the page allocator, not vmalloc */
	bool mapped;				/* entry is in the context's table */
	struct rdma_user_mmap_entry entry;
};

/*
 * @context NULL: for a kernel consumer, no mapping.  Fills @info (may be NULL) for the process.
 * ERR_PTR(-ENOMEM) when there is no memory or no room in the table.
 */
struct shca_ring_memory *shca_ring_memory_create(struct ib_ucontext *context, size_t bytes,
						 struct shca_mmap_info *info);
/* Where the process of @mem's context maps it. */
struct shca_mmap_info shca_ring_memory_info(const struct shca_ring_memory *mem);
/* The page that byte @index * PAGE_SIZE lies in. */
struct page *shca_ring_memory_page(const struct shca_ring_memory *mem, size_t index);
/* The kernel may not look at it any more; what a process has mapped stays with the process. */
void shca_ring_memory_destroy(struct shca_ring_memory *mem);

/* The mmap and mmap_free operations of the device. */
int shca_ring_memory_mmap(struct ib_ucontext *context, struct vm_area_struct *vma);
void shca_ring_memory_free_entry(struct rdma_user_mmap_entry *entry);

#endif
