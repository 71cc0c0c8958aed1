/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The private face of ib_uverbs: the character device, the open file, and the tables both doors
 * are decoded with. Included by every room of the module; call.h is what a verb body sees.
 *
 * Lock order, outermost first:
 *	uverbs_client_add/remove	(serialised per device by ib_core)
 *	ib_uverbs_device.files_lock	the list of open files
 *	ib_uverbs_file.teardown_lock	who tears objects down: close, removal, close of an event fd
 *	ib_uverbs_device.disassociate_srcu (read side: every system call on the file)
 *	ib_uverbs_file.context_lock	creation of the user context
 *	ib_uverbs_device.xrcd_lock, mcast_lock	(neither within the other)
 *	mm->mmap_lock
 *	ib_uverbs_file.umap.lock	the I/O mappings
 *	ib_uverbs_file.objects_lock	(spin) the list of live objects
 * synchronize_srcu() runs with none of the others held.
 *
 * Life time, as a proof of what may still hold what when a thing is freed:
 *
 * ib_uverbs_device is freed when its struct device's last reference goes. Holders are the
 *	registration (dropped in uverbs_device_remove), the character device while an inode or an
 *	open is using it, and each ib_uverbs_file.
 * ib_uverbs_file is freed when its kref drops to zero. Holders are the struct file (dropped in
 *	release()), each uobject of class fd (dropped in uverbs_uobject_fd_release(), that is, by
 *	the close of that fd), and uverbs_disassociate_device() for the time it works on the file.
 * The ib_ucontext and all hardware objects end in uverbs_uobject_teardown(), which runs exactly
 *	once per context, under teardown_lock, called by release() or by the removal of the device,
 *	whoever is first. At that time no system call is inside: release() is called after the last
 *	one ended, removal waited for them with synchronize_srcu(). An event fd closing at the same
 *	time takes teardown_lock itself.
 * An ib_uobject's memory ends with its kref: the file's table holds one while the handle is valid,
 *	an fd's struct file holds one, and each call that looked it up holds one.
 * The ib_device outlives the ib_uverbs_device's use of it: removal returns only after every file
 *	has been torn down (a driver without disassociate_ucontext: after every file was closed).
 */
#ifndef _UVERBS_H
#define _UVERBS_H

#include <linux/cdev.h>
#include <linux/kref.h>
#include <linux/srcu.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_std_types.h>

#include "../core_uverbs.h"
#include "uapi.h"

struct ib_uverbs_async_event_file;

struct ib_uverbs_device {
	struct device dev;
	struct cdev cdev;
	int devnum;			/* N of uverbsN */
	u32 num_comp_vectors;
	/* Read side held by every system call; ib_dev turns NULL before removal waits for them. */
	struct srcu_struct disassociate_srcu;
	struct ib_device __rcu *ib_dev;
	struct uverbs_api *uapi;	/* immutable; freed with the device */
	/* Registration holds one, each open file one; the removal of a driver that cannot
	 * disassociate waits for zero.
	 */
	refcount_t users;
	struct completion users_gone;
	struct mutex files_lock;	/* protects files */
	struct list_head files;		/* ib_uverbs_file.node */
	/* Rooted here because an XRC domain outlives the file that opened it. */
	struct mutex xrcd_lock;		/* protects xrcd_tree and the domains' inode links */
	struct rb_root xrcd_tree;
	struct mutex mcast_lock;	/* protects the list of groups of each QP */
};

struct ib_uverbs_file {
	struct core_umap_file umap;	/* first: ib_core knows this much of the file */
	struct kref ref;
	struct ib_uverbs_device *device;
	struct list_head node;		/* in device->files, under device->files_lock */
	struct mutex teardown_lock;
	struct mutex context_lock;
	/* Published with release after it is complete; read with acquire. */
	struct ib_ucontext *ucontext;
	/* Where CQ, QP and SRQ report async events unless told otherwise. Set once; holds a
	 * reference on its uobject, dropped with the file. Under context_lock while NULL.
	 */
	struct ib_uverbs_async_event_file *default_async_file;
	struct module *pinned_module;	/* of a driver without disassociate_ucontext, until close */
	/* Under umap.lock: what writable mappings show after removal. */
	struct page *removed_page;
	spinlock_t objects_lock;
	struct list_head objects;	/* ib_uobject.list, newest first, under objects_lock */
	struct xarray handles;		/* handle -> ib_uobject, also hidden ones */
};
static_assert(offsetof(struct ib_uverbs_file, umap) == 0);

/* file.c */
extern const struct file_operations uverbs_file_ops;
void uverbs_file_put(struct ib_uverbs_file *ufile);
/* The first async event file of a context becomes its default; later ones change nothing. */
void uverbs_file_set_default_async(struct ib_uverbs_file *ufile,
				   struct ib_uverbs_async_event_file *file);
static inline void uverbs_file_get(struct ib_uverbs_file *ufile)
{
	kref_get(&ufile->ref);
}

/* device.c */
int uverbs_device_start(void);
void uverbs_device_stop(void);
void uverbs_device_get(struct ib_uverbs_device *dev);
void uverbs_device_put(struct ib_uverbs_device *dev);
/* False once removal has begun to wait; each true one is undone by uverbs_device_unuse(). */
bool uverbs_device_use(struct ib_uverbs_device *dev);
void uverbs_device_unuse(struct ib_uverbs_device *dev);

/* disassociate.c */
void uverbs_disassociate_device(struct ib_uverbs_device *dev);

/* umap.c */
extern const struct vm_operations_struct uverbs_umap_ops;
void uverbs_umap_zap(struct ib_uverbs_file *ufile);

/* decode_ioctl.c, decode_write.c: the two doors, called with disassociate_srcu read-held. */
long uverbs_ioctl_decode(struct ib_uverbs_file *ufile, unsigned int cmd, unsigned long arg);
ssize_t uverbs_write_decode(struct ib_uverbs_file *ufile, const char __user *buf, size_t count);
/* The command behind the number of a write header; ERR_PTR when this device has none. */
const struct uverbs_api_method *uverbs_write_method(struct uverbs_api *uapi, u32 command);
/* The write door reached through ioctl: handler of UVERBS_METHOD_INVOKE_WRITE. */
int uverbs_ioctl_invoke_write(struct uverbs_attr_bundle *attrs);

#endif
