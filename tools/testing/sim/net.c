// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * net.c - carries packets between hosts and mistreats them as the run's configuration says.
 *
 * Called by the engine to transmit, by run.c when a packet arrives.  Every packet is a copy in
 * memory of its own, exactly as long as it is, so ASan sees who reads beyond it.  A damaged one is
 * thrown away as a host does whose ICRC check failed, after that check was really made.
 */
#include "sim.h"

enum { IPV4 = 20, IPV6 = 40, UDP = 8, BTH = 12, CONGESTION_BYTE = 4 };

struct sim_wire_packet {
	struct eng_packet eng;
	struct world *w;
	u32 from, to;		/* hosts */
	u32 src_qpn;
	bool dropped;		/* its connection is over */
	u32 net_bytes;
	u8 bytes[];		/* IP header, then BTH up to the pad */
};

void sim_net_init(struct world *w)
{
	sim_rng_seed(&w->net.rng, w->cfg.seed, 4);
}

static bool ipv4(const struct world *w)
{
	return w->cfg.seed & 8;
}

void sim_net_gid(const struct world *w, u32 host, u8 gid[16])
{
	memset(gid, 0, 16);
	if (ipv4(w)) {
		gid[10] = gid[11] = 0xff;
		gid[12] = 10;
	} else {
		gid[0] = 0xfd;
	}
	gid[15] = (u8)(host + 1);
}

void sim_net_group(const struct world *w, u8 gid[16])
{
	memset(gid, 0, 16);
	if (ipv4(w)) {
		gid[10] = gid[11] = 0xff;
		gid[12] = 239;
	} else {
		gid[0] = 0xff;
		gid[1] = 0x0e;
	}
	gid[15] = 77;
}

static void put_be16(u8 *at, u32 v)
{
	at[0] = (u8)(v >> 8);
	at[1] = (u8)v;
}

u32 sim_net_header(const struct world *w, u32 from, u32 to, u32 bytes, u8 *ip)
{
	u8 source[16], dest[16];

	sim_net_gid(w, from, source);
	if (to == SIM_NET_GROUP)
		sim_net_group(w, dest);
	else
		sim_net_gid(w, to, dest);
	if (ipv4(w)) {
		memset(ip, 0, IPV4);
		ip[0] = 0x45;
		put_be16(ip + 2, IPV4 + bytes);
		ip[8] = 64;
		ip[9] = 17;
		memcpy(ip + 12, source + 12, 4);
		memcpy(ip + 16, dest + 12, 4);
		return IPV4;
	}
	memset(ip, 0, IPV6);
	ip[0] = 0x60;
	put_be16(ip + 4, bytes);
	ip[6] = 17;
	ip[7] = 64;
	memcpy(ip + 8, source, 16);
	memcpy(ip + 24, dest, 16);
	return IPV6;
}

static void make_ip(struct sim_wire_packet *p, bool group)
{
	sim_net_header(p->w, p->from, group ? SIM_NET_GROUP : p->to,
		       UDP + p->eng.length + ENG_WIRE_ICRC, p->bytes);
}

static u8 *copy_payload(struct world *w, struct eng_tx *tx, u8 *at)
{
	u32 left = tx->payload_bytes, n;
	const u8 *from;

	for (; left; left -= n, at += n) {
		/* Odd pieces now and then: nothing says how a host walks. */
		n = eng_tx_next(tx, &from, sim_rng_one_in(&w->net.rng, 8) ?
				sim_rng_range(&w->net.rng, 1, left) : left);
		if (!n || n > left) {
			sim_fail(w, NULL, "the payload of a packet ends early");
			return at;
		}
		memcpy(at, from, n);
	}
	return at;
}

static struct sim_wire_packet *alloc_packet(struct world *w, u32 length)
{
	u32 net_bytes = ipv4(w) ? IPV4 : IPV6;
	struct sim_wire_packet *p = malloc(sizeof(*p) + net_bytes + length);

	if (!p)
		abort();
	memset(p, 0, sizeof(*p));
	w->net.alive++;
	p->w = w;
	p->net_bytes = net_bytes;
	p->eng.length = length;
	p->eng.net = p->bytes;
	p->eng.head = p->bytes + net_bytes;
	p->eng.head_bytes = length;
	/* As when the rest of a packet lies elsewhere. */
	if (length > ENG_WIRE_HEAD_MAX && sim_rng_one_in(&w->net.rng, 2))
		p->eng.head_bytes = sim_rng_range(&w->net.rng, ENG_WIRE_HEAD_MAX, length);
	return p;
}

static struct sim_wire_packet *make_packet(struct world *w, struct eng_tx *tx, u32 from)
{
	u32 length = tx->head_bytes + tx->payload_bytes + tx->pad;
	struct sim_wire_packet *p = alloc_packet(w, length);
	u8 *at = p->bytes + p->net_bytes;

	if (length % 4 || tx->head_bytes > ENG_WIRE_HEAD_MAX || tx->head_bytes < BTH)
		sim_fail(w, NULL, "a packet of impossible length");
	p->from = from;
	p->src_qpn = eng_qp_qpn(tx->qp);
	memcpy(at, tx->head, tx->head_bytes);
	at = copy_payload(w, tx, at + tx->head_bytes);
	memset(at, 0, tx->pad);
	return p;
}

static struct sim_wire_packet *copy_packet(const struct sim_wire_packet *p)
{
	struct sim_wire_packet *copy = alloc_packet(p->w, p->eng.length);

	copy->from = p->from;
	copy->to = p->to;
	copy->src_qpn = p->src_qpn;
	memcpy(copy->bytes, p->bytes, p->net_bytes + p->eng.length);
	return copy;
}

static u32 icrc(struct sim_wire_packet *p)
{
	static const u8 udp[UDP] = { 0xc0, 0x01, 0x12, 0xb7 };

	return eng_icrc_bth(eng_icrc_net(p->eng.net, udp), p->bytes + p->net_bytes, p->eng.length);
}

/* True: it is to be dropped. */
static bool damage(struct sim_wire_packet *p)
{
	struct sim_rng *rng = &p->w->net.rng;
	u32 before = icrc(p), flips = sim_rng_range(rng, 1, 3), i;
	bool seen = false;

	for (i = 0; i < flips; i++) {
		u32 at = sim_rng_below(rng, p->eng.length);

		p->bytes[p->net_bytes + at] ^= (u8)(1u << (i + sim_rng_below(rng, 2) * 3));
		seen |= at != CONGESTION_BYTE;
	}
	if (seen == (icrc(p) != before))
		return seen;
	/* Two flips may undo each other. */
	return flips == 1 ? sim_fail(p->w, NULL, "the ICRC does not see what it must"), true : true;
}

static void send_one(struct sim_wire_packet *p)
{
	struct world *w = p->w;
	struct sim_net *net = &w->net;
	const struct sim_config *cfg = &w->cfg;
	u64 *last = &net->last[p->from][p->to];
	u64 at = w->loop.now + cfg->latency_ns + sim_rng_below(&net->rng, cfg->jitter_ns);
	bool late = false;

	if (sim_has(cfg, SIM_REORDER) && sim_rng_ppm(&net->rng, cfg->reorder_ppm)) {
		at += sim_rng_below(&net->rng, 4 * cfg->latency_ns + 5000);
		late = true;
	}
	if (sim_has(cfg, SIM_DELAY) && sim_rng_ppm(&net->rng, cfg->delay_ppm)) {
		at += sim_rng_below(&net->rng, 10000000);
		late = true;
	}
	net->late += late;
	if (!late) {
		if (at <= *last)
			at = *last + 1;
		*last = at;
	}
	sim_loop_add(&w->loop, (struct sim_event){
		.at = at,
		.kind = SIM_EVENT_PACKET,
		.object = p,
	});
}

static bool lost(struct world *w, const struct sim_wire_packet *p)
{
	struct sim_net *net = &w->net;
	u32 bit = net->sent++ - w->cfg.mask_at;

	if (!w->host[p->from].dev.port_up || net->cut[p->from][p->to])
		return true;
	if (sim_has(&w->cfg, SIM_MASK) && bit < 64 && w->cfg.mask >> bit & 1)
		return true;
	return sim_has(&w->cfg, SIM_LOSS) && sim_rng_ppm(&net->rng, w->cfg.loss_ppm);
}

static void launch(struct sim_wire_packet *p)
{
	struct world *w = p->w;
	struct sim_net *net = &w->net;
	const u8 *bth = p->eng.head;

	sim_trace(w, "packet %u: host %u to %u, opcode %#x, QP %#x, PSN %#x, %u bytes%s",
		  net->sent, p->from, p->to, bth[0], bth[5] << 16 | bth[6] << 8 | bth[7],
		  bth[9] << 16 | bth[10] << 8 | bth[11], p->eng.length,
		  bth[8] & 0x80 ? ", asks" : "");
	if (lost(w, p)) {
		sim_trace(w, "  is lost");
		net->lost++;
		sim_net_drop(p);
		return;
	}
	if (sim_has(&w->cfg, SIM_DUP) && sim_rng_ppm(&net->rng, w->cfg.dup_ppm)) {
		net->doubled++;
		send_one(copy_packet(p));
	}
	if (sim_has(&w->cfg, SIM_CORRUPT) && sim_rng_ppm(&net->rng, w->cfg.corrupt_ppm)) {
		net->damaged++;
		if (damage(p)) {
			sim_net_drop(p);
			return;
		}
	}
	net->carried++;
	send_one(p);
}

/* No room: false, and somebody will say when there is some. */
static bool has_room(struct world *w, struct sim_host *host)
{
	struct sim_net *net = &w->net;

	if (net->full[host->index]) {
		net->refused++;
		return false;
	}
	if (!sim_has(&w->cfg, SIM_PRESSURE) || !sim_rng_one_in(&net->rng, 200))
		return true;
	net->full[host->index] = true;
	net->refused++;
	sim_loop_add(&w->loop, (struct sim_event){
		.at = w->loop.now + sim_rng_below(&net->rng, 50000),
		.kind = SIM_EVENT_ROOM,
		.object = host,
	});
	return false;
}

bool sim_net_transmit(struct eng_tx *tx)
{
	struct sim_qp *qp = eng_qp_host(tx->qp);
	struct sim_host *host = qp->host;
	struct world *w = host->world;
	const struct sim_ah *ah = tx->ah ? env_container(tx->ah, struct sim_ah, eng) : NULL;
	const struct end *e = qp->owner;
	struct sim_wire_packet *p;
	u32 i;

	if (!has_room(w, host))
		return false;
	p = make_packet(w, tx, host->index);
	if (!ah || !ah->eng.multicast) {
		p->to = ah ? ah->host : e->peer->host->index;
		make_ip(p, false);
		launch(p);
		return true;
	}
	make_ip(p, true);
	for (i = 0; i < w->cfg.hosts; i++) {
		p->to = i;
		launch(copy_packet(p));
	}
	sim_net_drop(p);
	return true;
}

void sim_net_transmit_end(struct eng_qp *qp, struct eng_runq *rq)
{
	(void)qp;
	(void)rq;
}

void sim_net_transmit_alone(struct eng_tx *tx, struct eng_runq *rq)
{
	(void)rq;
	sim_net_transmit(tx);
}

void sim_net_inject(struct world *w, u32 from, u32 to, const u8 *bytes, u32 length)
{
	struct sim_wire_packet *p = alloc_packet(w, length);

	p->from = from;
	p->to = to;
	memcpy(p->bytes + p->net_bytes, bytes, length);
	make_ip(p, false);
	sim_net_arrive(w, p);
}

u32 sim_net_packet_span(struct eng_packet *packet, u32 offset, const u8 **at)
{
	struct sim_wire_packet *p = env_container(packet, struct sim_wire_packet, eng);
	u32 left = packet->length - offset;

	assert(offset < packet->length);
	*at = packet->head + offset;
	return sim_rng_one_in(&p->w->net.rng, 4) ? sim_rng_range(&p->w->net.rng, 1, left) : left;
}

/* Every eighth host has no memory for it, and others are short of it with pressure. */
bool sim_net_packet_keep(struct eng_packet *packet)
{
	struct sim_wire_packet *p = env_container(packet, struct sim_wire_packet, eng);
	struct world *w = p->w;

	if ((w->cfg.seed >> 4) % 8 == p->to)
		return false;
	if (sim_has(&w->cfg, SIM_PRESSURE) && sim_rng_one_in(&w->net.rng, 20))
		return false;
	w->net.kept++;
	return true;
}

void sim_net_packet_done(struct eng_packet *packet)
{
	sim_net_drop(env_container(packet, struct sim_wire_packet, eng));
}

void sim_net_drop(struct sim_wire_packet *p)
{
	p->w->net.alive--;
	free(p);
}

void sim_net_arrive(struct world *w, struct sim_wire_packet *p)
{
	struct sim_host *host = &w->host[p->to];
	struct eng_runq rq;

	sim_trace(w, "host %u gets opcode %#x, PSN %#x%s", p->to, p->eng.head[0],
		  p->eng.head[9] << 16 | p->eng.head[10] << 8 | p->eng.head[11],
		  p->dropped ? ", too late" : "");
	if (p->dropped || !host->dev.port_up) {
		sim_net_drop(p);
		return;
	}
	if (sim_rng_one_in(&w->net.rng, 3)) {
		eng_wire_receive(&host->dev, NULL, &p->eng);
		return;
	}
	eng_runq_init(&rq);
	eng_wire_receive(&host->dev, &rq, &p->eng);
	eng_run(&rq);
}

void sim_net_room(struct world *w, struct sim_host *host)
{
	u32 i;

	w->net.full[host->index] = false;
	for (i = 0; i < w->ends; i++)
		if (w->end[i].host == host)
			eng_kick(NULL, w->end[i].qp->eng);
}

void sim_net_cut(struct world *w, u32 from, u32 to, bool cut)
{
	w->net.cut[from][to] = cut;
}

void sim_net_purge(struct world *w, u32 qpn)
{
	u32 i;

	for (i = 0; i < w->loop.count; i++) {
		struct sim_wire_packet *p = w->loop.heap[i].object;
		const u8 *bth;

		if (w->loop.heap[i].kind != SIM_EVENT_PACKET)
			continue;
		bth = p->eng.head;
		if (p->src_qpn == qpn || (bth[5] << 16 | bth[6] << 8 | bth[7]) == (int)qpn)
			p->dropped = true;
	}
}
