// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Dispatch: the life of one call. The doors call begin, hold and end; verb bodies call the
 * uverbs_call_*() functions of call.h. What a call holds is let go here and nowhere else, and
 * objects are committed or aborted here and nowhere else.
 */
#include <linux/export.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "dispatch.h"
#include "call.h"
#include "uobject.h"

/* At least so much for the held objects of a call and small copies, without an allocation. */
#define SCRATCH_BYTES	256

static const enum rdma_lookup_mode lookup_modes[] = {
	[UVERBS_ACCESS_READ] = UVERBS_LOOKUP_READ,
	[UVERBS_ACCESS_WRITE] = UVERBS_LOOKUP_WRITE,
	[UVERBS_ACCESS_NEW] = UVERBS_LOOKUP_WRITE,	/* never looked up */
	[UVERBS_ACCESS_DESTROY] = UVERBS_LOOKUP_DESTROY,
};

struct uverbs_call *uverbs_dispatch_begin(struct uverbs_call_room *room,
					  struct ib_uverbs_file *ufile, struct ib_device *ibdev,
					  const struct uverbs_api_method *method)
{
	struct uverbs_call *call = (void *)room;
	size_t used, bytes = sizeof(*room);

	used = sizeof(*call) + method->num_bkeys * sizeof(call->bundle.attrs[0]);
	if (used + SCRATCH_BYTES > bytes) {
		/* Not charged: it is bounded, and gone when the call ends. */
		bytes = used + SCRATCH_BYTES;
		call = kmalloc(bytes, GFP_KERNEL);
		if (!call)
			return NULL;
	}
	/* Attributes are there when attr_present says so: only what is before them is cleared. */
	memset(call, 0, offsetof(struct uverbs_call, bundle.attrs));
	call->room = room;
	call->method = method;
	call->ibdev = ibdev;
	call->scratch = (void *)call + used;
	call->scratch_left = bytes - used;
	call->bundle.ufile = ufile;
	/* Pairs with the release in verb_context.c: a context seen here is complete. */
	call->bundle.context = smp_load_acquire(&ufile->ucontext);
	return call;
}

/* bytes is a multiple of 8; NULL when so much is not left. */
static void *scratch_take(struct uverbs_call *call, size_t bytes)
{
	void *mem = call->scratch;

	if (bytes > call->scratch_left)
		return NULL;
	call->scratch += bytes;
	call->scratch_left -= bytes;
	return mem;
}

/*
 * Memory that lives as long as the call. Drivers size it from user input, hence GFP_KERNEL_ACCOUNT
 * and no warning for what the allocator cannot give.
 */
void *_uverbs_alloc(struct uverbs_attr_bundle *bundle, size_t size, gfp_t flags)
{
	struct uverbs_call *call = uverbs_call_of(bundle);
	struct uverbs_chunk *chunk;
	size_t aligned;
	void *mem;

	if (check_add_overflow(size, (size_t)7, &aligned))
		return ERR_PTR(-EOVERFLOW);
	aligned &= ~(size_t)7;
	mem = scratch_take(call, aligned);
	if (mem) {
		if (flags & __GFP_ZERO)
			memset(mem, 0, size);
		return mem;
	}
	if (check_add_overflow(size, sizeof(*chunk), &aligned))
		return ERR_PTR(-EOVERFLOW);
	chunk = kvmalloc(aligned, flags | __GFP_ACCOUNT | __GFP_NOWARN);
	if (!chunk)
		return ERR_PTR(-ENOMEM);
	chunk->next = call->chunks;
	call->chunks = chunk;
	return chunk->data;
}
EXPORT_SYMBOL(_uverbs_alloc);

static void let_go(struct ib_uobject *uobj, enum uverbs_obj_access access)
{
	uverbs_uobject_release(uobj, lookup_modes[access]);
}

int uverbs_dispatch_hold(struct uverbs_call *call, struct ib_uobject *uobj,
			 enum uverbs_obj_access access)
{
	struct uverbs_held *held = scratch_take(call, sizeof(*held));

	if (!held)
		held = uverbs_alloc(&call->bundle, sizeof(*held));
	if (IS_ERR(held)) {
		if (access == UVERBS_ACCESS_NEW)
			uverbs_uobject_abort(uobj, false, &call->bundle);
		else
			let_go(uobj, access);
		return PTR_ERR(held);
	}
	held->uobj = uobj;
	held->access = access;
	held->created = false;
	held->next = call->held;
	call->held = held;
	return 0;
}

struct ib_uobject *uverbs_dispatch_use(struct uverbs_call *call,
				       const struct uverbs_api_object *obj, s64 id,
				       enum uverbs_obj_access access)
{
	struct ib_uobject *uobj;
	int ret;

	if (access == UVERBS_ACCESS_NEW)
		uobj = obj ? uverbs_uobject_begin(obj, &call->bundle) : ERR_PTR(-EINVAL);
	else
		uobj = uverbs_uobject_lookup(obj, call->bundle.ufile, id, lookup_modes[access]);
	if (IS_ERR(uobj))
		return uobj;
	ret = uverbs_dispatch_hold(call, uobj, access);
	return ret ? ERR_PTR(ret) : uobj;
}

struct ib_uobject *uverbs_dispatch_object(struct uverbs_call *call, u16 object_id, s64 id,
					  enum uverbs_obj_access access)
{
	const struct uverbs_api_object *obj;

	if (object_id == UVERBS_IDR_ANY_OBJECT)
		return uverbs_dispatch_use(call, NULL, id, access);
	obj = uverbs_uapi_object(call->bundle.ufile->device->uapi, object_id);
	if (IS_ERR(obj))
		return ERR_CAST(obj);
	if (!obj || !obj->type_class)
		return ERR_PTR(-EINVAL);
	return uverbs_dispatch_use(call, obj, id, access);
}

static struct uverbs_held *find_held(const struct uverbs_call *call, const struct ib_uobject *uobj)
{
	struct uverbs_held *held;

	for (held = call->held; held; held = held->next)
		if (held->uobj == uobj)
			return held;
	return NULL;
}

static void end_new(struct uverbs_call *call, struct uverbs_held *held, int ret)
{
	struct ib_uobject *uobj = held->uobj;

	held->uobj = NULL;
	/* Drivers' methods that make a file object succeed without saying that it is created. */
	if (!ret)
		uverbs_uobject_commit(uobj);
	else
		uverbs_uobject_abort(uobj, held->created, &call->bundle);
}

int uverbs_dispatch_end(struct uverbs_call *call, int ret)
{
	struct uverbs_held *held;
	struct uverbs_chunk *chunk;

	/* New ones first: undoing one may need what it was made from, which is still held. */
	for (held = call->held; held; held = held->next)
		if (held->uobj && held->access == UVERBS_ACCESS_NEW)
			end_new(call, held, ret);
	for (held = call->held; held; held = held->next)
		if (held->uobj)
			let_go(held->uobj, held->access);
	while ((chunk = call->chunks)) {
		call->chunks = chunk->next;
		kvfree(chunk);
	}
	if ((void *)call != call->room)
		kfree(call);
	return ret;
}

/* ---- what verb bodies see (call.h) ---- */

struct ib_device *uverbs_call_device(const struct uverbs_attr_bundle *attrs)
{
	return uverbs_call_of(attrs)->ibdev;
}

struct ib_uobject *uverbs_call_get(struct uverbs_attr_bundle *attrs, u16 object_id, s64 id,
				   enum uverbs_obj_access access)
{
	return uverbs_dispatch_object(uverbs_call_of(attrs), object_id, id, access);
}

void uverbs_call_put(struct uverbs_attr_bundle *attrs, struct ib_uobject *uobj)
{
	struct uverbs_held *held = find_held(uverbs_call_of(attrs), uobj);

	if (WARN_ON(!held || held->access == UVERBS_ACCESS_NEW))
		return;
	held->uobj = NULL;
	let_go(uobj, held->access);
}

struct ib_uobject *uverbs_call_new(struct uverbs_attr_bundle *attrs, u16 object_id)
{
	return uverbs_dispatch_object(uverbs_call_of(attrs), object_id, 0, UVERBS_ACCESS_NEW);
}

void uverbs_call_created(struct uverbs_attr_bundle *attrs, struct ib_uobject *uobj)
{
	struct uverbs_held *held = find_held(uverbs_call_of(attrs), uobj);

	if (!WARN_ON(!held || held->access != UVERBS_ACCESS_NEW))
		held->created = true;
}

void uverbs_finalize_uobj_create(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	struct uverbs_held *held;

	held = find_held(uverbs_call_of(attrs), uverbs_attr_get_uobject(attrs, idx));
	if (!WARN_ON(!held || held->access != UVERBS_ACCESS_NEW))
		held->created = true;
}
EXPORT_SYMBOL(uverbs_finalize_uobj_create);

/*
 * A byte of each page is written back as it was read, which is a tenth of what asking the memory
 * manager costs. Whoever writes there at the same moment writes into an answer to come.
 */
bool uverbs_dispatch_writable(const void __user *answer, size_t len)
{
	u8 __user *at = (u8 __user *)answer;
	size_t step;
	u8 byte;

	for (; len; len -= step, at += step) {
		if (get_user(byte, at) || put_user(byte, at))
			return false;
		step = min_t(size_t, len, PAGE_SIZE - offset_in_page(at));
	}
	return true;
}

struct ib_uobject *uverbs_call_destroy(struct uverbs_attr_bundle *attrs, u16 object_id, s64 id)
{
	struct ib_uobject *uobj = uverbs_call_get(attrs, object_id, id, UVERBS_ACCESS_DESTROY);
	int ret;

	if (IS_ERR(uobj))
		return uobj;
	/* What is destroyed stays so: an answer that cannot be written has to show before. */
	ret = uverbs_call_answerable(attrs);
	if (!ret)
		ret = uverbs_uobject_destroy(uobj, attrs);
	return ret ? ERR_PTR(ret) : uobj;
}

int uverbs_call_answerable(const struct uverbs_attr_bundle *attrs)
{
	return uverbs_dispatch_writable(attrs->ucore.outbuf, attrs->ucore.outlen) ? 0 : -EFAULT;
}

int uverbs_call_done(int ret)
{
	return ret == -EFAULT ? 0 : ret;
}

/* The handler of destroy methods that do nothing else: the decoder has already destroyed it. */
int uverbs_destroy_def_handler(struct uverbs_attr_bundle *attrs)
{
	return 0;
}
EXPORT_SYMBOL(uverbs_destroy_def_handler);
