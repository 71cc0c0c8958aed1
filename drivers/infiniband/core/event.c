// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Asynchronous events that concern a port or the whole device. A driver dispatches from any
 * context; a work item first brings the remembered port data up to date and then calls the
 * handlers, so a handler that asks the caches sees what the event is about. Events of a QP, CQ or
 * SRQ do not come here: the driver calls that object's own handler.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "port_cache.h"

#include "trace.h"

struct event_work {
	struct work_struct work;
	struct ib_event event;
};

struct workqueue_struct *ib_wq;
EXPORT_SYMBOL_GPL(ib_wq);

/*
 * ib_register_event_handler - call a handler for each event of a device
 *
 * Initialised by INIT_IB_EVENT_HANDLER(). The handler may sleep, but may not register or unregister
 * handlers.
 */
void ib_register_event_handler(struct ib_event_handler *handler)
{
	struct ib_device *dev = handler->device;

	down_write(&dev->event_handler_rwsem);
	list_add_tail(&handler->list, &dev->event_handler_list);
	up_write(&dev->event_handler_rwsem);
}
EXPORT_SYMBOL(ib_register_event_handler);

/*
 * ib_unregister_event_handler - the reverse; afterwards the handler does not run any more
 */
void ib_unregister_event_handler(struct ib_event_handler *handler)
{
	struct ib_device *dev = handler->device;

	down_write(&dev->event_handler_rwsem);
	list_del(&handler->list);
	up_write(&dev->event_handler_rwsem);
}
EXPORT_SYMBOL(ib_unregister_event_handler);

static void deliver(struct work_struct *work)
{
	struct event_work *item = container_of(work, struct event_work, work);
	struct ib_device *dev = item->event.device;
	struct ib_event_handler *handler;

	core_port_cache_event(dev, &item->event);
	trace_core_event(dev, &item->event);
	down_read(&dev->event_handler_rwsem);
	list_for_each_entry(handler, &dev->event_handler_list, list)
		handler->handler(handler, &item->event);
	up_read(&dev->event_handler_rwsem);
	kfree(item);
}

/*
 * ib_dispatch_event - tell the handlers of event->device, later, from a work item
 *
 * Callable from any context while the device is registered. Without memory the event is lost;
 * unregistration waits for those that are on their way.
 */
void ib_dispatch_event(const struct ib_event *event)
{
	struct event_work *item = kzalloc(sizeof(*item), GFP_ATOMIC);

	if (!item)
		return;
	INIT_WORK(&item->work, deliver);
	item->event = *event;
	queue_work(ib_wq, &item->work);
}
EXPORT_SYMBOL(ib_dispatch_event);

int core_event_init(void)
{
	/* Ordered, so that PORT_ERR and PORT_ACTIVE do not overtake one another. */
	ib_wq = alloc_ordered_workqueue("infiniband", 0);
	return ib_wq ? 0 : -ENOMEM;
}

void core_event_exit(void)
{
	destroy_workqueue(ib_wq);
}
