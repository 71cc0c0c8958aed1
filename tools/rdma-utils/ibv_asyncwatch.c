// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_asyncwatch - prints the asynchronous events of a device as they come. */
#include <getopt.h>
#include <stdbool.h>
#include "find_device.h"

static bool has_port(enum ibv_event_type type)
{
	return (type >= IBV_EVENT_PORT_ACTIVE && type <= IBV_EVENT_SM_CHANGE) ||
	       type == IBV_EVENT_CLIENT_REREGISTER || type == IBV_EVENT_GID_CHANGE;
}

static int watch(struct ibv_context *context)
{
	struct ibv_async_event event;

	printf("%s: watching descriptor %d\n", ibv_get_device_name(context->device),
	       context->async_fd);
	fflush(stdout);
	while (!ibv_get_async_event(context, &event)) {
		printf("event %d: %s", event.event_type, ibv_event_type_str(event.event_type));
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

	while ((c = getopt(argc, argv, "d:h")) != -1) {
		if (c == 'd') {
			name = optarg;
			continue;
		}
		fprintf(c == 'h' ? stdout : stderr, "usage: %s [-d DEVICE]\n", argv[0]);
		return c != 'h';
	}
	context = find_device_open(name);
	return context ? watch(context) : 1;
}
