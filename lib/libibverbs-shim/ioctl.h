/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ioctl.h - command buffers of the uverbs character device.
 *
 * A command is an object, a method and a list of attributes in one buffer on the stack.  Append
 * attributes in any order, run, read the answers.  Who is too generous with attributes trips
 * over an assertion, not over the stack.
 */
#ifndef SHIM_IOCTL_H
#define SHIM_IOCTL_H

#include "shim.h"
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#define SHIM_IOCTL_MAX_ATTRS 20

struct shim_ioctl {
	int fd;
	uint16_t count;
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		uint8_t bytes[sizeof(struct ib_uverbs_ioctl_hdr) +
			      SHIM_IOCTL_MAX_ATTRS * sizeof(struct ib_uverbs_attr)];
	};
};

void shim_ioctl_init(struct shim_ioctl *cmd, struct ibv_context *context, uint16_t object,
		     uint16_t method);
/* Input bytes; up to eight of them travel in the attribute itself. */
void shim_ioctl_in(struct shim_ioctl *cmd, uint16_t id, const void *data, uint16_t len);
void shim_ioctl_in_u32(struct shim_ioctl *cmd, uint16_t id, uint32_t value);
/* Constants, enums and flags travel as 64 bits. */
void shim_ioctl_in_u64(struct shim_ioctl *cmd, uint16_t id, uint64_t value);
void shim_ioctl_out(struct shim_ioctl *cmd, uint16_t id, void *data, uint16_t len);
/* An answer that an older kernel may not know. */
void shim_ioctl_out_optional(struct shim_ioctl *cmd, uint16_t id, void *data, uint16_t len);
void shim_ioctl_object(struct shim_ioctl *cmd, uint16_t id, uint32_t handle);
void shim_ioctl_fd(struct shim_ioctl *cmd, uint16_t id, int fd);
/* A handle or descriptor that the kernel makes: read it with shim_ioctl_made() after the run. */
struct ib_uverbs_attr *shim_ioctl_new(struct shim_ioctl *cmd, uint16_t id);
void shim_ioctl_udata(struct shim_ioctl *cmd, const struct shim_udata *udata);
/* 0 or a positive errno value. */
int shim_ioctl_run(struct shim_ioctl *cmd);

static inline uint32_t shim_ioctl_made(const struct ib_uverbs_attr *attr)
{
	return (uint32_t)attr->data;
}

/* The legacy commands, for verbs without a method of their own. */
struct shim_write {
	uint32_t command;	/* IB_USER_VERBS_CMD_*, with the extended flag where it applies */
	const void *in;
	void *out;
	uint16_t in_len;	/* bytes */
	uint16_t out_len;	/* bytes */
};

int shim_ioctl_write(struct ibv_context *context, const struct shim_write *req,
		     const struct shim_udata *udata);

/*
 * Destroy methods: one handle in, an answer of len bytes (0: none) out.  Forgives a device that
 * is gone when the process asked for that; resp then reads as zero.
 */
struct shim_destroy {
	uint16_t object;
	uint16_t method;
	uint16_t handle_attr;
	uint16_t resp_attr;
};

int shim_ioctl_destroy(struct ibv_context *context, const struct shim_destroy *what,
		       uint32_t handle, void *resp, uint16_t len);

#endif
