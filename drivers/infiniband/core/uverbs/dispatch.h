/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One running call, between a door that decodes it and the body that acts. The doors (decode_*.c)
 * make one, fill it, run it and finish it; call.h is the part of it that bodies see.
 */
#ifndef _UVERBS_DISPATCH_H
#define _UVERBS_DISPATCH_H

#include <rdma/uverbs_ioctl.h>
#include "uverbs.h"

/* An object that this call holds until it ends. */
struct uverbs_held {
	struct uverbs_held *next;
	struct ib_uobject *uobj;	/* NULL when let go early */
	u8 access;			/* enum uverbs_obj_access */
	bool created;			/* NEW: the hardware object exists */
};

struct uverbs_chunk {
	struct uverbs_chunk *next;
	u8 data[] __aligned(8);
};

/* A door's stack has room for a call of common size; what does not fit is allocated. */
struct uverbs_call_room {
	u8 bytes[1024] __aligned(8);
};

struct uverbs_call {
	const struct uverbs_call_room *room;
	const struct uverbs_api_method *method;
	struct ib_device *ibdev;	/* kept by the door's SRCU read side */
	struct uverbs_held *held;	/* newest first */
	/* ioctl door: the caller's array, for flags and handles that go back; else NULL */
	struct ib_uverbs_attr __user *user_attrs;
	struct ib_uverbs_attr *uattrs;	/* our copy, the door's */
	struct uverbs_chunk *chunks;	/* from _uverbs_alloc(), freed with the call */
	u8 *scratch;			/* first bytes for _uverbs_alloc() */
	size_t scratch_left;
	/* last: it ends in one struct uverbs_attr per key of the method */
	struct uverbs_attr_bundle bundle;
};

static inline struct uverbs_call *uverbs_call_of(const struct uverbs_attr_bundle *attrs)
{
	return container_of(attrs, struct uverbs_call, bundle);
}

/* NULL when out of memory. */
struct uverbs_call *uverbs_dispatch_begin(struct uverbs_call_room *room,
					  struct ib_uverbs_file *ufile, struct ib_device *ibdev,
					  const struct uverbs_api_method *method);
/* Commits or aborts what is new, releases the rest, frees the call; passes ret through. */
int uverbs_dispatch_end(struct uverbs_call *call, int ret);
/* Notes uobj as held; NULL memory is answered with ENOMEM and uobj is given back. */
int uverbs_dispatch_hold(struct uverbs_call *call, struct ib_uobject *uobj,
			 enum uverbs_obj_access access);
/* Finds (or begins) an object and holds it; obj is NULL when each kind of handle will do. */
struct ib_uobject *uverbs_dispatch_use(struct uverbs_call *call,
				       const struct uverbs_api_object *obj, s64 id,
				       enum uverbs_obj_access access);
/* The same for a kind that is named. */
struct ib_uobject *uverbs_dispatch_object(struct uverbs_call *call, u16 object_id, s64 id,
					  enum uverbs_obj_access access);
/* Whether an answer can be written now; what is there stays as it is. */
bool uverbs_dispatch_writable(const void __user *answer, size_t len);

/* attrs.c: tells the caller that output attribute idx was written. */
int uverbs_attrs_set_output(const struct uverbs_attr_bundle *attrs, const struct uverbs_attr *attr);

#endif
