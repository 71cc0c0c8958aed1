/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * wire.h - the border that RoCEv2 packets cross, in both directions.
 *
 * Part of engine.h.  The engine writes and reads what stands between the UDP header and the ICRC;
 * addresses, IP, UDP, ICRC, batches and sockets are the host's.  A packet of a connected QP goes
 * the way that the host keeps for that QP, a datagram the way of its address handle.
 */
#ifndef ENG_WIRE_H
#define ENG_WIRE_H

#include <shca_env.h>
#include "item.h"
#include "segment.h"

struct eng_ah;
struct eng_dev;
struct eng_qp;
struct eng_runq;

enum eng_wire_limits {
	ENG_WIRE_UDP_PORT	= 4791,		/* IBTA annex A17.4.4 */
	/* Longest headers: BTH, and DETH with XRCETH or AtomicETH behind it, rounded up. */
	ENG_WIRE_HEAD_MAX	= 64,
	/* Packets that wait for one QP; what comes on top of that is dropped. */
	ENG_WIRE_INBOX		= 512,
	/* Bytes of the ICRC behind every packet, which the engine never sees. */
	ENG_WIRE_ICRC		= 4,
};

/*
 * A packet on its way out, valid during ops->transmit() only: head, payload, then @pad zeros and
 * the ICRC, which the host adds.
 */
struct eng_tx {
	struct eng_qp *qp;
	struct eng_ah *ah;		/* of a datagram; NULL: the way of @qp */
	u32 head_bytes;			/* BTH and extended headers */
	u32 payload_bytes;
	u32 pad;			/* 0..3, so that payload and pad fill words */
	bool pinned;			/* payload lies in registered memory, else copy it now */
	bool control;			/* small: acknowledge, NAK, request without payload */
	struct eng_cursor payload;	/* for eng_tx_next() */
	u8 head[ENG_WIRE_HEAD_MAX];
};

/*
 * The next contiguous piece of the payload: its bytes (at most @max) and, in @at, where they are.
 * Pieces add up to payload_bytes.  A second walk begins with a copy of tx->payload.
 */
u32 eng_tx_next(struct eng_tx *tx, const u8 **at, u32 max);

/*
 * A packet that arrived.  The host embeds it, fills it after it has checked lengths of IP and UDP
 * and the ICRC, and gets it back by ops->packet_done().
 */
struct eng_packet {
	struct eng_item item;		/* the engine's; first */
	const u8 *net;			/* IPv4 or IPv6 header; its first four bits tell which */
	const u8 *head;			/* BTH */
	u32 head_bytes;			/* contiguous: all, or at least ENG_WIRE_HEAD_MAX */
	u32 length;			/* bytes from BTH on, without ICRC */
	u32 qpn;			/* the engine's: whom it visits */
	u32 psn;			/* likewise, while it is held: see hold.c */
	bool held;
};

static inline struct eng_packet *eng_item_packet(struct eng_item *item)
{
	return env_container(item, struct eng_packet, item);
}

/*
 * Takes @packet to the QP that it names, or drops it.  Task context, since the members of a group
 * are under a lock that is taken there only.  @rq as for eng_kick(); many packets may be taken
 * before one eng_run().
 */
void eng_wire_receive(struct eng_dev *dev, struct eng_runq *rq, struct eng_packet *packet);

/*
 * The invariant CRC (not inverted), variant fields masked (IBTA annex A17.3.3).  The first is that
 * over eight bytes of ones, @net (a header without options) and the 8 bytes of @udp.  The second
 * goes on from @crc over @bytes that begin with a BTH, which nobody else may look at meanwhile.
 * Continue with env_crc32() or the like over the rest up to and with the pad; the ICRC is the
 * inverse, least significant byte first.
 */
u32 eng_icrc_net(const u8 *net, const u8 *udp);
u32 eng_icrc_bth(u32 crc, u8 *bth, u32 bytes);

/* Name of a counter, as `rdma statistic` shows it. */
const char *eng_counter_name(u32 which);

#endif
