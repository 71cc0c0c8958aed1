// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_qp.c - makes, queries and destroys queue pairs.  ib_core calls in; the engine gets a
 * configuration, ring_memory.c the pages, verbs_qp_modify.c the state changes.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "verbs_qp.h"
#include "groups.h"
#include "gsi.h"
#include "path.h"
#include "shca.h"
#include "trace.h"
#include "udata.h"

static_assert((int)ENG_QPT_RC == (int)IB_QPT_RC);
static_assert((int)ENG_QPT_UC == (int)IB_QPT_UC);
static_assert((int)ENG_QPT_UD == (int)IB_QPT_UD);

/* The engine's part of a QP, with its RCU head: lookups read it before they count. */
struct shca_qp_block {
	struct rcu_head rcu;
	bool large;			/* not from block_cache */
	u8 mem[] __aligned(64);
};

/*
 * What most QPs need is a little more than a page, for which kmalloc() would take two; 8 KiB is all
 * that an idle QP may cost, rings aside.
 */
#define COMMON_BLOCK_BYTES	4352

static struct kmem_cache *block_cache;

int shca_verbs_qp_start(void)
{
	block_cache = kmem_cache_create("shca_qp", COMMON_BLOCK_BYTES, 64, SLAB_ACCOUNT, NULL);
	return block_cache ? 0 : -ENOMEM;
}

void shca_verbs_qp_stop(void)
{
	/* Blocks that wait for readers. */
	rcu_barrier();
	kmem_cache_destroy(block_cache);
}

static struct shca_qp_block *alloc_block(size_t engine_bytes)
{
	struct shca_qp_block *block;
	size_t bytes = sizeof(*block) + engine_bytes;

	if (bytes > COMMON_BLOCK_BYTES) {
		block = kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (block)
			block->large = true;
		return block;
	}
	return kmem_cache_zalloc(block_cache, GFP_KERNEL);
}

static void free_block(struct shca_qp_block *block)
{
	if (block->large)
		kvfree(block);
	else
		kmem_cache_free(block_cache, block);
}

static void free_block_rcu(struct rcu_head *rcu)
{
	free_block(container_of(rcu, struct shca_qp_block, rcu));
}

static struct shca_qp *qp_of(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct shca_qp, ib);
}

void shca_verbs_qp_idle(struct eng_qp *eng)
{
	struct shca_qp *qp = eng_qp_host(eng);

	complete(&qp->idle);
}

/* Which QPs there are, and what the engine takes them for. */
static const struct {
	bool known;
	enum eng_qp_type type;
	enum eng_xrc xrc;
	bool sends, receives;		/* has a queue for it */
} kinds[] = {
	[IB_QPT_GSI]	 = { true, ENG_QPT_UD, ENG_XRC_NONE, true, true },
	[IB_QPT_RC]	 = { true, ENG_QPT_RC, ENG_XRC_NONE, true, true },
	[IB_QPT_UC]	 = { true, ENG_QPT_UC, ENG_XRC_NONE, true, true },
	[IB_QPT_UD]	 = { true, ENG_QPT_UD, ENG_XRC_NONE, true, true },
	[IB_QPT_XRC_INI] = { true, ENG_QPT_RC, ENG_XRC_INI, true, false },
	[IB_QPT_XRC_TGT] = { true, ENG_QPT_RC, ENG_XRC_TGT, false, false },
};

static int check_init(const struct ib_qp_init_attr *init, bool user)
{
	const struct ib_qp_cap *cap = &init->cap;
	enum ib_qp_type type = init->qp_type;

	if (init->create_flags)
		return -EOPNOTSUPP;
	if (type >= ARRAY_SIZE(kinds) || !kinds[type].known)
		return -EOPNOTSUPP;
	/* Management datagrams are the core's business. */
	if (type == IB_QPT_GSI && user)
		return -EOPNOTSUPP;
	/* IBTA vol 1, 10.2.9: shared receive queues serve RC and UD; XRC names them by message. */
	if (init->srq && type != IB_QPT_RC && type != IB_QPT_UD)
		return -EINVAL;
	if (type == IB_QPT_XRC_TGT)
		return init->xrcd ? 0 : -EINVAL;
	if (!init->send_cq || (kinds[type].receives && !init->recv_cq))
		return -EINVAL;
	if (cap->max_send_wr > SHCA_MAX_QP_WR || cap->max_send_sge > SHCA_MAX_SGE ||
	    cap->max_inline_data > SHCA_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && kinds[type].receives &&
	    (cap->max_recv_wr > SHCA_MAX_QP_WR || cap->max_recv_sge > SHCA_MAX_SGE))
		return -EINVAL;
	return 0;
}

/* Bytes of one send WQE: the SGE list and inline data share the place behind the head. */
static u32 send_stride(const struct ib_qp_cap *cap, enum ib_qp_type type)
{
	u32 sges = max(cap->max_send_sge, 1u) * sizeof(struct shca_sge);
	u32 bytes = max(sges, cap->max_inline_data);

	if (type == IB_QPT_RC || type == IB_QPT_XRC_INI)
		bytes = max_t(u32, bytes, sizeof(struct shca_atomic_ops) + sizeof(struct shca_sge));
	return ALIGN(SHCA_SEND_WQE_HEAD + bytes, SHCA_WQE_UNIT);
}

static u32 recv_stride(u32 max_sge)
{
	return ALIGN(SHCA_RECV_WQE_HEAD + max(max_sge, 1u) * (u32)sizeof(struct shca_sge),
		     SHCA_WQE_UNIT);
}

static void lay_out(struct shca_qp *qp, const struct ib_qp_init_attr *init)
{
	struct ib_qp_cap *cap = &qp->cap;

	qp->sq.offset = sizeof(struct shca_qp_shared);
	qp->rq.offset = qp->sq.offset;
	if (!kinds[init->qp_type].sends)
		return;
	*cap = init->cap;
	qp->sq.stride = send_stride(cap, init->qp_type);
	qp->sq.entries = cap->max_send_wr ? roundup_pow_of_two(cap->max_send_wr) : 0;
	cap->max_send_wr = qp->sq.entries;
	cap->max_send_sge = min_t(u32, (qp->sq.stride - SHCA_SEND_WQE_HEAD) /
				  sizeof(struct shca_sge), SHCA_MAX_SGE);
	cap->max_inline_data = min_t(u32, qp->sq.stride - SHCA_SEND_WQE_HEAD, SHCA_MAX_INLINE);

	qp->rq.offset = qp->sq.offset + qp->sq.entries * qp->sq.stride;
	if (init->srq || !kinds[init->qp_type].receives) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
		return;
	}
	qp->rq.stride = recv_stride(cap->max_recv_sge);
	qp->rq.entries = cap->max_recv_wr ? roundup_pow_of_two(cap->max_recv_wr) : 0;
	cap->max_recv_wr = qp->rq.entries;
	cap->max_recv_sge = min_t(u32, (qp->rq.stride - SHCA_RECV_WQE_HEAD) /
				  sizeof(struct shca_sge), SHCA_MAX_SGE);
}

static int make_rings(struct shca_qp *qp, struct ib_udata *udata)
{
	/* An XRC target can outlive the process that made it, and has nothing to show. */
	struct ib_ucontext *context = udata && kinds[qp->ib.qp_type].sends ?
				      &shca_ucontext_of(udata)->ib : NULL;
	struct shca_create_qp_resp resp = {
		.sq = qp->sq, .rq = qp->rq, .max_inline = qp->cap.max_inline_data,
	};
	size_t bytes = qp->rq.offset + (size_t)qp->rq.entries * qp->rq.stride;
	int err = 0;

	qp->mem = shca_ring_memory_create(context, bytes, &resp.map);
	if (IS_ERR(qp->mem))
		return PTR_ERR(qp->mem);
	if (context)
		err = shca_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		shca_ring_memory_destroy(qp->mem);
	return err;
}

static struct eng_ring ring_at(const struct shca_qp *qp, const struct shca_ring_info *info)
{
	return (struct eng_ring) {
		.entries = qp->mem->vaddr + info->offset,
		.count = info->entries,
		.stride = info->stride,
	};
}

static struct eng_cq *engine_cq(struct ib_cq *cq)
{
	return &container_of(cq, struct shca_cq, ib)->eng;
}

static int make_engine(struct shca_qp *qp, const struct ib_qp_init_attr *init)
{
	struct eng_qp_config cfg = {
		.type = kinds[init->qp_type].type,
		.xrc = kinds[init->qp_type].xrc,
		.xrcd = shca_xrcd_identity(init->xrcd),
		.qpn = qp->ib.qp_num,
		.pd = shca_pd_identity(qp->ib.pd),
		.send_cq = kinds[init->qp_type].sends ? engine_cq(init->send_cq) : NULL,
		.recv_cq = kinds[init->qp_type].receives ? engine_cq(init->recv_cq) : NULL,
		.srq = init->srq ? &container_of(init->srq, struct shca_srq, ib)->eng : NULL,
		.shared = qp->mem->vaddr,
		.sq = ring_at(qp, &qp->sq),
		.rq = ring_at(qp, &qp->rq),
		.max_send_sge = qp->cap.max_send_sge,
		.max_recv_sge = qp->cap.max_recv_sge,
		.max_inline = qp->cap.max_inline_data,
		.sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR,
	};

	qp->block = alloc_block(eng_qp_struct_bytes + eng_qp_private_bytes(&cfg));
	if (!qp->block)
		return -ENOMEM;
	qp->eng = eng_qp_init(qp->block->mem, shca_dev_of(qp->ib.device)->eng, &cfg);
	eng_qp_set_host(qp->eng, qp);
	return 0;
}

/* A worker does what there is to do. */
static enum hrtimer_restart deadline(struct hrtimer *timer)
{
	eng_expire(container_of(timer, struct shca_qp, timer)->eng);
	return HRTIMER_NORESTART;
}

static void init_host(struct shca_qp *qp, const struct ib_qp_init_attr *init,
		      struct ib_udata *udata)
{
	init_completion(&qp->idle);
	mutex_init(&qp->mutex);
	mutex_init(&qp->groups_mutex);
	INIT_LIST_HEAD(&qp->groups);
	spin_lock_init(&qp->sq_lock);
	spin_lock_init(&qp->rq_lock);
	shca_udp_tx_init(&qp->tx);
	hrtimer_init(&qp->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	qp->timer.function = deadline;
	qp->sig_type = init->sq_sig_type;
	qp->context_id = udata ? shca_ucontext_of(udata)->id : 0;
	qp->attr.qp_state = IB_QPS_RESET;
	qp->attr.path_mig_state = IB_MIG_MIGRATED;
	qp->attr.port_num = SHCA_PORT;
}

static int take_number(struct shca_dev *dev, struct shca_qp *qp, enum ib_qp_type type)
{
	int err;

	if (type == IB_QPT_GSI) {
		qp->ib.qp_num = SHCA_GSI_QPN;
		return shca_numbers_claim(&dev->qpns, qp, SHCA_GSI_QPN, GFP_KERNEL);
	}
	err = shca_numbers_alloc(&dev->qpns, qp, &qp->ib.qp_num, GFP_KERNEL);
	return err == -EBUSY ? -ENOMEM : err;
}

static int create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct shca_dev *dev = shca_dev_of(ibqp->device);
	struct shca_qp *qp = qp_of(ibqp);
	int err = shca_udata_check_empty(udata);

	if (!err)
		err = check_init(init, udata);
	if (err)
		return err;
	init_host(qp, init, udata);
	lay_out(qp, init);
	err = take_number(dev, qp, init->qp_type);
	if (err)
		return err;
	err = make_rings(qp, udata);
	if (err)
		goto free_number;
	err = make_engine(qp, init);
	if (err)
		goto destroy_rings;
	err = eng_qp_publish(qp->eng);
	if (err)
		goto free_block;
	init->cap = qp->cap;
	trace_shca_create("qp", ibqp->qp_num);
	return 0;

free_block:
	free_block(qp->block);
destroy_rings:
	shca_ring_memory_destroy(qp->mem);
free_number:
	shca_numbers_free(&dev->qpns, ibqp->qp_num);
	return err;
}

/* See the proof in shca.h. */
static int destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct shca_qp *qp = qp_of(ibqp);

	trace_shca_destroy("qp", ibqp->qp_num);
	shca_groups_leave_all(qp);
	/* Whoever re-routes it holds the mutex; afterwards it sees closing. */
	mutex_lock(&qp->mutex);
	WRITE_ONCE(qp->closing, 1);
	mutex_unlock(&qp->mutex);

	eng_qp_get(qp->eng);
	eng_qp_destroy(qp->eng);
	hrtimer_cancel(&qp->timer);
	/* Nobody sends any more; it may be counted by those who wait for room. */
	shca_udp_tx_kick(shca_dev_of(ibqp->device)->udp);
	eng_qp_put(qp->eng);
	wait_for_completion(&qp->idle);

	shca_path_put(rcu_access_pointer(qp->path));
	shca_ring_memory_destroy(qp->mem);
	shca_numbers_free(&shca_dev_of(ibqp->device)->qpns, ibqp->qp_num);
	call_rcu(&qp->block->rcu, free_block_rcu);
	return 0;
}

static int query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	struct shca_qp *qp = qp_of(ibqp);
	bool draining = false;

	mutex_lock(&qp->mutex);
	*attr = qp->attr;
	attr->qp_state = (enum ib_qp_state)eng_qp_query(qp->eng, NULL, &draining);
	mutex_unlock(&qp->mutex);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = draining;
	attr->cap = qp->cap;

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig_type;
	init->qp_type = ibqp->qp_type;
	init->port_num = SHCA_PORT;
	return 0;
}

const struct ib_device_ops shca_verbs_qp_ops = {
	.create_qp = create_qp,
	.modify_qp = shca_verbs_qp_modify,
	.query_qp = query_qp,
	.destroy_qp = destroy_qp,
	.attach_mcast = shca_groups_attach,
	.detach_mcast = shca_groups_detach,
	INIT_RDMA_OBJ_SIZE(ib_qp, shca_qp, ib),
};
