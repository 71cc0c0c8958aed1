/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two RC QPs of one device, connected to one another, on one CQ that the core polls. loop.c makes
 * and ends them and waits for their completions; consumer.c asks for the work.
 */
#ifndef CONSUMER_LOOP_H
#define CONSUMER_LOOP_H

#include <linux/completion.h>
#include <rdma/ib_verbs.h>

/* Work requests outstanding per queue, and how long a completion may take. */
#define LOOP_DEPTH 16
#define LOOP_TRANSFERS 4
#define LOOP_WAIT_MS 5000
#define LOOP_BUF_BYTES 256

/* A work request in flight: the core calls cqe.done(), we wait for done. */
struct loop_op {
	struct ib_cqe cqe;
	struct completion done;
	struct ib_wc wc;
};

struct loop {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp[2];
	char *buf[2];
	u64 dma[2];
	u32 rkey;		/* of all memory; 0 where the device has none */
};

int loop_open(struct loop *loop, struct ib_device *dev, enum ib_poll_context ctx);
void loop_close(struct loop *loop);

void loop_op_init(struct loop_op *op);
/* Returns the status of the completion, or -ETIMEDOUT. */
int loop_op_wait(struct loop *loop, struct loop_op *op);
int loop_post_recv(struct loop *loop, int end, struct loop_op *op);
int loop_post_send(struct loop *loop, int end, struct loop_op *op);

#endif
