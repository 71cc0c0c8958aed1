/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* find_device.h - opens a device by name, or the first one; the commands' one way to begin. */
#ifndef FIND_DEVICE_H
#define FIND_DEVICE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

/* Says what went wrong and returns NULL. */
static inline struct ibv_context *find_device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	if (!list) {
		fprintf(stderr, "no device list: %s\n", strerror(errno));
		return NULL;
	}
	for (i = 0; list[i]; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			break;
	if (!list[i])
		fprintf(stderr, name ? "there is no device %s\n" : "there is no device\n", name);
	else
		context = ibv_open_device(list[i]);
	if (list[i] && !context)
		fprintf(stderr, "%s does not open: %s\n", ibv_get_device_name(list[i]),
			strerror(errno));
	ibv_free_device_list(list);
	return context;
}

#endif
