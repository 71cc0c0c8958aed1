// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows which status each fault gives, on both sides, and what becomes of the QPs (C123, C124,
 * G054, G109..G112, F01, F02, F04, F36, F63).
 * Contract: C004, C061..C064.
 */
#include "api_pair_io.h"

static struct fixture f;

/* After a failed request the QP is in ERR and what follows is flushed. */
static void expect_dead(struct pair *p, int side, const char *what)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr = pair_wr(p, IBV_WR_RDMA_WRITE, 999, &sge, 4096);

	tap_is(pair_state(p, side), IBV_QPS_ERR, "%s: the QP is in ERR", what);
	tap_is(pair_post(p, side, &wr), 0, "%s: a later post is taken", what);
	pair_expect(p, side, 999, IBV_WC_WR_FLUSH_ERR, NULL, what);
}

static void test_local_key(void)
{
	static const struct {
		const char *name;
		enum ibv_wr_opcode opcode;
	} ops[] = {
		{ "fetch-and-add with a bad lkey", IBV_WR_ATOMIC_FETCH_AND_ADD },
		{ "read with a bad lkey", IBV_WR_RDMA_READ },
		{ "write with a bad lkey", IBV_WR_RDMA_WRITE },
		{ "send with a bad lkey", IBV_WR_SEND },
	};
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct pair p;
	unsigned int i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		pair_open(&p, &f, NULL);
		sge = pair_sge(&f, 0, 8);
		sge.lkey++;
		wr = pair_wr(&p, ops[i].opcode, 7, &sge, 4096);
		tap_is(pair_post(&p, A, &wr), 0, "%s is taken", ops[i].name);
		pair_expect(&p, A, 7, IBV_WC_LOC_PROT_ERR, NULL, ops[i].name);
		expect_dead(&p, A, ops[i].name);
		pair_close(&p);
	}
}

/* Results may not land in a region without local write, or of another PD. */
static void test_local_rights(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(f.ctx);
	struct ibv_mr *reads = ibv_reg_mr(f.pd, f.buf, 4096, 0);
	struct ibv_mr *other = ibv_reg_mr(pd, f.buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct pair p;

	memcpy(f.buf, "untouched", 9);
	pair_open(&p, &f, NULL);
	sge.lkey = reads->lkey;
	wr = pair_wr(&p, IBV_WR_RDMA_READ, 1, &sge, 4096);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 1, IBV_WC_LOC_PROT_ERR, NULL, "read into a region without local write");
	pair_close(&p);
	pair_open(&p, &f, NULL);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 2, &sge, 8192);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 2, IBV_WC_SUCCESS, NULL, "write out of a region without rights");
	sge.lkey = other->lkey;
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 3, &sge, 8192);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 3, IBV_WC_LOC_PROT_ERR, NULL, "a region of another PD");
	pair_close(&p);
	tap_ok(!memcmp(f.buf, "untouched", 9), "local memory is as it was");
	ibv_dereg_mr(reads);
	ibv_dereg_mr(other);
	ibv_dealloc_pd(pd);
}

static void remote(const char *what, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct pair p;

	pair_open(&p, &f, NULL);
	wr = pair_wr(&p, opcode, 4, &sge, 4096);
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.remote_addr = addr;
	} else {
		wr.wr.rdma.rkey = rkey;
		wr.wr.rdma.remote_addr = addr;
	}
	tap_is(pair_post(&p, A, &wr), 0, "%s is taken", what);
	pair_expect(&p, A, 4, IBV_WC_REM_ACCESS_ERR, NULL, what);
	tap_is(pair_state(&p, B), IBV_QPS_ERR, "%s: the responder is in ERR", what);
	pair_close(&p);
}

/* Some responders call it an invalid request, some an access error: the peer fails either way. */
static void test_qp_rights(void)
{
	struct pair_options o = { .access = -1 };
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, &o);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 4, &sge, 4096);
	pair_post(&p, A, &wr);
	tap_ok(pair_wait_ms(&p, A, &wc, PAIR_POLL_MS) &&
	       (wc.status == IBV_WC_REM_INV_REQ_ERR || wc.status == IBV_WC_REM_ACCESS_ERR),
	       "write without the QP's right");
	tap_is(pair_state(&p, B), IBV_QPS_ERR, "and the responder is in ERR");
	pair_close(&p);
}

static void test_remote(void)
{
	struct ibv_mr *plain = ibv_reg_mr(f.pd, f.buf + 4096, 4096, IBV_ACCESS_LOCAL_WRITE);
	uint64_t base = (uintptr_t)f.buf + 4096, end = (uintptr_t)f.buf + FIXTURE_BUF_BYTES;
	uint32_t key = f.mr->rkey;
	uint32_t stale;

	remote("write with a bad rkey", IBV_WR_RDMA_WRITE, key + 1, base);
	remote("read with a bad rkey", IBV_WR_RDMA_READ, key + 1, base);
	remote("write over the end", IBV_WR_RDMA_WRITE, key, end - 4);
	remote("read before the start", IBV_WR_RDMA_READ, key, (uintptr_t)f.buf - 4);
	remote("an address that wraps", IBV_WR_RDMA_WRITE, key, UINT64_MAX - 3);
	remote("write without the region's right", IBV_WR_RDMA_WRITE, plain->rkey, base);
	remote("read without the region's right", IBV_WR_RDMA_READ, plain->rkey, base);
	remote("atomic without the region's right", IBV_WR_ATOMIC_FETCH_AND_ADD, plain->rkey,
	       base);
	stale = plain->rkey;
	ibv_dereg_mr(plain);
	remote("the key of a region that is gone", IBV_WR_RDMA_WRITE, stale, base);
}

static void test_receive(void)
{
	struct ibv_sge sge = pair_sge(&f, 0, 128);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	pair_recv(&p, B, 10, 4096, 64);
	wr = pair_wr(&p, IBV_WR_SEND, 11, &sge, 0);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 11, IBV_WC_REM_INV_REQ_ERR, NULL, "sender of too much");
	pair_expect(&p, B, 10, IBV_WC_LOC_LEN_ERR, &wc, "receive of too much");
	tap_ok(wc.opcode & IBV_WC_RECV, "and it looks like a receive");
	pair_close(&p);
	pair_open(&p, &f, NULL);
	f.mr->lkey++;
	pair_recv(&p, B, 12, 4096, 256);
	f.mr->lkey--;
	wr.wr_id = 13;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 13, IBV_WC_REM_OP_ERR, NULL, "sender to a receive with a bad lkey");
	pair_expect(&p, B, 12, IBV_WC_LOC_PROT_ERR, NULL, "receive with a bad lkey");
	pair_close(&p);
}

/* F01: (a) three retries take three timer periods; (b) seven is without end. */
static void test_rnr(void)
{
	struct pair_options few = { .rnr_retry = 3, .min_rnr_timer = 20 };
	struct pair_options endless = { .min_rnr_timer = 12 };
	struct ibv_sge sge = pair_sge(&f, 0, 64);
	struct timespec nap = { .tv_nsec = 300000000 };
	struct ibv_send_wr wr;
	struct pair p;
	double start;

	pair_open(&p, &f, &few);
	wr = pair_wr(&p, IBV_WR_SEND, 20, &sge, 0);
	start = pair_now_ms();
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 20, IBV_WC_RNR_RETRY_EXC_ERR, NULL, "no receive, three retries");
	tap_ok(pair_now_ms() - start >= 30, "not before three timers of 10.24 ms (%.1f ms)",
	       pair_now_ms() - start);
	tap_is(pair_state(&p, A), IBV_QPS_ERR, "then the QP is in ERR");
	pair_close(&p);
	pair_open(&p, &f, &endless);
	wr.wr_id = 21;
	pair_post(&p, A, &wr);
	nanosleep(&nap, NULL);
	pair_recv(&p, B, 22, 4096, 64);
	pair_expect(&p, A, 21, IBV_WC_SUCCESS, NULL, "a receive posted late");
	pair_expect(&p, B, 22, IBV_WC_SUCCESS, NULL, "the late receive");
	pair_close(&p);
}

/* F63: the immediate consumes a receive, the data does not. */
static void test_write_imm(void)
{
	struct pair_options o = { .rnr_retry = -1 };
	struct ibv_sge sge = pair_sge(&f, 0, 4096);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, &o);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 30, &sge, 8192);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 30, IBV_WC_SUCCESS, NULL, "write without a receive");
	tap_ok(!pair_wait_ms(&p, B, &wc, 20), "nothing at the receiver");
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE_WITH_IMM, 31, &sge, 8192);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 31, IBV_WC_RNR_RETRY_EXC_ERR, NULL, "immediate without a receive");
	pair_close(&p);
	pair_open(&p, &f, &o);
	pair_recv(&p, B, 32, 0, 0);
	wr.wr_id = 33;
	wr.imm_data = htonl(0x01020304);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 33, IBV_WC_SUCCESS, &wc, "immediate with a receive");
	tap_is(wc.opcode, IBV_WC_RDMA_WRITE, "opcode of the sender");
	pair_expect(&p, B, 32, IBV_WC_SUCCESS, &wc, "its receive");
	tap_is(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM, "opcode of the receiver");
	tap_is(wc.byte_len, 4096, "length of the written data");
	tap_ok(wc.wc_flags & IBV_WC_WITH_IMM && wc.imm_data == htonl(0x01020304),
	       "the immediate as it was sent");
	pair_close(&p);
}

/* F02: both queues are flushed, what is posted later too, unsignalled or not, in order. */
static void test_flush(void)
{
	struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;
	uint64_t sends = 100, recvs = 0;
	int i, wrong = 0;

	pair_open(&p, &f, NULL);
	for (i = 0; i < 8; i++)
		wrong += pair_recv(&p, A, i, 0, 64);
	tap_is(ibv_modify_qp(p.qp[A], &err, IBV_QP_STATE), 0, "to ERR");
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 0, &sge, 4096);
	for (i = 0; i < 2; i++) {
		wrong += pair_recv(&p, A, 8 + i, 0, 64);
		wr.wr_id = 100 + i;
		wr.send_flags = 0;
		wrong += pair_post(&p, A, &wr);
	}
	tap_is(wrong, 0, "posts in ERR are taken");
	while (recvs + sends < 112 && pair_wait_ms(&p, A, &wc, PAIR_POLL_MS)) {
		uint64_t *next = wc.wr_id < 100 ? &recvs : &sends;

		if (wc.wr_id != *next || wc.status != IBV_WC_WR_FLUSH_ERR ||
		    wc.qp_num != p.qp[A]->qp_num)
			wrong++;
		++*next;
	}
	tap_ok(!wrong && recvs == 10 && sends == 102, "10 receives and 2 sends flushed in order");
	tap_ok(!pair_wait_ms(&p, A, &wc, 30), "each once");
	pair_close(&p);
}

int main(void)
{
	fixture_open(&f);
	test_local_key();
	test_local_rights();
	test_remote();
	test_qp_rights();
	test_receive();
	test_rnr();
	test_write_imm();
	test_flush();
	fixture_close(&f);
	return tap_end();
}
