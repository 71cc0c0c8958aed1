/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The uobjects of queue pairs, shared receive queues and XRC domains, for the verb rooms that need
 * to look into one another's. CQs are in events.h; every other object is a plain ib_uobject.
 */
#ifndef KVERBS_UVERBS_OBJECTS_H
#define KVERBS_UVERBS_OBJECTS_H

#include <linux/atomic.h>
#include <linux/list.h>

#include "events.h"

struct uverbs_attr_bundle;

/* One process's use of an XRC domain; the domain itself may be shared through a file's inode. */
struct ib_uxrcd_object {
	struct ib_uobject uobject;
	atomic_t refcnt;	/* QPs and SRQs of this process in the domain */
};

struct ib_uqp_object {
	struct ib_uevent_object uevent;	/* first: see events.h */
	struct list_head mcast_list;	/* of groups this QP is attached to (verb_mcast.c) */
	struct ib_uxrcd_object *uxrcd;	/* NULL or counted in its refcnt */
};

struct ib_usrq_object {
	struct ib_uevent_object uevent;	/* first: see events.h */
	struct mutex modify_lock;	/* one change at a time reaches the driver */
	struct ib_uxrcd_object *uxrcd;	/* NULL or counted in its refcnt */
};

static_assert(offsetof(struct ib_uqp_object, uevent.uobject) == 0);
static_assert(offsetof(struct ib_usrq_object, uevent.uobject) == 0);

static inline struct ib_uqp_object *uverbs_objects_qp(struct ib_uobject *uobj)
{
	return container_of(uobj, struct ib_uqp_object, uevent.uobject);
}

static inline struct ib_usrq_object *uverbs_objects_srq(struct ib_uobject *uobj)
{
	return container_of(uobj, struct ib_usrq_object, uevent.uobject);
}

static inline struct ib_uxrcd_object *uverbs_objects_xrcd(struct ib_uobject *uobj)
{
	return container_of(uobj, struct ib_uxrcd_object, uobject);
}

/* The caller holds the domain's uobject, by a lookup, so it cannot be closed at this moment. */
static inline struct ib_uxrcd_object *uverbs_objects_xrcd_use(struct ib_uobject *uobj)
{
	struct ib_uxrcd_object *uxrcd = uverbs_objects_xrcd(uobj);

	atomic_inc(&uxrcd->refcnt);
	return uxrcd;
}

static inline void uverbs_objects_xrcd_unuse(struct ib_uxrcd_object *uxrcd)
{
	if (uxrcd)
		atomic_dec(&uxrcd->refcnt);
}

/* verb_mcast.c: what a QP's room needs of its groups. */
void uverbs_mcast_init(struct ib_uqp_object *obj);
/* EBUSY while attached, when the user asks; at the end of the file attachments are cut. */
int uverbs_mcast_leave(struct ib_qp *qp, struct ib_uqp_object *obj, enum rdma_remove_reason why);

/* verb_qp_modify.c, verb_post.c: chained from the QP's table. */
extern const struct uapi_definition uverbs_qp_modify_defs[];
extern const struct uapi_definition uverbs_post_defs[];

#endif
