/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* find_device.h - how the commands begin: numbers of their options, and the device by name. */
#ifndef FIND_DEVICE_H
#define FIND_DEVICE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

/* The whole text is a number within the bounds; decimal, hexadecimal or octal. */
static inline bool find_device_number(const char *text, unsigned long min, unsigned long max,
				      unsigned int *value)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 0);
	if (end == text || *end || errno || *text == '-' || number < min || number > max)
		return false;
	*value = (unsigned int)number;
	return true;
}

/* Opens a device by name, or the first one; says what went wrong and returns NULL. */
static inline struct ibv_context *find_device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	if (!list) {
		fprintf(stderr, "Failed to get IB devices list: %s\n", strerror(errno));
		return NULL;
	}
	for (i = 0; list[i]; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			break;
	if (!list[i])
		fprintf(stderr, name ? "IB device %s not found\n" : "No IB devices found\n", name);
	else
		context = ibv_open_device(list[i]);
	if (list[i] && !context)
		fprintf(stderr, "%s cannot be opened: %s\n", ibv_get_device_name(list[i]),
			strerror(errno));
	ibv_free_device_list(list);
	return context;
}

#endif
