// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_xsrq_pingpong - a server sends to many clients over XRC, and each answers what it gets, to
 * the one shared receive queue of the server.
 */
#include "pingpong.h"
#include "xsrq_objects.h"

/* lid, number of the receiving and of the sending QP, PSN, SRQ number, GID. */
#define END_TEXT sizeof("0000:000000:000000:000000:000000:00000000000000000000000000000000")

static const struct pp_kind kind = {
	.name = "ibv_xsrq_pingpong", .letters = "pdismCTleog", .type = IBV_QPT_XRC_RECV,
	.mtu = IBV_MTU_1024, .size = 4096, .iterations = 5,
};

static void end_write(const struct xsrq_end *end, char *text)
{
	int i, at = sprintf(text, "%04x:%06x:%06x:%06x:%06x:", end->at.lid & 0xffff, end->at.qpn,
			    end->send_qpn, end->at.psn, end->srqn & 0xffffff);

	for (i = 0; i < 16; i++)
		at += sprintf(text + at, "%02x", end->at.gid.raw[i]);
}

static bool end_read(struct xsrq_end *end, const char *text)
{
	unsigned int byte;
	int i, at;

	if (sscanf(text, "%4x:%6x:%6x:%6x:%6x:%n", &end->at.lid, &end->at.qpn, &end->send_qpn,
		   &end->at.psn, &end->srqn, &at) != 5)
		return false;
	for (i = 0; i < 16; i++) {
		if (sscanf(text + at + 2 * i, "%2x", &byte) != 1)
			return false;
		end->at.gid.raw[i] = (uint8_t)byte;
	}
	return true;
}

static bool tell(struct xsrq_peer *peer)
{
	char text[END_TEXT];

	end_write(&peer->mine, text);
	return pp_move(peer->fd, text, sizeof(text), true) ? true : pp_fail("tell the other side");
}

static bool hear(struct xsrq_peer *peer)
{
	char text[END_TEXT];

	errno = EPROTO;
	if (!pp_move(peer->fd, text, sizeof(text), false))
		return pp_fail("hear of the other side");
	text[sizeof(text) - 1] = '\0';
	return end_read(&peer->theirs, text) ? true : pp_fail("hear of the other side");
}

static void show(const char *whose, const struct xsrq_end *end)
{
	char gid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, end->at.gid.raw, gid, sizeof(gid));
	printf("%9s LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, GID %s\n", whose,
	       end->at.lid, end->at.qpn, end->send_qpn, end->at.psn, end->srqn, gid);
}

/*
 * Both know each other at the end of it, and no word begins the play: the server's first message
 * may find a client that cannot receive yet, and is repeated until it can.
 */
static bool introduce(struct xsrq *x, int fd)
{
	struct xsrq_peer *peer = &x->peers[x->peer_count++];
	bool client = x->o.host != NULL;

	peer->fd = fd;
	if (!xsrq_make_peer(x, peer) || !pp_local(x->context, &x->o, &peer->mine.at))
		return false;
	peer->mine.at.qpn = peer->recv_qp->qp_num;
	peer->mine.send_qpn = peer->send_qp->qp_num;
	peer->mine.srqn = x->srqn;
	if (client)
		show("local:", &peer->mine);
	if ((client && !tell(peer)) || !hear(peer) || !xsrq_connect(x, peer) ||
	    (!client && !tell(peer)))
		return false;
	show("remote:", &peer->theirs);
	if (!client)
		show("local:", &peer->mine);
	fflush(stdout);
	return true;
}

static bool post_recv(struct xsrq *x)
{
	struct ibv_sge sge = { x->memory.base, x->o.size, x->memory.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = PP_RECV, .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = ibv_post_srq_recv(x->srq, &wr, &bad);
	return errno ? pp_fail("post receive") : true;
}

static bool post_send(struct xsrq *x, struct xsrq_peer *peer)
{
	struct ibv_sge sge = { x->memory.base + x->memory.send_at, x->o.size, x->memory.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = PP_SEND, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED, .qp_type.xrc.remote_srqn = peer->theirs.srqn,
	}, *bad;

	peer->sending = true;
	errno = ibv_post_send(peer->send_qp, &wr, &bad);
	return errno ? pp_fail("post send") : true;
}

/* An answer can be there before the completion of what it answers, whose place it would need. */
static bool send_next(struct xsrq *x, struct xsrq_peer *peer)
{
	if (!peer->owed || peer->sending)
		return true;
	peer->owed--;
	return post_send(x, peer);
}

/* Accepts all clients, or connects to the server. */
static bool meet(struct xsrq *x)
{
	bool ok = true;
	int fd, listening;

	if (x->o.host) {
		fd = pp_connect(&x->o);
		return fd < 0 ? pp_fail("meet the server") : introduce(x, fd);
	}
	listening = pp_listen(x->o.tcp_port);
	if (listening < 0)
		return pp_fail("listen");
	while (ok && x->peer_count < x->o.clients) {
		fd = accept(listening, NULL, NULL);
		ok = fd < 0 ? pp_fail("accept") : introduce(x, fd);
	}
	close(listening);
	return ok;
}

static struct xsrq_peer *peer_of(struct xsrq *x, const struct ibv_wc *wc)
{
	unsigned int i;

	for (i = 0; i < x->peer_count; i++) {
		const struct xsrq_peer *peer = &x->peers[i];
		const struct ibv_qp *qp = wc->wr_id == PP_SEND ? peer->send_qp : peer->recv_qp;

		if (qp->qp_num == wc->qp_num)
			return &x->peers[i];
	}
	return NULL;
}

/* One completion; *left counts those that have still to come. */
static bool take(struct xsrq *x, const struct ibv_wc *wc, unsigned int *left)
{
	struct xsrq_peer *peer;

	if (wc->status) {
		fprintf(stderr, "Failed status %s (%d) for wr_id %d\n",
			ibv_wc_status_str(wc->status), wc->status, (int)wc->wr_id);
		return false;
	}
	--*left;
	peer = peer_of(x, wc);
	if (!peer) {
		fprintf(stderr, "a completion of QP 0x%06x, which is none of ours\n", wc->qp_num);
		return false;
	}
	if (wc->wr_id == PP_SEND) {
		peer->sending = false;
		return send_next(x, peer);
	}
	peer->received++;
	/* The client answers the last message too, the server does not. */
	if (x->o.host || peer->received < x->o.iterations)
		peer->owed++;
	return post_recv(x) && send_next(x, peer);
}

static bool play(struct xsrq *x)
{
	unsigned int left = 2 * x->o.iterations * x->peer_count;
	struct ibv_cq *raised;
	struct ibv_wc wc;
	unsigned int i;
	void *context;
	int n;

	for (i = 0; !x->o.host && i < x->peer_count; i++)
		if (!post_send(x, &x->peers[i]))
			return false;
	while (left) {
		n = ibv_poll_cq(x->cq, 1, &wc);
		if (n < 0)
			return pp_fail("poll CQ");
		if (n && !take(x, &wc, &left))
			return false;
		if (n || !x->channel)
			continue;
		if (ibv_get_cq_event(x->channel, &raised, &context))
			return pp_fail("get CQ event");
		ibv_ack_cq_events(raised, 1);
		errno = ibv_req_notify_cq(raised, 0);
		if (errno)
			return pp_fail("request notification");
	}
	return true;
}

/* Queue pairs stay until nobody waits for an answer of theirs any more. */
static bool end_together(struct xsrq *x)
{
	unsigned int i;

	for (i = 0; i < x->peer_count; i++) {
		errno = EPROTO;
		if (!pp_end(x->peers[i].fd, x->o.host != NULL))
			return pp_fail("end with the other side");
	}
	return true;
}

static bool ready(struct xsrq *x)
{
	unsigned int i;

	for (i = 0; i < XSRQ_DEPTH * x->o.clients; i++)
		if (!post_recv(x))
			return false;
	errno = x->channel ? ibv_req_notify_cq(x->cq, 0) : 0;
	return errno ? pp_fail("request notification") : true;
}

int main(int argc, char **argv)
{
	struct xsrq x = { .srqn = 0 };
	int end = pp_parse(argc, argv, &kind, &x.o);
	bool ok;

	if (end)
		return end - 1;
	srand((unsigned int)getpid());
	ok = xsrq_make(&x) && ready(&x) && meet(&x) && play(&x) && end_together(&x);
	if (!xsrq_unmake(&x) && ok)
		ok = pp_fail("destroy");
	if (ok)
		printf("success\n");
	return !ok;
}
