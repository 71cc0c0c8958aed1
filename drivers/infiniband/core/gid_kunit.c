// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of gid.c: a table under random adds, deletes, holds and puts beside a model of its slots.
 */
#include <kunit/test.h>
#include <linux/random.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "roce_netdev.h"

/* Where gid.c calls out to: counted, not done. */
static unsigned int events, rescans;
#define ib_dispatch_event(event)	((void)(event), events++)
#define core_roce_rescan_all()		((void)rescans++)
static bool no_memory;
#define kzalloc(size, flags)		(no_memory ? NULL : (kzalloc)(size, flags))
#include "gid.c"
#undef kzalloc
#undef ib_dispatch_event
#undef core_roce_rescan_all

#define SLOTS	6	/* one of them for the default GID */
#define GIDS	9
#define STEPS	20000
#define PORT	1

struct model_slot {
	int gid;		/* -1: free */
	bool live;
	unsigned int held;
};

struct scene {
	struct ib_device *dev;
	struct model_slot slots[SLOTS];
	int told[SLOTS];	/* what the driver was told is there */
	bool refuse;		/* the driver takes no more */
};

static struct scene scene;

static union ib_gid gid_of(int n)
{
	return (union ib_gid){ .raw = { 0xfd, [15] = n + 1 } };
}

static int fake_add_gid(const struct ib_gid_attr *attr, void **context)
{
	if (scene.refuse)
		return -ENOMEM;
	scene.told[attr->index] = attr->gid.raw[15];
	*context = &scene;
	return 0;
}

static int fake_del_gid(const struct ib_gid_attr *attr, void **context)
{
	scene.told[attr->index] = 0;
	return 0;
}

static int gid_init(struct kunit *test)
{
	unsigned int i;

	memset(&scene, 0, sizeof(scene));
	events = rescans = 0;
	scene.dev = kunit_kzalloc(test, sizeof(*scene.dev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, scene.dev);
	scene.dev->port_data = kunit_kcalloc(test, PORT + 1, sizeof(*scene.dev->port_data),
					     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, scene.dev->port_data);
	scene.dev->phys_port_cnt = 1;
	scene.dev->ops.add_gid = fake_add_gid;
	scene.dev->ops.del_gid = fake_del_gid;
	scene.dev->port_data[PORT].immutable.gid_tbl_len = SLOTS;
	scene.dev->port_data[PORT].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	for (i = 0; i < SLOTS; i++)
		scene.slots[i].gid = -1;
	KUNIT_ASSERT_EQ(test, core_gid_device_setup(scene.dev), 0);
	return 0;
}

static void gid_exit(struct kunit *test)
{
	core_gid_device_cleanup(scene.dev);
	core_gid_device_release(scene.dev);
	core_gid_exit();
}

static struct model_slot *live_slot(int gid)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		if (scene.slots[i].live && scene.slots[i].gid == gid)
			return &scene.slots[i];
	return NULL;
}

static struct model_slot *free_slot(void)
{
	unsigned int i;

	for (i = 1; i < SLOTS; i++)
		if (scene.slots[i].gid < 0)
			return &scene.slots[i];
	return NULL;
}

static void model_retire(struct model_slot *slot)
{
	slot->live = false;
	if (!slot->held)
		slot->gid = -1;
}

static void step_add(struct kunit *test, int gid)
{
	union ib_gid raw = gid_of(gid);
	struct model_slot *slot = free_slot();
	unsigned int before = events;
	bool there = live_slot(gid);
	int want = there || (slot && !scene.refuse) ? 0 : slot ? -ENOMEM : -ENOSPC;

	KUNIT_ASSERT_EQ(test, core_gid_add(scene.dev, PORT, &raw, NULL), want);
	KUNIT_ASSERT_EQ(test, events - before, !there && !want);
	if (!there && !want)
		*slot = (struct model_slot){ .gid = gid, .live = true };
}

static void step_del(struct kunit *test, int gid)
{
	struct model_slot *slot = live_slot(gid);
	union ib_gid raw = gid_of(gid);
	unsigned int before = events;

	core_gid_del(scene.dev, PORT, &raw, NULL);
	/* The default entry goes by core_gid_set_default() alone. */
	if (slot == &scene.slots[0])
		slot = NULL;
	KUNIT_ASSERT_EQ(test, events - before, !!slot);
	if (slot)
		model_retire(slot);
}

static void step_default(struct kunit *test, int gid)
{
	struct model_slot *slot = &scene.slots[0];
	union ib_gid raw = gid_of(gid);

	if (slot->live && slot->gid != gid)
		model_retire(slot);
	core_gid_set_default(scene.dev, PORT, &raw, NULL);
	if (slot->gid < 0 && !scene.refuse)
		*slot = (struct model_slot){ .gid = gid, .live = true };
}

static void step_no_default(struct kunit *test)
{
	if (scene.slots[0].live)
		model_retire(&scene.slots[0]);
	core_gid_set_default(scene.dev, PORT, NULL, NULL);
}

static struct core_gid_entry *entry_at(unsigned int index)
{
	return core_gid_table(scene.dev, PORT)->slots[index];
}

static void step_hold(unsigned int index)
{
	if (!scene.slots[index].live)
		return;
	kref_get(&entry_at(index)->kref);
	scene.slots[index].held++;
}

static void step_put(unsigned int index)
{
	struct model_slot *slot = &scene.slots[index];

	if (!slot->held)
		return;
	core_gid_entry_put(entry_at(index));
	if (!--slot->held && !slot->live)
		slot->gid = -1;
}

static void compare(struct kunit *test)
{
	struct core_gid_entry *entry;
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		struct model_slot *slot = &scene.slots[i];

		entry = entry_at(i);
		KUNIT_ASSERT_EQ(test, !!entry, slot->gid >= 0);
		KUNIT_ASSERT_EQ(test, scene.told[i], slot->live ? slot->gid + 1 : 0);
		if (!entry)
			continue;
		KUNIT_ASSERT_EQ(test, entry->live, slot->live);
		KUNIT_ASSERT_EQ(test, entry->attr.index, i);
		KUNIT_ASSERT_EQ(test, entry->attr.gid.raw[15], slot->gid + 1);
		KUNIT_ASSERT_EQ(test, kref_read(&entry->kref), slot->held + slot->live);
		KUNIT_ASSERT_EQ(test, entry->is_default, i == 0);
	}
}

static void test_random(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int n, i;

	prandom_seed_state(&rnd, 5);
	for (n = 0; n < STEPS && test->status == KUNIT_SUCCESS; n++) {
		u32 dice = prandom_u32_state(&rnd), x = prandom_u32_state(&rnd);

		scene.refuse = x % 64 == 63;
		switch (dice % 8) {
		case 0: case 1: step_add(test, x % GIDS); break;
		case 2: step_del(test, x % GIDS); break;
		case 3: step_default(test, x % GIDS); break;
		case 4: step_hold(x % SLOTS); break;
		case 5: case 6: step_put(x % SLOTS); break;
		case 7:
			if (x % 8 == 0)
				step_no_default(test);
			break;
		}
		compare(test);
	}
	for (i = 0; i < SLOTS; i++)
		while (scene.slots[i].held)
			step_put(i);
	compare(test);
}

/* A GID that found no room is asked for again when the holder of a slot lets go. */
static void test_starved(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < SLOTS - 1; i++)
		step_add(test, i);
	step_hold(3);
	step_del(test, scene.slots[3].gid);
	compare(test);
	step_add(test, 8);	/* -ENOSPC: its index still means the old one */
	KUNIT_EXPECT_EQ(test, rescans, 0u);
	step_put(3);
	KUNIT_EXPECT_EQ(test, rescans, 1u);
	step_add(test, 8);
	KUNIT_EXPECT_EQ(test, scene.slots[3].gid, 8);
	compare(test);
}

/* A GID that found no memory is looked for again: no notice of its address comes twice. */
static void test_no_memory(struct kunit *test)
{
	union ib_gid gid = gid_of(2);

	no_memory = true;
	KUNIT_EXPECT_EQ(test, core_gid_add(scene.dev, PORT, &gid, NULL), -ENOMEM);
	core_gid_set_default(scene.dev, PORT, &gid, NULL);
	no_memory = false;
	KUNIT_EXPECT_EQ(test, rescans, 2u);
	compare(test);
	step_add(test, 2);
	compare(test);
}

static void test_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, core_gid_add(scene.dev, PORT, &zgid, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, core_gid_set_slot(scene.dev, PORT, SLOTS, &zgid), -EINVAL);
	compare(test);
}

static void test_type_names(struct kunit *test)
{
	int type;

	for (type = IB_GID_TYPE_IB; type < IB_GID_TYPE_SIZE; type++) {
		const char *name = ib_cache_gid_type_str(type);

		KUNIT_EXPECT_STREQ(test, name,
				   type == IB_GID_TYPE_ROCE_UDP_ENCAP ? "RoCE v2" : "IB/RoCE v1");
		KUNIT_EXPECT_STREQ(test, ib_cache_gid_type_str(ib_cache_gid_parse_type_str(name)),
				   name);
	}
	KUNIT_EXPECT_EQ(test, ib_cache_gid_parse_type_str("RoCE v2\n"),
			IB_GID_TYPE_ROCE_UDP_ENCAP);
	KUNIT_EXPECT_EQ(test, ib_cache_gid_parse_type_str("RoCE v3"), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cache_gid_parse_type_str(""), -EINVAL);
	KUNIT_EXPECT_STREQ(test, ib_cache_gid_type_str(IB_GID_TYPE_SIZE), "Invalid GID type");
}

static struct kunit_case gid_cases[] = {
	KUNIT_CASE(test_random),
	KUNIT_CASE(test_starved),
	KUNIT_CASE(test_no_memory),
	KUNIT_CASE(test_zero),
	KUNIT_CASE(test_type_names),
	{ }
};

static struct kunit_suite gid_suite = {
	.name = "core_gid",
	.init = gid_init,
	.exit = gid_exit,
	.test_cases = gid_cases,
};
kunit_test_suite(gid_suite);
