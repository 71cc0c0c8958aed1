// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_hostile.c - packets that no honest peer sends: each is dropped or answered as IBTA
 * vol. 1, 9.6 and 9.7 have it, and counted for its reason; memory and connection stay as they were.
 */
#include "cable_raw.h"
#include "tap.h"

/* The connection works, and nothing was written where B's region is filled with @seed. */
static void still_good(struct wpair *p, u32 seed)
{
	struct shca_cqe wc;
	struct host_wr wr;

	CHECK(host_mr_check(&p->bmr, 0, PAIR_MR, seed));
	host_mr_fill(&p->amr, 0, 3000, 33);
	wr = wpair_wr(p, WR_WRITE, 77, 3000);
	host_send(&p->a, &wr);
	CHECK(cable_wait(&p->acq, &wc));
	CHECK_EQ(wc.wr_id, 77);
	CHECK_EQ(wc.status, OK);
	CHECK(host_mr_check(&p->bmr, 0, 3000, 33));
}

/* A good WRITE of 8 bytes, to be spoilt. */
static void good(struct wpair *p, struct cable_packet *k)
{
	raw_bth(k, &p->a, &p->b, WRITE_ONLY, first_psn(&p->a));
	raw_reth(k, host_mr_addr(&p->bmr, 0), p->bmr.eng.key, 8);
	raw_payload(k, 8, 0xee);
}

static void short_bth(struct wpair *p, struct cable_packet *k) { k->length = 8; }
static void short_reth(struct wpair *p, struct cable_packet *k) { k->length = 24; }
static void no_bytes(struct wpair *p, struct cable_packet *k) { k->length = 0; }
static void odd_length(struct wpair *p, struct cable_packet *k) { k->length -= 1; }
static void version(struct wpair *p, struct cable_packet *k) { k->bytes[1] |= 1; }
static void pkey(struct wpair *p, struct cable_packet *k) { k->bytes[3] = 0xfe; }
static void reserved_op(struct wpair *p, struct cable_packet *k) { k->bytes[0] = 0x15; }
static void reliable_datagram(struct wpair *p, struct cable_packet *k) { k->bytes[0] = 0x4a; }
static void congestion(struct wpair *p, struct cable_packet *k) { k->bytes[0] = 0x81; }
static void uc_op(struct wpair *p, struct cable_packet *k) { k->bytes[0] = ON_UC | WRITE_ONLY; }
static void ud_op(struct wpair *p, struct cable_packet *k) { k->bytes[0] = ON_UD | SEND_ONLY; }
static void uc_read(struct wpair *p, struct cable_packet *k) { k->bytes[0] = ON_UC | READ_REQ; }
static void ud_write(struct wpair *p, struct cable_packet *k) { k->bytes[0] = ON_UD | WRITE_ONLY; }
static void read_with_payload(struct wpair *p, struct cable_packet *k) { k->bytes[0] = READ_REQ; }
static void no_qp(struct wpair *p, struct cable_packet *k) { k->bytes[5] = 0x77; }
static void qp_zero(struct wpair *p, struct cable_packet *k) { memset(k->bytes + 5, 0, 3); }
static void other_source(struct wpair *p, struct cable_packet *k) { k->src[15] = 9; }
static void other_family(struct wpair *p, struct cable_packet *k)
{
	memset(k->src, 0, 10);
	k->src[10] = k->src[11] = 0xff;
}

static void only_pad(struct wpair *p, struct cable_packet *k)
{
	k->length -= 8;
	k->bytes[1] |= 3 << 4;
}

static void ack_of_future(struct wpair *p, struct cable_packet *k)
{
	raw_bth(k, &p->a, &p->b, ACK, first_psn(&p->b) + 5);
	raw_aeth(k, 31, 1);
}

static void unasked_response(struct wpair *p, struct cable_packet *k)
{
	raw_bth(k, &p->a, &p->b, RESP_ONLY, first_psn(&p->b));
	raw_aeth(k, 31, 1);
	raw_payload(k, 64, 0xee);
}

static void unasked_value(struct wpair *p, struct cable_packet *k)
{
	raw_bth(k, &p->a, &p->b, ATOMIC_ACK, first_psn(&p->b));
	raw_aeth(k, 31, 1);
	raw_put(k, 1, 8);
}

struct dropped {
	const char *name;
	void (*spoil)(struct wpair *p, struct cable_packet *k);
	enum eng_counter counter;
};

static const struct dropped dropped[] = {
	{ "shorter than a BTH", short_bth, ENG_CNT_RX_SHORT },
	{ "empty", no_bytes, ENG_CNT_RX_SHORT },
	{ "shorter than its RETH", short_reth, ENG_CNT_RX_SHORT },
	{ "no whole words", odd_length, ENG_CNT_RX_PAD },
	{ "more pad than payload", only_pad, ENG_CNT_RX_PAD },
	{ "transport version", version, ENG_CNT_RX_VERSION },
	{ "partition", pkey, ENG_CNT_RX_PKEY },
	{ "reserved opcode", reserved_op, ENG_CNT_RX_OPCODE },
	{ "a service that there is not", reliable_datagram, ENG_CNT_RX_OPCODE },
	{ "congestion notification", congestion, ENG_CNT_RX_OPCODE },
	{ "UC to RC", uc_op, ENG_CNT_RX_QP_TYPE },
	{ "UD to RC", ud_op, ENG_CNT_RX_QP_TYPE },
	{ "READ over UC", uc_read, ENG_CNT_RX_OPCODE },
	{ "WRITE over UD", ud_write, ENG_CNT_RX_OPCODE },
	{ "READ request with payload", read_with_payload, ENG_CNT_RX_PAYLOAD },
	{ "unknown QP", no_qp, ENG_CNT_RX_NO_QP },
	{ "QP 0", qp_zero, ENG_CNT_RX_NO_QP },
	{ "from another address", other_source, ENG_CNT_RX_ADDRESS },
	{ "from another family", other_family, ENG_CNT_RX_ADDRESS },
	{ "acknowledge of the future", ack_of_future, ENG_CNT_RX_FUTURE },
	{ "response to no READ", unasked_response, ENG_CNT_RX_UNASKED },
	{ "answer to no atomic", unasked_value, ENG_CNT_RX_UNASKED },
};

static void test_dropped(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 i;

	for (i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
		printf("# %s\n", dropped[i].name);
		wpair_init(&p);
		host_mr_fill(&p.bmr, 0, PAIR_MR, 21);
		good(&p, &k);
		dropped[i].spoil(&p, &k);
		cable_inject(&k);
		EXPECT_NOTHING();
		CHECK_EQ(cable_count(&p.bhost, dropped[i].counter), 1);
		CHECK_SUB(still_good(&p, 21));
		wpair_fini(&p);
	}
}

/* What is in sequence, and wrong, is refused for good: 9.7.4.1 and 9.9.3. */
struct invalid {
	const char *name;
	u8 first, second;		/* opcodes; 0xff: only one packet */
	u32 first_bytes, second_bytes, dma_length;
	enum eng_counter counter;
};

static const struct invalid invalid[] = {
	{ "a middle without a first", SEND_MIDDLE, 0xff, 1024, 0, 0, ENG_CNT_RX_SEQUENCE },
	{ "a last without a first", WRITE_LAST, 0xff, 10, 0, 0, ENG_CNT_RX_SEQUENCE },
	{ "a first in a message", SEND_FIRST, SEND_FIRST, 1024, 1024, 0, ENG_CNT_RX_SEQUENCE },
	{ "WRITE goes on as SEND", WRITE_FIRST, SEND_LAST, 1024, 10, 1034, ENG_CNT_RX_SEQUENCE },
	{ "READ in a message", SEND_FIRST, READ_REQ, 1024, 0, 8, ENG_CNT_RX_SEQUENCE },
	{ "a first that is short", SEND_FIRST, 0xff, 1020, 0, 0, ENG_CNT_RX_PAYLOAD },
	{ "a packet above the MTU", SEND_ONLY, 0xff, 1028, 0, 0, ENG_CNT_RX_PAYLOAD },
	{ "an empty last", SEND_FIRST, SEND_LAST, 1024, 0, 0, ENG_CNT_RX_PAYLOAD },
	{ "more than the RETH says", WRITE_ONLY, 0xff, 12, 0, 8, ENG_CNT_RX_LENGTH },
	{ "less than the RETH says", WRITE_ONLY, 0xff, 8, 0, 12, ENG_CNT_RX_LENGTH },
	{ "a first that is all of it", WRITE_FIRST, 0xff, 1024, 0, 1024, ENG_CNT_RX_LENGTH },
	{ "a last beyond the RETH", WRITE_FIRST, WRITE_LAST, 1024, 200, 1100, ENG_CNT_RX_LENGTH },
	{ "a middle beyond the RETH", WRITE_FIRST, WRITE_MIDDLE, 1024, 1024, 2048,
	  ENG_CNT_RX_LENGTH },
	{ "a READ of more than 2^31", READ_REQ, 0xff, 0, 0, 0x80000001, ENG_CNT_RX_LENGTH },
};

static void put_any(struct wpair *p, struct cable_packet *k, u8 op, u32 psn, u32 bytes, u32 dma)
{
	raw_bth(k, &p->a, &p->b, op, psn);
	if (op == WRITE_FIRST || op == WRITE_ONLY || op == READ_REQ)
		raw_reth(k, host_mr_addr(&p->bmr, 0), p->bmr.eng.key, dma);
	raw_payload(k, bytes, 0xee);
}

static void test_invalid(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 i, psn;

	for (i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		const struct invalid *v = &invalid[i];

		printf("# %s\n", v->name);
		wpair_init(&p);
		psn = first_psn(&p.a);
		wpair_recv(&p, 1, 0, 5000);
		put_any(&p, &k, v->first, psn, v->first_bytes, v->dma_length);
		k.bytes[8] = 0;			/* no acknowledge wanted */
		cable_inject(&k);
		if (v->second != 0xff) {
			EXPECT_NOTHING();
			put_any(&p, &k, v->second, ++psn, v->second_bytes, v->dma_length);
			cable_inject(&k);
		}
		CHECK(next_acks(psn, SYN_NAK_INV));
		cable_drop();
		EXPECT_NOTHING();
		CHECK_EQ(cable_count(&p.bhost, v->counter), 1);
		CHECK_EQ(host_query(&p.b), ENG_QPS_ERR);
		CHECK_EQ(host_event_find(p.b.eng, ENG_EVENT_QP_REQ_ERR), 1);
		wpair_fini(&p);
	}
}

/* Behind the last byte of its region nothing is written, however a WRITE gets there. */
static void test_bounds(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	host_mr_fill(&p.bmr, 0, PAIR_MR, 3);
	/* The first packet fits; all of it would not: refused before a byte is written. */
	raw_bth(&k, &p.a, &p.b, WRITE_FIRST, psn);
	raw_reth(&k, host_mr_addr(&p.bmr, PAIR_MR - 1500), p.bmr.eng.key, 2000);
	raw_payload(&k, 1024, 0xee);
	cable_inject(&k);
	CHECK(next_acks(psn, SYN_NAK_ACCESS));
	CHECK(host_mr_check(&p.bmr, 0, PAIR_MR, 3));
	wpair_fini(&p);
	/* An address that wraps. */
	wpair_init(&p);
	psn = first_psn(&p.a);
	raw_bth(&k, &p.a, &p.b, WRITE_ONLY, psn);
	raw_reth(&k, ~0ull - 3, p.bmr.eng.key, 8);
	raw_payload(&k, 8, 0xee);
	cable_inject(&k);
	CHECK(next_acks(psn, SYN_NAK_ACCESS));
	wpair_fini(&p);
}

/* The region goes between two packets of a WRITE: no reference was held, the rest is refused. */
static void test_region_gone(void)
{
	struct cable_packet k;
	struct host_mr mr;
	struct wpair p;
	u32 psn;

	wpair_init(&p);
	psn = first_psn(&p.a);
	host_mr_init(&p.bhost, &mr, 10000, ALL_ACCESS);
	raw_bth(&k, &p.a, &p.b, WRITE_FIRST, psn);
	raw_reth(&k, host_mr_addr(&mr, 0), mr.eng.key, 2000);
	raw_payload(&k, 1024, 0xee);
	k.bytes[8] = 0;
	cable_inject(&k);
	EXPECT_NOTHING();
	eng_mr_retire(&mr.eng);
	CHECK_EQ(mr.idle, 1);
	put_any(&p, &k, WRITE_LAST, psn + 1, 976, 0);
	cable_inject(&k);
	CHECK(next_acks(psn + 1, SYN_NAK_ACCESS));
	host_mr_fini(&mr);
	wpair_fini(&p);
}

/* A response that is not what was asked for fails its READ, 9.9.2. */
static void one_bad_response(u8 op, u32 bytes)
{
	struct cable_packet k;
	struct host_wr wr;
	struct wpair p;

	wpair_init(&p);
	host_mr_fill(&p.amr, 0, 5000, 8);
	wr = wpair_wr(&p, WR_READ, 1, 2000);
	host_send(&p.a, &wr);
	cable_drop();
	raw_bth(&k, &p.b, &p.a, op, first_psn(&p.a));
	if (op != RESP_MIDDLE)
		raw_aeth(&k, 31, 1);
	raw_payload(&k, bytes, 0xee);
	cable_inject(&k);
	CHECK_EQ(pair_status(&p.acq, 1), BAD_RESP);
	CHECK(host_mr_check(&p.amr, 0, 5000, 8));
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RX_BAD_RESPONSE), 1);
	wpair_fini(&p);
}

static void test_bad_responses(void)
{
	CHECK_SUB(one_bad_response(RESP_FIRST, 1020));
	CHECK_SUB(one_bad_response(RESP_FIRST, 1028));
	CHECK_SUB(one_bad_response(RESP_ONLY, 1024));
	CHECK_SUB(one_bad_response(RESP_LAST, 1024));
	CHECK_SUB(one_bad_response(RESP_MIDDLE, 0));
}

/* More packets than a QP may have waiting are dropped; the rest is served. */
static void test_overflow(void)
{
	struct cable_packet k;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	cable_hold(true);
	for (i = 0; i < ENG_WIRE_INBOX + 10; i++) {
		put_any(&p, &k, WRITE_ONLY, first_psn(&p.a) + i, 8, 8);
		cable_inject(&k);
	}
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_OVERFLOW), 10);
	EXPECT_NOTHING();
	cable_hold(false);
	CHECK_EQ(cable_count(&p.bhost, ENG_CNT_RX_PACKETS), ENG_WIRE_INBOX);
	CHECK(cable_waiting() > 0);
	while (cable_waiting() > 1)
		cable_drop();
	CHECK(next_acks(first_psn(&p.a) + ENG_WIRE_INBOX - 1, SYN_ACK));
	wpair_fini(&p);
}

static u64 random_state;

static u32 random_below(u32 below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(random_state >> 33) % below;
}

/* Valid packets with random bytes changed, into a live pair: nobody crashes, nothing is written
 * outside of what is permitted, and afterwards all is flushed as ever. */
static void test_random(void)
{
	struct cable_packet k;
	struct shca_cqe wc;
	struct host_wr wr;
	struct host_mr guard;
	struct wpair p;
	u32 i, n, round;

	for (round = 0; round < TAP_MANY(60); round++) {
		random_state = round * 7919 + 1;
		wpair_init(&p);
		host_mr_init(&p.bhost, &guard, 8192, ENG_ACCESS_LOCAL_WRITE);
		host_mr_fill(&guard, 0, 8192, round);
		for (i = 0; i < 8; i++)
			wpair_recv(&p, 100 + i, 0, 3000);
		for (i = 0; i < 6; i++) {
			static const u8 ops[] = {
				WR_WRITE, WR_SEND, WR_READ, WR_FAA, WR_WRITE_IMM,
			};

			wr = wpair_wr(&p, ops[random_below(5)], i,
				      8 + random_below(3000));
			host_put_send(&p.a, &wr);
		}
		host_doorbell(&p.a);
		for (i = 0; i < 400 && cable_waiting(); i++) {
			k = *cable_peek(0);
			for (n = random_below(4); n; n--) {
				u32 at = random_below(k.length < 60 ? k.length : 60);

				k.bytes[at] ^= 1 << random_below(8);
			}
			if (!random_below(16))
				k.length = 4 * random_below(k.length / 4 + 1);
			if (!random_below(8))
				raw_put(&k, guard.eng.key, 4);
			cable_inject(&k);
			cable_drop();
			if (!cable_waiting())
				cable_tick();
		}
		CHECK(host_mr_check(&guard, 0, 8192, round));
		while (cable_waiting())
			cable_drop();
		host_state(&p.a, ENG_QPS_ERR);
		host_state(&p.b, ENG_QPS_ERR);
		for (n = 0; host_poll(&p.acq, &wc); n++)
			;
		CHECK_EQ(n, 6);
		for (n = 0; host_poll(&p.bcq, &wc); n++)
			;
		CHECK_EQ(n, 8);
		host_mr_fini(&guard);
		wpair_fini(&p);
	}
}

static const struct tap_test tests[] = {
	{ "dropped and counted", test_dropped },
	{ "refused as invalid", test_invalid },
	{ "bounds of a WRITE", test_bounds },
	{ "a region goes in the middle of a WRITE", test_region_gone },
	{ "bad responses", test_bad_responses },
	{ "too many packets", test_overflow },
	{ "random bytes", test_random },
};

TAP_MAIN(tests)
