// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows memory windows (C065, C069, C082..C084, G058, G059): what a bind needs, what a bound one
 * lets a peer do and what not, keys that change with each bind, both kinds of invalidation, and
 * the region below that cannot go before.
 */
#include "api_pair_io.h"

#define WINDOW_AT	4096	/* offset of the window in the buffer */
#define WINDOW_BYTES	1024

static struct fixture f;
static struct ibv_mr *mr;	/* that windows can be bound to */

static struct ibv_mw *make(enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(f.pd, type);

	if (!mw)
		tap_bail("allocate a window of type %d", type);
	return mw;
}

static struct ibv_mw_bind_info whole(unsigned int access)
{
	struct ibv_mw_bind_info info = {
		.mr = mr, .addr = (uintptr_t)f.buf + WINDOW_AT, .length = WINDOW_BYTES,
		.mw_access_flags = access,
	};

	return info;
}

/* a writes through a key into b's window; a fresh pair each, because a refusal ends the QP. */
static enum ibv_wc_status write_via(uint32_t rkey, uint32_t offset, uint32_t length)
{
	struct ibv_sge sge = pair_sge(&f, 0, length);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 1, &sge, offset);
	wr.wr.rdma.rkey = rkey;
	if (pair_post(&p, A, &wr) || !pair_wait_ms(&p, A, &wc, PAIR_POLL_MS))
		wc.status = IBV_WC_GENERAL_ERR;
	pair_close(&p);
	return wc.status;
}

static int bind_1(struct pair *p, struct ibv_mw *mw, struct ibv_mw_bind_info info, uint64_t id)
{
	struct ibv_mw_bind bind = { .wr_id = id, .send_flags = IBV_SEND_SIGNALED,
				    .bind_info = info };

	return ibv_bind_mw(p->qp[B], mw, &bind);
}

static void test_type_1(void)
{
	struct ibv_mw_bind_info info = whole(IBV_ACCESS_REMOTE_WRITE), none = { .mr = NULL };
	struct ibv_mw *mw = make(IBV_MW_TYPE_1);
	uint32_t first, second;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	first = mw->rkey;
	tap_is(bind_1(&p, mw, info, 1), 0, "C065, C084: a bind is queued");
	tap_ok(mw->rkey != first && mw->rkey >> 8 == first >> 8, "C083: the key is a new one");
	pair_expect(&p, B, 1, IBV_WC_SUCCESS, &wc, "C065: bound");
	tap_is(wc.opcode, IBV_WC_BIND_MW, "C084: and says that it was a bind");
	tap_is(write_via(mw->rkey, WINDOW_AT, 64), IBV_WC_SUCCESS, "C065: a write through it");
	tap_is(write_via(mw->rkey, WINDOW_AT + WINDOW_BYTES - 32, 64), IBV_WC_REM_ACCESS_ERR,
	       "C065: not beyond it");
	tap_is(write_via(first, WINDOW_AT, 64), IBV_WC_REM_ACCESS_ERR, "C083: the old key is dead");
	tap_is(ibv_dereg_mr(mr), EBUSY, "C069: the region cannot go");
	second = mw->rkey;
	info.addr += 512;
	info.length = 128;
	tap_is(bind_1(&p, mw, info, 2), 0, "C084: bound again elsewhere");
	pair_expect(&p, B, 2, IBV_WC_SUCCESS, NULL, "C084: the second bind");
	tap_is(write_via(second, WINDOW_AT + 512, 64), IBV_WC_REM_ACCESS_ERR,
	       "C083: the key before is dead");
	tap_is(write_via(mw->rkey, WINDOW_AT + 512, 64), IBV_WC_SUCCESS, "C084: the new one works");
	tap_is(bind_1(&p, mw, none, 3), 0, "C069: length 0 unbinds");
	pair_expect(&p, B, 3, IBV_WC_SUCCESS, NULL, "C069: unbound");
	tap_is(write_via(mw->rkey, WINDOW_AT + 512, 64), IBV_WC_REM_ACCESS_ERR,
	       "C069: and then it lets nobody in");
	pair_close(&p);
	tap_is(ibv_dealloc_mw(mw), 0, "C084: it can go");
}

/* Each is refused before anything is posted, and the key stays. */
static void test_refused(void)
{
	struct ibv_mw_bind_info info = whole(IBV_ACCESS_REMOTE_WRITE);
	struct ibv_mw *one = make(IBV_MW_TYPE_1), *two = make(IBV_MW_TYPE_2);
	struct ibv_pd *pd = ibv_alloc_pd(f.ctx);
	struct ibv_mr *other = ibv_reg_mr(pd, f.buf, 4096, IBV_ACCESS_LOCAL_WRITE |
					  IBV_ACCESS_MW_BIND);
	uint32_t key = one->rkey;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	tap_is(bind_1(&p, two, info, 1), EINVAL, "G059: type 2 is not for ibv_bind_mw");
	errno = 0;
	tap_ok(!ibv_alloc_mw(f.pd, 257) && errno == EINVAL, "G058: a type that there is not");
	info.mr = NULL;
	tap_is(bind_1(&p, one, info, 1), EINVAL, "G059: a length without a region");
	info.mr = other;
	tap_is(bind_1(&p, one, info, 1), EPERM, "G059: a region of another PD");
	info = whole(1 << 12);
	tap_is(bind_1(&p, one, info, 1), EINVAL, "G059: rights that there are not");
	tap_ok(one->rkey == key && !pair_wait_ms(&p, B, &wc, 20), "G059: nothing was posted");
	info = whole(IBV_ACCESS_REMOTE_WRITE);
	info.mr = f.mr;
	tap_is(bind_1(&p, one, info, 4), 0, "C065: a region without MW_BIND is seen later");
	pair_expect(&p, B, 4, IBV_WC_MW_BIND_ERR, NULL, "C065: MW_BIND_ERR");
	pair_close(&p);
	ibv_dereg_mr(other);
	ibv_dealloc_pd(pd);
	ibv_dealloc_mw(one);
	ibv_dealloc_mw(two);
}

static int bind_2(struct pair *p, struct ibv_mw *mw, uint32_t rkey, uint64_t id)
{
	struct ibv_send_wr wr = {
		.wr_id = id, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = mw, .rkey = rkey,
			     .bind_info = whole(IBV_ACCESS_REMOTE_WRITE |
						IBV_ACCESS_REMOTE_READ) },
	};

	return pair_post(p, B, &wr);
}

/* Type 2B belongs to one QP: only its peer comes through. */
static enum ibv_wc_status write_on(struct pair *p, uint32_t rkey, uint64_t id)
{
	struct ibv_sge sge = pair_sge(&f, 0, 32);
	struct ibv_send_wr wr = pair_wr(p, IBV_WR_RDMA_WRITE, id, &sge, WINDOW_AT);
	struct ibv_wc wc;

	wr.wr.rdma.rkey = rkey;
	if (pair_post(p, A, &wr) || !pair_wait_ms(p, A, &wc, PAIR_POLL_MS))
		return IBV_WC_GENERAL_ERR;
	return wc.status;
}

static void test_type_2(void)
{
	struct ibv_mw *mw = make(IBV_MW_TYPE_2);
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr inv = {
		.wr_id = 8, .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
	}, wr;
	uint32_t key = ibv_inc_rkey(mw->rkey);
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	tap_is(bind_2(&p, mw, key, 5), 0, "C084: type 2 by a request");
	pair_expect(&p, B, 5, IBV_WC_SUCCESS, &wc, "C084: bound");
	tap_is(write_on(&p, key, 6), IBV_WC_SUCCESS, "C065: the peer writes");
	tap_is(write_via(key, WINDOW_AT, 32), IBV_WC_REM_ACCESS_ERR,
	       "G058: nobody else does, although he has the key");
	tap_is(ibv_dereg_mr(mr), EBUSY, "C069: the region cannot go");
	inv.invalidate_rkey = key;
	tap_is(pair_post(&p, B, &inv), 0, "G058: invalidated by its owner");
	pair_expect(&p, B, 8, IBV_WC_SUCCESS, &wc, "G058: LOCAL_INV");
	tap_is(wc.opcode, IBV_WC_LOCAL_INV, "G058: and says so");
	mw->rkey = key;
	key = ibv_inc_rkey(key);
	tap_is(bind_2(&p, mw, key, 9), 0, "C083: bound again with the next key");
	pair_expect(&p, B, 9, IBV_WC_SUCCESS, NULL, "C083: bound");
	pair_recv(&p, B, 10, 8192, 64);
	wr = pair_wr(&p, IBV_WR_SEND_WITH_INV, 11, &sge, 0);
	wr.invalidate_rkey = key;
	tap_is(pair_post(&p, A, &wr), 0, "G058: invalidated by the peer");
	pair_expect(&p, A, 11, IBV_WC_SUCCESS, NULL, "G058: SEND_WITH_INV");
	pair_expect(&p, B, 10, IBV_WC_SUCCESS, &wc, "G058: received");
	tap_ok(wc.wc_flags & IBV_WC_WITH_INV && wc.invalidated_rkey == key,
	       "G058: the completion names the key");
	tap_is(write_on(&p, key, 12), IBV_WC_REM_ACCESS_ERR, "G058: and it is dead");
	pair_close(&p);
	tap_is(ibv_dealloc_mw(mw), 0, "C084: it can go");
}

int main(void)
{
	fixture_open(&f);
	if (!(f.attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW)) {
		tap_skip("no memory windows");
		fixture_close(&f);
		return tap_end();
	}
	mr = ibv_reg_mr(f.pd, f.buf, FIXTURE_BUF_BYTES, FIXTURE_ALL_ACCESS | IBV_ACCESS_MW_BIND);
	if (!mr)
		tap_bail("register with MW_BIND");
	test_type_1();
	test_refused();
	test_type_2();
	tap_is(ibv_dereg_mr(mr), 0, "C069: without windows the region can go");
	fixture_close(&f);
	return tap_end();
}
