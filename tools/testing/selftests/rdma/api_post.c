// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what the post calls promise with real traffic: place and sign of errors (C222, F40),
 * inline data (C239, C240, F41), room in the queues and unsignalled requests (C166, C237, F42).
 */
#include "api_pair_io.h"

static struct fixture f;

/* The second of three requests is bad: the first completes, the third was never posted. */
static void test_bad_wr(void)
{
	static const char *const faults[] = { "too many elements", "no such opcode",
					      "inline too long", "an atomic out of line" };
	struct ibv_sge sge = pair_sge(&f, 0, 64), many[64];
	struct ibv_send_wr wr[3], *bad;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;
	struct pair p;
	int fault, i;

	for (i = 0; i < 64; i++)
		many[i] = sge;
	for (fault = 0; fault < 4; fault++) {
		pair_open(&p, &f, NULL);
		for (i = 0; i < 3; i++) {
			wr[i] = pair_wr(&p, IBV_WR_RDMA_WRITE, i, &sge, 4096);
			wr[i].next = i < 2 ? &wr[i + 1] : NULL;
		}
		if (fault == 0) {
			ibv_query_qp(p.qp[A], &attr, IBV_QP_CAP, &init);
			wr[1].sg_list = many;
			wr[1].num_sge = (int)init.cap.max_send_sge + 1;
		} else if (fault == 1) {
			wr[1].opcode = 99;
		} else if (fault == 2) {
			wr[1].send_flags |= IBV_SEND_INLINE;
			many[0].length = 2000;
			wr[1].sg_list = many;
		} else {
			wr[1] = pair_wr(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &sge, 4097);
			wr[1].next = &wr[2];
		}
		bad = NULL;
		i = ibv_post_send(p.qp[A], wr, &bad);
		tap_ok(i == EINVAL && bad == &wr[1], "%s: EINVAL and bad_wr", faults[fault]);
		pair_expect(&p, A, 0, IBV_WC_SUCCESS, NULL, "the request before it");
		tap_ok(!pair_wait_ms(&p, A, &wc, 20), "nothing else was posted");
		pair_close(&p);
		many[0] = sge;
	}
}

static void test_states(void)
{
	struct pair_options o = { .rnr_retry = 0 };
	struct ibv_sge sge = pair_sge(&f, 0, 64);
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, &o);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 1, &sge, 4096);
	ibv_modify_qp(p.qp[A], &reset, IBV_QP_STATE);
	tap_is(pair_post(&p, A, &wr), EINVAL, "send in RESET");
	tap_is(pair_recv(&p, A, 1, 0, 64), EINVAL, "receive in RESET");
	pair_to_init(&p, A);
	tap_is(pair_post(&p, A, &wr), EINVAL, "send in INIT");
	tap_is(pair_recv(&p, A, 2, 0, 64), 0, "receive in INIT");
	pair_to_rtr(&p, A);
	tap_is(pair_post(&p, A, &wr), EINVAL, "send in RTR");
	pair_to_rts(&p, A);
	tap_ok(!pair_wait_ms(&p, A, &wc, 50), "no ghost of the refused requests");
	pair_close(&p);
}

static void test_inline(void)
{
	struct pair_options o = { .cap.max_inline_data = 220 };
	struct ibv_sge sge[4];
	struct ibv_send_wr wr;
	struct pair p;
	char *data = f.buf;
	bool ok = true;
	int i;

	pair_open(&p, &f, &o);
	for (i = 0; i < 220; i++)
		data[i] = (char)(i * 7 + 1);
	for (i = 0; i < 4; i++) {
		sge[i] = pair_sge(&f, 55 * i, 55);
		sge[i].lkey = 0xdeadbeef;
	}
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 1, sge, 8192);
	wr.num_sge = 4;
	wr.send_flags |= IBV_SEND_INLINE;
	tap_is(pair_post(&p, A, &wr), 0, "220 bytes inline in four pieces, bad lkeys");
	memset(data, 0, 220);
	pair_expect(&p, A, 1, IBV_WC_SUCCESS, NULL, "the inline write");
	for (i = 0; i < 220; i++)
		ok &= f.buf[8192 + i] == (char)(i * 7 + 1);
	tap_ok(ok, "the bytes are those at the time of the post");
	sge[0] = pair_sge(&f, 0, 64);
	wr = pair_wr(&p, IBV_WR_RDMA_READ, 2, sge, 8192);
	wr.send_flags |= IBV_SEND_INLINE;
	tap_is(pair_post(&p, A, &wr), EINVAL, "an inline read is refused");
	pair_close(&p);
}

/* Depth 16, 15 unsignalled and one signalled, again and again; then a 17th. */
static void test_room(void)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr, *bad;
	struct pair_options o = { .cap.max_send_wr = PAIR_DEPTH };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;
	struct pair p;
	unsigned int depth, round, i, wrong = 0;

	pair_open(&p, &f, &o);
	ibv_query_qp(p.qp[A], &attr, IBV_QP_CAP, &init);
	depth = init.cap.max_send_wr;
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 0, &sge, 4096);
	for (round = 0; round < 2000 && !wrong; round++) {
		for (i = 0; i < depth; i++) {
			wr.send_flags = i == depth - 1 ? IBV_SEND_SIGNALED : 0;
			wr.wr_id = round;
			wrong += pair_post(&p, A, &wr) != 0;
		}
		wrong += !pair_wait_ms(&p, A, &wc, PAIR_POLL_MS) || wc.status || wc.wr_id != round;
	}
	tap_ok(!wrong, "one signalled completion frees all requests before it");
	for (i = 0; i < depth; i++)
		pair_post(&p, A, &wr);
	tap_is(ibv_post_send(p.qp[A], &wr, &bad), ENOMEM, "one more than granted");
	tap_ok(bad == &wr, "bad_wr is that one");
	for (i = 0; i < depth; i++)
		if (!pair_wait_ms(&p, A, &wc, PAIR_POLL_MS) || wc.status)
			break;
	tap_is(i, depth, "the QP stays good");
	pair_close(&p);
}

static void test_sig_all(void)
{
	struct pair_options o = { .sig_all = 1 };
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct pair p;
	int i;

	pair_open(&p, &f, &o);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 0, &sge, 4096);
	wr.send_flags = 0;
	for (i = 0; i < 3; i++) {
		wr.wr_id = i;
		pair_post(&p, A, &wr);
	}
	for (i = 0; i < 3; i++)
		pair_expect(&p, A, i, IBV_WC_SUCCESS, NULL, "sq_sig_all");
	pair_close(&p);
}

/* Zero bytes, with and without a list. */
static void test_empty(void)
{
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	tap_is(pair_recv(&p, B, 5, 0, 0), 0, "a receive without a buffer");
	wr = pair_wr(&p, IBV_WR_SEND, 6, NULL, 0);
	wr.num_sge = 0;
	tap_is(pair_post(&p, A, &wr), 0, "a message of nothing");
	pair_expect(&p, A, 6, IBV_WC_SUCCESS, NULL, "its send");
	pair_expect(&p, B, 5, IBV_WC_SUCCESS, &wc, "its receive");
	tap_is(wc.byte_len, 0, "no bytes");
	pair_close(&p);
}

int main(void)
{
	fixture_open(&f);
	test_bad_wr();
	test_states();
	test_inline();
	test_room();
	test_sig_all();
	test_empty();
	fixture_close(&f);
	return tap_end();
}
