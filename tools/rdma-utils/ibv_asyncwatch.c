// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_asyncwatch - prints the asynchronous events of a device as they come. */
#include <getopt.h>
#include <stdbool.h>
#include "find_device.h"

static const struct option longs[] = {
	{ "ib-dev", required_argument, NULL, 'd' }, { "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* The names of enum ibv_event_type, in order. */
static const char *const names[] = {
	"IBV_EVENT_CQ_ERR", "IBV_EVENT_QP_FATAL", "IBV_EVENT_QP_REQ_ERR",
	"IBV_EVENT_QP_ACCESS_ERR", "IBV_EVENT_COMM_EST", "IBV_EVENT_SQ_DRAINED",
	"IBV_EVENT_PATH_MIG", "IBV_EVENT_PATH_MIG_ERR", "IBV_EVENT_DEVICE_FATAL",
	"IBV_EVENT_PORT_ACTIVE", "IBV_EVENT_PORT_ERR", "IBV_EVENT_LID_CHANGE",
	"IBV_EVENT_PKEY_CHANGE", "IBV_EVENT_SM_CHANGE", "IBV_EVENT_SRQ_ERR",
	"IBV_EVENT_SRQ_LIMIT_REACHED", "IBV_EVENT_QP_LAST_WQE_REACHED",
	"IBV_EVENT_CLIENT_REREGISTER", "IBV_EVENT_GID_CHANGE", "IBV_EVENT_WQ_FATAL",
};

_Static_assert(sizeof(names) / sizeof(names[0]) == IBV_EVENT_WQ_FATAL + 1,
	       "each event has a name");

static void usage(FILE *to, const char *name)
{
	fprintf(to,
		"Usage: %s            print asynchronous events until interrupted\n\n"
		"Options:\n"
		"  -d, --ib-dev=<dev>     of device <dev> (default: the first one)\n"
		"  -h, --help             print this and exit\n", name);
}

static bool has_port(enum ibv_event_type type)
{
	return (type >= IBV_EVENT_PORT_ACTIVE && type <= IBV_EVENT_SM_CHANGE) ||
	       type == IBV_EVENT_CLIENT_REREGISTER || type == IBV_EVENT_GID_CHANGE;
}

static int watch(struct ibv_context *context)
{
	struct ibv_async_event event;

	printf("%s: async event FD %d\n", ibv_get_device_name(context->device), context->async_fd);
	fflush(stdout);
	while (!ibv_get_async_event(context, &event)) {
		printf("  event_type %s (%d)", event.event_type <= IBV_EVENT_WQ_FATAL ?
		       names[event.event_type] : "unknown", (int)event.event_type);
		if (has_port(event.event_type))
			printf(", port %d", event.element.port_num);
		printf("\n");
		fflush(stdout);
		ibv_ack_async_event(&event);
		if (event.event_type == IBV_EVENT_DEVICE_FATAL)
			return 0;
	}
	fprintf(stderr, "no more events: %s\n", strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct ibv_context *context;
	const char *name = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "d:h", longs, NULL)) != -1) {
		if (c == 'd') {
			name = optarg;
			continue;
		}
		usage(c == 'h' ? stdout : stderr, argv[0]);
		return c != 'h';
	}
	if (optind < argc) {
		fprintf(stderr, "'%s' is not expected; a device is named with -d\n", argv[optind]);
		usage(stderr, argv[0]);
		return 1;
	}
	context = find_device_open(name);
	return context ? watch(context) : 1;
}
