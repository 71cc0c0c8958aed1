// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The queue behind an event file: how a process reads, polls and is signalled.
 *
 * The file operations of events_comp.c and events_async.c call in; user memory goes out. Putting
 * events in is done by those two rooms, under the lock of the queue.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "events.h"

/* Rounds of "fault the buffer in, try again": each but the first needs the page to be reclaimed. */
#define EVENT_FAULT_ROUNDS	8

void uverbs_events_queue_init(struct uverbs_event_queue *queue, const struct uverbs_event_ops *ops)
{
	queue->ops = ops;
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->ready);
	init_waitqueue_head(&queue->wait);
	queue->closed = false;
	queue->fasync = NULL;
}

/* After something was put in or the queue was closed; the caller keeps the queue alive. */
void uverbs_events_queue_wake(struct uverbs_event_queue *queue)
{
	/* One event, one reader: readers wait exclusively, pollers do not and all wake up. */
	wake_up_interruptible(&queue->wait);
	kill_fasync(&queue->fasync, SIGIO, POLL_IN);
}

void uverbs_events_queue_close(struct uverbs_event_queue *queue)
{
	spin_lock_irq(&queue->lock);
	queue->closed = true;
	spin_unlock_irq(&queue->lock);
	wake_up_interruptible_all(&queue->wait);
	kill_fasync(&queue->fasync, SIGIO, POLL_IN);
}

static bool queue_has_news(struct uverbs_event_queue *queue)
{
	bool news;

	spin_lock_irq(&queue->lock);
	news = queue->closed || !list_empty(&queue->ready);
	spin_unlock_irq(&queue->lock);
	return news;
}

/*
 * Hand out the first event, or -EAGAIN when there is none, -EIO when none can come any more.
 * The event is copied under the lock, without sleeping, and only then taken out: an event that
 * could not be delivered stays, because the process would otherwise wait in destroy for an event
 * it never got. -EFAULT means: fault the page in and come again.
 */
static ssize_t queue_read_one(struct uverbs_event_queue *queue, char __user *buf, size_t count)
{
	char desc[UVERBS_EVENT_DESC_MAX] __aligned(8);
	struct list_head *first;
	ssize_t ret;

	spin_lock_irq(&queue->lock);
	if (list_empty(&queue->ready)) {
		ret = queue->closed ? -EIO : -EAGAIN;
		goto unlock;
	}
	if (count < queue->ops->desc_size) {
		ret = -EINVAL;
		goto unlock;
	}
	first = queue->ready.next;
	queue->ops->describe(first, desc);
	if (copy_to_user_nofault(buf, desc, queue->ops->desc_size)) {
		ret = -EFAULT;
		goto unlock;
	}
	queue->ops->take(queue, first);
	ret = queue->ops->desc_size;
unlock:
	spin_unlock_irq(&queue->lock);
	return ret;
}

/* One event per read, whatever room there is: that is how libraries read these files. */
ssize_t uverbs_events_queue_read(struct uverbs_event_queue *queue, struct file *filp,
				 char __user *buf, size_t count)
{
	unsigned int fault_rounds = 0;
	ssize_t ret;

	for (;;) {
		ret = queue_read_one(queue, buf, count);
		if (ret == -EFAULT) {
			if (fault_rounds++ < EVENT_FAULT_ROUNDS &&
			    !fault_in_writeable(buf, queue->ops->desc_size))
				continue;
		}
		/* Who was woken for an event and did not take it passes the wake-up on. */
		if (ret == -EFAULT || ret == -EINVAL)
			uverbs_events_queue_wake(queue);
		if (ret != -EAGAIN || filp->f_flags & O_NONBLOCK)
			return ret;
		if (wait_event_interruptible_exclusive(queue->wait, queue_has_news(queue)))
			return -ERESTARTSYS;
	}
}

__poll_t uverbs_events_queue_poll(struct uverbs_event_queue *queue, struct file *filp,
				  struct poll_table_struct *wait)
{
	__poll_t mask = 0;

	poll_wait(filp, &queue->wait, wait);
	spin_lock_irq(&queue->lock);
	if (!list_empty(&queue->ready))
		mask = EPOLLIN | EPOLLRDNORM;
	else if (queue->closed)
		mask = EPOLLERR | EPOLLHUP;
	spin_unlock_irq(&queue->lock);
	return mask;
}
