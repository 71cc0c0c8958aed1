// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_copy.c - moving bytes: every alignment and length, lists, budgets, the order of stores.
 */
#include "host.h"
#include "copy.h"
#include "tap.h"

enum { ROOM = 300 };

static void test_alignments(void)
{
	static u8 from[ROOM], to[ROOM], want[ROOM];
	u32 s, d, n, i;

	for (i = 0; i < ROOM; i++)
		from[i] = (u8)(i * 7 + 1);
	for (s = 0; s < 9; s++)
		for (d = 0; d < 9; d++)
			for (n = 0; n <= 150; n++) {
				memset(to, 0xee, ROOM);
				memset(want, 0xee, ROOM);
				memcpy(want + 64 + d, from + 64 + s, n);
				eng_copy_bytes(to + 64 + d, from + 64 + s, n);
				CHECK(!memcmp(to, want, ROOM));
			}
}

/* Programs poll on the last byte: when it is there, everything before it is. */
struct watch {
	u8 *buf;
	u32 n, rounds, wrong, seen;
};

static void *watcher(void *arg)
{
	struct watch *w = arg;
	u32 round, i;

	for (round = 1; round <= w->rounds; round++) {
		while (__atomic_load_n(&w->buf[w->n - 1], __ATOMIC_ACQUIRE) != (u8)round)
			;
		for (i = 0; i < w->n; i++)
			w->wrong += env_read(w->buf[i]) != (u8)round;
		env_store_release(&w->seen, round);
	}
	return NULL;
}

static void test_last_byte_last(void)
{
	static const u32 lengths[] = { 8, 13, 64, 200, 1000 };
	static u64 from[128], to[128];
	u32 i, round;

	for (i = 0; i < 5; i++) {
		struct watch w = { (u8 *)to, lengths[i], 300, 0, 0 };
		pthread_t thread;

		memset(to, 0, sizeof(to));
		pthread_create(&thread, NULL, watcher, &w);
		for (round = 1; round <= w.rounds; round++) {
			memset(from, (u8)round, sizeof(from));
			eng_copy_bytes((u8 *)to, (u8 *)from, lengths[i]);
			while (env_load_acquire(&w.seen) != round)
				sched_yield();
		}
		pthread_join(thread, NULL);
		CHECK_EQ(w.wrong, 0);
	}
}

static struct eng_seg piece(u8 *at)
{
	u32 length = (u32)rand() % 4 ? (u32)rand() % 512 : 0;

	return (struct eng_seg){ (u64)(unsigned long)at, length, 0, NULL };
}

/* Lists of random pieces on both sides, moved in portions of random size. */
static void test_lists(void)
{
	static u8 from[4096], to[4096], want[4096];
	struct eng_seg src[8], dst[8];
	u32 round, i;

	srand(1);
	for (round = 0; round < 3000; round++) {
		struct eng_move move = { { dst, 8, 0 }, { src, 8, 0 }, 0 };
		u32 total[2] = { 0, 0 }, left;

		for (i = 0; i < 8; i++) {
			src[i] = piece(from + i * 512);
			dst[i] = piece(to + i * 512);
			total[0] += src[i].length;
			total[1] += dst[i].length;
		}
		left = total[0] < total[1] ? total[0] : total[1];
		for (i = 0; i < sizeof(from); i++)
			from[i] = (u8)rand();
		memset(to, 0, sizeof(to));
		memset(want, 0, sizeof(want));
		{
			u32 s = 0, d = 0, so = 0, dp = 0;

			for (i = 0; i < left; i++) {
				while (so == src[s].length)
					s++, so = 0;
				while (dp == dst[d].length)
					d++, dp = 0;
				want[d * 512 + dp++] = from[s * 512 + so++];
			}
		}
		move.left = left;
		for (;;) {
			u32 budget = (u32)rand() % 700;

			if (eng_copy_run(&move, &budget) == ENG_MOVE_DONE)
				break;
			CHECK_EQ(budget, 0);
		}
		CHECK(!memcmp(to, want, sizeof(to)));
	}
}

/* Blocks that are neighbours in memory are taken as one, others are not. */
static void test_blocks(void)
{
	struct host host;
	struct host_mr a, b;
	u32 offset, length;

	host_init(&host);
	host_mr_init(&host, &a, 10 * 4096, ENG_ACCESS_LOCAL_WRITE);
	host_mr_init(&host, &b, 10 * 4096, ENG_ACCESS_LOCAL_WRITE);
	for (offset = 0; offset < 9000; offset += 777) {
		for (length = 1; offset + length <= 40960; length = length * 3 + 5) {
			struct eng_seg src = { a.eng.iova + offset, length, 0, &a.eng };
			struct eng_seg dst = { b.eng.iova + offset / 2, length, 0, &b.eng };
			struct eng_move move = { { &dst, 1, 0 }, { &src, 1, 0 }, length };
			u32 budget = ~0u;

			host_mr_fill(&a, offset, length, length);
			CHECK_EQ(eng_copy_run(&move, &budget), ENG_MOVE_DONE);
			CHECK(host_mr_check(&b, offset / 2, length, length));
			host_mr_fill(&b, offset / 2, length, 1);
			if (eng_copy_quick(&dst, &src, length)) {
				CHECK(host_mr_check(&b, offset / 2, length, length));
				CHECK((src.addr - a.eng.iova + 24) % 4096 + length <= 4096);
			}
		}
	}
	host_mr_fini(&a);
	host_mr_fini(&b);
	host_fini(&host);
}

/* A region that is being retired stops either way of copying. */
static void test_dead_regions(void)
{
	struct host host;
	struct host_mr a, b;
	u32 budget = ~0u;

	host_init(&host);
	host_mr_init(&host, &a, 4096, ENG_ACCESS_LOCAL_WRITE);
	host_mr_init(&host, &b, 4096, ENG_ACCESS_LOCAL_WRITE);
	{
		struct eng_seg src = { a.eng.iova, 64, 0, &a.eng };
		struct eng_seg dst = { b.eng.iova, 64, 0, &b.eng };
		struct eng_move move = { { &dst, 1, 0 }, { &src, 1, 0 }, 64 };

		a.eng.dead = 1;
		CHECK(!eng_copy_quick(&dst, &src, 64));
		CHECK_EQ(eng_copy_run(&move, &budget), ENG_MOVE_SRC_GONE);
		a.eng.dead = 0;
		b.eng.dead = 1;
		CHECK(!eng_copy_quick(&dst, &src, 64));
		CHECK_EQ(eng_copy_run(&move, &budget), ENG_MOVE_DST_GONE);
		b.eng.dead = 0;
	}
	host_mr_fini(&a);
	host_mr_fini(&b);
	host_fini(&host);
}

/* The kernel's DMA key: addresses are pointers. */
static void test_identity(void)
{
	static u8 from[100] = { 1, 2, 3 }, to[100];
	struct eng_mr mr = { .identity = true, .length = ~0ull };
	struct eng_seg src = { (u64)(unsigned long)from, 100, 0, &mr };
	struct eng_seg dst = { (u64)(unsigned long)to, 100, 0, &mr };
	struct eng_move move = { { &dst, 1, 0 }, { &src, 1, 0 }, 100 };
	u32 budget = ~0u;

	CHECK_EQ(eng_copy_run(&move, &budget), ENG_MOVE_DONE);
	CHECK(!memcmp(from, to, 100));
}

static const struct tap_test tests[] = {
	{ "every alignment and length", test_alignments },
	{ "the last byte is last", test_last_byte_last },
	{ "lists", test_lists },
	{ "blocks", test_blocks },
	{ "dead regions", test_dead_regions },
	{ "identity", test_identity },
};

TAP_MAIN(tests)
