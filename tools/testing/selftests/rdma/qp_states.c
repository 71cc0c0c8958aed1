// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every move of a QP between any two states, for RC, UC and UD: legal ones succeed with the least
 * set of attributes and fail when one of the set is missing or a foreign one is added; illegal
 * ones fail; and a move that failed leaves the state as it was (field case F45).
 *
 * What is legal stands here a second time, written from the man page ibv_modify_qp(3), so that a
 * slip in the kernel's table shows.
 * Contract: C004, C174, C175, C184..C194.
 */
#include <errno.h>
#include <unistd.h>

#include "fixture.h"

#define STATES 7
#define DRAIN_TRIES 1000
#define DRAIN_TRY_US 1000
#define BITS 21		/* attributes IBV_QP_STATE ... IBV_QP_DEST_QPN */

static const char *const state_names[STATES] = {
	"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
};

static const struct {
	enum ibv_qp_type type;
	const char *name;
} types[] = {
	{ IBV_QPT_RC, "RC" }, { IBV_QPT_UC, "UC" }, { IBV_QPT_UD, "UD" },
};

/* A legal move: the attributes it needs beside the state, and those it may have, by type. */
struct rule {
	enum ibv_qp_state from, to;
	int need[3];
	int may[3];
};

#define ADDRESS (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define PATHS (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX)
#define LIVE (IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE)
#define PLACE (IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define SLOW_UC (IBV_QP_AV | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | \
		 IBV_QP_PATH_MIG_STATE)
#define SLOW_RC (SLOW_UC | IBV_QP_PORT | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
		 IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

static const struct rule rules[] = {
	{ IBV_QPS_RESET, IBV_QPS_RESET, {}, {} },
	{ IBV_QPS_INIT, IBV_QPS_RESET, {}, {} },
	{ IBV_QPS_RTR, IBV_QPS_RESET, {}, {} },
	{ IBV_QPS_RTS, IBV_QPS_RESET, {}, {} },
	{ IBV_QPS_SQD, IBV_QPS_RESET, {}, {} },
	{ IBV_QPS_ERR, IBV_QPS_RESET, {}, {} },
	{ IBV_QPS_INIT, IBV_QPS_ERR, {}, {} },
	{ IBV_QPS_RTR, IBV_QPS_ERR, {}, {} },
	{ IBV_QPS_RTS, IBV_QPS_ERR, {}, {} },
	{ IBV_QPS_SQD, IBV_QPS_ERR, {}, {} },
	{ IBV_QPS_ERR, IBV_QPS_ERR, {}, {} },
	{ IBV_QPS_RESET, IBV_QPS_INIT,
	  { PLACE | IBV_QP_ACCESS_FLAGS, PLACE | IBV_QP_ACCESS_FLAGS, PLACE | IBV_QP_QKEY }, {} },
	{ IBV_QPS_INIT, IBV_QPS_INIT, {},
	  { PLACE | IBV_QP_ACCESS_FLAGS, PLACE | IBV_QP_ACCESS_FLAGS, PLACE | IBV_QP_QKEY } },
	{ IBV_QPS_INIT, IBV_QPS_RTR,
	  { ADDRESS | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER, ADDRESS, 0 },
	  { PATHS, PATHS, IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	{ IBV_QPS_RTR, IBV_QPS_RTS,
	  { IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	    IBV_QP_TIMEOUT, IBV_QP_SQ_PSN, IBV_QP_SQ_PSN },
	  { LIVE | IBV_QP_MIN_RNR_TIMER, LIVE, IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	{ IBV_QPS_RTS, IBV_QPS_RTS, {},
	  { LIVE | IBV_QP_MIN_RNR_TIMER, LIVE, IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	{ IBV_QPS_RTS, IBV_QPS_SQD, {},
	  { IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY } },
	{ IBV_QPS_SQD, IBV_QPS_RTS, {},
	  { LIVE | IBV_QP_MIN_RNR_TIMER, LIVE, IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	{ IBV_QPS_SQD, IBV_QPS_SQD, {},
	  { SLOW_RC, SLOW_UC, IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
};

struct test {
	struct fixture f;
	struct ibv_cq *cq;
	int type;	/* index into types */
};

static const struct rule *find_rule(int from, int to)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((int)rules[i].from == from && (int)rules[i].to == to)
			return &rules[i];
	return NULL;
}

/* Good values for everything, so that only the mask can be wrong. */
static struct ibv_qp_attr good_values(const struct test *t, const struct ibv_qp *qp, int from,
				      int to)
{
	struct ibv_qp_attr attr = {
		.qp_state = to, .cur_qp_state = from, .path_mtu = IBV_MTU_1024,
		.path_mig_state = IBV_MIG_MIGRATED, .qkey = FIXTURE_QKEY,
		.dest_qp_num = qp->qp_num, .qp_access_flags = FIXTURE_ALL_ACCESS,
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			     .grh = { .dgid = t->f.gid, .sgid_index = t->f.gid_index,
				      .hop_limit = 64 } },
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.port_num = FIXTURE_PORT, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.alt_port_num = FIXTURE_PORT, .alt_timeout = 14,
	};

	attr.alt_ah_attr = attr.ah_attr;
	attr.cap = (struct ibv_qp_cap){ .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1,
					.max_recv_sge = 1 };
	return attr;
}

static int state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		tap_bail("query QP");
	return attr.qp_state;
}

/* In SQD the moves of the table begin when the send queue has drained, which takes a moment. */
static void wait_drained(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int tries;

	for (tries = 0; tries < DRAIN_TRIES; tries++) {
		if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
			tap_bail("query QP");
		if (!attr.sq_draining)
			return;
		usleep(DRAIN_TRY_US);
	}
	tap_note("an idle send queue does not finish draining");
}

/* A fresh QP in the state, or NULL when the state cannot be had by asking (SQE). */
static struct ibv_qp *qp_in(struct test *t, int state)
{
	static const int way[] = { IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD };
	struct ibv_qp *qp;
	int at = IBV_QPS_RESET;
	size_t i;

	if (state == IBV_QPS_SQE)
		return NULL;
	qp = fixture_qp(&t->f, t->cq, NULL, types[t->type].type);
	for (i = 0; at != state && i < sizeof(way) / sizeof(way[0]); i++) {
		int next = at == IBV_QPS_INIT && state == IBV_QPS_ERR ? IBV_QPS_ERR : way[i];
		struct ibv_qp_attr attr = good_values(t, qp, at, next);

		if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | find_rule(at, next)->need[t->type]))
			tap_bail("%s QP cannot go %s to %s", types[t->type].name,
				 state_names[at], state_names[next]);
		at = next;
	}
	if (at == IBV_QPS_SQD)
		wait_drained(qp);
	return qp;
}

/* One try on a fresh QP; true when it went as it should. */
static bool try_move(struct test *t, int from, int to, int mask, bool good)
{
	struct ibv_qp *qp = qp_in(t, from);
	struct ibv_qp_attr attr = good_values(t, qp, from, to);
	int ret = ibv_modify_qp(qp, &attr, mask);
	int now = state_of(qp);
	bool ok = good ? ret == 0 && now == to : ret == EINVAL && now == from;

	if (!ok)
		tap_note("%s %s to %s mask 0x%x: %s, then in %s", types[t->type].name,
			 state_names[from], state_names[to], mask, ret ? strerror(ret) : "success",
			 state_names[now]);
	if (ibv_destroy_qp(qp))
		tap_bail("destroy QP");
	return ok;
}

static bool check_legal(struct test *t, const struct rule *rule)
{
	int need = rule->need[t->type] | IBV_QP_STATE;
	int may = rule->may[t->type] | need;
	bool ok = try_move(t, rule->from, rule->to, need, true);
	int bit;

	for (bit = 1; bit < BITS; bit++) {
		if (need & 1 << bit)
			ok &= try_move(t, rule->from, rule->to, need & ~(1 << bit), false);
		else if (!(may & 1 << bit))
			ok &= try_move(t, rule->from, rule->to, need | 1 << bit, false);
	}
	return ok;
}

static void check_from(struct test *t, int from)
{
	bool legal = true, illegal = true;
	int to;

	for (to = 0; to < STATES; to++) {
		const struct rule *rule = find_rule(from, to);

		if (rule)
			legal &= check_legal(t, rule);
		else
			illegal &= try_move(t, from, to, IBV_QP_STATE, false);
	}
	tap_ok(legal, "%s: legal moves from %s take exactly their attributes",
	       types[t->type].name, state_names[from]);
	tap_ok(illegal, "%s: other moves from %s are refused", types[t->type].name,
	       state_names[from]);
}

/*
 * The present state is asked for by leaving IBV_QP_STATE out: nothing may change but the optional
 * attributes, and in RTR, where none may change, it is refused.
 */
static void check_stay(struct test *t)
{
	bool ud = types[t->type].type == IBV_QPT_UD;
	int mask = ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;

	tap_ok(try_move(t, IBV_QPS_INIT, IBV_QPS_INIT, mask, true) &&
	       try_move(t, IBV_QPS_RTS, IBV_QPS_RTS, mask, true) &&
	       try_move(t, IBV_QPS_RTR, IBV_QPS_RTR, mask, false),
	       "%s: attributes alone change in INIT and RTS, not in RTR", types[t->type].name);
}

/* What the device makes of SQD is its own affair when it does not have it. */
static bool has_sqd(struct test *t)
{
	struct ibv_qp *qp = qp_in(t, IBV_QPS_RTS);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD };
	bool has = !ibv_modify_qp(qp, &attr, IBV_QP_STATE) && state_of(qp) == IBV_QPS_SQD;

	ibv_destroy_qp(qp);
	return has;
}

int main(void)
{
	static const int froms[] = {
		IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_ERR,
	};
	struct test t = {};
	size_t i;

	fixture_open(&t.f);
	t.cq = ibv_create_cq(t.f.ctx, 64, NULL, NULL, 0);
	if (!t.cq)
		tap_bail("create CQ");
	for (t.type = 0; t.type < 3; t.type++) {
		for (i = 0; i < sizeof(froms) / sizeof(froms[0]); i++)
			check_from(&t, froms[i]);
		check_stay(&t);
		if (has_sqd(&t))
			check_from(&t, IBV_QPS_SQD);
		else
			tap_skip("%s: moves from SQD: the device has no such state",
				 types[t.type].name);
	}
	ibv_destroy_cq(t.cq);
	fixture_close(&t.f);
	return tap_end();
}
