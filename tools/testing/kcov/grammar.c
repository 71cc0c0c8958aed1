// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * grammar.c - verbs in an order that makes sense most of the time: objects are made from objects
 * that exist, QPs are led towards RTS and speak to themselves. What they are made with comes from
 * the tape, and mutate.c may send something else than the library meant.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grammar.h"
#include "mutate.h"
#include "raw.h"
#include "tape.h"

#define KEEP		6	/* objects of a kind */
#define BUF_BYTES	65536
#define PORT		1

enum kind { PD, MR, CHANNEL, CQ, SRQ, QP, AH, MW, XRCD, DM, KINDS };

static struct ibv_context *ctx;
static void *kept[KINDS][KEEP];
static char *buf;
static union ibv_gid gid;
static int gid_index;

static void keep(enum kind kind, void *object)
{
	unsigned int i = tape_below(KEEP);

	/* What stood there lives on until the context ends. */
	if (object)
		kept[kind][i] = object;
}

static void *some(enum kind kind)
{
	unsigned int i = tape_below(KEEP), n;

	for (n = 0; n < KEEP; n++)
		if (kept[kind][(i + n) % KEEP])
			return kept[kind][(i + n) % KEEP];
	return NULL;
}

/* Takes it out of the table: destroyed or not, it is not used again. */
static void *take(enum kind kind)
{
	void *object = some(kind);
	unsigned int n;

	for (n = 0; n < KEEP; n++)
		if (kept[kind][n] == object)
			kept[kind][n] = NULL;
	return object;
}

/* ---- making ---- */

static void make_pd(void)
{
	keep(PD, ibv_alloc_pd(ctx));
}

static void make_mr(void)
{
	struct ibv_pd *pd = some(PD);
	size_t at = tape_below(16) * 4096 + (tape_u8() & 1 ? tape_u8() : 0);
	size_t bytes = tape_u8() & 1 ? tape_number() : 1 + tape_below(64) * 256;
	int access = tape_u8() & 1 ? (int)tape_bytes(4) :
		     (int)tape_below(64) | IBV_ACCESS_LOCAL_WRITE;

	if (pd)
		keep(MR, tape_u8() & 1 ? ibv_reg_mr(pd, buf + at, bytes, access) :
			 ibv_reg_mr_iova(pd, buf + at, bytes, tape_number(), access));
}

static void make_channel(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);

	if (channel)
		fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	keep(CHANNEL, channel);
}

static void make_cq(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = tape_u8() & 1 ? tape_number() : 1 + tape_below(200),
		.channel = tape_u8() & 1 ? some(CHANNEL) : NULL,
		.comp_vector = tape_u8() & 15 ? 0 : tape_number(),
		.wc_flags = tape_u8() & 3 ? 0 : tape_bytes(2),
	};

	if (attr.wc_flags)
		keep(CQ, ibv_create_cq_ex(ctx, &attr));
	else
		keep(CQ, ibv_create_cq(ctx, attr.cqe, NULL, attr.channel, attr.comp_vector));
}

static void make_srq(void)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = tape_u8() & 3 ? 8 + tape_below(64) : tape_number(),
			  .max_sge = tape_u8() & 3 ? 1 : tape_number() },
	};
	struct ibv_pd *pd = some(PD);

	if (pd)
		keep(SRQ, ibv_create_srq(pd, &attr));
}

static void make_xsrq(void)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 8, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = some(PD), .xrcd = some(XRCD), .cq = some(CQ),
	};

	if (attr.pd && attr.xrcd && attr.cq)
		keep(SRQ, ibv_create_srq_ex(ctx, &attr));
}

static void make_qp(void)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET,
		IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV, IBV_QPT_DRIVER,
	};
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = some(CQ), .recv_cq = some(CQ), .srq = tape_u8() & 1 ? some(SRQ) : NULL,
		.qp_type = types[tape_below(8)], .pd = some(PD), .sq_sig_all = tape_u8() & 1,
		.cap = { .max_send_wr = 1 + tape_below(64), .max_recv_wr = tape_below(64),
			 .max_send_sge = 1 + tape_below(4), .max_recv_sge = 1,
			 .max_inline_data = tape_u8() & 1 ? 0 : tape_u8() },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
	};

	if (!(tape_u8() & 7))
		attr.cap.max_send_wr = tape_number();
	if (attr.qp_type == IBV_QPT_XRC_RECV) {
		attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		attr.xrcd = some(XRCD);
		attr.srq = NULL;
	}
	if (attr.send_cq && attr.pd && (attr.xrcd || attr.qp_type != IBV_QPT_XRC_RECV))
		keep(QP, ibv_create_qp_ex(ctx, &attr));
}

static void fill_path(struct ibv_ah_attr *attr)
{
	*attr = (struct ibv_ah_attr){
		.is_global = 1, .port_num = PORT,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
	};
	if (tape_u8() & 7)
		return;
	attr->grh.sgid_index = tape_u8();
	attr->grh.dgid.raw[tape_below(16)] ^= 1 << tape_below(8);
	attr->port_num = tape_below(4);
	attr->is_global = tape_u8() & 1;
	attr->static_rate = tape_u8();
}

static void make_ah(void)
{
	struct ibv_pd *pd = some(PD);
	struct ibv_ah_attr attr;

	fill_path(&attr);
	if (pd)
		keep(AH, ibv_create_ah(pd, &attr));
}

static void make_mw(void)
{
	struct ibv_pd *pd = some(PD);

	if (pd)
		keep(MW, ibv_alloc_mw(pd, tape_u8() & 7 ? 1 + (tape_u8() & 1) : tape_u8()));
}

static void make_xrcd(void)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = tape_u8() & 1 ? -1 : (int)tape_below(8),
		.oflags = tape_u8() & 3 ? O_CREAT : (int)tape_bytes(3),
	};

	keep(XRCD, ibv_open_xrcd(ctx, &attr));
}

static void make_dm(void)
{
	struct ibv_alloc_dm_attr attr = {
		.length = tape_number(), .log_align_req = tape_below(70),
	};

	keep(DM, ibv_alloc_dm(ctx, &attr));
}

/* ---- changing ---- */

static void lead_qp(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.path_mtu = 1 + tape_below(5), .qkey = 0x1111, .dest_qp_num = qp->qp_num,
		.qp_access_flags = 15, .max_rd_atomic = 1, .max_dest_rd_atomic = 1,
		.min_rnr_timer = 1, .port_num = PORT, .timeout = 8, .retry_cnt = 1, .rnr_retry = 1,
	};
	bool ud = qp->qp_type == IBV_QPT_UD, rc = qp->qp_type != IBV_QPT_UC && !ud;

	fill_path(&attr.ah_attr);
	attr.qp_state = IBV_QPS_INIT;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)))
		return;
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | (ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0))))
		return;
	attr.qp_state = IBV_QPS_RTS;
	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | (rc ? IBV_QP_TIMEOUT |
		      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0));
}

static void modify_qp(void)
{
	struct ibv_qp_attr attr = { .qp_state = tape_below(8), .cur_qp_state = tape_below(8) };
	struct ibv_qp *qp = some(QP);

	if (!qp)
		return;
	if (tape_u8() & 3) {
		lead_qp(qp);
		return;
	}
	fill_path(&attr.ah_attr);
	fill_path(&attr.alt_ah_attr);
	attr.rate_limit = tape_number();
	attr.port_num = tape_below(3);
	ibv_modify_qp(qp, &attr, tape_u8() & 1 ? IBV_QP_STATE : (int)tape_bytes(4));
}

static void query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_qp *qp = some(QP);

	if (qp)
		ibv_query_qp(qp, &attr, tape_bytes(3), &init);
}

static void change_mr(void)
{
	struct ibv_mr *mr = some(MR);

	if (mr)
		ibv_rereg_mr(mr, tape_below(16), some(PD), buf + tape_below(8) * 4096,
			     1 + tape_below(200) * 64, tape_u8());
}

static void change_cq(void)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = 1, .moderate = { .cq_count = tape_u8(), .cq_period = tape_u8() },
	};
	struct ibv_cq *cq = some(CQ);

	if (!cq)
		return;
	if (tape_u8() & 1)
		ibv_resize_cq(cq, tape_u8() & 3 ? 1 + tape_u8() : (int)tape_number());
	else
		ibv_modify_cq(cq, &attr);
}

static void change_srq(void)
{
	struct ibv_srq_attr attr = { .max_wr = tape_number(), .srq_limit = tape_u8() };
	struct ibv_srq *srq = some(SRQ);

	if (!srq)
		return;
	ibv_modify_srq(srq, &attr, tape_below(4));
	ibv_query_srq(srq, &attr);
}

static void groups(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = tape_below(4) } };
	struct ibv_qp *qp = some(QP);

	if (!qp)
		return;
	if (tape_u8() & 1)
		ibv_attach_mcast(qp, &group, tape_u8() & 7 ? 0 : tape_u8());
	else
		ibv_detach_mcast(qp, &group, 0);
}

static void ask(void)
{
	struct ibv_device_attr_ex dev;
	struct ibv_gid_entry entries[8];
	struct ibv_port_attr port;
	union ibv_gid one;
	uint16_t pkey;

	switch (tape_below(5)) {
	case 0:
		ibv_query_device_ex(ctx, NULL, &dev);
		break;
	case 1:
		ibv_query_port(ctx, tape_below(3), &port);
		break;
	case 2:
		ibv_query_gid_table(ctx, entries, 8, 0);
		break;
	case 3:
		ibv_query_gid(ctx, PORT, tape_u8(), &one);
		break;
	case 4:
		ibv_query_pkey(ctx, PORT, tape_u8(), &pkey);
		break;
	}
}

/* ---- data ---- */

static struct ibv_sge some_sge(void)
{
	struct ibv_mr *mr = some(MR);
	struct ibv_sge sge = { (uintptr_t)buf + tape_below(16) * 4096, tape_below(64) * 16,
			       mr ? mr->lkey : tape_u8() };

	if (!(tape_u8() & 7))
		sge.addr = tape_number();
	if (!(tape_u8() & 7))
		sge.length = tape_number();
	return sge;
}

static void post_send(void)
{
	struct ibv_sge sge = some_sge();
	struct ibv_mr *mr = some(MR);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = tape_u8() & 7 ? 1 : 0, .opcode = tape_below(12),
		.send_flags = tape_below(32),
		.wr.rdma = { (uintptr_t)buf + tape_below(16) * 4096, mr ? mr->rkey : tape_u8() },
	};
	struct ibv_qp *qp = some(QP);

	if (!qp)
		return;
	if (qp->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = some(AH);
		wr.wr.ud.remote_qpn = qp->qp_num;
		wr.wr.ud.remote_qkey = 0x1111;
		if (!wr.wr.ud.ah)
			return;
	}
	/* The library reads what is inline, and windows are objects, not numbers. */
	if (wr.send_flags & IBV_SEND_INLINE)
		sge = (struct ibv_sge){ (uintptr_t)buf, tape_u8(), 0 };
	if (wr.opcode == IBV_WR_BIND_MW)
		return;
	ibv_post_send(qp, &wr, &bad);
}

static void post_recv(void)
{
	struct ibv_sge sge = some_sge();
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_qp *qp = some(QP);
	struct ibv_srq *srq = some(SRQ);

	if (tape_u8() & 1 && srq)
		ibv_post_srq_recv(srq, &wr, &bad);
	else if (qp)
		ibv_post_recv(qp, &wr, &bad);
}

static void poll_cq(void)
{
	struct ibv_comp_channel *channel = some(CHANNEL);
	struct ibv_cq *cq = some(CQ), *of;
	struct ibv_wc wc[4];
	void *context;

	if (!cq)
		return;
	ibv_req_notify_cq(cq, tape_u8() & 1);
	ibv_poll_cq(cq, 4, wc);
	if (channel && !ibv_get_cq_event(channel, &of, &context))
		ibv_ack_cq_events(of, 1);
}

static void bind_mw(void)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = some(MR), .addr = (uintptr_t)buf + tape_below(64) * 64,
			       .length = tape_below(64) * 64, .mw_access_flags = tape_below(64) },
	};
	struct ibv_mw *mw = some(MW);
	struct ibv_qp *qp = some(QP);

	if (mw && qp && bind.bind_info.mr)
		ibv_bind_mw(qp, mw, &bind);
}

static void async_event(void)
{
	struct ibv_async_event event;

	if (!ibv_get_async_event(ctx, &event))
		ibv_ack_async_event(&event);
}

/* Words of a ring that belong to the kernel as much as to us. */
static void scribble(void)
{
	struct mutate_mapping *m;
	unsigned int n;

	if (!mutate_mapped)
		return;
	m = &mutate_mappings[tape_below(mutate_mapped)];
	for (n = 1 + tape_below(4); n; n--) {
		uint64_t value = tape_number();
		size_t at = (tape_bytes(2) * 8) % m->bytes;

		memcpy((char *)m->at + at, &value, sizeof(value));
	}
}

static void map_again(void)
{
	mmap(NULL, (1 + tape_below(4)) * 4096, tape_below(4), MAP_SHARED, ctx->cmd_fd,
	     (off_t)tape_number() * 4096);
}

static void write_command(void)
{
	raw_write_command(ctx->cmd_fd);
}

static void method(void)
{
	raw_method(ctx->cmd_fd);
}

/* ---- ending ---- */

static void destroy(void)
{
	enum kind kind = tape_below(KINDS);
	void *object = take(kind);

	if (!object)
		return;
	switch (kind) {
	case PD: ibv_dealloc_pd(object); break;
	case MR: ibv_dereg_mr(object); break;
	case CHANNEL: ibv_destroy_comp_channel(object); break;
	case CQ: ibv_destroy_cq(object); break;
	case SRQ: ibv_destroy_srq(object); break;
	case QP: ibv_destroy_qp(object); break;
	case AH: ibv_destroy_ah(object); break;
	case MW: ibv_dealloc_mw(object); break;
	case XRCD: ibv_close_xrcd(object); break;
	case DM: ibv_free_dm(object); break;
	case KINDS: break;
	}
}

static void (*const verbs[])(void) = {
	make_pd, make_mr, make_channel, make_cq, make_srq, make_xsrq, make_qp, make_qp, make_ah,
	make_mw, make_xrcd, make_dm, modify_qp, modify_qp, query_qp, change_mr, change_cq,
	change_srq, groups, ask, post_send, post_send, post_recv, poll_cq, bind_mw, async_event,
	scribble, map_again, write_command, write_command, method, destroy, destroy,
};

/* What nearly everything stands on, so that short tapes get somewhere. */
static void make_first(void)
{
	int i;

	buf = aligned_alloc(4096, 2 * BUF_BYTES);
	kept[PD][0] = ibv_alloc_pd(ctx);
	kept[CQ][0] = ibv_create_cq(ctx, 64, NULL, NULL, 0);
	if (!buf || !kept[PD][0] || !kept[CQ][0])
		exit(1);
	memset(buf, 0, 2 * BUF_BYTES);
	kept[MR][0] = ibv_reg_mr(kept[PD][0], buf, BUF_BYTES, 15);
	for (i = 0; i < 8; i++)
		if (!ibv_query_gid(ctx, PORT, i, &gid) && gid.raw[10] == 0xff)
			break;
	gid_index = i;
}

void grammar_play(struct ibv_device *device, void (*step)(void))
{
	ctx = ibv_open_device(device);
	if (!ctx)
		exit(1);
	fcntl(ctx->async_fd, F_SETFL, O_NONBLOCK);
	make_first();
	mutate_armed = true;
	while (!tape_ended()) {
		verbs[tape_below(sizeof(verbs) / sizeof(verbs[0]))]();
		step();
	}
	mutate_armed = false;
	ibv_close_device(ctx);
	step();
}
