// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that POST_SEND, POST_RECV and POST_SRQ_RECV through the kernel check every size they are
 * given: work requests too small or absurdly large, products that wrap, more entries than came
 * along, handles of the wrong kind; all of it a clean error, and the device works afterwards
 * (field case F23).
 */
#include <rdma/ib_user_verbs.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

#define ROOM	4096

static struct fixture f;

/* The head of all three commands, with room for work requests and entries behind it. */
struct request {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_post_send cmd;
	char tail[ROOM];
};

struct sizes {
	uint32_t wr_count;
	uint32_t sge_count;
	uint32_t wqe_size;
};

/* 0 or errno. The command is as long as the tail says, whatever the sizes in it say. */
static int post(uint32_t command, uint32_t handle, const struct sizes *sizes, size_t tail_bytes,
		const void *tail)
{
	struct ib_uverbs_post_send_resp resp = {};
	static struct request req;
	size_t len = sizeof(req.hdr) + sizeof(req.cmd) + tail_bytes;

	memset(&req, 0, sizeof(req));
	req.hdr.command = command;
	req.hdr.in_words = len / 4;
	req.hdr.out_words = sizeof(resp) / 4;
	req.cmd.response = (uintptr_t)&resp;
	req.cmd.qp_handle = handle;
	req.cmd.wr_count = sizes->wr_count;
	req.cmd.sge_count = sizes->sge_count;
	req.cmd.wqe_size = sizes->wqe_size;
	if (tail)
		memcpy(req.tail, tail, tail_bytes);
	errno = 0;
	return write(f.ctx->cmd_fd, &req, len) == (ssize_t)len ? 0 : errno;
}

static void check_command(const char *name, uint32_t command, uint32_t handle, uint32_t wqe)
{
	const struct sizes small[] = {
		{ 1, 0, 0 }, { 1, 0, 1 }, { 1, 0, wqe - 1 }, { 1, 0, wqe - 4 },
	};
	const struct sizes large[] = {
		{ 1, 0, 1u << 31 },		{ 1, 0, 0xffffffff },
		{ 1u << 31, 0, wqe },		{ 1u << 31, 0, 2 },
		{ 0x20000000, 0, wqe },		{ 0xffffffff, 0, wqe },
		{ 1, 0xffffffff, wqe },		{ 0, 0xffffffff, wqe },
		{ 1, 0x10000000, wqe },		{ 0xffffffff, 0xffffffff, 0xffffffff },
		{ ROOM / wqe + 1, 0, wqe },	{ 1, ROOM / 16 + 1, wqe },
	};
	unsigned int i, bad = 0;

	/* A driver whose queues are mapped need not offer the command at all. */
	if (post(command, handle, &small[0], 1024, NULL) == EOPNOTSUPP) {
		tap_skip("%s: not offered by this device", name);
		return;
	}
	for (i = 0; i < sizeof(small) / sizeof(*small); i++)
		bad += post(command, handle, &small[i], 1024, NULL) != EINVAL;
	tap_is(bad, 0, "%s: a work request smaller than the struct is EINVAL", name);
	for (i = 0, bad = 0; i < sizeof(large) / sizeof(*large); i++) {
		int err = post(command, handle, &large[i], 1024, NULL);

		if (err != EINVAL && err != ENOSPC && err != ENOMEM && err != EFAULT) {
			tap_note("wr_count %u sge_count %u wqe_size %u: %d", large[i].wr_count,
				 large[i].sge_count, large[i].wqe_size, err);
			bad++;
		}
	}
	tap_is(bad, 0, "%s: sizes beyond the request are a clean error", name);
	tap_ok(post(command, 0x7ffffff0, &(struct sizes){ 1, 0, wqe }, wqe, NULL) != 0,
	       "%s: a handle that does not exist is an error", name);
	tap_ok(post(command, f.pd->handle, &(struct sizes){ 1, 0, wqe }, wqe, NULL) != 0,
	       "%s: a handle of another kind is an error", name);
}

static void check_send_contents(struct ibv_qp *rc, struct ibv_qp *ud)
{
	struct ib_uverbs_send_wr wr = { .opcode = IB_UVERBS_WR_SEND, .num_sge = 2 };
	const struct sizes one = { 1, 1, sizeof(wr) };
	char tail[sizeof(wr) + sizeof(struct ib_uverbs_sge)] = {};

	if (post(IB_USER_VERBS_CMD_POST_SEND, rc->handle, &one, 0, NULL) == EOPNOTSUPP)
		return;
	memcpy(tail, &wr, sizeof(wr));
	tap_is(post(IB_USER_VERBS_CMD_POST_SEND, rc->handle, &one, sizeof(tail), tail), EINVAL,
	       "num_sge above what came along is EINVAL");
	wr.num_sge = 0xffffffff;
	memcpy(tail, &wr, sizeof(wr));
	tap_is(post(IB_USER_VERBS_CMD_POST_SEND, rc->handle, &one, sizeof(tail), tail), EINVAL,
	       "so is num_sge 2^32-1");
	wr.num_sge = 0;
	wr.opcode = 99;
	memcpy(tail, &wr, sizeof(wr));
	tap_is(post(IB_USER_VERBS_CMD_POST_SEND, rc->handle, &one, sizeof(tail), tail), EINVAL,
	       "an unknown opcode is EINVAL");
	wr.opcode = IB_UVERBS_WR_RDMA_WRITE;
	memcpy(tail, &wr, sizeof(wr));
	tap_is(post(IB_USER_VERBS_CMD_POST_SEND, ud->handle, &one, sizeof(tail), tail), EINVAL,
	       "an RDMA write on a UD QP is EINVAL");
	wr.opcode = IB_UVERBS_WR_SEND;
	wr.wr.ud.ah = 0x7ffffff0;
	memcpy(tail, &wr, sizeof(wr));
	tap_ok(post(IB_USER_VERBS_CMD_POST_SEND, ud->handle, &one, sizeof(tail), tail) != 0,
	       "an address handle that does not exist is an error");
	wr.wr.ud.ah = ud->handle;
	memcpy(tail, &wr, sizeof(wr));
	tap_is(post(IB_USER_VERBS_CMD_POST_SEND, ud->handle, &one, sizeof(tail), tail), EINVAL,
	       "a handle that is no address handle too");
}

/* The request ends where memory ends: nothing may be read beyond what its length says. */
static void check_edge(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp = {};
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_uverbs_cmd_hdr hdr = { .command = IB_USER_VERBS_CMD_POST_SEND };
	struct ib_uverbs_post_send cmd = { .qp_handle = qp->handle, .wr_count = 1,
					   .wqe_size = sizeof(struct ib_uverbs_send_wr) };
	size_t len = sizeof(hdr) + sizeof(cmd);
	char *at = pages + 4096 - len;

	mprotect(pages + 4096, 4096, PROT_NONE);
	hdr.in_words = len / 4;
	hdr.out_words = sizeof(resp) / 4;
	cmd.response = (uintptr_t)&resp;
	memcpy(at, &hdr, sizeof(hdr));
	memcpy(at + sizeof(hdr), &cmd, sizeof(cmd));
	tap_ok(write(f.ctx->cmd_fd, at, len) == -1 &&
	       (errno == ENOSPC || errno == EINVAL || errno == EOPNOTSUPP),
	       "a work request that did not come along is refused");
	munmap(pages, 8192);
}

int main(void)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_qp *rc, *ud;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_wc wc;

	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	srq = ibv_create_srq(f.pd, &srq_init);
	if (!cq || !srq)
		tap_bail("CQ, SRQ");
	rc = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	ud = fixture_qp(&f, cq, NULL, IBV_QPT_UD);
	fixture_connect(&f, rc, rc->qp_num);
	fixture_connect(&f, ud, 0);
	check_command("POST_SEND", IB_USER_VERBS_CMD_POST_SEND, rc->handle,
		      sizeof(struct ib_uverbs_send_wr));
	check_command("POST_RECV", IB_USER_VERBS_CMD_POST_RECV, rc->handle,
		      sizeof(struct ib_uverbs_recv_wr));
	check_command("POST_SRQ_RECV", IB_USER_VERBS_CMD_POST_SRQ_RECV, srq->handle,
		      sizeof(struct ib_uverbs_recv_wr));
	check_send_contents(rc, ud);
	check_edge(rc);
	if (fixture_post_recv(&f, rc, 1) || fixture_post_send(&f, rc, 2, IBV_SEND_SIGNALED))
		tap_bail("post");
	tap_ok(fixture_wait_wc(cq, &wc) && !wc.status && fixture_wait_wc(cq, &wc) && !wc.status,
	       "a message goes through after all this");
	ibv_destroy_qp(rc);
	ibv_destroy_qp(ud);
	ibv_destroy_srq(srq);
	ibv_destroy_cq(cq);
	fixture_close(&f);
	return tap_end();
}
