// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl.c - fills command buffers and hands them to the kernel.
 *
 * Called by the verbs half of the library; the only way to the uverbs device.  Knows the form of
 * a command, not the meaning of any.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/shca-abi.h>
#include "ioctl.h"

/* The kernel takes input of at most this size out of the attribute instead of through it. */
#define INLINE_MAX sizeof(((struct ib_uverbs_attr *)0)->data)

void shim_ioctl_init(struct shim_ioctl *cmd, struct ibv_context *context, uint16_t object,
		     uint16_t method)
{
	memset(&cmd->hdr, 0, sizeof(cmd->hdr));
	cmd->fd = context->cmd_fd;
	cmd->count = 0;
	cmd->hdr.object_id = object;
	cmd->hdr.method_id = method;
	cmd->hdr.driver_id = SHCA_DRIVER_ID;
}

static struct ib_uverbs_attr *append(struct shim_ioctl *cmd, uint16_t id, uint16_t len)
{
	struct ib_uverbs_attr *attr;

	assert(cmd->count < SHIM_IOCTL_MAX_ATTRS);
	attr = (struct ib_uverbs_attr *)(cmd->bytes + sizeof(cmd->hdr)) + cmd->count++;
	memset(attr, 0, sizeof(*attr));
	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	return attr;
}

void shim_ioctl_in(struct shim_ioctl *cmd, uint16_t id, const void *data, uint16_t len)
{
	struct ib_uverbs_attr *attr = append(cmd, id, len);

	if (len <= INLINE_MAX)
		memcpy(&attr->data, data, len);
	else
		attr->data = (uintptr_t)data;
}

void shim_ioctl_in_u32(struct shim_ioctl *cmd, uint16_t id, uint32_t value)
{
	shim_ioctl_in(cmd, id, &value, sizeof(value));
}

void shim_ioctl_in_u64(struct shim_ioctl *cmd, uint16_t id, uint64_t value)
{
	shim_ioctl_in(cmd, id, &value, sizeof(value));
}

void shim_ioctl_out(struct shim_ioctl *cmd, uint16_t id, void *data, uint16_t len)
{
	append(cmd, id, len)->data = (uintptr_t)data;
}

void shim_ioctl_out_optional(struct shim_ioctl *cmd, uint16_t id, void *data, uint16_t len)
{
	struct ib_uverbs_attr *attr = append(cmd, id, len);

	attr->data = (uintptr_t)data;
	attr->flags = 0;
}

void shim_ioctl_object(struct shim_ioctl *cmd, uint16_t id, uint32_t handle)
{
	append(cmd, id, 0)->data = handle;
}

void shim_ioctl_fd(struct shim_ioctl *cmd, uint16_t id, int fd)
{
	append(cmd, id, 0)->data_s64 = fd;
}

struct ib_uverbs_attr *shim_ioctl_new(struct shim_ioctl *cmd, uint16_t id)
{
	return append(cmd, id, 0);
}

void shim_ioctl_udata(struct shim_ioctl *cmd, const struct shim_udata *udata)
{
	if (!udata)
		return;
	if (udata->in_len)
		shim_ioctl_in(cmd, UVERBS_ATTR_UHW_IN, udata->in, udata->in_len);
	if (udata->out_len)
		shim_ioctl_out(cmd, UVERBS_ATTR_UHW_OUT, udata->out, udata->out_len);
}

int shim_ioctl_run(struct shim_ioctl *cmd)
{
	cmd->hdr.num_attrs = cmd->count;
	cmd->hdr.length = sizeof(cmd->hdr) + cmd->count * sizeof(struct ib_uverbs_attr);
	if (!ioctl(cmd->fd, RDMA_VERBS_IOCTL, &cmd->hdr))
		return 0;
	/* A kernel without the object or method: the verb is not supported (G034). */
	return errno == EPROTONOSUPPORT ? EOPNOTSUPP : errno;
}

int shim_ioctl_write(struct ibv_context *context, const struct shim_write *req,
		     const struct shim_udata *udata)
{
	struct shim_ioctl cmd;

	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	shim_ioctl_in_u64(&cmd, UVERBS_ATTR_WRITE_CMD, req->command);
	shim_ioctl_in(&cmd, UVERBS_ATTR_CORE_IN, req->in, req->in_len);
	if (req->out_len)
		shim_ioctl_out(&cmd, UVERBS_ATTR_CORE_OUT, req->out, req->out_len);
	shim_ioctl_udata(&cmd, udata);
	return shim_ioctl_run(&cmd);
}

int shim_ioctl_destroy(struct ibv_context *context, const struct shim_destroy *what,
		       uint32_t handle, void *resp, uint16_t len)
{
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, context, what->object, what->method);
	shim_ioctl_object(&cmd, what->handle_attr, handle);
	if (len) {
		memset(resp, 0, len);
		shim_ioctl_out(&cmd, what->resp_attr, resp, len);
	}
	err = shim_ioctl_run(&cmd);
	return shim_context_gone(err) ? 0 : err;
}
