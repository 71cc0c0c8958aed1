/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_cq.h - completion queues, as the engine's callback needs them.
 */
#ifndef SHCA_VERBS_CQ_H
#define SHCA_VERBS_CQ_H

#include <linux/types.h>

struct eng_cq;

void shca_verbs_cq_timer(struct eng_cq *cq, u32 us);

#endif
