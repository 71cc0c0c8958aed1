// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_loop.c - packets of this host for this host pass the network stack by, except while somebody
 * could see, queue, classify or refuse them there: from then on, and until then, they take it.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <sys/socket.h>

#include "own_link.h"
#include "shca_wire.h"

#define WRITES		50
#define ROCE_PORT	4791

struct loop {
	struct fixture f;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static long lo_packets(void)
{
	FILE *file = fopen("/sys/class/net/lo/statistics/tx_packets", "r");
	long n = -1;

	if (!file || fscanf(file, "%ld", &n) != 1)
		tap_bail("read the counter of lo");
	fclose(file);
	return n;
}

static enum ibv_wc_status write_once(struct loop *l)
{
	struct ibv_sge sge = { (uintptr_t)l->f.buf, 8, l->f.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)l->f.buf + 64, l->f.mr->rkey },
	}, *bad;
	struct ibv_wc wc;
	int tries;

	if (ibv_post_send(l->qp, &wr, &bad))
		tap_bail("post");
	for (tries = 0; tries < 5; tries++)
		if (fixture_wait_wc(l->cq, &wc))
			return wc.status;
	tap_bail("no completion");
}

/* All of them, with their acknowledges, through lo (@through) or none; others are few there. */
static void writes(struct loop *l, bool through, const char *when)
{
	long before = lo_packets(), moved;
	int i, bad = 0;

	for (i = 0; i < WRITES; i++) {
		l->f.buf[0] = i;
		bad += write_once(l) != IBV_WC_SUCCESS || l->f.buf[64] != (char)i;
	}
	moved = lo_packets() - before;
	tap_is(bad, 0, "%s: writes arrive", when);
	tap_ok(through ? moved >= 2 * WRITES : moved < WRITES, "%s: %s the stack (%ld packets)",
	       when, through ? "through" : "past", moved);
}

static bool is_ours(const uint8_t *frame, ssize_t n)
{
	const struct iphdr *ip = (const struct iphdr *)(frame + ETH_HLEN);
	const struct udphdr *udp = (const struct udphdr *)(ip + 1);

	return n >= (ssize_t)(ETH_HLEN + sizeof(*ip) + sizeof(*udp) + 16) && ip->version == 4 &&
	       ip->protocol == IPPROTO_UDP && ntohs(udp->dest) == ROCE_PORT;
}

static void captured(struct loop *l)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex("lo"),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), seen = 0;
	uint8_t frame[256];
	ssize_t n;

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		tap_bail("packet socket");
	writes(l, true, "captured");
	while ((n = recv(fd, frame, sizeof(frame), MSG_DONTWAIT)) > 0)
		seen += is_ours(frame, n);
	/* Each is seen on its way out and in again, as far as the socket has room. */
	tap_ok(seen >= 2 * WRITES, "they are seen (%d)", seen);
	close(fd);
}

static void queued(struct loop *l)
{
	own_link_run("tc qdisc add dev lo root pfifo limit 1000");
	writes(l, true, "queued");
	own_link_run("tc qdisc del dev lo root");
	writes(l, false, "no queue any more");
	own_link_run("tc qdisc add dev lo clsact && "
		     "tc filter add dev lo ingress matchall action pass");
	writes(l, true, "classified");
	own_link_run("tc qdisc del dev lo clsact");
	writes(l, false, "no classifier any more");
}

static void refused(struct loop *l)
{
	if (own_link_run("nft -v >/dev/null 2>&1")) {
		tap_skip("no nft here");
		return;
	}
	own_link_run("nft add table ip kvloop && nft add chain ip kvloop in "
		     "'{ type filter hook input priority 0; }' && "
		     "nft add rule ip kvloop in udp dport %d drop", ROCE_PORT);
	tap_is(write_once(l), IBV_WC_RETRY_EXC_ERR, "a rule for local traffic holds at once");
	own_link_run("nft delete table ip kvloop");
}

int main(void)
{
	char before = shca_wire_forced();
	struct loop l;

	own_link_add("kvloop", "10.99.7.1/24", "");
	fixture_open(&l.f);
	if (shca_wire_counter("kvloop0", "wire_up") < 1) {
		tap_skip("the port of the wire is taken");
		goto out;
	}
	shca_wire_force('Y');
	l.cq = ibv_create_cq(l.f.ctx, 16, NULL, NULL, 0);
	if (!l.cq)
		tap_bail("create CQ");
	l.qp = fixture_qp(&l.f, l.cq, NULL, IBV_QPT_RC);
	fixture_connect(&l.f, l.qp, l.qp->qp_num);
	writes(&l, false, "nobody looks");
	captured(&l);
	writes(&l, false, "nobody looks any more");
	queued(&l);
	refused(&l);
	ibv_destroy_qp(l.qp);
	ibv_destroy_cq(l.cq);
	shca_wire_force(before);
out:
	fixture_close(&l.f);
	own_link_delete("kvloop");
	return tap_end();
}
