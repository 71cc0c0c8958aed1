/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The shca driver without a library: commands by write(), rings by mmap(), for tests that do what
 * no library would. Two QPs of one process can be connected to one another and moved by hand.
 */
#ifndef SELFTEST_SHCA_RAW_H
#define SELFTEST_SHCA_RAW_H

#include "fixture.h"

#include <fcntl.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/shca-abi.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Values of enum ib_uverbs_wr_opcode, which a WQE carries. */
enum { RAW_WR_RDMA_WRITE = 0, RAW_WR_SEND = 2, RAW_WR_RDMA_READ = 4 };

struct raw {
	int fd, doorbell;
	struct { uint32_t async_fd, vectors; struct shca_alloc_ucontext_resp shca; } ctx;
	uint32_t pd;
};

struct raw_cq {
	struct { struct ib_uverbs_create_cq_resp ib; struct shca_create_cq_resp shca; } resp;
	struct shca_cq_shared *shared;
	struct shca_cqe *ring;
	uint32_t cons;
};

struct raw_qp {
	struct { struct ib_uverbs_create_qp_resp ib; struct shca_create_qp_resp shca; } resp;
	struct shca_qp_shared *shared;
	uint8_t *base;
};

/* One command; returns 0 or an errno. */
__attribute__((unused))
static int raw_command(int fd, uint32_t command, void *cmd, size_t in, void *resp, size_t out)
{
	uint8_t buffer[512];
	struct ib_uverbs_cmd_hdr *hdr = (void *)buffer;
	uint64_t response = (uintptr_t)resp;
	size_t bytes = sizeof(*hdr) + in;

	hdr->command = command;
	hdr->in_words = bytes / 4;
	hdr->out_words = out / 4;
	if (resp)
		memcpy(cmd, &response, sizeof(response));
	memcpy(hdr + 1, cmd, in);
	return write(fd, buffer, bytes) == (ssize_t)bytes ? 0 : errno;
}

/* The uverbs node of the device under test; -1 when there is none. */
__attribute__((unused))
static int raw_open_node(void)
{
	const char *wanted = getenv("KV_DEV");
	char path[96], name[64] = "";
	int n;

	for (n = 0; n < 32; n++) {
		FILE *file;

		snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/uverbs%d/ibdev", n);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%63s", name) != 1)
			name[0] = 0;
		fclose(file);
		if (wanted && strcmp(name, wanted))
			continue;
		snprintf(path, sizeof(path), "/dev/infiniband/uverbs%d", n);
		return open(path, O_RDWR | O_CLOEXEC);
	}
	return -1;
}

/* The driver's doorbell object by the attribute ioctl: a file descriptor, or -errno. */
__attribute__((unused))
static int raw_doorbell(int fd)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr;
	} cmd = {
		.hdr = { .length = sizeof(cmd), .object_id = SHCA_OBJECT_DOORBELL,
			 .method_id = SHCA_METHOD_DOORBELL_ALLOC, .num_attrs = 1,
			 .driver_id = SHCA_DRIVER_ID },
		.attr = { .attr_id = SHCA_ATTR_DOORBELL_ALLOC_FD,
			  .flags = UVERBS_ATTR_F_MANDATORY },
	};

	if (ioctl(fd, RDMA_VERBS_IOCTL, &cmd))
		return -errno;
	return (int)cmd.attr.data;
}

__attribute__((unused))
static void raw_open(struct raw *raw)
{
	struct { struct ib_uverbs_get_context ib; } get = { 0 };
	struct { struct ib_uverbs_alloc_pd ib; } pd = { 0 };
	struct ib_uverbs_alloc_pd_resp pd_resp;

	raw->fd = raw_open_node();
	if (raw->fd < 0)
		tap_bail("open the uverbs node");
	errno = raw_command(raw->fd, IB_USER_VERBS_CMD_GET_CONTEXT, &get, sizeof(get), &raw->ctx,
			    sizeof(raw->ctx));
	if (errno)
		tap_bail("get context");
	errno = raw_command(raw->fd, IB_USER_VERBS_CMD_ALLOC_PD, &pd, sizeof(pd), &pd_resp,
			    sizeof(pd_resp));
	if (errno)
		tap_bail("alloc PD");
	raw->pd = pd_resp.pd_handle;
	raw->doorbell = raw_doorbell(raw->fd);
	if (raw->doorbell < 0)
		tap_bail("doorbell %d", raw->doorbell);
}

__attribute__((unused))
static void *raw_map(const struct raw *raw, const struct shca_mmap_info *info)
{
	void *at = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, raw->fd,
			info->offset);

	if (at == MAP_FAILED)
		tap_bail("map a ring");
	return at;
}

/* Unmapped; returns 0 or an errno. */
__attribute__((unused))
static int raw_create_cq(const struct raw *raw, struct raw_cq *cq, uint32_t cqe)
{
	struct { struct ib_uverbs_create_cq ib; } cmd = {
		.ib = { .cqe = cqe, .comp_channel = -1 },
	};

	memset(cq, 0, sizeof(*cq));
	return raw_command(raw->fd, IB_USER_VERBS_CMD_CREATE_CQ, &cmd, sizeof(cmd), &cq->resp,
			   sizeof(cq->resp));
}

__attribute__((unused))
static int raw_destroy_cq(const struct raw *raw, uint32_t handle)
{
	struct ib_uverbs_destroy_cq cmd = { .cq_handle = handle };
	struct ib_uverbs_destroy_cq_resp resp;

	return raw_command(raw->fd, IB_USER_VERBS_CMD_DESTROY_CQ, &cmd, sizeof(cmd), &resp,
			   sizeof(resp));
}

__attribute__((unused))
static void raw_make_cq(const struct raw *raw, struct raw_cq *cq, uint32_t cqe)
{
	errno = raw_create_cq(raw, cq, cqe);
	if (errno)
		tap_bail("create CQ");
	cq->shared = raw_map(raw, &cq->resp.shca.map);
	cq->ring = (void *)((uint8_t *)cq->shared + cq->resp.shca.ring.offset);
}

__attribute__((unused))
static uint32_t raw_reg_mr(const struct raw *raw, void *buf, size_t length, uint32_t *handle)
{
	struct { struct ib_uverbs_reg_mr ib; } cmd = {
		.ib = { .start = (uintptr_t)buf, .length = length, .hca_va = (uintptr_t)buf,
			.pd_handle = raw->pd, .access_flags = FIXTURE_ALL_ACCESS },
	};
	struct ib_uverbs_reg_mr_resp resp;

	errno = raw_command(raw->fd, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), &resp,
			    sizeof(resp));
	if (errno)
		tap_bail("register memory");
	if (handle)
		*handle = resp.mr_handle;
	return resp.lkey;
}

#endif
