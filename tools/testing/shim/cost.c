// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cost.c - what the data path costs in the library alone: the loops below are counted in
 * instructions by callgrind (cost-check), and the program itself says whether one of the calls
 * allocated memory or entered the kernel (C006).  The engine is this program; rings are
 * ordinary memory.
 */
#include <stdlib.h>
#include <string.h>
#include "fake.h"
#include "tap.h"

#define ROUNDS	1000	/* cost-check divides by it */
#define DEPTH	1024	/* a power of two, at least ROUNDS */
#define INLINE	64	/* bytes at most */

static struct fake_context *fc;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static char data[INLINE];
static uint32_t done;
static bool failed;

/* Linked over the allocator; counted between the marks only. */
static unsigned long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	allocations++;
	return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	allocations++;
	return __real_aligned_alloc(alignment, size);
}

static void post(uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)data, length, 0 };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED }, *bad;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		failed |= ibv_post_send(qp, &wr, &bad) != 0;
}

/* Counted: posts of one inline WQE of one 64-byte unit. */
__attribute__((noinline)) void measure_post_send(void);
void measure_post_send(void)
{
	post(SHCA_WQE_UNIT - SHCA_SEND_WQE_HEAD);
}

/* Counted: posts of 64 bytes of inline data. */
__attribute__((noinline)) void measure_post_send_64(void);
void measure_post_send_64(void)
{
	post(INLINE);
}

/* Counted: polls of one CQE each. */
__attribute__((noinline)) void measure_poll_cq(void);
void measure_poll_cq(void)
{
	struct ibv_wc wc;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		failed |= ibv_poll_cq(cq, 1, &wc) != 1;
}

static void post_recv(void)
{
	struct ibv_sge sge = { (uintptr_t)data, INLINE, 1 };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		failed |= ibv_post_recv(qp, &wr, &bad) != 0;
}

static void complete_all(void)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		fake_complete(cq, qp->qp_num, 0, IBV_WC_RDMA_WRITE, ++done);
}

static void test_nothing_but_memory(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1,
				  .max_recv_sge = 1, .max_inline_data = INLINE };
	unsigned long before;
	unsigned int commands;

	fc = fake_open();
	cq = fake_cq(fc, DEPTH);
	qp = fake_qp(fc, IBV_QPT_RC, cq, &cap, 0);
	shca_qp(qp)->shared->running = 1;
	before = allocations;
	commands = fake.commands;
	measure_post_send();
	complete_all();
	measure_poll_cq();
	measure_post_send_64();
	complete_all();
	measure_poll_cq();
	post_recv();
	ibv_req_notify_cq(cq, 0);
	CHECK(!failed);
	CHECK(before > 0);
	CHECK_EQ(allocations, before);
	CHECK_EQ(fake.commands, commands);
	CHECK_EQ(fake.doorbells, 0);
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	fake_close(fc);
}

static const struct tap_test tests[] = {
	{ "the data path allocates nothing and enters no kernel", test_nothing_but_memory },
};

TAP_MAIN(tests)
