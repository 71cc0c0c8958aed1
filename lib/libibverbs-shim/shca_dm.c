// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_dm.c - device memory in the address space of the program, and copies to and from it.
 *
 * Called by cmd_dm.c around its commands; programs reach the copies through the pointers of
 * struct ibv_dm.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "shca.h"

#define SHCA_DM_WORD 4	/* bytes */

struct shca_dm {
	struct ibv_dm ibv;
	struct shca_map map;
	/* An allocation is told the mapping alone, and knows the length. */
	struct shca_query_dm_resp is;
};

_Static_assert(offsetof(struct shca_query_dm_resp, length) == sizeof(struct shca_alloc_dm_resp),
	       "the answer to an allocation begins the answer to a query");

static struct shca_dm *of(struct ibv_dm *dm)
{
	return shim_container_of(dm, struct shca_dm, ibv);
}

/*
 * What is wrong with a copy. Devices reach such memory by whole words, so programs are held to
 * that here as well.
 */
static int judge(const struct shca_dm *dm, uint64_t offset, size_t length)
{
	if (offset > dm->is.length || length > dm->is.length - offset)
		return EFAULT;
	return (offset | length) % SHCA_DM_WORD ? EINVAL : 0;
}

static int copy_to(struct ibv_dm *ibdm, uint64_t offset, const void *from, size_t length)
{
	struct shca_dm *dm = of(ibdm);
	int err = judge(dm, offset, length);

	if (err)
		return err;
	memcpy(dm->map.base + offset, from, length);
	return 0;
}

static int copy_from(void *to, struct ibv_dm *ibdm, uint64_t offset, size_t length)
{
	struct shca_dm *dm = of(ibdm);
	int err = judge(dm, offset, length);

	if (err)
		return err;
	memcpy(to, dm->map.base + offset, length);
	return 0;
}

struct ibv_dm *shca_dm_new(size_t length, struct shim_udata *udata)
{
	struct shca_dm *dm = calloc(1, sizeof(*dm));

	if (!dm) {
		errno = ENOMEM;
		return NULL;
	}
	dm->is.length = length;
	dm->ibv.memcpy_to_dm = copy_to;
	dm->ibv.memcpy_from_dm = copy_from;
	udata->out = &dm->is;
	udata->out_len = length ? sizeof(struct shca_alloc_dm_resp) : sizeof(dm->is);
	return &dm->ibv;
}

int shca_dm_start(struct ibv_dm *ibdm, struct ibv_context *context)
{
	struct shca_dm *dm = of(ibdm);
	int err;

	err = shca_map_open(&dm->map, context->cmd_fd, &dm->is.map, PROT_READ | PROT_WRITE);
	return err || dm->map.size >= dm->is.length ? err : EPROTO;
}

size_t shca_dm_length(struct ibv_dm *dm)
{
	return of(dm)->is.length;
}

void shca_dm_free(struct ibv_dm *ibdm)
{
	struct shca_dm *dm = of(ibdm);

	shca_map_close(&dm->map);
	free(dm);
}
