/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pingpong.h - the ping-pong itself: the client sends, each side answers what it received, until
 * every exchange is done.  ibv_{rc,uc,ud,srq}_pingpong.c are this with another pp_kind.
 */
#ifndef PINGPONG_H
#define PINGPONG_H

#include <time.h>
#include "pp_introduce.h"

#define PP_BATCH 16	/* completions per poll */

enum { PP_RECV = 1, PP_SEND = 2 };

struct pp_run {
	unsigned int sent, received;
	unsigned int left;	/* completions that have still to come */
	uint64_t stamps, first_tick, last_tick;	/* of the clock of the device */
};

static inline bool pp_post_recv(struct pp *p, unsigned int i)
{
	struct ibv_sge sge = {
		p->memory.base, p->o.size + (p->kind->type == IBV_QPT_UD ? PP_GRH_BYTES : 0),
		p->memory.mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = PP_RECV, .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = p->srq ? ibv_post_srq_recv(p->srq, &wr, &bad) : ibv_post_recv(p->qp[i], &wr, &bad);
	return errno ? pp_fail("post receive") : true;
}

static inline int pp_send_new(struct pp *p, unsigned int i, const struct ibv_sge *sge)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(p->qp[i]);

	ibv_wr_start(qp);
	qp->wr_id = PP_SEND;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, sge->lkey, sge->addr, sge->length);
	return ibv_wr_complete(qp);
}

static inline bool pp_post_send(struct pp *p, unsigned int i, unsigned int number)
{
	struct ibv_sge sge = { p->memory.base + p->memory.send_at, p->o.size,
			       p->memory.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = PP_SEND, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	if (p->kind->type == IBV_QPT_UD) {
		wr.wr.ud.ah = p->ah;
		wr.wr.ud.remote_qpn = p->theirs[i].qpn;
		wr.wr.ud.remote_qkey = PP_QKEY;
	}
	if (p->o.check && !pp_memory_fill(&p->memory, p->o.size, number))
		return false;
	errno = p->o.new_send ? pp_send_new(p, i, &sge) : ibv_post_send(p->qp[i], &wr, &bad);
	return errno ? pp_fail("post send") : true;
}

static inline bool pp_sleep(struct pp *p)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(p->channel, &cq, &context))
		return pp_fail("get CQ event");
	ibv_ack_cq_events(cq, 1);
	errno = ibv_req_notify_cq(cq, 0);
	return errno ? pp_fail("request notification") : true;
}

/* With many QPs messages overtake one another, and which number arrives is anybody's guess. */
static inline bool pp_take(struct pp *p, struct pp_run *run, const struct ibv_wc *wc)
{
	size_t skip = p->kind->type == IBV_QPT_UD ? PP_GRH_BYTES : 0;
	unsigned int i;

	for (i = 0; i < p->o.qps && p->qp[i]->qp_num != wc->qp_num; i++)
		;
	if (wc->status || i == p->o.qps) {
		fprintf(stderr, "Failed status %s (%d) for wr_id %d\n",
			ibv_wc_status_str(wc->status), wc->status, (int)wc->wr_id);
		return false;
	}
	if (wc->wr_id == PP_SEND) {
		run->left--;
		return true;
	}
	/* The well-known programs send a few more than was agreed when there are many QPs. */
	if (run->received == p->o.iterations)
		return pp_post_recv(p, i);
	run->left--;
	if (p->o.check && p->o.qps == 1 &&
	    !pp_memory_check(&p->memory, skip, p->o.size, run->received))
		return false;
	run->received++;
	if (!pp_post_recv(p, i))
		return false;
	/* The client's first messages are on their way already. */
	return run->sent == p->o.iterations || pp_post_send(p, i, run->sent++);
}

static inline void pp_stamp(struct pp_run *run, uint64_t at)
{
	if (!run->stamps++)
		run->first_tick = at;
	run->last_tick = at;
}

/* The number of completions taken, -1 on failure. */
static inline int pp_poll_ex(struct pp *p, struct pp_run *run)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 0 };
	int n = 0, err = ibv_start_poll(p->cq_ex, &attr);
	bool ok = true;

	if (err == ENOENT)
		return 0;
	for (; !err && ok; err = ibv_next_poll(p->cq_ex), n++) {
		struct ibv_wc wc = {
			.wr_id = p->cq_ex->wr_id, .status = p->cq_ex->status,
			.qp_num = ibv_wc_read_qp_num(p->cq_ex),
		};

		if (!wc.status)
			pp_stamp(run, ibv_wc_read_completion_ts(p->cq_ex));
		ok = pp_take(p, run, &wc);
	}
	ibv_end_poll(p->cq_ex);
	return ok ? n : -1;
}

static inline int pp_poll(struct pp *p, struct pp_run *run)
{
	struct ibv_wc wc[PP_BATCH];
	int n = ibv_poll_cq(p->cq, PP_BATCH, wc), i;

	if (n < 0) {
		pp_fail("poll CQ");
		return -1;
	}
	for (i = 0; i < n; i++)
		if (!pp_take(p, run, &wc[i]))
			return -1;
	return n;
}

static inline bool pp_play(struct pp *p, struct pp_run *run)
{
	unsigned int i;
	int n;

	run->left = 2 * p->o.iterations;
	for (i = 0; p->o.host && i < p->o.qps && run->sent < p->o.iterations; i++)
		if (!pp_post_send(p, i, run->sent++))
			return false;
	while (run->left) {
		n = p->cq_ex ? pp_poll_ex(p, run) : pp_poll(p, run);
		if (n < 0 || (!n && p->o.events && !pp_sleep(p)))
			return false;
	}
	return true;
}

/* Before the other side may send. */
static inline bool pp_ready(struct pp *p)
{
	unsigned int i, per_qp = p->o.rx_depth / p->o.qps;

	for (i = 0; i < p->o.qps; i++)
		if (!pp_connect_qp(p, i))
			return false;
	for (i = 0; i < per_qp * p->o.qps; i++)
		if (!pp_post_recv(p, i % p->o.qps))
			return false;
	errno = p->o.events ? ibv_req_notify_cq(p->cq, 0) : 0;
	return errno ? pp_fail("request notification") : true;
}

#endif
