/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What tests do with a pair: post, wait for a completion, and say what it has to be. */
#ifndef SELFTEST_API_PAIR_IO_H
#define SELFTEST_API_PAIR_IO_H

#include "api_pair.h"

#define PAIR_POLL_MS	3000	/* the longest wait for a completion that has to come */

FIXTURE static struct ibv_sge pair_sge(struct fixture *f, uint32_t offset, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)f->buf + offset, length, f->mr->lkey };

	return sge;
}

FIXTURE static int pair_recv(struct pair *p, int side, uint64_t id, uint32_t offset,
			     uint32_t length)
{
	struct ibv_sge sge = pair_sge(p->f, offset, length);
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = length ? 1 : 0 }, *bad;

	return ibv_post_recv(p->qp[side], &wr, &bad);
}

/* A request of one element; the remote address is an offset into the same buffer. */
FIXTURE static struct ibv_send_wr pair_wr(struct pair *p, enum ibv_wr_opcode opcode, uint64_t id,
					  struct ibv_sge *sge, uint32_t remote)
{
	struct ibv_send_wr wr = {
		.wr_id = id, .sg_list = sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)p->f->buf + remote;
		wr.wr.atomic.rkey = p->f->mr->rkey;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)p->f->buf + remote;
		wr.wr.rdma.rkey = p->f->mr->rkey;
	}
	return wr;
}

FIXTURE static int pair_post(struct pair *p, int side, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(p->qp[side], wr, &bad);
}

FIXTURE static double pair_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* The next completion of one side, within the limit. */
FIXTURE static bool pair_wait_ms(struct pair *p, int side, struct ibv_wc *wc, double limit_ms)
{
	double end = pair_now_ms() + limit_ms;
	struct timespec nap = { .tv_nsec = 100000 };
	int n;

	do {
		n = ibv_poll_cq(p->cq[side], 1, wc);
		if (n)
			return n == 1;
		nanosleep(&nap, NULL);
	} while (pair_now_ms() < end);
	return false;
}

/* Has to come, with this id and status. */
FIXTURE static bool pair_expect(struct pair *p, int side, uint64_t id, enum ibv_wc_status status,
				struct ibv_wc *wc, const char *what)
{
	struct ibv_wc mine;

	if (!wc)
		wc = &mine;
	memset(wc, 0xff, sizeof(*wc));
	if (!pair_wait_ms(p, side, wc, PAIR_POLL_MS))
		return tap_ok(false, "%s: no completion", what);
	tap_ok(wc->wr_id == id && wc->status == status && wc->qp_num == p->qp[side]->qp_num,
	       "%s: %s", what, ibv_wc_status_str(status));
	if (wc->wr_id != id || wc->status != status)
		tap_note("got wr_id %llu, %s", (unsigned long long)wc->wr_id,
			 ibv_wc_status_str(wc->status));
	return wc->status == status;
}

FIXTURE static enum ibv_qp_state pair_state(struct pair *p, int side)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(p->qp[side], &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN :
								       attr.qp_state;
}

#endif
