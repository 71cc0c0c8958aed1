/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * stream.h - what a queue pair remembers for its packets.
 *
 * Part of types.h, apart for its length.
 */
#ifndef ENG_STREAM_H
#define ENG_STREAM_H

#include "frame.h"
#include "wire.h"

/* What the far end does with packets behind a gap: see repair.c. */
enum eng_far { ENG_FAR_UNKNOWN, ENG_FAR_KEEPS, ENG_FAR_DROPS };

/* The requester's half.  All times in ns. */
struct eng_sender {
	struct eng_list early;	/* responses behind one that is missing: see hold.c */
	u32 max_psn;		/* behind the last packet ever sent */
	u32 window, grow;	/* packets in flight, and acknowledged ones towards one more */
	bool lost;		/* something was, since the link was chosen */
	u32 limit;		/* last message that has a credit, by MSN; see limited */
	u32 sample_psn;		/* whose acknowledge ends the sample, while sample_at is set */
	u32 recovered_psn;	/* oldest packet at the last recovery, at recovered_at */
	u32 backoff;		/* probes since the last progress */
	u32 quiet;		/* times in a row that the timer found nothing to do */
	u64 sample_at;
	u64 rtt, rtt_var;	/* 0: not known yet */
	u64 rtt_least;
	u64 ack_end;		/* the local ACK timeout */
	u64 probe_at;
	u64 recovered_at;
	bool limited;		/* the peer counts credits */
	bool uncounted;		/* which would mean nothing to us */
	bool probing;		/* a probe is not answered yet */
	bool suspect;		/* it was, and not all of what is in flight: is the rest lost? */
	bool asking;		/* responses were missing since it was sent from una on */
	bool pieced;		/* and some were asked for singly */
	u32 asked_end, ask_end;	/* up to here all were, and will be */
	u32 acked;		/* requests before it are done, though responses may be missing */
	u8 far;			/* enum eng_far */
	bool repairing;		/* packets are sent again, and it was not heard yet what that did */
	u32 repair_from, repair_nxt, repair_end;	/* of these, from nxt on they will be */
	u32 repair_run;		/* how many they are */
};

/* The responder's half: the message that is arriving. */
struct eng_arriving {
	u32 gap_psn;		/* of the last packet out of sequence */
	u32 offset;		/* bytes that are here */
	u32 dma_length;		/* WRITE: of the whole message */
	u32 rkey;
	u64 va;
	u32 src_qpn;		/* DETH of the datagram at hand */
	u32 sent;		/* packets of the READ being answered */
	u8 op;			/* enum eng_op */
	bool open;		/* between its first and its last packet */
	bool ack_owed;
	struct eng_frame frame;	/* the request at hand, decoded */
	const struct eng_packet *packet;	/* it came with; of datagrams */
};

struct eng_stream {
	struct eng_list in;	/* taken from packet_inbox */
	struct eng_list early;	/* requests behind one that is missing */
	struct eng_sender out;
	struct eng_arriving arriving;
	u64 now;		/* of this step, once asked for; else 0 */
	bool blocked;		/* the host has no room */
	bool sent;		/* this step handed packets to the host */
	bool starved;		/* the budget ended before the packets did */
};

#endif
