/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * xsrq_objects.h - the RDMA objects of ibv_xsrq_pingpong: one XRC domain with one shared receive
 * queue, and for each peer a queue pair in either direction.
 */
#ifndef XSRQ_OBJECTS_H
#define XSRQ_OBJECTS_H

#include <fcntl.h>
#include "pp_objects.h"

#define XSRQ_DEPTH	64	/* receives for each client */

/* What a peer has to know of us. */
struct xsrq_end {
	struct pp_dest at;	/* qpn: of the queue pair that receives */
	uint32_t send_qpn;
	uint32_t srqn;
};

struct xsrq_peer {
	struct ibv_qp *send_qp, *recv_qp;
	struct xsrq_end mine, theirs;
	unsigned int received;
	unsigned int owed;	/* messages to send when the one under way has completed */
	bool sending;
	int fd;		/* TCP, to begin together */
};

struct xsrq {
	struct pp_options o;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct pp_memory memory;
	struct ibv_xrcd *xrcd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;	/* of sends and receives */
	struct ibv_srq *srq;
	uint32_t srqn;
	struct xsrq_peer peers[PP_MAX_QPS];
	unsigned int peer_count;
};

static inline bool xsrq_make_queues(struct xsrq *x)
{
	unsigned int depth = XSRQ_DEPTH * x->o.clients;
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = depth, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = x->pd, .xrcd = x->xrcd,
	};

	if (x->o.events && !(x->channel = ibv_create_comp_channel(x->context)))
		return pp_fail("create channel");
	x->cq = ibv_create_cq(x->context, (int)(depth + x->o.clients), NULL, x->channel, 0);
	if (!x->cq)
		return pp_fail("create CQ");
	init.cq = x->cq;
	x->srq = ibv_create_srq_ex(x->context, &init);
	if (!x->srq)
		return pp_fail("create XRC SRQ");
	errno = ibv_get_srq_num(x->srq, &x->srqn);
	return errno ? pp_fail("number of the SRQ") : true;
}

static inline bool xsrq_make(struct xsrq *x)
{
	struct ibv_xrcd_init_attr init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};

	x->context = find_device_open(x->o.device);
	if (!x->context)
		return false;
	x->xrcd = ibv_open_xrcd(x->context, &init);
	if (!x->xrcd)
		return errno == EOPNOTSUPP ? pp_no("XRC") : pp_fail("open XRC domain");
	x->pd = ibv_alloc_pd(x->context);
	if (!x->pd)
		return pp_fail("allocate PD");
	return pp_memory_make(&x->memory, x->context, x->pd, &x->o, false) && xsrq_make_queues(x);
}

static inline bool xsrq_make_peer(struct xsrq *x, struct xsrq_peer *peer)
{
	struct ibv_qp_init_attr_ex recv = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = x->xrcd,
	};
	struct ibv_qp_init_attr_ex send = {
		.qp_type = IBV_QPT_XRC_SEND, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = x->pd,
		.send_cq = x->cq, .cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = (uint8_t)x->o.ib_port,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;

	peer->recv_qp = ibv_create_qp_ex(x->context, &recv);
	peer->send_qp = peer->recv_qp ? ibv_create_qp_ex(x->context, &send) : NULL;
	if (!peer->send_qp)
		return pp_fail("create XRC QPs");
	errno = ibv_modify_qp(peer->recv_qp, &init, mask);
	errno = errno ? errno : ibv_modify_qp(peer->send_qp, &init, mask);
	return errno ? pp_fail("QPs to INIT") : true;
}

/* One of the two: towards the peer's queue pair of that number. */
static inline int xsrq_connect_qp(struct xsrq *x, struct ibv_qp *qp, const struct xsrq_peer *peer,
				  uint32_t qpn)
{
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = x->o.mtu, .dest_qp_num = qpn,
		.rq_psn = peer->theirs.at.psn, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = pp_address(&x->o, &peer->theirs.at),
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .sq_psn = peer->mine.at.psn, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1,
		.timeout = 16,	/* two seconds in all, for a client to get ready */
	};
	bool sends = qp == peer->send_qp;
	int err = ibv_modify_qp(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				(sends ? 0 : IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));

	if (err || !sends)
		return err;
	return ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static inline bool xsrq_connect(struct xsrq *x, struct xsrq_peer *peer)
{
	errno = xsrq_connect_qp(x, peer->recv_qp, peer, peer->theirs.send_qpn);
	errno = errno ? errno : xsrq_connect_qp(x, peer->send_qp, peer, peer->theirs.at.qpn);
	return errno ? pp_fail("connect QPs") : true;
}

static inline bool xsrq_unmake(struct xsrq *x)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < x->peer_count; i++) {
		ok &= !x->peers[i].send_qp || !ibv_destroy_qp(x->peers[i].send_qp);
		ok &= !x->peers[i].recv_qp || !ibv_destroy_qp(x->peers[i].recv_qp);
		if (x->peers[i].fd > 0)
			close(x->peers[i].fd);
	}
	ok &= !x->srq || !ibv_destroy_srq(x->srq);
	ok &= !x->cq || !ibv_destroy_cq(x->cq);
	ok &= !x->channel || !ibv_destroy_comp_channel(x->channel);
	ok &= pp_memory_unmake(&x->memory);
	ok &= !x->pd || !ibv_dealloc_pd(x->pd);
	ok &= !x->xrcd || !ibv_close_xrcd(x->xrcd);
	ok &= !x->context || !ibv_close_device(x->context);
	return ok;
}

#endif
