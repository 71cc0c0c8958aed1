/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * cable.h - a wire for the engine's unit tests: packets lie on it until the test says what becomes
 * of them.
 *
 * Each host has one address.  What leaves is put in order of sending; the test delivers, drops,
 * repeats or holds back single packets, or has all of it run by a script.  Memory of a delivered
 * packet is exactly as long as the packet, so ASan sees every look beyond it.
 */
#ifndef UNIT_CABLE_H
#define UNIT_CABLE_H

#include "host.h"

enum { CABLE_BYTES = 64 + 4096 + 4, CABLE_QUEUE = 4096 };

struct cable_packet {
	u32 number;			/* since cable_init() */
	u32 length;			/* from BTH on, without ICRC */
	u8 src[16], dst[16];		/* GIDs */
	u8 bytes[CABLE_BYTES];
};

/* What happens to the packet of one number. */
enum cable_fate { CABLE_GOOD, CABLE_LOST, CABLE_TWICE, CABLE_LATE };

struct cable_script {
	u32 number;
	enum cable_fate fate;
};

/* No packets, no script; hosts are told by cable_host() afterwards. */
void cable_init(void);
/* @host takes part, as fd00::@id or, with @ipv4, ::ffff:10.0.0.@id. */
void cable_host(struct host *host, u8 id, bool ipv4);
void cable_gid(const struct host *host, u8 gid[16]);
/* RESET to RTS on the wire with usual attributes, both ways. */
void cable_connect(struct host_qp *a, struct host_qp *b);
/* An address handle of @from's for @to. */
void cable_ah(struct host *from, struct host *to, struct eng_ah *ah, u32 ahn);

/* How many packets lie on the wire, and the one at @index; NULL beyond. */
u32 cable_waiting(void);
const struct cable_packet *cable_peek(u32 index);
/* While held, what is delivered waits in its QP; false runs all of it. */
void cable_hold(bool hold);
/* Takes the oldest packet off the wire and delivers it, or not. */
void cable_deliver(void);
void cable_drop(void);
/* Delivers a copy of @packet. */
void cable_inject(const struct cable_packet *packet);
/* The same to one host, whatever it is addressed to. */
void cable_give(struct host *host, const struct cable_packet *packet);
/* Delivers everything, by the script, until nothing moves; how many packets that were. */
u32 cable_run(void);
void cable_set_script(struct cable_script script);
/* Time passes until the next deadline of one of the QPs; false: there is none. */
bool cable_tick(void);
/* Alternates both until @cq has an entry, which it polls; false: that never happens. */
bool cable_wait(struct host_cq *cq, struct shca_cqe *wc);
/* With @room packets the host is full; cable_make_room() kicks whoever was refused. */
void cable_limit(u32 room);
void cable_make_room(void);
/* Whether hosts let the engine keep packets whose turn it is not (they do after cable_init()). */
void cable_keep(bool keep);
/* Packets in the hands of engines. */
u32 cable_alive(void);
/* Packets sent since cable_init(). */
u32 cable_sent(void);
/* Called once per series, whatever the QP. */
u32 cable_series(void);
/* Drops on arrival by reason, of @host. */
u64 cable_count(struct host *host, enum eng_counter which);

/* Fields, read by bytes. */
u32 cable_be(const u8 *at, u32 bytes);
u32 cable_psn(const struct cable_packet *p);
u32 cable_qpn(const struct cable_packet *p);
bool cable_ack_req(const struct cable_packet *p);

/* For ops of host.c. */
bool cable_transmit(struct eng_tx *tx);
void cable_transmit_end(struct eng_qp *qp, struct eng_runq *rq);
void cable_transmit_alone(struct eng_tx *tx, struct eng_runq *rq);
u32 cable_span(struct eng_packet *packet, u32 offset, const u8 **at);
bool cable_packet_keep(struct eng_packet *packet);
void cable_packet_done(struct eng_packet *packet);

#endif
