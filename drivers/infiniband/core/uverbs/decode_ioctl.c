// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ioctl door: RDMA_VERBS_IOCTL, a header and an array of attributes. file.c calls in with
 * disassociate_srcu held; out go the method's handler and dispatch.c. Here attributes are checked
 * against the method's declaration and turned into the bundle; nothing is known of any verb.
 *
 * The answers to wrong input, which user space relies on to find out what a kernel can:
 *	EINVAL		sizes, counts, reserved fields, repeated or missing attributes, another
 *			driver's id
 *	EPROTONOSUPPORT	no such object or method here, or an unknown attribute that the caller
 *			marked as mandatory (unmarked ones are ignored)
 *	EOPNOTSUPP	a known attribute with more than this kernel knows: non-zero bytes behind
 *			the known struct, an unknown choice
 *	EFAULT		memory that cannot be read or written
 */
#include <linux/ioctl.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "call.h"
#include "dispatch.h"
#include "trace.h"
#include "uobject.h"

/* The whole command, header and attributes; more than any method can use. */
#define MAX_COMMAND_BYTES	PAGE_SIZE

/* A door's stack has room for so many attributes; longer commands are allocated. */
#define SHORT_ATTRS	16

union command {
	struct ib_uverbs_ioctl_hdr hdr;
	u64 words[(sizeof(struct ib_uverbs_ioctl_hdr) +
		   SHORT_ATTRS * sizeof(struct ib_uverbs_attr)) / sizeof(u64)];
};

/* Lengths are counted in words, and the first word has what tells the length. */
static_assert(sizeof(struct ib_uverbs_ioctl_hdr) % sizeof(u64) == 0);
static_assert(sizeof(struct ib_uverbs_attr) % sizeof(u64) == 0);
static_assert(offsetof(struct ib_uverbs_ioctl_hdr, reserved1) == sizeof(u64));

/* Where the bytes of an input attribute are: small ones stand in the attribute itself. */
static const void __user *input_at(const struct uverbs_call *call, unsigned int i)
{
	if (call->uattrs[i].len <= sizeof(call->uattrs[i].data))
		return &call->user_attrs[i].data;
	return u64_to_user_ptr(call->uattrs[i].data);
}

static int check_lengths(const struct uverbs_attr_spec *spec, const struct ib_uverbs_attr *uattr)
{
	if (uattr->len < spec->u.ptr.min_len)
		return -EINVAL;
	if (uattr->len > spec->u.ptr.len && !spec->zero_trailing)
		return -EINVAL;
	return 0;
}

/* Bytes behind the struct we know must be zero, or the caller means something we cannot do. */
static int check_trailing(const struct uverbs_call *call, const struct uverbs_attr_spec *spec,
			  unsigned int i)
{
	const struct ib_uverbs_attr *uattr = &call->uattrs[i];
	size_t known = spec->u.ptr.len;
	int ret;

	if (!spec->zero_trailing || uattr->len <= known)
		return 0;
	/* Inline data is taken from our copy: nothing is read twice. */
	if (uattr->len <= sizeof(uattr->data))
		return memchr_inv((const u8 *)&uattr->data + known, 0, uattr->len - known) ?
			-EOPNOTSUPP : 0;
	ret = check_zeroed_user(u64_to_user_ptr(uattr->data) + known, uattr->len - known);
	if (ret < 0)
		return ret;
	return ret ? 0 : -EOPNOTSUPP;
}

static int decode_in(struct uverbs_call *call, const struct uverbs_attr_spec *spec,
		     unsigned int i, struct uverbs_ptr_attr *to)
{
	const struct ib_uverbs_attr *uattr = &call->uattrs[i];
	size_t len;
	void *copy;
	int ret;

	ret = check_trailing(call, spec, i);
	if (!ret)
		ret = check_lengths(spec, uattr);
	if (ret)
		return ret;
	len = spec->zero_trailing ? min_t(size_t, uattr->len, spec->u.ptr.len) : uattr->len;
	to->len = len;
	to->data = uattr->data;
	/* The length says where readers look; a cut that makes it small moves the data inline. */
	if (len <= sizeof(to->data) && uattr->len > sizeof(to->data)) {
		to->data = 0;
		return copy_from_user(&to->data, u64_to_user_ptr(uattr->data), len) ? -EFAULT : 0;
	}
	if (!spec->alloc_and_copy || len <= sizeof(to->data))
		return 0;
	copy = uverbs_alloc(&call->bundle, len);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	to->ptr = copy;
	return copy_from_user(copy, u64_to_user_ptr(uattr->data), len) ? -EFAULT : 0;
}

static int decode_enum_in(struct uverbs_call *call, const struct uverbs_attr_spec *spec,
			  unsigned int i, struct uverbs_ptr_attr *to)
{
	const struct ib_uverbs_attr *uattr = &call->uattrs[i];

	if (uattr->attr_data.enum_data.elem_id >= spec->u.enum_def.num_elems)
		return -EOPNOTSUPP;
	if (uattr->attr_data.enum_data.reserved)
		return -EINVAL;
	to->enum_id = uattr->attr_data.enum_data.elem_id;
	return decode_in(call, &spec->u2.enum_def.ids[to->enum_id], i, to);
}

static int decode_object(struct uverbs_call *call, const struct uverbs_api_attr *api_attr,
			 unsigned int i, struct uverbs_obj_attr *to)
{
	const struct ib_uverbs_attr *uattr = &call->uattrs[i];
	const struct uverbs_attr_spec *spec = &api_attr->spec;
	struct ib_uobject *uobj;

	if (uattr->len)
		return -EINVAL;
	uobj = uverbs_dispatch_use(call, api_attr->object, uattr->data_s64, spec->u.obj.access);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	to->uobject = uobj;
	to->attr_elm = api_attr;
	/* The handle is told now and becomes valid with the commit: a failed call gives none. */
	if (spec->u.obj.access == UVERBS_ACCESS_NEW &&
	    put_user((s64)uobj->id, &call->user_attrs[i].data_s64))
		return -EFAULT;
	return 0;
}

static int decode_objects(struct uverbs_call *call, const struct uverbs_attr_spec *spec,
			  unsigned int i, struct uverbs_objs_arr_attr *to)
{
	const struct ib_uverbs_attr *uattr = &call->uattrs[i];
	u32 count = uattr->len / sizeof(u32);
	u32 inline_handles[2];
	u32 *handles = inline_handles;
	u32 k;

	if (uattr->len % sizeof(u32) || count < spec->u2.objs_arr.min_len ||
	    count > spec->u2.objs_arr.max_len)
		return -EINVAL;
	to->uobjects = uverbs_kcalloc(&call->bundle, count, sizeof(*to->uobjects));
	if (IS_ERR(to->uobjects))
		return PTR_ERR(to->uobjects);
	if (uattr->len <= sizeof(inline_handles)) {
		memcpy(inline_handles, &uattr->data, sizeof(inline_handles));
	} else {
		handles = uverbs_alloc(&call->bundle, uattr->len);
		if (IS_ERR(handles))
			return PTR_ERR(handles);
		if (copy_from_user(handles, u64_to_user_ptr(uattr->data), uattr->len))
			return -EFAULT;
	}
	for (k = 0; k < count; k++) {
		to->uobjects[k] = uverbs_dispatch_object(call, spec->u2.objs_arr.obj_type,
							 handles[k], spec->u2.objs_arr.access);
		if (IS_ERR(to->uobjects[k]))
			return PTR_ERR(to->uobjects[k]);
	}
	to->len = count;
	return 0;
}

static int decode_raw_fd(const struct ib_uverbs_attr *uattr, struct uverbs_ptr_attr *to)
{
	if (uattr->len || uattr->data_s64 < INT_MIN || uattr->data_s64 > INT_MAX)
		return -EINVAL;
	to->data = uattr->data_s64;
	return 0;
}

static int decode_attr(struct uverbs_call *call, unsigned int i)
{
	const struct ib_uverbs_attr *uattr = &call->uattrs[i];
	const struct uverbs_attr_spec *spec;
	u32 key = uapi_key_attr(uattr->attr_id);
	struct uverbs_api_attr *api_attr = NULL;
	struct uverbs_attr *to;
	unsigned int bkey;
	int ret = 0;

	if (key != UVERBS_API_KEY_ERR) {
		bkey = uapi_bkey_attr(key);
		if (bkey < UVERBS_API_ATTR_BKEY_LEN)
			api_attr = call->method->attrs[bkey];
	}
	if (!api_attr)
		return uattr->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
	if (test_bit(bkey, call->bundle.attr_present))
		return -EINVAL;
	if (api_attr->absent)
		return -EINVAL;
	spec = &api_attr->spec;
	if (spec->type != UVERBS_ATTR_TYPE_ENUM_IN && uattr->attr_data.reserved)
		return -EINVAL;

	to = &call->bundle.attrs[bkey];
	if (api_attr->plain_len && api_attr->plain_len == uattr->len) {
		to->ptr_attr.data = uattr->data;
		to->ptr_attr.len = uattr->len;
		to->ptr_attr.uattr_idx = i;
		__set_bit(bkey, call->bundle.attr_present);
		return 0;
	}
	switch ((enum uverbs_attr_type)spec->type) {
	case UVERBS_ATTR_TYPE_PTR_IN:
		ret = decode_in(call, spec, i, &to->ptr_attr);
		break;
	case UVERBS_ATTR_TYPE_ENUM_IN:
		ret = decode_enum_in(call, spec, i, &to->ptr_attr);
		break;
	case UVERBS_ATTR_TYPE_PTR_OUT:
		ret = check_lengths(spec, uattr);
		to->ptr_attr.data = uattr->data;
		to->ptr_attr.len = uattr->len;
		break;
	case UVERBS_ATTR_TYPE_IDR:
	case UVERBS_ATTR_TYPE_FD:
		ret = decode_object(call, api_attr, i, &to->obj_attr);
		break;
	case UVERBS_ATTR_TYPE_IDRS_ARRAY:
		ret = decode_objects(call, spec, i, &to->objs_arr_attr);
		break;
	case UVERBS_ATTR_TYPE_RAW_FD:
		ret = decode_raw_fd(uattr, &to->ptr_attr);
		break;
	case UVERBS_ATTR_TYPE_NA:
		ret = -EOPNOTSUPP;
		break;
	}
	if (ret)
		return ret;
	if (spec->type != UVERBS_ATTR_TYPE_IDR && spec->type != UVERBS_ATTR_TYPE_FD &&
	    spec->type != UVERBS_ATTR_TYPE_IDRS_ARRAY)
		to->ptr_attr.uattr_idx = i;
	__set_bit(bkey, call->bundle.attr_present);
	return 0;
}

/* Points udata, empty so far, at a pair of attributes, as user memory of the caller. */
static __always_inline void fill_udata(const struct uverbs_call *call, struct ib_udata *udata,
				       u16 in_id, u16 out_id)
{
	const struct uverbs_attr *in = uverbs_attr_get(&call->bundle, in_id);
	const struct uverbs_attr *out = uverbs_attr_get(&call->bundle, out_id);

	if (!IS_ERR(in)) {
		udata->inbuf = input_at(call, in->ptr_attr.uattr_idx);
		udata->inlen = in->ptr_attr.len;
	}
	if (!IS_ERR(out)) {
		udata->outbuf = u64_to_user_ptr(out->ptr_attr.data);
		udata->outlen = out->ptr_attr.len;
	}
}

/* As uverbs_call_answerable(). */
static int check_answers(const struct uverbs_call *call)
{
	const struct uverbs_attr_bundle *attrs = &call->bundle;
	const struct uverbs_ptr_attr *ptr;
	unsigned int bkey;

	for_each_set_bit(bkey, attrs->attr_present, UVERBS_API_ATTR_BKEY_LEN) {
		if (call->method->attrs[bkey]->spec.type != UVERBS_ATTR_TYPE_PTR_OUT)
			continue;
		ptr = &attrs->attrs[bkey].ptr_attr;
		if (!uverbs_dispatch_writable(u64_to_user_ptr(ptr->data), ptr->len))
			return -EFAULT;
	}
	return 0;
}

/* A method that destroys finds its object destroyed. 1: it was, 0: the method does not. */
static int destroy_first(struct uverbs_call *call)
{
	u8 bkey = call->method->destroy_bkey;
	int ret;

	if (bkey == UVERBS_API_ATTR_BKEY_LEN || !test_bit(bkey, call->bundle.attr_present))
		return 0;
	ret = check_answers(call);
	if (!ret)
		ret = uverbs_uobject_destroy(call->bundle.attrs[bkey].obj_attr.uobject,
					     &call->bundle);
	return ret ? ret : 1;
}

static int run(struct uverbs_call *call, unsigned int num_attrs)
{
	struct uverbs_attr_bundle *attrs = &call->bundle;
	const struct uverbs_attr *uhw_out;
	unsigned int i;
	int destroyed;
	int ret;

	for (i = 0; i < num_attrs; i++) {
		ret = decode_attr(call, i);
		if (ret)
			return ret;
	}
	if (!bitmap_subset(call->method->mandatory, attrs->attr_present, UVERBS_API_ATTR_BKEY_LEN))
		return -EINVAL;

	if (call->method->has_udata)
		fill_udata(call, &attrs->driver_udata, UVERBS_ATTR_UHW_IN, UVERBS_ATTR_UHW_OUT);
	destroyed = destroy_first(call);
	if (destroyed < 0)
		return destroyed;
	ret = call->method->handler(attrs);
	if (destroyed)
		ret = uverbs_call_done(ret);
	/* EPROTONOSUPPORT tells callers that a method is missing: handlers must not say it. */
	if (WARN_ON_ONCE(ret == -EPROTONOSUPPORT))
		return -EINVAL;
	if (ret || !call->method->has_udata)
		return ret;
	/* Drivers write their answer themselves, so it counts as written whenever it was asked. */
	uhw_out = uverbs_attr_get(attrs, UVERBS_ATTR_UHW_OUT);
	return IS_ERR(uhw_out) ? 0 : uverbs_attrs_set_output(attrs, uhw_out);
}

/* left: so many bytes at the end of the attributes could not be read. */
static int run_command(struct ib_uverbs_file *ufile, union command *command, size_t left,
		       struct ib_uverbs_ioctl_hdr __user *user_hdr)
{
	const struct ib_uverbs_ioctl_hdr *hdr = &command->hdr;
	struct uverbs_call_room room __uninitialized;
	const struct uverbs_api_method *method;
	struct uverbs_call *call;
	struct ib_device *ibdev;
	int ret;

	if (hdr->reserved1 || hdr->reserved2)
		return -EPROTONOSUPPORT;
	ibdev = srcu_dereference(ufile->device->ib_dev, &ufile->device->disassociate_srcu);
	if (!ibdev)
		return -EIO;
	/* Attributes of a driver have a meaning only with that driver. */
	if (hdr->driver_id != ufile->device->uapi->driver_id)
		return -EINVAL;
	method = uverbs_uapi_method(ufile->device->uapi, hdr->object_id, hdr->method_id);
	if (!method)
		return -EPROTONOSUPPORT;

	call = uverbs_dispatch_begin(&room, ufile, ibdev, method);
	if (!call)
		return -ENOMEM;
	call->user_attrs = user_hdr->attrs;
	call->uattrs = command->hdr.attrs;
	ret = uverbs_dispatch_end(call, left ? -EFAULT : run(call, hdr->num_attrs));
	trace_uverbs_method(ufile->device->devnum, 'i', hdr->object_id, hdr->method_id, ret);
	return ret;
}

/*
 * A short command, word by word: to open the caller's memory once and to copy without a call is
 * what makes this door as cheap as write(). False, with nothing to be relied on: it is a long one,
 * a wrong one, or not all there.
 */
static bool read_short(union command *to, const struct ib_uverbs_ioctl_hdr __user *user_hdr)
{
	const u64 __user *from = (const u64 __user *)user_hdr;
	size_t i, words;

	if (!user_read_access_begin(from, sizeof(*to)))
		return false;
	unsafe_get_user(to->words[0], from, stop);
	words = to->hdr.length / sizeof(u64);
	if (to->hdr.num_attrs > SHORT_ATTRS ||
	    to->hdr.length != struct_size(&to->hdr, attrs, to->hdr.num_attrs))
		goto stop;
	for (i = 1; i < words; i++)
		unsafe_get_user(to->words[i], from + i, stop);
	user_read_access_end();
	return true;
stop:
	user_read_access_end();
	return false;
}

/* The first word says how long the command is; the rest of it comes in one copy. */
static int read_size(struct ib_uverbs_ioctl_hdr *hdr,
		     struct ib_uverbs_ioctl_hdr __user *user_hdr)
{
	u64 word;

	if (get_user(word, (u64 __user *)user_hdr))
		return -EFAULT;
	memcpy(hdr, &word, sizeof(word));
	if (hdr->length > MAX_COMMAND_BYTES ||
	    hdr->length != struct_size(hdr, attrs, hdr->num_attrs))
		return copy_from_user(hdr, user_hdr, sizeof(*hdr)) ? -EFAULT : -EINVAL;
	return 0;
}

/* Any command, with the answers to those that are wrong or not all there. */
static noinline long decode_any(struct ib_uverbs_file *ufile, union command *short_one,
				struct ib_uverbs_ioctl_hdr __user *user_hdr)
{
	const size_t known = offsetof(struct ib_uverbs_ioctl_hdr, reserved1);
	union command *command = short_one;
	size_t left;
	int ret;

	ret = read_size(&short_one->hdr, user_hdr);
	if (ret)
		return ret;
	if (short_one->hdr.num_attrs > SHORT_ATTRS) {
		command = kmalloc(short_one->hdr.length, GFP_KERNEL);
		if (!command)
			return -ENOMEM;
		memcpy(command, short_one, known);
	}
	left = copy_from_user((void *)command + known, (void __user *)user_hdr + known,
			      command->hdr.length - known);
	if (left > command->hdr.length - sizeof(command->hdr))
		ret = -EFAULT;
	else
		ret = run_command(ufile, command, left, user_hdr);
	if (command != short_one)
		kfree(command);
	return ret;
}

long uverbs_ioctl_decode(struct ib_uverbs_file *ufile, unsigned int cmd, unsigned long arg)
{
	struct ib_uverbs_ioctl_hdr __user *user_hdr = (void __user *)arg;
	union command command __uninitialized;

	if (cmd != RDMA_VERBS_IOCTL)
		return -ENOIOCTLCMD;
	if (unlikely(!read_short(&command, user_hdr)))
		return decode_any(ufile, &command, user_hdr);
	return run_command(ufile, &command, 0, user_hdr);
}

/*
 * INVOKE_WRITE: a write command whose request and answer are attributes. The same function runs
 * that write() would run, in this call.
 */
int uverbs_ioctl_invoke_write(struct uverbs_attr_bundle *attrs)
{
	const struct uverbs_api_method *method;
	u32 command;
	int ret;

	ret = uverbs_get_const(&command, attrs, UVERBS_ATTR_WRITE_CMD);
	if (ret)
		return ret;
	method = uverbs_write_method(attrs->ufile->device->uapi, command);
	if (IS_ERR(method))
		return PTR_ERR(method);
	fill_udata(uverbs_call_of(attrs), &attrs->ucore, UVERBS_ATTR_CORE_IN, UVERBS_ATTR_CORE_OUT);
	if (!method->has_resp) {
		attrs->ucore.outbuf = NULL;
		attrs->ucore.outlen = 0;
	}
	/* As in write(): no size of an extended command is too small. */
	if (!method->is_ex && (attrs->ucore.inlen < method->req_size ||
			       attrs->ucore.outlen < method->resp_size))
		return -ENOSPC;
	return method->handler(attrs);
}
