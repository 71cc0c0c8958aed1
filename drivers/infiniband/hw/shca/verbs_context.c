// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_context.c - user contexts and protection domains: identities, mostly.  ib_uverbs and
 * ib_core call in.
 */
#include <linux/atomic.h>

#include "verbs_mr.h"
#include "udata.h"

static atomic64_t last_context_id;

static struct shca_alloc_ucontext_resp describe(struct shca_ucontext *context)
{
	return (struct shca_alloc_ucontext_resp) {
		.doorbell_page = {
			.offset = rdma_user_mmap_get_offset(&context->doorbell_entry),
			.size = PAGE_SIZE,
		},
		.max_inline = SHCA_MAX_INLINE,
		.max_sge = SHCA_MAX_SGE,
		.null_lkey = shca_dev_of(context->ib.device)->null->eng.key,
		.max_rate = U32_MAX,
	};
}

static int alloc_ucontext(struct ib_ucontext *ibcontext, struct ib_udata *udata)
{
	struct shca_ucontext *context = container_of(ibcontext, struct shca_ucontext, ib);
	struct shca_alloc_ucontext_resp resp;
	int err = shca_udata_check_empty(udata);

	if (err)
		return err;
	context->id = atomic64_inc_return(&last_context_id);
	err = rdma_user_mmap_entry_insert(ibcontext, &context->doorbell_entry, PAGE_SIZE);
	if (err)
		return err;
	resp = describe(context);
	err = shca_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		rdma_user_mmap_entry_remove(&context->doorbell_entry);
	return err;
}

/* A process that was handed the command file learns what its maker was told. */
static int query_ucontext(struct ib_ucontext *ibcontext, struct uverbs_attr_bundle *attrs)
{
	struct shca_alloc_ucontext_resp resp =
		describe(container_of(ibcontext, struct shca_ucontext, ib));

	return uverbs_copy_to_struct_or_zero(attrs, SHCA_ATTR_QUERY_CONTEXT_RESP, &resp,
					     sizeof(resp));
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

static const struct uverbs_attr_def *const query_attrs[] = {
	UVERBS_ATTR_PTR_OUT(SHCA_ATTR_QUERY_CONTEXT_RESP,
			    UVERBS_ATTR_STRUCT(struct shca_alloc_ucontext_resp, max_rate),
			    UA_MANDATORY),
};

static const struct uverbs_method_def query_method = {
	.id = UVERBS_METHOD_QUERY_CONTEXT,
	.num_attrs = ARRAY_SIZE(query_attrs),
	.attrs = &query_attrs,
};

static const struct uverbs_method_def *const methods[] = { &query_method };

static const struct uverbs_object_def device_object = {
	.id = UVERBS_OBJECT_DEVICE,
	.num_methods = ARRAY_SIZE(methods),
	.methods = &methods,
};

const struct uapi_definition shca_verbs_context_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &device_object),
	{}
};

const struct ib_device_ops shca_verbs_context_ops = {
	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.query_ucontext = query_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.mmap = shca_ring_memory_mmap,
	.mmap_free = shca_ring_memory_free_entry,
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, shca_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, shca_pd, ib),
};
