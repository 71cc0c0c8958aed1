/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What tests of the wire need of the driver: its parameter that forces it, and its counters.
 */
#ifndef SELFTEST_SHCA_WIRE_H
#define SELFTEST_SHCA_WIRE_H

#include <fcntl.h>
#include <unistd.h>

#include "fixture.h"

#define SHCA_WIRE_PARAMETER	"/sys/module/shca/parameters/force_wire"
#define SHCA_WIRE_FRESH_US	50000	/* ib_core keeps what it read of counters for 10 ms */

/* What the parameter was; 0: there is none. */
FIXTURE static char shca_wire_forced(void)
{
	int fd = open(SHCA_WIRE_PARAMETER, O_RDONLY);
	char value = 0;

	if (fd >= 0 && read(fd, &value, 1) != 1)
		value = 0;
	close(fd);
	return value;
}

/* 'Y' or 'N': for queue pairs that go to RTR from now on. */
FIXTURE static void shca_wire_force(char value)
{
	int fd = open(SHCA_WIRE_PARAMETER, O_WRONLY);

	if (fd < 0 || write(fd, &value, 1) != 1)
		tap_bail("set force_wire");
	close(fd);
}

/* -1: @device has no such counter. */
FIXTURE static long shca_wire_counter(const char *device, const char *name)
{
	char path[256];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/%s", device,
		 name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

#endif
