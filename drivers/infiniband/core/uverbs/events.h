/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Event files: the two kinds of file descriptor a process reads events from.
 *
 *   completion channel   one event per armed CQ that got an entry (events_comp.c)
 *   async event file     events of objects, ports and the device (events_async.c)
 *
 * Both are fd objects with a struct uverbs_event_queue (events_queue.c), which does read(),
 * poll() and fasync. Interrupt-safe callbacks of the driver put events in, read() takes them out.
 *
 * Life time. A CQ holds a reference on its channel's uobject, an object with async events one on
 * its async file's. The file descriptor may be closed first: the queue is then marked closed and
 * further events are dropped. The object may go first: its unread events are discarded. Both
 * happen under the lock of the queue, which also protects the lists inside the objects.
 * A driver calls no handler of an object once its destroy function has returned, and events are
 * discarded only after that; a port handler is unregistered, which waits for it, before the
 * async file goes.
 */
#ifndef KVERBS_UVERBS_EVENTS_H
#define KVERBS_UVERBS_EVENTS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/uverbs_types.h>

struct uverbs_event_queue;
struct uverbs_attr_bundle;

/* What differs between the two kinds. Both functions are called with the queue's lock held. */
struct uverbs_event_ops {
	size_t desc_size;	/* bytes of one event in user space */
	void (*describe)(const struct list_head *first, void *desc);
	void (*take)(struct uverbs_event_queue *queue, struct list_head *first);
};

/* The larger one of the two descriptors. */
#define UVERBS_EVENT_DESC_MAX	sizeof(struct ib_uverbs_async_event_desc)

struct uverbs_event_queue {
	const struct uverbs_event_ops *ops;	/* set at init, then constant */
	/* Protects all members below and the objects' event members. Taken from interrupts. */
	spinlock_t lock;
	struct list_head ready;
	bool closed;		/* no more events come in; reads fail once ready is empty */
	wait_queue_head_t wait;
	struct fasync_struct *fasync;
};

void uverbs_events_queue_init(struct uverbs_event_queue *queue,
			      const struct uverbs_event_ops *ops);
void uverbs_events_queue_wake(struct uverbs_event_queue *queue);
void uverbs_events_queue_close(struct uverbs_event_queue *queue);
ssize_t uverbs_events_queue_read(struct uverbs_event_queue *queue, struct file *filp,
				 char __user *buf, size_t count);
__poll_t uverbs_events_queue_poll(struct uverbs_event_queue *queue, struct file *filp,
				  struct poll_table_struct *wait);

struct ib_uverbs_completion_event_file {
	struct ib_uobject uobj;			/* first: the fd class allocates it */
	struct uverbs_event_queue queue;	/* of uverbs_comp_source.ready */
};

/*
 * The CQ's side of its channel. Events of one CQ are all alike, so a counter is all that is
 * queued: nothing is allocated when an event occurs, and nothing can grow.
 */
struct uverbs_comp_source {
	struct ib_uverbs_completion_event_file *file;	/* NULL without channel; a reference */
	struct list_head ready;		/* in the queue while unread is not 0 */
	u32 unread;
	u32 reported;			/* events read so far; returned by destroy */
};

struct ib_uverbs_async_event_file;

/*
 * Front part of each object that has async events. uobject stays first: ib_core's netlink dumps
 * follow cq->uobject and the like to the context.
 */
struct ib_uevent_object {
	struct ib_uobject uobject;
	struct ib_uverbs_async_event_file *event_file;	/* NULL or with a reference */
	struct list_head event_list;	/* unread events of this object */
	u32 unread;			/* length of event_list */
	u32 events_reported;		/* events read so far; returned by destroy */
};

struct ib_ucq_object {
	struct ib_uevent_object uevent;
	struct uverbs_comp_source comp;
	struct mutex resize_lock;	/* one resize at a time reaches the driver */
};

static_assert(offsetof(struct ib_ucq_object, uevent.uobject) == 0);

/* One queued async event, or the fatal one that each async file keeps in reserve. */
struct uverbs_async_event {
	struct list_head ready;		/* in the queue of the file */
	struct list_head of_object;	/* in the event_list of its object, or empty */
	struct ib_uevent_object *object;	/* NULL for port and device events */
	struct ib_uverbs_async_event_desc desc;
	bool reserved;			/* not from the heap */
};

struct ib_uverbs_async_event_file {
	struct ib_uobject uobj;			/* first: the fd class allocates it */
	struct uverbs_event_queue queue;	/* of uverbs_async_event.ready */
	u32 unread_general;	/* port and device events in the queue; under its lock */
	struct uverbs_async_event fatal;
	struct ib_event_handler port_handler;
};

/* events_comp.c */
extern const struct file_operations uverbs_events_comp_fops;
void uverbs_events_comp_init(struct ib_uverbs_completion_event_file *file);
void uverbs_events_comp_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why);
void uverbs_events_comp_attach(struct ib_ucq_object *obj,
			       struct ib_uverbs_completion_event_file *file);
void uverbs_events_comp_detach(struct ib_ucq_object *obj);
void uverbs_events_comp_handler(struct ib_cq *cq, void *cq_context);

/* events_async.c */
extern const struct file_operations uverbs_events_async_fops;
void uverbs_events_async_init(struct ib_uverbs_async_event_file *file);
void uverbs_events_async_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why);
struct ib_uverbs_async_event_file *
uverbs_events_async_default(const struct uverbs_attr_bundle *attrs);
struct ib_uverbs_async_event_file *
uverbs_events_async_chosen(const struct uverbs_attr_bundle *attrs, u16 attr_id);
void uverbs_events_async_attach(struct ib_uevent_object *obj,
				struct ib_uverbs_async_event_file *file);
void uverbs_events_async_detach(struct ib_uevent_object *obj);
void uverbs_events_async_raise(struct ib_uevent_object *obj, u32 event_type);

#endif
