// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_cq.c - makes, resizes and destroys completion queues, and polls those of kernel consumers.
 * ib_core calls in; the engine writes entries and notifies through events.c.
 */
#include <linux/log2.h>

#include "verbs_cq.h"
#include "gsi.h"
#include "shca.h"
#include "trace.h"
#include "udata.h"

static struct shca_cq *cq_of(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct shca_cq, ib);
}

static u32 entries_for(unsigned int cqe)
{
	return roundup_pow_of_two(cqe);
}

/* One mapping: the shared head, then the ring, both on cache lines. */
static struct shca_ring_memory *make_ring(struct shca_cq *cq, u32 entries, struct ib_udata *udata,
					  struct shca_create_cq_resp *resp)
{
	struct ib_ucontext *context = NULL;
	size_t bytes = sizeof(struct shca_cq_shared) + (size_t)entries * sizeof(struct shca_cqe);

	if (udata)
		context = &shca_ucontext_of(udata)->ib;
	resp->ring.offset = sizeof(struct shca_cq_shared);
	resp->ring.entries = entries;
	resp->ring.stride = sizeof(struct shca_cqe);
	return shca_ring_memory_create(context, bytes, &resp->map);
}

static void use_ring(struct shca_cq *cq, struct shca_ring_memory *mem, u32 entries)
{
	cq->mem = mem;
	cq->shared = mem->vaddr;
	cq->entries = mem->vaddr + sizeof(struct shca_cq_shared);
	cq->ib.cqe = entries;
}

/* Moderation: the engine's locks are taken in task context only. */
static enum hrtimer_restart moderated(struct hrtimer *timer)
{
	queue_work(system_highpri_wq, &container_of(timer, struct shca_cq, mod_timer)->mod_work);
	return HRTIMER_NORESTART;
}

static void mod_work(struct work_struct *work)
{
	eng_cq_expired(&container_of(work, struct shca_cq, mod_work)->eng);
}

void shca_verbs_cq_timer(struct eng_cq *eng, u32 us)
{
	struct shca_cq *cq = container_of(eng, struct shca_cq, eng);

	hrtimer_start(&cq->mod_timer, ns_to_ktime((u64)us * NSEC_PER_USEC), HRTIMER_MODE_REL);
}

static int modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us)
{
	eng_cq_moderate(&cq_of(ibcq)->eng, count, period_us);
	return 0;
}

static int create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	struct shca_cq *cq = cq_of(ibcq);
	struct shca_create_cq_resp resp = {};
	struct shca_ring_memory *mem;
	u32 entries;
	int err = shca_udata_check_empty(udata);

	if (err)
		return err;
	if (attr->flags)
		return -EOPNOTSUPP;
	if (attr->cqe < 1 || attr->cqe > SHCA_MAX_CQE ||
	    attr->comp_vector >= ibcq->device->num_comp_vectors)
		return -EINVAL;
	entries = entries_for(attr->cqe);
	mem = make_ring(cq, entries, udata, &resp);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	if (udata)
		err = shca_udata_respond(udata, &resp, sizeof(resp));
	if (err) {
		shca_ring_memory_destroy(mem);
		return err;
	}
	spin_lock_init(&cq->poll_lock);
	hrtimer_init(&cq->mod_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	cq->mod_timer.function = moderated;
	INIT_WORK(&cq->mod_work, mod_work);
	use_ring(cq, mem, entries);
	eng_cq_init(&cq->eng, shca_dev_of(ibcq->device)->eng);
	eng_cq_set_ring(&cq->eng, cq->shared, (u8 *)cq->entries, entries);
	trace_shca_create("cq", entries);
	return 0;
}

/* ib_core counts the QPs that use it: there are none, so the engine does not know it any more. */
static int destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	trace_shca_destroy("cq", ibcq->cqe);
	hrtimer_cancel(&cq_of(ibcq)->mod_timer);
	cancel_work_sync(&cq_of(ibcq)->mod_work);
	shca_ring_memory_destroy(cq_of(ibcq)->mem);
	return 0;
}

static int resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct shca_cq *cq = cq_of(ibcq);
	struct shca_create_cq_resp resp = {};
	struct shca_ring_memory *mem, *old;
	unsigned long flags;
	u32 entries;
	int err = shca_udata_check_empty(udata);

	if (err)
		return err;
	if (cqe < 1 || cqe > SHCA_MAX_CQE)
		return -EINVAL;
	entries = entries_for(cqe);
	mem = make_ring(cq, entries, udata, &resp);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	/* A response that cannot be written leaves the old ring in use: so it goes out first. */
	if (udata)
		err = shca_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		goto destroy_mem;
	env_lock(&cq->eng.lock);
	spin_lock_irqsave(&cq->poll_lock, flags);
	err = eng_cq_resize(&cq->eng, mem->vaddr, mem->vaddr + resp.ring.offset, entries);
	if (!err) {
		old = cq->mem;
		use_ring(cq, mem, entries);
		mem = old;
	}
	spin_unlock_irqrestore(&cq->poll_lock, flags);
	env_unlock(&cq->eng.lock);
destroy_mem:
	shca_ring_memory_destroy(mem);
	return err;
}

/* CQEs have the flags of user space, which are the kernel's but for one. */
#define CQE_WITH_INV	(1U << 3)

static int kernel_flags(u32 flags)
{
	static_assert(IB_WC_GRH == 1 << 0 && IB_WC_WITH_IMM == 1 << 1);

	return (flags & (IB_WC_GRH | IB_WC_WITH_IMM)) |
	       (flags & CQE_WITH_INV ? IB_WC_WITH_INVALIDATE : 0);
}

static void fill_wc(struct ib_wc *wc, const struct shca_cqe *cqe, struct shca_qp *qp)
{
	bool receive = cqe->opcode & 0x80;
	bool ud = shca_gsi_or_ud(qp->ib.qp_type);

	*wc = (struct ib_wc) {
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = receive ? IB_WC_RECV | (cqe->opcode & 0x7f) : cqe->opcode,
		.vendor_err = cqe->vendor_err,
		.byte_len = cqe->byte_len,
		.qp = &qp->ib,
		.ex.imm_data = (__force __be32)cqe->ex,
		.src_qp = cqe->src_qp,
		.wc_flags = kernel_flags(cqe->wc_flags),
		.pkey_index = cqe->pkey_index,
		.sl = cqe->sl,
		.port_num = SHCA_PORT,
	};
	if (receive && ud && (cqe->wc_flags & IB_WC_GRH)) {
		/* ib_create_ah_from_wc() looks at the GRH area to tell IPv4 from IPv6. */
		wc->network_hdr_type = RDMA_NETWORK_IPV6;
	}
}

/* Frees the queue's space: WQEs up to and with this one are done. */
static void account(struct shca_qp *qp, const struct shca_cqe *cqe)
{
	if (cqe->opcode & 0x80)
		WRITE_ONCE(qp->rq_done, cqe->wqe_count);
	else
		WRITE_ONCE(qp->sq_done, cqe->wqe_count);
}

/* One entry into @wc: 1, or 0 when it belonged to a QP that is gone.  Kernel consumers only. */
static int take(struct shca_cq *cq, const struct shca_cqe *cqe, struct ib_wc *wc)
{
	struct eng_qp *eng = eng_qp_find(cq->eng.dev, cqe->qpn);
	struct shca_qp *qp;

	if (!eng)
		return 0;
	qp = eng_qp_host(eng);
	fill_wc(wc, cqe, qp);
	account(qp, cqe);
	eng_qp_put(eng);
	return 1;
}

static int poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct shca_cq *cq = cq_of(ibcq);
	unsigned long flags;
	u32 mask, shift;
	int n = 0;

	spin_lock_irqsave(&cq->poll_lock, flags);
	mask = ibcq->cqe - 1;
	shift = ilog2(ibcq->cqe);
	while (n < num_entries) {
		const struct shca_cqe *cqe = &cq->entries[cq->cons & mask];

		/* Pairs with the engine's store-release: the entry is complete. */
		if (smp_load_acquire(&cqe->lap) != (cq->cons >> shift) + 1)
			break;
		n += take(cq, cqe, wc + n);
		cq->cons++;
	}
	smp_store_release(&cq->shared->cons, cq->cons);
	spin_unlock_irqrestore(&cq->poll_lock, flags);
	return n;
}

static int req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct shca_cq *cq = cq_of(ibcq);
	u32 bits = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
		   SHCA_CQ_ARM_SOLICITED : SHCA_CQ_ARM_ANY;
	unsigned long irqflags;
	int missed = 0;
	u32 old;

	spin_lock_irqsave(&cq->poll_lock, irqflags);
	do {
		old = READ_ONCE(cq->shared->arm);
	} while (cmpxchg(&cq->shared->arm, old, old | bits) != old);
	/* cmpxchg is a full barrier: the engine sees arm, or we see its entry. */
	if (flags & IB_CQ_REPORT_MISSED_EVENTS)
		missed = READ_ONCE(cq->shared->prod) != cq->cons;
	spin_unlock_irqrestore(&cq->poll_lock, irqflags);
	return missed;
}

const struct ib_device_ops shca_verbs_cq_ops = {
	.create_cq = create_cq,
	.destroy_cq = destroy_cq,
	.resize_cq = resize_cq,
	.modify_cq = modify_cq,
	.poll_cq = poll_cq,
	.req_notify_cq = req_notify_cq,
	INIT_RDMA_OBJ_SIZE(ib_cq, shca_cq, ib),
};
