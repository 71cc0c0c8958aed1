// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * bench.c - what one post and one poll cost in the library alone, in nanoseconds.  The engine is
 * this program: it sets running and writes completions.
 *
 * In instructions, which do not depend on the machine's mood (make cost; gcc 12 at -O2, the
 * caller's loop included): 136 for a post of one inline WQE, 123 for a poll of one CQE.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "fake.h"

#define ROUNDS 2000000

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 64, .max_recv_wr = 64, .max_send_sge = 1,
				  .max_recv_sge = 1, .max_inline_data = 64 };
	struct fake_context *fc = fake_open();
	struct ibv_cq *cq = fake_cq(fc, 64);
	struct ibv_qp *qp = fake_qp(fc, IBV_QPT_RC, cq, &cap, 1);
	char data[8] = "1234567";
	struct ibv_sge sge = { (uintptr_t)data, 8, 1 };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	double post = 0, poll = 0, start;
	uint32_t i, batch, done = 0;

	shca_qp(qp)->shared->running = 1;
	for (i = 0; i < ROUNDS / 32; i++) {
		start = now();
		for (batch = 0; batch < 32; batch++)
			ibv_post_send(qp, &wr, &bad);
		post += now() - start;
		for (batch = 0; batch < 32; batch++)
			fake_complete(cq, qp->qp_num, 0, IBV_WC_RDMA_WRITE, ++done);
		start = now();
		for (batch = 0; batch < 32; batch++)
			ibv_poll_cq(cq, 1, &wc);
		poll += now() - start;
	}
	printf("post_send %.1f ns, poll_cq %.1f ns\n", post / ROUNDS, poll / ROUNDS);
	return 0;
}
