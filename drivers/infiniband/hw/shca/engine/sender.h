/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * sender.h - requests as packets.
 */
#ifndef ENG_SENDER_H
#define ENG_SENDER_H

#include "packet.h"
#include "psn.h"
#include "types.h"

/* May a packet of this slot, which is next, go out now? */
ENG_PRIVATE bool eng_sender_may(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot);
/* Sends packets of slot nxt, whose payload is resolved.  True: that was the last one of it. */
ENG_PRIVATE bool eng_sender_emit(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot);
/* Sends a datagram, which is resolved.  False: no room, try again when kicked. */
ENG_PRIVATE bool eng_sender_datagram(struct eng_qp *qp, struct eng_runq *rq, struct eng_slot *slot);
/* Sends packet @done of @slot, which is resolved, again; how many PSNs that takes.  0: no room. */
ENG_PRIVATE u32 eng_sender_again(struct eng_qp *qp, struct eng_slot *slot, u32 done);
/* The wire becomes the link: nothing is known of it. */
ENG_PRIVATE void eng_sender_start(struct eng_qp *qp);
/* Gives a request its number among all of this QP, as the peer's MSN counts them. */
ENG_PRIVATE void eng_sender_number(struct eng_qp *qp, struct eng_slot *slot);
/* False: the port is down, as a cable that is out, so what is sent is lost, and counted. */
ENG_PRIVATE bool eng_sender_cable(struct eng_qp *qp);
/* Hands one packet to the host and counts it. */
ENG_PRIVATE bool eng_sender_transmit(struct eng_qp *qp, struct eng_tx *tx);

/* Whose opcodes the packets of a queue pair carry, in both directions. */
static inline u8 eng_sender_service(const struct eng_qp *qp)
{
	static const u8 services[] = {
		[ENG_QPT_RC] = ENG_SERVICE_RC,
		[ENG_QPT_UC] = ENG_SERVICE_UC,
		[ENG_QPT_UD] = ENG_SERVICE_UD,
	};

	return qp->xrc ? ENG_SERVICE_XRC : services[qp->type];
}

/* PSN of the first packet of slot @index that is not yet among @done ones. */
static inline u32 eng_sender_psn(const struct eng_qp *qp, u32 index, u32 done)
{
	if (index == qp->sq.tail)
		return qp->sq.psn;
	return eng_psn_add(eng_qp_slot(qp, index)->frame.psn, done);
}

static inline u32 eng_sender_una(const struct eng_qp *qp)
{
	return eng_sender_psn(qp, qp->sq.una, qp->sq.una_done);
}

static inline u32 eng_sender_nxt(const struct eng_qp *qp)
{
	return eng_sender_psn(qp, qp->sq.nxt, qp->sq.nxt_done);
}

/* Packets, or responses, that are on their way as far as we know. */
static inline u32 eng_sender_in_flight(const struct eng_qp *qp)
{
	return (eng_sender_nxt(qp) - eng_sender_una(qp)) & ENG_PSN_MASK;
}

/*
 * How many that may be.  While a gap is repaired what follows it leaves the wire, but is not
 * acknowledged; and nothing follows while it is not known whether it would be of use.
 */
static inline u32 eng_sender_window(const struct eng_qp *qp)
{
	const struct eng_sender *out = &qp->wire.out;

	if (env_likely(!out->repairing && !out->early.first))
		return out->window;
	if (out->repairing && out->far == ENG_FAR_UNKNOWN)
		return 0;
	return out->window < ENG_SEND_WINDOW_MAX / 4 ? 4 * out->window : ENG_SEND_WINDOW_MAX;
}

/* Takes the cost of @bytes of payload from what the run may still do. */
static inline void eng_sender_charge(struct eng_runq *rq, u32 bytes)
{
	bytes += ENG_WIRE_HEAD_MAX;
	rq->bytes_left -= bytes < rq->bytes_left ? bytes : rq->bytes_left;
}

/* Packets that one READ request of this QP asks for: a power of two. */
static inline u32 eng_sender_read_packets(const struct eng_qp *qp)
{
	u32 n = ENG_READ_TOTAL;

	while (n > ENG_READ_MIN && n * qp->attr.max_rd_atomic > ENG_READ_TOTAL)
		n /= 2;
	return n;
}

#endif
