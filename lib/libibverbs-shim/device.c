// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * device.c - the list of devices and what can be asked of an unopened one.
 *
 * Called by programs; discover.c finds the devices.  A device lives as long as a list or a
 * context holds it: get_device_list takes a reference for the list, open_device (context.c) one
 * for the context, shim_device_put() drops either.
 */
#include <errno.h>
#include <stdlib.h>
#include "shim.h"

_Static_assert(offsetof(struct shim_device, no_plugin) == sizeof(struct ibv_device),
	       "other libraries look right behind struct ibv_device");

void shim_device_put(struct shim_device *dev)
{
	if (!__atomic_sub_fetch(&dev->refs, 1, __ATOMIC_ACQ_REL))
		free(dev);
}

#undef ibv_get_device_list
SHIM_EXPORT struct ibv_device **ibv_get_device_list(int *num_devices)
{
	struct shim_device **found;
	struct ibv_device **list;
	int saved = errno;
	int i, err, count;

	if (num_devices)
		*num_devices = 0;
	shim_fork_init_from_env();
	err = shim_discover_devices(&found, &count);
	if (err) {
		errno = err;
		return NULL;
	}
	list = calloc((size_t)count + 1, sizeof(*list));
	for (i = 0; i < count; i++) {
		if (list)
			list[i] = &found[i]->ibv;
		else
			shim_device_put(found[i]);
	}
	free(found);
	if (!list) {
		errno = ENOMEM;
		return NULL;
	}
	if (num_devices)
		*num_devices = count;
	errno = saved;
	return list;
}

SHIM_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	int i;

	if (!list)
		return;
	for (i = 0; list[i]; i++)
		shim_device_put(shim_device(list[i]));
	free(list);
}

SHIM_EXPORT const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

SHIM_EXPORT int ibv_get_device_index(struct ibv_device *device)
{
	return shim_device(device)->index;
}

SHIM_EXPORT __be64 ibv_get_device_guid(struct ibv_device *device)
{
	return shim_device(device)->node_guid;
}
