/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * limits.h - every bound of the engine that is not part of its face.
 *
 * Read by all rooms; knows none of them.
 */
#ifndef ENG_LIMITS_H
#define ENG_LIMITS_H

enum eng_limits {
	/* WQEs in flight per QP: as many slots as fit the bytes, a power of two in [min, max]. */
	ENG_WINDOW_BYTES	= 4096,
	ENG_WINDOW_MIN		= 4,
	ENG_WINDOW_MAX		= 32,
	/* The same for a reliable QP whose answers come over the wire: they take their time. */
	ENG_WIDE_BYTES		= 32768,
	ENG_WIDE_MAX		= 128,
	/* Frames handled in one step before the QP goes to the tail of the run queue. */
	ENG_STEP_FRAMES		= 64,
	/* Room in front of a datagram's payload (IBTA vol. 1, 11.4.2.1: GRH of UD receives). */
	ENG_GRH_BYTES		= 40,
	ENG_PATH_MTU_MAX	= 4096,
	/* Value of rnr_retry that means "for ever" (IBTA vol. 1, 9.7.5.2.8). */
	ENG_RNR_ENDLESS		= 7,
	ENG_PSN_MASK		= 0xffffff,
	/* First gap between two looks for a receive while an RNR timer runs; doubles each time. */
	ENG_PROBE_FIRST_NS	= 20 * 1000,
	/*
	 * Packets in flight per QP: never fewer than min, never more than max.  It begins with the
	 * third, grows by what is acknowledged until something is lost and by one for each window
	 * after that, and a loss takes an eighth of it (Documentation/wire.md).
	 */
	ENG_SEND_WINDOW_MIN	= 32,
	ENG_SEND_WINDOW_MAX	= 256,
	ENG_SEND_WINDOW_FIRST	= 64,
	/* An acknowledge is asked for at least this often, in packets; a power of two. */
	ENG_ACK_EVERY		= 16,
	/* Packets that one READ request asks for: READ_TOTAL over max_rd_atomic, within bounds. */
	ENG_READ_MIN		= 32,
	ENG_READ_TOTAL		= 128,
	/* First wait for an acknowledge before the round trip time is known, and the least one. */
	ENG_PROBE_UNKNOWN_NS	= 10 * 1000 * 1000,
	ENG_PROBE_LEAST_NS	= 50 * 1000,
	/* How much later than that the timer may look when it found nothing missing so far. */
	ENG_PROBE_LATE_NS	= 2 * 1000 * 1000,
	/* With timeout code 0 nothing is ever given up; a lost frame is sent again this late. */
	ENG_RESEND_IDLE_NS	= 100 * 1000 * 1000,
};

/* Largest message, in bytes (IBTA vol. 1, 9.7: messages of at most 2^31 bytes). */
#define ENG_MESSAGE_MAX		(1u << 31)

#endif
