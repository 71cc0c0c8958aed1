// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * QPs of every type, known or not, through the native method: with each flag of creation, and with
 * each choice of the objects that a QP can stand on.
 */
#include "doors.h"

#define TYPES	18
#define PD	(1u << 0)
#define SEND_CQ	(1u << 1)
#define RECV_CQ	(1u << 2)
#define SRQ	(1u << 3)
#define XRCD	(1u << 4)
#define TABLE	(1u << 5)
#define PARTS	(1u << 6)

static const struct mask masks[MASKS] = {
	{ ANSWER_SLOT, 4, "qpn" }, { 2 * ANSWER_SLOT, DRIVER_OUT, "driver" },
};

static void destroy(const struct world *w, uint32_t handle)
{
	struct ib_uverbs_destroy_qp_resp resp;
	struct uverbs_raw raw;

	doors_start(&raw, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_QP_HANDLE, 0, handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_QP_RESP, sizeof(resp), (uintptr_t)&resp);
	if (uverbs_raw_go(w->fd, &raw))
		tap_bail("destroy QP");
}

static void create(const struct world *w, uint64_t type, uint32_t flags, uint32_t parts)
{
	const struct {
		uint32_t bit;
		uint16_t attr;
		uint32_t handle;
	} objects[] = {
		{ PD, UVERBS_ATTR_CREATE_QP_PD_HANDLE, w->pd },
		{ SEND_CQ, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, w->cq },
		{ RECV_CQ, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, w->cq },
		{ SRQ, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, w->srq },
		{ XRCD, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, w->xrcd },
		{ TABLE, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, w->wq },
	};
	const struct ib_uverbs_qp_cap cap = {
		.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1,
	};
	struct uverbs_raw raw;
	size_t i;
	int error;

	answer_clear();
	doors_start(&raw, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (parts & objects[i].bit)
			uverbs_raw_add(&raw, objects[i].attr, 0, objects[i].handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 1);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), (uintptr_t)&cap);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_QP_TYPE, 8, type);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_QP_FLAGS, 4, flags);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap), (uintptr_t)answer);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4,
		       (uintptr_t)answer + ANSWER_SLOT);
	uverbs_raw_add(&raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT,
		       (uintptr_t)answer + 2 * ANSWER_SLOT);
	error = uverbs_raw_go(w->fd, &raw);
	report(w, error, masks, "QP type %llu flags %x parts %x", (unsigned long long)type, flags,
	       parts);
	if (!error)
		destroy(w, raw.attrs[0].data);
}

void try_qp_kinds(void)
{
	uint32_t bit, parts;
	uint64_t type;
	struct world w;

	world_open(&w);
	for (type = 0; type < TYPES; type++) {
		for (bit = 0; bit < 32; bit++)
			create(&w, type == TYPES - 1 ? IB_UVERBS_QPT_DRIVER : type, 1u << bit,
			       PD | SEND_CQ | RECV_CQ);
		for (parts = 0; parts < PARTS; parts++)
			create(&w, type == TYPES - 1 ? IB_UVERBS_QPT_DRIVER : type, 0, parts);
	}
	world_close();
}
