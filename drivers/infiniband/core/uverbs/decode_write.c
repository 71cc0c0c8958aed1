// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The write door: write(2) of a command header and a struct. file.c calls in with
 * disassociate_srcu held; out go the command's function and dispatch.c. Here headers are checked
 * and the buffers cut into the core's and the driver's part; nothing is known of any verb.
 *
 * Legacy commands count in words of 4 bytes and carry the address of the response in their first
 * member; extended ones count in words of 8 and carry it in a second header. Legacy structs are
 * fixed, so a short one is ENOSPC. Extended ones grew: what an older program does not send reads
 * as zero, what it has no room for is not written, and no size is too small.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_verbs.h>

#include "call.h"
#include "dispatch.h"
#include "trace.h"

const struct uverbs_api_method *uverbs_write_method(struct uverbs_api *uapi, u32 command)
{
	const struct uverbs_api_method *method;
	u32 num = command & IB_USER_VERBS_CMD_COMMAND_MASK;

	if (command & ~(u32)(IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_CMD_COMMAND_MASK))
		return ERR_PTR(-EINVAL);
	if (num >= UVERBS_API_WRITE_KEY_NUM)
		return ERR_PTR(-EOPNOTSUPP);
	method = command & IB_USER_VERBS_CMD_FLAG_EXTENDED ? uapi->write_ex[num] : uapi->write[num];
	return method && !method->disabled ? method : ERR_PTR(-EOPNOTSUPP);
}

static void set_udata(struct ib_udata *udata, const void __user *in, size_t inlen,
		      void __user *out, size_t outlen)
{
	udata->inbuf = inlen ? in : NULL;
	udata->inlen = inlen;
	udata->outbuf = outlen ? out : NULL;
	udata->outlen = outlen;
}

static int legacy_buffers(struct uverbs_call *call, const struct ib_uverbs_cmd_hdr *hdr,
			  const char __user *buf, size_t count)
{
	const struct uverbs_api_method *method = call->method;
	struct uverbs_attr_bundle *attrs = &call->bundle;
	size_t in = hdr->in_words * 4, out = hdr->out_words * 4;
	const char __user *req = buf + sizeof(*hdr);
	void __user *resp = NULL;
	u64 response;

	if (in != count)
		return -EINVAL;
	in -= sizeof(*hdr);
	if (in < method->req_size || out < method->resp_size)
		return -ENOSPC;
	if (method->has_resp) {
		if (get_user(response, (const u64 __user *)req))
			return -EFAULT;
		resp = u64_to_user_ptr(response);
	} else {
		out = 0;
	}
	if (!method->has_udata) {
		/* The whole request is the core's: some end in an array. */
		set_udata(&attrs->ucore, req, in, resp, out);
		return 0;
	}
	set_udata(&attrs->ucore, req, method->req_size, resp, method->resp_size);
	set_udata(&attrs->driver_udata, req + method->req_size, in - method->req_size,
		  resp + method->resp_size, out - min_t(size_t, out, method->resp_size));
	return 0;
}

static int ex_buffers(struct uverbs_call *call, const struct ib_uverbs_cmd_hdr *hdr,
		      const char __user *buf, size_t count)
{
	size_t core_in = hdr->in_words * 8, core_out = hdr->out_words * 8;
	size_t driver_in, driver_out;
	struct ib_uverbs_ex_cmd_hdr ex;
	const char __user *req;
	void __user *resp;

	if (count < sizeof(*hdr) + sizeof(ex))
		return -EINVAL;
	if (copy_from_user(&ex, buf + sizeof(*hdr), sizeof(ex)))
		return -EFAULT;
	driver_in = ex.provider_in_words * 8;
	driver_out = ex.provider_out_words * 8;
	if (core_in + driver_in != count - sizeof(*hdr) - sizeof(ex))
		return -EINVAL;
	if (ex.cmd_hdr_reserved)
		return -EINVAL;
	if (ex.response) {
		if (!core_out && !driver_out)
			return -EINVAL;
		if (!access_ok(u64_to_user_ptr(ex.response), core_out + driver_out))
			return -EFAULT;
	} else if (core_out || driver_out) {
		return -EINVAL;
	}
	req = buf + sizeof(*hdr) + sizeof(ex);
	resp = u64_to_user_ptr(ex.response);
	set_udata(&call->bundle.ucore, req, core_in, resp, core_out);
	set_udata(&call->bundle.driver_udata, req + core_in, driver_in, resp + core_out,
		  driver_out);
	return 0;
}

/* In one word, which costs a tenth of a copy. */
static int read_header(struct ib_uverbs_cmd_hdr *hdr, const char __user *buf)
{
	u64 word;

	static_assert(sizeof(*hdr) == sizeof(word));
	if (get_user(word, (const u64 __user *)buf))
		return -EFAULT;
	memcpy(hdr, &word, sizeof(*hdr));
	return 0;
}

/*
 * What is answered to a command that this device does not have. A number among those that it has
 * is taken for a legacy command, which has to know its own length; programs see that difference.
 */
static int not_supported(const struct uverbs_api *uapi, const struct ib_uverbs_cmd_hdr *hdr,
			 size_t count)
{
	u32 num = hdr->command & IB_USER_VERBS_CMD_COMMAND_MASK;
	bool ex = hdr->command & IB_USER_VERBS_CMD_FLAG_EXTENDED;

	if (num < (ex ? uapi->num_write_ex : uapi->num_write) && hdr->in_words * 4 != count)
		return -EINVAL;
	return -EOPNOTSUPP;
}

ssize_t uverbs_write_decode(struct ib_uverbs_file *ufile, const char __user *buf, size_t count)
{
	struct uverbs_call_room room __uninitialized;
	const struct uverbs_api_method *method;
	struct ib_uverbs_cmd_hdr hdr;
	struct uverbs_call *call;
	struct ib_device *ibdev;
	int ret;

	if (count < sizeof(hdr))
		return -EINVAL;
	ibdev = srcu_dereference(ufile->device->ib_dev, &ufile->device->disassociate_srcu);
	if (!ibdev)
		return -EIO;
	if (read_header(&hdr, buf))
		return -EFAULT;
	method = uverbs_write_method(ufile->device->uapi, hdr.command);
	if (method == ERR_PTR(-EOPNOTSUPP))
		return not_supported(ufile->device->uapi, &hdr, count);
	if (IS_ERR(method))
		return PTR_ERR(method);

	call = uverbs_dispatch_begin(&room, ufile, ibdev, method);
	if (!call)
		return -ENOMEM;
	ret = method->is_ex ? ex_buffers(call, &hdr, buf, count) :
			      legacy_buffers(call, &hdr, buf, count);
	if (!ret)
		ret = method->handler(&call->bundle);
	ret = uverbs_dispatch_end(call, ret);
	trace_uverbs_method(ufile->device->devnum, method->is_ex ? 'x' : 'w', method->object_id,
			    method->method_id, ret);
	return ret ? ret : count;
}
