// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of uobject.c: the life of an object under every order in which the steps of several calls
 * can follow each other. Each call is a short list of steps (a creator begins and then commits or
 * aborts, a reader looks up and lets go, ...); all interleavings of all casts are played, and each
 * answer is compared with that of a model of three words: is it found, who uses it, has it ended.
 */
#include <kunit/test.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_types.h>

#include "uverbs.h"

/* Where uobject.c calls out to, counted. */
static int charges, zaps;

static int fake_charge(void)
{
	charges++;
	return 0;
}

#define ib_rdmacg_try_charge(...)	fake_charge()
#define ib_rdmacg_uncharge(...)		((void)charges--)
#define rdma_restrack_del(res)		((void)0)
#include "uobject.c"
#undef ib_rdmacg_try_charge
#undef ib_rdmacg_uncharge
#undef rdma_restrack_del

enum role {
	ROLE_CREATE,			/* begin, commit */
	ROLE_ABORT,			/* begin, abort: the hardware object was made */
	ROLE_ABORT_EARLY,		/* begin, abort: it was not */
	ROLE_READ,			/* lookup, release */
	ROLE_WRITE,			/* the same alone */
	ROLE_DESTROY,		/* lookup, destroy, release */
	ROLE_DESTROY_REFUSED,	/* the same with a driver that says no */
	ROLES,
};

static const unsigned int steps_of[ROLES] = { 2, 2, 2, 2, 2, 3, 3 };

#define CAST		4	/* calls at the same time, the first of which creates */
#define MAX_STEPS	(CAST * 3)

struct actor {
	enum role role;
	unsigned int done;		/* steps so far */
	struct ib_uobject *held;
};

struct model {
	bool found, created, ended;
	int use;			/* calls that share it, or USE_EXCLUSIVE */
};

struct stage {
	struct ib_device dev;
	struct ib_uverbs_file ufile;
	struct uverbs_attr_bundle attrs;
	struct actor cast[CAST];
	unsigned int actors;
	struct model model;
	struct ib_uobject *uobj;	/* the creator's */
	bool refuse;
	unsigned int destroyed, plays;
	enum rdma_remove_reason last_reason;
};

static struct stage *stage;

static int fake_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			struct uverbs_attr_bundle *attrs)
{
	if (stage->refuse && why == RDMA_REMOVE_DESTROY)
		return -EBUSY;
	stage->destroyed++;
	stage->last_reason = why;
	return 0;
}

static void fake_disassociate(struct ib_ucontext *ucontext)
{
	zaps++;
}

static void fake_dealloc_ucontext(struct ib_ucontext *ucontext)
{
}

static const struct uverbs_obj_idr_type fake_type = {
	.type = { .type_class = &uverbs_idr_class, .obj_size = sizeof(struct ib_uobject) },
	.destroy_object = fake_destroy,
};

static const struct uverbs_api_object fake_object = {
	.type_attrs = &fake_type.type,
	.type_class = &uverbs_idr_class,
	.id = 1,
};

static int stage_set(struct kunit *test)
{
	struct ib_uverbs_file *ufile = &stage->ufile;
	struct ib_ucontext *ucontext = kzalloc(sizeof(*ucontext), GFP_KERNEL);

	if (!ucontext)
		return -ENOMEM;
	ucontext->device = &stage->dev;
	xa_init_flags(&ucontext->mmap_xa, XA_FLAGS_ALLOC);
	ufile->ucontext = ucontext;
	memset(&stage->attrs, 0, sizeof(stage->attrs));
	stage->attrs.ufile = ufile;
	stage->attrs.context = ucontext;
	memset(&stage->model, 0, sizeof(stage->model));
	stage->destroyed = 0;
	stage->uobj = NULL;
	stage->refuse = false;
	/* teardown uncharges the context. */
	charges = 1;
	return 0;
}

static int stage_init(struct kunit *test)
{
	stage = kunit_kzalloc(test, sizeof(*stage), GFP_KERNEL);
	if (!stage)
		return -ENOMEM;
	stage->dev.ops.disassociate_ucontext = fake_disassociate;
	stage->dev.ops.dealloc_ucontext = fake_dealloc_ucontext;
	mutex_init(&stage->ufile.teardown_lock);
	mutex_init(&stage->ufile.umap.lock);
	INIT_LIST_HEAD(&stage->ufile.umap.maps);
	spin_lock_init(&stage->ufile.objects_lock);
	INIT_LIST_HEAD(&stage->ufile.objects);
	xa_init_flags(&stage->ufile.handles, XA_FLAGS_ALLOC);
	kref_init(&stage->ufile.ref);
	return 0;
}

static void stage_exit(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, xa_empty(&stage->ufile.handles));
	rcu_barrier();
}

/* ---- the steps, each with what the model says of it ---- */

static void step_create(struct kunit *test, struct actor *a)
{
	struct model *m = &stage->model;

	if (!a->done) {
		stage->uobj = uverbs_uobject_begin(&fake_object, &stage->attrs);
		KUNIT_ASSERT_FALSE(test, IS_ERR(stage->uobj));
		KUNIT_ASSERT_EQ(test, stage->uobj->id, 0);
		m->use = USE_EXCLUSIVE;
		return;
	}
	if (a->role == ROLE_CREATE) {
		uverbs_uobject_commit(stage->uobj);
		m->found = m->created = true;
		m->use = 0;
	} else {
		uverbs_uobject_abort(stage->uobj, a->role == ROLE_ABORT, &stage->attrs);
		KUNIT_ASSERT_EQ(test, stage->destroyed, (unsigned int)(a->role == ROLE_ABORT));
		KUNIT_ASSERT_TRUE(test, a->role != ROLE_ABORT ||
					stage->last_reason == RDMA_REMOVE_ABORT);
		stage->destroyed = 0;
		stage->uobj = NULL;
	}
}

static int may_use(enum role role)
{
	const struct model *m = &stage->model;

	if (!m->found)
		return -ENOENT;
	if (role == ROLE_READ)
		return m->use < 0 ? -EBUSY : 0;
	if (role == ROLE_WRITE)
		return m->use ? -EBUSY : 0;
	return 0;
}

static const enum rdma_lookup_mode modes[ROLES] = {
	[ROLE_READ] = UVERBS_LOOKUP_READ,
	[ROLE_WRITE] = UVERBS_LOOKUP_WRITE,
	[ROLE_DESTROY] = UVERBS_LOOKUP_DESTROY,
	[ROLE_DESTROY_REFUSED] = UVERBS_LOOKUP_DESTROY,
};

static void step_lookup(struct kunit *test, struct actor *a)
{
	struct ib_uobject *uobj;
	int want = may_use(a->role);

	uobj = uverbs_uobject_lookup(&fake_object, &stage->ufile, 0, modes[a->role]);
	KUNIT_ASSERT_EQ(test, IS_ERR(uobj) ? PTR_ERR(uobj) : 0, (long)want);
	if (want)
		return;
	KUNIT_ASSERT_PTR_EQ(test, uobj, stage->uobj);
	a->held = uobj;
	if (a->role == ROLE_READ)
		stage->model.use++;
	if (a->role == ROLE_WRITE)
		stage->model.use = USE_EXCLUSIVE;
}

static void step_release(struct kunit *test, struct actor *a)
{
	if (!a->held)
		return;
	uverbs_uobject_release(a->held, modes[a->role]);
	a->held = NULL;
	if (a->role == ROLE_READ)
		stage->model.use--;
	if (a->role == ROLE_WRITE)
		stage->model.use = 0;
}

static void step_destroy(struct kunit *test, struct actor *a)
{
	struct model *m = &stage->model;
	/* What has ended stays exclusive, so that late destroyers get the answer of a busy one. */
	int want = m->ended || m->use ? -EBUSY : a->role == ROLE_DESTROY_REFUSED ? -EBUSY : 0;

	if (!a->held)
		return;
	stage->refuse = a->role == ROLE_DESTROY_REFUSED;
	KUNIT_ASSERT_EQ(test, uverbs_uobject_destroy(a->held, &stage->attrs), want);
	stage->refuse = false;
	if (!want) {
		m->ended = true;
		m->found = false;
		m->use = USE_EXCLUSIVE;
	}
	KUNIT_ASSERT_EQ(test, stage->destroyed, (unsigned int)m->ended);
}

static void step(struct kunit *test, struct actor *a)
{
	if (a->role <= ROLE_ABORT_EARLY)
		step_create(test, a);
	else if (!a->done)
		step_lookup(test, a);
	else if (a->done == steps_of[a->role] - 1)
		step_release(test, a);
	else
		step_destroy(test, a);
	a->done++;
}

/* ---- all orders of all casts ---- */

/* When no call is inside any more the file closes, or the device goes. */
static void play_end(struct kunit *test)
{
	bool removal = stage->plays % 2;
	int before = zaps;

	KUNIT_ASSERT_EQ(test, charges, 1 + (stage->model.found ? 1 : 0));
	uverbs_uobject_teardown(&stage->ufile, removal ? RDMA_REMOVE_DRIVER_REMOVE :
							 RDMA_REMOVE_CLOSE);
	KUNIT_ASSERT_EQ(test, stage->destroyed, (unsigned int)stage->model.created);
	KUNIT_ASSERT_EQ(test, charges, 0);
	KUNIT_ASSERT_EQ(test, zaps - before, (int)removal);
	KUNIT_ASSERT_TRUE(test, list_empty(&stage->ufile.objects));
	KUNIT_ASSERT_TRUE(test, xa_empty(&stage->ufile.handles));
	KUNIT_ASSERT_NULL(test, stage->ufile.ucontext);
	/* The second of close and removal finds nothing. */
	uverbs_uobject_teardown(&stage->ufile, RDMA_REMOVE_CLOSE);
	KUNIT_ASSERT_EQ(test, charges, 0);
}

static void play(struct kunit *test, const u8 *order, unsigned int steps)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, stage_set(test), 0);
	for (i = 0; i < stage->actors; i++) {
		stage->cast[i].done = 0;
		stage->cast[i].held = NULL;
	}
	for (i = 0; i < steps; i++)
		step(test, &stage->cast[order[i]]);
	play_end(test);
	stage->plays++;
}

/* The next order of the same steps, in dictionary order; false: that was the last. */
static bool next_order(u8 *order, unsigned int steps)
{
	unsigned int i = steps - 1, j = steps - 1;

	while (i && order[i - 1] >= order[i])
		i--;
	if (!i)
		return false;
	while (order[j] <= order[i - 1])
		j--;
	swap(order[i - 1], order[j]);
	for (j = steps - 1; i < j; i++, j--)
		swap(order[i], order[j]);
	return true;
}

static void play_all(struct kunit *test, const enum role *roles, unsigned int actors)
{
	unsigned int i, n, steps = 0;
	u8 order[MAX_STEPS];

	stage->actors = actors;
	for (i = 0; i < actors; i++) {
		stage->cast[i].role = roles[i];
		for (n = 0; n < steps_of[roles[i]]; n++)
			order[steps++] = i;
	}
	do {
		play(test, order, steps);
		if (test->status != KUNIT_SUCCESS) {
			kunit_info(test, "cast %d %d %d, order %*ph", roles[0], roles[1], roles[2],
				   steps, order);
			return;
		}
		cond_resched();
	} while (next_order(order, steps));
}

static void test_three(struct kunit *test)
{
	enum role cast[3];

	for (cast[0] = ROLE_CREATE; cast[0] <= ROLE_ABORT_EARLY; cast[0]++)
		for (cast[1] = ROLE_READ; cast[1] < ROLES; cast[1]++)
			for (cast[2] = cast[1]; cast[2] < ROLES; cast[2]++)
				play_all(test, cast, 3);
	kunit_info(test, "%u interleavings", stage->plays);
	KUNIT_EXPECT_GT(test, stage->plays, 5000u);
}

static void test_four(struct kunit *test)
{
	static const enum role cast[] = { ROLE_CREATE, ROLE_DESTROY, ROLE_DESTROY, ROLE_WRITE };

	play_all(test, cast, 4);
	kunit_info(test, "%u interleavings", stage->plays);
	KUNIT_EXPECT_EQ(test, stage->plays, 25200u);	/* 10! / (2! 3! 3! 2!) */
}

static void test_lookup_errors(struct kunit *test)
{
	struct ib_uobject *uobj;
	struct uverbs_api_object other = fake_object;

	KUNIT_ASSERT_EQ(test, stage_set(test), 0);
	uobj = uverbs_uobject_begin(&fake_object, &stage->attrs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
	uverbs_uobject_commit(uobj);
	KUNIT_EXPECT_PTR_EQ(test, uverbs_uobject_lookup(&other, &stage->ufile, 0,
							UVERBS_LOOKUP_READ),
			    (struct ib_uobject *)ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, uverbs_uobject_lookup(&fake_object, &stage->ufile, -1,
							UVERBS_LOOKUP_READ),
			    (struct ib_uobject *)ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, uverbs_uobject_lookup(&fake_object, &stage->ufile, 1,
							UVERBS_LOOKUP_READ),
			    (struct ib_uobject *)ERR_PTR(-ENOENT));
	KUNIT_EXPECT_PTR_EQ(test, uverbs_uobject_lookup(&fake_object, &stage->ufile, S64_MAX,
							UVERBS_LOOKUP_READ),
			    (struct ib_uobject *)ERR_PTR(-ENOENT));
	KUNIT_EXPECT_EQ(test, kref_read(&uobj->ref), 1u);
	/* Any kind will do where none is named. */
	KUNIT_EXPECT_PTR_EQ(test, uverbs_uobject_lookup(NULL, &stage->ufile, 0,
							UVERBS_LOOKUP_READ), uobj);
	uverbs_uobject_release(uobj, UVERBS_LOOKUP_READ);
	stage->model.created = stage->model.found = true;
	play_end(test);
	/* Without a context there is nothing to create. */
	stage->attrs.context = NULL;
	KUNIT_EXPECT_PTR_EQ(test, uverbs_uobject_begin(&fake_object, &stage->attrs),
			    (struct ib_uobject *)ERR_PTR(-EINVAL));
}

static struct kunit_case uobject_cases[] = {
	KUNIT_CASE(test_three),
	KUNIT_CASE(test_four),
	KUNIT_CASE(test_lookup_errors),
	{ }
};

static struct kunit_suite uobject_suite = {
	.name = "uverbs_uobject",
	.init = stage_init,
	.exit = stage_exit,
	.test_cases = uobject_cases,
};
kunit_test_suite(uobject_suite);
