// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The native ioctl methods: for each the attributes of a call that a program could make. Output
 * attribute n is answered at n times ANSWER_SLOT. Bent by bend_methods.c.
 */
#include "doors.h"

static uint64_t out(int slot)
{
	return (uintptr_t)answer + slot * ANSWER_SLOT;
}

static void info_handles(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_INFO_OBJECT_ID, 8, UVERBS_OBJECT_CQ);
	uverbs_raw_add(raw, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_INFO_HANDLES_LIST, 16, out(1));
}

static void query_port(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_PORT_RESP,
		       sizeof(struct ib_uverbs_query_port_resp_ex), out(0));
}

static void get_context(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 8, out(1));
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT, out(2));
}

static void query_context(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8, out(1));
}

static void query_gid_table(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 8,
		       sizeof(struct ib_uverbs_gid_entry));
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
		       8 * sizeof(struct ib_uverbs_gid_entry), out(1));
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8, out(0));
}

static void query_gid_entry(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 4, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 4, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
		       sizeof(struct ib_uverbs_gid_entry), out(0));
}

static void pd_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_PD_HANDLE, 0, w->spare_pd);
}

static void cq_create(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_CQE, 4, 100);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, 0x1122334455667788);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, 0, w->channel);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_FLAGS, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_EVENT_FD, 0, w->async);
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT, out(1));
}

static void cq_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_CQ_HANDLE, 0, w->spare_cq);
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_CQ_RESP,
		       sizeof(struct ib_uverbs_destroy_cq_resp), out(0));
}

static void qp_create(const struct world *w, struct uverbs_raw *raw)
{
	static const struct ib_uverbs_qp_cap cap = {
		.max_send_wr = 10, .max_recv_wr = 10, .max_send_sge = 2, .max_recv_sge = 2,
		.max_inline_data = 32,
	};

	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, w->pd);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, w->cq);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, w->cq);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0x1122334455667788);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), (uintptr_t)&cap);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_TYPE, 8, IB_UVERBS_QPT_RC);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_FLAGS, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_EVENT_FD, 0, w->async);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap), out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, out(1));
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT, out(2));
}

static void qp_create_srq(const struct world *w, struct uverbs_raw *raw)
{
	qp_create(w, raw);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, 0, w->srq);
}

static void qp_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_QP_HANDLE, 0, w->qp);
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_QP_RESP,
		       sizeof(struct ib_uverbs_destroy_qp_resp), out(0));
}

static void srq_create(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 0, w->pd);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8, 0x1122334455667788);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4, 10);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_LIMIT, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_BASIC);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_EVENT_FD, 0, w->async);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4, out(1));
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT, out(2));
}

static void srq_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_SRQ_HANDLE, 0, w->spare_srq);
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_SRQ_RESP,
		       sizeof(struct ib_uverbs_destroy_srq_resp), out(0));
}

static void wq_create(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, 0, w->pd);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, 0, w->cq);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_USER_HANDLE, 8, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_TYPE, 8, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_MAX_WR, 4, 10);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_MAX_SGE, 4, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4, out(1));
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 4, out(2));
}

static void dm_alloc(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, 4096);
	uverbs_raw_add(raw, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, 0);
}

static void mr_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_MR_HANDLE, 0, w->mr);
}

static void advise_mr(const struct world *w, struct uverbs_raw *raw)
{
	static const struct ib_uverbs_sge sge = { .addr = 0x20000000, .length = 4096 };

	uverbs_raw_add(raw, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, w->pd);
	uverbs_raw_add(raw, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_ADVISE_MR_FLAGS, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(sge), (uintptr_t)&sge);
}

static void query_mr(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_MR_HANDLE, 0, w->mr);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, out(1));
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, out(2));
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, out(3));
}

static void reg_dmabuf(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, w->pd);
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, 4096);
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, w->plain);
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, out(0));
	uverbs_raw_add(raw, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, out(1));
}

static void mw_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_MW_HANDLE, 0, w->mw);
}

static void xrcd_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_XRCD_HANDLE, 0, w->xrcd);
}

static void ah_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_AH_HANDLE, 0, w->ah);
}

static void flow_destroy(const struct world *w, struct uverbs_raw *raw)
{
	uverbs_raw_add(raw, UVERBS_ATTR_DESTROY_FLOW_HANDLE, 0, w->flow);
}

static void counters_create(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0, 0);
}

static void async_alloc(const struct world *w, struct uverbs_raw *raw)
{
	(void)w;
	uverbs_raw_add(raw, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
}

#define METHOD(_name, _object, _method) \
	.name = _name, .object = UVERBS_OBJECT_##_object, .method = UVERBS_METHOD_##_method
#define SLOT(_n, _bytes, _name) { (_n) * ANSWER_SLOT, _bytes, _name }

const struct method methods[] = {
	{ METHOD("INFO_HANDLES", DEVICE, INFO_HANDLES), .fill = info_handles, .query = true },
	{ METHOD("QUERY_PORT", DEVICE, QUERY_PORT), .fill = query_port, .query = true },
	{ METHOD("GET_CONTEXT", DEVICE, GET_CONTEXT), .fill = get_context, .context = true },
	{ METHOD("QUERY_CONTEXT", DEVICE, QUERY_CONTEXT), .fill = query_context, .query = true },
	{ METHOD("QUERY_GID_TABLE", DEVICE, QUERY_GID_TABLE), .fill = query_gid_table,
	  .query = true },
	{ METHOD("QUERY_GID_ENTRY", DEVICE, QUERY_GID_ENTRY), .fill = query_gid_entry,
	  .query = true },
	{ METHOD("PD_DESTROY", PD, PD_DESTROY), .fill = pd_destroy },
	{ METHOD("CQ_CREATE", CQ, CQ_CREATE), .fill = cq_create,
	  .masks = { SLOT(1, DRIVER_OUT, "driver") } },
	{ METHOD("CQ_DESTROY", CQ, CQ_DESTROY), .fill = cq_destroy },
	{ METHOD("QP_CREATE", QP, QP_CREATE), .fill = qp_create,
	  .masks = { SLOT(1, 4, "qpn"), SLOT(2, DRIVER_OUT, "driver") } },
	{ METHOD("QP_CREATE_SRQ", QP, QP_CREATE), .fill = qp_create_srq,
	  .masks = { SLOT(1, 4, "qpn"), SLOT(2, DRIVER_OUT, "driver") } },
	{ METHOD("QP_DESTROY", QP, QP_DESTROY), .fill = qp_destroy },
	{ METHOD("SRQ_CREATE", SRQ, SRQ_CREATE), .fill = srq_create,
	  .masks = { SLOT(2, DRIVER_OUT, "driver") } },
	{ METHOD("SRQ_DESTROY", SRQ, SRQ_DESTROY), .fill = srq_destroy },
	{ METHOD("WQ_CREATE", WQ, WQ_CREATE), .fill = wq_create },
	{ METHOD("DM_ALLOC", DM, DM_ALLOC), .fill = dm_alloc },
	{ METHOD("MR_DESTROY", MR, MR_DESTROY), .fill = mr_destroy },
	{ METHOD("ADVISE_MR", MR, ADVISE_MR), .fill = advise_mr, .query = true },
	{ METHOD("QUERY_MR", MR, QUERY_MR), .fill = query_mr, .query = true,
	  /* Twice the size: a bent address shifts them. */
	  .masks = { SLOT(0, 8, "lkey"), SLOT(1, 8, "rkey") } },
	{ METHOD("REG_DMABUF_MR", MR, REG_DMABUF_MR), .fill = reg_dmabuf },
	{ METHOD("MW_DESTROY", MW, MW_DESTROY), .fill = mw_destroy },
	{ METHOD("XRCD_DESTROY", XRCD, XRCD_DESTROY), .fill = xrcd_destroy },
	{ METHOD("AH_DESTROY", AH, AH_DESTROY), .fill = ah_destroy },
	{ METHOD("FLOW_DESTROY", FLOW, FLOW_DESTROY), .fill = flow_destroy },
	{ METHOD("COUNTERS_CREATE", COUNTERS, COUNTERS_CREATE), .fill = counters_create },
	{ METHOD("ASYNC_EVENT_ALLOC", ASYNC_EVENT, ASYNC_EVENT_ALLOC), .fill = async_alloc },
};
const unsigned int method_count = sizeof(methods) / sizeof(methods[0]);
