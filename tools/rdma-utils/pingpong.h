/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pingpong.h - the ping-pong itself: the client sends, each side answers what it received, until
 * every QP has done its share.  ibv_{rc,uc,ud,srq}_pingpong.c are this with another pp_kind.
 */
#ifndef PINGPONG_H
#define PINGPONG_H

#include <time.h>
#include "pp_objects.h"

#define PP_BATCH 16	/* completions per poll */

enum { PP_RECV = 1, PP_SEND = 2 };

struct pp_share {
	unsigned int sent, received;
};

static inline bool pp_post_recv(struct pp *p, unsigned int i)
{
	struct ibv_sge sge = {
		(uintptr_t)p->buf,
		p->o.size + (p->kind->type == IBV_QPT_UD ? PP_GRH_BYTES : 0), p->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = PP_RECV, .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = p->srq ? ibv_post_srq_recv(p->srq, &wr, &bad) : ibv_post_recv(p->qp[i], &wr, &bad);
	return errno ? pp_fail("post receive") : true;
}

static inline bool pp_post_send(struct pp *p, unsigned int i, unsigned int number)
{
	struct ibv_sge sge = { (uintptr_t)p->buf + p->recv_bytes, p->o.size, p->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = PP_SEND, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	if (p->kind->type == IBV_QPT_UD) {
		wr.wr.ud.ah = p->ah;
		wr.wr.ud.remote_qpn = p->theirs[i].qpn;
		wr.wr.ud.remote_qkey = PP_QKEY;
	}
	if (p->o.check)
		memset(p->buf + p->recv_bytes, (int)(number & 0xff), p->o.size);
	errno = ibv_post_send(p->qp[i], &wr, &bad);
	return errno ? pp_fail("post send") : true;
}

static inline bool pp_check(struct pp *p, unsigned int number)
{
	const char *data = p->buf + (p->kind->type == IBV_QPT_UD ? PP_GRH_BYTES : 0);
	unsigned int i;

	for (i = 0; i < p->o.size; i++) {
		if ((uint8_t)data[i] != (number & 0xff)) {
			fprintf(stderr, "message %u: wrong byte %u\n", number, i);
			return false;
		}
	}
	return true;
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

/* One completion; *left counts sends and receives that have still to complete. */
static inline bool pp_take(struct pp *p, struct pp_share *share, const struct ibv_wc *wc,
			   unsigned int *left)
{
	unsigned int i;

	for (i = 0; i < p->o.qps && p->qp[i]->qp_num != wc->qp_num; i++)
		;
	if (wc->status || i == p->o.qps) {
		fprintf(stderr, "completion %llu: %s\n", (unsigned long long)wc->wr_id,
			ibv_wc_status_str(wc->status));
		return false;
	}
	--*left;
	if (wc->wr_id == PP_SEND)
		return true;
	if (p->o.check && p->o.qps == 1 && !pp_check(p, share[i].received))
		return false;
	share[i].received++;
	if (share[i].received + p->o.rx_depth / p->o.qps <= p->o.iterations && !pp_post_recv(p, i))
		return false;
	/* The client's first message is already on its way. */
	return share[i].sent == p->o.iterations || pp_post_send(p, i, share[i].sent++);
}

static inline bool pp_run(struct pp *p)
{
	struct pp_share share[PP_MAX_QPS] = { { 0, 0 } };
	unsigned int i, left = 2 * p->o.qps * p->o.iterations;
	struct ibv_wc wc[PP_BATCH];
	int n, k;

	for (i = 0; p->o.host && i < p->o.qps; i++)
		if (!pp_post_send(p, i, share[i].sent++))
			return false;
	while (left) {
		n = ibv_poll_cq(p->cq, PP_BATCH, wc);
		if (n < 0)
			return pp_fail("poll CQ");
		for (k = 0; k < n; k++)
			if (!pp_take(p, share, &wc[k], &left))
				return false;
		if (!n && p->o.events && !pp_sleep(p))
			return false;
	}
	return true;
}

static inline bool pp_introduce(struct pp *p, int fd)
{
	struct ibv_port_attr port;
	unsigned int i, per_qp = p->o.rx_depth / p->o.qps;

	errno = ibv_query_port(p->context, (uint8_t)p->o.ib_port, &port);
	if (errno)
		return pp_fail("query port");
	if (port.link_layer == IBV_LINK_LAYER_ETHERNET && p->o.gid_index < 0) {
		fprintf(stderr, "an Ethernet port needs -g\n");
		return false;
	}
	for (i = 0; i < p->o.qps; i++) {
		struct pp_dest *me = &p->mine[i];

		me->lid = port.lid;
		me->qpn = p->qp[i]->qp_num;
		me->psn = (uint32_t)rand() & 0xffffff;
		if (p->o.gid_index >= 0 && ibv_query_gid(p->context, (uint8_t)p->o.ib_port,
							 p->o.gid_index, &me->gid))
			return pp_fail("query GID");
		if (!pp_exchange(fd, p->o.host, me, &p->theirs[i]))
			return pp_fail("exchange");
		if (!pp_connect_qp(p, i))
			return false;
		printf("QP %06x, PSN %06x <-> QP %06x, PSN %06x\n", me->qpn, me->psn,
		       p->theirs[i].qpn, p->theirs[i].psn);
	}
	for (i = 0; i < per_qp * p->o.qps; i++)
		if (!pp_post_recv(p, i % p->o.qps))
			return false;
	errno = p->o.events ? ibv_req_notify_cq(p->cq, 0) : 0;
	return errno ? pp_fail("request notification") : true;
}

static inline void pp_report(const struct pp *p, double seconds)
{
	double messages = (double)p->o.iterations * p->o.qps;
	double bytes = 2 * messages * p->o.size;

	printf("%.0f bytes in %.2f seconds = %.2f Mbit/sec\n", bytes, seconds,
	       bytes * 8 / seconds / 1e6);
	printf("%.0f iters in %.2f seconds = %.2f usec/iter\n", messages, seconds,
	       seconds * 1e6 / messages);
}

static inline int pp_main(int argc, char **argv, const struct pp_kind *kind)
{
	struct pp p = { .kind = kind };
	struct timespec start, end;
	bool ok;
	int fd;

	if (!pp_parse(argc, argv, kind, &p.o)) {
		pp_usage(kind);
		return 1;
	}
	srand((unsigned int)getpid());
	ok = pp_make(&p);
	fd = ok ? pp_meet(&p.o) : -1;
	if (ok && fd < 0)
		ok = pp_fail("meet the other side");
	ok = ok && pp_introduce(&p, fd) && pp_barrier(fd);
	clock_gettime(CLOCK_MONOTONIC, &start);
	ok = ok && pp_run(&p);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (ok)
		pp_report(&p, (double)(end.tv_sec - start.tv_sec) +
			  (double)(end.tv_nsec - start.tv_nsec) / 1e9);
	ok = ok && pp_barrier(fd);
	if (fd >= 0)
		close(fd);
	return !(pp_unmake(&p) && ok);
}

#endif
