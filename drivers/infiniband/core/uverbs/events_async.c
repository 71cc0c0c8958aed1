// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Async event files: what happened to objects, ports and the device.
 *
 * Verb rooms tie an object to a file (attach), pass on what the driver reports (raise) and untie
 * it at destroy (detach). Port events come from ib_core through a handler of each file, so each
 * open context gets its own copy. read() and friends come in through the file operations.
 *
 * Events are allocated one by one, in atomic context, and bounded: a process that does not read
 * loses the events beyond the bound, not the memory of the machine. DEVICE_FATAL cannot be lost,
 * it is part of the file.
 */
#include <linux/fs.h>
#include <linux/slab.h>
#include <rdma/uverbs_std_types.h>

#include "call.h"
#include "events.h"

/* Unread events kept for one object. A CQ that overruns all the time reports each overrun. */
#define ASYNC_MAX_PER_OBJECT	64
/* Unread port and device events kept for one file. */
#define ASYNC_MAX_GENERAL	1024

static struct uverbs_async_event *async_of_ready(const struct list_head *ready)
{
	return container_of(ready, struct uverbs_async_event, ready);
}

static void async_describe(const struct list_head *first, void *desc)
{
	memcpy(desc, &async_of_ready(first)->desc, sizeof(struct ib_uverbs_async_event_desc));
}

/* Remove from the queue and from the accounts of whoever it was counted for. */
static void async_unlink(struct ib_uverbs_async_event_file *file, struct uverbs_async_event *event)
{
	lockdep_assert_held(&file->queue.lock);
	list_del_init(&event->ready);
	list_del_init(&event->of_object);
	if (event->object)
		event->object->unread--;
	else if (!event->reserved)
		file->unread_general--;
	if (!event->reserved)
		kfree(event);
}

static void async_take(struct uverbs_event_queue *queue, struct list_head *first)
{
	struct uverbs_async_event *event = async_of_ready(first);

	if (event->object)
		event->object->events_reported++;
	async_unlink(container_of(queue, struct ib_uverbs_async_event_file, queue), event);
}

static const struct uverbs_event_ops async_event_ops = {
	.desc_size = sizeof(struct ib_uverbs_async_event_desc),
	.describe = async_describe,
	.take = async_take,
};

/* Room for one more? Otherwise the event is dropped; the oldest ones tell how it began. */
static bool async_has_room(struct ib_uverbs_async_event_file *file, struct ib_uevent_object *obj)
{
	lockdep_assert_held(&file->queue.lock);
	if (file->queue.closed)
		return false;
	return obj ? obj->unread < ASYNC_MAX_PER_OBJECT :
		     file->unread_general < ASYNC_MAX_GENERAL;
}

static void async_link(struct ib_uverbs_async_event_file *file, struct uverbs_async_event *event)
{
	lockdep_assert_held(&file->queue.lock);
	list_add_tail(&event->ready, &file->queue.ready);
	if (event->object) {
		list_add_tail(&event->of_object, &event->object->event_list);
		event->object->unread++;
		return;
	}
	INIT_LIST_HEAD(&event->of_object);
	if (!event->reserved)
		file->unread_general++;
}

static void async_queue(struct ib_uverbs_async_event_file *file, struct ib_uevent_object *obj,
			u64 element, u32 event_type)
{
	struct uverbs_async_event *event = NULL;
	unsigned long flags;

	spin_lock_irqsave(&file->queue.lock, flags);
	if (async_has_room(file, obj))
		event = kzalloc(sizeof(*event), GFP_ATOMIC | __GFP_NOWARN);
	if (event) {
		event->object = obj;
		event->desc.element = element;
		event->desc.event_type = event_type;
		async_link(file, event);
	}
	spin_unlock_irqrestore(&file->queue.lock, flags);
	if (event)
		uverbs_events_queue_wake(&file->queue);
}

/* Any context. The driver still knows the object, hence the object still holds the file. */
void uverbs_events_async_raise(struct ib_uevent_object *obj, u32 event_type)
{
	if (obj->event_file)
		async_queue(obj->event_file, obj, obj->uobject.user_handle, event_type);
}

/* ib_core, process context: something happened to a port or to the whole device. */
static void async_port_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct ib_uverbs_async_event_file *file =
		container_of(handler, struct ib_uverbs_async_event_file, port_handler);

	async_queue(file, NULL, event->element.port_num, event->event);
}

void uverbs_events_async_init(struct ib_uverbs_async_event_file *file)
{
	uverbs_events_queue_init(&file->queue, &async_event_ops);
	file->unread_general = 0;
	file->fatal.reserved = true;
	file->fatal.desc.event_type = IB_EVENT_DEVICE_FATAL;
	INIT_LIST_HEAD(&file->fatal.ready);
	INIT_IB_EVENT_HANDLER(&file->port_handler, file->uobj.context->device, async_port_event);
	ib_register_event_handler(&file->port_handler);
}

/* Where objects report unless their creator chose otherwise; NULL in a context without any. */
struct ib_uverbs_async_event_file *
uverbs_events_async_default(const struct uverbs_attr_bundle *attrs)
{
	/* Pairs with the release in uverbs_file_set_default_async(). */
	return smp_load_acquire(&attrs->ufile->default_async_file);
}

/* The same for an ioctl method with an optional EVENT_FD attribute. */
struct ib_uverbs_async_event_file *
uverbs_events_async_chosen(const struct uverbs_attr_bundle *attrs, u16 attr_id)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, attr_id);

	if (IS_ERR(uobj))
		return uverbs_events_async_default(attrs);
	return container_of(uobj, struct ib_uverbs_async_event_file, uobj);
}

/* Before the driver hears of the object. file may be NULL; the object gets its own reference. */
void uverbs_events_async_attach(struct ib_uevent_object *obj,
				struct ib_uverbs_async_event_file *file)
{
	if (file)
		uverbs_uobject_get(&file->uobj);
	obj->event_file = file;
	INIT_LIST_HEAD(&obj->event_list);
	obj->unread = 0;
	obj->events_reported = 0;
}

/* After the driver has forgotten the object: unread events go, events_reported is final. */
void uverbs_events_async_detach(struct ib_uevent_object *obj)
{
	struct ib_uverbs_async_event_file *file = obj->event_file;
	struct uverbs_async_event *event, *next;

	if (!file)
		return;
	spin_lock_irq(&file->queue.lock);
	list_for_each_entry_safe(event, next, &obj->event_list, of_object)
		async_unlink(file, event);
	spin_unlock_irq(&file->queue.lock);
	obj->event_file = NULL;
	uverbs_uobject_put(&file->uobj);
}

static void async_queue_fatal(struct ib_uverbs_async_event_file *file)
{
	spin_lock_irq(&file->queue.lock);
	if (!file->queue.closed && list_empty(&file->fatal.ready))
		async_link(file, &file->fatal);
	spin_unlock_irq(&file->queue.lock);
}

static void async_drop_all(struct ib_uverbs_async_event_file *file)
{
	struct uverbs_async_event *event, *next;

	spin_lock_irq(&file->queue.lock);
	list_for_each_entry_safe(event, next, &file->queue.ready, ready)
		async_unlink(file, event);
	spin_unlock_irq(&file->queue.lock);
}

/*
 * The fd was closed, or the device goes. In the second case the process can still read what is
 * queued, DEVICE_FATAL last, and gets EIO after that.
 */
void uverbs_events_async_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	struct ib_uverbs_async_event_file *file =
		container_of(uobj, struct ib_uverbs_async_event_file, uobj);

	ib_unregister_event_handler(&file->port_handler);
	if (why == RDMA_REMOVE_DRIVER_REMOVE)
		async_queue_fatal(file);
	uverbs_events_queue_close(&file->queue);
}

static struct ib_uverbs_async_event_file *async_of_filp(struct file *filp)
{
	return container_of(filp->private_data, struct ib_uverbs_async_event_file, uobj);
}

static ssize_t async_read(struct file *filp, char __user *buf, size_t count, loff_t *pos)
{
	return uverbs_events_queue_read(&async_of_filp(filp)->queue, filp, buf, count);
}

static __poll_t async_poll(struct file *filp, struct poll_table_struct *wait)
{
	return uverbs_events_queue_poll(&async_of_filp(filp)->queue, filp, wait);
}

static int async_fasync(int fd, struct file *filp, int on)
{
	return fasync_helper(fd, filp, on, &async_of_filp(filp)->queue.fasync);
}

/*
 * Nobody can read any more, and after uverbs_uobject_fd_release the queue is closed in any case:
 * free what was left unread. Objects may hold the file beyond this point, hence the reference.
 */
static int async_release(struct inode *inode, struct file *filp)
{
	struct ib_uverbs_async_event_file *file;
	int ret;

	/* A file whose creation was aborted never got its object. */
	if (!filp->private_data)
		return 0;
	file = async_of_filp(filp);
	uverbs_uobject_get(&file->uobj);
	ret = uverbs_uobject_fd_release(inode, filp);
	async_drop_all(file);
	uverbs_uobject_put(&file->uobj);
	return ret;
}

const struct file_operations uverbs_events_async_fops = {
	.owner = THIS_MODULE,
	.read = async_read,
	.poll = async_poll,
	.release = async_release,
	.fasync = async_fasync,
	.llseek = no_llseek,
};
