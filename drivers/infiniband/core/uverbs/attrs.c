// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Values of attributes: the readers and writers of <rdma/uverbs_ioctl.h> that our bodies and the
 * drivers' handlers call, and the write door's request and answer. Out goes user memory.
 */
#include <linux/export.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#include "call.h"
#include "dispatch.h"

/* Drivers compare it with NULL through ERR_PTR checks, so "none yet" is EINVAL. */
struct ib_ucontext *ib_uverbs_get_ucontext_file(struct ib_uverbs_file *ufile)
{
	/* Pairs with the release in verb_context.c. */
	struct ib_ucontext *ucontext = smp_load_acquire(&ufile->ucontext);

	return ucontext ? ucontext : ERR_PTR(-EINVAL);
}
EXPORT_SYMBOL(ib_uverbs_get_ucontext_file);

int uverbs_get_flags64(u64 *to, const struct uverbs_attr_bundle *attrs_bundle, size_t idx,
		       u64 allowed_bits)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs_bundle, idx);
	u64 flags;

	/* Absent flags are no flags. */
	if (IS_ERR(attr)) {
		*to = 0;
		return 0;
	}
	/* Both widths arrive inline, in the caller's byte order; the data of 4 bytes is the first
	 * half of the field.
	 */
	if (attr->ptr_attr.len == sizeof(u64))
		flags = attr->ptr_attr.data;
	else if (attr->ptr_attr.len == sizeof(u32))
		flags = *(const u32 *)&attr->ptr_attr.data;
	else
		return -EINVAL;
	if (flags & ~allowed_bits)
		return -EINVAL;
	*to = flags;
	return 0;
}
EXPORT_SYMBOL(uverbs_get_flags64);

int uverbs_get_flags32(u32 *to, const struct uverbs_attr_bundle *attrs_bundle, size_t idx,
		       u64 allowed_bits)
{
	u64 flags;
	int ret = uverbs_get_flags64(&flags, attrs_bundle, idx, allowed_bits);

	if (ret)
		return ret;
	if (flags > U32_MAX)
		return -EINVAL;
	*to = flags;
	return 0;
}
EXPORT_SYMBOL(uverbs_get_flags32);

int _uverbs_get_const_signed(s64 *to, const struct uverbs_attr_bundle *attrs_bundle, size_t idx,
			     s64 lower_bound, u64 upper_bound, s64 *def_val)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs_bundle, idx);

	if (IS_ERR(attr)) {
		if (PTR_ERR(attr) != -ENOENT || !def_val)
			return PTR_ERR(attr);
		*to = *def_val;
	} else {
		*to = attr->ptr_attr.data;
	}
	if (*to < lower_bound || (*to > 0 && (u64)*to > upper_bound))
		return -EINVAL;
	return 0;
}
EXPORT_SYMBOL(_uverbs_get_const_signed);

int _uverbs_get_const_unsigned(u64 *to, const struct uverbs_attr_bundle *attrs_bundle, size_t idx,
			       u64 upper_bound, u64 *def_val)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs_bundle, idx);

	if (IS_ERR(attr)) {
		if (PTR_ERR(attr) != -ENOENT || !def_val)
			return PTR_ERR(attr);
		*to = *def_val;
	} else {
		*to = attr->ptr_attr.data;
	}
	return *to > upper_bound ? -EINVAL : 0;
}
EXPORT_SYMBOL(_uverbs_get_const_unsigned);

int uverbs_attrs_set_output(const struct uverbs_attr_bundle *attrs, const struct uverbs_attr *attr)
{
	const struct uverbs_call *call = uverbs_call_of(attrs);
	u16 i = attr->ptr_attr.uattr_idx;
	u16 flags = call->uattrs[i].flags | UVERBS_ATTR_F_VALID_OUTPUT;

	return put_user(flags, &call->user_attrs[i].flags) ? -EFAULT : 0;
}

/* A shorter attribute gets the front of the value: that is how structs grow. */
int uverbs_copy_to(const struct uverbs_attr_bundle *attrs_bundle, size_t idx, const void *from,
		   size_t size)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs_bundle, idx);
	size_t len;

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	len = min_t(size_t, attr->ptr_attr.len, size);
	if (copy_to_user(u64_to_user_ptr(attr->ptr_attr.data), from, len))
		return -EFAULT;
	return uverbs_attrs_set_output(attrs_bundle, attr);
}
EXPORT_SYMBOL(uverbs_copy_to);

int uverbs_copy_to_struct_or_zero(const struct uverbs_attr_bundle *bundle, size_t idx,
				  const void *from, size_t size)
{
	const struct uverbs_attr *attr = uverbs_attr_get(bundle, idx);

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	if (size < attr->ptr_attr.len &&
	    clear_user(u64_to_user_ptr(attr->ptr_attr.data) + size, attr->ptr_attr.len - size))
		return -EFAULT;
	return uverbs_copy_to(bundle, idx, from, size);
}
EXPORT_SYMBOL(uverbs_copy_to_struct_or_zero);

/* ---- the write door's request and answer ---- */

/* EOPNOTSUPP: the caller uses a field that we do not know. EFAULT: it cannot be read. */
static int must_be_zero(const void __user *from, size_t len)
{
	int ret = check_zeroed_user(from, len);

	if (ret < 0)
		return ret;
	return ret ? 0 : -EOPNOTSUPP;
}

int uverbs_call_request_fit(struct uverbs_attr_bundle *attrs, void *req, size_t len)
{
	size_t have = attrs->ucore.inlen;

	if (copy_from_user(req, attrs->ucore.inbuf, min(have, len)))
		return -EFAULT;
	if (have < len)
		memset(req + have, 0, len - have);
	else if (have > len)
		return must_be_zero(attrs->ucore.inbuf + len, have - len);
	return 0;
}

int uverbs_call_request_start(struct uverbs_attr_bundle *attrs, struct uverbs_call_rest *rest,
			      void *req, size_t len)
{
	if (attrs->ucore.inlen < len)
		return -ENOSPC;
	if (copy_from_user(req, attrs->ucore.inbuf, len))
		return -EFAULT;
	rest->pos = attrs->ucore.inbuf + len;
	rest->end = attrs->ucore.inbuf + attrs->ucore.inlen;
	return 0;
}

const void __user *uverbs_call_rest_skip(struct uverbs_call_rest *rest, size_t len)
{
	const void __user *pos = rest->pos;

	if (rest->end - pos < len)
		return (void __user __force *)ERR_PTR(-ENOSPC);
	rest->pos += len;
	return pos;
}

int uverbs_call_rest_next(struct uverbs_call_rest *rest, void *to, size_t len)
{
	const void __user *from = uverbs_call_rest_skip(rest, len);

	if (IS_ERR((const void __force *)from))
		return PTR_ERR((const void __force *)from);
	return copy_from_user(to, from, len) ? -EFAULT : 0;
}

int uverbs_call_rest_end(struct uverbs_call_rest *rest)
{
	return must_be_zero(rest->pos, rest->end - rest->pos);
}

/* Through INVOKE_WRITE the answer is an output attribute, with a flag to be set. */
static bool answers_attr(const struct uverbs_attr_bundle *attrs)
{
	return uverbs_attr_is_valid(attrs, UVERBS_ATTR_CORE_OUT) &&
	       uverbs_call_of(attrs)->user_attrs;
}

int uverbs_call_responded(struct uverbs_attr_bundle *attrs)
{
	if (!answers_attr(attrs))
		return 0;
	return uverbs_attrs_set_output(attrs, uverbs_attr_get(attrs, UVERBS_ATTR_CORE_OUT));
}

int uverbs_call_respond_fit(struct uverbs_attr_bundle *attrs, const void *resp, size_t len)
{
	size_t room = attrs->ucore.outlen;

	if (answers_attr(attrs))
		return uverbs_copy_to_struct_or_zero(attrs, UVERBS_ATTR_CORE_OUT, resp, len);
	if (copy_to_user(attrs->ucore.outbuf, resp, min(room, len)))
		return -EFAULT;
	if (room > len && clear_user(attrs->ucore.outbuf + len, room - len))
		return -EFAULT;
	return 0;
}

u32 uverbs_call_response_length(const struct uverbs_attr_bundle *attrs, size_t len)
{
	return min_t(size_t, attrs->ucore.outlen, len);
}
