// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_doorbell.c - the doorbell file rings QPs of its own context and nothing else, and answers
 * with errors for everything that is no ring; written rings without a library move data.
 */
#include "shca_raw_qp.h"

#define BYTES 4096

static union ibv_gid gid;
static int gid_index;

static void find_gid(void)
{
	struct fixture f;

	fixture_open(&f);
	gid = f.gid;
	gid_index = f.gid_index;
	fixture_close(&f);
}

static void wrong_rings(const struct raw *raw, const struct raw_qp *qp)
{
	struct raw other;
	struct raw_cq cq;
	struct raw_qp foreign;
	uint32_t qpn = qp->resp.ib.qpn;
	char byte = 0;

	raw_open(&other);
	raw_make_cq(&other, &cq, 16);
	raw_make_qp(&other, &foreign, &cq, 16);
	tap_is(raw_ring(raw, foreign.resp.ib.qpn), EINVAL, "a QP of another context is not rung");
	tap_is(raw_ring(&other, qpn), EINVAL, "nor the other way round");
	tap_is(raw_ring(&other, foreign.resp.ib.qpn), 0, "its owner rings it");
	tap_is(raw_ring(raw, 0), EINVAL, "QP 0 is nobody's");
	tap_is(raw_ring(raw, 0xffffff), EINVAL, "nor is QP 0xffffff");
	errno = 0;
	tap_ok(ioctl(raw->doorbell, SHCA_IOC_DOORBELL, 1ul << 32 | qpn) && errno == EINVAL,
	       "a number of more than 24 bits is refused");
	errno = 0;
	tap_ok(ioctl(raw->doorbell, SHCA_IOC_DOORBELL + 1, (unsigned long)qpn) && errno == ENOTTY,
	       "another command is ENOTTY");
	tap_ok(read(raw->doorbell, &byte, 1) < 0 && write(raw->doorbell, &byte, 1) < 0,
	       "it can be neither read nor written");
	tap_ok(mmap(NULL, 4096, PROT_READ, MAP_SHARED, raw->doorbell, 0) == MAP_FAILED,
	       "nor mapped");
	close(other.fd);
	/* The context is gone (its mappings are not), its doorbell file is still open. */
	munmap(cq.shared, cq.resp.shca.map.size);
	munmap(foreign.base, foreign.resp.shca.map.size);
	tap_ok(raw_ring(&other, foreign.resp.ib.qpn), "with its context gone it rings no more");
	close(other.doorbell);
}

static void moves_data(const struct raw *raw, struct raw_cq *cq, const struct raw_qp *from)
{
	static uint8_t memory[2 * BYTES] __attribute__((aligned(BYTES)));
	uint32_t key = raw_reg_mr(raw, memory, sizeof(memory), NULL);
	uintptr_t base = (uintptr_t)memory;
	struct shca_cqe cqe;
	int i;

	for (i = 0; i < BYTES; i++)
		memory[i] = i * 7;
	raw_post(from, RAW_WR_RDMA_WRITE, base, key, BYTES, base + BYTES, key);
	tap_is(raw_ring(raw, from->resp.ib.qpn), 0, "ringing posted work");
	tap_is(raw_poll(cq, &cqe), IBV_WC_SUCCESS, "a write posted by hand completes");
	tap_ok(!memcmp(memory, memory + BYTES, BYTES), "with the right bytes");
	tap_is(raw_ring(raw, from->resp.ib.qpn), 0, "ringing without work is harmless");
	raw_post(from, RAW_WR_RDMA_WRITE, base, key, BYTES, base + sizeof(memory), key);
	raw_ring(raw, from->resp.ib.qpn);
	tap_is(raw_poll(cq, &cqe), IBV_WC_REM_ACCESS_ERR, "a write behind the region is refused");
	tap_is(from->shared->state, IBV_QPS_ERR, "and the head of the rings says ERR");
}

int main(void)
{
	struct raw raw;
	struct raw_cq cq;
	struct raw_qp a, b;

	find_gid();
	raw_open(&raw);
	raw_make_cq(&raw, &cq, 64);
	raw_make_qp(&raw, &a, &cq, 16);
	raw_make_qp(&raw, &b, &cq, 16);
	if (raw_connect(&raw, &a, b.resp.ib.qpn, &gid, gid_index) ||
	    raw_connect(&raw, &b, a.resp.ib.qpn, &gid, gid_index))
		tap_bail("connect");
	wrong_rings(&raw, &a);
	moves_data(&raw, &cq, &a);
	return tap_end();
}
