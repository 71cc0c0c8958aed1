/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_srq.h - shared receive queues, as the engine's callback needs them.
 */
#ifndef SHCA_VERBS_SRQ_H
#define SHCA_VERBS_SRQ_H

struct eng_srq;

void shca_verbs_srq_idle(struct eng_srq *srq);

#endif
