/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pair.h - the scene of most tests: two connected QPs on one device, a region on each side.
 */
#ifndef UNIT_PAIR_H
#define UNIT_PAIR_H

#include "host.h"

enum {
	PAIR_MR = 256 * 1024,
	ALL_ACCESS = ENG_ACCESS_LOCAL_WRITE | ENG_ACCESS_REMOTE_WRITE | ENG_ACCESS_REMOTE_READ |
		     ENG_ACCESS_REMOTE_ATOMIC,
};

/* Values of enum ibv_wc_status, named as in verbs. */
enum {
	OK = 0, LOC_LEN = 1, LOC_QP_OP = 2, LOC_PROT = 4, FLUSH = 5, BIND_ERR = 6, REM_INV = 9,
	REM_ACCESS = 10, REM_OP = 11, RETRY_EXC = 12, RNR_EXC = 13,
};

struct pair {
	struct host host;
	struct host_cq acq, bcq;	/* one for both queues of each side */
	struct host_qp a, b;
	struct host_mr amr, bmr;
};

static inline void pair_init_as(struct pair *p, const struct host_qp_init *with)
{
	struct host_qp_init init = *with;

	host_init(&p->host);
	host_cq_init(&p->host, &p->acq, 256);
	host_cq_init(&p->host, &p->bcq, 256);
	host_mr_init(&p->host, &p->amr, PAIR_MR, ALL_ACCESS);
	host_mr_init(&p->host, &p->bmr, PAIR_MR, ALL_ACCESS);
	init.scq = init.rcq = &p->acq;
	host_qp_init(&p->host, &p->a, &init);
	init.scq = init.rcq = &p->bcq;
	host_qp_init(&p->host, &p->b, &init);
}

static inline void pair_init(struct pair *p)
{
	struct host_qp_init init = {
		.type = ENG_QPT_RC, .sq = 64, .rq = 64, .send_sge = 4, .recv_sge = 4,
		.max_inline = 256,
	};

	pair_init_as(p, &init);
	host_connect(&p->a, &p->b);
}

static inline void pair_fini(struct pair *p)
{
	host_qp_fini(&p->a);
	host_qp_fini(&p->b);
	host_mr_fini(&p->amr);
	host_mr_fini(&p->bmr);
	host_cq_fini(&p->acq);
	host_cq_fini(&p->bcq);
	host_fini(&p->host);
}

/* A request with one SGE at the start of one region, to the start of the other. */
static inline struct host_wr wr_between(const struct host_mr *from, const struct host_mr *to,
					u8 opcode, u64 wr_id, u32 length)
{
	struct host_wr wr = {
		.wr_id = wr_id,
		.opcode = opcode,
		.flags = SHCA_SEND_SIGNALED,
		.addr = (const void *)(unsigned long)host_mr_addr(from, 0),
		.length = length,
		.lkey = from->eng.key,
		.raddr = host_mr_addr(to, 0),
		.rkey = to->eng.key,
	};

	return wr;
}

/* A request of A's, from its region to B's. */
static inline struct host_wr pair_wr(struct pair *p, u8 opcode, u64 wr_id, u32 length)
{
	return wr_between(&p->amr, &p->bmr, opcode, wr_id, length);
}

static inline void pair_recv(struct pair *p, u64 wr_id, u32 offset, u32 length)
{
	host_recv(&p->b, wr_id, host_mr_addr(&p->bmr, offset), length, p->bmr.eng.key);
}

/* The next completion: its status, or 255 when there is none or the wr_id is another. */
static inline u32 pair_status(struct host_cq *cq, u64 wr_id)
{
	struct shca_cqe wc;

	if (!host_poll(cq, &wc) || wc.wr_id != wr_id)
		return 255;
	return wc.status;
}

#endif
