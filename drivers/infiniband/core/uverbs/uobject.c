// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * User objects. Two classes: idr objects have a handle in the file's table, fd objects are files
 * of their own. dispatch.c creates, finds and destroys them for a call; release() of the file and
 * the removal of the device end them all. Out go the destroy_object() functions of the types.
 *
 * usecnt says who uses an object now: n > 0 calls that share it, 0 nobody, USE_EXCLUSIVE one call
 * alone (a WRITE lookup, or its destroyer), USE_HIDDEN its creator, and nobody else finds it. It
 * only rises from a value that allows it, so of two destroyers one gets EBUSY, and a destroyer gets
 * EBUSY while others use the object.
 */
#include <linux/anon_inodes.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "uobject.h"
#include "events.h"
#include "uverbs.h"
#include "trace.h"

#define USE_EXCLUSIVE	(-1)
#define USE_HIDDEN	(-2)

static const struct uverbs_obj_idr_type *idr_type(const struct ib_uobject *uobj)
{
	return container_of(uobj->uapi_object->type_attrs, struct uverbs_obj_idr_type, type);
}

static const struct uverbs_obj_fd_type *fd_type(const struct uverbs_api_object *obj)
{
	return container_of(obj->type_attrs, struct uverbs_obj_fd_type, type);
}

static void uobject_free(struct kref *ref)
{
	/* Lookups by handle read the table under RCU alone. */
	kfree_rcu(container_of(ref, struct ib_uobject, ref), rcu);
}

void uverbs_uobject_put(struct ib_uobject *uobject)
{
	kref_put(&uobject->ref, uobject_free);
}
EXPORT_SYMBOL(uverbs_uobject_put);

static int use_begin(struct ib_uobject *uobj, enum rdma_lookup_mode mode)
{
	switch (mode) {
	case UVERBS_LOOKUP_READ:
		return atomic_inc_unless_negative(&uobj->usecnt) ? 0 : -EBUSY;
	case UVERBS_LOOKUP_WRITE:
		return atomic_cmpxchg(&uobj->usecnt, 0, USE_EXCLUSIVE) == 0 ? 0 : -EBUSY;
	case UVERBS_LOOKUP_DESTROY:
		return 0;
	}
	return -EINVAL;
}

static void use_end(struct ib_uobject *uobj, enum rdma_lookup_mode mode)
{
	switch (mode) {
	case UVERBS_LOOKUP_READ:
		WARN_ON_ONCE(atomic_dec_return(&uobj->usecnt) < 0);
		break;
	case UVERBS_LOOKUP_WRITE:
		WARN_ON_ONCE(atomic_read(&uobj->usecnt) != USE_EXCLUSIVE);
		atomic_set_release(&uobj->usecnt, 0);
		break;
	case UVERBS_LOOKUP_DESTROY:
		break;
	}
}

static struct ib_uobject *uobject_alloc(const struct uverbs_api_object *obj,
					struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj;

	/* Before GET_CONTEXT there is nothing an object could belong to. */
	if (!attrs->context)
		return ERR_PTR(-EINVAL);
	uobj = kzalloc(obj->type_attrs->obj_size, GFP_KERNEL_ACCOUNT);
	if (!uobj)
		return ERR_PTR(-ENOMEM);
	uobj->ufile = attrs->ufile;
	uobj->context = attrs->context;
	uobj->uapi_object = obj;
	INIT_LIST_HEAD(&uobj->list);
	kref_init(&uobj->ref);
	atomic_set(&uobj->usecnt, USE_HIDDEN);
	return uobj;
}

/* From here on others can find it, and end it. Pairs with the lookups' own change of usecnt. */
static void publish(struct ib_uobject *uobj)
{
	atomic_set_release(&uobj->usecnt, 0);
}

/* ---- idr objects ---- */

static void idr_uncharge(struct ib_uobject *uobj)
{
	ib_rdmacg_uncharge(&uobj->cg_obj, uobj->context->device, RDMACG_RESOURCE_HCA_OBJECT);
}

static struct ib_uobject *idr_begin(const struct uverbs_api_object *obj,
				    struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uobject_alloc(obj, attrs);
	u32 handle;
	int ret;

	if (IS_ERR(uobj))
		return uobj;
	/* The table takes over the creator's reference when the object is published. */
	ret = xa_alloc(&attrs->ufile->handles, &handle, uobj, XA_LIMIT(0, INT_MAX),
		       GFP_KERNEL_ACCOUNT);
	if (ret)
		goto put_uobj;
	uobj->id = handle;
	ret = ib_rdmacg_try_charge(&uobj->cg_obj, uobj->context->device,
				   RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		goto erase;
	return uobj;

erase:
	xa_erase(&attrs->ufile->handles, handle);
put_uobj:
	uverbs_uobject_put(uobj);
	return ERR_PTR(ret);
}

static void idr_abort(struct ib_uobject *uobj)
{
	idr_uncharge(uobj);
	xa_erase(&uobj->ufile->handles, uobj->id);
}

static struct ib_uobject *idr_lookup(const struct uverbs_api_object *obj,
				     struct ib_uverbs_file *ufile, s64 id,
				     enum rdma_lookup_mode mode)
{
	struct ib_uobject *uobj;

	if (id < 0)
		return ERR_PTR(-EINVAL);
	rcu_read_lock();
	uobj = xa_load(&ufile->handles, id);
	if (!uobj || atomic_read(&uobj->usecnt) == USE_HIDDEN || !kref_get_unless_zero(&uobj->ref))
		uobj = ERR_PTR(-ENOENT);
	rcu_read_unlock();
	return uobj;
}

static void idr_lookup_end(struct ib_uobject *uobj, enum rdma_lookup_mode mode)
{
}

static int idr_destroy_hw(struct ib_uobject *uobj, enum rdma_remove_reason why,
			  struct uverbs_attr_bundle *attrs)
{
	int ret = idr_type(uobj)->destroy_object(uobj, why, attrs);

	/* An aborted object is uncharged with its handle. */
	if (!ret && why != RDMA_REMOVE_ABORT)
		idr_uncharge(uobj);
	return ret;
}

static void idr_remove_handle(struct ib_uobject *uobj)
{
	xa_erase(&uobj->ufile->handles, uobj->id);
	uverbs_uobject_put(uobj);	/* the table's */
}

const struct uverbs_obj_type_class uverbs_idr_class = {
	.alloc_begin = idr_begin,
	.alloc_commit = publish,
	.alloc_abort = idr_abort,
	.lookup_get = idr_lookup,
	.lookup_put = idr_lookup_end,
	.destroy_hw = idr_destroy_hw,
	.remove_handle = idr_remove_handle,
};
EXPORT_SYMBOL(uverbs_idr_class);

/* ---- fd objects ---- */

static struct ib_uobject *fd_begin(const struct uverbs_api_object *obj,
				   struct uverbs_attr_bundle *attrs)
{
	const struct uverbs_obj_fd_type *type = fd_type(obj);
	struct ib_uobject *uobj;
	struct file *filp;
	int fd;

	/* Its release() is where the file's references are dropped; that of async event files frees
	 * the unread events as well.
	 */
	if (WARN_ON(type->fops->release != uverbs_uobject_fd_release &&
		    type->fops != &uverbs_events_async_fops))
		return ERR_PTR(-EINVAL);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return ERR_PTR(fd);
	uobj = uobject_alloc(obj, attrs);
	if (IS_ERR(uobj))
		goto put_fd;
	/* private_data stays NULL until commit, which tells release() that there is no object. */
	filp = anon_inode_getfile(type->name, type->fops, NULL, type->flags);
	if (IS_ERR(filp)) {
		uverbs_uobject_put(uobj);
		uobj = ERR_CAST(filp);
		goto put_fd;
	}
	uobj->object = filp;
	uobj->id = fd;
	return uobj;

put_fd:
	put_unused_fd(fd);
	return uobj;
}

static void fd_commit(struct ib_uobject *uobj)
{
	struct file *filp = uobj->object;
	int fd = uobj->id;

	/* Both references are dropped by uverbs_uobject_fd_release(). From fd_install() on another
	 * thread may close the fd, so the object is not touched afterwards.
	 */
	uverbs_file_get(uobj->ufile);
	uobj->id = 0;
	filp->private_data = uobj;
	publish(uobj);
	fd_install(fd, filp);
}

static void fd_abort(struct ib_uobject *uobj)
{
	put_unused_fd(uobj->id);
	fput(uobj->object);
}

static struct ib_uobject *fd_lookup(const struct uverbs_api_object *obj,
				    struct ib_uverbs_file *ufile, s64 id,
				    enum rdma_lookup_mode mode)
{
	struct ib_uobject *uobj;
	struct file *filp;

	if (mode != UVERBS_LOOKUP_READ)
		return ERR_PTR(-EOPNOTSUPP);
	/* What is no int was no descriptor; -1 is one that is not open. */
	if (id < INT_MIN || id > INT_MAX)
		return ERR_PTR(-EINVAL);
	filp = fget(id);
	if (!filp)
		return ERR_PTR(-EBADF);
	uobj = filp->private_data;
	/* The operations are the type; only with them is private_data known to be an object. */
	if (filp->f_op != fd_type(obj)->fops || !uobj || uobj->ufile != ufile) {
		fput(filp);
		return ERR_PTR(-EBADF);
	}
	uverbs_uobject_get(uobj);
	return uobj;
}

static void fd_lookup_end(struct ib_uobject *uobj, enum rdma_lookup_mode mode)
{
	/* The lookup's; it also kept release() away, hence object is still the file. */
	fput(uobj->object);
}

static int fd_destroy_hw(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	fd_type(uobj->uapi_object)->destroy_object(uobj, why);
	return 0;
}

static void fd_remove_handle(struct ib_uobject *uobj)
{
	/* The fd stays; its reference goes with its close. */
}

const struct uverbs_obj_type_class uverbs_fd_class = {
	.alloc_begin = fd_begin,
	.alloc_commit = fd_commit,
	.alloc_abort = fd_abort,
	.lookup_get = fd_lookup,
	.lookup_put = fd_lookup_end,
	.destroy_hw = fd_destroy_hw,
	.remove_handle = fd_remove_handle,
};
EXPORT_SYMBOL(uverbs_fd_class);

/* ---- both ---- */

struct ib_uobject *uverbs_uobject_begin(const struct uverbs_api_object *obj,
					struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = obj->type_class->alloc_begin(obj, attrs);

	if (!IS_ERR(uobj))
		trace_uverbs_object_begin(uobj);
	return uobj;
}

void uverbs_uobject_commit(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *ufile = uobj->ufile;

	trace_uverbs_object_commit(uobj);
	spin_lock_irq(&ufile->objects_lock);
	list_add(&uobj->list, &ufile->objects);
	spin_unlock_irq(&ufile->objects_lock);
	uobj->uapi_object->type_class->alloc_commit(uobj);
}

void uverbs_uobject_abort(struct ib_uobject *uobj, bool created,
			  struct uverbs_attr_bundle *attrs)
{
	const struct uverbs_obj_type_class *class = uobj->uapi_object->type_class;

	trace_uverbs_object_abort(uobj);
	/* A driver that refuses to undo what it just made leaks it: nothing else is safe. */
	if (created)
		WARN_ON(class->destroy_hw(uobj, RDMA_REMOVE_ABORT, attrs));
	class->alloc_abort(uobj);
	uverbs_uobject_put(uobj);
}

struct ib_uobject *uverbs_uobject_lookup(const struct uverbs_api_object *obj,
					 struct ib_uverbs_file *ufile, s64 id,
					 enum rdma_lookup_mode mode)
{
	const struct uverbs_obj_type_class *class = obj ? obj->type_class : &uverbs_idr_class;
	struct ib_uobject *uobj = class->lookup_get(obj, ufile, id, mode);
	int ret = 0;

	if (IS_ERR(uobj))
		return uobj;
	if (obj && uobj->uapi_object != obj)
		ret = -EINVAL;
	if (!ret)
		ret = use_begin(uobj, mode);
	if (ret) {
		class->lookup_put(uobj, mode);
		uverbs_uobject_put(uobj);
		return ERR_PTR(ret);
	}
	return uobj;
}

void uverbs_uobject_release(struct ib_uobject *uobj, enum rdma_lookup_mode mode)
{
	use_end(uobj, mode);
	uobj->uapi_object->type_class->lookup_put(uobj, mode);
	uverbs_uobject_put(uobj);
}

/* The hardware object ends; the object leaves the list and the table. Held exclusively. */
static int uobject_end(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	const struct uverbs_obj_type_class *class = uobj->uapi_object->type_class;
	struct ib_uverbs_file *ufile = uobj->ufile;
	int ret;

	ret = class->destroy_hw(uobj, why, attrs);
	trace_uverbs_object_destroy(uobj, why, ret);
	if (ret && why != RDMA_REMOVE_DRIVER_FAILURE)
		return ret;
	WARN(ret, "ib_uverbs: the driver keeps an object of kind %u: %d\n",
	     uobj->uapi_object->id, ret);
	uobj->context = NULL;
	spin_lock_irq(&ufile->objects_lock);
	list_del_init(&uobj->list);
	spin_unlock_irq(&ufile->objects_lock);
	class->remove_handle(uobj);
	return 0;
}

int uverbs_uobject_destroy(struct ib_uobject *uobj, struct uverbs_attr_bundle *attrs)
{
	int ret = use_begin(uobj, UVERBS_LOOKUP_WRITE);

	if (ret)
		return ret;
	/* Another destroyer was faster, between our lookup and now. */
	if (list_empty(&uobj->list))
		ret = -ENOENT;
	else
		ret = uobject_end(uobj, RDMA_REMOVE_DESTROY, attrs);
	/* Never lent again once it has ended: it stays exclusive, which answers late lookups. */
	if (ret)
		use_end(uobj, UVERBS_LOOKUP_WRITE);
	return ret;
}

/* What drivers find behind their udata while no call is running. */
static void teardown_attrs_init(struct uverbs_attr_bundle *attrs, struct ib_uverbs_file *ufile)
{
	memset(attrs, 0, sizeof(*attrs));
	attrs->ufile = ufile;
	attrs->context = ufile->ucontext;
}

/*
 * release() of each fd object. When the list no longer has the object, the end of the file or of
 * the device was faster, and only the references remain to be dropped.
 */
int uverbs_uobject_fd_release(struct inode *inode, struct file *filp)
{
	struct ib_uobject *uobj = filp->private_data;
	struct uverbs_attr_bundle attrs;
	struct ib_uverbs_file *ufile;

	if (!uobj)
		return 0;
	ufile = uobj->ufile;
	mutex_lock(&ufile->teardown_lock);
	if (!list_empty(&uobj->list)) {
		/* Lookups hold the struct file, so none is left. */
		WARN_ON(use_begin(uobj, UVERBS_LOOKUP_WRITE));
		teardown_attrs_init(&attrs, ufile);
		uobject_end(uobj, RDMA_REMOVE_CLOSE, &attrs);
	}
	mutex_unlock(&ufile->teardown_lock);
	uverbs_file_put(ufile);
	uverbs_uobject_put(uobj);
	return 0;
}
EXPORT_SYMBOL(uverbs_uobject_fd_release);

/* Newest first, since what is new stands on what is old. Returns whether anything ended. */
static bool teardown_pass(struct ib_uverbs_file *ufile, enum rdma_remove_reason reason)
{
	struct ib_uobject *uobj, *next;
	struct uverbs_attr_bundle attrs;
	bool progress = false;

	lockdep_assert_held(&ufile->teardown_lock);
	teardown_attrs_init(&attrs, ufile);
	/* No call is inside and fd closes wait for teardown_lock: the list is ours. */
	list_for_each_entry_safe(uobj, next, &ufile->objects, list) {
		if (WARN_ON(use_begin(uobj, UVERBS_LOOKUP_WRITE)))
			continue;
		/* remove_handle may drop the last reference. */
		uverbs_uobject_get(uobj);
		if (uobject_end(uobj, reason, &attrs))
			use_end(uobj, UVERBS_LOOKUP_WRITE);
		else
			progress = true;
		uverbs_uobject_put(uobj);
		cond_resched();
	}
	return progress;
}

static void teardown_context(struct ib_uverbs_file *ufile)
{
	struct ib_ucontext *ucontext = ufile->ucontext;
	struct ib_device *ibdev = ucontext->device;

	rdma_restrack_del(&ucontext->res);
	ibdev->ops.dealloc_ucontext(ucontext);
	WARN_ON(!xa_empty(&ucontext->mmap_xa));
	ib_rdmacg_uncharge(&ucontext->cg_obj, ibdev, RDMACG_RESOURCE_HCA_HANDLE);
	xa_destroy(&ucontext->mmap_xa);
	kfree(ucontext);
	ufile->ucontext = NULL;
}

/*
 * Each pass but the last ends at least one object, and the last forces what remains, so the number
 * of passes is bounded by the number of objects; newest first makes it one, or two when a memory
 * region was moved to a younger protection domain.
 */
void uverbs_uobject_teardown(struct ib_uverbs_file *ufile, enum rdma_remove_reason reason)
{
	mutex_lock(&ufile->teardown_lock);
	if (!ufile->ucontext)
		goto unlock;
	if (reason == RDMA_REMOVE_DRIVER_REMOVE) {
		uverbs_umap_zap(ufile);
		ufile->ucontext->device->ops.disassociate_ucontext(ufile->ucontext);
	}
	while (!list_empty(&ufile->objects)) {
		if (teardown_pass(ufile, reason))
			continue;
		if (WARN_ON(reason == RDMA_REMOVE_DRIVER_FAILURE))
			break;
		reason = RDMA_REMOVE_DRIVER_FAILURE;
	}
	teardown_context(ufile);
unlock:
	mutex_unlock(&ufile->teardown_lock);
}
