// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows every operation that can be built call by call (ibv_wr_*), on each type of queue pair that
 * has it, with the completions of both ends read field by field (ibv_wc_read_*) (G115, G165).
 */
#include <fcntl.h>

#include "api_pair_io.h"

#define BYTES	64
#define SRC	0		/* where in the buffer, of both ends */
#define SINK	4096
#define WORD	8192
#define TARGET	12288
#define GRH	40

static struct fixture f;

struct world {
	enum ibv_qp_type type;
	struct ibv_cq_ex *cq[2];
	struct ibv_qp *qp[2];
	struct ibv_xrcd *xrcd;	/* XRC only, and so is srq */
	struct ibv_srq *srq;
	uint32_t srqn;
	struct ibv_ah *ah;	/* UD only */
	struct ibv_mr *mr;	/* where windows may lie */
	struct ibv_mw *mw[2];	/* bound by the ends */
	uint32_t rkey[2];	/* of the windows */
};

/* A completion, read call by call. */
struct seen {
	uint64_t wr_id;
	enum ibv_wc_status status;
	enum ibv_wc_opcode opcode;
	uint32_t byte_len, qp_num, src_qp, slid, invalidated, vendor_err;
	__be32 imm;
	unsigned int flags;
	uint8_t sl, path_bits;
};

static uint64_t ops_of(enum ibv_qp_type type)
{
	uint64_t ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (type == IBV_QPT_UD)
		return ops;
	ops |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
	       IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV;
	if (type == IBV_QPT_UC)
		return ops;
	return ops | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
	       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
}

static void make_domain(struct world *w)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex queue = {
		.attr = { .max_wr = 16, .max_sge = 1 }, .srq_type = IBV_SRQT_XRC, .pd = f.pd,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.cq = ibv_cq_ex_to_cq(w->cq[B]),
	};

	w->xrcd = queue.xrcd = ibv_open_xrcd(f.ctx, &domain);
	w->srq = w->xrcd ? ibv_create_srq_ex(f.ctx, &queue) : NULL;
	if (!w->srq || ibv_get_srq_num(w->srq, &w->srqn))
		tap_bail("XRC domain and queue");
}

static struct ibv_qp *make_qp(struct world *w, int side)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = ibv_cq_ex_to_cq(w->cq[side]), .recv_cq = ibv_cq_ex_to_cq(w->cq[side]),
		.qp_type = w->type, .pd = f.pd, .send_ops_flags = ops_of(w->type),
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.cap = { 16, 16, 2, 2, BYTES },
	};

	if (w->type == IBV_QPT_XRC_SEND && side == B) {
		init.qp_type = IBV_QPT_XRC_RECV;
		init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		init.xrcd = w->xrcd;
	}
	return ibv_create_qp_ex(f.ctx, &init);
}

static int connect_side(struct world *w, int side)
{
	bool acks = w->type == IBV_QPT_RC || w->type == IBV_QPT_XRC_SEND;
	bool takes = acks && (w->type == IBV_QPT_RC || side == B);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = w->qp[!side]->qp_num, .qkey = FIXTURE_QKEY,
		.qp_access_flags = FIXTURE_ALL_ACCESS, .port_num = FIXTURE_PORT,
		.max_dest_rd_atomic = 4, .max_rd_atomic = 4, .min_rnr_timer = 1, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			     .grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 1 } },
	};
	int rtr = w->type == IBV_QPT_UD ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
						    IBV_QP_RQ_PSN;
	int err;

	if (takes)
		rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	attr.qp_state = IBV_QPS_INIT;
	err = ibv_modify_qp(w->qp[side], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    (w->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	err = err ? err : ibv_modify_qp(w->qp[side], &attr, IBV_QP_STATE | rtr);
	if (err || (w->type == IBV_QPT_XRC_SEND && side == B))
		return err;
	attr.qp_state = IBV_QPS_RTS;
	return ibv_modify_qp(w->qp[side], &attr, IBV_QP_STATE | IBV_QP_SQ_PSN |
			     (acks ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_MAX_QP_RD_ATOMIC : 0));
}

static void open_world(struct world *w, enum ibv_qp_type type)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 64, .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 1 },
	};
	int side;

	memset(w, 0, sizeof(*w));
	w->type = type;
	for (side = A; side <= B; side++)
		w->cq[side] = ibv_create_cq_ex(f.ctx, &attr);
	w->mr = ibv_reg_mr(f.pd, f.buf, FIXTURE_BUF_BYTES, FIXTURE_ALL_ACCESS | IBV_ACCESS_MW_BIND);
	if (!w->cq[A] || !w->cq[B] || !w->mr)
		tap_bail("extended CQs and a region");
	if (type == IBV_QPT_XRC_SEND)
		make_domain(w);
	for (side = A; side <= B; side++) {
		w->qp[side] = make_qp(w, side);
		w->mw[side] = ibv_alloc_mw(f.pd, IBV_MW_TYPE_2);
		if (!w->qp[side] || !w->mw[side])
			tap_bail("QP and window");
	}
	if (connect_side(w, A) || connect_side(w, B))
		tap_bail("connect");
	w->ah = type == IBV_QPT_UD ? ibv_create_ah(f.pd, &to) : NULL;
}

static void close_world(struct world *w)
{
	int side, err = w->ah ? ibv_destroy_ah(w->ah) : 0;

	for (side = A; side <= B; side++)
		err |= ibv_destroy_qp(w->qp[side]) | ibv_dealloc_mw(w->mw[side]);
	err |= ibv_dereg_mr(w->mr);
	if (w->srq)
		err |= ibv_destroy_srq(w->srq) | ibv_close_xrcd(w->xrcd);
	for (side = A; side <= B; side++)
		err |= ibv_destroy_cq(ibv_cq_ex_to_cq(w->cq[side]));
	tap_is(err, 0, "all of it can be destroyed");
}

/* ---- operations ---- */

static void data(struct ibv_qp_ex *qp, uint32_t offset, uint32_t length)
{
	ibv_wr_set_sge(qp, f.mr->lkey, (uintptr_t)f.buf + offset, length);
}

static uint64_t at(uint32_t offset)
{
	return (uintptr_t)f.buf + offset;
}

/* Where it goes, of the types that are told with each message. */
static void whither(struct world *w, struct ibv_qp_ex *qp)
{
	if (w->type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qp, w->ah, w->qp[B]->qp_num, FIXTURE_QKEY);
	if (w->type == IBV_QPT_XRC_SEND)
		ibv_wr_set_xrc_srqn(qp, w->srqn);
}

static void do_send(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_send(qp);
	whither(w, qp);
	data(qp, SRC, BYTES);
}

static void do_send_inline(struct world *w, struct ibv_qp_ex *qp)
{
	struct ibv_data_buf halves[2] = { { f.buf + SRC, BYTES / 2 },
					  { f.buf + SRC + BYTES / 2, BYTES / 2 } };

	ibv_wr_send(qp);
	whither(w, qp);
	ibv_wr_set_inline_data_list(qp, 2, halves);
}

static void do_send_imm(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_send_imm(qp, htonl(0x12345678));
	whither(w, qp);
	data(qp, SRC, BYTES);
}

static void do_send_inv(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_send_inv(qp, w->rkey[B]);
	data(qp, SRC, BYTES);
}

static void do_write(struct world *w, struct ibv_qp_ex *qp)
{
	struct ibv_sge halves[2] = { pair_sge(&f, SRC, BYTES / 2),
				     pair_sge(&f, SRC + BYTES / 2, BYTES / 2) };

	ibv_wr_rdma_write(qp, f.mr->rkey, at(SINK));
	whither(w, qp);
	ibv_wr_set_sge_list(qp, 2, halves);
}

static void do_write_imm(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_rdma_write_imm(qp, f.mr->rkey, at(SINK), htonl(0x12345678));
	whither(w, qp);
	data(qp, SRC, BYTES);
}

static void do_read(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_rdma_read(qp, f.mr->rkey, at(SRC));
	whither(w, qp);
	data(qp, SINK, BYTES);
}

static void do_swap(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_atomic_cmp_swp(qp, f.mr->rkey, at(TARGET), 7, 40);
	whither(w, qp);
	data(qp, WORD, 8);
}

static void do_add(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_atomic_fetch_add(qp, f.mr->rkey, at(TARGET), 2);
	whither(w, qp);
	data(qp, WORD, 8);
}

static void bind_end(struct world *w, int side, struct ibv_qp_ex *qp)
{
	struct ibv_mw_bind_info info = { .mr = w->mr, .addr = at(SINK), .length = BYTES,
					 .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };

	w->rkey[side] = ibv_inc_rkey(w->rkey[side] ? w->rkey[side] : w->mw[side]->rkey);
	ibv_wr_bind_mw(qp, w->mw[side], w->rkey[side], &info);
}

static void do_bind(struct world *w, struct ibv_qp_ex *qp)
{
	bind_end(w, A, qp);
}

static void do_invalidate(struct world *w, struct ibv_qp_ex *qp)
{
	ibv_wr_local_inv(qp, w->rkey[A]);
}

/* ---- what comes of them ---- */

static bool take(struct world *w, int side, struct seen *s)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 0 };
	struct ibv_cq_ex *cq = w->cq[side];
	double end = pair_now_ms() + PAIR_POLL_MS;

	while (ibv_start_poll(cq, &attr))
		if (pair_now_ms() > end)
			return false;
	*s = (struct seen){
		.wr_id = cq->wr_id, .status = cq->status, .opcode = ibv_wc_read_opcode(cq),
		.byte_len = ibv_wc_read_byte_len(cq), .qp_num = ibv_wc_read_qp_num(cq),
		.src_qp = ibv_wc_read_src_qp(cq), .slid = ibv_wc_read_slid(cq),
		.invalidated = ibv_wc_read_invalidated_rkey(cq),
		.vendor_err = ibv_wc_read_vendor_err(cq), .imm = ibv_wc_read_imm_data(cq),
		.flags = ibv_wc_read_wc_flags(cq), .sl = ibv_wc_read_sl(cq),
		.path_bits = ibv_wc_read_dlid_path_bits(cq),
	};
	ibv_end_poll(cq);
	return true;
}

struct row {
	const char *what;
	void (*build)(struct world *w, struct ibv_qp_ex *qp);
	enum ibv_wc_opcode sent;
	enum ibv_wc_opcode received;	/* 0: the peer does not notice */
	unsigned int flags;		/* of the receive */
	uint64_t op;			/* the bit that a type has to have */
};

static const struct row rows[] = {
	{ "send", do_send, IBV_WC_SEND, IBV_WC_RECV, 0, IBV_QP_EX_WITH_SEND },
	{ "send, inline", do_send_inline, IBV_WC_SEND, IBV_WC_RECV, 0, IBV_QP_EX_WITH_SEND },
	{ "send_imm", do_send_imm, IBV_WC_SEND, IBV_WC_RECV, IBV_WC_WITH_IMM,
	  IBV_QP_EX_WITH_SEND_WITH_IMM },
	{ "send_inv", do_send_inv, IBV_WC_SEND, IBV_WC_RECV, IBV_WC_WITH_INV,
	  IBV_QP_EX_WITH_SEND_WITH_INV },
	{ "rdma_write", do_write, IBV_WC_RDMA_WRITE, 0, 0, IBV_QP_EX_WITH_RDMA_WRITE },
	{ "rdma_write_imm", do_write_imm, IBV_WC_RDMA_WRITE, IBV_WC_RECV_RDMA_WITH_IMM,
	  IBV_WC_WITH_IMM, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM },
	{ "rdma_read", do_read, IBV_WC_RDMA_READ, 0, 0, IBV_QP_EX_WITH_RDMA_READ },
	{ "atomic_cmp_swp", do_swap, IBV_WC_COMP_SWAP, 0, 0, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP },
	{ "atomic_fetch_add", do_add, IBV_WC_FETCH_ADD, 0, 0,
	  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD },
	{ "bind_mw", do_bind, IBV_WC_BIND_MW, 0, 0, IBV_QP_EX_WITH_BIND_MW },
	{ "local_inv", do_invalidate, IBV_WC_LOCAL_INV, 0, 0, IBV_QP_EX_WITH_LOCAL_INV },
};

static int post_recv(struct world *w, uint64_t id)
{
	struct ibv_sge sge = pair_sge(&f, w->type == IBV_QPT_UD ? SINK - GRH : SINK, GRH + BYTES);
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return w->srq ? ibv_post_srq_recv(w->srq, &wr, &bad) :
			ibv_post_recv(w->qp[B], &wr, &bad);
}

static int post(struct world *w, int side, uint64_t id,
		void (*build)(struct world *w, struct ibv_qp_ex *qp))
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(w->qp[side]);

	ibv_wr_start(qp);
	qp->wr_id = id;
	qp->wr_flags = IBV_SEND_SIGNALED;
	build(w, qp);
	return ibv_wr_complete(qp);
}

static void bind_peer(struct world *w, struct ibv_qp_ex *qp)
{
	bind_end(w, B, qp);
}

static bool received(struct world *w, const struct row *row, uint64_t id)
{
	bool ud = w->type == IBV_QPT_UD;
	unsigned int flags = row->flags | (ud ? IBV_WC_GRH : 0);
	struct seen s;

	if (!take(w, B, &s))
		return false;
	return s.wr_id == id && !s.status && s.opcode == row->received && s.flags == flags &&
	       s.byte_len == BYTES + (ud ? GRH : 0) && s.qp_num == w->qp[B]->qp_num &&
	       (!ud || s.src_qp == w->qp[A]->qp_num) && !s.slid && !s.sl && !s.path_bits &&
	       !s.vendor_err && (!(flags & IBV_WC_WITH_IMM) || s.imm == htonl(0x12345678)) &&
	       (!(flags & IBV_WC_WITH_INV) || s.invalidated == w->rkey[B]);
}

static bool moved(const struct row *row, const char *want)
{
	uint64_t word, target;

	memcpy(&word, f.buf + WORD, 8);
	memcpy(&target, f.buf + TARGET, 8);
	if (row->sent == IBV_WC_COMP_SWAP)
		return word == 7 && target == 40;
	if (row->sent == IBV_WC_FETCH_ADD)
		return word == 7 && target == 9;
	return row->sent == IBV_WC_BIND_MW || row->sent == IBV_WC_LOCAL_INV ||
	       !memcmp(f.buf + SINK, want, BYTES);
}

static void test_row(struct world *w, const char *type, const struct row *row, int n)
{
	uint64_t id = 100 + n, word = 7;
	struct seen s;

	memset(f.buf + SRC, 'a' + n, BYTES);
	memset(f.buf + SINK, 0, BYTES);
	memset(f.buf + WORD, 0, 8);
	memcpy(f.buf + TARGET, &word, 8);
	/* What the peer invalidates has to be there; an XRC receiver can post no bind. */
	if (row->op == IBV_QP_EX_WITH_SEND_WITH_INV &&
	    (post(w, B, 1, bind_peer) || !take(w, B, &s) || s.status))
		tap_bail("bind a window of the peer");
	if (row->received && post_recv(w, id + 50))
		tap_bail("post a receive");
	tap_is(post(w, A, id, row->build), 0, "%s %s: posted", type, row->what);
	tap_ok(take(w, A, &s) && s.wr_id == id && !s.status && s.opcode == row->sent &&
	       s.qp_num == w->qp[A]->qp_num && !s.vendor_err, "%s %s: done", type, row->what);
	if (row->received)
		tap_ok(received(w, row, id + 50), "%s %s: received", type, row->what);
	tap_ok(moved(row, f.buf + SRC), "%s %s: what it moves", type, row->what);
}

static void test_type(enum ibv_qp_type type, const char *name)
{
	struct world w;
	unsigned int n;

	open_world(&w, type);
	for (n = 0; n < sizeof(rows) / sizeof(*rows); n++)
		if (ops_of(type) & rows[n].op &&
		    !(type == IBV_QPT_XRC_SEND && rows[n].op == IBV_QP_EX_WITH_SEND_WITH_INV))
			test_row(&w, name, &rows[n], (int)n);
	close_world(&w);
}

int main(void)
{
	fixture_open(&f);
	test_type(IBV_QPT_RC, "RC");
	test_type(IBV_QPT_UC, "UC");
	test_type(IBV_QPT_UD, "UD");
	test_type(IBV_QPT_XRC_SEND, "XRC");
	fixture_close(&f);
	return tap_end();
}
