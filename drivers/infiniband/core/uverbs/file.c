// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The open file of /dev/infiniband/uverbsN. The VFS calls in; out go the two doors, the driver's
 * mmap, and at the end the teardown of everything that the file owns.
 *
 * Each operation runs as an SRCU reader of the device, so the ib_device it found stays until the
 * operation is over; after removal it finds none and answers EIO.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <rdma/ib.h>

#include "events.h"
#include "uobject.h"
#include "uverbs.h"

static void file_free(struct kref *ref)
{
	struct ib_uverbs_file *ufile = container_of(ref, struct ib_uverbs_file, ref);
	struct ib_uverbs_device *dev = ufile->device;

	/* Close has torn everything down, and every fd object is closed. */
	WARN_ON(ufile->ucontext || !list_empty(&ufile->objects));
	if (ufile->default_async_file)
		uverbs_uobject_put(&ufile->default_async_file->uobj);
	if (ufile->removed_page)
		__free_page(ufile->removed_page);
	xa_destroy(&ufile->handles);
	mutex_destroy(&ufile->umap.lock);
	mutex_destroy(&ufile->teardown_lock);
	mutex_destroy(&ufile->context_lock);
	kfree(ufile);
	uverbs_device_put(dev);
}

void uverbs_file_put(struct ib_uverbs_file *ufile)
{
	kref_put(&ufile->ref, file_free);
}

void uverbs_file_set_default_async(struct ib_uverbs_file *ufile,
				   struct ib_uverbs_async_event_file *file)
{
	uverbs_uobject_get(&file->uobj);
	/* Readers see a complete file or none. */
	if (cmpxchg_release(&ufile->default_async_file, NULL, file))
		uverbs_uobject_put(&file->uobj);
}

static struct ib_uverbs_file *file_alloc(struct ib_uverbs_device *dev)
{
	struct ib_uverbs_file *ufile = kzalloc(sizeof(*ufile), GFP_KERNEL_ACCOUNT);

	if (!ufile)
		return NULL;
	mutex_init(&ufile->umap.lock);
	INIT_LIST_HEAD(&ufile->umap.maps);
	kref_init(&ufile->ref);
	ufile->device = dev;
	INIT_LIST_HEAD(&ufile->node);
	mutex_init(&ufile->teardown_lock);
	mutex_init(&ufile->context_lock);
	spin_lock_init(&ufile->objects_lock);
	INIT_LIST_HEAD(&ufile->objects);
	xa_init_flags(&ufile->handles, XA_FLAGS_ALLOC);
	return ufile;
}

static int uverbs_file_open(struct inode *inode, struct file *filp)
{
	struct ib_uverbs_device *dev = container_of(inode->i_cdev, struct ib_uverbs_device, cdev);
	struct ib_uverbs_file *ufile;
	struct ib_device *ibdev;
	int srcu, ret;

	if (!uverbs_device_use(dev))
		return -ENXIO;
	uverbs_device_get(dev);
	srcu = srcu_read_lock(&dev->disassociate_srcu);
	ibdev = srcu_dereference(dev->ib_dev, &dev->disassociate_srcu);
	ret = -EIO;
	if (!ibdev)
		goto undo;
	ret = -EPERM;
	if (!rdma_dev_access_netns(ibdev, current->nsproxy->net_ns))
		goto undo;
	ret = -ENOMEM;
	ufile = file_alloc(dev);
	if (!ufile)
		goto undo;
	/* A driver that cannot let go of a user context must stay while there is one. */
	if (!ibdev->ops.disassociate_ucontext) {
		ret = -ENODEV;
		if (!try_module_get(ibdev->ops.owner)) {
			kfree(ufile);
			goto undo;
		}
		ufile->pinned_module = ibdev->ops.owner;
	}
	filp->private_data = ufile;
	mutex_lock(&dev->files_lock);
	list_add_tail(&ufile->node, &dev->files);
	mutex_unlock(&dev->files_lock);
	srcu_read_unlock(&dev->disassociate_srcu, srcu);
	return stream_open(inode, filp);

undo:
	srcu_read_unlock(&dev->disassociate_srcu, srcu);
	uverbs_device_unuse(dev);
	uverbs_device_put(dev);
	return ret;
}

static int uverbs_file_release(struct inode *inode, struct file *filp)
{
	struct ib_uverbs_file *ufile = filp->private_data;

	/* Torn down before it leaves the list: removal waits for whoever is in the list. */
	uverbs_uobject_teardown(ufile, RDMA_REMOVE_CLOSE);
	mutex_lock(&ufile->device->files_lock);
	list_del_init(&ufile->node);
	mutex_unlock(&ufile->device->files_lock);
	/* Nothing of the driver is left, although event fds may still hold the file. */
	module_put(ufile->pinned_module);
	uverbs_device_unuse(ufile->device);
	uverbs_file_put(ufile);
	return 0;
}

static long uverbs_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct ib_uverbs_file *ufile = filp->private_data;
	struct srcu_struct *srcu = &ufile->device->disassociate_srcu;
	int key = srcu_read_lock(srcu);
	long ret = uverbs_ioctl_decode(ufile, cmd, arg);

	srcu_read_unlock(srcu, key);
	return ret;
}

static ssize_t uverbs_file_write(struct file *filp, const char __user *buf, size_t count,
				 loff_t *pos)
{
	struct ib_uverbs_file *ufile = filp->private_data;
	struct srcu_struct *srcu = &ufile->device->disassociate_srcu;
	ssize_t ret;
	int key;

	/* Data written names memory of the writer: a file handed to a program with other rights
	 * (stderr of a set-uid program, say) must not make that program act for us.
	 */
	if (!ib_safe_file_access(filp)) {
		pr_warn_once("uverbs: %s[%d] wrote to a file opened under other credentials\n",
			     current->comm, task_tgid_vnr(current));
		return -EACCES;
	}
	key = srcu_read_lock(srcu);
	ret = uverbs_write_decode(ufile, buf, count);
	srcu_read_unlock(srcu, key);
	return ret;
}

static int uverbs_file_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct ib_uverbs_file *ufile = filp->private_data;
	struct srcu_struct *srcu = &ufile->device->disassociate_srcu;
	struct ib_ucontext *ucontext;
	struct ib_device *ibdev;
	int key = srcu_read_lock(srcu);
	int ret = -EIO;

	ibdev = srcu_dereference(ufile->device->ib_dev, srcu);
	if (!ibdev)
		goto unlock;
	ucontext = ib_uverbs_get_ucontext_file(ufile);
	if (IS_ERR(ucontext)) {
		ret = PTR_ERR(ucontext);
		goto unlock;
	}
	ret = -EOPNOTSUPP;
	if (!ibdev->ops.mmap)
		goto unlock;
	/* For drivers that map device memory with rdma_user_mmap_io(); others set their own. */
	vma->vm_ops = &uverbs_umap_ops;
	vma->vm_private_data = NULL;
	ret = ibdev->ops.mmap(ucontext, vma);
	/* The memory manager closes no vma whose mmap() failed. */
	if (ret && vma->vm_ops == &uverbs_umap_ops)
		uverbs_umap_ops.close(vma);
unlock:
	srcu_read_unlock(srcu, key);
	return ret;
}

const struct file_operations uverbs_file_ops = {
	.owner = THIS_MODULE,
	.open = uverbs_file_open,
	.release = uverbs_file_release,
	.write = uverbs_file_write,
	.unlocked_ioctl = uverbs_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = uverbs_file_mmap,
	.llseek = no_llseek,
};
