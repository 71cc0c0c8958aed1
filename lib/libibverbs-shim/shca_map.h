/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* shca_map.h - memory of the data half: mappings of rings, memory of objects, the doorbell. */
#ifndef SHCA_MAP_H
#define SHCA_MAP_H

#include <rdma/shca-abi.h>
#include "shim.h"

struct shca_map {
	uint8_t *base;		/* NULL: not mapped */
	size_t size;		/* bytes */
};

/* Zeroed memory whose address suits SHCA_ALIGNED members; released with free(). */
void *shca_map_zalloc(size_t size);
/*
 * The same for an object that a program makes under a PD (NULL: none): a parent domain's
 * allocator is asked first.  placed says whether it gave the memory, and free needs to know.
 */
void *shca_map_zalloc_in(struct ibv_pd *pd, size_t size, enum shim_resource what, bool *placed);
void shca_map_free_in(struct ibv_pd *pd, void *mem, enum shim_resource what, bool placed);
int shca_map_open(struct shca_map *map, int fd, const struct shca_mmap_info *info, int prot);
void shca_map_close(struct shca_map *map);
/* EPROTO when a ring that the kernel described does not lie in the mapping behind its head. */
int shca_map_check_ring(const struct shca_map *map, const struct shca_ring_info *ring,
			size_t head_size);
int shca_map_open_doorbell(struct ibv_context *context);
/* 0 or an errno value; the engine works in this call. */
int shca_map_ring_doorbell(int fd, uint32_t qpn);

#endif
