// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * One end of a wire: a device, a buffer, a queue pair of the type that is asked for, connected
 * over TCP. What fails here ends the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

#define PORT_NUM	1
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

void kinds_die(const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": failed (%s)\n", strerror(error));
	exit(1);
}

/* ---- the other end, over TCP ---- */

void kinds_tell(struct kinds_end *end, const void *data, size_t bytes)
{
	if (send(end->peer, data, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		kinds_die("telling the other end");
}

void kinds_hear(struct kinds_end *end, void *data, size_t bytes)
{
	if (recv(end->peer, data, bytes, MSG_WAITALL) != (ssize_t)bytes)
		kinds_die("hearing the other end");
}

static int answer_one(const struct addrinfo *at)
{
	int listener = socket(at->ai_family, SOCK_STREAM, 0), one = 1, peer;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, at->ai_addr, at->ai_addrlen) || listen(listener, 1))
		kinds_die("listen");
	peer = accept(listener, NULL, NULL);
	close(listener);
	return peer;
}

static int ask_one(const struct addrinfo *at)
{
	int peer = socket(at->ai_family, SOCK_STREAM, 0);

	if (connect(peer, at->ai_addr, at->ai_addrlen))
		kinds_die("connect");
	return peer;
}

static void meet(struct kinds_end *end)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE };
	struct addrinfo *at;
	char service[16];

	snprintf(service, sizeof(service), "%d", end->port);
	if (getaddrinfo(end->host, service, &hints, &at))
		kinds_die("address of %s", end->host);
	end->peer = end->host ? ask_one(at) : answer_one(at);
	freeaddrinfo(at);
	if (end->peer < 0)
		kinds_die("accept");
}

/* ---- objects ---- */

static void open_device(struct kinds_end *end)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), end->device))
			end->ctx = ibv_open_device(list[i]);
	if (!end->ctx)
		kinds_die("open %s", end->device);
	ibv_free_device_list(list);
}

static void make_memory(struct kinds_end *end)
{
	size_t bytes = KINDS_SLOT * KINDS_STEPS;

	end->pd = ibv_alloc_pd(end->ctx);
	end->buf = aligned_alloc(4096, bytes);
	if (!end->pd || !end->buf)
		kinds_die("memory");
	memset(end->buf, 0, bytes);
	end->mr = ibv_reg_mr(end->pd, end->buf, bytes, ACCESS | IBV_ACCESS_MW_BIND);
	if (!end->mr)
		kinds_die("register memory");
}

static bool receives_xrc(const struct kinds_end *end)
{
	return end->type == IBV_QPT_XRC_SEND && !end->host;
}

static void make_srq(struct kinds_end *end)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = KINDS_STEPS, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = end->pd, .cq = end->cq,
	};

	end->xrcd = ibv_open_xrcd(end->ctx, &domain);
	init.xrcd = end->xrcd;
	end->srq = end->xrcd ? ibv_create_srq_ex(end->ctx, &init) : NULL;
	if (!end->srq || ibv_get_srq_num(end->srq, &end->mine.srqn))
		kinds_die("SRQ of an XRC domain");
}

static void make_qp(struct kinds_end *end)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = end->cq, .recv_cq = end->cq, .qp_type = end->type,
		.cap = { .max_send_wr = KINDS_STEPS, .max_recv_wr = KINDS_STEPS,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = end->pd,
	};

	if (receives_xrc(end)) {
		init = (struct ibv_qp_init_attr_ex) {
			.qp_type = IBV_QPT_XRC_RECV, .xrcd = end->xrcd,
			.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		};
	} else if (end->type == IBV_QPT_XRC_SEND) {
		init.recv_cq = NULL;
		init.cap.max_recv_wr = init.cap.max_recv_sge = 0;
	}
	end->qp = ibv_create_qp_ex(end->ctx, &init);
	if (!end->qp)
		kinds_die("create QP");
}

/* ---- RESET to RTS ---- */

static bool is_reliable(const struct kinds_end *end)
{
	return end->type == IBV_QPT_RC || end->type == IBV_QPT_XRC_SEND;
}

static int to_init(struct kinds_end *end)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT_NUM,
				    .qkey = KINDS_QKEY, .qp_access_flags = ACCESS };

	return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (end->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static struct ibv_ah_attr path(const struct kinds_end *end)
{
	return (struct ibv_ah_attr) {
		.is_global = 1, .port_num = PORT_NUM,
		.grh = { .dgid = end->other.gid, .sgid_index = end->gid_index, .hop_limit = 64 },
	};
}

static int to_rtr(struct kinds_end *end)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .rq_psn = KINDS_PSN,
		.dest_qp_num = end->other.qpn, .max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.ah_attr = path(end),
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (end->type == IBV_QPT_UD)
		return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE);
	if (end->type == IBV_QPT_RC || receives_xrc(end))
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(end->qp, &attr, mask);
}

static int to_rts(struct kinds_end *end)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .sq_psn = KINDS_PSN, .timeout = 14,
				    .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (receives_xrc(end))
		return 0;
	if (is_reliable(end))
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(end->qp, &attr, mask);
}

static void make_ah(struct kinds_end *end)
{
	struct ibv_ah_attr attr = path(end);

	if (end->type != IBV_QPT_UD)
		return;
	end->ah = ibv_create_ah(end->pd, &attr);
	if (!end->ah)
		kinds_die("create AH");
}

/* A window of type 2 of the n-th slot from the end, which the peer may write and invalidate. */
static void make_window(struct kinds_end *end, int n)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	end->mw[n] = ibv_alloc_mw(end->pd, IBV_MW_TYPE_2);
	if (!end->mw[n])
		kinds_die("allocate a window");
	wr.bind_mw.mw = end->mw[n];
	wr.bind_mw.rkey = ibv_inc_rkey(end->mw[n]->rkey);
	wr.bind_mw.bind_info.mr = end->mr;
	wr.bind_mw.bind_info.addr = end->mine.addr + (KINDS_STEPS - 1 - n) * KINDS_SLOT;
	wr.bind_mw.bind_info.length = KINDS_SLOT;
	wr.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (ibv_post_send(end->qp, &wr, &bad) || !kinds_completion(end, &wc) || wc.status)
		kinds_die("bind a window");
	end->mine.windows[n] = wr.bind_mw.rkey;
}

void kinds_connect(struct kinds_end *end, void (*post_receives)(struct kinds_end *end))
{
	int n;

	open_device(end);
	make_memory(end);
	end->cq = ibv_create_cq(end->ctx, 4 * KINDS_STEPS, NULL, NULL, 0);
	if (!end->cq || ibv_query_gid(end->ctx, PORT_NUM, end->gid_index, &end->mine.gid))
		kinds_die("CQ and GID");
	if (receives_xrc(end))
		make_srq(end);
	make_qp(end);
	end->mine.qpn = end->qp->qp_num;
	end->mine.rkey = end->mr->rkey;
	end->mine.addr = (uintptr_t)end->buf;
	meet(end);
	kinds_tell(end, &end->mine, sizeof(end->mine));
	kinds_hear(end, &end->other, sizeof(end->other));
	if (to_init(end) || to_rtr(end) || to_rts(end))
		kinds_die("connect QP");
	make_ah(end);
	if (!end->host && end->type == IBV_QPT_RC)
		for (n = 0; n < KINDS_WINDOWS; n++)
			make_window(end, n);
	post_receives(end);
	/* Both are ready, and the windows have their keys. */
	kinds_tell(end, &end->mine, sizeof(end->mine));
	kinds_hear(end, &end->other, sizeof(end->other));
}

void kinds_close(struct kinds_end *end)
{
	int n, status = 0;

	for (n = 0; n < KINDS_WINDOWS; n++)
		if (end->mw[n])
			status |= ibv_dealloc_mw(end->mw[n]);
	if (end->ah)
		status |= ibv_destroy_ah(end->ah);
	status |= ibv_destroy_qp(end->qp);
	if (end->srq)
		status |= ibv_destroy_srq(end->srq) | ibv_close_xrcd(end->xrcd);
	status |= ibv_destroy_cq(end->cq) | ibv_dereg_mr(end->mr) | ibv_dealloc_pd(end->pd) |
		  ibv_close_device(end->ctx);
	if (status)
		kinds_die("destroying what was made");
	free(end->buf);
	close(end->peer);
}

void kinds_nap(void)
{
	static const struct timespec nap = { .tv_nsec = 2000000 };

	nanosleep(&nap, NULL);
}

bool kinds_completion(struct kinds_end *end, struct ibv_wc *wc)
{
	int tries, n;

	for (tries = 0; tries < KINDS_TRIES; tries++) {
		n = ibv_poll_cq(end->cq, 1, wc);
		if (n < 0)
			kinds_die("poll");
		if (n)
			return true;
		kinds_nap();
	}
	return false;
}
