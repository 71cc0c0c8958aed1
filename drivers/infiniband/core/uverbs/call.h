/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A call: what a verb body sees of one ioctl() or write(), whichever door it came through.
 *
 * A body is
 *	int body(struct uverbs_attr_bundle *attrs, ...)
 * and gets 0 or a negative errno back to user space. Whatever it looked up, created or allocated
 * through this header is released, committed, destroyed or freed by dispatch.c when it returns, so
 * a body has no cleanup of its own for those:
 *
 *	uverbs_call_get()	holds an object until the call ends (shared or exclusive)
 *	uverbs_call_new()	a hidden object: committed when the call succeeds, else aborted
 *	uverbs_call_created()	says that the hardware object behind it now exists: an error later
 *				on (a reply that cannot be written) destroys it again
 *	_uverbs_alloc()		memory until the call ends (<rdma/uverbs_ioctl.h>)
 *
 * Both doors with one body: the write() function of a command and the ioctl handler of a method
 * each fill the verb's args struct (declared in its verb_*.c) and call the body; the answer is put
 * where the door wants it by whoever filled args. In a native ioctl method objects are found by
 * the decoder, and uverbs_call_created(attrs, uverbs_attr_get_uobject(...)) marks the new one.
 *
 * Declaring: see defs.h.
 */
#ifndef _UVERBS_CALL_H
#define _UVERBS_CALL_H

#include <linux/uaccess.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME ib_uverbs
#include <rdma/uverbs_named_ioctl.h>

#include "uverbs.h"
#include "events.h"

/* The device of the call; valid for its whole length. */
struct ib_device *uverbs_call_device(const struct uverbs_attr_bundle *attrs);

/*
 * The write door's request: copies len bytes of it, zero-filled when the caller's struct is
 * shorter. EOPNOTSUPP when a longer one has a non-zero byte behind len. Inline, as the answer is:
 * the check of what a copy reads or writes is spared where its length is known.
 */
int uverbs_call_request_fit(struct uverbs_attr_bundle *attrs, void *req, size_t len);
static __always_inline int uverbs_call_request(struct uverbs_attr_bundle *attrs, void *req,
					       size_t len)
{
	if (attrs->ucore.inlen == len)
		return copy_from_user(req, attrs->ucore.inbuf, len) ? -EFAULT : 0;
	return uverbs_call_request_fit(attrs, req, len);
}

/*
 * A request followed by an array: the rest behind len bytes is read piece by piece with _next().
 * ENOSPC when less than asked for is left. _end() answers EOPNOTSUPP for non-zero bytes left over.
 */
struct uverbs_call_rest {
	const void __user *pos;
	const void __user *end;
};

int uverbs_call_request_start(struct uverbs_attr_bundle *attrs, struct uverbs_call_rest *rest,
			      void *req, size_t len);
int uverbs_call_rest_next(struct uverbs_call_rest *rest, void *to, size_t len);
/* A stretch of it as a user pointer, for copying later; ERR_PTR(-ENOSPC) when it is too short. */
const void __user *uverbs_call_rest_skip(struct uverbs_call_rest *rest, size_t len);
int uverbs_call_rest_end(struct uverbs_call_rest *rest);

/* The write door's answer: truncated or zero-filled to the length the caller has room for. */
int uverbs_call_respond_fit(struct uverbs_attr_bundle *attrs, const void *resp, size_t len);
int uverbs_call_responded(struct uverbs_attr_bundle *attrs);
static __always_inline int uverbs_call_respond(struct uverbs_attr_bundle *attrs, const void *resp,
					       size_t len)
{
	if (attrs->ucore.outlen != len)
		return uverbs_call_respond_fit(attrs, resp, len);
	if (copy_to_user(attrs->ucore.outbuf, resp, len))
		return -EFAULT;
	return uverbs_call_responded(attrs);
}

/* What response_length of an extended answer is to say. */
u32 uverbs_call_response_length(const struct uverbs_attr_bundle *attrs, size_t len);

/*
 * Finds an object by handle (or by fd number, for objects of class fd) and holds it until the call
 * ends. access is READ (many at a time) or WRITE (alone; EBUSY when it is in use).
 * Errors: ENOENT no such handle, EINVAL wrong kind of object, EBADF no such fd, EBUSY.
 */
struct ib_uobject *uverbs_call_get(struct uverbs_attr_bundle *attrs, u16 object_id, s64 id,
				   enum uverbs_obj_access access);
/* Lets go before the call ends, for loops over many objects. */
void uverbs_call_put(struct uverbs_attr_bundle *attrs, struct ib_uobject *uobj);

/* A new hidden object with handle uobj->id; uobj->object is the body's to set. */
struct ib_uobject *uverbs_call_new(struct uverbs_attr_bundle *attrs, u16 object_id);
/* The hardware object exists: from now on only destroy_object() may undo it. Both doors. */
void uverbs_call_created(struct uverbs_attr_bundle *attrs, struct ib_uobject *uobj);

/*
 * Destroys by handle: EBUSY when in use, the driver's error otherwise; then nothing has changed.
 * On success the handle is gone and the returned uobject stays readable until the call ends
 * (its event counts are what destroy commands answer).
 */
struct ib_uobject *uverbs_call_destroy(struct uverbs_attr_bundle *attrs, u16 object_id, s64 id);

/*
 * For a change that nobody can take back: -EFAULT when its answer could not be written, while
 * nothing has changed; uverbs_call_destroy() asks, too. Then uverbs_call_done() ends the call with
 * what writing the answer returned: whoever took the memory away meanwhile misses it.
 */
int uverbs_call_answerable(const struct uverbs_attr_bundle *attrs);
int uverbs_call_done(int ret);

/* Typed lookups, shared access. ERR_PTR as uverbs_call_get(). */
static inline void *uverbs_call_object(struct ib_uobject *uobj)
{
	return IS_ERR(uobj) ? ERR_CAST(uobj) : uobj->object;
}

static inline struct ib_pd *uverbs_call_pd(struct uverbs_attr_bundle *attrs, u32 handle)
{
	return uverbs_call_object(uverbs_call_get(attrs, UVERBS_OBJECT_PD, handle,
						  UVERBS_ACCESS_READ));
}

static inline struct ib_cq *uverbs_call_cq(struct uverbs_attr_bundle *attrs, u32 handle)
{
	return uverbs_call_object(uverbs_call_get(attrs, UVERBS_OBJECT_CQ, handle,
						  UVERBS_ACCESS_READ));
}

static inline struct ib_qp *uverbs_call_qp(struct uverbs_attr_bundle *attrs, u32 handle)
{
	return uverbs_call_object(uverbs_call_get(attrs, UVERBS_OBJECT_QP, handle,
						  UVERBS_ACCESS_READ));
}

static inline struct ib_srq *uverbs_call_srq(struct uverbs_attr_bundle *attrs, u32 handle)
{
	return uverbs_call_object(uverbs_call_get(attrs, UVERBS_OBJECT_SRQ, handle,
						  UVERBS_ACCESS_READ));
}

static inline struct ib_ah *uverbs_call_ah(struct uverbs_attr_bundle *attrs, u32 handle)
{
	return uverbs_call_object(uverbs_call_get(attrs, UVERBS_OBJECT_AH, handle,
						  UVERBS_ACCESS_READ));
}

/*
 * The core's own kinds of destroy_object() for IDR objects forget the object by returning 0.
 * why tells a user's request, which may fail, from the end of the file, which may not:
 * uverbs_call_may_fail() is true when an error of the driver is the answer to the user.
 */
static inline bool uverbs_call_may_fail(enum rdma_remove_reason why)
{
	return why == RDMA_REMOVE_DESTROY;
}

#endif
