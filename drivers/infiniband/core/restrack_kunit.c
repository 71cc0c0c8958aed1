// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of restrack.c: when an entry is found, which numbers are given, and that a table is empty
 * when its objects are gone, although it holds on to the number that became free last.
 */
#include <kunit/test.h>

#include "restrack.c"

struct stage {
	struct ib_device dev;
	struct ib_pd pd[3];
	struct ib_qp qp;
};

static struct stage *stage_new(struct kunit *test)
{
	struct stage *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->dev.res = core_restrack_alloc();
	KUNIT_ASSERT_NOT_NULL(test, s->dev.res);
	for (i = 0; i < ARRAY_SIZE(s->pd); i++)
		s->pd[i].device = &s->dev;
	s->qp.device = &s->dev;
	return s;
}

/* What every object must have given back; core_restrack_free() itself warns when it is not so. */
static void stage_end(struct kunit *test, struct stage *s)
{
	struct rdma_restrack_root *root;
	int i;

	for (i = 0; i < RDMA_RESTRACK_MAX; i++) {
		root = &s->dev.res[i];
		xa_lock(&root->xa);
		unpark(root);
		xa_unlock(&root->xa);
		KUNIT_EXPECT_TRUE(test, xa_empty(&root->xa));
	}
	core_restrack_free(&s->dev);
}

static void show(struct rdma_restrack_entry *res, enum rdma_restrack_type type)
{
	rdma_restrack_new(res, type);
	rdma_restrack_set_name(res, "kunit");
	rdma_restrack_add(res);
}

static void expect_found(struct kunit *test, struct stage *s, struct rdma_restrack_entry *res,
			 bool found)
{
	struct rdma_restrack_entry *got = rdma_restrack_get_byid(&s->dev, res->type, res->id);

	KUNIT_EXPECT_PTR_EQ(test, got, found ? res : ERR_PTR(-ENOENT));
	if (!IS_ERR(got))
		rdma_restrack_put(got);
	KUNIT_EXPECT_EQ(test, rdma_restrack_count(&s->dev, res->type, true), (int)found);
}

static void test_hidden(struct kunit *test)
{
	struct stage *s = stage_new(test);
	struct rdma_restrack_entry *res = &s->pd[0].res;

	show(res, RDMA_RESTRACK_PD);
	expect_found(test, s, res, true);
	rdma_restrack_begin_del(res);
	expect_found(test, s, res, false);
	rdma_restrack_abort_del(res);
	expect_found(test, s, res, true);
	rdma_restrack_sync(res);
	expect_found(test, s, res, true);
	rdma_restrack_del(res);
	expect_found(test, s, res, false);
	stage_end(test, s);
}

/* Numbers rise, whatever became free before. */
static void test_numbers(struct kunit *test)
{
	struct stage *s = stage_new(test);
	u32 id;

	show(&s->pd[0].res, RDMA_RESTRACK_PD);
	for (id = 1; id < 200; id += 2) {
		show(&s->pd[1].res, RDMA_RESTRACK_PD);
		show(&s->pd[2].res, RDMA_RESTRACK_PD);
		KUNIT_ASSERT_EQ(test, s->pd[1].res.id, id);
		KUNIT_ASSERT_EQ(test, s->pd[2].res.id, id + 1);
		rdma_restrack_del(&s->pd[1].res);
		rdma_restrack_del(&s->pd[2].res);
		KUNIT_ASSERT_EQ(test, rdma_restrack_count(&s->dev, RDMA_RESTRACK_PD, true), 1);
	}
	expect_found(test, s, &s->pd[0].res, true);
	rdma_restrack_del(&s->pd[0].res);
	stage_end(test, s);
}

/* A QP has its number from the driver, which may give the same one again at once, or later. */
static void test_number_again(struct kunit *test)
{
	static const u32 numbers[] = { 17, 17, 18, 17, 17 };
	struct stage *s = stage_new(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		s->qp.qp_num = numbers[i];
		show(&s->qp.res, RDMA_RESTRACK_QP);
		KUNIT_EXPECT_EQ(test, s->qp.res.id, numbers[i]);
		expect_found(test, s, &s->qp.res, true);
		rdma_restrack_del(&s->qp.res);
		expect_found(test, s, &s->qp.res, false);
	}
	stage_end(test, s);
}

/* The driver frees such an object before it is forgotten. */
static void test_ticket(struct kunit *test)
{
	struct stage *s = stage_new(test);
	struct core_restrack_ticket ticket;
	u32 id;

	show(&s->pd[0].res, RDMA_RESTRACK_PD);
	id = s->pd[0].res.id;
	core_restrack_hide(&s->pd[0].res, &ticket);
	memset(&s->pd[0].res, 0xff, sizeof(s->pd[0].res));
	KUNIT_EXPECT_PTR_EQ(test, rdma_restrack_get_byid(&s->dev, RDMA_RESTRACK_PD, id),
			    (struct rdma_restrack_entry *)ERR_PTR(-ENOENT));
	KUNIT_EXPECT_EQ(test, rdma_restrack_count(&s->dev, RDMA_RESTRACK_PD, true), 0);
	core_restrack_forget(&ticket);
	stage_end(test, s);
}

static struct kunit_case restrack_cases[] = {
	KUNIT_CASE(test_hidden),
	KUNIT_CASE(test_numbers),
	KUNIT_CASE(test_number_again),
	KUNIT_CASE(test_ticket),
	{ }
};

static struct kunit_suite restrack_suite = {
	.name = "core_restrack",
	.test_cases = restrack_cases,
};
kunit_test_suite(restrack_suite);
