// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands that no library of today sends (the legacy creates and destroys, posting and polling
 * through the kernel, three methods) with each of their possible failures made to happen
 * (fault_ops.h), by INVOKE_WRITE and by write(). What libraries send is fault_sweep's.
 *
 * fault_raw [NAME]: only that operation.
 */
#include "fault_ops.h"
#include "uverbs_raw.h"

#define DRIVER_ROOM	64	/* for a driver's part of an answer, where it insists on one */
#define EXTENDED(cmd)	(IB_USER_VERBS_EX_CMD_##cmd | IB_USER_VERBS_CMD_FLAG_EXTENDED)

static uint32_t handle, cq_handle, qp_handle;
static int device_fd = -1;
static struct ib_uverbs_get_context_resp context;
static uint8_t driver_answer[DRIVER_ROOM];

/* By whichever door it is the turn of, which fault_nth.h sees to. */
static int command(uint32_t number, const void *req, size_t in, void *resp, size_t out)
{
	return uverbs_raw_invoke(f.ctx->cmd_fd, number, req, in, resp, out);
}

/* The same of a command whose answer has a part of the driver's. */
static int create(int fd, uint32_t number, const void *req, size_t in, void *resp, size_t out)
{
	struct uverbs_raw raw;
	uint64_t data = (uintptr_t)req;

	if (in <= sizeof(data))
		memcpy(&data, req, in);
	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	uverbs_raw_add(&raw, UVERBS_ATTR_WRITE_CMD, 8, number);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_IN, in, data);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_OUT, out, (uintptr_t)resp);
	uverbs_raw_add(&raw, UVERBS_ATTR_UHW_OUT, sizeof(driver_answer), (uintptr_t)driver_answer);
	return uverbs_raw_go(fd, &raw);
}

#define COMMAND(number, req, resp) command(number, &(req), sizeof(req), &(resp), sizeof(resp))
#define CREATE(number, req, resp) \
	create(f.ctx->cmd_fd, number, &(req), sizeof(req), &(resp), sizeof(resp))

/* ---- contexts and queries ---- */

static int open_file(void)
{
	device_fd = uverbs_raw_fd_of(ibv_get_device_name(f.ctx->device));
	return device_fd < 0 ? errno : 0;
}

static int close_file(void)
{
	return close(device_fd) ? errno : 0;
}

static int get_context(void)
{
	struct ib_uverbs_get_context req = { 0 };

	return create(device_fd, IB_USER_VERBS_CMD_GET_CONTEXT, &req, sizeof(req), &context,
		      sizeof(context));
}

/* The context lasts as long as its file. */
static int close_context(void)
{
	return close(context.async_fd) ? errno : 0;
}

static int query_device(void)
{
	struct ib_uverbs_query_device_resp resp;
	struct ib_uverbs_query_device req = { 0 };

	return COMMAND(IB_USER_VERBS_CMD_QUERY_DEVICE, req, resp);
}

static int query_port(void)
{
	struct ib_uverbs_query_port req = { .port_num = FIXTURE_PORT };
	struct ib_uverbs_query_port_resp resp;

	return COMMAND(IB_USER_VERBS_CMD_QUERY_PORT, req, resp);
}

static int info_handles(void)
{
	uint32_t list[16], total;
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	uverbs_raw_add(&raw, UVERBS_ATTR_INFO_OBJECT_ID, 8, UVERBS_OBJECT_PD);
	uverbs_raw_add(&raw, UVERBS_ATTR_INFO_TOTAL_HANDLES, sizeof(total), (uintptr_t)&total);
	uverbs_raw_add(&raw, UVERBS_ATTR_INFO_HANDLES_LIST, sizeof(list), (uintptr_t)list);
	return uverbs_raw_go(f.ctx->cmd_fd, &raw);
}

static int advise_mr(void)
{
	struct ib_uverbs_sge sge = { (uintptr_t)f.buf, 4096, f.mr->lkey };
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	uverbs_raw_add(&raw, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, f.pd->handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_ADVISE_MR_FLAGS, 4, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(sge), (uintptr_t)&sge);
	return uverbs_raw_go(f.ctx->cmd_fd, &raw);
}

/* Of a descriptor that is no dma-buf: the library does not ask where no driver can. */
static int reg_dmabuf(void)
{
	uint32_t lkey, rkey;
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, f.pd->handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, 4096);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, failure_fd);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, sizeof(lkey), (uintptr_t)&lkey);
	uverbs_raw_add(&raw, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, sizeof(rkey), (uintptr_t)&rkey);
	return uverbs_raw_go(f.ctx->cmd_fd, &raw);
}

/* ---- PDs, regions, windows, addresses, XRC domains ---- */

static int alloc_pd(void)
{
	return uverbs_raw_alloc_pd(f.ctx->cmd_fd, &handle);
}

static int reg_mr(void)
{
	struct ib_uverbs_reg_mr req = {
		.start = (uintptr_t)f.buf, .hca_va = (uintptr_t)f.buf, .length = 8192,
		.pd_handle = f.pd->handle, .access_flags = IBV_ACCESS_LOCAL_WRITE,
	};
	struct ib_uverbs_reg_mr_resp resp = { 0 };
	int ret = COMMAND(IB_USER_VERBS_CMD_REG_MR, req, resp);

	handle = resp.mr_handle;
	return ret;
}

static int alloc_mw(void)
{
	struct ib_uverbs_alloc_mw req = { .pd_handle = f.pd->handle, .mw_type = IBV_MW_TYPE_2 };
	struct ib_uverbs_alloc_mw_resp resp = { 0 };
	int ret = COMMAND(IB_USER_VERBS_CMD_ALLOC_MW, req, resp);

	handle = resp.mw_handle;
	return ret;
}

static int create_ah(void)
{
	struct ib_uverbs_create_ah req = {
		.pd_handle = f.pd->handle,
		.attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			  .grh = { .sgid_index = f.gid_index, .hop_limit = 64 } },
	};
	struct ib_uverbs_create_ah_resp resp = { 0 };
	int ret;

	memcpy(req.attr.grh.dgid, f.gid.raw, sizeof(req.attr.grh.dgid));
	ret = COMMAND(IB_USER_VERBS_CMD_CREATE_AH, req, resp);
	handle = resp.ah_handle;
	return ret;
}

static int open_xrcd(void)
{
	struct ib_uverbs_open_xrcd req = { .fd = -1, .oflags = O_CREAT };
	struct ib_uverbs_open_xrcd_resp resp = { 0 };
	int ret = COMMAND(IB_USER_VERBS_CMD_OPEN_XRCD, req, resp);

	handle = resp.xrcd_handle;
	return ret;
}

/* Commands whose whole request is a handle. */
static int end_by_command(void)
{
	return command(now->command, &handle, sizeof(handle), NULL, 0);
}

/* ---- CQs ---- */

static int create_cq(void)
{
	struct ib_uverbs_create_cq req = { .cqe = 16, .comp_channel = -1 };
	struct ib_uverbs_create_cq_resp resp = { 0 };
	int ret = CREATE(IB_USER_VERBS_CMD_CREATE_CQ, req, resp);

	cq_handle = resp.cq_handle;
	return ret;
}

static int create_cq_ex(void)
{
	struct ib_uverbs_ex_create_cq req = { .cqe = 16, .comp_channel = -1 };
	struct ib_uverbs_ex_create_cq_resp resp = { 0 };
	int ret = CREATE(EXTENDED(CREATE_CQ), req, resp);

	cq_handle = resp.base.cq_handle;
	return ret;
}

static int destroy_cq(void)
{
	struct ib_uverbs_destroy_cq req = { .cq_handle = cq_handle };
	struct ib_uverbs_destroy_cq_resp resp;

	return COMMAND(IB_USER_VERBS_CMD_DESTROY_CQ, req, resp);
}

static int poll_cq(void)
{
	struct ib_uverbs_poll_cq req = { .cq_handle = cq_handle, .ne = 1 };
	struct {
		struct ib_uverbs_poll_cq_resp head;
		struct ib_uverbs_wc wc;
	} resp;

	return COMMAND(IB_USER_VERBS_CMD_POLL_CQ, req, resp);
}

static int req_notify_cq(void)
{
	struct ib_uverbs_req_notify_cq req = { .cq_handle = cq_handle };

	return command(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, &req, sizeof(req), NULL, 0);
}

/* ---- QPs ---- */

static int create_qp(void)
{
	struct ib_uverbs_create_qp req = {
		.pd_handle = f.pd->handle, .send_cq_handle = cq_handle,
		.recv_cq_handle = cq_handle, .qp_type = IBV_QPT_RC,
		.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1,
	};
	struct ib_uverbs_create_qp_resp resp = { 0 };
	int ret = CREATE(IB_USER_VERBS_CMD_CREATE_QP, req, resp);

	qp_handle = resp.qp_handle;
	return ret;
}

static int create_qp_ex(void)
{
	struct ib_uverbs_ex_create_qp req = {
		.pd_handle = f.pd->handle, .send_cq_handle = cq_handle,
		.recv_cq_handle = cq_handle, .qp_type = IBV_QPT_RC,
		.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1,
	};
	struct ib_uverbs_ex_create_qp_resp resp = { 0 };
	int ret = CREATE(EXTENDED(CREATE_QP), req, resp);

	qp_handle = resp.base.qp_handle;
	return ret;
}

static int destroy_qp(void)
{
	struct ib_uverbs_destroy_qp req = { .qp_handle = qp_handle };
	struct ib_uverbs_destroy_qp_resp resp;

	return COMMAND(IB_USER_VERBS_CMD_DESTROY_QP, req, resp);
}

static int make_qp(void)
{
	int ret = create_cq();

	if (ret)
		return ret;
	ret = create_qp();
	if (ret)
		destroy_cq();
	return ret;
}

static int end_qp(void)
{
	return destroy_qp() ?: destroy_cq();
}

static int modify_qp_ex(void)
{
	struct ib_uverbs_ex_modify_qp req = {
		.base = { .qp_handle = qp_handle, .qp_state = IBV_QPS_INIT,
			  .port_num = FIXTURE_PORT,
			  .attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				       IBV_QP_ACCESS_FLAGS },
	};
	struct ib_uverbs_ex_modify_qp_resp resp;

	return COMMAND(EXTENDED(MODIFY_QP), req, resp);
}

static int make_qp_init(void)
{
	return make_qp() ?: modify_qp_ex();
}

/* ---- posting; a work request of a receive fits into the one of a send ---- */

struct post {
	struct ib_uverbs_post_send head;
	struct ib_uverbs_send_wr wr;
	struct ib_uverbs_sge sge;
};

static int post_send(void)
{
	struct post req = {
		.head = { .qp_handle = qp_handle, .wr_count = 1, .sge_count = 1,
			  .wqe_size = sizeof(req.wr) },
		.wr = { .opcode = IB_UVERBS_WR_SEND, .num_sge = 1 },
		.sge = { (uintptr_t)f.buf, 8, f.mr->lkey },
	};
	struct ib_uverbs_post_send_resp resp;

	return COMMAND(IB_USER_VERBS_CMD_POST_SEND, req, resp);
}

static int post_recv_to(uint32_t number, uint32_t queue)
{
	struct post req = {
		.head = { .qp_handle = queue, .wr_count = 1, .sge_count = 1,
			  .wqe_size = sizeof(req.wr) },
		.sge = { (uintptr_t)f.buf, 8, f.mr->lkey },
	};
	struct ib_uverbs_recv_wr wr = { .num_sge = 1 };
	struct ib_uverbs_post_recv_resp resp;

	memcpy(&req.wr, &wr, sizeof(wr));
	return COMMAND(number, req, resp);
}

static int post_recv(void)
{
	return post_recv_to(IB_USER_VERBS_CMD_POST_RECV, qp_handle);
}

static int post_srq_recv(void)
{
	return post_recv_to(IB_USER_VERBS_CMD_POST_SRQ_RECV, handle);
}

/* ---- SRQs ---- */

static int create_srq(void)
{
	struct ib_uverbs_create_srq req = { .pd_handle = f.pd->handle, .max_wr = 8, .max_sge = 1 };
	struct ib_uverbs_create_srq_resp resp = { 0 };
	int ret = CREATE(IB_USER_VERBS_CMD_CREATE_SRQ, req, resp);

	handle = resp.srq_handle;
	return ret;
}

static int create_xsrq(void)
{
	struct ib_uverbs_create_xsrq req = {
		.srq_type = IB_UVERBS_SRQT_BASIC, .pd_handle = f.pd->handle,
		.max_wr = 8, .max_sge = 1,
	};
	struct ib_uverbs_create_srq_resp resp = { 0 };
	int ret = CREATE(IB_USER_VERBS_CMD_CREATE_XSRQ, req, resp);

	handle = resp.srq_handle;
	return ret;
}

static int destroy_srq(void)
{
	struct ib_uverbs_destroy_srq req = { .srq_handle = handle };
	struct ib_uverbs_destroy_srq_resp resp;

	return COMMAND(IB_USER_VERBS_CMD_DESTROY_SRQ, req, resp);
}

#define END(cmd) .act = end_by_command, .command = IB_USER_VERBS_CMD_##cmd

static const struct operation operations[] = {
	{ "get context", .prepare = open_file, .act = get_context, .undo = close_context,
	  .restore = close_file },
	{ "query device", .act = query_device },
	{ "query port", .act = query_port },
	{ "list handles", .act = info_handles },
	{ "advise", .act = advise_mr },
	{ "register dma-buf", .act = reg_dmabuf },
	{ "dealloc PD", .prepare = alloc_pd, END(DEALLOC_PD) },
	{ "deregister memory", .prepare = reg_mr, END(DEREG_MR) },
	{ "dealloc MW", .prepare = alloc_mw, END(DEALLOC_MW) },
	{ "destroy AH", .prepare = create_ah, END(DESTROY_AH) },
	{ "close XRC domain", .prepare = open_xrcd, END(CLOSE_XRCD) },
	{ "create CQ", .act = create_cq, .undo = destroy_cq },
	{ "create CQ, extended", .act = create_cq_ex, .undo = destroy_cq },
	{ "destroy CQ", .prepare = create_cq, .act = destroy_cq },
	{ "poll CQ", .prepare = create_cq, .act = poll_cq, .restore = destroy_cq },
	{ "arm CQ", .prepare = create_cq, .act = req_notify_cq, .restore = destroy_cq },
	{ "create QP", .prepare = create_cq, .act = create_qp, .undo = destroy_qp,
	  .restore = destroy_cq },
	{ "create QP, extended", .prepare = create_cq, .act = create_qp_ex, .undo = destroy_qp,
	  .restore = destroy_cq },
	{ "destroy QP", .prepare = make_qp, .act = destroy_qp, .restore = destroy_cq },
	{ "QP to INIT", .prepare = make_qp, .act = modify_qp_ex, .restore = end_qp },
	{ "post send", .prepare = make_qp, .act = post_send, .restore = end_qp },
	{ "post receive", .prepare = make_qp_init, .act = post_recv, .restore = end_qp },
	{ "create SRQ", .act = create_srq, .undo = destroy_srq },
	{ "create SRQ of a type", .act = create_xsrq, .undo = destroy_srq },
	{ "destroy SRQ", .prepare = create_srq, .act = destroy_srq },
	{ "post receive to SRQ", .prepare = create_srq, .act = post_srq_recv,
	  .restore = destroy_srq },
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;

	if (!sweep_begin())
		return 0;
	uverbs_raw_driver_id_of(f.ctx->cmd_fd);
	sweep_table(operations, OPERATIONS, only);
	failure_by_write = true;
	sweep_table(operations, OPERATIONS, only);
	failure_by_write = false;
	if (!only) {
		seen_table_methods(f.ctx->cmd_fd, true);
		seen_table_commands(f.ctx->cmd_fd, true);
	}
	fixture_close(&f);
	return tap_end();
}
