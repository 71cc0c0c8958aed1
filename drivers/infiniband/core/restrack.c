// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Resource tracking: which objects exist, and whose they are, for `rdma resource`. Object files
 * and ib_uverbs add and delete; netlink looks up.
 *
 * Life of an entry: kref 1 belongs to the object from new() on. Whoever found the entry under the
 * xa_lock adds to it with rdma_restrack_get(). Deleting takes the entry out of sight, drops the
 * object's reference and waits for the last other one, so no reader holds what is freed. Readers
 * hold an entry for the time of filling one netlink message.
 */
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/restrack.h>

#include "core_priv.h"

static void unpark(struct rdma_restrack_root *root)
{
	lockdep_assert_held(&root->xa.xa_lock);
	if (root->parked)
		__xa_erase(&root->xa, root->parked - 1);
	root->parked = 0;
}

/*
 * Numbers of most kinds rise, so an object that comes and goes alone would take the table's leaf
 * along, and the next would bring a new one: memory and an RCU callback each time. Hence the number
 * that became free last stays taken until the next one does.
 */
static void park(struct rdma_restrack_root *root, u32 id)
{
	xa_lock(&root->xa);
	unpark(root);
	root->parked = id + 1ul;
	xa_unlock(&root->xa);
}

struct rdma_restrack_root *core_restrack_alloc(void)
{
	struct rdma_restrack_root *roots;
	int i;

	roots = kcalloc(RDMA_RESTRACK_MAX, sizeof(*roots), GFP_KERNEL);
	if (!roots)
		return NULL;
	for (i = 0; i < RDMA_RESTRACK_MAX; i++)
		xa_init_flags(&roots[i].xa, XA_FLAGS_ALLOC);
	return roots;
}

void core_restrack_free(struct ib_device *dev)
{
	int i;

	for (i = 0; i < RDMA_RESTRACK_MAX; i++) {
		xa_lock(&dev->res[i].xa);
		unpark(&dev->res[i]);
		xa_unlock(&dev->res[i].xa);
		/* An object that outlives its device is a bug of its owner. */
		WARN(!xa_empty(&dev->res[i].xa), "objects of type %d left behind on %s\n", i,
		     dev->name);
		xa_destroy(&dev->res[i].xa);
	}
	kfree(dev->res);
	dev->res = NULL;
}

/* The device of an entry; NULL for kinds nobody here makes (CM ids come with rdma_cm). */
struct ib_device *core_restrack_device(struct rdma_restrack_entry *res)
{
	switch (res->type) {
	case RDMA_RESTRACK_PD:
		return container_of(res, struct ib_pd, res)->device;
	case RDMA_RESTRACK_CQ:
		return container_of(res, struct ib_cq, res)->device;
	case RDMA_RESTRACK_QP:
		return container_of(res, struct ib_qp, res)->device;
	case RDMA_RESTRACK_MR:
		return container_of(res, struct ib_mr, res)->device;
	case RDMA_RESTRACK_CTX:
		return container_of(res, struct ib_ucontext, res)->device;
	case RDMA_RESTRACK_COUNTER:
		return container_of(res, struct rdma_counter, res)->device;
	case RDMA_RESTRACK_SRQ:
		return container_of(res, struct ib_srq, res)->device;
	default:
		return NULL;
	}
}

static struct rdma_restrack_root *root_of(struct rdma_restrack_entry *res)
{
	struct ib_device *dev = core_restrack_device(res);

	return dev ? &dev->res[res->type] : NULL;
}

/*
 * rdma_restrack_count - how many objects of a type a device has
 * @show_details: also those of kinds that only the driver knows
 */
int rdma_restrack_count(struct ib_device *dev, enum rdma_restrack_type type, bool show_details)
{
	struct rdma_restrack_root *root = &dev->res[type];
	struct rdma_restrack_entry *res;
	unsigned long id;
	int count = 0;

	xa_lock(&root->xa);
	xa_for_each(&root->xa, id, res)
		if (show_details || !xa_get_mark(&root->xa, id, RESTRACK_DD))
			count++;
	xa_unlock(&root->xa);
	return count;
}
EXPORT_SYMBOL(rdma_restrack_count);

/* Owners. */

static void drop_task(struct rdma_restrack_entry *res)
{
	if (res->task)
		put_task_struct(res->task);
	res->task = NULL;
}

static void set_task(struct rdma_restrack_entry *res, struct task_struct *task)
{
	drop_task(res);
	res->task = get_task_struct(task);
	res->user = true;
}

/*
 * rdma_restrack_set_name - whose object it is
 * @caller: the kernel module's name; NULL: the current task's
 */
void rdma_restrack_set_name(struct rdma_restrack_entry *res, const char *caller)
{
	if (caller)
		res->kern_name = caller;
	else
		set_task(res, current);
}
EXPORT_SYMBOL(rdma_restrack_set_name);

/*
 * rdma_restrack_parent_name - an object belongs to whom its parent belongs
 */
void rdma_restrack_parent_name(struct rdma_restrack_entry *dst,
			       const struct rdma_restrack_entry *parent)
{
	if (rdma_is_kernel_res(parent))
		dst->kern_name = parent->kern_name;
	else
		set_task(dst, parent->task);
}
EXPORT_SYMBOL(rdma_restrack_parent_name);

/* Life. */

void rdma_restrack_new(struct rdma_restrack_entry *res, enum rdma_restrack_type type)
{
	kref_init(&res->kref);
	init_completion(&res->comp);
	res->type = type;
}
EXPORT_SYMBOL(rdma_restrack_new);

/* At a number that the object has of its own, which may be the one that became free last. */
static int add_at(struct rdma_restrack_root *root, struct rdma_restrack_entry *res)
{
	int ret;

	xa_lock(&root->xa);
	if (root->parked == res->id + 1ul)
		unpark(root);
	ret = __xa_insert(&root->xa, res->id, res, GFP_KERNEL);
	xa_unlock(&root->xa);
	return ret;
}

/* A QP is found by its number. The special QPs of all ports share theirs, so the port is added. */
static int add_qp(struct rdma_restrack_root *root, struct rdma_restrack_entry *res)
{
	struct ib_qp *qp = container_of(res, struct ib_qp, res);
	int ret;

	WARN_ONCE(qp->qp_num >> 24 || qp->port >> 8, "QP number 0x%x or port %u too large\n",
		  qp->qp_num, qp->port);
	res->id = qp->qp_num;
	if (qp->qp_type == IB_QPT_SMI || qp->qp_type == IB_QPT_GSI)
		res->id |= qp->port << 24;
	ret = add_at(root, res);
	if (!ret && qp->qp_type >= IB_QPT_DRIVER)
		xa_set_mark(&root->xa, res->id, RESTRACK_DD);
	return ret;
}

/*
 * rdma_restrack_add - show an object
 *
 * Called when the object is complete. Without memory the object lives untracked.
 */
void rdma_restrack_add(struct rdma_restrack_entry *res)
{
	struct rdma_restrack_root *root = root_of(res);
	int ret = 0;

	if (!root)
		return;
	if (res->no_track)
		goto out;

	if (res->type == RDMA_RESTRACK_QP) {
		ret = add_qp(root, res);
	} else if (res->type == RDMA_RESTRACK_COUNTER) {
		res->id = container_of(res, struct rdma_counter, res)->id;
		ret = add_at(root, res);
	} else {
		ret = xa_alloc_cyclic(&root->xa, &res->id, res, xa_limit_32b, &root->next_id,
				      GFP_KERNEL);
	}
out:
	if (ret >= 0)
		res->valid = true;
}
EXPORT_SYMBOL(rdma_restrack_add);

/*
 * rdma_restrack_get - hold an entry; true when it was still alive
 */
int __must_check rdma_restrack_get(struct rdma_restrack_entry *res)
{
	return kref_get_unless_zero(&res->kref);
}
EXPORT_SYMBOL(rdma_restrack_get);

/*
 * rdma_restrack_get_byid - look an entry up and hold it; ERR_PTR(-ENOENT) when there is none
 */
struct rdma_restrack_entry *rdma_restrack_get_byid(struct ib_device *dev,
						   enum rdma_restrack_type type, u32 id)
{
	struct rdma_restrack_root *root = &dev->res[type];
	struct rdma_restrack_entry *res;

	xa_lock(&root->xa);
	res = xa_load(&root->xa, id);
	if (!res || !rdma_restrack_get(res))
		res = ERR_PTR(-ENOENT);
	xa_unlock(&root->xa);
	return res;
}
EXPORT_SYMBOL(rdma_restrack_get_byid);

static void last_put(struct kref *kref)
{
	struct rdma_restrack_entry *res = container_of(kref, struct rdma_restrack_entry, kref);

	complete(&res->comp);
}

/*
 * rdma_restrack_put - let go of an entry that was held, or of one that was never added
 */
int rdma_restrack_put(struct rdma_restrack_entry *res)
{
	/* Nobody but the object itself can hold an entry that was never shown. */
	if (!res->valid)
		drop_task(res);
	return kref_put(&res->kref, last_put);
}
EXPORT_SYMBOL(rdma_restrack_put);

/* Out of sight, place kept; afterwards nobody holds it. */
static void hide(struct rdma_restrack_root *root, struct rdma_restrack_entry *res)
{
	void *old;

	/* NULL in an allocating xarray keeps the index taken. */
	old = xa_store(&root->xa, res->id, NULL, GFP_KERNEL);
	WARN_ON(old != res);
	/* A reader that still fills his message says when he has done so; mostly there is none. */
	if (!refcount_dec_and_test(&res->kref.refcount))
		wait_for_completion(&res->comp);
}

static void unhide(struct rdma_restrack_root *root, struct rdma_restrack_entry *res)
{
	reinit_completion(&res->comp);
	kref_init(&res->kref);
	/* The slot is there, so no memory is needed. */
	WARN_ON(xa_err(xa_store(&root->xa, res->id, res, GFP_KERNEL)));
}

static bool is_shown(struct rdma_restrack_entry *res)
{
	return res->valid && !res->no_track;
}

/*
 * rdma_restrack_begin_del - hide an object whose destruction may yet fail
 */
void rdma_restrack_begin_del(struct rdma_restrack_entry *res)
{
	if (is_shown(res))
		hide(root_of(res), res);
}
EXPORT_SYMBOL(rdma_restrack_begin_del);

/*
 * rdma_restrack_abort_del - the destruction failed: show the object again
 */
void rdma_restrack_abort_del(struct rdma_restrack_entry *res)
{
	if (is_shown(res))
		unhide(root_of(res), res);
}
EXPORT_SYMBOL(rdma_restrack_abort_del);

/*
 * rdma_restrack_commit_del - the object is gone for good; its memory is freed next
 */
void rdma_restrack_commit_del(struct rdma_restrack_entry *res)
{
	if (is_shown(res))
		park(root_of(res), res->id);
	res->valid = false;
	drop_task(res);
}
EXPORT_SYMBOL(rdma_restrack_commit_del);

/*
 * rdma_restrack_del - hide and forget in one step
 */
void rdma_restrack_del(struct rdma_restrack_entry *res)
{
	rdma_restrack_begin_del(res);
	rdma_restrack_commit_del(res);
}
EXPORT_SYMBOL(rdma_restrack_del);

/*
 * rdma_restrack_sync - wait until nobody uses what he read through this entry before
 */
void rdma_restrack_sync(struct rdma_restrack_entry *res)
{
	rdma_restrack_begin_del(res);
	rdma_restrack_abort_del(res);
}
EXPORT_SYMBOL(rdma_restrack_sync);

/* For objects that a driver frees in its destroy operation: what is needed afterwards is copied. */
void core_restrack_hide(struct rdma_restrack_entry *res, struct core_restrack_ticket *ticket)
{
	*ticket = (struct core_restrack_ticket) {
		.root = is_shown(res) ? root_of(res) : NULL,
		.id = res->id,
		.task = res->task,
	};
	rdma_restrack_begin_del(res);
}

void core_restrack_forget(struct core_restrack_ticket *ticket)
{
	if (ticket->root)
		park(ticket->root, ticket->id);
	if (ticket->task)
		put_task_struct(ticket->task);
}
