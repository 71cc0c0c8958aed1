// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fuzz_packet.c - packets into a live engine: valid ones by construction, then bent.
 *
 * An input is a list of acts.  Most build a packet for a service and opcode, with the numbers that
 * the addressed QP expects next, and then change some of its bytes, its length or its sender; the
 * others post work, so that there is something to acknowledge, to answer and to read.  No verdict
 * but the sanitizers', the engine's assertions and stage_finish()'s.
 */
#include "stage.h"
#include "packet.h"		/* the engine's: headers, */
#include "sender.h"		/* and numbers that a QP expects */

enum { ACTS = 24, LONGEST = 640, BTH = 12, CNP = 0x81 };

/* What the addressed QP expects next or, of responses, what is outstanding; mostly. */
static u32 any_psn(const struct eng_qp *qp, bool answer, u8 bits)
{
	u32 psn = answer ? eng_qp_slot(qp, qp->sq.una)->frame.psn : qp->resp.epsn;
	s32 off = (int8_t)bits;

	return (psn + (u32)(off / 8) * !(off & 4)) & ENG_PSN_MASK;
}

/* What it names of @e's memory: a region, or a key that work requests give a meaning. */
static void aim(struct eng_header *h, struct end *e, u8 bits)
{
	enum sim_area area = bits & 1 ? SIM_WORD : SIM_TARGET;

	h->va = e->mem.base + sim_memory_at(&e->mem, area, bits >> 1 & 3);
	h->rkey = bits & 0x30 ? stage_key(e, bits >> 4) : e->remote->eng.key;
	if (bits & 0x80)
		h->va -= e->mem.base + sim_memory_at(&e->mem, SIM_TARGET, 0);
}

/* A packet as @e expects it; its length. */
static u32 build(u8 *packet, struct end *e, struct stage_input *in)
{
	u8 op = stage_u8(in) % (ENG_PKT_OPS + 1);
	struct eng_header h = { .service = eng_sender_service(e->qp->eng), .op = op };
	const struct eng_packet_row *row = eng_packet_row((u8)(h.service << 5 | op));
	bool answer = row && row->flags & ENG_IS_ANSWER;
	u32 payload = row && row->flags & ENG_HAS_PAYLOAD ?
		      stage_u16(in) % (e->w->cfg.path_mtu + 3) : 0;
	u32 head, i;

	h.dma_length = stage_u8(in) & 1 ? payload : stage_u16(in);
	h.pad = (4 - payload % 4) % 4;
	h.dest_qpn = e->qp->qpn;
	h.psn = any_psn(e->qp->eng, answer, stage_u8(in));
	h.ack_req = stage_u8(in) & 0x80;
	if (row && row->flags & (ENG_HAS_RETH | ENG_HAS_ATOMIC))
		aim(&h, e, stage_u8(in));
	if (row && row->flags & ENG_HAS_INV)
		h.imm = stage_key(e, stage_u8(in));
	h.srqn = e->xsrq[h.psn & 1].eng.srqn;
	h.qkey = QKEY;
	h.src_qpn = 0x123;
	if (row && row->flags & ENG_HAS_AETH)
		h.syndrome = stage_u8(in) & 1 ? 0x1f : stage_u8(in);
	if (op == ENG_PKT_OPS)
		h.op = ENG_PKT_ACK;
	head = eng_packet_encode(&h, packet);
	if (op == ENG_PKT_OPS)
		packet[0] = CNP;
	for (i = 0; i < payload + h.pad; i++)
		packet[head + i] = (u8)(i < payload ? i : 0);
	return head + payload + h.pad;
}

/* Some bytes become others; the end moves. */
static u32 bend(u8 *packet, u32 length, struct stage_input *in)
{
	u32 kind = stage_u8(in), n, at;

	if (kind < 128)
		return length;
	for (n = kind & 7; n; n--) {
		at = stage_u8(in) % length;
		packet[at] ^= stage_u8(in);
	}
	if (kind & 8)
		length = stage_u16(in) % (length + 1);
	if (kind & 16)
		length += stage_u8(in) & 0x1c;
	return length;
}

static void send_packet(struct stage_input *in)
{
	static u8 packet[LONGEST + 64];
	struct end *e = stage_end(stage_u8(in));
	u32 from = e->peer->host->index, length;

	length = bend(packet, build(packet, e, in), in);
	if (stage_u8(in) > 240)
		from = !from;
	if (length < BTH)
		return;		/* the host's affair */
	sim_net_inject(&stage, from, e->host->index, packet, length);
}

static void change_state(struct end *e, u8 how)
{
	static const enum eng_qp_state states[] = { ENG_QPS_ERR, ENG_QPS_SQD, ENG_QPS_RTS };

	sim_qp_state(e->qp, states[how % 3]);
}

static void act(struct stage_input *in)
{
	u8 what = stage_u8(in);

	switch (what % 12) {
	case 0: case 1: case 2: case 3: case 4: case 5:
		send_packet(in);
		break;
	case 6: case 7:
		stage_post_send(stage_end(stage_u8(in)), in);
		break;
	case 8:
		stage_post_receive(stage_end(stage_u8(in)));
		break;
	case 9:
		stage_run(1u + stage_u8(in) % 8, false);
		break;
	case 10:
		stage_run(1u + stage_u8(in) % 8, true);
		break;
	default:
		change_state(stage_end(stage_u8(in)), stage_u8(in));
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct stage_input in = { data, size };
	u32 i;

	stage_begin();
	for (i = 0; i < ACTS && in.left; i++)
		act(&in);
	stage_finish();
	return 0;
}
