// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * User memory: the room where a range of a process becomes a pinned, DMA-mapped scatterlist.
 *
 * Drivers call in through <rdma/ib_umem.h> (memory regions and, for some of them, queue buffers).
 * Out goes the memory manager (pinning, RLIMIT_MEMLOCK accounting) and the DMA layer of the
 * device.
 *
 * Life time: a umem holds one reference on the mm_struct it was charged to (mmgrab in
 * umem_alloc, mmdrop in umem_free), not on its address space, so a dying process is never kept
 * alive by a registration. The pages are held by long-term pins until ib_umem_release.
 */
#include <linux/error-injection.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/capability.h>
#include <linux/export.h>
#include <rdma/ib_umem.h>

/* Up to here the array of page pointers lives on the stack: most registrations are small. */
#define UMEM_STACK_PAGES	16
/* Pages asked from the memory manager at a time: one array of 32 KiB at most. */
#define UMEM_BATCH_PAGES	4096

/* to_ib_umem_dmabuf() and the release through ib_umem_release() need the umem in front. */
static_assert(offsetof(struct ib_umem_dmabuf, umem) == 0);

/* What one registration needs while it pins; gone when ib_umem_get returns. */
struct umem_pinning {
	struct ib_umem *umem;
	unsigned long next;		/* page-aligned address of the next page to pin */
	unsigned long left_pages;
	unsigned int gup_flags;
	struct page **pages;
	unsigned int room;		/* entries of pages[] */
};

static struct ib_umem *umem_alloc(struct ib_device *device, unsigned long addr, size_t size,
				  int access)
{
	struct ib_umem *umem = kzalloc(sizeof(*umem), GFP_KERNEL);

	if (!umem)
		return NULL;
	umem->ibdev = device;
	umem->address = addr;
	umem->length = size;
	/* Drivers overwrite it when the device address differs (ib_umem_find_best_pgsz). */
	umem->iova = addr;
	umem->writable = ib_access_writable(access);
	umem->owning_mm = current->mm;
	mmgrab(umem->owning_mm);
	return umem;
}

static void umem_free(struct ib_umem *umem)
{
	mmdrop(umem->owning_mm);
	kfree(umem);
}

/*
 * Charge before pinning, so that two threads cannot both slip under the limit. The counter is
 * mm->pinned_vm, which long-term pinners share, and not locked_vm, which counts mlock() ranges.
 */
static int umem_charge(struct mm_struct *mm, unsigned long npages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	unsigned long total = atomic64_add_return(npages, &mm->pinned_vm);

	if (total <= limit || capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(npages, &mm->pinned_vm);
	return -ENOMEM;
}

static void umem_uncharge(struct mm_struct *mm, unsigned long npages)
{
	atomic64_sub(npages, &mm->pinned_vm);
}

/*
 * Forced pins (see below) do not look at the right to read, so it is looked at here. A process
 * that changes its mappings meanwhile gets one answer or the other.
 */
static int umem_check_readable(struct ib_umem *umem)
{
	struct mm_struct *mm = umem->owning_mm;
	VMA_ITERATOR(vmi, mm, umem->address);
	struct vm_area_struct *vma;
	int ret = 0;

	mmap_read_lock(mm);
	for_each_vma_range(vmi, vma, umem->address + umem->length) {
		if (!(vma->vm_flags & VM_READ)) {
			ret = -EFAULT;
			break;
		}
	}
	mmap_read_unlock(mm);
	return ret;
}

/*
 * Pin the next pages. Memory that the device only reads is pinned as if for writing
 * (FOLL_FORCE) all the same: a read pin of an untouched private page would take the shared zero
 * page or a page-cache page, and the device would go on reading that one after the process has
 * written and got its own copy. A read-only shared mapping has no such copies and refuses the
 * forced write, so there, and only there, a plain read pin is right.
 */
static noinline int umem_pin_some(struct umem_pinning *pin)
{
	unsigned int want = min_t(unsigned long, pin->left_pages, pin->room);
	int got;

	got = pin_user_pages_fast(pin->next, want, pin->gup_flags | FOLL_LONGTERM, pin->pages);
	if (got == -EFAULT && (pin->gup_flags & FOLL_FORCE))
		got = pin_user_pages_fast(pin->next, want, FOLL_LONGTERM, pin->pages);
	/* Zero pages without an error would loop for ever. */
	return got ? got : -EFAULT;
}
/* The memory manager's side has no place where tests can make it fail. */
ALLOW_ERROR_INJECTION(umem_pin_some, ERRNO);

static int umem_pin_all(struct umem_pinning *pin)
{
	struct ib_umem *umem = pin->umem;
	unsigned int max_segment = ib_dma_max_seg_size(umem->ibdev);
	int got, ret;

	while (pin->left_pages) {
		cond_resched();
		got = umem_pin_some(pin);
		if (got < 0)
			return got;
		pin->next += (unsigned long)got << PAGE_SHIFT;
		pin->left_pages -= got;
		/* Neighbouring pages end up in one entry, also across two batches. */
		ret = sg_alloc_append_table_from_pages(&umem->sgt_append, pin->pages, got, 0,
						       (unsigned long)got << PAGE_SHIFT,
						       max_segment, pin->left_pages, GFP_KERNEL);
		if (ret) {
			unpin_user_pages_dirty_lock(pin->pages, got, false);
			return ret;
		}
	}
	return 0;
}

/* Works on a half-built table too: what is in the table is pinned, nothing else is. */
static void umem_unpin_all(struct ib_umem *umem, bool dirty)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		unpin_user_page_range_dirty_lock(sg_page(sg), DIV_ROUND_UP(sg->length, PAGE_SIZE),
						 dirty);
		cond_resched();
	}
	sg_free_append_table(&umem->sgt_append);
}

static int umem_pin(struct ib_umem *umem, unsigned long npages)
{
	struct page *few[UMEM_STACK_PAGES];
	struct umem_pinning pin = {
		.umem = umem,
		.next = umem->address & PAGE_MASK,
		.left_pages = npages,
		.gup_flags = FOLL_WRITE | (umem->writable ? 0 : FOLL_FORCE),
		.pages = few,
		.room = UMEM_STACK_PAGES,
	};
	int ret;

	if (!umem->writable) {
		ret = umem_check_readable(umem);
		if (ret)
			return ret;
	}
	if (npages > UMEM_STACK_PAGES) {
		pin.room = min_t(unsigned long, npages, UMEM_BATCH_PAGES);
		pin.pages = kvmalloc_array(pin.room, sizeof(*pin.pages),
					   GFP_KERNEL | __GFP_NOWARN);
		if (!pin.pages)
			return -ENOMEM;
	}
	ret = umem_pin_all(&pin);
	if (ret)
		umem_unpin_all(umem, false);
	if (pin.pages != few)
		kvfree(pin.pages);
	return ret;
}

static int umem_check_range(unsigned long addr, size_t size)
{
	unsigned long end;

	/* The end must exist, also after rounding up to a whole page. */
	if (!size || check_add_overflow(addr, (unsigned long)size, &end) ||
	    PAGE_ALIGN(end) < end)
		return -EINVAL;
	/* The scatterlist counts its pages in 32 bits. */
	if ((PAGE_ALIGN(end) - (addr & PAGE_MASK)) >> PAGE_SHIFT > UINT_MAX)
		return -EINVAL;
	return 0;
}

struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access)
{
	unsigned long dma_attrs = access & IB_ACCESS_RELAXED_ORDERING ?
				  DMA_ATTR_WEAK_ORDERING : 0;
	unsigned long npages;
	struct ib_umem *umem;
	int ret;

	ret = umem_check_range(addr, size);
	if (ret)
		return ERR_PTR(ret);
	if (!can_do_mlock())
		return ERR_PTR(-EPERM);
	if (access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);

	umem = umem_alloc(device, addr, size, access);
	if (!umem)
		return ERR_PTR(-ENOMEM);
	npages = ib_umem_num_pages(umem);
	ret = umem_charge(umem->owning_mm, npages);
	if (ret)
		goto free;
	ret = umem_pin(umem, npages);
	if (ret)
		goto uncharge;
	ret = ib_dma_map_sgtable_attrs(device, &umem->sgt_append.sgt, DMA_BIDIRECTIONAL,
				       dma_attrs);
	if (ret)
		goto unpin;
	return umem;

unpin:
	umem_unpin_all(umem, false);
uncharge:
	umem_uncharge(umem->owning_mm, npages);
free:
	umem_free(umem);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(ib_umem_get);

/* The page count again at release: iova may have moved since, the address has not. */
static unsigned long umem_charged_pages(const struct ib_umem *umem)
{
	return (PAGE_ALIGN(umem->address + umem->length) - (umem->address & PAGE_MASK)) >>
	       PAGE_SHIFT;
}

void ib_umem_release(struct ib_umem *umem)
{
	if (!umem)
		return;
	if (umem->is_dmabuf) {
		ib_umem_dmabuf_release(to_ib_umem_dmabuf(umem));
		return;
	}
	ib_dma_unmap_sgtable_attrs(umem->ibdev, &umem->sgt_append.sgt, DMA_BIDIRECTIONAL, 0);
	umem_unpin_all(umem, umem->writable);
	umem_uncharge(umem->owning_mm, umem_charged_pages(umem));
	umem_free(umem);
}
EXPORT_SYMBOL(ib_umem_release);

/*
 * A page size P can carry the region when every piece starts at the same offset into its P-page
 * in bus addresses and in device addresses, and when all seams between pieces fall on multiples
 * of P. Both say: certain low address bits must be zero. So collect the offending bits; the
 * lowest one set is the largest P allowed.
 *
 * From the sizes that would hold the region in a single page the smallest is as good as any, and
 * hardware wastes less with it, hence the limit.
 */
static unsigned long umem_offending_bits(struct ib_umem *umem, unsigned long pgsz_bitmap)
{
	unsigned long dma_start, iova = umem->iova;
	unsigned long last = iova + umem->length - 1;
	unsigned long skip = umem->address & ~PAGE_MASK;
	unsigned int span_bits = fls64(iova ^ last), i;
	unsigned long bits = 0;
	struct scatterlist *sg;

	if (span_bits < BITS_PER_LONG)
		bits = pgsz_bitmap & GENMASK(BITS_PER_LONG - 1, span_bits);
	for_each_sgtable_dma_sg(&umem->sgt_append.sgt, sg, i) {
		dma_start = sg_dma_address(sg) + skip;
		bits |= dma_start ^ iova;
		iova += sg_dma_len(sg) - skip;
		if (i != umem->sgt_append.sgt.nents - 1)
			bits |= iova;
		skip = 0;
	}
	return bits;
}

unsigned long ib_umem_find_best_pgsz(struct ib_umem *umem, unsigned long pgsz_bitmap, u64 virt)
{
	unsigned long bits;

	umem->iova = virt;
	/* A device that only knows pages above PAGE_SIZE cannot take arbitrary user memory. */
	if (!(pgsz_bitmap & GENMASK(PAGE_SHIFT, 0)))
		return 0;
	bits = umem_offending_bits(umem, pgsz_bitmap);
	if (bits)
		pgsz_bitmap &= GENMASK(__ffs(bits), 0);
	return pgsz_bitmap ? BIT(__fls(pgsz_bitmap)) : 0;
}
EXPORT_SYMBOL(ib_umem_find_best_pgsz);

int ib_umem_copy_from(void *dst, struct ib_umem *umem, size_t offset, size_t length)
{
	size_t copied;

	if (offset > umem->length || length > umem->length - offset)
		return -EINVAL;
	copied = sg_pcopy_to_buffer(umem->sgt_append.sgt.sgl, umem->sgt_append.sgt.orig_nents,
				    dst, length, offset + ib_umem_offset(umem));
	return copied == length ? 0 : -EINVAL;
}
EXPORT_SYMBOL(ib_umem_copy_from);
