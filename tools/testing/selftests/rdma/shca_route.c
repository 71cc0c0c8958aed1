// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_route.c - the direct link exists between devices of one network namespace whose addresses
 * are local there, and follows addresses, links and devices that go and come; two namespaces with
 * the same GID never meet on it; and both ends take the wire when one of them was forced to.
 */
#include "shca_wire.h"

#define MAX_FILLERS	200
#define MESSAGE		4096

/* One end of a connection. */
struct end {
	struct fixture f;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static int run(const char *command)
{
	int status = system(command);

	/* Tables of GIDs and routes follow in their own time. */
	usleep(400000);
	return status;
}

static void open_end(struct end *end, const char *device)
{
	setenv("KV_DEV", device, 1);
	fixture_open(&end->f);
	end->cq = ibv_create_cq(end->f.ctx, 16, NULL, NULL, 0);
	end->qp = NULL;
	if (!end->cq)
		tap_bail("create CQ");
}

static void close_end(struct end *end)
{
	if (end->qp)
		ibv_destroy_qp(end->qp);
	ibv_destroy_cq(end->cq);
	fixture_close(&end->f);
}

static void fresh_qp(struct end *end)
{
	if (end->qp)
		ibv_destroy_qp(end->qp);
	end->qp = fixture_qp(&end->f, end->cq, NULL, IBV_QPT_RC);
}

/* From @a to @b's QP at @b's GID; 0 or an errno. */
static int point(struct end *a, const struct end *b)
{
	struct fixture towards = a->f;
	int err;

	towards.gid = b->f.gid;
	err = fixture_qp_to_init(a->qp);
	if (!err)
		err = fixture_qp_to_rtr(&towards, a->qp, b->qp->qp_num);
	return err ? err : fixture_qp_to_rts(a->qp);
}

static void connect_ends(struct end *a, struct end *b)
{
	fresh_qp(a);
	if (a != b)
		fresh_qp(b);
	errno = point(a, b);
	if (!errno && a != b)
		errno = point(b, a);
	if (errno)
		tap_bail("connect");
}

/* The status of a write of @mark from @a into @b; -1 when it does not end. */
static int write_mark(struct end *a, struct end *b, char mark)
{
	struct ibv_sge sge = { (uintptr_t)a->f.buf, MESSAGE, a->f.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)b->f.buf + 2 * MESSAGE, b->f.mr->rkey },
	}, *bad;
	struct ibv_wc wc;
	int tries;

	memset(a->f.buf, mark, MESSAGE);
	if (ibv_post_send(a->qp, &wr, &bad))
		return -1;
	for (tries = 0; tries < 5; tries++)
		if (fixture_wait_wc(a->cq, &wc))
			return wc.status;
	return -1;
}

static bool has_mark(const struct end *b, char mark)
{
	return b->f.buf[2 * MESSAGE] == mark && b->f.buf[3 * MESSAGE - 1] == mark;
}

static void across_devices(struct end *a, struct end *b)
{
	connect_ends(a, b);
	tap_is(write_mark(a, b, 1), IBV_WC_SUCCESS,
	       "two devices of one namespace reach one another");
	tap_ok(has_mark(b, 1), "with the right bytes");

	run("ip addr del 10.98.2.1/24 dev kvrb");
	tap_is(write_mark(a, b, 2), IBV_WC_RETRY_EXC_ERR, "not any more when the address has gone");
	tap_ok(has_mark(b, 1), "nothing arrived");
	run("ip addr add 10.98.2.1/24 dev kvrb");
	fixture_find_gid(&b->f);
	connect_ends(a, b);
	tap_is(write_mark(a, b, 3), IBV_WC_SUCCESS, "again when it is back");

	run("ip link set kvrb down");
	tap_is(write_mark(a, b, 4), IBV_WC_RETRY_EXC_ERR, "not through a port that is down");
	run("ip link set kvrb up");
	fixture_find_gid(&b->f);
	connect_ends(a, b);
	tap_is(write_mark(a, b, 5), IBV_WC_SUCCESS, "again when it is up");
	tap_ok(has_mark(b, 5), "with the right bytes");
}

/* One end goes to RTR while the wire is forced, the other while it is not. */
static void mixed(struct end *a, struct end *b, bool first_is_forced)
{
	const char *order = first_is_forced ? "before" : "after";
	long packets = shca_wire_counter("kvra0", "tx_packets");
	int err;

	fresh_qp(a);
	fresh_qp(b);
	shca_wire_force(first_is_forced ? 'Y' : 'N');
	err = point(a, b);
	shca_wire_force(first_is_forced ? 'N' : 'Y');
	if (err || point(b, a))
		tap_bail("connect");
	tap_is(write_mark(a, b, 10), IBV_WC_SUCCESS, "forced %s the peer: writes to it", order);
	tap_is(write_mark(b, a, 11), IBV_WC_SUCCESS, "forced %s the peer: is written to", order);
	tap_ok(has_mark(b, 10) && has_mark(a, 11), "with the right bytes");
	usleep(SHCA_WIRE_FRESH_US);
	tap_ok(shca_wire_counter("kvra0", "tx_packets") > packets, "over the wire");
}

static void mixed_ends(struct end *a, struct end *b)
{
	char before = shca_wire_forced();

	if (shca_wire_counter("kvra0", "wire_up") < 1) {
		tap_skip("the port of the wire is taken");
		return;
	}
	mixed(a, b, true);
	mixed(a, b, false);
	shca_wire_force(before);
}

static void device_goes(struct end *a, struct end *b)
{
	connect_ends(a, b);
	tap_is(write_mark(a, b, 6), IBV_WC_SUCCESS, "the peer is there");
	run("rdma link delete kvrb0");
	tap_is(write_mark(a, b, 7), IBV_WC_RETRY_EXC_ERR, "its device is deleted: retries run out");
	connect_ends(a, a);
	tap_is(write_mark(a, a, 8), IBV_WC_SUCCESS, "the device that is left talks to itself");
}

/* The same address in another namespace: GID and QP number say the same, the way does not. */
static void namespaces(struct end *a)
{
	struct ibv_qp *filler[MAX_FILLERS];
	struct end c;
	int i, n = 0;

	if (run("ip netns add kvroute && ip -n kvroute link add kvrc type dummy && "
		"ip -n kvroute addr add 10.98.1.1/24 dev kvrc && "
		"ip -n kvroute link set kvrc up && "
		"ip netns exec kvroute rdma link add kvrc0 type shca netdev kvrc")) {
		tap_skip("no second namespace here");
		return;
	}
	open_end(&c, "kvrc0");
	tap_ok(!memcmp(&c.f.gid, &a->f.gid, sizeof(c.f.gid)), "two namespaces have the same GID");
	/* A number that no QP of the other device has. */
	fresh_qp(&c);
	while (n < MAX_FILLERS && c.qp->qp_num < 300) {
		filler[n++] = c.qp;
		c.qp = NULL;
		fresh_qp(&c);
	}
	fresh_qp(a);
	if (point(a, &c))
		tap_bail("connect");
	memset(c.f.buf, 0, FIXTURE_BUF_BYTES);
	tap_is(write_mark(a, &c, 9), IBV_WC_RETRY_EXC_ERR, "but one does not reach the other");
	tap_ok(has_mark(&c, 0), "nothing arrived");
	for (i = 0; i < n; i++)
		ibv_destroy_qp(filler[i]);
	close_end(&c);
	run("ip netns exec kvroute rdma link delete kvrc0; ip netns del kvroute");
}

int main(void)
{
	struct end a, b;

	if (run("ip link add kvra type dummy && ip addr add 10.98.1.1/24 dev kvra && "
		"ip link set kvra up && rdma link add kvra0 type shca netdev kvra && "
		"ip link add kvrb type dummy && ip addr add 10.98.2.1/24 dev kvrb && "
		"ip link set kvrb up && rdma link add kvrb0 type shca netdev kvrb"))
		tap_bail("make two devices");
	open_end(&a, "kvra0");
	open_end(&b, "kvrb0");
	across_devices(&a, &b);
	mixed_ends(&a, &b);
	device_goes(&a, &b);
	namespaces(&a);
	/* b's context lost its device: its process just leaves it. */
	close_end(&a);
	run("rdma link delete kvra0; ip link del kvra; ip link del kvrb");
	return tap_end();
}
