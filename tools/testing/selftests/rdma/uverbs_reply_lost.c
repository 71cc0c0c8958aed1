// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a call changes in an object that exists is as before when the answer has nowhere to go:
 * re-registering memory, resizing a CQ, and moving a QP. Programs could not know otherwise what
 * they have. Nor is anything told of such a call that was refused. (For what is destroyed see
 * uverbs_replies.c.)
 */
#include "fixture.h"
#include "uverbs_raw.h"

#define NOWHERE		8ull	/* no address of a process's */
#define DRIVER_ROOM	64

static struct fixture f;
static uint8_t driver_answer[DRIVER_ROOM];

/* The answer of the driver has a place, that of the command has none. */
static int unanswered(uint32_t command, const void *req, size_t in, size_t out, bool driver)
{
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	uverbs_raw_add(&raw, UVERBS_ATTR_WRITE_CMD, 8, command);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_IN, in, (uintptr_t)req);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_OUT, out, NOWHERE);
	if (driver)
		uverbs_raw_add(&raw, UVERBS_ATTR_UHW_OUT, sizeof(driver_answer),
			       (uintptr_t)driver_answer);
	return uverbs_raw_go(f.ctx->cmd_fd, &raw);
}

struct region {
	uint64_t length, iova;
	uint32_t lkey, rkey;
};

static int region_query(uint32_t handle, struct region *r)
{
	struct uverbs_raw raw;

	memset(r, 0, sizeof(*r));
	uverbs_raw_start(&raw, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_MR_HANDLE, 0, handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, (uintptr_t)&r->lkey);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, (uintptr_t)&r->rkey);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, (uintptr_t)&r->length);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, (uintptr_t)&r->iova);
	return uverbs_raw_go(f.ctx->cmd_fd, &raw);
}

static void test_rereg(void)
{
	struct ib_uverbs_rereg_mr req = {
		.flags = IBV_REREG_MR_CHANGE_TRANSLATION, .start = (uintptr_t)f.buf + 4096,
		.hca_va = (uintptr_t)f.buf + 4096, .length = 4096, .mr_handle = f.mr->handle,
	};
	struct region before, after;
	int err;

	if (region_query(f.mr->handle, &before))
		tap_bail("query region");
	err = unanswered(IB_USER_VERBS_CMD_REREG_MR, &req, sizeof(req),
			 sizeof(struct ib_uverbs_rereg_mr_resp), false);
	if (err == EOPNOTSUPP) {
		tap_skip("this device cannot re-register memory");
		return;
	}
	tap_is(err, EFAULT, "re-registering memory, answer to nowhere");
	tap_ok(!region_query(f.mr->handle, &after) && !memcmp(&before, &after, sizeof(before)),
	       "the region is what it was");
}

/* By the memory that completions arrive in: a message, after a resize that was not one. */
static void test_resize(void)
{
	struct ib_uverbs_resize_cq req = { .cqe = 500 };
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = cq ? fixture_qp(&f, cq, NULL, IBV_QPT_RC) : NULL;
	struct ibv_wc wc;
	int err;

	if (!qp)
		tap_bail("CQ and QP");
	fixture_connect(&f, qp, qp->qp_num);
	req.cq_handle = cq->handle;
	err = unanswered(IB_USER_VERBS_CMD_RESIZE_CQ, &req, sizeof(req),
			 sizeof(struct ib_uverbs_resize_cq_resp), true);
	if (err == EOPNOTSUPP) {
		tap_skip("this device cannot resize CQs");
	} else {
		tap_is(err, EFAULT, "resizing a CQ, answer to nowhere");
		tap_ok(!fixture_post_recv(&f, qp, 1) &&
		       !fixture_post_send(&f, qp, 2, IBV_SEND_SIGNALED) &&
		       fixture_wait_wc(cq, &wc) && wc.status == IBV_WC_SUCCESS &&
		       fixture_wait_wc(cq, &wc) && wc.status == IBV_WC_SUCCESS,
		       "completions arrive where they did");
	}
	if (ibv_destroy_qp(qp) || ibv_destroy_cq(cq))
		tap_ok(false, "QP and CQ can be destroyed");
}

static void test_modify(void)
{
	struct ib_uverbs_ex_modify_qp req = {
		.base = { .qp_state = IBV_QPS_INIT, .port_num = FIXTURE_PORT,
			  .attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				       IBV_QP_ACCESS_FLAGS },
	};
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = cq ? fixture_qp(&f, cq, NULL, IBV_QPT_RC) : NULL;
	uint32_t resp[2] = { UINT32_MAX, UINT32_MAX };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!qp)
		tap_bail("CQ and QP");
	req.base.qp_handle = qp->handle;
	tap_is(unanswered(IB_USER_VERBS_EX_CMD_MODIFY_QP | IB_USER_VERBS_CMD_FLAG_EXTENDED, &req,
			  sizeof(req), sizeof(struct ib_uverbs_ex_modify_qp_resp), false), EFAULT,
	       "moving a QP, answer to nowhere");
	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		tap_bail("query QP");
	tap_is(attr.qp_state, IBV_QPS_RESET, "the QP is where it was");
	req.base.qp_state = IBV_QPS_RTS;
	tap_ok(uverbs_raw_invoke(f.ctx->cmd_fd, IB_USER_VERBS_EX_CMD_MODIFY_QP |
				 IB_USER_VERBS_CMD_FLAG_EXTENDED, &req, sizeof(req), resp,
				 sizeof(resp)), "a move that there is not");
	tap_ok(resp[0] == UINT32_MAX && resp[1] == UINT32_MAX, "its answer is not touched");
	if (ibv_destroy_qp(qp) || ibv_destroy_cq(cq))
		tap_ok(false, "QP and CQ can be destroyed");
}

int main(void)
{
	if (tap_skip_on_stock("what was changed without an answer is changed"))
		return tap_end();
	fixture_open(&f);
	uverbs_raw_driver_id_of(f.ctx->cmd_fd);
	test_rereg();
	test_resize();
	test_modify();
	fixture_close(&f);
	return tap_end();
}
