/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * cable_pair.h - the scene of the wire's tests: two hosts, a QP and a region on each.
 */
#ifndef UNIT_CABLE_PAIR_H
#define UNIT_CABLE_PAIR_H

#include "cable.h"
#include "pair.h"

enum { BAD_RESP = 7 };

/* Opcodes of packets: service in the upper three bits, IBTA vol. 1, 9.2. */
enum {
	SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_ONLY, SEND_ONLY_IMM,
	WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM, WRITE_ONLY, WRITE_ONLY_IMM,
	READ_REQ, RESP_FIRST, RESP_MIDDLE, RESP_LAST, RESP_ONLY, ACK, ATOMIC_ACK, CMP_SWAP,
	FETCH_ADD, SEND_LAST_INV = 0x16, SEND_ONLY_INV = 0x17, ON_UC = 0x20, ON_UD = 0x60,
};

/* Syndromes with the credits left out. */
enum { SYN_ACK = 0, SYN_RNR = 0x20, SYN_NAK_SEQ = 0x60, SYN_NAK_INV, SYN_NAK_ACCESS, SYN_NAK_OP };

struct wpair {
	struct host ahost, bhost;
	struct host_cq acq, bcq;
	struct host_qp a, b;
	struct host_mr amr, bmr;
};

static inline void wpair_make(struct wpair *p, enum eng_qp_type type)
{
	struct host_qp_init init = {
		.type = type, .sq = 64, .rq = 64, .send_sge = 4, .recv_sge = 4, .max_inline = 256,
	};

	cable_init();
	host_now = 1;
	host_init(&p->ahost);
	host_init(&p->bhost);
	p->bhost.next_qpn = 0x200;
	cable_host(&p->ahost, 1, false);
	cable_host(&p->bhost, 2, false);
	host_cq_init(&p->ahost, &p->acq, 256);
	host_cq_init(&p->bhost, &p->bcq, 256);
	host_mr_init(&p->ahost, &p->amr, PAIR_MR, ALL_ACCESS);
	host_mr_init(&p->bhost, &p->bmr, PAIR_MR, ALL_ACCESS);
	init.scq = init.rcq = &p->acq;
	host_qp_init(&p->ahost, &p->a, &init);
	init.scq = init.rcq = &p->bcq;
	host_qp_init(&p->bhost, &p->b, &init);
}

static inline void wpair_init(struct wpair *p)
{
	wpair_make(p, ENG_QPT_RC);
	cable_connect(&p->a, &p->b);
}

static inline void wpair_fini(struct wpair *p)
{
	host_qp_fini(&p->a);
	host_qp_fini(&p->b);
	cable_init();
	host_mr_fini(&p->amr);
	host_mr_fini(&p->bmr);
	host_cq_fini(&p->acq);
	host_cq_fini(&p->bcq);
	host_fini(&p->ahost);
	host_fini(&p->bhost);
}

static inline void wpair_modify(struct host_qp *qp, struct eng_qp_attr attr, u32 mask)
{
	eng_qp_modify(qp->eng, &attr, mask);
}

static inline struct host_wr wpair_wr(struct wpair *p, u8 opcode, u64 wr_id, u32 length)
{
	return wr_between(&p->amr, &p->bmr, opcode, wr_id, length);
}

static inline void wpair_recv(struct wpair *p, u64 wr_id, u32 offset, u32 length)
{
	host_recv(&p->b, wr_id, host_mr_addr(&p->bmr, offset), length, p->bmr.eng.key);
}

static inline u32 first_psn(const struct host_qp *qp)
{
	return qp->qpn * 7919 & 0xffffff;
}

/* Is the oldest packet on the wire this one? */
static inline bool next_is(u8 opcode, u32 psn, u32 length)
{
	const struct cable_packet *p = cable_peek(0);

	if (p && p->bytes[0] == opcode && cable_psn(p) == (psn & 0xffffff) && p->length == length)
		return true;
	if (p)
		printf("# opcode %#x psn %#x length %u, not %#x %#x %u\n", p->bytes[0],
		       cable_psn(p), p->length, opcode, psn & 0xffffff, length);
	else
		printf("# nothing, not opcode %#x psn %#x\n", opcode, psn & 0xffffff);
	return false;
}

/* Is it an acknowledge with this syndrome? */
static inline bool next_acks(u32 psn, u32 syndrome)
{
	const struct cable_packet *p = cable_peek(0);
	u32 value;

	if (!next_is(ACK, psn, 16))
		return false;
	value = p->bytes[12];
	if (!(value & 0x60))
		value = SYN_ACK;
	if (value != syndrome)
		printf("# syndrome %#x\n", p->bytes[12]);
	return value == syndrome;
}

#define EXPECT(opcode, psn, length) do { \
	CHECK(next_is(opcode, psn, length)); \
	cable_deliver(); \
} while (0)

#define EXPECT_ACK(psn, syndrome) do { \
	CHECK(next_acks(psn, syndrome)); \
	cable_deliver(); \
} while (0)

#define EXPECT_NOTHING() CHECK_EQ(cable_waiting(), 0)

#endif
