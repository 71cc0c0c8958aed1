// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion channels: file descriptors that tell a process which of its CQs got an entry.
 *
 * verb_cq.c ties a CQ to a channel and unties it; the driver calls the completion handler from
 * any context; read() and friends come in through the file operations. The object definition of
 * the channel (CREATE_COMP_CHANNEL) is in verb_comp_channel.c.
 */
#include <linux/fs.h>
#include <rdma/uverbs_std_types.h>

#include "call.h"
#include "events.h"

static struct ib_ucq_object *comp_of_source(const struct list_head *ready)
{
	return container_of(ready, struct ib_ucq_object, comp.ready);
}

static void comp_describe(const struct list_head *first, void *desc)
{
	struct ib_uverbs_comp_event_desc *event = desc;

	event->cq_handle = comp_of_source(first)->uevent.uobject.user_handle;
}

/* A CQ with more unread events goes to the end of the line, so none starves the others. */
static void comp_take(struct uverbs_event_queue *queue, struct list_head *first)
{
	struct uverbs_comp_source *source = &comp_of_source(first)->comp;

	lockdep_assert_held(&queue->lock);
	source->reported++;
	if (--source->unread)
		list_move_tail(&source->ready, &queue->ready);
	else
		list_del_init(&source->ready);
}

static const struct uverbs_event_ops comp_event_ops = {
	.desc_size = sizeof(struct ib_uverbs_comp_event_desc),
	.describe = comp_describe,
	.take = comp_take,
};

void uverbs_events_comp_init(struct ib_uverbs_completion_event_file *file)
{
	uverbs_events_queue_init(&file->queue, &comp_event_ops);
}

/* Before the driver hears of the CQ. file may be NULL; the CQ gets its own reference. */
void uverbs_events_comp_attach(struct ib_ucq_object *obj,
			       struct ib_uverbs_completion_event_file *file)
{
	if (file)
		uverbs_uobject_get(&file->uobj);
	obj->comp.file = file;
	INIT_LIST_HEAD(&obj->comp.ready);
	obj->comp.unread = 0;
	obj->comp.reported = 0;
}

/* After the driver has forgotten the CQ: unread events go, comp.reported is final. */
void uverbs_events_comp_detach(struct ib_ucq_object *obj)
{
	struct ib_uverbs_completion_event_file *file = obj->comp.file;

	if (!file)
		return;
	spin_lock_irq(&file->queue.lock);
	list_del_init(&obj->comp.ready);
	obj->comp.unread = 0;
	spin_unlock_irq(&file->queue.lock);
	obj->comp.file = NULL;
	uverbs_uobject_put(&file->uobj);
}

/* The driver calls this from any context, for a CQ that it was asked to notify for. */
void uverbs_events_comp_handler(struct ib_cq *cq, void *cq_context)
{
	struct uverbs_comp_source *source = &cq->uobject->comp;
	struct ib_uverbs_completion_event_file *file = source->file;
	unsigned long flags;

	if (!file)
		return;
	spin_lock_irqsave(&file->queue.lock, flags);
	if (file->queue.closed || source->unread == U32_MAX) {
		spin_unlock_irqrestore(&file->queue.lock, flags);
		return;
	}
	if (!source->unread++)
		list_add_tail(&source->ready, &file->queue.ready);
	spin_unlock_irqrestore(&file->queue.lock, flags);
	uverbs_events_queue_wake(&file->queue);
}

/* The fd was closed, or the device goes; CQs may stay tied to what is then a closed queue. */
void uverbs_events_comp_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	struct ib_uverbs_completion_event_file *file =
		container_of(uobj, struct ib_uverbs_completion_event_file, uobj);

	uverbs_events_queue_close(&file->queue);
}

static struct ib_uverbs_completion_event_file *comp_of_filp(struct file *filp)
{
	return container_of(filp->private_data, struct ib_uverbs_completion_event_file, uobj);
}

static ssize_t comp_read(struct file *filp, char __user *buf, size_t count, loff_t *pos)
{
	return uverbs_events_queue_read(&comp_of_filp(filp)->queue, filp, buf, count);
}

static __poll_t comp_poll(struct file *filp, struct poll_table_struct *wait)
{
	return uverbs_events_queue_poll(&comp_of_filp(filp)->queue, filp, wait);
}

static int comp_fasync(int fd, struct file *filp, int on)
{
	return fasync_helper(fd, filp, on, &comp_of_filp(filp)->queue.fasync);
}

const struct file_operations uverbs_events_comp_fops = {
	.owner = THIS_MODULE,
	.read = comp_read,
	.poll = comp_poll,
	.release = uverbs_uobject_fd_release,
	.fasync = comp_fasync,
	.llseek = no_llseek,
};
