// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that answers carry nothing but what they mean: reserved and padding bytes are zero, and
 * what lies behind the answer stays as it was. Each buffer is filled with 0xa5 first, and the
 * kernel's stack with the leavings of a long path (field case F31).
 */
#include <stddef.h>

#include "fixture.h"
#include "uverbs_raw.h"

#define FILL	0xa5

struct range {
	uint16_t from, to;
};

/* What must be zero, as [from, to). */
#define RESERVED(type, first, bytes) { offsetof(type, first), offsetof(type, first) + (bytes) }

struct reply {
	const char *what;
	uint32_t command;
	size_t req_bytes, resp_bytes;
	struct range zero;
};

static struct fixture f;
static uint8_t out[1024];

/* Leaves a stack full of file names behind. */
static void dirty_the_stack(void)
{
	char path[4096];

	memset(path, FILL, sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	if (access(path, F_OK) == 0)
		tap_note("a file of that name exists");
}

static bool all(const uint8_t *at, size_t bytes, uint8_t value)
{
	while (bytes--)
		if (*at++ != value)
			return false;
	return true;
}

static void check(const struct reply *r, void *req)
{
	uint8_t cmd[256];
	uint64_t response = (uintptr_t)out;
	struct ib_uverbs_cmd_hdr *hdr = (void *)cmd;
	ssize_t bytes = sizeof(*hdr) + r->req_bytes;

	memcpy(req, &response, sizeof(response));
	*hdr = (struct ib_uverbs_cmd_hdr) { r->command, bytes / 4, r->resp_bytes / 4 };
	memcpy(hdr + 1, req, r->req_bytes);
	memset(out, FILL, sizeof(out));
	dirty_the_stack();
	if (write(f.ctx->cmd_fd, cmd, bytes) != bytes) {
		tap_ok(false, "%s: %s", r->what, strerror(errno));
		return;
	}
	tap_ok(all(out + r->zero.from, r->zero.to - r->zero.from, 0), "%s: reserved bytes are zero",
	       r->what);
	tap_ok(all(out + r->resp_bytes, sizeof(out) - r->resp_bytes, FILL),
	       "%s: nothing is written behind it", r->what);
}

static void test_queries(void)
{
	static const struct reply device = {
		"QUERY_DEVICE", IB_USER_VERBS_CMD_QUERY_DEVICE,
		sizeof(struct ib_uverbs_query_device), sizeof(struct ib_uverbs_query_device_resp),
		RESERVED(struct ib_uverbs_query_device_resp, reserved, 4),
	};
	static const struct reply port = {
		"QUERY_PORT", IB_USER_VERBS_CMD_QUERY_PORT,
		sizeof(struct ib_uverbs_query_port), sizeof(struct ib_uverbs_query_port_resp),
		RESERVED(struct ib_uverbs_query_port_resp, reserved, 1),
	};
	struct ib_uverbs_query_port query = { .port_num = 1 };
	uint64_t nothing[1];

	check(&device, nothing);
	check(&port, &query);
}

static void check_query_qp(struct ibv_qp *qp, const char *state)
{
	struct reply r = {
		.command = IB_USER_VERBS_CMD_QUERY_QP,
		.req_bytes = sizeof(struct ib_uverbs_query_qp),
		.resp_bytes = sizeof(struct ib_uverbs_query_qp_resp),
		.zero = RESERVED(struct ib_uverbs_query_qp_resp, reserved, 5),
	};
	struct ib_uverbs_query_qp req = { .qp_handle = qp->handle, .attr_mask = ~0u };
	const struct ib_uverbs_query_qp_resp *resp = (void *)out;
	char what[64];

	snprintf(what, sizeof(what), "QUERY_QP of type %d in %s", qp->qp_type, state);
	r.what = what;
	check(&r, &req);
	tap_is(resp->dest.reserved | resp->alt_dest.reserved, 0, "%s: and those of the paths",
	       what);
}

static void test_qps(void)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp *qp;
	size_t i;

	if (!cq)
		tap_bail("create CQ");
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		qp = fixture_qp(&f, cq, NULL, types[i]);
		check_query_qp(qp, "RESET");
		if (fixture_qp_to_init(qp))
			tap_bail("INIT");
		check_query_qp(qp, "INIT");
		if (fixture_qp_to_rtr(&f, qp, qp->qp_num))
			tap_bail("RTR");
		check_query_qp(qp, "RTR");
		if (fixture_qp_to_rts(qp))
			tap_bail("RTS");
		check_query_qp(qp, "RTS");
		if (ibv_modify_qp(qp, &error, IBV_QP_STATE))
			tap_bail("ERR");
		check_query_qp(qp, "ERR");
		ibv_destroy_qp(qp);
	}
	ibv_destroy_cq(cq);
}

static void test_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(f.pd, &init);
	static const struct reply query = {
		"QUERY_SRQ", IB_USER_VERBS_CMD_QUERY_SRQ, sizeof(struct ib_uverbs_query_srq),
		sizeof(struct ib_uverbs_query_srq_resp),
		RESERVED(struct ib_uverbs_query_srq_resp, reserved, 4),
	};
	struct ib_uverbs_query_srq req = { 0 };

	if (!srq) {
		tap_skip("no SRQs here");
		return;
	}
	req.srq_handle = srq->handle;
	check(&query, &req);
	ibv_destroy_srq(srq);
}

/* The extended answer says how long it is, and has parts that this device has nothing to say on. */
static void test_query_device_ex(void)
{
	struct ib_uverbs_ex_query_device req = { 0 };
	struct ib_uverbs_ex_query_device_resp *resp = (void *)out;
	const size_t cmq = offsetof(struct ib_uverbs_ex_query_device_resp, cq_moderation_caps);

	memset(out, FILL, sizeof(out));
	dirty_the_stack();
	if (uverbs_raw_invoke(f.ctx->cmd_fd, IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
			      IB_USER_VERBS_CMD_FLAG_EXTENDED, &req, sizeof(req), resp,
			      sizeof(*resp) + 64)) {
		tap_ok(false, "QUERY_DEVICE, extended");
		return;
	}
	tap_is(resp->reserved | resp->odp_caps.reserved | resp->rss_caps.reserved |
	       resp->tm_caps.reserved | resp->cq_moderation_caps.reserved | resp->comp_mask, 0,
	       "QUERY_DEVICE, extended: reserved bytes are zero");
	tap_ok(resp->response_length == sizeof(*resp) && cmq, "it says its length");
	tap_ok(all(out + sizeof(*resp), 64, 0), "room that is not needed reads as zero");
	tap_ok(all(out + sizeof(*resp) + 64, sizeof(out) - sizeof(*resp) - 64, FILL),
	       "nothing is written behind it");
}

/* Handles of failed calls must not look like objects: nothing is told of a call that failed. */
static void test_failed(void)
{
	struct ib_uverbs_reg_mr req = {
		.start = 0x1000, .hca_va = 0x1000, .length = 4096, .pd_handle = f.pd->handle,
		.access_flags = 1,
	};

	memset(out, FILL, sizeof(out));
	tap_is(uverbs_raw_invoke(f.ctx->cmd_fd, IB_USER_VERBS_CMD_REG_MR, &req, sizeof(req), out,
				 sizeof(struct ib_uverbs_reg_mr_resp)), EFAULT,
	       "registering memory that is not there");
	tap_ok(all(out, sizeof(out), FILL), "the answer of a failed call is not touched");
}

/* An answer with nowhere to go is noticed while the object is still there. */
static void test_destroy(void)
{
	struct ib_uverbs_destroy_cq_resp *nowhere = (void *)8;
	struct ib_uverbs_destroy_cq req = { 0 };
	struct ibv_cq *cq;
	struct uverbs_raw raw;

	if (tap_skip_on_stock("what was destroyed without an answer is gone"))
		return;
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	if (!cq)
		tap_bail("create CQ");
	req.cq_handle = cq->handle;
	tap_is(uverbs_raw_invoke(f.ctx->cmd_fd, IB_USER_VERBS_CMD_DESTROY_CQ, &req, sizeof(req),
				 nowhere, sizeof(*nowhere)), EFAULT,
	       "DESTROY_CQ, answer to nowhere");
	uverbs_raw_start(&raw, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_CQ_HANDLE, 0, cq->handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(*nowhere), (uintptr_t)nowhere);
	tap_is(uverbs_raw_go(f.ctx->cmd_fd, &raw), EFAULT, "the method, answer to nowhere");
	tap_is(ibv_destroy_cq(cq), 0, "the CQ is still there to be destroyed");
}

int main(void)
{
	fixture_open(&f);
	uverbs_raw_driver_id_of(f.ctx->cmd_fd);
	test_queries();
	test_query_device_ex();
	test_qps();
	test_srq();
	test_failed();
	test_destroy();
	fixture_close(&f);
	return tap_end();
}
