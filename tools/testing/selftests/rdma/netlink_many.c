// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F29, long dumps: with 5000 QPs the list goes over many messages, and every QP is in
 * it once, with the port filter and without. Objects by number, and what is gone is not found.
 */
#include "fixture.h"
#include "nldev_raw.h"

#define WANTED_QPS 5000
#define MAX_QPN 0x1000000

static struct nldev nl;
static uint32_t dev_index;
static unsigned char seen[MAX_QPN / 8];
static unsigned int listed, twice, messages;

/* A kernel that is N times slower ($KV_SLOW) gets N times less to do: still many messages. */
static int wanted_qps(int max_qp)
{
	const char *slow = getenv("KV_SLOW");
	int wanted = WANTED_QPS / (slow && atoi(slow) > 0 ? atoi(slow) : 1);

	return max_qp < wanted ? max_qp : wanted;
}

static void find_index(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	uint32_t index = 0;

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME &&
		    !strcmp(mnl_attr_get_str(attr), arg))
			dev_index = index;
	}
}

static void note_qp(const struct nlattr *entry)
{
	const struct nlattr *attr;
	uint32_t qpn;

	mnl_attr_for_each_nested(attr, entry) {
		if (mnl_attr_get_type(attr) != RDMA_NLDEV_ATTR_RES_LQPN)
			continue;
		qpn = mnl_attr_get_u32(attr) % MAX_QPN;
		listed++;
		twice += seen[qpn / 8] >> (qpn % 8) & 1;
		seen[qpn / 8] |= 1 << (qpn % 8);
	}
}

static void note_message(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr, *entry;

	(void)arg;
	messages++;
	mnl_attr_for_each(attr, nlh, 0)
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_RES_QP)
			mnl_attr_for_each_nested(entry, attr)
				note_qp(entry);
}

static int dump_qps(int port)
{
	memset(seen, 0, sizeof(seen));
	listed = twice = messages = 0;
	nldev_begin(&nl, RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	if (port)
		mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	return nldev_send(&nl, note_message, NULL);
}

static bool is_seen(uint32_t qpn)
{
	return seen[qpn / 8] >> (qpn % 8) & 1;
}

static int missing(struct ibv_qp **qps, int num)
{
	int i, count = 0;

	for (i = 0; i < num; i++)
		count += !is_seen(qps[i]->qp_num);
	return count;
}

static int get_qp(uint32_t qpn)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_RES_QP_GET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_RES_LQPN, qpn);
	return nldev_send(&nl, note_message, NULL);
}

int main(void)
{
	static struct ibv_qp *qps[WANTED_QPS];
	struct fixture f;
	struct ibv_cq *cq;
	uint32_t last;
	int num, i;

	fixture_open(&f);
	nldev_open(&nl);
	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	if (nldev_send(&nl, find_index, (void *)ibv_get_device_name(f.ctx->device)))
		tap_bail("list of devices");
	cq = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
	if (!cq)
		tap_bail("create CQ");

	num = wanted_qps(f.attr.max_qp);
	for (i = 0; i < num; i++) {
		struct ibv_qp_init_attr init = {
			.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
			.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
				 .max_recv_sge = 1 },
		};

		qps[i] = ibv_create_qp(f.pd, &init);
		if (!qps[i] || fixture_qp_to_init(qps[i]))
			tap_bail("create QP %d of %d", i + 1, num);
	}

	tap_is(dump_qps(0), 0, "QPs are listed");
	tap_is(missing(qps, num), 0, "each of %d is in the list", num);
	tap_is(twice, 0, "none is there twice");
	tap_ok(messages > 1, "the list goes over several messages");
	tap_is(dump_qps(FIXTURE_PORT), 0, "the QPs of port 1 are listed");
	tap_is(missing(qps, num), 0, "each of %d is in that list", num);

	last = qps[num - 1]->qp_num;
	tap_is(get_qp(last), 0, "one QP by its number");
	for (i = 0; i < num; i++)
		if (ibv_destroy_qp(qps[i]))
			tap_bail("destroy QP %d", i + 1);
	tap_is(get_qp(last), ENOENT, "a destroyed QP is not found");
	tap_is(dump_qps(0), 0, "QPs are listed once more");
	tap_ok(!is_seen(last), "without the destroyed ones");
	ibv_destroy_cq(cq);
	fixture_close(&f);
	return tap_end();
}
