// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every command of RDMA netlink but renaming with each of its possible failures made to happen
 * (fault_ops.h), adding and deleting a link among them.
 *
 * fault_netlink [NAME]: only that operation.
 */
#include <sched.h>

#include "fault_ops.h"

#define NEW_NAME "kvfaultnew0"

static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_srq *srq;
static uint32_t found_id;

/* The request of the operation, on the device under test, so far. */
static void begin(void)
{
	nldev_begin(&nl, now->command, now->flags);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
}

static int of_device(void)
{
	begin();
	return nldev_send(&nl, NULL, NULL);
}

static int of_port(void)
{
	begin();
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	if (now->object)
		mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_RES, now->object);
	return nldev_send(&nl, NULL, NULL);
}

/* Statistics of objects of a kind. */
static int of_kind(void)
{
	begin();
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_RES, now->object);
	return nldev_send(&nl, NULL, NULL);
}

/* Without a device: of the system, or of all devices. */
static int of_all(void)
{
	nldev_begin(&nl, now->command, now->flags);
	return nldev_send(&nl, NULL, NULL);
}

/* ---- one object, by the number that a dump shows ---- */

static void note_id(const struct nlmsghdr *nlh, void *arg __attribute__((unused)))
{
	const struct nlattr *table, *entry, *attr;

	mnl_attr_for_each(table, nlh, 0) {
		if (mnl_attr_get_type(table) != now->object)
			continue;
		mnl_attr_for_each_nested(entry, table)
			mnl_attr_for_each_nested(attr, entry)
				if (mnl_attr_get_type(attr) == now->id)
					found_id = mnl_attr_get_u32(attr);
	}
}

static int find_id(void)
{
	int ret;

	found_id = UINT32_MAX;
	nldev_begin(&nl, now->command, NLM_F_DUMP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	ret = nldev_send(&nl, note_id, NULL);
	return ret ? ret : found_id == UINT32_MAX ? ENOENT : 0;
}

static int of_object(void)
{
	begin();
	mnl_attr_put_u32(nl.nlh, now->id, found_id);
	if (now->object == RDMA_NLDEV_ATTR_RES_QP)
		mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	return nldev_send(&nl, NULL, NULL);
}

static int get_chardev(void)
{
	begin();
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
	return nldev_send(&nl, NULL, NULL);
}

/* ---- what changes something ---- */

static int rename_to(const char *name)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_SET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_DEV_NAME, name);
	return nldev_send(&nl, NULL, NULL);
}

/*
 * Not swept: where the second half of the driver core's device_rename() finds no memory, the class
 * keeps its link under the new name, on every core. What we do ourselves comes before and after.
 */
static void test_rename(void)
{
	const char *name = ibv_get_device_name(f.ctx->device);

	tap_is(rename_to(NEW_NAME), 0, "rename");
	tap_is(rename_to(name), 0, "and back");
	tap_is(rename_to(name), 0, "to the name it has");
}

static int set_moderation(uint8_t on)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_SET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_u8(nl.nlh, RDMA_NLDEV_ATTR_DEV_DIM, on);
	return nldev_send(&nl, NULL, NULL);
}

static int moderate(void)
{
	return set_moderation(1);
}

static int moderate_no_more(void)
{
	return set_moderation(0);
}

static int set_system(uint16_t attr, uint8_t value)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_SYS_SET, 0);
	mnl_attr_put_u8(nl.nlh, attr, value);
	return nldev_send(&nl, NULL, NULL);
}

static int allow_qkey(void)
{
	return set_system(RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE, 1);
}

static int forbid_qkey(void)
{
	return set_system(RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE, 0);
}

static int exclude_namespaces(void)
{
	return set_system(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 0);
}

static int share_with_namespaces(void)
{
	return set_system(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
}

static int set_counter_mode(void)
{
	begin();
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_MODE, 0);
	return nldev_send(&nl, NULL, NULL);
}

static int new_link(void)
{
	char type[32];

	snprintf(type, sizeof(type), "%s", ibv_get_device_name(f.ctx->device));
	type[strcspn(type, "0123456789")] = 0;
	nldev_begin(&nl, RDMA_NLDEV_CMD_NEWLINK, 0);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_DEV_NAME, LINK);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_NDEV_NAME, NETDEV);
	return nldev_send(&nl, NULL, NULL);
}

static int delete_link(void)
{
	uint32_t found[2];

	if (!list_devices(found) && found[1]) {
		nldev_begin(&nl, RDMA_NLDEV_CMD_DELLINK, 0);
		mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, found[1] - 1);
		return nldev_send(&nl, NULL, NULL);
	}
	return ENODEV;
}

/* An acknowledgement that found no memory: the deed is done, and netlink says ENOBUFS. */
static int link_gone(void)
{
	delete_link();
	return 0;
}

#define ALL(cmd) .act = of_all, .command = RDMA_NLDEV_CMD_##cmd
#define DUMP(cmd) .act = of_device, .command = RDMA_NLDEV_CMD_##cmd, .flags = NLM_F_DUMP
#define ONE(kind, number) .prepare = find_id, .act = of_object, \
	.object = RDMA_NLDEV_ATTR_RES_##kind, .id = RDMA_NLDEV_ATTR_RES_##number

static const struct operation operations[] = {
	{ "list devices", ALL(GET), .flags = NLM_F_DUMP },
	{ "get device", .act = of_device, .command = RDMA_NLDEV_CMD_GET },
	{ "list ports", DUMP(PORT_GET) },
	{ "get port", .act = of_port, .command = RDMA_NLDEV_CMD_PORT_GET },
	{ "get system", ALL(SYS_GET) },
	{ "count objects", .act = of_device, .command = RDMA_NLDEV_CMD_RES_GET },
	{ "count objects of all", ALL(RES_GET), .flags = NLM_F_DUMP },
	{ "list QPs", DUMP(RES_QP_GET) },
	{ "list CQs", DUMP(RES_CQ_GET) },
	{ "list regions", DUMP(RES_MR_GET) },
	{ "list PDs", DUMP(RES_PD_GET) },
	{ "list contexts", DUMP(RES_CTX_GET) },
	{ "list SRQs", DUMP(RES_SRQ_GET) },
	{ "list connections", DUMP(RES_CM_ID_GET) },
	{ "get QP", ONE(QP, LQPN), .command = RDMA_NLDEV_CMD_RES_QP_GET },
	{ "get CQ", ONE(CQ, CQN), .command = RDMA_NLDEV_CMD_RES_CQ_GET },
	{ "get region", ONE(MR, MRN), .command = RDMA_NLDEV_CMD_RES_MR_GET },
	{ "get PD", ONE(PD, PDN), .command = RDMA_NLDEV_CMD_RES_PD_GET },
	{ "get context", ONE(CTX, CTXN), .command = RDMA_NLDEV_CMD_RES_CTX_GET },
	{ "get SRQ", ONE(SRQ, SRQN), .command = RDMA_NLDEV_CMD_RES_SRQ_GET },
	{ "get raw QP", ONE(QP, LQPN), .command = RDMA_NLDEV_CMD_RES_QP_GET_RAW },
	{ "get raw CQ", ONE(CQ, CQN), .command = RDMA_NLDEV_CMD_RES_CQ_GET_RAW },
	{ "get raw region", ONE(MR, MRN), .command = RDMA_NLDEV_CMD_RES_MR_GET_RAW },
	{ "get character device", .act = get_chardev, .command = RDMA_NLDEV_CMD_GET_CHARDEV },
	{ "get counters", .act = of_port, .command = RDMA_NLDEV_CMD_STAT_GET },
	{ "get mode of counters", .act = of_port, .command = RDMA_NLDEV_CMD_STAT_GET,
	  .object = RDMA_NLDEV_ATTR_RES_QP },
	{ "list counters of regions", .act = of_kind, .command = RDMA_NLDEV_CMD_STAT_GET,
	  .flags = NLM_F_DUMP, .object = RDMA_NLDEV_ATTR_RES_MR },
	{ "list counters of QPs", .act = of_kind, .command = RDMA_NLDEV_CMD_STAT_GET,
	  .flags = NLM_F_DUMP, .object = RDMA_NLDEV_ATTR_RES_QP },
	{ "get state of counters", .act = of_port, .command = RDMA_NLDEV_CMD_STAT_GET_STATUS },
	{ "set mode of counters", .act = set_counter_mode, .command = RDMA_NLDEV_CMD_STAT_SET },
	{ "moderate", .act = moderate, .restore = moderate_no_more },
	{ "allow privileged Q_Keys", .act = allow_qkey, .restore = forbid_qkey },
	{ "exclude namespaces", .act = exclude_namespaces, .restore = share_with_namespaces },
	{ "add link", .act = new_link, .undo = delete_link, .restore = link_gone },
	{ "delete link", .prepare = new_link, .act = delete_link, .restore = link_gone },
};

static void add_netdev(void)
{
	if (system("ip link add " NETDEV " type dummy && ip addr add 10.79.0.1/24 dev " NETDEV
		   " && ip link set " NETDEV " up"))
		tap_bail("netdev " NETDEV);
}

/* One of each kind, for the lists. */
static void make_objects(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };

	cq = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
	srq = ibv_create_srq(f.pd, &init);
	if (!cq || !srq)
		tap_bail("objects to list");
	qp = fixture_qp(&f, cq, NULL, IBV_QPT_RC);
	fixture_connect(&f, qp, qp->qp_num);
}

int main(int argc, char **argv)
{
	if (!sweep_begin())
		return 0;
	add_netdev();
	make_objects();
	sweep_table(operations, sizeof(operations) / sizeof(operations[0]),
		    argc > 1 ? argv[1] : NULL);
	test_rename();
	if (ibv_destroy_qp(qp) || ibv_destroy_srq(srq) || ibv_destroy_cq(cq))
		tap_ok(false, "the objects can be destroyed");
	fixture_close(&f);
	if (system("ip link delete " NETDEV))
		tap_ok(false, "the netdev can be deleted");
	return tap_end();
}
