// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Field case F29: netlink requests with missing, short and absurd attributes, for every command
 * of RDMA_NL_NLDEV, with and without the right to change things. Each must be answered in time
 * with an error that says what is wrong, and change nothing.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nldev_raw.h"

#define ABSENT_INDEX 0xfffffffeu
#define MAX_ATTRS 8

enum value_kind { U8, U32, TEXT };

/* One attribute of a request that is right except for what a test makes wrong. */
struct attr {
	uint16_t type;
	enum value_kind kind;
	uint32_t number;
	const char *text;
};

struct command {
	const char *name;
	uint16_t number;
	bool changes;		/* wants CAP_NET_ADMIN; the whole request is never sent */
	bool dumps;
	bool bare;		/* needs no attribute at all */
	struct attr attrs[MAX_ATTRS];	/* each of them is mandatory */
};

#define DEV { RDMA_NLDEV_ATTR_DEV_INDEX, U32, 0, NULL }
#define PORT { RDMA_NLDEV_ATTR_PORT_INDEX, U32, 1, NULL }
#define ID(attr) { RDMA_NLDEV_ATTR_RES_##attr, U32, 1, NULL }

static struct command commands[] = {
	{ "GET", RDMA_NLDEV_CMD_GET, false, true, false, { DEV } },
	/* Without anything to set SET succeeds, as `rdma` counts on. */
	{ "SET", RDMA_NLDEV_CMD_SET, true, false, false, { DEV } },
	{ "NEWLINK", RDMA_NLDEV_CMD_NEWLINK, true, false, false,
	  { { RDMA_NLDEV_ATTR_DEV_NAME, TEXT, 0, "never0" },
	    { RDMA_NLDEV_ATTR_LINK_TYPE, TEXT, 0, "never" },
	    { RDMA_NLDEV_ATTR_NDEV_NAME, TEXT, 0, "lo" } } },
	{ "DELLINK", RDMA_NLDEV_CMD_DELLINK, true, false, false, { DEV } },
	{ "PORT_GET", RDMA_NLDEV_CMD_PORT_GET, false, false, false, { DEV, PORT } },
	{ "SYS_GET", RDMA_NLDEV_CMD_SYS_GET, false, false, true, { { 0 } } },
	{ "SYS_SET", RDMA_NLDEV_CMD_SYS_SET, true, false, false,
	  { { RDMA_NLDEV_SYS_ATTR_NETNS_MODE, U8, 1, NULL } } },
	{ "RES_GET", RDMA_NLDEV_CMD_RES_GET, false, true, false, { DEV } },
	{ "RES_QP_GET", RDMA_NLDEV_CMD_RES_QP_GET, false, false, false, { DEV, PORT, ID(LQPN) } },
	{ "RES_CM_ID_GET", RDMA_NLDEV_CMD_RES_CM_ID_GET, false, false, false,
	  { DEV, PORT, ID(CM_IDN) } },
	{ "RES_CQ_GET", RDMA_NLDEV_CMD_RES_CQ_GET, false, false, false, { DEV, ID(CQN) } },
	{ "RES_MR_GET", RDMA_NLDEV_CMD_RES_MR_GET, false, false, false, { DEV, ID(MRN) } },
	{ "RES_PD_GET", RDMA_NLDEV_CMD_RES_PD_GET, false, false, false, { DEV, ID(PDN) } },
	{ "RES_CTX_GET", RDMA_NLDEV_CMD_RES_CTX_GET, false, false, false, { DEV, ID(CTXN) } },
	{ "RES_SRQ_GET", RDMA_NLDEV_CMD_RES_SRQ_GET, false, false, false, { DEV, ID(SRQN) } },
	{ "RES_QP_GET_RAW", RDMA_NLDEV_CMD_RES_QP_GET_RAW, true, false, false,
	  { DEV, PORT, ID(LQPN) } },
	{ "RES_CQ_GET_RAW", RDMA_NLDEV_CMD_RES_CQ_GET_RAW, true, false, false, { DEV, ID(CQN) } },
	{ "RES_MR_GET_RAW", RDMA_NLDEV_CMD_RES_MR_GET_RAW, true, false, false, { DEV, ID(MRN) } },
	{ "GET_CHARDEV", RDMA_NLDEV_CMD_GET_CHARDEV, false, false, false,
	  { { RDMA_NLDEV_ATTR_CHARDEV_TYPE, TEXT, 0, "uverbs" } } },
	{ "STAT_GET", RDMA_NLDEV_CMD_STAT_GET, false, false, false, { DEV, PORT } },
	{ "STAT_SET", RDMA_NLDEV_CMD_STAT_SET, true, false, false,
	  { DEV, PORT, { RDMA_NLDEV_ATTR_STAT_RES, U32, RDMA_NLDEV_ATTR_RES_QP, NULL },
	    { RDMA_NLDEV_ATTR_STAT_MODE, U32, RDMA_COUNTER_MODE_AUTO, NULL } } },
	{ "STAT_DEL", RDMA_NLDEV_CMD_STAT_DEL, true, false, false,
	  { DEV, PORT, { RDMA_NLDEV_ATTR_STAT_RES, U32, RDMA_NLDEV_ATTR_RES_QP, NULL },
	    { RDMA_NLDEV_ATTR_STAT_COUNTER_ID, U32, 1, NULL }, ID(LQPN) } },
	{ "STAT_GET_STATUS", RDMA_NLDEV_CMD_STAT_GET_STATUS, false, false, false,
	  { DEV, PORT } },
};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static struct nldev nl;
static uint32_t dev_index = ABSENT_INDEX;
static unsigned int num_devices;

/* What a test does to one attribute. */
enum fault { NONE, MISSING, EMPTY, ONE_BYTE, ABSURD };

static void put(const struct attr *attr, enum fault fault)
{
	uint32_t number = attr->type == RDMA_NLDEV_ATTR_DEV_INDEX ? dev_index : attr->number;

	if (fault == EMPTY)
		mnl_attr_put(nl.nlh, attr->type, 0, NULL);
	else if (fault == ONE_BYTE)
		mnl_attr_put_u8(nl.nlh, attr->type, 1);
	else if (fault == ABSURD && attr->kind != TEXT)
		mnl_attr_put_u32(nl.nlh, attr->type, 0xffffffff);
	else if (fault == ABSURD)
		mnl_attr_put_strz(nl.nlh, attr->type, "no-such-thing");
	else if (fault == MISSING)
		return;
	else if (attr->kind == TEXT)
		mnl_attr_put_strz(nl.nlh, attr->type, attr->text);
	else if (attr->kind == U8)
		mnl_attr_put_u8(nl.nlh, attr->type, number);
	else
		mnl_attr_put_u32(nl.nlh, attr->type, number);
}

static int send_with(const struct command *command, int faulty, enum fault fault,
		     unsigned int flags)
{
	int i;

	nldev_begin(&nl, command->number, flags);
	for (i = 0; i < MAX_ATTRS && command->attrs[i].type; i++)
		put(&command->attrs[i], i == faulty ? fault : NONE);
	return nldev_send(&nl, NULL, NULL);
}

static bool is_refusal(int error)
{
	static const int refusals[] = {
		EINVAL, ENODEV, ENOENT, EOPNOTSUPP, ERANGE, EPERM, ENOMEM,
	};
	unsigned int i;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (error == refusals[i])
			return true;
	return false;
}

static const char * const fault_names[] = {
	[MISSING] = "missing", [EMPTY] = "of no length", [ONE_BYTE] = "of one byte",
	[ABSURD] = "absurd",
};

/* A mode that does not exist is the port's own business: absurd numbers may mean nothing. */
static bool may_succeed(const struct attr *attr, enum fault fault)
{
	return (fault == ONE_BYTE && attr->kind == U8) ||
	       (fault == MISSING && attr->type == RDMA_NLDEV_ATTR_STAT_MODE);
}

static void test_faults(const struct command *command)
{
	enum fault fault;
	int i, error;

	for (i = 0; i < MAX_ATTRS && command->attrs[i].type; i++) {
		for (fault = MISSING; fault <= ABSURD; fault++) {
			if (may_succeed(&command->attrs[i], fault))
				continue;
			error = send_with(command, i, fault, 0);
			tap_ok(is_refusal(error), "%s: attribute %u %s is refused: %s",
			       command->name, command->attrs[i].type, fault_names[fault],
			       strerror(error));
		}
	}
}

static void count_message(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	(*(unsigned int *)arg)++;
}

/* The device under test, and all others, must outlive every refusal. */
static void expect_devices(const char *after)
{
	unsigned int devices = 0;
	int error;

	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	error = nldev_send(&nl, count_message, &devices);
	tap_ok(!error && devices == num_devices, "%s: the devices are still there", after);
}

static void test_bare(const struct command *command)
{
	int error;

	nldev_begin(&nl, command->number, 0);
	error = nldev_send(&nl, NULL, NULL);
	tap_is(error, command->bare ? 0 : EINVAL, "%s without attributes", command->name);

	/* Whatever a dump without attributes means, it ends. */
	nldev_begin(&nl, command->number, NLM_F_DUMP);
	error = nldev_send(&nl, NULL, NULL);
	if (command->dumps)
		tap_is(error, 0, "%s dumps without attributes", command->name);
	else
		tap_is(error, EINVAL, "%s does not dump without attributes", command->name);
}

/* Port numbers that no device has, where a port is asked for. */
static void test_ports(struct command *command)
{
	static const uint32_t ports[] = { 0, 99, 0xffffffff };
	unsigned int p;
	int i;

	for (i = 0; i < MAX_ATTRS && command->attrs[i].type; i++) {
		if (command->attrs[i].type != RDMA_NLDEV_ATTR_PORT_INDEX)
			continue;
		for (p = 0; p < 3; p++) {
			command->attrs[i].number = ports[p];
			tap_is(send_with(command, -1, NONE, 0), EINVAL, "%s: port %u",
			       command->name, ports[p]);
		}
		command->attrs[i].number = 1;
	}
}

static void test_unknown_commands(void)
{
	static const uint16_t numbers[] = { 0, 8, RDMA_NLDEV_NUM_OPS, 1023 };
	unsigned int i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		nldev_begin(&nl, numbers[i], 0);
		tap_is(nldev_send(&nl, NULL, NULL), EINVAL, "command %u does not exist",
		       numbers[i]);
	}
	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, 0);
	nl.nlh->nlmsg_type = RDMA_NL_GET_TYPE(63, 1);
	tap_is(nldev_send(&nl, NULL, NULL), EINVAL, "client 63 does not exist");
}

/* A length field that runs over the end of the message, and a nest that runs over its own. */
static void test_broken_lengths(void)
{
	struct nlattr *attr;
	int error;

	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	attr = mnl_nlmsg_get_payload(nl.nlh);
	attr->nla_len = 4000;
	error = nldev_send(&nl, NULL, NULL);
	tap_is(error, EINVAL, "an attribute longer than the message");

	nldev_begin(&nl, RDMA_NLDEV_CMD_STAT_SET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	attr = mnl_attr_nest_start(nl.nlh, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	mnl_attr_put_u8(nl.nlh, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, 0xffffffff);
	mnl_attr_nest_end(nl.nlh, attr);
	error = nldev_send(&nl, NULL, NULL);
	tap_ok(is_refusal(error), "a list of optional counters that do not exist: %s",
	       strerror(error));
}

static void test_names(void)
{
	static const char * const names[] = { "", "%d", "a%sb" };
	char longest[200];
	unsigned int i;
	int error;

	for (i = 0; i < 3; i++) {
		nldev_begin(&nl, RDMA_NLDEV_CMD_NEWLINK, 0);
		mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_DEV_NAME, names[i]);
		mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_LINK_TYPE, "never");
		mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_NDEV_NAME, "lo");
		tap_is(nldev_send(&nl, NULL, NULL), EINVAL, "a link named \"%s\"", names[i]);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	nldev_begin(&nl, RDMA_NLDEV_CMD_SET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_DEV_NAME, longest);
	error = nldev_send(&nl, NULL, NULL);
	tap_ok(is_refusal(error), "a name of 199 bytes: %s", strerror(error));

	nldev_begin(&nl, RDMA_NLDEV_CMD_SET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_NET_NS_FD, 0xffffffff);
	error = nldev_send(&nl, NULL, NULL);
	tap_ok(error == EBADF || is_refusal(error), "a namespace by a descriptor of nothing: %s",
	       strerror(error));
}

static void remember_index(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;

	(void)arg;
	mnl_attr_for_each(attr, nlh, 0)
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
			dev_index = mnl_attr_get_u32(attr);
	num_devices++;
}

/* In a process of its own that gave up its rights: the exit status is the number of failures. */
static int unprivileged(void)
{
	unsigned int i;
	int failures = 0, error;

	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return 99;
	nldev_open(&nl);
	for (i = 0; i < NUM_COMMANDS; i++) {
		if (!commands[i].changes)
			continue;
		error = send_with(&commands[i], -1, NONE, 0);
		if (error != EPERM) {
			tap_note("%s answers %s", commands[i].name, strerror(error));
			failures++;
		}
	}
	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	if (nldev_send(&nl, NULL, NULL))
		failures++;
	return failures;
}

static void test_rights(void)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(unprivileged());
	if (child < 0 || waitpid(child, &status, 0) != child)
		tap_bail("child");
	tap_ok(WIFEXITED(status) && !WEXITSTATUS(status),
	       "without CAP_NET_ADMIN everything that changes is EPERM, and reading works");
}

int main(void)
{
	unsigned int i;

	nldev_open(&nl);
	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	if (nldev_send(&nl, remember_index, NULL) || dev_index == ABSENT_INDEX)
		tap_bail("no RDMA device");

	for (i = 0; i < NUM_COMMANDS; i++) {
		test_bare(&commands[i]);
		test_faults(&commands[i]);
		test_ports(&commands[i]);
		expect_devices(commands[i].name);
	}
	test_unknown_commands();
	test_broken_lengths();
	test_names();
	expect_devices("names");
	test_rights();
	expect_devices("rights");
	return tap_end();
}
