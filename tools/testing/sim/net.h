/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * net.h - the network between the hosts, and what it does to packets.
 */
#ifndef SIM_NET_H
#define SIM_NET_H

#include "rng.h"

struct eng_ah;
struct eng_packet;
struct eng_tx;
struct eng_qp;
struct eng_runq;
struct sim_host;
struct sim_wire_packet;
struct world;

enum { SIM_NET_HOSTS = 4, SIM_NET_GROUP = 255 };

struct sim_net {
	struct sim_rng rng;
	u32 sent;			/* packets so far: the number that the mask counts */
	long alive;			/* on their way, or in the engine's hands */
	u64 last[SIM_NET_HOSTS][SIM_NET_HOSTS];	/* when the latest one arrives */
	bool cut[SIM_NET_HOSTS][SIM_NET_HOSTS];
	bool full[SIM_NET_HOSTS];	/* the netdev takes nothing */
	u64 epoch;			/* packets of before are thrown away: see sim_net_purge */
	u64 lost, doubled, late, damaged, refused, carried, kept;
};

void sim_net_init(struct world *w);
/* Host operations, see wire.h of the engine. */
bool sim_net_transmit(struct eng_tx *tx);
void sim_net_transmit_end(struct eng_qp *qp, struct eng_runq *rq);
void sim_net_transmit_alone(struct eng_tx *tx, struct eng_runq *rq);
u32 sim_net_packet_span(struct eng_packet *packet, u32 offset, const u8 **at);
bool sim_net_packet_keep(struct eng_packet *packet);
void sim_net_packet_done(struct eng_packet *packet);

/* Events. */
void sim_net_arrive(struct world *w, struct sim_wire_packet *packet);
void sim_net_drop(struct sim_wire_packet *packet);
void sim_net_room(struct world *w, struct sim_host *host);
void sim_net_cut(struct world *w, u32 from, u32 to, bool cut);
/* A connection ends: what is on the way to or from @qpn will not arrive any more. */
void sim_net_purge(struct world *w, u32 qpn);
/* A packet of anybody's making: @length bytes from BTH on, as if host @from had sent it. */
void sim_net_inject(struct world *w, u32 from, u32 to, const u8 *bytes, u32 length);
/* The address of a host. */
void sim_net_gid(const struct world *w, u32 host, u8 gid[16]);
void sim_net_group(const struct world *w, u8 gid[16]);
/* The IP header, without checksum, of @bytes to a host or SIM_NET_GROUP; its own length. */
u32 sim_net_header(const struct world *w, u32 from, u32 to, u32 bytes, u8 *ip);

#endif
