// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_poll.c - ibv_poll_cq and ibv_req_notify_cq.
 *
 * Reached through the table of the context; shca_cq_ex.c builds the extended interface from the
 * same steps.  A poll reads the CQEs and nothing else that the engine writes, and tells the
 * engine how far it got with one store per call.
 */
#include <errno.h>
#include <string.h>
#include "shca.h"

/* Polls of an empty CQ between two looks at its overrun word. */
#define OVERRUN_LOOK 64

static struct shca_qp *find_qp(struct shca_context *hw, uint32_t qpn)
{
	struct shca_leaf *leaf;

	if (qpn >= SHCA_QPN_LEAVES * SHCA_QPN_LEAF_SIZE)
		return NULL;
	leaf = __atomic_load_n(&hw->leaves[qpn >> SHCA_QPN_LEAF_BITS], __ATOMIC_ACQUIRE);
	if (!leaf)
		return NULL;
	return __atomic_load_n(&leaf->qp[qpn & (SHCA_QPN_LEAF_SIZE - 1)], __ATOMIC_ACQUIRE);
}

/* Frees the entry of the queue that this CQE completes, and the unsignalled ones before it. */
static inline bool account(struct shca_cq *cq, const struct shca_cqe *cqe)
{
	struct shca_qp *qp = cq->last_qp;

	/* The SRQ's own count frees its entries, and the QP may be another process's (XRC). */
	if (SHIM_UNLIKELY(cqe->srq))
		return true;
	if (SHIM_UNLIKELY(cqe->qpn != cq->last_qpn || !qp)) {
		qp = find_qp(cq->hw, cqe->qpn);
		if (!qp)
			return false;
		cq->last_qpn = cqe->qpn;
		cq->last_qp = qp;
	}
	if (!(cqe->opcode & IBV_WC_RECV))
		__atomic_store_n(&qp->sq.tail, cqe->wqe_count, __ATOMIC_RELEASE);
	else if (!qp->ibv.srq)
		__atomic_store_n(&qp->rq.tail, cqe->wqe_count, __ATOMIC_RELEASE);
	return true;
}

/*
 * The next CQE, or NULL when there is none; it has left the CQ, but its memory stays untouched
 * until cons is published.  CQEs of QPs that are gone are passed over.
 */
const struct shca_cqe *shca_poll_next(struct shca_cq *cq)
{
	const struct shca_cqe *cqe;

	do {
		cqe = (const struct shca_cqe *)cq->ring + (cq->cons & cq->mask);
		if (shca_observe(&cqe->lap) != shca_cqe_lap(cq->cons, cq->order))
			return NULL;
		cq->cons++;
		cq->run++;
	} while (SHIM_UNLIKELY(!account(cq, cqe)));
	return cqe;
}

/*
 * The overrun word lies on a line that the engine writes with every CQE, so pollers leave it
 * alone.  A CQ can only have overrun when it was full: then as many CQEs as it has entries were
 * just taken in one run.  The odd look catches the case that the last publish came late.
 */
int shca_poll_empty(struct shca_cq *cq)
{
	bool full_run = cq->run > cq->mask;

	cq->run = 0;
	if (SHIM_LIKELY(!full_run && ++cq->idle % OVERRUN_LOOK))
		return 0;
	if (!shca_peek(&cq->shared->overrun))
		return 0;
	cq->run = cq->mask + 1;	/* dead for good: look every time */
	return EOVERFLOW;
}

/* A status outside the enum never appears, whatever was written into the ring (F36). */
uint32_t shca_poll_status(const struct shca_cqe *cqe)
{
	return cqe->status <= IBV_WC_TM_RNDV_INCOMPLETE ? cqe->status : IBV_WC_GENERAL_ERR;
}

static inline void fill_wc(struct ibv_wc *wc, const struct shca_cqe *cqe)
{
	wc->wr_id = cqe->wr_id;
	wc->status = SHIM_LIKELY(!cqe->status) ? IBV_WC_SUCCESS : shca_poll_status(cqe);
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->invalidated_rkey = cqe->ex;
	wc->qp_num = cqe->qpn;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->wc_flags;
	wc->pkey_index = cqe->pkey_index;
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
}

int shca_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct shca_cq *cq = shca_cq(ibcq);
	const struct shca_cqe *cqe;
	uint32_t start;
	int count = 0;

	shca_gate_lock(&cq->gate, &cq->lock);
	start = cq->cons;
	while (count < num_entries) {
		cqe = shca_poll_next(cq);
		if (!cqe)
			break;
		fill_wc(&wc[count++], cqe);
	}
	if (cq->cons != start)
		shca_publish(&cq->shared->cons, cq->cons);
	if (!count && num_entries > 0 && SHIM_UNLIKELY(shca_poll_empty(cq)))
		count = -1;
	shca_unlock(&cq->lock);
	return count;
}

/*
 * Pairs with the engine: it publishes a CQE, full barrier, looks at arm.  The program then polls
 * once more (C141).  Asking for any completion wins over asking for solicited ones (G074).
 */
int shca_poll_req_notify(struct ibv_cq *ibcq, int solicited_only)
{
	struct shca_cq *cq = shca_cq(ibcq);

	if (!ibcq->channel)
		return 0;
	shca_gate_lock(&cq->gate, &cq->lock);
	__atomic_fetch_or(&cq->shared->arm,
			  solicited_only ? SHCA_CQ_ARM_SOLICITED : SHCA_CQ_ARM_ANY,
			  __ATOMIC_SEQ_CST);
	shca_unlock(&cq->lock);
	shca_full_barrier();
	return 0;
}
