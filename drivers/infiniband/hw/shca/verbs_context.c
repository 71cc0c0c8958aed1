// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_context.c - user contexts and protection domains: identities, mostly.  ib_uverbs and
 * ib_core call in.
 */
#include <linux/atomic.h>

#include "shca.h"
#include "udata.h"

static atomic64_t last_context_id;

static int alloc_ucontext(struct ib_ucontext *ibcontext, struct ib_udata *udata)
{
	struct shca_ucontext *context = container_of(ibcontext, struct shca_ucontext, ib);
	struct shca_alloc_ucontext_resp resp = {
		.max_inline = SHCA_MAX_INLINE,
		.max_sge = SHCA_MAX_SGE,
	};
	int err = shca_udata_check_empty(udata);

	if (err)
		return err;
	context->id = atomic64_inc_return(&last_context_id);
	err = rdma_user_mmap_entry_insert(ibcontext, &context->doorbell_entry, PAGE_SIZE);
	if (err)
		return err;
	resp.doorbell_page.offset = rdma_user_mmap_get_offset(&context->doorbell_entry);
	resp.doorbell_page.size = PAGE_SIZE;
	err = shca_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		rdma_user_mmap_entry_remove(&context->doorbell_entry);
	return err;
}

static void dealloc_ucontext(struct ib_ucontext *ibcontext)
{
	struct shca_ucontext *context = container_of(ibcontext, struct shca_ucontext, ib);

	rdma_user_mmap_entry_remove(&context->doorbell_entry);
}

/* Being here lets ib_uverbs remove the device without waiting for processes to close it. */
static void disassociate_ucontext(struct ib_ucontext *ibcontext)
{
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return shca_udata_check_empty(udata);
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

const struct ib_device_ops shca_verbs_context_ops = {
	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.mmap = shca_ring_memory_mmap,
	.mmap_free = shca_ring_memory_free_entry,
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, shca_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, shca_pd, ib),
};
