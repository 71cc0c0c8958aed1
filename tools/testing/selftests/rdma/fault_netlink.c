// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every command of RDMA netlink with each of its possible failures made to happen (fault_ops.h),
 * adding, renaming, moving and deleting a link among them.
 *
 * fault_netlink [NAME]: only that operation.
 */
#include <sched.h>

#include "fault_ops.h"

#define NEW_NAME	"kvfault1"

static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_srq *srq;
static uint32_t found_id;
static uint32_t link_index;
static struct nldev far;	/* in a network namespace of its own */
static int home_fd = -1, far_fd = -1;

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
	nldev_begin(&nl, now->list, NLM_F_DUMP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	ret = nldev_send(&nl, note_id, NULL);
	return ret ? ret : found_id == UINT32_MAX ? ENOENT : 0;
}

static int of_object(void)
{
	begin();
	mnl_attr_put_u32(nl.nlh, now->id, found_id);
	if (now->object == RDMA_NLDEV_ATTR_RES_QP || now->object == RDMA_NLDEV_ATTR_RES_CM_ID)
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

/* No QP can be bound to a counter of its own, neither can one be unbound. */
static int bind_qp(void)
{
	begin();
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, 1);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_RES_LQPN, qp->qp_num);
	if (now->command == RDMA_NLDEV_CMD_STAT_SET)
		mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_MODE, RDMA_COUNTER_MODE_MANUAL);
	return nldev_send(&nl, NULL, NULL);
}

/* No device here has optional counters: none is on afterwards, as before. */
static int set_counters(void)
{
	struct nlattr *list;

	begin();
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
	list = mnl_attr_nest_start(nl.nlh, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	mnl_attr_nest_end(nl.nlh, list);
	return nldev_send(&nl, NULL, NULL);
}

static int set_auto_mode(uint32_t mask)
{
	begin();
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_MODE, RDMA_COUNTER_MODE_AUTO);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, mask);
	return nldev_send(&nl, NULL, NULL);
}

static int count_automatically(void)
{
	return set_auto_mode(RDMA_COUNTER_MASK_QP_TYPE);
}

static int count_no_more(void)
{
	return set_auto_mode(0);
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

/* How many GIDs programs find on LINK, or 0 where they do not find it. */
static unsigned int link_gids(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **at;
	struct ibv_context *ctx = NULL;
	struct ibv_gid_entry entries[16];
	ssize_t found = 0;

	for (at = list; at && *at && !ctx; at++)
		if (!strcmp(ibv_get_device_name(*at), LINK))
			ctx = ibv_open_device(*at);
	ibv_free_device_list(list);
	if (ctx) {
		found = ibv_query_gid_table(ctx, entries, 16, 0);
		ibv_close_device(ctx);
	}
	return found > 0 ? found : 0;
}

/* A link that was made in spite of a failure is one like any other, soon. */
static int check_and_delete_link(void)
{
	static unsigned int want;
	unsigned int found = link_gids(), tries;

	for (tries = 0; found < want && tries < 50; tries++) {
		usleep(100000);
		found = link_gids();
	}
	if (!found || found < want) {
		tap_note("programs find %u GIDs of %u", found, want);
		delete_link();
		return ENODEV;
	}
	want = found;
	return delete_link();
}

/* An acknowledgement that found no memory: the deed is done, and netlink says ENOBUFS. */
static int link_gone(void)
{
	delete_link();
	return 0;
}

/* ---- a link gets another name, or another network namespace ---- */

/* Of the device of that name, or UINT32_MAX. */
static uint32_t index_of(struct nldev *from, const char *name)
{
	struct named want = { name, UINT32_MAX };

	nldev_begin(from, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	return nldev_send(from, find_named, &want) ? UINT32_MAX : want.index;
}

static int delete_named(struct nldev *from, const char *name)
{
	uint32_t index = index_of(from, name);

	nldev_begin(from, RDMA_NLDEV_CMD_DELLINK, 0);
	mnl_attr_put_u32(from->nlh, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return nldev_send(from, NULL, NULL);
}

static int set_link(void (*to)(struct nlmsghdr *nlh))
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_SET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, link_index);
	to(nl.nlh);
	return nldev_send(&nl, NULL, NULL);
}

static int make_link(void)
{
	int ret = new_link();

	link_index = index_of(&nl, LINK);
	return ret;
}

static void put_new_name(struct nlmsghdr *nlh)
{
	mnl_attr_put_strz(nlh, RDMA_NLDEV_ATTR_DEV_NAME, NEW_NAME);
}

static int rename_link(void)
{
	return set_link(put_new_name);
}

static int delete_renamed(void)
{
	return delete_named(&nl, NEW_NAME);
}

/* As link_gone(): renamed, of which netlink could not tell. */
static int renamed_gone(void)
{
	delete_renamed();
	return link_gone();
}

static void put_far_fd(struct nlmsghdr *nlh)
{
	mnl_attr_put_u32(nlh, RDMA_NLDEV_NET_NS_FD, far_fd);
}

static int move_link(void)
{
	return set_link(put_far_fd);
}

static int delete_moved(void)
{
	return delete_named(&far, LINK);
}

/* A moved link has its character device there. */
static int check_and_delete_moved(void)
{
	int ret;

	nldev_begin(&far, RDMA_NLDEV_CMD_GET_CHARDEV, 0);
	mnl_attr_put_u32(far.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, link_index);
	mnl_attr_put_strz(far.nlh, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
	ret = nldev_send(&far, NULL, NULL);
	return delete_moved() ?: ret;
}

static int moved_gone(void)
{
	delete_moved();
	return link_gone();
}

#define ALL(cmd) .act = of_all, .command = RDMA_NLDEV_CMD_##cmd
#define DUMP(cmd) .act = of_device, .command = RDMA_NLDEV_CMD_##cmd, .flags = NLM_F_DUMP
#define ONE(kind, number) .prepare = find_id, .act = of_object, \
	.list = RDMA_NLDEV_CMD_RES_##kind##_GET, .object = RDMA_NLDEV_ATTR_RES_##kind, \
	.id = RDMA_NLDEV_ATTR_RES_##number

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
	{ "list raw QPs", DUMP(RES_QP_GET_RAW) },
	{ "list raw CQs", DUMP(RES_CQ_GET_RAW) },
	{ "list raw regions", DUMP(RES_MR_GET_RAW) },
	{ "get QP", ONE(QP, LQPN), .command = RDMA_NLDEV_CMD_RES_QP_GET },
	{ "get CQ", ONE(CQ, CQN), .command = RDMA_NLDEV_CMD_RES_CQ_GET },
	{ "get region", ONE(MR, MRN), .command = RDMA_NLDEV_CMD_RES_MR_GET },
	{ "get PD", ONE(PD, PDN), .command = RDMA_NLDEV_CMD_RES_PD_GET },
	{ "get context", ONE(CTX, CTXN), .command = RDMA_NLDEV_CMD_RES_CTX_GET },
	{ "get SRQ", ONE(SRQ, SRQN), .command = RDMA_NLDEV_CMD_RES_SRQ_GET },
	{ "get connection", .act = of_object, .command = RDMA_NLDEV_CMD_RES_CM_ID_GET,
	  .object = RDMA_NLDEV_ATTR_RES_CM_ID, .id = RDMA_NLDEV_ATTR_RES_CM_IDN },
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
	{ "count automatically", .act = count_automatically, .undo = count_no_more,
	  .command = RDMA_NLDEV_CMD_STAT_SET },
	{ "switch counters", .act = set_counters, .command = RDMA_NLDEV_CMD_STAT_SET },
	{ "bind QP", .act = bind_qp, .command = RDMA_NLDEV_CMD_STAT_SET },
	{ "unbind QP", .act = bind_qp, .command = RDMA_NLDEV_CMD_STAT_DEL },
	{ "moderate", .act = moderate, .restore = moderate_no_more },
	{ "allow privileged Q_Keys", .act = allow_qkey, .restore = forbid_qkey },
	{ "exclude namespaces", .act = exclude_namespaces, .restore = share_with_namespaces },
	{ "add link", .act = new_link, .undo = check_and_delete_link, .restore = link_gone },
	{ "delete link", .prepare = new_link, .act = delete_link, .restore = link_gone },
	{ "rename link", .prepare = make_link, .act = rename_link, .undo = delete_renamed,
	  .restore = renamed_gone },
};

/* For machines whose devices belong to one namespace each. */
static const struct operation moves[] = {
	{ "move link", .prepare = make_link, .act = move_link, .undo = check_and_delete_moved,
	  .restore = moved_gone },
};

static void open_far(void)
{
	home_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home_fd < 0 || unshare(CLONE_NEWNET))
		tap_bail("another network namespace");
	nldev_open(&far);
	far_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (far_fd < 0 || setns(home_fd, CLONE_NEWNET))
		tap_bail("back into the first network namespace");
}

/* The mode can change while there is one namespace, and one that was left goes when it likes. */
static void sweep_moves(const char *only)
{
	int tries, ret;

	tap_is(exclude_namespaces(), 0, "each device in one network namespace");
	open_far();
	sweep_table(moves, sizeof(moves) / sizeof(moves[0]), only);
	mnl_socket_close(far.sock);
	close(far_fd);
	close(home_fd);
	for (tries = 0; tries < 100; tries++) {
		ret = share_with_namespaces();
		if (ret != EBUSY)
			break;
		usleep(100000);
	}
	tap_is(ret, 0, "each device in all network namespaces");
}

#define GETS(cmd)	{ #cmd, RDMA_NLDEV_CMD_##cmd, false }
#define DUMPS(cmd)	{ #cmd, RDMA_NLDEV_CMD_##cmd, true }

/* Every command of the header was swept, with NLM_F_DUMP where it has that. */
static void seen_table_netlink(void)
{
	static const struct {
		const char *name;
		uint32_t number;
		bool dumps;
	} commands[] = {
		DUMPS(GET), GETS(SET), GETS(NEWLINK), GETS(DELLINK), DUMPS(PORT_GET),
		GETS(SYS_GET), GETS(SYS_SET), DUMPS(RES_GET), DUMPS(RES_QP_GET),
		DUMPS(RES_CM_ID_GET), DUMPS(RES_CQ_GET), DUMPS(RES_MR_GET), DUMPS(RES_PD_GET),
		GETS(GET_CHARDEV), GETS(STAT_SET), DUMPS(STAT_GET), GETS(STAT_DEL),
		DUMPS(RES_QP_GET_RAW), DUMPS(RES_CQ_GET_RAW), DUMPS(RES_MR_GET_RAW),
		DUMPS(RES_CTX_GET), DUMPS(RES_SRQ_GET), GETS(STAT_GET_STATUS),
	};
	unsigned int i, missing = 0;
	char what[64];

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		missing += !seen_row(SEEN_GET, commands[i].number, commands[i].name);
		if (!commands[i].dumps)
			continue;
		snprintf(what, sizeof(what), "dump of %s", commands[i].name);
		missing += !seen_row(SEEN_DUMP, commands[i].number, what);
	}
	tap_is(missing, 0, "every command of netlink was swept");
}

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
	sweep_moves(argc > 1 ? argv[1] : NULL);
	if (argc == 1)
		seen_table_netlink();
	if (ibv_destroy_qp(qp) || ibv_destroy_srq(srq) || ibv_destroy_cq(cq))
		tap_ok(false, "the objects can be destroyed");
	fixture_close(&f);
	if (system("ip link delete " NETDEV))
		tap_ok(false, "the netdev can be deleted");
	return tap_end();
}
