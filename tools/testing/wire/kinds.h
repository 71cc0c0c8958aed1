/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One program at both ends of a wire, of which one makes each kind of request once, and the other
 * one sees what came of it. kinds.c has the story, kinds_end.c makes and connects the objects.
 */
#ifndef WIRE_KINDS_H
#define WIRE_KINDS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define KINDS_SLOT	8192	/* bytes of buffer for each step */
#define KINDS_STEPS	24
#define KINDS_WINDOWS	2
#define KINDS_GRH	40	/* bytes before a datagram */
#define KINDS_TRIES	10000	/* naps, for what has to come; a guest may be slow */
#define KINDS_QKEY	0x11111111u
#define KINDS_PSN	0xfffffe /* it wraps on the way */

/* What the ends tell one another; both are of one architecture. */
struct kinds_name {
	uint32_t qpn;
	uint32_t srqn;
	uint32_t rkey;
	uint32_t windows[KINDS_WINDOWS];
	uint64_t addr;
	union ibv_gid gid;
};

struct kinds_end {
	const char *device;
	int gid_index;
	int port;
	const char *host;	/* NULL: the end that answers */
	enum ibv_qp_type type;	/* of the end that asks */

	int peer;		/* TCP */
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint8_t *buf;
	struct ibv_cq *cq;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	struct ibv_mw *mw[KINDS_WINDOWS];
	struct kinds_name mine, other;
};

__attribute__((format(printf, 1, 2), noreturn))
void kinds_die(const char *format, ...);

/* Whole messages, or the end of the program. */
void kinds_tell(struct kinds_end *end, const void *data, size_t bytes);
void kinds_hear(struct kinds_end *end, void *data, size_t bytes);

/* Up to connected queue pairs; receives are posted in between, by @post_receives. */
void kinds_connect(struct kinds_end *end, void (*post_receives)(struct kinds_end *end));
void kinds_close(struct kinds_end *end);

/* The next completion; false: none came in time. */
bool kinds_completion(struct kinds_end *end, struct ibv_wc *wc);
void kinds_nap(void);

#endif
