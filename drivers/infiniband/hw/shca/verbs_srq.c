// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_srq.c - makes, resizes, limits and destroys shared receive queues.  ib_core calls in; the
 * engine takes receives out.
 */
#include <linux/log2.h>
#include <linux/uaccess.h>

#include "verbs_srq.h"
#include "shca.h"
#include "trace.h"
#include "udata.h"

static struct shca_srq *srq_of(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct shca_srq, ib);
}

static u32 stride_for(u32 max_sge)
{
	return ALIGN(SHCA_RECV_WQE_HEAD + max(max_sge, 1u) * (u32)sizeof(struct shca_sge),
		     SHCA_WQE_UNIT);
}

/* One mapping: the shared head, then the ring. */
static struct shca_ring_memory *make_ring(u32 srqn, u32 entries, u32 stride,
					  struct ib_ucontext *context,
					  struct shca_create_srq_resp *resp)
{
	*resp = (struct shca_create_srq_resp) {
		.ring = {
			.offset = sizeof(struct shca_srq_shared),
			.entries = entries,
			.stride = stride,
		},
		.srqn = srqn,
	};
	return shca_ring_memory_create(context, resp->ring.offset + (size_t)entries * stride,
				       &resp->map);
}

static struct eng_ring ring_in(struct shca_ring_memory *mem, const struct shca_ring_info *info)
{
	return (struct eng_ring) {
		.entries = mem->vaddr + info->offset,
		.count = info->entries,
		.stride = info->stride,
	};
}

void shca_verbs_srq_idle(struct eng_srq *eng)
{
	complete(&container_of(eng, struct shca_srq, eng)->idle);
}

static int check_init(const struct ib_srq_init_attr *init)
{
	if (init->srq_type != IB_SRQT_BASIC && init->srq_type != IB_SRQT_XRC)
		return -EOPNOTSUPP;
	if (init->srq_type == IB_SRQT_XRC && (!init->ext.cq || !init->ext.xrc.xrcd))
		return -EINVAL;
	if (!init->attr.max_wr || init->attr.max_wr > SHCA_MAX_SRQ_WR ||
	    init->attr.max_sge > SHCA_MAX_SGE)
		return -EINVAL;
	return 0;
}

static void init_engine(struct shca_srq *srq, const struct shca_ring_info *ring)
{
	eng_srq_init(&srq->eng, shca_dev_of(srq->ib.device)->eng);
	srq->eng.shared = srq->mem->vaddr;
	srq->eng.ring = ring_in(srq->mem, ring);
	srq->eng.pd = shca_pd_identity(srq->ib.pd);
	srq->eng.max_sge = srq->max_sge;
}

/* Messages name an XRC SRQ by its number. */
static int publish(struct shca_srq *srq, const struct ib_srq_init_attr *init)
{
	if (init->srq_type != IB_SRQT_XRC)
		return 0;
	init_completion(&srq->idle);
	srq->ib.ext.xrc.srq_num = srq->srqn;
	srq->eng.srqn = srq->srqn;
	srq->eng.xrcd = shca_xrcd_identity(init->ext.xrc.xrcd);
	srq->eng.cq = &container_of(init->ext.cq, struct shca_cq, ib)->eng;
	return eng_srq_publish(&srq->eng);
}

static int create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct ib_ucontext *context = udata ? &shca_ucontext_of(udata)->ib : NULL;
	struct shca_dev *dev = shca_dev_of(ibsrq->device);
	struct shca_srq *srq = srq_of(ibsrq);
	struct shca_create_srq_resp resp;
	u32 entries, stride;
	int err = shca_udata_check_empty(udata);

	if (!err)
		err = check_init(init);
	if (err)
		return err;
	entries = roundup_pow_of_two(init->attr.max_wr);
	stride = stride_for(init->attr.max_sge);
	err = shca_numbers_alloc(&dev->srqns, NULL, &srq->srqn, GFP_KERNEL);
	if (err)
		return err == -EBUSY ? -ENOMEM : err;
	srq->mem = make_ring(srq->srqn, entries, stride, context, &resp);
	if (IS_ERR(srq->mem)) {
		err = PTR_ERR(srq->mem);
		goto free_number;
	}
	if (udata)
		err = shca_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		goto destroy_ring;

	mutex_init(&srq->mutex);
	spin_lock_init(&srq->lock);
	srq->max_wr = entries;
	srq->max_sge = min_t(u32, (stride - SHCA_RECV_WQE_HEAD) / sizeof(struct shca_sge),
			     SHCA_MAX_SGE);
	init_engine(srq, &resp.ring);
	err = publish(srq, init);
	if (err)
		goto destroy_ring;
	init->attr.max_wr = srq->max_wr;
	init->attr.max_sge = srq->max_sge;
	init->attr.srq_limit = 0;
	trace_shca_create("srq", srq->srqn);
	return 0;

destroy_ring:
	shca_ring_memory_destroy(srq->mem);
free_number:
	shca_numbers_free(&dev->srqns, srq->srqn);
	return err;
}

/*
 * ib_core counts the QPs that use it: there are none, so the engine does not know it any more.  An
 * XRC SRQ may be used without being counted: see shca.h.
 */
static int destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct shca_srq *srq = srq_of(ibsrq);

	trace_shca_destroy("srq", srq->srqn);
	if (ibsrq->srq_type == IB_SRQT_XRC) {
		eng_srq_retire(&srq->eng);
		wait_for_completion(&srq->idle);
		synchronize_rcu();
	}
	shca_ring_memory_destroy(srq->mem);
	shca_numbers_free(&shca_dev_of(ibsrq->device)->srqns, srq->srqn);
	return 0;
}

/* The uAPI has no response to modify: the process says where it wants the new ring described. */
static int respond_to_resize(struct ib_udata *udata, const struct shca_create_srq_resp *resp)
{
	struct shca_modify_srq_req req;

	if (!udata)
		return 0;
	if (udata->inlen < sizeof(req))
		return -EINVAL;
	if (ib_copy_from_udata(&req, udata, sizeof(req)))
		return -EFAULT;
	if (udata->inlen > sizeof(req) &&
	    !ib_is_udata_cleared(udata, sizeof(req), udata->inlen - sizeof(req)))
		return -EINVAL;
	return copy_to_user(u64_to_user_ptr(req.resp_addr), resp, sizeof(*resp)) ? -EFAULT : 0;
}

static int resize(struct shca_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct ib_ucontext *context = udata ? &shca_ucontext_of(udata)->ib : NULL;
	struct shca_create_srq_resp resp;
	struct shca_ring_memory *mem, *old;
	u32 entries = roundup_pow_of_two(max_wr);
	unsigned long flags;
	int err;

	mem = make_ring(srq->srqn, entries, srq->eng.ring.stride, context, &resp);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	err = respond_to_resize(udata, &resp);
	if (err)
		goto destroy_mem;
	env_lock(&srq->eng.lock);
	spin_lock_irqsave(&srq->lock, flags);
	err = eng_srq_resize(&srq->eng, mem->vaddr, ring_in(mem, &resp.ring));
	if (!err) {
		old = srq->mem;
		srq->mem = mem;
		srq->max_wr = entries;
		mem = old;
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	env_unlock(&srq->eng.lock);
destroy_mem:
	shca_ring_memory_destroy(mem);
	return err;
}

static int modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata)
{
	struct shca_srq *srq = srq_of(ibsrq);
	u32 max_wr;
	int err = 0;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if ((mask & IB_SRQ_MAX_WR) && (!attr->max_wr || attr->max_wr > SHCA_MAX_SRQ_WR))
		return -EINVAL;
	mutex_lock(&srq->mutex);
	max_wr = mask & IB_SRQ_MAX_WR ? attr->max_wr : srq->max_wr;
	if ((mask & IB_SRQ_LIMIT) && attr->srq_limit > max_wr)
		err = -EINVAL;
	if (!err && (mask & IB_SRQ_MAX_WR))
		err = resize(srq, attr->max_wr, udata);
	if (!err && (mask & IB_SRQ_LIMIT))
		eng_srq_set_limit(&srq->eng, attr->srq_limit);
	mutex_unlock(&srq->mutex);
	return err;
}

static int query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct shca_srq *srq = srq_of(ibsrq);

	mutex_lock(&srq->mutex);
	attr->max_wr = srq->max_wr;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = eng_srq_limit(&srq->eng);
	mutex_unlock(&srq->mutex);
	return 0;
}

const struct ib_device_ops shca_verbs_srq_ops = {
	.create_srq = create_srq,
	.modify_srq = modify_srq,
	.query_srq = query_srq,
	.destroy_srq = destroy_srq,
	INIT_RDMA_OBJ_SIZE(ib_srq, shca_srq, ib),
};
