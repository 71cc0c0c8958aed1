// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wqe.c - what the decoder makes of ring entries, good and absurd.
 */
#include "cq.h"
#include "pair.h"
#include "tap.h"
#include "wqe.h"

enum { ENTRY = 1024 };

/* An entry as a process would write it, and the slot that it becomes. */
struct scene {
	struct pair p;
	u8 entry[ENTRY] __attribute__((aligned(64)));
	u8 slot[4096] __attribute__((aligned(64)));
};

static void scene_init(struct scene *s, enum eng_qp_type type)
{
	struct host_qp_init init = {
		.type = type, .sq = 16, .rq = 16, .send_sge = 4, .recv_sge = 1, .max_inline = 100,
	};

	pair_init_as(&s->p, &init);
	if (type == ENG_QPT_UD)
		host_ud_ready(&s->p.a, 0x1234);
	else
		host_connect(&s->p.a, &s->p.b);
	memset(s->entry, 0, sizeof(s->entry));
}

static struct eng_slot *decode(struct scene *s, struct shca_send_wqe head)
{
	struct eng_slot *slot = (struct eng_slot *)s->slot;

	memset(s->slot, 0xa5, sizeof(s->slot));
	memcpy(s->entry, &head, sizeof(head));
	eng_wqe_decode(s->p.a.eng, slot, s->entry);
	return slot;
}

static void put_sges(struct scene *s, u32 offset, u32 count, u32 length)
{
	u32 i;

	for (i = 0; i < count; i++) {
		struct shca_sge sge = { 0x1000 * (i + 1), length, i };

		memcpy(s->entry + SHCA_SEND_WQE_HEAD + offset + i * sizeof(sge), &sge,
		       sizeof(sge));
	}
}

/* Fields arrive where they belong; PSNs count packets of the path MTU. */
static void test_fields(void)
{
	struct eng_slot *slot;
	struct scene s;
	u32 psn;

	scene_init(&s, ENG_QPT_RC);
	psn = s.p.a.eng->sq.psn;
	put_sges(&s, 0, 3, 1000);
	slot = decode(&s, (struct shca_send_wqe){
		.wr_id = 77, .opcode = 1, .flags = SHCA_SEND_SIGNALED | SHCA_SEND_FENCE, .count = 3,
		.ex = 0x01020304, .remote = { .addr = 0xabc, .rkey = 0xdef } });
	CHECK_EQ(slot->status, ENG_WC_SUCCESS);
	CHECK_EQ(slot->wr_id, 77);
	CHECK_EQ(slot->flags, ENG_SLOT_SIGNALED | ENG_SLOT_FENCE);
	CHECK_EQ(slot->frame.op, ENG_OP_WRITE);
	CHECK_EQ(slot->frame.flags, ENG_FRAME_IMM | ENG_FRAME_RECEIVE);
	CHECK_EQ(slot->frame.length, 3000);
	CHECK_EQ(slot->frame.segs, 3);
	CHECK_EQ(slot->frame.payload[2].addr, 0x3000);
	CHECK_EQ(slot->frame.payload[2].key, 2);
	CHECK(!slot->frame.payload[2].mr);
	CHECK_EQ(slot->frame.va, 0xabc);
	CHECK_EQ(slot->frame.rkey, 0xdef);
	CHECK_EQ(slot->frame.imm, 0x01020304);
	CHECK_EQ(slot->frame.psn, psn);
	CHECK_EQ(slot->frame.npsn, 3);
	slot = decode(&s, (struct shca_send_wqe){ .opcode = 2, .count = 0 });
	CHECK_EQ(slot->frame.psn, (psn + 3) & 0xffffff);
	CHECK_EQ(slot->frame.npsn, 1);
	CHECK_EQ(slot->frame.length, 0);
	pair_fini(&s.p);
}

static void test_limits(void)
{
	struct scene s;

	scene_init(&s, ENG_QPT_RC);
	/* one element more than the queue was made for, and absurdly many */
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 0, .count = 5 })->status,
		 ENG_WC_LOC_QP_OP_ERR);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 0, .count = 0xffff })->status,
		 ENG_WC_LOC_QP_OP_ERR);
	/* 2^31 bytes are the longest message (9.7) */
	put_sges(&s, 0, 2, 1u << 30);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 0, .count = 2 })->status,
		 ENG_WC_SUCCESS);
	put_sges(&s, 0, 4, 0xffffffff);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 0, .count = 4 })->status,
		 ENG_WC_LOC_LEN_ERR);
	/* inline: up to max_inline, never for what fetches */
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 0, .flags = SHCA_SEND_INLINE,
						     .count = 100 })->status, ENG_WC_SUCCESS);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 0, .flags = SHCA_SEND_INLINE,
						     .count = 101 })->status, ENG_WC_LOC_QP_OP_ERR);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 4, .flags = SHCA_SEND_INLINE,
						     .count = 8 })->status, ENG_WC_LOC_QP_OP_ERR);
	/* opcodes that there are not */
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 10 })->status, ENG_WC_LOC_QP_OP_ERR);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 255 })->status,
		 ENG_WC_LOC_QP_OP_ERR);
	pair_fini(&s.p);
}

/* 9.4.5: the answer of an atomic has eight bytes. */
static void test_atomics(void)
{
	struct shca_atomic_ops ops = { .compare_add = 11, .swap = 22 };
	struct eng_slot *slot;
	struct scene s;

	scene_init(&s, ENG_QPT_RC);
	memcpy(s.entry + SHCA_SEND_WQE_HEAD, &ops, sizeof(ops));
	put_sges(&s, sizeof(ops), 1, 16);
	slot = decode(&s, (struct shca_send_wqe){ .opcode = 5, .count = 1 });
	CHECK_EQ(slot->status, ENG_WC_SUCCESS);
	CHECK_EQ(slot->frame.compare_add, 11);
	CHECK_EQ(slot->frame.swap, 22);
	CHECK_EQ(slot->frame.length, 8);
	CHECK(slot->flags & ENG_SLOT_FETCH);
	put_sges(&s, sizeof(ops), 1, 7);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 6, .count = 1 })->status,
		 ENG_WC_LOC_LEN_ERR);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 6, .count = 0 })->status,
		 ENG_WC_LOC_LEN_ERR);
	/* F24: who may have none outstanding cannot send one */
	s.p.a.eng->attr.max_rd_atomic = 0;
	put_sges(&s, sizeof(ops), 1, 8);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 6, .count = 1 })->status,
		 ENG_WC_LOC_QP_OP_ERR);
	pair_fini(&s.p);
}

static void test_datagrams(void)
{
	struct eng_slot *slot;
	struct scene s;

	scene_init(&s, ENG_QPT_UD);
	put_sges(&s, 0, 1, 4096);
	slot = decode(&s, (struct shca_send_wqe){
		.opcode = 2, .flags = SHCA_SEND_FENCE, .count = 1,
		.ud = { .qpn = 0xff000123, .qkey = 0x80000000, .ahn = 9 } });
	CHECK_EQ(slot->status, ENG_WC_SUCCESS);
	CHECK_EQ(slot->frame.dest_qpn, 0x123);
	CHECK_EQ(slot->frame.qkey, 0x1234);	/* 10.2.5: the QP's own */
	CHECK_EQ(slot->frame.rkey, 9);
	CHECK_EQ(slot->flags & ENG_SLOT_FENCE, 0);
	s.p.host.dev.port_mtu = 1024;
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 2, .count = 1 })->status,
		 ENG_WC_LOC_LEN_ERR);
	CHECK_EQ(decode(&s, (struct shca_send_wqe){ .opcode = 0, .count = 0 })->status,
		 ENG_WC_LOC_QP_OP_ERR);
	pair_fini(&s.p);
}

static const struct tap_test tests[] = {
	{ "fields", test_fields },
	{ "limits", test_limits },
	{ "atomics", test_atomics },
	{ "datagrams", test_datagrams },
};

TAP_MAIN(tests)
