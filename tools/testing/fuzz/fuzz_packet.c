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
#include "types.h"		/* the engine's: numbers that a QP expects */

enum { ACTS = 24, LONGEST = 640, BTH = 12 };

/* Extended headers of an opcode of a reliable connection, in the order they come in. */
enum { RETH = 16, ATOMIC = 28, AETH = 4, ACK_VALUE = 8, IMM = 4, DETH = 8 };

struct shape {
	u8 opcode;
	u8 head;		/* bytes behind the BTH */
	bool reth, deth;
	bool payload, response;
};

static const struct shape shapes[] = {
	{ 0x00, 0, .payload = true }, { 0x01, 0, .payload = true },
	{ 0x02, 0, .payload = true }, { 0x03, IMM, .payload = true },
	{ 0x04, 0, .payload = true }, { 0x05, IMM, .payload = true },
	{ 0x06, RETH, .reth = true, .payload = true }, { 0x07, 0, .payload = true },
	{ 0x08, 0, .payload = true }, { 0x09, IMM, .payload = true },
	{ 0x0a, RETH, .reth = true, .payload = true },
	{ 0x0b, RETH + IMM, .reth = true, .payload = true },
	{ 0x0c, RETH, .reth = true },
	{ 0x0d, AETH, .payload = true, .response = true },
	{ 0x0e, 0, .payload = true, .response = true },
	{ 0x0f, AETH, .payload = true, .response = true },
	{ 0x10, AETH, .payload = true, .response = true },
	{ 0x11, AETH, .response = true },
	{ 0x12, AETH + ACK_VALUE, .response = true },
	{ 0x13, ATOMIC, .reth = true }, { 0x14, ATOMIC, .reth = true },
	{ 0x16, IMM, .payload = true }, { 0x17, IMM, .payload = true },
	{ 0x64, DETH, .deth = true, .payload = true },
	{ 0x65, DETH + IMM, .deth = true, .payload = true },
	{ 0x81, 16, .payload = false },
};

static void put_be(u8 *at, u64 value, u32 bytes)
{
	while (bytes--) {
		at[bytes] = (u8)value;
		value >>= 8;
	}
}

static u32 service(enum eng_qp_type type)
{
	return type == ENG_QPT_UC ? 0x20 : 0;
}

static void put_bth(u8 *bth, const struct end *e, const struct shape *shape,
		    struct stage_input *in)
{
	const struct eng_qp *qp = e->qp->eng;
	/* What is expected next, or, of responses, what is outstanding. */
	u32 psn = shape->response ? eng_qp_slot(qp, qp->sq.una)->frame.psn : qp->resp.epsn;
	s32 off = (int8_t)stage_u8(in);

	bth[0] = (u8)(shape->opcode < 0x20 ? shape->opcode | service(e->type) : shape->opcode);
	put_be(bth + 2, 0xffff, 2);
	put_be(bth + 4, e->qp->qpn, 4);
	put_be(bth + 8, psn + (u32)(off / 8) * !(off & 4), 4);
	bth[8] = stage_u8(in) & 0x80;
}

static void put_reth(u8 *at, const struct end *e, u32 length, struct stage_input *in)
{
	u32 area = stage_u8(in);

	put_be(at, e->mem.base + sim_memory_at(&e->mem, area & 1 ? SIM_WORD : SIM_TARGET,
					       area >> 1 & 3), 8);
	put_be(at + 8, e->remote->eng.key, 4);
	put_be(at + 12, length, 4);
}

/* A packet as @e expects it; its length. */
static u32 build(u8 *packet, struct end *e, struct stage_input *in)
{
	const struct shape *shape = &shapes[stage_u8(in) % (sizeof(shapes) / sizeof(*shapes))];
	u32 length = shape->payload ? stage_u16(in) % (e->w->cfg.path_mtu + 3) : 0;
	u32 message = stage_u8(in) & 1 ? length : stage_u16(in);
	u32 pad = (4 - length % 4) % 4, i;
	u8 *head = packet + BTH;

	memset(packet, 0, BTH + shape->head);
	put_bth(packet, e, shape, in);
	packet[1] = (u8)(0x40 | pad << 4);
	if (shape->reth)
		put_reth(head, e, message, in);
	if (shape->deth) {
		put_be(head, QKEY, 4);
		put_be(head + 4, 0x123, 4);
	}
	if (shape->response && shape->head)
		put_be(head, stage_u8(in) & 1 ? 0x1f000000 : (u32)stage_u8(in) << 24, 4);
	for (i = 0; i < length + pad; i++)
		packet[BTH + shape->head + i] = (u8)(i < length ? i : 0);
	return BTH + shape->head + length + pad;
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

	memset(packet, 0xee, sizeof(packet));
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
