/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a sweep of failures went through: each ioctl method, write command (through either door)
 * and netlink command is noted with the operation that made it, and at the end a command that the
 * kernel has and nobody swept is a failure. Which ones it has, the kernel is asked, so that a new
 * one cannot be forgotten.
 *
 * fault_nth.h notes; the programs fault_* ask for the table.
 */
#ifndef SELFTEST_FAULT_SEEN_H
#define SELFTEST_FAULT_SEEN_H

#include <rdma/rdma_netlink.h>

#include "invoke_write.h"
#include "nldev_raw.h"
#include "tap.h"
#include "uverbs_raw.h"

enum seen_kind { SEEN_METHOD, SEEN_BY_IOCTL, SEEN_BY_WRITE, SEEN_GET, SEEN_DUMP };

enum { SEEN_MAX = 256, SEEN_METHODS = 8 };

static struct seen {
	enum seen_kind kind;
	uint32_t number;
	const char *by;
} seen[SEEN_MAX];

static unsigned int seen_count;
static const char *seen_now;	/* the operation that is swept, or NULL */

#define SEEN_METHOD_OF(object, method)	((uint32_t)(object) << 16 | (method))
#define SEEN_DRIVER			(1u << UVERBS_ID_NS_SHIFT)

static const struct seen *seen_find(enum seen_kind kind, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < seen_count; i++)
		if (seen[i].kind == kind && seen[i].number == number)
			return &seen[i];
	return NULL;
}

static void seen_note(enum seen_kind kind, uint32_t number)
{
	if (!seen_now || seen_count == SEEN_MAX || seen_find(kind, number))
		return;
	seen[seen_count++] = (struct seen){ kind, number, seen_now };
}

static void seen_ioctl(const struct ib_uverbs_ioctl_hdr *hdr)
{
	if (invoke_write_is(hdr))
		seen_note(SEEN_BY_IOCTL, invoke_write_find(hdr, UVERBS_ATTR_WRITE_CMD)->data);
	seen_note(SEEN_METHOD, SEEN_METHOD_OF(hdr->object_id, hdr->method_id));
}

static void seen_netlink(const struct nlmsghdr *nlh)
{
	seen_note(nlh->nlmsg_flags & NLM_F_DUMP ? SEEN_DUMP : SEEN_GET,
		  RDMA_NL_GET_OP(nlh->nlmsg_type));
}

/* What no library sends, hence fault_raw's; everything else is fault_sweep's. */
static const uint32_t seen_raw_methods[] = {
	SEEN_METHOD_OF(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES),
	SEEN_METHOD_OF(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR),
	SEEN_METHOD_OF(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR),
};

#define EX(cmd)	(IB_USER_VERBS_EX_CMD_##cmd | IB_USER_VERBS_CMD_FLAG_EXTENDED)

static const uint32_t seen_raw_commands[] = {
	IB_USER_VERBS_CMD_GET_CONTEXT, IB_USER_VERBS_CMD_QUERY_DEVICE,
	IB_USER_VERBS_CMD_QUERY_PORT, IB_USER_VERBS_CMD_DEALLOC_PD,
	IB_USER_VERBS_CMD_DESTROY_AH, IB_USER_VERBS_CMD_DEREG_MR,
	IB_USER_VERBS_CMD_DEALLOC_MW, IB_USER_VERBS_CMD_CREATE_CQ,
	IB_USER_VERBS_CMD_DESTROY_CQ, IB_USER_VERBS_CMD_POLL_CQ,
	IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, IB_USER_VERBS_CMD_CREATE_QP,
	IB_USER_VERBS_CMD_DESTROY_QP, IB_USER_VERBS_CMD_POST_SEND,
	IB_USER_VERBS_CMD_POST_RECV, IB_USER_VERBS_CMD_CREATE_SRQ,
	IB_USER_VERBS_CMD_DESTROY_SRQ, IB_USER_VERBS_CMD_POST_SRQ_RECV,
	IB_USER_VERBS_CMD_CLOSE_XRCD, IB_USER_VERBS_CMD_CREATE_XSRQ,
	EX(CREATE_CQ), EX(CREATE_QP), EX(MODIFY_QP),
};

static bool seen_in(const uint32_t *list, size_t count, uint32_t number)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

#define SEEN_IN(list, number) seen_in(list, sizeof(list) / sizeof((list)[0]), number)

/* One line of the table. Returns whether it was swept. */
static bool seen_row(enum seen_kind kind, uint32_t number, const char *what)
{
	const struct seen *s = seen_find(kind, number);

	tap_note("swept: %s: %s", what, s ? s->by : "by nobody");
	return s;
}

static unsigned int seen_rows_method(int fd, uint32_t object, uint32_t method, bool raw)
{
	struct uverbs_raw call;
	char what[64];

	uverbs_raw_start(&call, object, method);
	if (uverbs_raw_go(fd, &call) == EPROTONOSUPPORT)
		return 0;
	if (SEEN_IN(seen_raw_methods, SEEN_METHOD_OF(object, method)) != raw)
		return 0;
	snprintf(what, sizeof(what), "object 0x%x method 0x%x", object, method);
	return !seen_row(SEEN_METHOD, SEEN_METHOD_OF(object, method), what);
}

/* Methods of objects and of drivers, those of a driver's own objects too. */
__attribute__((unused))
static void seen_table_methods(int fd, bool raw)
{
	unsigned int missing = 0;
	uint32_t o, m;

	for (o = 0; o <= UVERBS_OBJECT_ASYNC_EVENT + SEEN_METHODS; o++)
		for (m = 0; m < SEEN_METHODS; m++) {
			missing += seen_rows_method(fd, o, m, raw);
			missing += seen_rows_method(fd, o, SEEN_DRIVER | m, raw);
			missing += seen_rows_method(fd, SEEN_DRIVER | o, SEEN_DRIVER | m, raw);
		}
	tap_is(missing, 0, "every method of the kernel's was swept");
}

static unsigned int seen_rows_command(int fd, uint32_t command, bool raw)
{
	uint32_t nothing = UINT32_MAX;	/* no handle */
	char what[64];

	if (uverbs_raw_invoke(fd, command, &nothing, sizeof(nothing), NULL, 0) == EOPNOTSUPP)
		return 0;
	if (SEEN_IN(seen_raw_commands, command) != raw)
		return 0;
	snprintf(what, sizeof(what), "command 0x%x by ioctl()", command);
	if (!seen_row(SEEN_BY_IOCTL, command, what))
		return 1;
	snprintf(what, sizeof(what), "command 0x%x by write()", command);
	return !seen_row(SEEN_BY_WRITE, command, what);
}

__attribute__((unused))
static void seen_table_commands(int fd, bool raw)
{
	unsigned int missing = 0;
	uint32_t c;

	for (c = 0; c <= IB_USER_VERBS_EX_CMD_MODIFY_CQ; c++) {
		missing += seen_rows_command(fd, c, raw);
		missing += seen_rows_command(fd, c | IB_USER_VERBS_CMD_FLAG_EXTENDED, raw);
	}
	tap_is(missing, 0, "every write command of the kernel's was swept, through both doors");
}

#endif
