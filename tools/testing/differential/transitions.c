// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every move of a QP between two states, with the least mask, with each bit of it missing and with
 * each other bit added, by QP type; after each the state that the kernel reports.
 */
#include "doors.h"

#define STATES	7
#define BITS	26
#define DRAIN_TRIES	2000	/* of a millisecond */
#define QKEY	0x11111111

enum {
	STATE = 1 << 0, CUR_STATE = 1 << 1, ACCESS = 1 << 3, PKEY = 1 << 4, PORT = 1 << 5,
	MASK_QKEY = 1 << 6, AV = 1 << 7, MTU = 1 << 8, TIMEOUT = 1 << 9, RETRY = 1 << 10,
	RNR = 1 << 11, RQ_PSN = 1 << 12, RD = 1 << 13, MIN_RNR = 1 << 15, SQ_PSN = 1 << 16,
	DEST_RD = 1 << 17, DEST = 1 << 20,
};

static const struct {
	const char *name;
	uint8_t type;
	uint32_t init, rtr, rts;	/* the least masks to get there */
} types[] = {
	{ "RC", IB_UVERBS_QPT_RC, STATE | PKEY | PORT | ACCESS,
	  STATE | AV | MTU | DEST | RQ_PSN | DEST_RD | MIN_RNR,
	  STATE | SQ_PSN | TIMEOUT | RETRY | RNR | RD },
	{ "UC", IB_UVERBS_QPT_UC, STATE | PKEY | PORT | ACCESS, STATE | AV | MTU | DEST | RQ_PSN,
	  STATE | SQ_PSN },
	{ "UD", IB_UVERBS_QPT_UD, STATE | PKEY | PORT | MASK_QKEY, STATE, STATE | SQ_PSN },
};

static void fill_attr(struct ib_uverbs_modify_qp *r, uint32_t qp, uint32_t mask, int from, int to)
{
	struct ib_uverbs_qp_dest dest = { .is_global = 1, .port_num = 1, .sgid_index = 1,
					  .hop_limit = 64 };

	memset(r, 0, sizeof(*r));
	memcpy(dest.dgid, (uint8_t[16]){ [10] = 0xff, 0xff, 10, 77, 0, 1 }, 16);
	r->dest = r->alt_dest = dest;
	r->qp_handle = qp;
	r->attr_mask = mask;
	r->qkey = QKEY;
	r->dest_qp_num = 17;
	r->qp_state = to;
	r->cur_qp_state = from;
	r->path_mtu = 3;
	r->max_rd_atomic = r->max_dest_rd_atomic = 1;
	r->min_rnr_timer = 12;
	r->port_num = r->alt_port_num = 1;
	r->timeout = r->alt_timeout = 14;
	r->retry_cnt = r->rnr_retry = 7;
}

static int modify(int fd, uint32_t qp, uint32_t mask, int from, int to)
{
	struct ib_uverbs_modify_qp r;

	fill_attr(&r, qp, mask, from, to);
	return uverbs_raw_write(fd, IB_USER_VERBS_CMD_MODIFY_QP, &r, sizeof(r), 0);
}

static uint32_t create(const struct world *w, int type)
{
	struct ib_uverbs_create_qp r = {
		.response = (uintptr_t)answer, .pd_handle = w->pd, .send_cq_handle = w->cq,
		.recv_cq_handle = w->cq, .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1,
		.max_recv_sge = 1, .qp_type = types[type].type,
	};
	uint32_t handle;

	errno = uverbs_raw_write(w->fd, IB_USER_VERBS_CMD_CREATE_QP, &r, sizeof(r),
				 sizeof(struct ib_uverbs_create_qp_resp) + DRIVER_OUT);
	if (errno)
		tap_bail("create QP");
	memcpy(&handle, answer, sizeof(handle));
	return handle;
}

static void destroy(const struct world *w, uint32_t qp)
{
	struct ib_uverbs_destroy_qp r = { .response = (uintptr_t)answer, .qp_handle = qp };

	uverbs_raw_write(w->fd, IB_USER_VERBS_CMD_DESTROY_QP, &r, sizeof(r), 8);
}

static void query(const struct world *w, uint32_t qp)
{
	struct ib_uverbs_query_qp r = { .response = (uintptr_t)answer, .qp_handle = qp,
					.attr_mask = 0x1fffff };

	answer_clear();
	uverbs_raw_write(w->fd, IB_USER_VERBS_CMD_QUERY_QP, &r, sizeof(r),
			 sizeof(struct ib_uverbs_query_qp_resp));
}

/* The send queue drains a moment after the move to SQD; what a driver allows depends on it. */
static void wait_drained(const struct world *w, uint32_t qp)
{
	int tries;

	for (tries = 0; tries < DRAIN_TRIES; tries++) {
		query(w, qp);
		if (!answer[offsetof(struct ib_uverbs_query_qp_resp, sq_draining)])
			return;
		usleep(1000);
	}
}

/* RESET, INIT, RTR, RTS, SQD, SQE, ERR; what cannot be reached is left where it is. */
static uint32_t create_in(const struct world *w, int type, int state)
{
	uint32_t qp = create(w, type);

	if (state >= 1 && state <= 5)
		modify(w->fd, qp, types[type].init, 0, 1);
	if (state >= 2 && state <= 5)
		modify(w->fd, qp, types[type].rtr, 1, 2);
	if (state >= 3 && state <= 5)
		modify(w->fd, qp, types[type].rts, 2, 3);
	if (state == 4 && !modify(w->fd, qp, STATE, 3, 4))
		wait_drained(w, qp);
	if (state == 6)
		modify(w->fd, qp, STATE, 0, 6);
	return qp;
}

static void move(const struct world *w, int type, int from, int to, uint32_t mask)
{
	static const struct mask masks[MASKS] = {
		{ offsetof(struct ib_uverbs_query_qp_resp, sq_draining), 1, "draining" },
	};
	uint32_t qp = create_in(w, type, from);
	int error = modify(w->fd, qp, mask, from, to);

	query(w, qp);
	report(NULL, error, masks, "move %s %d to %d mask %x", types[type].name, from, to, mask);
	destroy(w, qp);
}

static uint32_t least(int type, int from, int to)
{
	if (to == 1)
		return types[type].init;
	if (from == 1 && to == 2)
		return types[type].rtr;
	if (from == 2 && to == 3)
		return types[type].rts;
	return STATE;
}

/* Other values than the good ones, where the mask is right. */
static void try_values(const struct world *w, int type)
{
	static const struct {
		const char *name;
		uint16_t at, bytes;
		uint32_t value;
		int to;
	} values[] = {
#define VALUE(_to, _member, _value) { #_member "=" #_value, \
		offsetof(struct ib_uverbs_modify_qp, _member), \
		sizeof(((struct ib_uverbs_modify_qp *)0)->_member), _value, _to }
		VALUE(1, port_num, 0), VALUE(1, port_num, 2), VALUE(1, port_num, 255),
		VALUE(1, pkey_index, 1), VALUE(1, pkey_index, 65535), VALUE(1, qkey, 0x80000001),
		VALUE(1, qp_access_flags, 0xffff), VALUE(1, qp_access_flags, 0x80000000),
		VALUE(1, qp_state, 7), VALUE(1, qp_state, 255), VALUE(1, cur_qp_state, 255),
		VALUE(2, path_mtu, 0), VALUE(2, path_mtu, 5), VALUE(2, path_mtu, 6),
		VALUE(2, dest_qp_num, 0), VALUE(2, dest_qp_num, 0xffffffff),
		VALUE(2, rq_psn, 0xffffffff), VALUE(2, max_dest_rd_atomic, 255),
		VALUE(2, min_rnr_timer, 32), VALUE(2, min_rnr_timer, 255),
		VALUE(2, dest.port_num, 0), VALUE(2, dest.port_num, 2), VALUE(2, dest.is_global, 0),
		VALUE(2, dest.is_global, 2), VALUE(2, dest.sgid_index, 255),
		VALUE(2, dest.sgid_index, 7), VALUE(2, dest.flow_label, 0xffffffff),
		VALUE(2, dest.hop_limit, 0), VALUE(2, dest.sl, 255),
		VALUE(2, dest.static_rate, 255),
		VALUE(2, dest.reserved, 1), VALUE(2, reserved, 1), VALUE(2, dest.dlid, 65535),
		VALUE(3, retry_cnt, 8), VALUE(3, retry_cnt, 255), VALUE(3, rnr_retry, 8),
		VALUE(3, timeout, 32), VALUE(3, timeout, 255), VALUE(3, max_rd_atomic, 255),
		VALUE(3, sq_psn, 0xffffffff),
#undef VALUE
	};
	struct ib_uverbs_modify_qp r;
	uint32_t qp;
	size_t i;
	int error;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		qp = create_in(w, type, values[i].to - 1);
		fill_attr(&r, qp, least(type, values[i].to - 1, values[i].to), values[i].to - 1,
			  values[i].to);
		memcpy((uint8_t *)&r + values[i].at, &values[i].value, values[i].bytes);
		error = uverbs_raw_write(w->fd, IB_USER_VERBS_CMD_MODIFY_QP, &r, sizeof(r), 0);
		query(w, qp);
		report(NULL, error, NULL, "value %s to %d %s", types[type].name, values[i].to,
		       values[i].name);
		destroy(w, qp);
	}
}

void try_transitions(void)
{
	struct world w;
	size_t type;
	int from, to, bit;
	uint32_t mask;

	world_open(&w);
	for (type = 0; type < sizeof(types) / sizeof(types[0]); type++) {
		for (from = 0; from < STATES; from++)
			for (to = 0; to < STATES; to++) {
				mask = least(type, from, to);
				move(&w, type, from, to, mask);
				for (bit = 0; bit < BITS; bit++)
					move(&w, type, from, to, mask ^ 1u << bit);
			}
		try_values(&w, type);
	}
	world_close();
}
