// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_cq_ex.c - the extended polling interface: start_poll, next_poll, end_poll, read_*.
 *
 * Reached through the pointers of struct ibv_cq_ex.  Between start and end the CQ's lock is held
 * and the CQE is read where it lies: its memory is the engine's again only after end_poll has
 * published cons.
 */
#include <errno.h>
#include "shca.h"

static struct shca_cq *of(struct ibv_cq_ex *cq)
{
	return shim_container_of(cq, struct shca_cq, ex);
}

static int take(struct shca_cq *cq)
{
	const struct shca_cqe *cqe = shca_poll_next(cq);

	if (!cqe)
		return ENOENT;
	cq->current = cqe;
	cq->ex.wr_id = cqe->wr_id;
	cq->ex.status = shca_poll_status(cqe);
	return 0;
}

static void finish(struct shca_cq *cq)
{
	if (cq->cons != cq->shared->cons)
		shca_publish(&cq->shared->cons, cq->cons);
	shca_unlock(&cq->lock);
}

/* After an error the caller does not call end_poll. */
static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct shca_cq *cq = of(ex);
	int err;

	if (attr->comp_mask)
		return EINVAL;
	shca_gate_lock(&cq->gate, &cq->lock);
	err = take(cq);
	if (!err)
		return 0;
	if (shca_poll_empty(cq))
		err = EOVERFLOW;
	finish(cq);
	return err;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	return take(of(ex));
}

static void end_poll(struct ibv_cq_ex *ex)
{
	finish(of(ex));
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return of(ex)->current->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
	return of(ex)->current->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return of(ex)->current->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return of(ex)->current->ex;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return of(ex)->current->qpn;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return of(ex)->current->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return of(ex)->current->wc_flags;
}

/* Ethernet ports have no LIDs. */
static uint32_t read_slid(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return of(ex)->current->sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

/* vendor_err, opcode and wc_flags are always there; the others as asked for. */
void shca_cq_ex_fill(struct shca_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ex = &cq->ex;

	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		ex->read_byte_len = read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		ex->read_imm_data = read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		ex->read_qp_num = read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		ex->read_src_qp = read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		ex->read_slid = read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		ex->read_sl = read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ex->read_dlid_path_bits = read_dlid_path_bits;
}
