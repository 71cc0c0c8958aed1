// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that keys of regions do not wear out (F13): live ones work, freed ones never do, after
 * many times more registrations than a key has bits for; and re-registration (C070..C081, G055).
 */
#include "api_pair_io.h"

#define ROUNDS	70000
#define PROBE	5000	/* rounds between two writes through a live key */
#define OLD	16	/* freed keys tried at the end */
#define LIMIT_MS 30000	/* a slow machine gets this far and no farther */

static struct fixture f;

static enum ibv_wc_status write_through(uint32_t rkey, uint64_t addr)
{
	struct ibv_sge sge = pair_sge(&f, 0, 8);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair p;

	pair_open(&p, &f, NULL);
	wr = pair_wr(&p, IBV_WR_RDMA_WRITE, 1, &sge, 0);
	wr.wr.rdma.rkey = rkey;
	wr.wr.rdma.remote_addr = addr;
	if (pair_post(&p, A, &wr) || !pair_wait_ms(&p, A, &wc, PAIR_POLL_MS))
		wc.status = IBV_WC_GENERAL_ERR;
	pair_close(&p);
	return wc.status;
}

static void test_reuse(void)
{
	uint64_t addr = (uintptr_t)f.buf + 4096;
	uint32_t old[OLD] = { 0 };
	unsigned int i, refused = 0, wrong = 0, failed = 0;
	double end = pair_now_ms() + LIMIT_MS;
	struct ibv_mr *mr;

	for (i = 0; i < ROUNDS && pair_now_ms() < end && !failed; i++) {
		mr = ibv_reg_mr(f.pd, f.buf + 4096, 4096, FIXTURE_ALL_ACCESS);
		if (!mr) {
			failed++;
			break;
		}
		if (mr->rkey == f.mr->rkey)
			wrong++;
		if (i % PROBE == 0 && write_through(mr->rkey, addr))
			wrong++;
		old[i % OLD] = mr->rkey;
		failed += ibv_dereg_mr(mr) != 0;
	}
	tap_is(failed, 0, "%u registrations", i);
	if (i < ROUNDS)
		tap_note("the time was up before %d", ROUNDS);
	tap_is(wrong, 0, "live keys work and differ");
	for (i = 0; i < OLD; i++)
		refused += write_through(old[i], addr) == IBV_WC_REM_ACCESS_ERR;
	tap_is(refused, OLD, "freed keys do not");
}

static void test_rereg(void)
{
	struct ibv_mr *mr = ibv_reg_mr(f.pd, f.buf + 4096, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_pd *pd = ibv_alloc_pd(f.ctx);
	uint64_t addr = (uintptr_t)f.buf + 4096;
	int err;

	tap_is(ibv_rereg_mr(mr, 1 << 5, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT, "unknown flag");
	tap_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, NULL, 10, 0),
	       IBV_REREG_MR_ERR_INPUT, "no address");
	tap_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, f.buf, 0, 0),
	       IBV_REREG_MR_ERR_INPUT, "no length");
	tap_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, f.pd, NULL, 0, IBV_ACCESS_LOCAL_WRITE),
	       IBV_REREG_MR_ERR_INPUT, "access that nobody asked to change");
	tap_is(write_through(mr->rkey, addr), IBV_WC_REM_ACCESS_ERR, "no remote write yet");
	err = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (err == IBV_REREG_MR_ERR_CMD && errno == EOPNOTSUPP) {
		tap_skip("the device does not re-register");
		ibv_dereg_mr(mr);
		ibv_dealloc_pd(pd);
		return;
	}
	tap_is(err, 0, "remote write is added");
	tap_is(write_through(mr->rkey, addr), IBV_WC_SUCCESS, "and works");
	err = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, f.buf + 16384, 8192, 0);
	tap_ok(!err && mr->addr == f.buf + 16384 && mr->length == 8192, "it moves");
	tap_is(write_through(mr->rkey, (uintptr_t)f.buf + 16384 + 8000), IBV_WC_SUCCESS,
	       "the new range works");
	tap_is(write_through(mr->rkey, addr), IBV_WC_REM_ACCESS_ERR, "the old one does not");
	err = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0);
	tap_ok(!err && mr->pd == pd && mr->length == 8192, "C072: to another PD, and only that");
	tap_is(write_through(mr->rkey, (uintptr_t)f.buf + 16384), IBV_WC_REM_ACCESS_ERR,
	       "C072: QPs of the old one cannot reach it");
	tap_is(ibv_dealloc_pd(pd), EBUSY, "C072: the new one is busy");
	tap_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, f.pd, NULL, 0, 0), 0, "C072: and back");
	tap_is(write_through(mr->rkey, (uintptr_t)f.buf + 16384), IBV_WC_SUCCESS,
	       "C072: where it works again");
	tap_is(ibv_dereg_mr(mr), 0, "it can go");
	ibv_dealloc_pd(pd);
}

int main(void)
{
	fixture_open(&f);
	test_rereg();
	test_reuse();
	fixture_close(&f);
	return tap_end();
}
