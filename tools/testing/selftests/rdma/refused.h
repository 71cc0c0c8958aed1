/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tables of what the manual calls an error: a call, the errno value that its page promises, and a
 * function that does wrong. Whatever was refused has changed nothing: not the number of objects
 * that the kernel knows, not the attributes of those that are there. tools/testing/man/check
 * holds the tables beside the pages.
 */
#ifndef SELFTEST_REFUSED_H
#define SELFTEST_REFUSED_H

#include "refused_base.h"
#include "res_count.h"

struct refused_row {
	const char *call;	/* the page that says so has this name */
	int err;
	const char *how;
	int (*attempt)(void);	/* 0 or an errno value */
};

/* ---- what must not change ---- */

struct refused_state {
	uint64_t objects;	/* of all kinds that the kernel counts, everywhere */
	struct ibv_qp_attr qp[2];
	struct ibv_srq_attr srq;
	int cqe;
};

static void refused_look(struct nldev *nl, struct refused_state *now)
{
	struct ibv_qp_init_attr init;
	int side;

	memset(now, 0, sizeof(*now));
	now->objects = res_objects(nl);
	if (!now->objects)
		tap_bail("count objects");
	for (side = A; side <= B; side++)
		if (ibv_query_qp(base.rc.qp[side], &now->qp[side], IBV_QP_STATE, &init))
			tap_bail("query QP");
	if (ibv_query_srq(base.srq, &now->srq))
		tap_bail("query SRQ");
	now->cqe = base.cq->cqe;
}

static void refused_run(const struct refused_row *rows, size_t count)
{
	struct refused_state before, after;
	struct nldev nl;
	size_t i;
	int got;

	nldev_open(&nl);
	for (i = 0; i < count; i++) {
		const struct refused_row *row = &rows[i];

		refused_look(&nl, &before);
		errno = 0;
		got = row->attempt();
		refused_look(&nl, &after);
		tap_ok(got == row->err && !memcmp(&before, &after, sizeof(before)),
		       "%s: %s is %s%s", row->call, row->how, strerrorname_np(row->err),
		       memcmp(&before, &after, sizeof(before)) ? ", and changed something" : "");
		if (got != row->err)
			tap_note("got %d (%s)", got, strerror(got));
	}
	mnl_socket_close(nl.sock);
}

/* Two ends that were there all the time still talk. */
static void refused_goes_on(void)
{
	struct ibv_sge sge = pair_sge(&base.f, 0, 64);
	struct ibv_send_wr wr = pair_wr(&base.rc, IBV_WR_SEND, 2, &sge, 0);

	tap_is(pair_recv(&base.rc, B, 1, 4096, 64), 0, "after all this a receive is posted");
	pair_post(&base.rc, A, &wr);
	pair_expect(&base.rc, A, 2, IBV_WC_SUCCESS, NULL, "a message is sent");
	pair_expect(&base.rc, B, 1, IBV_WC_SUCCESS, NULL, "and received");
}

/* A whole program but its table; what main() returns. */
static int refused_main(const struct refused_row *rows, size_t count)
{
	refused_open();
	refused_run(rows, count);
	refused_goes_on();
	refused_close();
	return tap_end();
}

#endif
