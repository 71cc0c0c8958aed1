// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_mcast.c - members of groups: each once, in order, gone with their QP.
 */
#include "mcast.h"
#include "pair.h"
#include "tap.h"

enum { QPS = 5 };

struct scene {
	struct host host;
	struct host_cq cq;
	struct host_qp qp[QPS];
};

static void scene_init(struct scene *s)
{
	struct host_qp_init init = {
		.type = ENG_QPT_UD, .sq = 4, .rq = 4, .send_sge = 1, .recv_sge = 1,
		.scq = &s->cq, .rcq = &s->cq,
	};
	u32 i;

	host_init(&s->host);
	host_cq_init(&s->host, &s->cq, 16);
	for (i = 0; i < QPS; i++)
		host_qp_init(&s->host, &s->qp[i], &init);
}

static void scene_fini(struct scene *s)
{
	u32 i;

	for (i = 0; i < QPS; i++)
		if (s->qp[i].eng)
			host_qp_fini(&s->qp[i]);
	host_cq_fini(&s->cq);
	host_fini(&s->host);
}

/* Bit i: QP i is visited, in ascending order of numbers; a double visit breaks the order. */
static u32 members(struct scene *s, const u8 mgid[16])
{
	u32 after = 0, found = 0, next, i;

	while ((next = eng_mcast_next(&s->host.dev, mgid, after))) {
		if (next <= after)
			return ~0u;
		for (i = 0; i < QPS; i++)
			if (s->qp[i].qpn == next)
				found |= 1u << i;
		after = next;
	}
	return found;
}

static void test_members(void)
{
	static const u8 one[16] = { 0xff, 1 }, two[16] = { 0xff, 1, [15] = 1 };
	struct scene s;

	scene_init(&s);
	CHECK_EQ(members(&s, one), 0);
	CHECK_EQ(eng_mcast_attach(s.qp[3].eng, one), 0);
	CHECK_EQ(eng_mcast_attach(s.qp[1].eng, one), 0);
	CHECK_EQ(eng_mcast_attach(s.qp[4].eng, one), 0);
	CHECK_EQ(eng_mcast_attach(s.qp[3].eng, one), 0);	/* again is once */
	CHECK_EQ(eng_mcast_attach(s.qp[0].eng, two), 0);
	CHECK_EQ(eng_mcast_attach(s.qp[3].eng, two), 0);
	CHECK_EQ(members(&s, one), 1 << 1 | 1 << 3 | 1 << 4);
	CHECK_EQ(members(&s, two), 1 << 0 | 1 << 3);
	CHECK_EQ(eng_mcast_detach(s.qp[2].eng, one), -ENV_EINVAL);
	CHECK_EQ(eng_mcast_detach(s.qp[0].eng, one), -ENV_EINVAL);
	CHECK_EQ(eng_mcast_detach(s.qp[4].eng, one), 0);
	CHECK_EQ(eng_mcast_detach(s.qp[4].eng, one), -ENV_EINVAL);
	CHECK_EQ(members(&s, one), 1 << 1 | 1 << 3);
	/* A QP that goes is a member of nothing. */
	host_qp_fini(&s.qp[3]);
	s.qp[3].eng = NULL;
	CHECK_EQ(members(&s, one), 1 << 1);
	CHECK_EQ(members(&s, two), 1 << 0);
	CHECK_EQ(eng_mcast_detach(s.qp[1].eng, one), 0);
	CHECK_EQ(eng_mcast_detach(s.qp[0].eng, two), 0);
	scene_fini(&s);
}

static const struct tap_test tests[] = {
	{ "members", test_members },
};

TAP_MAIN(tests)
