// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of umem.c: which page sizes can carry a region, for random scatterlists, against the
 * definition followed block by block; and walking over the blocks.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <rdma/iter.h>

#include "umem.c"

#define PIECES		6
#define ROUNDS		3000

struct region {
	struct ib_umem umem;
	struct scatterlist sg[PIECES];
};

/* Pieces of pages, some of which are neighbours; the first may start inside its page. */
static void make_region(struct region *r, struct rnd_state *rnd)
{
	unsigned int pieces = 1 + prandom_u32_state(rnd) % PIECES, i;
	unsigned long at = (prandom_u32_state(rnd) % 64) * PAGE_SIZE;
	unsigned int skip = prandom_u32_state(rnd) % 3 ? 0 : prandom_u32_state(rnd) % PAGE_SIZE;
	size_t bytes = 0;

	memset(r, 0, sizeof(*r));
	sg_init_table(r->sg, pieces);
	for (i = 0; i < pieces; i++) {
		unsigned int pages = 1u << prandom_u32_state(rnd) % 5;

		/* Often aligned to the piece itself, as big folios are. */
		if (prandom_u32_state(rnd) % 2)
			at = ALIGN(at, pages * PAGE_SIZE);
		sg_dma_address(&r->sg[i]) = at;
		sg_dma_len(&r->sg[i]) = pages * PAGE_SIZE;
		bytes += pages * PAGE_SIZE;
		at += pages * PAGE_SIZE * (1 + prandom_u32_state(rnd) % 3);
	}
	r->umem.sgt_append.sgt.sgl = r->sg;
	r->umem.sgt_append.sgt.nents = pieces;
	r->umem.sgt_append.sgt.orig_nents = pieces;
	r->umem.address = 0x7f0000000000ul + skip;
	r->umem.length = bytes - skip - prandom_u32_state(rnd) % PAGE_SIZE / 2;
	if (r->umem.length > bytes)
		r->umem.length = 1;
}

/*
 * By definition: every device address lies as far into its block as the bus address of the same
 * byte does, and each block lies in one piece. Looked at page by page.
 */
static bool carries(const struct region *r, unsigned long size, u64 iova)
{
	unsigned long skip = r->umem.address & ~PAGE_MASK;
	unsigned long block = ULONG_MAX;
	unsigned int i, piece = 0;

	for (i = 0; i < r->umem.sgt_append.sgt.nents; i++) {
		unsigned long dma = sg_dma_address(&r->sg[i]) + skip;
		unsigned long end = sg_dma_address(&r->sg[i]) + sg_dma_len(&r->sg[i]);

		while (dma < end) {
			unsigned long step = min(end - dma, PAGE_SIZE - (dma & ~PAGE_MASK));

			if ((dma ^ iova) & (size - 1))
				return false;
			if (block == (iova & ~(size - 1)) && piece != i)
				return false;
			block = iova & ~(size - 1);
			piece = i;
			dma += step;
			iova += step;
		}
		skip = 0;
	}
	return true;
}

static void test_best_page_size(struct kunit *test)
{
	struct region *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	unsigned int n, shift, found[8] = { };
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, r);
	prandom_seed_state(&rnd, 11);
	for (n = 0; n < ROUNDS && test->status == KUNIT_SUCCESS; n++) {
		unsigned long sizes = GENMASK(PAGE_SHIFT + 6, PAGE_SHIFT), got;
		u64 iova;

		make_region(r, &rnd);
		iova = r->umem.address;
		/* Mostly an address of the consumer's choice that suits large pages. */
		if (prandom_u32_state(&rnd) % 4)
			iova = (sg_dma_address(&r->sg[0]) & ~PAGE_MASK) +
			       ((prandom_u32_state(&rnd) % 16) << (PAGE_SHIFT + 6)) +
			       (sg_dma_address(&r->sg[0]) % (PAGE_SIZE << 6)) +
			       (r->umem.address & ~PAGE_MASK);
		got = ib_umem_find_best_pgsz(&r->umem, sizes, iova);
		KUNIT_ASSERT_EQ(test, r->umem.iova, iova);
		if (!got) {
			KUNIT_EXPECT_FALSE(test, carries(r, PAGE_SIZE, iova));
			continue;
		}
		KUNIT_EXPECT_TRUE_MSG(test, carries(r, got, iova), "size %#lx", got);
		found[ilog2(got) - PAGE_SHIFT]++;
		/* A larger one is passed over only when the region fits into one page of this. */
		for (shift = ilog2(got) + 1; shift <= PAGE_SHIFT + 6; shift++)
			KUNIT_EXPECT_TRUE_MSG(test, !carries(r, BIT(shift), iova) ||
					      (iova ^ (iova + r->umem.length - 1)) < got ||
					      r->umem.sgt_append.sgt.nents == 1,
					      "size %#lx, although %#lx carries it", got,
					      BIT(shift));
	}
	/* The test has seen small and large ones. */
	KUNIT_EXPECT_GT(test, found[0], 10u);
	KUNIT_EXPECT_GT(test, found[1] + found[2], 10u);
	KUNIT_EXPECT_GT(test, found[3] + found[4] + found[5] + found[6], 10u);
}

static void test_no_small_pages(struct kunit *test)
{
	struct region *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, r);
	prandom_seed_state(&rnd, 1);
	make_region(r, &rnd);
	KUNIT_EXPECT_EQ(test, ib_umem_find_best_pgsz(&r->umem, 0, r->umem.address), 0ul);
	KUNIT_EXPECT_EQ(test, ib_umem_find_best_pgsz(&r->umem, PAGE_SIZE * 2, r->umem.address),
			0ul);
}

/* A walk by blocks of the best size visits each block once, in order, and no byte is left out. */
static void test_walk(struct kunit *test)
{
	struct region *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct ib_block_iter biter;
	struct rnd_state rnd;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, r);
	prandom_seed_state(&rnd, 13);
	for (n = 0; n < ROUNDS && test->status == KUNIT_SUCCESS; n++) {
		unsigned long sizes = GENMASK(PAGE_SHIFT + 6, PAGE_SHIFT), size, at;
		unsigned int i = 0, blocks = 0;

		make_region(r, &rnd);
		size = ib_umem_find_best_pgsz(&r->umem, sizes, r->umem.address);
		if (!size)
			continue;
		at = sg_dma_address(&r->sg[0]) & ~(size - 1);
		rdma_umem_for_each_dma_block(&r->umem, &biter, size) {
			while (i < r->umem.sgt_append.sgt.nents &&
			       at >= sg_dma_address(&r->sg[i]) + sg_dma_len(&r->sg[i])) {
				i++;
				if (i < r->umem.sgt_append.sgt.nents)
					at = sg_dma_address(&r->sg[i]) & ~(size - 1);
			}
			KUNIT_ASSERT_EQ(test, rdma_block_iter_dma_address(&biter), (dma_addr_t)at);
			at += size;
			blocks++;
		}
		KUNIT_ASSERT_EQ(test, (size_t)blocks, ib_umem_num_dma_blocks(&r->umem, size));
	}
}

static void test_ranges(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, umem_check_range(0x1000, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, umem_check_range(0x1000, 1), 0);
	KUNIT_EXPECT_EQ(test, umem_check_range(ULONG_MAX, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, umem_check_range(ULONG_MAX, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, umem_check_range(PAGE_MASK, PAGE_SIZE - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, umem_check_range(PAGE_MASK - PAGE_SIZE, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, umem_check_range(0, (size_t)UINT_MAX << PAGE_SHIFT), 0);
	KUNIT_EXPECT_EQ(test, umem_check_range(0, ((size_t)UINT_MAX + 1) << PAGE_SHIFT), -EINVAL);
}

static struct kunit_case umem_cases[] = {
	KUNIT_CASE(test_best_page_size),
	KUNIT_CASE(test_no_small_pages),
	KUNIT_CASE(test_walk),
	KUNIT_CASE(test_ranges),
	{ }
};

static struct kunit_suite umem_suite = {
	.name = "uverbs_umem",
	.test_cases = umem_cases,
};
kunit_test_suite(umem_suite);
