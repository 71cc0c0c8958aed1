// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F11: the source of an RDMA read goes away in the middle of it. Each read ends in
 * bounded time, with the right bytes or with an error of access or operation, never with wrong
 * ones; and memory that is unmapped without being deregistered can be read as it was.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

#define BYTES		(1 << 20)
#define ROUNDS		60
#define DEADLINE_MS	20000	/* a slow machine does fewer rounds */
#define WAIT_TRIES	10	/* of two seconds each, for one read */

static struct fixture f;
static struct ibv_cq *cq;
static struct ibv_mr *sink;
static uint8_t *into;

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static uint8_t *map_source(void)
{
	uint8_t *source = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t i;

	if (source == MAP_FAILED)
		tap_bail("memory");
	for (i = 0; i < BYTES; i++)
		source[i] = (uint8_t)(i * 13 + (i >> 9) + 1);
	return source;
}

/* Who reads, and who is read from: an error at one end must not flush what the other end knows. */
struct ends {
	struct ibv_qp *qp[2];
};

/* The path MTU is the least, so that a read has many parts. */
static struct ends connected(void)
{
	struct ends e = { { fixture_qp(&f, cq, NULL, IBV_QPT_RC),
			    fixture_qp(&f, cq, NULL, IBV_QPT_RC) } };
	int i;

	for (i = 0; i < 2; i++) {
		struct ibv_qp_attr rtr = {
			.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_256,
			.dest_qp_num = e.qp[!i]->qp_num, .max_dest_rd_atomic = 4,
			.min_rnr_timer = 1,
			.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
				     .grh = { .dgid = f.gid, .sgid_index = f.gid_index,
					      .hop_limit = 64 } },
		};

		if (fixture_qp_to_init(e.qp[i]) ||
		    ibv_modify_qp(e.qp[i], &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				  IBV_QP_MIN_RNR_TIMER) ||
		    fixture_qp_to_rts(e.qp[i]))
			tap_bail("connect");
	}
	return e;
}

static void destroy(struct ends *e)
{
	ibv_destroy_qp(e->qp[0]);
	ibv_destroy_qp(e->qp[1]);
}

static int post_read(struct ibv_qp *qp, const uint8_t *source, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)into, BYTES, sink->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)source, rkey },
	}, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

/* The status; -1 when it does not end. */
static int wait_read(void)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < WAIT_TRIES; i++)
		if (fixture_wait_wc(cq, &wc))
			return wc.status;
	return -1;
}

struct reader {
	struct ibv_qp *qp;
	const uint8_t *source;
	uint32_t rkey;
	int status;
	bool posted;
};

/* A read posts and runs in this thread, wherever the driver works in the caller. */
static void *read_once(void *arg)
{
	struct reader *r = arg;

	r->posted = !post_read(r->qp, r->source, r->rkey);
	return NULL;
}

static void test_dereg(void)
{
	uint8_t *source = map_source();
	int round, ok = 0, refused = 0, wrong = 0;
	double start = now_ms();

	for (round = 0; round < ROUNDS && now_ms() - start < DEADLINE_MS; round++) {
		struct ibv_mr *mr = ibv_reg_mr(f.pd, source, BYTES, IBV_ACCESS_REMOTE_READ);
		struct ends e = connected();
		struct reader r = { .qp = e.qp[0], .source = source };
		pthread_t thread;

		if (!mr)
			tap_bail("register");
		r.rkey = mr->rkey;
		memset(into, 0, BYTES);
		pthread_create(&thread, NULL, read_once, &r);
		usleep((round * 37) % 600);
		wrong += ibv_dereg_mr(mr) != 0;
		pthread_join(thread, NULL);
		r.status = r.posted ? wait_read() : -1;
		if (r.status == IBV_WC_SUCCESS && !memcmp(into, source, BYTES))
			ok++;
		else if (r.status == IBV_WC_REM_ACCESS_ERR ||
			 r.status == IBV_WC_REM_OP_ERR)
			refused++;
		else if (++wrong)
			tap_note("round %d: status %d", round, r.status);
		destroy(&e);
	}
	tap_is(wrong, 0, "the source is deregistered in %d reads: %d well, %d refused", round, ok,
	       refused);
	tap_ok(round > 0, "some rounds were done");
	munmap(source, BYTES);
}

static void test_munmap(void)
{
	uint8_t *source = map_source(), *copy = malloc(BYTES);
	struct ibv_mr *mr = ibv_reg_mr(f.pd, source, BYTES, IBV_ACCESS_REMOTE_READ);
	struct ends e = connected();

	if (!mr || !copy)
		tap_bail("register");
	memcpy(copy, source, BYTES);
	memset(into, 0, BYTES);
	munmap(source, BYTES);
	tap_is(post_read(e.qp[0], source, mr->rkey), 0,
	       "a read of memory that is unmapped is posted");
	tap_is(wait_read(), IBV_WC_SUCCESS, "it succeeds, for the pages are pinned");
	tap_ok(!memcmp(into, copy, BYTES), "with the old content");
	tap_is(ibv_dereg_mr(mr), 0, "the region can be deregistered");
	destroy(&e);
	free(copy);
}

int main(void)
{
	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	into = aligned_alloc(4096, BYTES);
	if (!cq || !into)
		tap_bail("CQ, memory");
	sink = ibv_reg_mr(f.pd, into, BYTES, IBV_ACCESS_LOCAL_WRITE);
	if (!sink)
		tap_bail("register");
	test_dereg();
	test_munmap();
	ibv_dereg_mr(sink);
	free(into);
	ibv_destroy_cq(cq);
	fixture_close(&f);
	return tap_end();
}
