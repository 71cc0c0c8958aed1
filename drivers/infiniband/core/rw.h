/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the two halves of the read/write interface share: rw.c maps and chains, rw_reg.c does the
 * transfers whose local memory has to be registered.
 */
#ifndef _CORE_RW_H
#define _CORE_RW_H

#include <rdma/rw.h>

/* Values of rdma_rw_ctx.type, which only we read. */
enum core_rw_type {
	CORE_RW_SINGLE = 1,
	CORE_RW_SGES,		/* work requests with several entries each */
	CORE_RW_REGISTERED,
};

/* A transfer: mapped memory from sg + offset on, and its far end. */
struct core_rw_transfer {
	struct scatterlist *sg;
	u32 sg_cnt;
	u32 offset;
	u64 remote_addr;
	u32 rkey;
	enum dma_data_direction dir;
};

/* rw_reg.c: work requests needed, or an error that leaves nothing behind. */
int core_rw_reg_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct core_rw_transfer *transfer);
void core_rw_reg_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp);
/* The chain of a registered transfer; *last is its end. */
struct ib_send_wr *core_rw_reg_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_send_wr **last);
u32 core_rw_reg_pages(const struct ib_device *dev);

#endif
