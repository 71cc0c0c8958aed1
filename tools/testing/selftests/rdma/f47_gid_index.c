// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F47: the GID index. Every entry of the table that the netdev owns carries traffic and
 * makes address handles; entry 0, made from the MAC while the netdev's own link-local address is
 * another, works or is refused with a clear errno, but nothing hangs; empty entries (ENODATA, as
 * the core has it, or EINVAL), indices beyond the table and addresses without GRH are refused.
 */
#include "own_link.h"

#define NAME	"kvgid"

static struct fixture f;

static bool owned(const union ibv_gid *gid)
{
	/* fe80::/10 is not among what the test gave the netdev. */
	return gid->raw[0] != 0xfe;
}

static void use_qp(struct ibv_cq *cq, int index, bool must)
{
	struct ibv_qp *qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	int err = fixture_qp_to_init(qp);
	struct ibv_wc wc;

	f.gid_index = index;
	if (ibv_query_gid(f.ctx, FIXTURE_PORT, index, &f.gid))
		tap_bail("query GID %d", index);
	err = err ? err : fixture_qp_to_rtr(&f, qp, qp->qp_num);
	err = err ? err : fixture_qp_to_rts(qp);
	if (err) {
		tap_ok(!must && (err == EINVAL || err == ETIMEDOUT || err == EHOSTUNREACH ||
				 err == ENETUNREACH),
		       "index %d: refused at once: %s", index, strerror(err));
	} else {
		memset(f.buf, 0, 4096);
		memset(f.buf + 8192, index + 1, 64);
		err = fixture_post_recv(&f, qp, 1) ||
		      fixture_post_send(&f, qp, 2, IBV_SEND_SIGNALED) ||
		      !fixture_wait_wc(cq, &wc) || wc.status || !fixture_wait_wc(cq, &wc) ||
		      wc.status;
		tap_ok(!err && f.buf[63] == index + 1, "index %d: a message went through", index);
	}
	ibv_destroy_qp(qp);
}

/* The AH is what carries the address of a datagram. */
static void use_ah(int index, bool must)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .sgid_index = index, .hop_limit = 64 },
	};
	struct ibv_ah *ah;

	if (ibv_query_gid(f.ctx, FIXTURE_PORT, index, &attr.grh.dgid))
		tap_bail("query GID %d", index);
	ah = ibv_create_ah(f.pd, &attr);
	tap_ok(ah || !must, "index %d: an address handle", index);
	if (ah)
		ibv_destroy_ah(ah);
}

/* The errno of an address handle that is not made; 0 when it is. */
static int refusal(struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah = ibv_create_ah(f.pd, attr);
	int err = errno;

	return ah ? ibv_destroy_ah(ah) : err;
}

static void test_refusals(int entries)
{
	static const union ibv_gid zero;
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = FIXTURE_PORT, .grh = { .hop_limit = 64 },
	};
	union ibv_gid gid;
	int i, err;

	attr.grh.dgid = f.gid;
	for (i = 0; i < entries && i < 255; i++)
		if (!ibv_query_gid(f.ctx, FIXTURE_PORT, i, &gid) && !memcmp(&gid, &zero, 16))
			break;
	attr.grh.sgid_index = i;
	err = refusal(&attr);
	tap_ok(err == EINVAL || err == ENODATA, "empty entry %d is refused: %s", i, strerror(err));
	if (entries <= 255) {
		attr.grh.sgid_index = 255;
		tap_is(refusal(&attr), EINVAL, "index 255 is EINVAL");
	}
	attr.grh.sgid_index = f.gid_index;
	attr.is_global = 0;
	tap_is(refusal(&attr), EINVAL, "no GRH is EINVAL");
}

int main(void)
{
	struct ibv_gid_entry entry[32];
	struct ibv_port_attr port;
	struct ibv_cq *cq;
	ssize_t i, n;
	int tries;

	own_link_add(NAME, "10.79.0.1/24", "addrgenmode random");
	own_link_run("ip addr add fd79::1/64 dev " NAME " nodad; "
		     "ip addr add 10.79.1.1/24 dev " NAME);
	fixture_open(&f);
	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	if (!cq || ibv_query_port(f.ctx, FIXTURE_PORT, &port))
		tap_bail("CQ, port");
	/* The default GID and the three addresses. */
	for (tries = 0, n = 0; tries < 300 && n < 4; tries++) {
		n = ibv_query_gid_table(f.ctx, entry, 32, 0);
		usleep(OWN_LINK_STEP_MS * 1000);
	}
	tap_ok(n >= 4, "%zd entries", n);
	for (i = 0; i < n; i++) {
		if (entry[i].gid_type != IBV_GID_TYPE_ROCE_V2)
			continue;
		use_qp(cq, entry[i].gid_index, owned(&entry[i].gid));
		use_ah(entry[i].gid_index, owned(&entry[i].gid));
	}
	test_refusals(port.gid_tbl_len);
	ibv_destroy_cq(cq);
	fixture_close(&f);
	own_link_delete(NAME);
	return tap_end();
}
