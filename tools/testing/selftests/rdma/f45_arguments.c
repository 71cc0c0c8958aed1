// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F45: wrong arguments of ibv_create_qp() and of the attributes of ibv_modify_qp() are
 * refused and change nothing: objects of another context, handles that do not exist, ports, P_Key
 * and GID indices, path MTUs, QP numbers out of range. (Masks and states are qp_states.c's.)
 */
#include "fixture.h"

#include <rdma/ib_user_verbs.h>
#include <unistd.h>

static struct fixture f;

static int try_create(struct ibv_pd *pd, struct ibv_cq *send_cq, struct ibv_cq *recv_cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = send_cq, .recv_cq = recv_cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(pd, &init);
	if (!qp)
		return errno ? errno : -1;
	return ibv_destroy_qp(qp) ? -2 : 0;
}

/* CREATE_QP with handles as given, past the library. */
static int raw_create(uint32_t pd, uint32_t send_cq, uint32_t recv_cq)
{
	struct ib_uverbs_create_qp_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_qp cmd;
		uint64_t room[4];	/* of the driver */
	} req = {
		.hdr = { .command = IB_USER_VERBS_CMD_CREATE_QP, .in_words = sizeof(req) / 4,
			 .out_words = sizeof(resp) / 4 },
		.cmd = { .response = (uintptr_t)&resp, .pd_handle = pd, .send_cq_handle = send_cq,
			 .recv_cq_handle = recv_cq, .max_send_wr = 1, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1, .qp_type = IBV_QPT_RC },
	};

	return write(f.ctx->cmd_fd, &req, sizeof(req)) == sizeof(req) ? 0 : errno;
}

static bool refused(int err)
{
	return err == EINVAL || err == ENOENT;
}

static void test_create(struct ibv_cq *cq)
{
	struct ibv_context *other = fixture_open_device();
	struct ibv_cq *foreign[2] = { ibv_create_cq(other, 4, NULL, NULL, 0),
				      ibv_create_cq(other, 4, NULL, NULL, 0) };

	if (!foreign[0] || !foreign[1])
		tap_bail("a second context with CQs");
	tap_is(try_create(f.pd, cq, cq), 0, "PD and CQ of one context make a QP");
	/* The second one's handle is free in the first context, the first one's perhaps not. */
	tap_is(raw_create(f.pd->handle, 0xffffffff, cq->handle) == 0, 0,
	       "send CQ handle 2^32-1 is refused");
	tap_ok(refused(raw_create(f.pd->handle, cq->handle, 0xffffffff)),
	       "receive CQ handle 2^32-1: EINVAL or ENOENT");
	tap_ok(refused(raw_create(0xffffffff, cq->handle, cq->handle)),
	       "PD handle 2^32-1: EINVAL or ENOENT");
	tap_ok(refused(raw_create(cq->handle, cq->handle, cq->handle)),
	       "a CQ for a PD: EINVAL or ENOENT");
	tap_ok(refused(raw_create(f.pd->handle, f.mr->handle, cq->handle)),
	       "a region for a CQ: EINVAL or ENOENT");
	if (!strcmp(getenv("KV_LIB") ?: "", "shim")) {
		tap_is(try_create(f.pd, NULL, cq), EINVAL, "no send CQ");
		tap_is(try_create(f.pd, cq, NULL), EINVAL, "no receive CQ");
		tap_is(try_create(f.pd, foreign[1], cq), EINVAL, "send CQ of another context");
		tap_is(try_create(f.pd, cq, foreign[1]), EINVAL, "receive CQ of another context");
	}
	ibv_destroy_cq(foreign[0]);
	ibv_destroy_cq(foreign[1]);
	ibv_close_device(other);
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN : attr.qp_state;
}

/* Debian's rdma_rxe looks at less. */
static bool rxe(void)
{
	return !strcmp(getenv("KV_DRIVER") ?: "", "rxe");
}

static void test_init(struct ibv_cq *cq)
{
	static const struct {
		const char *what;
		uint8_t port;
		uint16_t pkey_index;
	} rows[] = {
		{ "port 0", 0, 0 }, { "port 2", 2, 0 }, { "port 255", 255, 0 },
		{ "P_Key index beyond the table", 1, 0xffff },
	};
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ibv_qp_attr attr = {
			.qp_state = IBV_QPS_INIT, .port_num = rows[i].port,
			.pkey_index = rows[i].pkey_index,
		};

		if (rows[i].pkey_index && rxe()) {
			tap_skip("rdma_rxe takes any P_Key index");
			continue;
		}
		tap_is(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_ACCESS_FLAGS), EINVAL, "INIT with %s", rows[i].what);
		tap_is(state_of(qp), IBV_QPS_RESET, "... and the QP is in RESET");
	}
	ibv_destroy_qp(qp);
}

/* What one row makes wrong in a move to RTR that is right otherwise. */
enum rtr_fault { SGID_INDEX, NO_GRH, MTU_ZERO, MTU_ABOVE, MTU_SIX, DEST_QPN, EMPTY_GID, AV_PORT };

static const struct {
	const char *what;
	enum rtr_fault fault;
	bool drivers_differ;	/* rdma_rxe takes it */
	bool no_data;		/* the core has ENODATA for entries that are empty */
} rtr_rows[] = {
	{ "sgid_index 255", SGID_INDEX, false, true },
	{ "an address without GRH", NO_GRH, false, false },
	{ "path MTU 0", MTU_ZERO, true, false },
	{ "path MTU 6", MTU_SIX, true, false },
	{ "path MTU above the port's active one", MTU_ABOVE, true, false },
	{ "destination QP number 2^24", DEST_QPN, true, false },
	{ "sgid_index of an empty entry", EMPTY_GID, false, true },
	{ "an address through port 2", AV_PORT, false, false },
};

static int empty_gid_index(void)
{
	static const union ibv_gid zero;
	union ibv_gid gid;
	int i;

	for (i = 0; i < 255; i++)
		if (!ibv_query_gid(f.ctx, FIXTURE_PORT, i, &gid) &&
		    !memcmp(&gid, &zero, sizeof(gid)))
			return i;
	tap_bail("no empty GID entry");
}

static int to_rtr(struct ibv_qp *qp, enum rtr_fault fault, enum ibv_mtu active)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_512, .dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.ah_attr = { .is_global = fault != NO_GRH,
			     .port_num = fault == AV_PORT ? 2 : FIXTURE_PORT,
			     .grh = { .dgid = f.gid, .sgid_index = f.gid_index,
				      .hop_limit = 64 } },
	};

	if (fault == SGID_INDEX)
		attr.ah_attr.grh.sgid_index = 255;
	if (fault == EMPTY_GID)
		attr.ah_attr.grh.sgid_index = empty_gid_index();
	if (fault == MTU_ZERO)
		attr.path_mtu = 0;
	if (fault == MTU_SIX)
		attr.path_mtu = 6;
	if (fault == MTU_ABOVE)
		attr.path_mtu = active + 1;
	if (fault == DEST_QPN)
		attr.dest_qp_num = 1 << 24;
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

static void test_rtr(struct ibv_cq *cq)
{
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	struct ibv_port_attr port;
	unsigned int i;
	int err;

	if (ibv_query_port(f.ctx, FIXTURE_PORT, &port) || fixture_qp_to_init(qp))
		tap_bail("QP to INIT");
	for (i = 0; i < sizeof(rtr_rows) / sizeof(*rtr_rows); i++) {
		if (rtr_rows[i].drivers_differ && rxe()) {
			tap_skip("rdma_rxe takes %s", rtr_rows[i].what);
			continue;
		}
		if (rtr_rows[i].fault == MTU_ABOVE && port.active_mtu == IBV_MTU_4096) {
			tap_skip("nothing is above 4096 (f49_mtu.c lowers it)");
			continue;
		}
		err = to_rtr(qp, rtr_rows[i].fault, port.active_mtu);
		tap_ok(err == EINVAL || (rtr_rows[i].no_data && err == ENODATA),
		       "RTR with %s: %s", rtr_rows[i].what, strerror(err));
		tap_is(state_of(qp), IBV_QPS_INIT, "... and the QP is in INIT");
	}
	tap_is(fixture_qp_to_rtr(&f, qp, qp->qp_num), 0, "after all this it moves on");
	ibv_destroy_qp(qp);
}

int main(void)
{
	struct ibv_cq *cq;

	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	if (!cq)
		tap_bail("CQ");
	test_create(cq);
	test_init(cq);
	test_rtr(cq);
	ibv_destroy_cq(cq);
	fixture_close(&f);
	return tap_end();
}
