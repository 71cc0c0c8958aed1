// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The write commands: for each a request that a program could make. Bent by bend.c, drawn at random
 * by graph.c.
 */
#include "doors.h"
#include "kinds.h"

#define NONE	0xffffffffu

static void get_context(const struct world *w, void *request)
{
	(void)w;
	(void)request;
}

static void query_port(const struct world *w, void *request)
{
	struct ib_uverbs_query_port *r = request;

	(void)w;
	r->port_num = 1;
}

static void dealloc_pd(const struct world *w, void *request)
{
	((struct ib_uverbs_dealloc_pd *)request)->pd_handle = w->spare_pd;
}

static void create_ah(const struct world *w, void *request)
{
	struct ib_uverbs_create_ah *r = request;

	r->user_handle = 0x1122334455667788;
	r->pd_handle = w->pd;
	r->attr.is_global = 1;
	r->attr.port_num = 1;
	r->attr.grh.hop_limit = 64;
	r->attr.grh.sgid_index = 1;
	memcpy(r->attr.grh.dgid, (uint8_t[16]){ [10] = 0xff, 0xff, 10, 77, 0, 1 }, 16);
}

static void destroy_ah(const struct world *w, void *request)
{
	((struct ib_uverbs_destroy_ah *)request)->ah_handle = w->ah;
}

static void reg_mr(const struct world *w, void *request)
{
	struct ib_uverbs_reg_mr *r = request;

	r->start = r->hca_va = (uintptr_t)buffer;
	r->length = 8192;
	r->pd_handle = w->pd;
	r->access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE;
}

static void rereg_mr(const struct world *w, void *request)
{
	struct ib_uverbs_rereg_mr *r = request;

	r->mr_handle = w->mr;
	r->flags = 4;
	r->start = r->hca_va = (uintptr_t)buffer;
	r->length = 8192;
	r->pd_handle = w->pd;
	r->access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE;
}

static void dereg_mr(const struct world *w, void *request)
{
	((struct ib_uverbs_dereg_mr *)request)->mr_handle = w->mr;
}

static void alloc_mw(const struct world *w, void *request)
{
	struct ib_uverbs_alloc_mw *r = request;

	r->pd_handle = w->pd;
	r->mw_type = 1;
}

static void dealloc_mw(const struct world *w, void *request)
{
	((struct ib_uverbs_dealloc_mw *)request)->mw_handle = w->mw;
}

static void create_cq(const struct world *w, void *request)
{
	struct ib_uverbs_create_cq *r = request;

	r->user_handle = 0x1122334455667788;
	r->cqe = 100;
	r->comp_channel = w->channel;
}

static void create_cq_ex(const struct world *w, void *request)
{
	struct ib_uverbs_ex_create_cq *r = request;

	r->user_handle = 0x1122334455667788;
	r->cqe = 100;
	r->comp_channel = w->channel;
}

static void modify_cq_ex(const struct world *w, void *request)
{
	struct ib_uverbs_ex_modify_cq *r = request;

	r->cq_handle = w->cq;
	r->attr_mask = 1;
	r->attr.cq_count = 1;
}

static void resize_cq(const struct world *w, void *request)
{
	struct ib_uverbs_resize_cq *r = request;

	r->cq_handle = w->cq;
	r->cqe = 200;
}

static void poll_cq(const struct world *w, void *request)
{
	struct ib_uverbs_poll_cq *r = request;

	r->cq_handle = w->cq;
	r->ne = 2;
}

static void req_notify_cq(const struct world *w, void *request)
{
	((struct ib_uverbs_req_notify_cq *)request)->cq_handle = w->cq;
}

static void destroy_cq(const struct world *w, void *request)
{
	((struct ib_uverbs_destroy_cq *)request)->cq_handle = w->spare_cq;
}

static void create_qp(const struct world *w, void *request)
{
	struct ib_uverbs_create_qp *r = request;

	r->user_handle = 0x1122334455667788;
	r->pd_handle = w->pd;
	r->send_cq_handle = r->recv_cq_handle = w->cq;
	r->max_send_wr = r->max_recv_wr = 10;
	r->max_send_sge = r->max_recv_sge = 2;
	r->max_inline_data = 32;
	r->qp_type = IB_UVERBS_QPT_RC;
}

static void create_qp_srq(const struct world *w, void *request)
{
	struct ib_uverbs_create_qp *r = request;

	create_qp(w, request);
	r->srq_handle = w->srq;
	r->is_srq = 1;
	r->qp_type = IB_UVERBS_QPT_UD;
}

static void create_qp_ex(const struct world *w, void *request)
{
	struct ib_uverbs_ex_create_qp *r = request;
	struct ib_uverbs_create_qp plain = { 0 };

	create_qp(w, &plain);
	memcpy(r, (uint8_t *)&plain + offsetof(struct ib_uverbs_create_qp, user_handle),
	       sizeof(plain) - offsetof(struct ib_uverbs_create_qp, user_handle));
}

static void query_qp(const struct world *w, void *request)
{
	struct ib_uverbs_query_qp *r = request;

	r->qp_handle = w->qp;
	r->attr_mask = 0xffff;
}

static void modify_qp(const struct world *w, void *request)
{
	struct ib_uverbs_modify_qp *r = request;

	r->qp_handle = w->qp;
	r->attr_mask = 1 | 8 | 16 | 32;	/* STATE, ACCESS_FLAGS, PKEY_INDEX, PORT */
	r->qp_state = 1;
	r->port_num = 1;
	r->qp_access_flags = IB_UVERBS_ACCESS_REMOTE_WRITE;
}

static void destroy_qp(const struct world *w, void *request)
{
	((struct ib_uverbs_destroy_qp *)request)->qp_handle = w->qp;
}

static void post_send(const struct world *w, void *request)
{
	struct ib_uverbs_post_send *r = request;

	r->qp_handle = w->qp;
	r->wqe_size = sizeof(struct ib_uverbs_send_wr);
}

static void mcast(const struct world *w, void *request)
{
	struct ib_uverbs_attach_mcast *r = request;

	r->qp_handle = w->qp;
	memcpy(r->gid, (uint8_t[16]){ 0xff, 0x0e, [10] = 0xff, 0xff, 224, 1, 2, 3 }, 16);
}

static void create_srq(const struct world *w, void *request)
{
	struct ib_uverbs_create_srq *r = request;

	r->user_handle = 0x1122334455667788;
	r->pd_handle = w->pd;
	r->max_wr = 10;
	r->max_sge = 1;
}

static void create_xsrq(const struct world *w, void *request)
{
	struct ib_uverbs_create_xsrq *r = request;

	r->user_handle = 0x1122334455667788;
	r->pd_handle = w->pd;
	r->max_wr = 10;
	r->max_sge = 1;
	r->cq_handle = w->cq;
	r->xrcd_handle = w->xrcd;
}

static void modify_srq(const struct world *w, void *request)
{
	struct ib_uverbs_modify_srq *r = request;

	r->srq_handle = w->srq;
	r->attr_mask = 2;
	r->srq_limit = 3;
}

static void query_srq(const struct world *w, void *request)
{
	((struct ib_uverbs_query_srq *)request)->srq_handle = w->srq;
}

static void destroy_srq(const struct world *w, void *request)
{
	((struct ib_uverbs_destroy_srq *)request)->srq_handle = w->spare_srq;
}

static void open_xrcd(const struct world *w, void *request)
{
	struct ib_uverbs_open_xrcd *r = request;

	r->fd = NONE;
	r->oflags = O_CREAT;
	(void)w;
}

static void close_xrcd(const struct world *w, void *request)
{
	((struct ib_uverbs_close_xrcd *)request)->xrcd_handle = w->xrcd;
}

static void open_qp(const struct world *w, void *request)
{
	struct ib_uverbs_open_qp *r = request;

	r->pd_handle = w->xrcd;
	r->qpn = 17;
	r->qp_type = IB_UVERBS_QPT_XRC_TGT;
}

static void create_wq(const struct world *w, void *request)
{
	struct ib_uverbs_ex_create_wq *r = request;

	r->pd_handle = w->pd;
	r->cq_handle = w->cq;
	r->max_wr = 10;
	r->max_sge = 1;
}

static void destroy_wq(const struct world *w, void *request)
{
	((struct ib_uverbs_ex_destroy_wq *)request)->wq_handle = w->wq;
}

static void create_flow(const struct world *w, void *request)
{
	struct ib_uverbs_create_flow *r = request;

	r->qp_handle = w->qp;
	r->flow_attr.port = 1;
}

#define NAMED(_name, _number, _request) \
	.name = _name, .number = IB_USER_VERBS_CMD_##_number, .in = sizeof(_request)
#define LEGACY(_number, _request) NAMED(#_number, _number, _request)
#define EX(_number, _request) \
	.name = "EX_" #_number, .number = IB_USER_VERBS_EX_CMD_##_number, .ex = true, \
	.in = sizeof(_request)
#define DRIVER(_response) { sizeof(_response), DRIVER_OUT, "driver" }
#define MAKES(_kind, _response, _member) \
	.kind = _kind, .handle = 1 + offsetof(_response, _member), .out = sizeof(_response)

const struct command commands[] = {
	{ LEGACY(GET_CONTEXT, struct ib_uverbs_get_context), .fill = get_context, .context = true,
	  .out = sizeof(struct ib_uverbs_get_context_resp) },
	{ LEGACY(QUERY_DEVICE, struct ib_uverbs_query_device), .fill = get_context, .query = true,
	  .out = sizeof(struct ib_uverbs_query_device_resp) },
	{ EX(QUERY_DEVICE, struct ib_uverbs_ex_query_device), .fill = get_context, .query = true,
	  .out = sizeof(struct ib_uverbs_ex_query_device_resp) },
	{ LEGACY(QUERY_PORT, struct ib_uverbs_query_port), .fill = query_port, .query = true,
	  .out = sizeof(struct ib_uverbs_query_port_resp) },
	{ LEGACY(ALLOC_PD, struct ib_uverbs_alloc_pd), .fill = get_context,
	  MAKES(KIND_PD, struct ib_uverbs_alloc_pd_resp, pd_handle) },
	{ LEGACY(DEALLOC_PD, struct ib_uverbs_dealloc_pd), .fill = dealloc_pd },
	{ LEGACY(CREATE_AH, struct ib_uverbs_create_ah), .fill = create_ah,
	  MAKES(KIND_AH, struct ib_uverbs_create_ah_resp, ah_handle),
	  .masks = { DRIVER(struct ib_uverbs_create_ah_resp) } },
	{ LEGACY(DESTROY_AH, struct ib_uverbs_destroy_ah), .fill = destroy_ah },
	{ LEGACY(REG_MR, struct ib_uverbs_reg_mr), .fill = reg_mr,
	  MAKES(KIND_MR, struct ib_uverbs_reg_mr_resp, mr_handle),
	  .masks = { { 4, 4, "lkey" }, { 8, 4, "rkey" } } },
	{ LEGACY(REREG_MR, struct ib_uverbs_rereg_mr), .fill = rereg_mr,
	  .out = sizeof(struct ib_uverbs_rereg_mr_resp),
	  .masks = { { 0, 4, "lkey" }, { 4, 4, "rkey" } } },
	{ LEGACY(DEREG_MR, struct ib_uverbs_dereg_mr), .fill = dereg_mr },
	{ LEGACY(ALLOC_MW, struct ib_uverbs_alloc_mw), .fill = alloc_mw,
	  MAKES(KIND_MW, struct ib_uverbs_alloc_mw_resp, mw_handle),
	  .masks = { { 4, 4, "rkey" } } },
	{ LEGACY(DEALLOC_MW, struct ib_uverbs_dealloc_mw), .fill = dealloc_mw },
	{ LEGACY(CREATE_COMP_CHANNEL, struct ib_uverbs_create_comp_channel), .fill = get_context,
	  .out = sizeof(struct ib_uverbs_create_comp_channel_resp) },
	{ LEGACY(CREATE_CQ, struct ib_uverbs_create_cq), .fill = create_cq,
	  MAKES(KIND_CQ, struct ib_uverbs_create_cq_resp, cq_handle),
	  .masks = { DRIVER(struct ib_uverbs_create_cq_resp) } },
	{ EX(CREATE_CQ, struct ib_uverbs_ex_create_cq), .fill = create_cq_ex,
	  MAKES(KIND_CQ, struct ib_uverbs_ex_create_cq_resp, base.cq_handle),
	  .masks = { DRIVER(struct ib_uverbs_ex_create_cq_resp) } },
	{ EX(MODIFY_CQ, struct ib_uverbs_ex_modify_cq), .fill = modify_cq_ex },
	{ LEGACY(RESIZE_CQ, struct ib_uverbs_resize_cq), .fill = resize_cq,
	  .out = sizeof(struct ib_uverbs_resize_cq_resp),
	  .masks = { DRIVER(struct ib_uverbs_resize_cq_resp) } },
	{ LEGACY(POLL_CQ, struct ib_uverbs_poll_cq), .fill = poll_cq, .query = true,
	  .out = sizeof(struct ib_uverbs_poll_cq_resp) + 2 * sizeof(struct ib_uverbs_wc) },
	{ LEGACY(REQ_NOTIFY_CQ, struct ib_uverbs_req_notify_cq), .fill = req_notify_cq },
	{ LEGACY(DESTROY_CQ, struct ib_uverbs_destroy_cq), .fill = destroy_cq,
	  .out = sizeof(struct ib_uverbs_destroy_cq_resp) },
	{ LEGACY(CREATE_QP, struct ib_uverbs_create_qp), .fill = create_qp,
	  MAKES(KIND_QP, struct ib_uverbs_create_qp_resp, qp_handle),
	  .masks = { { 4, 4, "qpn" }, DRIVER(struct ib_uverbs_create_qp_resp) } },
	{ NAMED("CREATE_QP_SRQ", CREATE_QP, struct ib_uverbs_create_qp),
	  .fill = create_qp_srq, MAKES(KIND_QP, struct ib_uverbs_create_qp_resp, qp_handle),
	  .masks = { { 4, 4, "qpn" }, DRIVER(struct ib_uverbs_create_qp_resp) } },
	{ EX(CREATE_QP, struct ib_uverbs_ex_create_qp), .fill = create_qp_ex,
	  MAKES(KIND_QP, struct ib_uverbs_ex_create_qp_resp, base.qp_handle),
	  .masks = { { 4, 4, "qpn" }, DRIVER(struct ib_uverbs_ex_create_qp_resp) } },
	{ LEGACY(QUERY_QP, struct ib_uverbs_query_qp), .fill = query_qp, .query = true,
	  .out = sizeof(struct ib_uverbs_query_qp_resp) },
	{ LEGACY(MODIFY_QP, struct ib_uverbs_modify_qp), .fill = modify_qp },
	{ EX(MODIFY_QP, struct ib_uverbs_ex_modify_qp), .fill = modify_qp,
	  .out = sizeof(struct ib_uverbs_ex_modify_qp_resp) },
	{ LEGACY(DESTROY_QP, struct ib_uverbs_destroy_qp), .fill = destroy_qp,
	  .out = sizeof(struct ib_uverbs_destroy_qp_resp) },
	{ LEGACY(POST_SEND, struct ib_uverbs_post_send), .fill = post_send, .query = true,
	  .out = sizeof(struct ib_uverbs_post_send_resp) },
	{ LEGACY(ATTACH_MCAST, struct ib_uverbs_attach_mcast), .fill = mcast },
	{ LEGACY(DETACH_MCAST, struct ib_uverbs_detach_mcast), .fill = mcast },
	{ LEGACY(CREATE_SRQ, struct ib_uverbs_create_srq), .fill = create_srq,
	  MAKES(KIND_SRQ, struct ib_uverbs_create_srq_resp, srq_handle),
	  .masks = { { 12, 4, "srqn" }, DRIVER(struct ib_uverbs_create_srq_resp) } },
	{ LEGACY(CREATE_XSRQ, struct ib_uverbs_create_xsrq), .fill = create_xsrq,
	  MAKES(KIND_SRQ, struct ib_uverbs_create_srq_resp, srq_handle),
	  .masks = { { 12, 4, "srqn" }, DRIVER(struct ib_uverbs_create_srq_resp) } },
	{ LEGACY(MODIFY_SRQ, struct ib_uverbs_modify_srq), .fill = modify_srq },
	{ LEGACY(QUERY_SRQ, struct ib_uverbs_query_srq), .fill = query_srq, .query = true,
	  .out = sizeof(struct ib_uverbs_query_srq_resp) },
	{ LEGACY(DESTROY_SRQ, struct ib_uverbs_destroy_srq), .fill = destroy_srq,
	  .out = sizeof(struct ib_uverbs_destroy_srq_resp) },
	{ LEGACY(OPEN_XRCD, struct ib_uverbs_open_xrcd), .fill = open_xrcd,
	  MAKES(KIND_XRCD, struct ib_uverbs_open_xrcd_resp, xrcd_handle) },
	{ LEGACY(CLOSE_XRCD, struct ib_uverbs_close_xrcd), .fill = close_xrcd },
	{ LEGACY(OPEN_QP, struct ib_uverbs_open_qp), .fill = open_qp,
	  MAKES(KIND_QP, struct ib_uverbs_create_qp_resp, qp_handle) },
	{ EX(CREATE_WQ, struct ib_uverbs_ex_create_wq), .fill = create_wq,
	  .out = sizeof(struct ib_uverbs_ex_create_wq_resp) },
	{ EX(DESTROY_WQ, struct ib_uverbs_ex_destroy_wq), .fill = destroy_wq,
	  .out = sizeof(struct ib_uverbs_ex_destroy_wq_resp) },
	{ EX(CREATE_FLOW, struct ib_uverbs_create_flow), .fill = create_flow,
	  .out = sizeof(struct ib_uverbs_create_flow_resp) },
};
const unsigned int command_count = sizeof(commands) / sizeof(commands[0]);
