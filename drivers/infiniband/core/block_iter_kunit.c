// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of block_iter.c: the blocks of random scatter lists, of each size of block, beside a walk
 * that goes byte by byte in steps of the smallest block.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "block_iter.c"

#define ENTRIES		6
#define UNIT		SZ_4K	/* entries begin and end on it */

/* Where the blocks of one entry begin: at its own beginning and at each multiple of the size. */
static unsigned int expect_entry(dma_addr_t *out, dma_addr_t from, unsigned int bytes, u64 size)
{
	unsigned int n = 0, at;

	for (at = 0; at < bytes; at += UNIT)
		if (!at || !((from + at) & (size - 1)))
			out[n++] = from + at;
	return n;
}

static void walk(struct kunit *test, struct scatterlist *sg, dma_addr_t *want, unsigned int count,
		 unsigned long size)
{
	struct ib_block_iter iter;
	unsigned int n = 0;

	__rdma_block_iter_start(&iter, sg, ENTRIES, size);
	while (__rdma_block_iter_next(&iter)) {
		/* A block's address is its beginning, even if the memory begins later. */
		if (n < count)
			KUNIT_EXPECT_EQ(test, (u64)rdma_block_iter_dma_address(&iter),
					(u64)want[n] & ~((u64)size - 1));
		n++;
	}
	KUNIT_EXPECT_EQ_MSG(test, n, count, "blocks of %lu", size);
}

static void test_random(struct kunit *test)
{
	dma_addr_t *want = kunit_kcalloc(test, ENTRIES * 64, sizeof(*want), GFP_KERNEL);
	struct scatterlist sg[ENTRIES];
	struct rnd_state rnd;
	unsigned int round, i, count, bytes;
	unsigned long size;

	KUNIT_ASSERT_NOT_NULL(test, want);
	prandom_seed_state(&rnd, 7);
	for (round = 0; round < 200; round++) {
		size = UNIT << prandom_u32_state(&rnd) % 5;
		sg_init_table(sg, ENTRIES);
		for (i = 0, count = 0; i < ENTRIES; i++) {
			sg_dma_address(&sg[i]) = (u64)prandom_u32_state(&rnd) * UNIT;
			bytes = (1 + prandom_u32_state(&rnd) % 63) * UNIT;
			sg_dma_len(&sg[i]) = bytes;
			count += expect_entry(want + count, sg_dma_address(&sg[i]), bytes, size);
		}
		walk(test, sg, want, count, size);
	}
}

static void test_empty(struct kunit *test)
{
	struct ib_block_iter iter;

	__rdma_block_iter_start(&iter, NULL, 0, UNIT);
	KUNIT_EXPECT_FALSE(test, __rdma_block_iter_next(&iter));
}

static struct kunit_case block_iter_cases[] = {
	KUNIT_CASE(test_random),
	KUNIT_CASE(test_empty),
	{ }
};

static struct kunit_suite block_iter_suite = {
	.name = "core_block_iter",
	.test_cases = block_iter_cases,
};
kunit_test_suite(block_iter_suite);
