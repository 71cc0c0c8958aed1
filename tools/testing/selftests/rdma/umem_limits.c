// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what registering memory may cost and who may do it: RLIMIT_MEMLOCK with and without
 * CAP_IPC_LOCK, holes and protections, wrapping and empty ranges, access flags, and that nothing
 * stays pinned or charged after a failure or a deregistration (field case F39).
 * Contract: C057, C059, C060.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "memlock.h"

#define KIB	1024ul
#define MIB	(1024 * KIB)

static struct fixture f;

/* 0 or the errno of registering; what was registered is deregistered. */
static int try_reg(void *addr, size_t len, unsigned int access)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_mr(f.pd, addr, len, access);
	if (!mr)
		return errno ? errno : -1;
	return ibv_dereg_mr(mr) ? -2 : 0;
}

static void *map(size_t len, int prot, int flags)
{
	void *addr = mmap(NULL, len, prot, flags | MAP_ANONYMOUS, -1, 0);

	if (addr == MAP_FAILED)
		tap_bail("mmap");
	return addr;
}

static void test_ranges(void)
{
	char *hole = map(3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	char *none = map(4096, PROT_NONE, MAP_PRIVATE);
	char *page = map(4096, PROT_READ | PROT_WRITE, MAP_PRIVATE);

	munmap(hole + 4096, 4096);
	tap_is(try_reg(hole, 3 * 4096, IBV_ACCESS_LOCAL_WRITE), EFAULT, "a hole is EFAULT");
	if (!tap_skip_on_stock("it registers what the process may not read"))
		tap_is(try_reg(none, 4096, 0), EFAULT, "PROT_NONE is EFAULT");
	tap_is(try_reg((void *)-8192l, 16384, 0), EINVAL, "a range that wraps is EINVAL");
	tap_is(try_reg((void *)-4096l, 4096, 0), EINVAL, "a range up to the very end is EINVAL");
	tap_is(try_reg(page, 0, IBV_ACCESS_LOCAL_WRITE), EINVAL, "length 0 is EINVAL");
	tap_is(try_reg(page + 1, 1, IBV_ACCESS_LOCAL_WRITE), 0, "one unaligned byte is fine");
	tap_is(try_reg(page + 4095, 1, IBV_ACCESS_LOCAL_WRITE), 0, "so is the last byte of a page");
	tap_ok(try_reg((void *)0x7fffffff0000ul, 1ul << 46, 0) != 0, "64 TiB do not register");
	munmap(hole, 4096);
	munmap(hole + 8192, 4096);
	munmap(none, 4096);
	munmap(page, 4096);
}

static void test_protections(void)
{
	char *ro = map(8192, PROT_READ, MAP_PRIVATE);
	char *shared = map(8192, PROT_READ, MAP_SHARED);
	char name[] = "/tmp/umem_limits.XXXXXX";
	int fd = mkstemp(name);
	char *file;

	tap_is(try_reg(ro, 8192, IBV_ACCESS_LOCAL_WRITE), EFAULT,
	       "a read-only mapping with LOCAL_WRITE is EFAULT");
	tap_is(try_reg(ro, 8192, 0), 0, "a read-only mapping without write access is fine");
	tap_is(try_reg(ro, 8192, IBV_ACCESS_REMOTE_READ), 0, "also for remote reads");
	if (!tap_skip_on_stock("it refuses read-only shared mappings"))
		tap_is(try_reg(shared, 8192, 0), 0, "a read-only shared mapping too");
	tap_is(try_reg(shared, 8192, IBV_ACCESS_LOCAL_WRITE), EFAULT, "but not to write to it");
	unlink(name);
	if (fd < 0 || ftruncate(fd, 8192))
		tap_bail("temporary file");
	file = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	tap_is(try_reg(file, 8192, IBV_ACCESS_LOCAL_WRITE), 0, "a shared file mapping is fine");
	munmap(file, 8192);
	close(fd);
	munmap(ro, 8192);
	munmap(shared, 8192);
}

/* A region without write access still sees what the process writes after registering. */
static void test_private_page_stays(void)
{
	char *page = map(4096, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	struct ibv_mr *mr = ibv_reg_mr(f.pd, page, 4096, 0);
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 4, NULL, NULL, 0);
	struct ibv_qp *qp;
	struct ibv_wc wc;

	if (!mr || !cq)
		tap_bail("untouched page: register, create CQ");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	fixture_connect(&f, qp, qp->qp_num);
	strcpy(page, "written after the registration");
	memset(f.buf, 0, 64);
	struct ibv_sge sge = { (uintptr_t)page, 64, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)f.buf, f.mr->rkey },
	}, *bad;
	if (ibv_post_send(qp, &wr, &bad) || !fixture_wait_wc(cq, &wc))
		tap_bail("RDMA write to self");
	tap_is(wc.status, IBV_WC_SUCCESS, "an untouched read-only region can be sent from");
	tap_ok(!strcmp(f.buf, page), "and what was written later is what is sent");
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	ibv_dereg_mr(mr);
	munmap(page, 4096);
}

static void test_flags(void)
{
	tap_is(try_reg(f.buf, 4096, IBV_ACCESS_REMOTE_WRITE), EINVAL,
	       "REMOTE_WRITE without LOCAL_WRITE is EINVAL");
	tap_is(try_reg(f.buf, 4096, IBV_ACCESS_REMOTE_ATOMIC), EINVAL,
	       "REMOTE_ATOMIC without LOCAL_WRITE is EINVAL");
	tap_is(try_reg(f.buf, 4096, 1u << 15), EINVAL, "an unknown flag is EINVAL");
	tap_is(try_reg(f.buf, 4096, IBV_ACCESS_LOCAL_WRITE | 1u << 25), 0,
	       "an unknown flag of the optional range is ignored");
	tap_is(try_reg(f.buf, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING), 0,
	       "relaxed ordering is accepted");
}

static void test_limits(void)
{
	char *buf = map(64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	long before = pinned_kib();
	struct ibv_mr *first;

	limit_memlock(64 * KIB);
	tap_is(try_reg(buf, 1 * MIB, IBV_ACCESS_LOCAL_WRITE), 0,
	       "with CAP_IPC_LOCK the limit does not count");
	drop_ipc_lock();
	limit_memlock((before > 0 ? before : 0) * KIB + 64 * KIB);
	tap_is(try_reg(buf, 32 * KIB, IBV_ACCESS_LOCAL_WRITE), 0, "32 KiB of 64 KiB are fine");
	tap_is(try_reg(buf, 1 * MIB, IBV_ACCESS_LOCAL_WRITE), ENOMEM, "1 MiB is ENOMEM");
	first = ibv_reg_mr(f.pd, buf, 48 * KIB, IBV_ACCESS_LOCAL_WRITE);
	tap_ok(first, "48 KiB are fine");
	tap_is(try_reg(buf, 32 * KIB, IBV_ACCESS_LOCAL_WRITE), ENOMEM,
	       "32 KiB more are not, also when they are the same pages");
	if (first)
		tap_is(ibv_dereg_mr(first), 0, "deregistration");
	tap_is(try_reg(buf, 64 * KIB, IBV_ACCESS_LOCAL_WRITE), 0, "gives everything back");
	limit_memlock(0);
	tap_is(try_reg(buf, 4 * KIB, IBV_ACCESS_LOCAL_WRITE), EPERM, "at limit 0 it is EPERM");
	if (before >= 0)
		tap_is(pinned_kib(), before, "nothing stays pinned");
	munmap(buf, 64 * MIB);
}

/* A failure half way must release the first half. */
static void test_partial_failure(void)
{
	char *buf = map(64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	long before = pinned_kib();
	int i, bad = 0;

	mprotect(buf + 63 * MIB, MIB, PROT_NONE);
	for (i = 0; i < 20; i++)
		bad += try_reg(buf, 64 * MIB, IBV_ACCESS_LOCAL_WRITE) != EFAULT;
	tap_is(bad, 0, "64 MiB with a bad last part fail with EFAULT, 20 times");
	if (before >= 0)
		tap_is(pinned_kib(), before, "and leave nothing pinned");
	munmap(buf, 64 * MIB);
}

int main(void)
{
	fixture_open(&f);
	test_ranges();
	test_protections();
	test_flags();
	test_private_page_stays();
	test_partial_failure();
	/* Last: it gives up rights. */
	test_limits();
	fixture_close(&f);
	return tap_end();
}
