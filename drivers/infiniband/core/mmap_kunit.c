// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of mmap.c: ranges of offsets under random inserts, lookups, removals and puts, beside a
 * model that looks for the first fit page by page.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "mmap.c"

#define PAGES	48	/* offsets MIN_PGOFF ... MIN_PGOFF + PAGES - 1 */
#define MIN_PGOFF 3
#define ENTRIES	24
#define STEPS	20000

struct model_entry {
	struct rdma_user_mmap_entry entry;
	bool used, removed;
	unsigned int mappings, freed;
};

struct mmap_scene {
	struct ib_device dev;
	struct ib_ucontext ucontext;
	struct model_entry entries[ENTRIES];
	u8 taken[PAGES];	/* number of the entry, from 1 */
};

static void fake_mmap_free(struct rdma_user_mmap_entry *entry)
{
	container_of(entry, struct model_entry, entry)->freed++;
}

static int scene_init(struct kunit *test)
{
	struct mmap_scene *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->dev.ops.mmap_free = fake_mmap_free;
	s->ucontext.device = &s->dev;
	xa_init_flags(&s->ucontext.mmap_xa, XA_FLAGS_ALLOC);
	test->priv = s;
	return 0;
}

static void scene_exit(struct kunit *test)
{
	struct mmap_scene *s = test->priv;

	KUNIT_EXPECT_TRUE(test, xa_empty(&s->ucontext.mmap_xa));
	xa_destroy(&s->ucontext.mmap_xa);
}

/* -1: no room. */
static int first_fit(const struct mmap_scene *s, unsigned int npages)
{
	unsigned int at, n;

	for (at = 0; at + npages <= PAGES; at++) {
		for (n = 0; n < npages && !s->taken[at + n]; n++)
			;
		if (n == npages)
			return at;
	}
	return -1;
}

static void step_insert(struct kunit *test, unsigned int i, unsigned int bytes)
{
	struct mmap_scene *s = test->priv;
	struct model_entry *e = &s->entries[i];
	unsigned int npages = DIV_ROUND_UP(bytes, PAGE_SIZE);
	int at = npages ? first_fit(s, npages) : -1, ret;

	if (e->used)
		return;
	memset(e, 0, sizeof(*e));
	ret = rdma_user_mmap_entry_insert_range(&s->ucontext, &e->entry, bytes, MIN_PGOFF,
						MIN_PGOFF + PAGES - 1);
	KUNIT_ASSERT_EQ(test, ret, at < 0 ? -ENOMEM : 0);
	if (ret)
		return;
	KUNIT_ASSERT_EQ(test, e->entry.start_pgoff, (unsigned long)MIN_PGOFF + at);
	KUNIT_ASSERT_EQ(test, e->entry.npages, (size_t)npages);
	memset(&s->taken[at], i + 1, npages);
	e->used = true;
}

/* What is left of an entry that nobody refers to any more: nothing. */
static void settle(struct kunit *test, unsigned int i)
{
	struct mmap_scene *s = test->priv;
	struct model_entry *e = &s->entries[i];
	unsigned int n;

	KUNIT_ASSERT_EQ(test, e->freed, e->removed && !e->mappings);
	if (!e->freed)
		return;
	for (n = 0; n < PAGES; n++)
		if (s->taken[n] == i + 1)
			s->taken[n] = 0;
	e->used = false;
}

static void step_remove(struct kunit *test, unsigned int i)
{
	struct mmap_scene *s = test->priv;
	struct model_entry *e = &s->entries[i];

	if (!e->used || e->removed)
		return;
	e->removed = true;
	rdma_user_mmap_entry_remove(&e->entry);
	settle(test, i);
}

static void step_get(struct kunit *test, unsigned int page)
{
	struct mmap_scene *s = test->priv;
	struct rdma_user_mmap_entry *got;
	struct model_entry *want = NULL;

	got = rdma_user_mmap_entry_get_pgoff(&s->ucontext, MIN_PGOFF + page);
	if (s->taken[page])
		want = &s->entries[s->taken[page] - 1];
	if (want && (want->removed || want->entry.start_pgoff != MIN_PGOFF + page))
		want = NULL;
	KUNIT_ASSERT_PTR_EQ(test, got, want ? &want->entry : NULL);
	if (want)
		want->mappings++;
}

static void step_put(struct kunit *test, unsigned int i)
{
	struct mmap_scene *s = test->priv;
	struct model_entry *e = &s->entries[i];

	if (!e->used || !e->mappings)
		return;
	e->mappings--;
	rdma_user_mmap_entry_put(&e->entry);
	settle(test, i);
}

static void end_all(struct kunit *test)
{
	struct mmap_scene *s = test->priv;
	unsigned int i;

	for (i = 0; i < ENTRIES; i++) {
		while (s->entries[i].used && s->entries[i].mappings)
			step_put(test, i);
		step_remove(test, i);
		KUNIT_EXPECT_FALSE(test, s->entries[i].used);
	}
}

static void test_random(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int n;

	prandom_seed_state(&rnd, 7);
	for (n = 0; n < STEPS && test->status == KUNIT_SUCCESS; n++) {
		u32 x = prandom_u32_state(&rnd) >> 8;

		switch (prandom_u32_state(&rnd) % 4) {
		case 0:
			step_insert(test, x % ENTRIES, x / ENTRIES % (6 * PAGE_SIZE));
			break;
		case 1:
			step_remove(test, x % ENTRIES);
			break;
		case 2:
			step_get(test, x % PAGES);
			break;
		case 3:
			step_put(test, x % ENTRIES);
			break;
		}
	}
	end_all(test);
}

static void test_edges(struct kunit *test)
{
	struct mmap_scene *s = test->priv;
	struct rdma_user_mmap_entry *entry = &s->entries[0].entry;

	KUNIT_EXPECT_EQ(test, rdma_user_mmap_entry_insert(&s->ucontext, NULL, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, rdma_user_mmap_entry_insert(&s->ucontext, entry, 0), -ENOMEM);
	KUNIT_EXPECT_EQ(test, rdma_user_mmap_entry_insert(&s->ucontext, entry, SIZE_MAX), -ENOMEM);
	/* The last offset there is. */
	KUNIT_EXPECT_EQ(test, rdma_user_mmap_entry_insert_range(&s->ucontext, entry, PAGE_SIZE,
								U32_MAX, U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, entry->start_pgoff, (unsigned long)U32_MAX);
	KUNIT_EXPECT_EQ(test, rdma_user_mmap_entry_insert_range(&s->ucontext,
				&s->entries[1].entry, PAGE_SIZE, U32_MAX, U32_MAX), -ENOMEM);
	KUNIT_EXPECT_NULL(test, rdma_user_mmap_entry_get_pgoff(&s->ucontext, (u64)U32_MAX + 1));
	rdma_user_mmap_entry_remove(entry);
	KUNIT_EXPECT_EQ(test, s->entries[0].freed, 1u);
	rdma_user_mmap_entry_remove(NULL);
}

/* A mapping must be shared and cover the entry exactly. */
static void test_vma(struct kunit *test)
{
	struct mmap_scene *s = test->priv;
	struct vm_area_struct vma = { .vm_start = 0x100000, .vm_flags = VM_SHARED };

	step_insert(test, 0, 2 * PAGE_SIZE);
	vma.vm_pgoff = s->entries[0].entry.start_pgoff;
	vma.vm_end = vma.vm_start + 2 * PAGE_SIZE;
	KUNIT_EXPECT_PTR_EQ(test, rdma_user_mmap_entry_get(&s->ucontext, &vma),
			    &s->entries[0].entry);
	s->entries[0].mappings++;
	vma.vm_end += PAGE_SIZE;
	KUNIT_EXPECT_NULL(test, rdma_user_mmap_entry_get(&s->ucontext, &vma));
	vma.vm_end = vma.vm_start + PAGE_SIZE;
	KUNIT_EXPECT_NULL(test, rdma_user_mmap_entry_get(&s->ucontext, &vma));
	vma.vm_end = vma.vm_start + 2 * PAGE_SIZE;
	vma.vm_flags = 0;
	KUNIT_EXPECT_NULL(test, rdma_user_mmap_entry_get(&s->ucontext, &vma));
	KUNIT_EXPECT_EQ(test, kref_read(&s->entries[0].entry.ref), 2u);
	end_all(test);
}

static struct kunit_case mmap_cases[] = {
	KUNIT_CASE(test_random),
	KUNIT_CASE(test_edges),
	KUNIT_CASE(test_vma),
	{ }
};

static struct kunit_suite mmap_suite = {
	.name = "core_mmap",
	.init = scene_init,
	.exit = scene_exit,
	.test_cases = mmap_cases,
};
kunit_test_suite(mmap_suite);
