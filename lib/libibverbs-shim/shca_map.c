// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_map.c - mappings of rings, and the doorbell descriptor.
 *
 * Called by the create paths of the data half.  Alone among the data half's files it makes
 * system calls: mmap, munmap, and the doorbell itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "ioctl.h"
#include "shca.h"

void *shca_map_zalloc(size_t size)
{
	void *mem;

	size = (size + SHCA_CACHE_LINE - 1) & ~(size_t)(SHCA_CACHE_LINE - 1);
	mem = aligned_alloc(SHCA_CACHE_LINE, size);
	if (mem)
		memset(mem, 0, size);
	return mem;
}

/* As parent domains tell their allocators: the driver above, its kind of object below. */
static uint64_t resource_type(enum shim_resource what)
{
	return (uint64_t)SHCA_DRIVER_ID << 32 | (uint32_t)what;
}

void *shca_map_zalloc_in(struct ibv_pd *ibpd, size_t size, enum shim_resource what, bool *placed)
{
	const struct shim_pd *pd = ibpd ? shim_pd(ibpd) : NULL;
	void *mem = IBV_ALLOCATOR_USE_DEFAULT;

	if (pd && pd->alloc)
		mem = pd->alloc(ibpd, pd->context, size, SHCA_CACHE_LINE, resource_type(what));
	*placed = mem != IBV_ALLOCATOR_USE_DEFAULT;
	if (!*placed)
		mem = shca_map_zalloc(size);
	else if (mem)
		memset(mem, 0, size);
	if (mem)
		shim_pd_get(ibpd);
	return mem;
}

void shca_map_free_in(struct ibv_pd *ibpd, void *mem, enum shim_resource what, bool placed)
{
	const struct shim_pd *pd = ibpd ? shim_pd(ibpd) : NULL;

	if (placed)
		pd->free(ibpd, pd->context, mem, resource_type(what));
	else
		free(mem);
	shim_pd_put(ibpd);
}

int shca_map_open(struct shca_map *map, int fd, const struct shca_mmap_info *info, int prot)
{
	void *base;

	if (!info->size)
		return EPROTO;
	base = mmap(NULL, info->size, prot, MAP_SHARED, fd, (off_t)info->offset);
	if (base == MAP_FAILED)
		return errno;
	map->base = base;
	map->size = info->size;
	return 0;
}

void shca_map_close(struct shca_map *map)
{
	if (map->base)
		munmap(map->base, map->size);
	map->base = NULL;
}

int shca_map_check_ring(const struct shca_map *map, const struct shca_ring_info *ring,
			size_t head_size)
{
	uint64_t bytes = (uint64_t)ring->entries * ring->stride;

	if (!ring->entries || ring->entries & (ring->entries - 1) || !ring->stride ||
	    ring->stride % SHCA_WQE_UNIT || ring->offset % SHCA_CACHE_LINE)
		return EPROTO;
	return ring->offset < head_size || ring->offset + bytes > map->size ? EPROTO : 0;
}

int shca_map_open_doorbell(struct ibv_context *context)
{
	struct shca_context *hw = shim_context(context)->hw;
	struct ib_uverbs_attr *made;
	struct shim_ioctl cmd;
	int err;

	shim_ioctl_init(&cmd, context, SHCA_OBJECT_DOORBELL, SHCA_METHOD_DOORBELL_ALLOC);
	made = shim_ioctl_new(&cmd, SHCA_ATTR_DOORBELL_ALLOC_FD);
	err = shim_ioctl_run(&cmd);
	if (!err)
		hw->doorbell_fd = (int)shim_ioctl_made(made);
	return err;
}

/* An interrupted engine goes on by itself; the only failures are those of shca-abi.h. */
int shca_map_ring_doorbell(int fd, uint32_t qpn)
{
	int saved = errno;
	int err = 0;

	if (ioctl(fd, SHCA_IOC_DOORBELL, (unsigned long)qpn)) {
		err = errno == EINTR ? 0 : errno;
		errno = saved;
	}
	return err;
}
