// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_wire_faults.c - each story with its packet k lost, doubled or late, for every k.
 *
 * A story posts requests and says afterwards what memory must look like.  Whatever one packet does,
 * all of them complete in order with success, well before the local ACK timeout takes a retry.
 */
#include "cable_pair.h"
#include "tap.h"

enum { REQUESTS_MAX = 32 };

struct story {
	const char *name;
	void (*post)(struct wpair *p);
	bool (*holds)(struct wpair *p);
	u32 requests;		/* wr_id 0, 1, ... of A's */
	u32 receives;		/* wr_id 100, ... of B's, in order */
	void (*late)(struct wpair *p);	/* when nothing more moves by itself, or NULL */
};

static void post(struct wpair *p, struct host_wr wr)
{
	host_put_send(&p->a, &wr);
}

static struct host_wr at(struct wpair *p, struct host_wr wr, u32 local, u32 remote)
{
	wr.addr = (const void *)(unsigned long)host_mr_addr(&p->amr, local);
	wr.raddr = host_mr_addr(&p->bmr, remote);
	return wr;
}

static void post_writes(struct wpair *p)
{
	host_mr_fill(&p->amr, 0, 20000, 1);
	post(p, wpair_wr(p, WR_WRITE, 0, 3000));
	post(p, at(p, wpair_wr(p, WR_WRITE, 1, 8), 3000, 3000));
	post(p, at(p, wpair_wr(p, WR_WRITE, 2, 16992), 3008, 3008));
}

static bool writes_hold(struct wpair *p)
{
	return host_mr_check(&p->bmr, 0, 20000, 1);
}

static void post_sends(struct wpair *p)
{
	u32 i;

	host_mr_fill(&p->amr, 0, 6000, 2);
	for (i = 0; i < 3; i++) {
		struct host_wr wr = at(p, wpair_wr(p, WR_SEND_IMM, i, 2000), 2000 * i, 0);

		wpair_recv(p, 100 + i, 2000 * i, 2000);
		wr.imm = i;
		post(p, wr);
	}
}

static bool sends_hold(struct wpair *p)
{
	return host_mr_check(&p->bmr, 0, 6000, 2);
}

static void post_reads(struct wpair *p)
{
	host_mr_fill(&p->bmr, 0, 50000, 3);
	post(p, wpair_wr(p, WR_READ, 0, 5000));
	post(p, at(p, wpair_wr(p, WR_READ, 1, 40000), 5000, 5000));
	post(p, at(p, wpair_wr(p, WR_READ, 2, 5000), 45000, 45000));
}

static bool reads_hold(struct wpair *p)
{
	return host_mr_check(&p->amr, 0, 50000, 3);
}

static void post_atomics(struct wpair *p)
{
	u32 i;

	*(u64 *)host_mr_at(&p->bmr, 0) = 1000;
	for (i = 0; i < 8; i++) {
		struct host_wr wr = at(p, wpair_wr(p, i & 1 ? WR_CAS : WR_FAA, i, 8), 8 * i, 0);

		/* Each compare-and-swap puts in what the next addition starts from. */
		wr.compare_add = i & 1 ? 1001 + 10 * (i / 2) : 1;
		wr.swap = 1010 + 10 * (i / 2);
		post(p, wr);
	}
}

static bool atomics_hold(struct wpair *p)
{
	u64 old;
	u32 i;

	for (i = 0; i < 8; i++) {
		memcpy(&old, host_mr_at(&p->amr, 8 * i), 8);
		if (old != 1000 + 10 * (i / 2) + (i & 1))
			return false;
	}
	return *(u64 *)host_mr_at(&p->bmr, 0) == 1040;
}

/* All kinds behind each other, with fences and unsignalled ones between. */
static void post_mixture(struct wpair *p)
{
	struct host_wr wr;

	host_mr_fill(&p->amr, 0, 4000, 4);
	host_mr_fill(&p->bmr, 10000, 6000, 5);
	*(u64 *)host_mr_at(&p->bmr, 0) = 7;
	wpair_recv(p, 100, 20000, 4000);
	wpair_recv(p, 101, 0, 0);
	wr = wpair_wr(p, WR_FAA, 0, 8);
	wr = at(p, wr, 100000, 0);
	wr.compare_add = 3;
	post(p, wr);
	post(p, at(p, wpair_wr(p, WR_READ, 1, 6000), 10000, 10000));
	post(p, wpair_wr(p, WR_SEND, 2, 4000));
	post(p, at(p, wpair_wr(p, WR_WRITE, 3, 4000), 0, 30000));
	wr = at(p, wpair_wr(p, WR_READ, 4, 4000), 40000, 30000);
	wr.flags |= SHCA_SEND_FENCE;
	post(p, wr);
	wr = at(p, wpair_wr(p, WR_WRITE_IMM, 5, 6000), 10000, 50000);
	wr.flags |= SHCA_SEND_FENCE;
	post(p, wr);
	wr = at(p, wpair_wr(p, WR_FAA, 6, 8), 100008, 0);
	wr.compare_add = 4;
	post(p, wr);
}

static bool mixture_holds(struct wpair *p)
{
	return *(u64 *)host_mr_at(&p->bmr, 0) == 14 && *(u64 *)host_mr_at(&p->amr, 100000) == 7 &&
	       *(u64 *)host_mr_at(&p->amr, 100008) == 10 &&
	       host_mr_check(&p->bmr, 20000, 4000, 4) && host_mr_check(&p->bmr, 30000, 4000, 4) &&
	       host_mr_check(&p->amr, 40000, 4000, 4) && host_mr_check(&p->bmr, 50000, 6000, 5);
}

/* Messages that find no receive; it comes when nothing moves any more. */
static void post_unexpected(struct wpair *p)
{
	u32 i;

	host_mr_fill(&p->amr, 0, 6000, 2);
	for (i = 0; i < 4; i++)
		post(p, at(p, wpair_wr(p, WR_SEND, i, 1500), 1500 * i, 0));
}

static void receive_late(struct wpair *p)
{
	u32 i;

	for (i = 0; i < 4; i++)
		wpair_recv(p, 100 + i, 1500 * i, 1500);
}

/* One READ or atomic at a time. */
static void post_singly(struct wpair *p)
{
	wpair_modify(&p->a, (struct eng_qp_attr){ .max_rd_atomic = 1 }, ENG_QP_MAX_QP_RD_ATOMIC);
	post_mixture(p);
}

static void post_and_drain(struct wpair *p)
{
	post_mixture(p);
	host_doorbell(&p->a);
	host_state(&p->a, ENG_QPS_SQD);
}

/* Whatever was lost, the queue gets empty in SQD (10.3.1.5). */
static void drained(struct wpair *p)
{
	struct eng_qp_attr attr;
	bool draining;

	while (eng_qp_query(p->a.eng, &attr, &draining), draining) {
		CHECK(cable_tick());
		cable_run();
	}
	host_state(&p->a, ENG_QPS_RTS);
}

static const struct story stories[] = {
	{ "WRITE", post_writes, writes_hold, 3, 0, NULL },
	{ "SEND", post_sends, sends_hold, 3, 3, NULL },
	{ "READ", post_reads, reads_hold, 3, 0, NULL },
	{ "atomics", post_atomics, atomics_hold, 8, 0, NULL },
	{ "mixture", post_mixture, mixture_holds, 7, 2, NULL },
	{ "late receives", post_unexpected, sends_hold, 4, 4, receive_late },
	{ "singly", post_singly, mixture_holds, 7, 2, NULL },
	{ "drained", post_and_drain, mixture_holds, 7, 2, drained },
};

/* One run, where what is behind a gap is kept or dropped; *@packets: how many there were. */
static void run_story(const struct story *s, bool keep, struct cable_script script, u32 *packets)
{
	struct shca_cqe wc;
	struct wpair p;
	u32 i;

	wpair_init(&p);
	/* The PSNs of the story go round in it. */
	wpair_modify(&p.a, (struct eng_qp_attr){ .sq_psn = 0xfffff8 }, ENG_QP_SQ_PSN);
	wpair_modify(&p.b, (struct eng_qp_attr){ .rq_psn = 0xfffff8 }, ENG_QP_RQ_PSN);
	wpair_modify(&p.a, (struct eng_qp_attr){ .retry_cnt = 0 }, ENG_QP_RETRY_CNT);
	cable_set_script(script);
	cable_keep(keep);
	s->post(&p);
	host_doorbell(&p.a);
	if (s->late) {
		cable_run();
		s->late(&p);
	}
	for (i = 0; i < s->requests; i++) {
		CHECK(cable_wait(&p.acq, &wc));
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.wr_id, i);
	}
	for (i = 0; i < s->receives; i++)
		CHECK_EQ(pair_status(&p.bcq, 100 + i), OK);
	CHECK(!host_poll(&p.acq, &wc));
	CHECK(!host_poll(&p.bcq, &wc));
	CHECK(s->holds(&p));
	CHECK_EQ(cable_count(&p.ahost, ENG_CNT_RETRIES), 0);
	*packets = cable_sent();
	wpair_fini(&p);
}

static void each_packet(const struct story *s, bool keep, enum cable_fate fate)
{
	u32 k, n, got;

	CHECK_SUB(run_story(s, keep, (struct cable_script){ ~0u, CABLE_GOOD }, &n));
	CHECK(n > 3);
	for (k = 0; k < n; k++) {
		run_story(s, keep, (struct cable_script){ k, fate }, &got);
		if (tap_failed)
			printf("# story %s, packet %u of %u, fate %d\n", s->name, k, n, (int)fate);
		CHECK(!tap_failed);
	}
}

static void all_fates(const struct story *s)
{
	enum cable_fate fate;

	for (fate = CABLE_LOST; fate <= CABLE_LATE; fate++) {
		CHECK_SUB(each_packet(s, true, fate));
		CHECK_SUB(each_packet(s, false, fate));
	}
}

static void test_writes(void) { all_fates(&stories[0]); }
static void test_sends(void) { all_fates(&stories[1]); }
static void test_reads(void) { all_fates(&stories[2]); }
static void test_atomics(void) { all_fates(&stories[3]); }
static void test_mixture(void) { all_fates(&stories[4]); }
static void test_late(void) { all_fates(&stories[5]); }
static void test_singly(void) { all_fates(&stories[6]); }
static void test_drained(void) { all_fates(&stories[7]); }

/* 9.8.2: an unreliable connection loses whole messages, and delivers the others in order. */
static void run_unreliable(struct cable_script script, u32 messages, u32 least)
{
	u32 i, heard = 0, next = 0;
	struct shca_cqe wc;
	struct wpair p;

	wpair_make(&p, ENG_QPT_UC);
	cable_connect(&p.a, &p.b);
	cable_set_script(script);
	for (i = 0; i < messages; i++) {
		struct host_wr wr = at(&p, wpair_wr(&p, WR_SEND_IMM, i, 2500), 4096 * i, 0);

		host_mr_fill(&p.amr, 4096 * i, 2500, i);
		wpair_recv(&p, i, 4096 * i, 2500);
		wr.imm = i;
		post(&p, wr);
	}
	host_doorbell(&p.a);
	cable_run();
	for (; host_poll(&p.bcq, &wc); heard++, next = wc.ex + 1) {
		CHECK_EQ(wc.status, OK);
		CHECK_EQ(wc.byte_len, 2500);
		CHECK(wc.ex >= next);
		CHECK(host_mr_check(&p.bmr, 4096 * (u32)wc.wr_id, 2500, wc.ex));
		/* Three packets each. */
		CHECK(script.fate != CABLE_LOST || wc.ex != script.number / 3);
	}
	CHECK(heard >= least);
	CHECK(heard <= messages - (script.fate == CABLE_LOST));
	wpair_fini(&p);
}

static void test_unreliable(void)
{
	enum { MESSAGES = 6 };
	u32 k;

	CHECK_SUB(run_unreliable((struct cable_script){ ~0u, CABLE_GOOD }, MESSAGES, MESSAGES));
	for (k = 0; k < 3 * MESSAGES; k++) {
		CHECK_SUB(run_unreliable((struct cable_script){ k, CABLE_LOST }, MESSAGES,
					 MESSAGES - 1));
		CHECK_SUB(run_unreliable((struct cable_script){ k, CABLE_TWICE }, MESSAGES,
					 MESSAGES - 1));
		/* It misses where it was, and disturbs where it comes. */
		CHECK_SUB(run_unreliable((struct cable_script){ k, CABLE_LATE }, MESSAGES,
					 MESSAGES - 2));
	}
}

static const struct tap_test tests[] = {
	{ "WRITE, packet k lost, doubled, late", test_writes },
	{ "SEND, packet k lost, doubled, late", test_sends },
	{ "READ, packet k lost, doubled, late", test_reads },
	{ "atomics, packet k lost, doubled, late", test_atomics },
	{ "mixture, packet k lost, doubled, late", test_mixture },
	{ "late receives, packet k lost, doubled, late", test_late },
	{ "one READ at a time, packet k lost, doubled, late", test_singly },
	{ "SQD, packet k lost, doubled, late", test_drained },
	{ "UC, packet k lost, doubled, late", test_unreliable },
};

TAP_MAIN(tests)
