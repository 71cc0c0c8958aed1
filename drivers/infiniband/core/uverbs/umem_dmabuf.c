// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * User memory that belongs to another device: a window into a dma-buf.
 *
 * Drivers call in through <rdma/ib_umem.h>; the dma-buf core goes out, and through it the exporter.
 * A driver that can follow moves passes move_notify and maps when it likes, holding the buffer's
 * reservation lock; one that cannot asks for a pinned buffer, which is mapped until the release.
 *
 * The mapping covers the whole buffer while the umem is a window of it, so the first and last
 * scatterlist entries of the window are trimmed while it is mapped and restored before it is
 * given back: the list belongs to the exporter.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

MODULE_IMPORT_NS(DMA_BUF);

/* The entries of the exporter's list that the window touches, and how many they are. */
static unsigned int dmabuf_find_window(struct ib_umem_dmabuf *buf)
{
	unsigned long start = ALIGN_DOWN(buf->umem.address, PAGE_SIZE);
	unsigned long end = ALIGN(buf->umem.address + buf->umem.length, PAGE_SIZE);
	unsigned int i, nents = 0;
	unsigned long pos = 0, next;
	struct scatterlist *sg;

	buf->first_sg = NULL;
	buf->last_sg = NULL;
	for_each_sgtable_dma_sg(buf->sgt, sg, i) {
		next = pos + sg_dma_len(sg);
		if (start < next && end > pos) {
			if (!nents) {
				buf->first_sg = sg;
				buf->first_sg_offset = start - min(start, pos);
			}
			nents++;
			buf->last_sg = sg;
			buf->last_sg_trim = next - min(next, end);
		}
		pos = next;
	}
	return end <= pos ? nents : 0;
}

static void dmabuf_trim(struct ib_umem_dmabuf *buf)
{
	sg_dma_address(buf->first_sg) += buf->first_sg_offset;
	sg_dma_len(buf->first_sg) -= buf->first_sg_offset;
	sg_dma_len(buf->last_sg) -= buf->last_sg_trim;
}

static void dmabuf_untrim(struct ib_umem_dmabuf *buf)
{
	sg_dma_len(buf->last_sg) += buf->last_sg_trim;
	sg_dma_len(buf->first_sg) += buf->first_sg_offset;
	sg_dma_address(buf->first_sg) -= buf->first_sg_offset;
}

static int dmabuf_map(struct ib_umem_dmabuf *buf)
{
	struct sg_table *sgt;
	unsigned int nents;

	sgt = dma_buf_map_attachment(buf->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	buf->sgt = sgt;
	nents = dmabuf_find_window(buf);
	if (!nents) {
		dma_buf_unmap_attachment(buf->attach, sgt, DMA_BIDIRECTIONAL);
		buf->sgt = NULL;
		return -EINVAL;
	}
	dmabuf_trim(buf);
	buf->umem.sgt_append.sgt.sgl = buf->first_sg;
	buf->umem.sgt_append.sgt.nents = nents;
	return 0;
}

int ib_umem_dmabuf_map_pages(struct ib_umem_dmabuf *buf)
{
	long left;
	int ret;

	dma_resv_assert_held(buf->attach->dmabuf->resv);
	if (!buf->sgt) {
		ret = dmabuf_map(buf);
		if (ret)
			return ret;
	}
	/* The exporter may still be moving the data to where the list points. */
	left = dma_resv_wait_timeout(buf->attach->dmabuf->resv, DMA_RESV_USAGE_KERNEL, false,
				     MAX_SCHEDULE_TIMEOUT);
	if (left < 0)
		return left;
	return left ? 0 : -ETIMEDOUT;
}
EXPORT_SYMBOL(ib_umem_dmabuf_map_pages);

void ib_umem_dmabuf_unmap_pages(struct ib_umem_dmabuf *buf)
{
	dma_resv_assert_held(buf->attach->dmabuf->resv);
	if (!buf->sgt)
		return;
	dmabuf_untrim(buf);
	dma_buf_unmap_attachment(buf->attach, buf->sgt, DMA_BIDIRECTIONAL);
	buf->sgt = NULL;
}
EXPORT_SYMBOL(ib_umem_dmabuf_unmap_pages);

static struct ib_umem_dmabuf *dmabuf_alloc(struct ib_device *device, unsigned long offset,
					   size_t size, int access)
{
	struct ib_umem_dmabuf *buf = kzalloc(sizeof(*buf), GFP_KERNEL);

	if (!buf)
		return NULL;
	buf->umem.ibdev = device;
	buf->umem.address = offset;
	buf->umem.iova = offset;
	buf->umem.length = size;
	buf->umem.writable = ib_access_writable(access);
	buf->umem.is_dmabuf = 1;
	return buf;
}

struct ib_umem_dmabuf *ib_umem_dmabuf_get(struct ib_device *device, unsigned long offset,
					  size_t size, int fd, int access,
					  const struct dma_buf_attach_ops *ops)
{
	struct ib_umem_dmabuf *buf;
	struct dma_buf *dmabuf;
	unsigned long end;
	int ret = -EINVAL;

	if (!size || check_add_overflow(offset, (unsigned long)size, &end) ||
	    PAGE_ALIGN(end) < end)
		return ERR_PTR(-EINVAL);
	if (!ops || !ops->move_notify)
		return ERR_PTR(-EINVAL);
	/* A device that works through the CPU has nothing an exporter could map for. */
	if (!device->dma_device)
		return ERR_PTR(-EOPNOTSUPP);
	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	if (dmabuf->size < end)
		goto put;
	buf = dmabuf_alloc(device, offset, size, access);
	if (!buf) {
		ret = -ENOMEM;
		goto put;
	}
	buf->attach = dma_buf_dynamic_attach(dmabuf, device->dma_device, ops, buf);
	if (IS_ERR(buf->attach)) {
		ret = PTR_ERR(buf->attach);
		goto free;
	}
	return buf;

free:
	kfree(buf);
put:
	dma_buf_put(dmabuf);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(ib_umem_dmabuf_get);

/* Never called for a pinned buffer; the dma-buf core wants a function to be there. */
static void dmabuf_refuse_move(struct dma_buf_attachment *attach)
{
	struct ib_umem_dmabuf *buf = attach->importer_priv;

	ibdev_warn_ratelimited(buf->umem.ibdev, "a pinned dma-buf was moved by its exporter\n");
}

static const struct dma_buf_attach_ops dmabuf_pinned_ops = {
	.allow_peer2peer = true,
	.move_notify = dmabuf_refuse_move,
};

struct ib_umem_dmabuf *ib_umem_dmabuf_get_pinned(struct ib_device *device, unsigned long offset,
						 size_t size, int fd, int access)
{
	struct ib_umem_dmabuf *buf;
	int ret;

	buf = ib_umem_dmabuf_get(device, offset, size, fd, access, &dmabuf_pinned_ops);
	if (IS_ERR(buf))
		return buf;
	dma_resv_lock(buf->attach->dmabuf->resv, NULL);
	ret = dma_buf_pin(buf->attach);
	if (!ret) {
		buf->pinned = 1;
		ret = ib_umem_dmabuf_map_pages(buf);
	}
	dma_resv_unlock(buf->attach->dmabuf->resv);
	if (!ret)
		return buf;
	ib_umem_dmabuf_release(buf);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(ib_umem_dmabuf_get_pinned);

void ib_umem_dmabuf_release(struct ib_umem_dmabuf *buf)
{
	struct dma_buf *dmabuf = buf->attach->dmabuf;

	dma_resv_lock(dmabuf->resv, NULL);
	ib_umem_dmabuf_unmap_pages(buf);
	if (buf->pinned)
		dma_buf_unpin(buf->attach);
	dma_resv_unlock(dmabuf->resv);
	dma_buf_detach(dmabuf, buf->attach);
	dma_buf_put(dmabuf);
	kfree(buf);
}
