/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * An RDMA link of the test's own, of the type of the device under test, on a dummy netdev of its
 * own: for tests that turn addresses, state or MTU of the netdev, which nobody else may notice.
 */
#ifndef SELFTEST_OWN_LINK_H
#define SELFTEST_OWN_LINK_H

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"

#define OWN_LINK_WAIT_MS	5000	/* a change of the netdev shows at the latest then */
#define OWN_LINK_STEP_MS	10

/* "shca" or "rxe". */
FIXTURE static const char *own_link_type(void)
{
	const char *dev = getenv("KV_DEV");
	static char type[32];

	snprintf(type, sizeof(type), "%s", dev ? dev : "rxe0");
	type[strcspn(type, "0123456789")] = 0;
	return type;
}

__attribute__((format(printf, 1, 2), unused))
static int own_link_run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

/* netdev NAME with a 4200-byte MTU and one IPv4 address, link NAME0; $KV_DEV names it then. */
FIXTURE static void own_link_add(const char *name, const char *address, const char *extra)
{
	char link[32];

	own_link_run("rdma link delete %s0 2>/dev/null; ip link delete %s 2>/dev/null", name, name);
	if (own_link_run("ip link add %s type dummy && ip link set %s mtu 4200 %s up && "
			 "ip addr add %s dev %s && rdma link add %s0 type %s netdev %s",
			 name, name, extra, address, name, name, own_link_type(), name))
		tap_bail("cannot make a link of type %s", own_link_type());
	snprintf(link, sizeof(link), "%s0", name);
	setenv("KV_DEV", link, 1);
}

FIXTURE static void own_link_delete(const char *name)
{
	own_link_run("rdma link delete %s0; ip link delete %s", name, name);
}

/* Waits until the port says so; the state it has at the end. */
FIXTURE static enum ibv_port_state own_link_wait_state(struct ibv_context *ctx,
						       enum ibv_port_state want)
{
	struct ibv_port_attr attr = { .state = IBV_PORT_NOP };
	int waited;

	for (waited = 0; waited <= OWN_LINK_WAIT_MS; waited += OWN_LINK_STEP_MS) {
		if (!ibv_query_port(ctx, FIXTURE_PORT, &attr) && attr.state == want)
			break;
		usleep(OWN_LINK_STEP_MS * 1000);
	}
	return attr.state;
}

#endif
