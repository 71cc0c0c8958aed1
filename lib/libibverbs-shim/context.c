// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * context.c - opening a device, and the tables behind an open one.
 *
 * Called by programs.  Inline verbs of the header jump through the tables filled here: a slot
 * that stays NULL makes them answer EOPNOTSUPP, except close_xrcd, which is called unchecked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rdma/shca-abi.h>
#include "ioctl.h"

#define DEVICE_DIR "/dev/infiniband"

/* Where binaries and inline verbs expect the context (G154, G155). */
_Static_assert(sizeof(struct verbs_context) == 648 || sizeof(void *) == 4, "verbs_context");
_Static_assert(offsetof(struct verbs_context, context) == 320 || sizeof(void *) == 4, "context");

int shim_error_set(int err)
{
	if (err)
		errno = err;
	return err;
}

/* RDMAV_ALLOW_DISASSOC_DESTROY: objects of a removed device are taken for destroyed. */
bool shim_context_gone(int err)
{
	static int allowed = -1;
	const char *env;

	if (err != EIO)
		return false;
	if (allowed < 0) {
		env = getenv("RDMAV_ALLOW_DISASSOC_DESTROY");
		if (!env)
			env = getenv("MLX4_DEVICE_FATAL_CLEANUP");
		allowed = env && strcmp(env, "0");
	}
	return allowed;
}

/* Another device may sit behind the name by now: compare the number. */
static int open_node(const struct shim_device *dev)
{
	char path[sizeof(DEVICE_DIR) + IBV_SYSFS_NAME_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), DEVICE_DIR "/%s", dev->ibv.dev_name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISCHR(st.st_mode) || (dev->cdev && st.st_rdev != dev->cdev)) {
		close(fd);
		errno = ENXIO;
		return -1;
	}
	return fd;
}

/*
 * A context that another process made: the driver's part comes in an attribute of its own,
 * because that command has no room for it.
 */
static int command_query(struct shim_context *ctx, const struct shim_udata *udata)
{
	struct ibv_context *context = &ctx->v.context;
	struct shim_ioctl cmd;
	uint32_t vectors = 1;
	int err;

	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	shim_ioctl_out(&cmd, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, &vectors,
		       sizeof(vectors));
	shim_ioctl_out_optional(&cmd, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, &ctx->core_support,
				sizeof(ctx->core_support));
	shim_ioctl_out(&cmd, SHCA_ATTR_QUERY_CONTEXT_RESP, udata->out, udata->out_len);
	err = shim_ioctl_run(&cmd);
	context->num_comp_vectors = vectors ? (int)vectors : 1;
	return err;
}

static int command_context(struct shim_context *ctx, const struct shim_udata *udata)
{
	struct ibv_context *context = &ctx->v.context;
	struct shim_ioctl cmd;
	uint32_t vectors = 1;
	int err;

	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	shim_ioctl_out(&cmd, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, &vectors, sizeof(vectors));
	shim_ioctl_out_optional(&cmd, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, &ctx->core_support,
				sizeof(ctx->core_support));
	shim_ioctl_udata(&cmd, udata);
	err = shim_ioctl_run(&cmd);
	context->num_comp_vectors = vectors ? (int)vectors : 1;
	return err;
}

static int command_async_fd(struct ibv_context *context)
{
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, context, UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	made = shim_ioctl_new(&cmd, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE);
	err = shim_ioctl_run(&cmd);
	if (!err)
		context->async_fd = (int)shim_ioctl_made(made);
	return err;
}

static int query_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	*number = shca_srq_number(srq);
	return 0;
}

static void fill_tables(struct shim_context *ctx)
{
	struct verbs_context *v = &ctx->v;

	v->sz = sizeof(*v);
	v->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	v->query_port = shim_query_port_attr;
	v->query_device_ex = shim_query_device_ex;
	v->alloc_td = shim_td_alloc;
	v->dealloc_td = shim_td_free;
	v->alloc_parent_domain = shim_pd_alloc_parent;
	v->create_cq_ex = shim_cq_create_ex;
	v->create_qp_ex = shim_qp_create_ex;
	v->create_srq_ex = shim_srq_create_ex;
	v->get_srq_num = query_srq_num;
	v->modify_cq = shim_cq_modify;
	v->open_qp = shim_qp_open;
	v->modify_qp_rate_limit = shim_qp_set_rate_limit;
	v->open_xrcd = shim_xrcd_open;
	v->close_xrcd = shim_xrcd_close;
	v->alloc_null_mr = shim_mr_alloc_null;
	v->alloc_dm = shim_dm_alloc;
	v->free_dm = shim_dm_free;
	v->reg_dm_mr = shim_mr_reg_dm;
	v->context.ops.alloc_mw = shim_mw_alloc;
	v->context.ops.dealloc_mw = shim_mw_free;
	shca_context_set_ops(ctx);
}

/* Leaves the command descriptor to the caller when it fails. */
static int start(struct shim_context *ctx, bool imported)
{
	struct shim_udata udata = { .in = NULL };
	int err;

	err = shca_context_alloc(ctx, &udata);
	if (err)
		return err;
	err = imported ? command_query(ctx, &udata) : command_context(ctx, &udata);
	if (!err)
		err = command_async_fd(&ctx->v.context);
	if (!err)
		err = shca_context_start(ctx);
	if (err) {
		shca_context_free(ctx);
		if (ctx->v.context.async_fd >= 0)
			close(ctx->v.context.async_fd);
	}
	return err;
}

/* Sets errno; the context holds a reference to the device then, and owns cmd_fd. */
static struct ibv_context *make(struct shim_device *dev, int cmd_fd, bool imported)
{
	struct shim_context *ctx = calloc(1, sizeof(*ctx));
	int err;

	if (!ctx) {
		errno = ENOMEM;
		return NULL;
	}
	ctx->device = dev;
	ctx->v.context.device = &dev->ibv;
	ctx->v.context.async_fd = -1;
	ctx->v.context.cmd_fd = cmd_fd;
	pthread_mutex_init(&ctx->v.context.mutex, NULL);
	fill_tables(ctx);
	err = start(ctx, imported);
	if (shim_error_set(err)) {
		pthread_mutex_destroy(&ctx->v.context.mutex);
		free(ctx);
		return NULL;
	}
	__atomic_add_fetch(&dev->refs, 1, __ATOMIC_RELAXED);
	return &ctx->v.context;
}

SHIM_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct shim_device *dev = shim_device(device);
	struct ibv_context *context;
	int fd = open_node(dev);

	if (fd < 0)
		return NULL;
	context = make(dev, fd, false);
	if (!context) {
		int err = errno;

		close(fd);
		errno = err;
	}
	return context;
}

/* The device of a descriptor is the one whose character device has its number. */
SHIM_EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	struct stat st;
	int i, err = ENODEV;

	if (fstat(cmd_fd, &st))
		return NULL;
	list = ibv_get_device_list(NULL);
	if (!list)
		return NULL;
	for (i = 0; list[i]; i++) {
		if (!S_ISCHR(st.st_mode) || shim_device(list[i])->cdev != st.st_rdev)
			continue;
		context = make(shim_device(list[i]), cmd_fd, true);
		err = errno;
		break;
	}
	ibv_free_device_list(list);
	if (!context)
		errno = err;
	return context;
}

/* Always 0 (G041); what is still open dies with the last descriptor and mapping. */
SHIM_EXPORT int ibv_close_device(struct ibv_context *context)
{
	struct shim_context *ctx = shim_context(context);

	shca_context_free(ctx);
	close(context->async_fd);
	close(context->cmd_fd);
	pthread_mutex_destroy(&context->mutex);
	shim_device_put(ctx->device);
	free(ctx);
	return 0;
}
