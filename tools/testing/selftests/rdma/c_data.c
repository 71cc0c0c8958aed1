// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows the data path's promises with real traffic (C003): polling enters no kernel (C006), work is
 * asynchronous and lands where the keys say (C007, C058, C061, C066, C067), what a completion
 * tells (C119, C120, C122, C123, C125, C126, C128), which requests a type of QP knows (C226..C229),
 * and what lists, flags and fields of a request mean (C216..C218, C220..C225, C230..C239).
 */
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api_pair_io.h"

#define STRICT_WRITES	8
#define STRICT_POLLS	20000000	/* an end for a thread that may not look at the clock */

static struct fixture f;

/* ---- polling alone (C006) ---- */

struct strict {
	struct ibv_cq *cq;
	int found;	/* completions, -1: the kernel has no seccomp */
	bool done;
};

/*
 * From the prctl on any system call but read, write and exit kills the thread; a poll that makes
 * one never gets to done.  The thread ends by the bare call, because the library's end makes more.
 */
static void *poll_strictly(void *arg)
{
	struct strict *s = arg;
	struct ibv_wc wc[4];
	int i, n;

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
		s->found = -1;
		return NULL;
	}
	for (i = 0; i < STRICT_POLLS && s->found < STRICT_WRITES; i++) {
		n = ibv_poll_cq(s->cq, 4, wc);
		if (n > 0)
			s->found += n;
	}
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	syscall(SYS_exit, 0);
	return NULL;
}

static void test_no_kernel(void)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct strict s = { .found = 0 };
	struct ibv_send_wr wr;
	pthread_t thread;
	struct pair p;
	int i;

	pair_open(&p, &f, NULL);
	for (i = 0; i < STRICT_WRITES; i++) {
		wr = pair_wr(&p, IBV_WR_RDMA_WRITE, i, &sge, 4096);
		pair_post(&p, A, &wr);
	}
	s.cq = p.cq[A];
	pthread_create(&thread, NULL, poll_strictly, &s);
	pthread_join(thread, NULL);
	if (s.found < 0)
		tap_skip("C006: the kernel has no seccomp");
	else
		tap_ok(s.done && s.found == STRICT_WRITES,
		       "C006: %d completions polled without a system call", s.found);
	pair_close(&p);
}

/* ---- what arrives and what a completion says ---- */

/* Until all three are there when the poll comes: a busy host gets more time. */
static void test_two_of_three(struct pair *p, struct ibv_sge *sge)
{
	struct timespec nap = { .tv_nsec = 100000000 };
	struct ibv_send_wr wr;
	struct ibv_wc wc[3];
	int round, n = 0, i;

	for (round = 0; round < 30 && n != 2; round++) {
		for (i = 0; i < 3; i++) {
			wr = pair_wr(p, IBV_WR_RDMA_WRITE, i, sge, 8192);
			pair_post(p, A, &wr);
		}
		nanosleep(&nap, NULL);
		n = ibv_poll_cq(p->cq[A], 2, wc);
		for (i = n; n < 2 && i < 3; i++)
			pair_wait_ms(p, A, &wc[0], PAIR_POLL_MS);
	}
	tap_ok(n == 2 && wc[0].wr_id == 0 && wc[1].wr_id == 1, "C119: two of three, oldest first");
	pair_expect(p, A, 2, IBV_WC_SUCCESS, NULL, "C122: the third, and not the others again");
	tap_is(ibv_poll_cq(p->cq[A], 3, wc), 0, "C122: then it is empty");
}

static void test_message(void)
{
	struct ibv_mr *plain = ibv_reg_mr(f.pd, f.buf, 4096, 0);
	struct ibv_sge sge[2] = { { (uintptr_t)f.buf, 5, plain->lkey },
				  { (uintptr_t)f.buf + 100, 6, plain->lkey } };
	struct ibv_send_wr wr;
	struct ibv_wc wc[3];
	struct pair p;

	memcpy(f.buf, "Hello", 5);
	memcpy(f.buf + 100, " RDMA!", 6);
	pair_open(&p, &f, NULL);
	tap_is(ibv_poll_cq(p.cq[B], 3, wc), 0, "C120: an empty CQ gives 0");
	tap_is(pair_recv(&p, B, 71, 4096, 64), 0, "C220: a receive is posted");
	wr = pair_wr(&p, IBV_WR_SEND_WITH_IMM, 72, sge, 0);
	wr.num_sge = 2;
	wr.imm_data = htonl(0xcafe0123);
	tap_is(pair_post(&p, A, &wr), 0, "C007, C221: a send is queued");
	pair_expect(&p, A, 72, IBV_WC_SUCCESS, &wc[0], "C007, C058: out of a region with access 0");
	tap_ok(wc[0].opcode == IBV_WC_SEND && wc[0].qp_num == p.qp[A]->qp_num,
	       "C123, C125: the sender's completion");
	pair_expect(&p, B, 71, IBV_WC_SUCCESS, &wc[0], "C223: wr_id comes back");
	tap_ok(wc[0].opcode == IBV_WC_RECV && wc[0].byte_len == 11, "C125: opcode and length");
	tap_ok(wc[0].wc_flags == IBV_WC_WITH_IMM && wc[0].imm_data == htonl(0xcafe0123),
	       "C126, C128, C230: the immediate, bit for bit");
	tap_ok(!memcmp(f.buf + 4096, "Hello RDMA!", 11), "C066, C223: both pieces in order");
	test_two_of_three(&p, &sge[0]);
	pair_close(&p);
	ibv_dereg_mr(plain);
}

/* A receive needs local write (C061); an address and key of the peer name its memory (C067). */
static void test_rights(void)
{
	struct ibv_mr *plain = ibv_reg_mr(f.pd, f.buf, 4096, 0);
	struct ibv_sge sge = pair_sge(&f, 0, 8), into = { (uintptr_t)f.buf, 8, plain->lkey };
	struct ibv_recv_wr recv = { .wr_id = 5, .sg_list = &into, .num_sge = 1 }, *bad;
	struct ibv_send_wr wr;
	struct pair p;

	pair_open(&p, &f, NULL);
	ibv_post_recv(p.qp[B], &recv, &bad);
	wr = pair_wr(&p, IBV_WR_SEND, 6, &sge, 0);
	pair_post(&p, A, &wr);
	pair_expect(&p, B, 5, IBV_WC_LOC_PROT_ERR, NULL, "C061: no receive into such a region");
	pair_close(&p);
	pair_open(&p, &f, NULL);
	memcpy(f.buf, "C067 key", 8);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 7, &sge, 12288);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 7, IBV_WC_SUCCESS, NULL, "C062, C231: a write by address and rkey");
	tap_ok(!memcmp(f.buf + 12288, "C067 key", 8), "C067: lands there");
	wr = pair_wr(&p, IBV_WR_RDMA_READ, 8, &sge, 12288);
	sge.addr += 512;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 8, IBV_WC_SUCCESS, NULL, "C063, C231: a read");
	tap_ok(!memcmp(f.buf + 512, "C067 key", 8), "C063: brings it");
	pair_close(&p);
	ibv_dereg_mr(plain);
}

static void test_atomics(void)
{
	uint64_t *word = (uint64_t *)(f.buf + 16384), *old = (uint64_t *)(f.buf + 1024);
	struct ibv_sge sge = pair_sge(&f, 1024, 8);
	struct ibv_send_wr wr;
	struct pair p;

	pair_open(&p, &f, NULL);
	*word = 100;
	wr = pair_wr(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &sge, 16384);
	wr.wr.atomic.compare_add = 11;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 1, IBV_WC_SUCCESS, NULL, "C064, C232: fetch-and-add");
	tap_ok(*word == 111 && *old == 100, "C232: 100 + 11");
	wr = pair_wr(&p, IBV_WR_ATOMIC_CMP_AND_SWP, 2, &sge, 16384);
	wr.wr.atomic.compare_add = 111;
	wr.wr.atomic.swap = 5;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 2, IBV_WC_SUCCESS, NULL, "C232: compare-and-swap");
	tap_ok(*word == 5 && *old == 111, "C232: swapped");
	wr.wr_id = 3;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 3, IBV_WC_SUCCESS, NULL, "C232: once more");
	tap_ok(*word == 5 && *old == 5, "C232: not equal, not swapped");
	pair_close(&p);
}

/* ---- which requests a type knows ---- */

static void test_pairings(void)
{
	static const struct {
		enum ibv_qp_type type;
		uint32_t knows;		/* of the seven opcodes of the page */
		const char *what;
	} types[] = {
		{ IBV_QPT_UD, 0x0c, "C226: UD" }, { IBV_QPT_UC, 0x0f, "C227: UC" },
		{ IBV_QPT_RC, 0x7f, "C228: RC" },
	};
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr, *bad;
	struct ibv_wc wc;
	struct pair p;
	unsigned int i, op, wrong;

	for (i = 0; i < 3; i++) {
		struct pair_options o = { .type = types[i].type };

		pair_open(&p, &f, &o);
		for (op = wrong = 0; op < 7; op++) {
			if (types[i].knows >> op & 1)
				continue;
			wr = pair_wr(&p, op, op, &sge, 4096);
			bad = NULL;
			wrong += ibv_post_send(p.qp[A], &wr, &bad) != EINVAL || bad != &wr;
		}
		tap_is(wrong, 0, "%s, C229: the others are refused", types[i].what);
		tap_ok(!pair_wait_ms(&p, A, &wc, 20) && pair_state(&p, A) == IBV_QPS_RTS,
		       "C229: and not carried out");
		pair_close(&p);
	}
}

static void test_uc(void)
{
	struct pair_options o = { .type = IBV_QPT_UC };
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct pair p;

	pair_open(&p, &f, &o);
	memcpy(f.buf, "unreliab", 8);
	pair_recv(&p, B, 1, 4096, 64);
	pair_recv(&p, B, 2, 0, 0);
	wr = pair_wr(&p, IBV_WR_SEND, 1, &sge, 0);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 1, IBV_WC_SUCCESS, NULL, "C227: send on UC");
	pair_expect(&p, B, 1, IBV_WC_SUCCESS, NULL, "C227: received");
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE_WITH_IMM, 2, &sge, 8192);
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 2, IBV_WC_SUCCESS, NULL, "C227: write with immediate on UC");
	pair_expect(&p, B, 2, IBV_WC_SUCCESS, NULL, "C227: received");
	tap_ok(!memcmp(f.buf + 8192, "unreliab", 8), "C227: written");
	pair_close(&p);
}

/* ---- flags ---- */

/* A fenced write waits for the read before it, so it cannot change what that reads. */
static void test_fence(void)
{
	struct ibv_sge into = pair_sge(&f, 0, 4096), from = pair_sge(&f, 20480, 4096);
	struct ibv_send_wr wr[2], *bad;
	struct pair_options o = { .mtu = IBV_MTU_256 };
	unsigned int round, mixed = 0, failed = 0;
	struct pair p;
	struct ibv_wc wc;

	pair_open(&p, &f, &o);
	for (round = 0; round < 50; round++) {
		memset(f.buf, 0, 4096);
		memset(f.buf + 8192, 'o', 4096);
		memset(f.buf + 20480, 'n', 4096);
		wr[0] = pair_wr(&p, IBV_WR_RDMA_READ, 1, &into, 8192);
		wr[1] = pair_wr(&p, IBV_WR_RDMA_WRITE, 2, &from, 8192);
		wr[1].send_flags |= IBV_SEND_FENCE;
		wr[0].next = &wr[1];
		failed += ibv_post_send(p.qp[A], wr, &bad) != 0;
		failed += !pair_wait_ms(&p, A, &wc, PAIR_POLL_MS) || wc.status || wc.wr_id != 1;
		failed += !pair_wait_ms(&p, A, &wc, PAIR_POLL_MS) || wc.status || wc.wr_id != 2;
		mixed += memchr(f.buf, 'n', 4096) != NULL;
	}
	tap_ok(!failed && !mixed, "C234, C235: a fenced write comes after the read");
	pair_close(&p);
}

static void test_signals(void)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 1, &sge, 4096);
	wr.send_flags = 0;
	pair_post(&p, A, &wr);
	tap_ok(!pair_wait_ms(&p, A, &wc, 50), "C166, C237: no flag, no completion");
	wr.wr_id = 2;
	wr.send_flags = IBV_SEND_SIGNALED;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 2, IBV_WC_SUCCESS, NULL, "C236: the flag asks for one");
	wr.wr_id = 3;
	wr.wr.rdma.rkey++;
	wr.send_flags = 0;
	pair_post(&p, A, &wr);
	pair_expect(&p, A, 3, IBV_WC_REM_ACCESS_ERR, NULL, "C166: a failure always tells");
	pair_close(&p);
}

/* ---- lists ---- */

static void test_lists(void)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8), many[64];
	struct ibv_recv_wr recv[3] = {
		{ .wr_id = 1, .next = &recv[1] }, { .wr_id = 2, .next = &recv[2] },
		{ .wr_id = 3 },
	}, *bad = NULL;
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;
	int i;

	for (i = 0; i < 64; i++)
		many[i] = sge;
	recv[1].sg_list = many;
	recv[1].num_sge = 64;
	pair_open(&p, &f, NULL);
	tap_is(ibv_post_recv(p.qp[B], recv, &bad), EINVAL, "C222: the second has too many pieces");
	tap_ok(bad == &recv[1], "C222: bad_wr is that one");
	wr = pair_wr(&p, IBV_WR_SEND, 9, NULL, 0);
	wr.num_sge = 0;
	pair_post(&p, A, &wr);
	pair_expect(&p, B, 1, IBV_WC_SUCCESS, NULL, "C222: the first is posted");
	recv[1].num_sge = 0;
	tap_is(ibv_post_recv(p.qp[B], &recv[1], &bad), 0, "C220, C223: a list of two");
	pair_post(&p, A, &wr);
	pair_post(&p, A, &wr);
	pair_expect(&p, B, 2, IBV_WC_SUCCESS, NULL, "C223: in order");
	pair_expect(&p, B, 3, IBV_WC_SUCCESS, NULL, "C223: in order");
	while (pair_wait_ms(&p, A, &wc, 20))
		;
	pair_close(&p);
}

/* The same for an SRQ; and its buffer is the caller's again after the poll (C218, C225). */
static void test_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(f.pd, &init);
	struct ibv_sge into = pair_sge(&f, 4096, 64), sge = pair_sge(&f, 0, 8), many[64];
	struct ibv_recv_wr recv[2] = {
		{ .wr_id = 1, .sg_list = &into, .num_sge = 1, .next = &recv[1] },
		{ .wr_id = 2, .sg_list = many, .num_sge = 64 },
	}, *bad = NULL;
	struct pair_options o = { .srq = srq };
	struct ibv_send_wr wr;
	struct pair p;
	int round;

	pair_open(&p, &f, &o);
	tap_is(ibv_post_srq_recv(srq, recv, &bad), EINVAL, "C216, C217: stops at the second");
	tap_ok(bad == &recv[1], "C217: and names it");
	tap_is(ibv_post_recv(p.qp[B], recv, &bad), EINVAL, "C224: not to the QP itself");
	for (round = 0; round < 3; round++) {
		memset(f.buf, '0' + round, 8);
		wr = pair_wr(&p, IBV_WR_SEND, round, &sge, 0);
		pair_post(&p, A, &wr);
		pair_expect(&p, A, round, IBV_WC_SUCCESS, NULL, "C164: sent to the SRQ");
		pair_expect(&p, B, 1, IBV_WC_SUCCESS, NULL, "C217: the first was posted");
		tap_ok(f.buf[4096] == '0' + round, "C218, C225: used again, round %d", round);
		recv[0].next = NULL;
		ibv_post_srq_recv(srq, recv, &bad);
	}
	pair_close(&p);
	ibv_destroy_srq(srq);
}

int main(void)
{
	fixture_open(&f);
	test_no_kernel();
	test_message();
	test_rights();
	test_atomics();
	test_pairings();
	test_uc();
	test_fence();
	test_signals();
	test_lists();
	test_srq();
	fixture_close(&f);
	return tap_end();
}
