// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * test_removed.c - RDMAV_ALLOW_DISASSOC_DESTROY: objects of a removed device are taken for
 * destroyed (G035).  A program of its own, because the variable is read once.
 */
#include <errno.h>
#include <stdlib.h>
#include "fake.h"
#include "tap.h"

static void test_removed(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 1 };
	struct fake_context *fc;
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	setenv("RDMAV_ALLOW_DISASSOC_DESTROY", "1", 1);
	fc = fake_open();
	cq = fake_cq(fc, 4);
	qp = fake_qp(fc, IBV_QPT_RC, cq, &cap, 0);
	fake.err = EBUSY;
	CHECK_EQ(ibv_destroy_qp(qp), EBUSY);
	fake.err = EIO;
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	CHECK(!ibv_alloc_pd(&fc->shim.v.context) && errno == EIO);
	fake_close(fc);
}

static const struct tap_test tests[] = {
	{ "destroying what is gone already", test_removed },
};

TAP_MAIN(tests)
