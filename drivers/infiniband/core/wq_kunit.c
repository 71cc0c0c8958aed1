// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Suite of wq.c: what a work queue keeps from going while it lives, with a driver that may fail. */
#include <kunit/test.h>

#include "wq.c"

static int driver_error;
static struct ib_wq the_wq;

static struct ib_wq *driver_create(struct ib_pd *pd, struct ib_wq_init_attr *attr,
				   struct ib_udata *udata)
{
	return driver_error ? ERR_PTR(driver_error) : &the_wq;
}

static int driver_destroy(struct ib_wq *wq, struct ib_udata *udata)
{
	return driver_error;
}

struct stage {
	struct ib_device dev;
	struct ib_pd pd;
	struct ib_cq cq;
	struct ib_wq_init_attr attr;
};

static struct stage *stage_new(struct kunit *test)
{
	struct stage *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->pd.device = &s->dev;
	s->attr.cq = &s->cq;
	s->attr.wq_type = IB_WQT_RQ;
	s->attr.wq_context = s;
	s->dev.ops.create_wq = driver_create;
	s->dev.ops.destroy_wq = driver_destroy;
	driver_error = 0;
	return s;
}

static void expect_users(struct kunit *test, struct stage *s, int users)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&s->pd.usecnt), users);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->cq.usecnt), users);
}

static void test_life(struct kunit *test)
{
	struct stage *s = stage_new(test);
	struct ib_wq *wq = ib_create_wq(&s->pd, &s->attr);

	KUNIT_ASSERT_PTR_EQ(test, wq, &the_wq);
	KUNIT_EXPECT_PTR_EQ(test, wq->device, &s->dev);
	KUNIT_EXPECT_PTR_EQ(test, wq->pd, &s->pd);
	KUNIT_EXPECT_PTR_EQ(test, wq->cq, &s->cq);
	KUNIT_EXPECT_PTR_EQ(test, wq->wq_context, (void *)s);
	KUNIT_EXPECT_EQ(test, wq->wq_type, IB_WQT_RQ);
	expect_users(test, s, 1);
	atomic_inc(&wq->usecnt);	/* an indirection table */
	KUNIT_EXPECT_EQ(test, ib_destroy_wq_user(wq, NULL), -EBUSY);
	expect_users(test, s, 1);
	atomic_dec(&wq->usecnt);
	driver_error = -EIO;
	KUNIT_EXPECT_EQ(test, ib_destroy_wq_user(wq, NULL), -EIO);
	expect_users(test, s, 1);
	driver_error = 0;
	KUNIT_EXPECT_EQ(test, ib_destroy_wq_user(wq, NULL), 0);
	expect_users(test, s, 0);
}

static void test_refused(struct kunit *test)
{
	struct stage *s = stage_new(test);

	driver_error = -ENOMEM;
	KUNIT_EXPECT_PTR_EQ(test, ib_create_wq(&s->pd, &s->attr), (struct ib_wq *)ERR_PTR(-ENOMEM));
	s->dev.ops.create_wq = NULL;
	KUNIT_EXPECT_PTR_EQ(test, ib_create_wq(&s->pd, &s->attr),
			    (struct ib_wq *)ERR_PTR(-EOPNOTSUPP));
	expect_users(test, s, 0);
}

static struct kunit_case wq_cases[] = {
	KUNIT_CASE(test_life),
	KUNIT_CASE(test_refused),
	{ }
};

static struct kunit_suite wq_suite = {
	.name = "core_wq",
	.test_cases = wq_cases,
};
kunit_test_suite(wq_suite);
