// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that a fork harms neither parent nor child (C019..C026, G062..G064, F35): data of the
 * parent, heap neighbours in the child, objects after the child is gone.
 * Contract: C012, C019..C022.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "api_pair_io.h"

static struct fixture f;

static bool child_ok(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool write_once(struct pair *p, char value)
{
	struct ibv_sge sge = pair_sge(&f, 0, 64);
	struct ibv_send_wr wr = pair_wr(p, IBV_WR_RDMA_WRITE, 1, &sge, 4096);
	struct ibv_wc wc;

	memset(f.buf, value, 64);
	return !pair_post(p, A, &wr) && pair_wait_ms(p, A, &wc, PAIR_POLL_MS) && !wc.status &&
	       f.buf[4096] == value && f.buf[4096 + 63] == value;
}

/* (a): half a page is registered; the child writes the other half. */
static void test_half_page(struct pair *p)
{
	char *page = aligned_alloc(4096, 4096);
	struct ibv_mr *mr = ibv_reg_mr(f.pd, page, 2048, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = { (uintptr_t)page, 64, mr ? mr->lkey : 0 };
	struct ibv_send_wr wr = pair_wr(p, IBV_WR_RDMA_READ, 2, &sge, 8192);
	struct ibv_wc wc;
	bool ok;
	pid_t pid;

	if (!tap_ok(mr != NULL, "half a page is registered"))
		return;
	memset(page, 1, 4096);
	memset(f.buf + 8192, 2, 64);
	pid = fork();
	if (!pid) {
		memset(page + 2048, 3, 2048);
		_exit(page[3000] == 3 ? 0 : 1);
	}
	memset(page, 4, 64);	/* what copy-on-write would take away from the device */
	ok = !pair_post(p, A, &wr) && pair_wait_ms(p, A, &wc, PAIR_POLL_MS) && !wc.status;
	tap_ok(child_ok(pid), "the child uses the other half");
	tap_ok(ok && page[0] == 2 && page[63] == 2, "the parent sees what was read");
	tap_ok(page[3000] == 1, "and not what the child wrote");
	ibv_dereg_mr(mr);
	free(page);
}

/* (e): the end of a child leaves the parent's objects alone. */
static void test_child_closes(struct pair *p)
{
	pid_t pid = fork();

	if (!pid) {
		ibv_close_device(f.ctx);
		_exit(0);
	}
	tap_ok(child_ok(pid), "a child closes the device");
	tap_ok(write_once(p, 5), "the parent goes on");
}

/* (d): other calls that fork, during traffic. */
static void test_system(struct pair *p)
{
	int i, wrong = 0;

	for (i = 0; i < 10; i++) {
		wrong += system("true") != 0;
		wrong += !write_once(p, (char)(10 + i));
	}
	tap_is(wrong, 0, "system() between writes");
}

int main(void)
{
	enum ibv_fork_status before = ibv_is_fork_initialized(), after;
	struct pair p;

	tap_is(ibv_fork_init(), 0, "fork init at the start");
	after = ibv_is_fork_initialized();
	tap_ok(after == IBV_FORK_UNNEEDED || (before == IBV_FORK_DISABLED &&
					      after == IBV_FORK_ENABLED),
	       "the status says %d, then %d", before, after);
	fixture_open(&f);
	tap_is(ibv_fork_init(), 0, "once more, after a registration");
	pair_open(&p, &f, NULL);
	tap_ok(write_once(&p, 1), "traffic");
	test_half_page(&p);
	test_child_closes(&p);
	test_system(&p);
	pair_close(&p);
	fixture_close(&f);
	return tap_end();
}
